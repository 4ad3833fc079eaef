// Where the 64 cards lie when they are scattered: the same on every screen, and no card on another.

export interface Spot {
  x: number; // the middle of the card, in hundredths of the table's width
  y: number; // … of its height
  tilt: number; // degrees
}

export const WIDTH = 100;
export const HEIGHT = 66; // in hundredths of the width
export const CARD = { width: 6.4, height: 7.5 };
const TILT = 9;
const NEED = { x: 7.8, y: 8.7 }; // what a tilted card takes, and a little air

/** Eight rows of eight, shaken hard, then pushed apart until none touches another. */
export function scatter(): Spot[] {
  let seed = 134623; // one that comes to rest with no card on another
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647 - 0.5;
  const inside = (value: number, need: number, size: number) => Math.min(Math.max(value, need / 2), size - need / 2);
  const spots = Array.from({ length: 64 }, (_, place) => ({
    x: inside((((place % 8) + 0.5 + 1.1 * random()) * WIDTH) / 8, NEED.x, WIDTH),
    y: inside(((Math.floor(place / 8) + 0.5 + 1.1 * random()) * HEIGHT) / 8, NEED.y, HEIGHT),
    tilt: 2 * TILT * random(),
  }));
  for (let round = 0, touching = true; touching && round < 500; round++) {
    touching = false;
    for (const a of spots)
      for (const b of spots) {
        const x = NEED.x - Math.abs(a.x - b.x);
        const y = NEED.y - Math.abs(a.y - b.y);
        if (a === b || x <= 0.01 || y <= 0.01) continue;
        touching = true;
        if (x < y) {
          const push = ((a.x < b.x ? -1 : 1) * x) / 2;
          a.x = inside(a.x + push, NEED.x, WIDTH);
          b.x = inside(b.x - push, NEED.x, WIDTH);
        } else {
          const push = ((a.y < b.y ? -1 : 1) * y) / 2;
          a.y = inside(a.y + push, NEED.y, HEIGHT);
          b.y = inside(b.y - push, NEED.y, HEIGHT);
        }
      }
  }
  return spots.map(({ x, y, tilt }) => ({ x, y: (100 * y) / HEIGHT, tilt }));
}
