// How the 64 cards lie when they are scattered. Eight rows of eight, so that a card has the same row and column on every
// screen; how far it lies from the middle of its place, as a part of the room there, is the same everywhere too. Whole
// columns (on a wide table) or rows (on a tall one) are pushed along themselves, so no card comes to lie on another.

export const SIDE = 8; // rows, and columns

export interface Spot {
  x: number; // from -1, as far to the left as there is room, to 1
  y: number;
  tilt: number;
  column: number; // how far its column is pushed
  row: number;
}

export function scatter(): Spot[] {
  let seed = 134623;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  /** Mostly to one side and the other in turn, so that neither rows nor columns catch the eye. */
  const aside = (i: number) => (i % 2 === (random() < 0.85 ? 1 : 0) ? 1 : -1) * (0.25 + 0.75 * random());
  const pushes = (): number[] => Array.from({ length: SIDE }, (_, i) => aside(i));
  const [columns, rows] = [pushes(), pushes()];
  return Array.from({ length: SIDE * SIDE }, (_, place) => {
    const [row, column] = [Math.floor(place / SIDE), place % SIDE];
    return { x: aside(row), y: aside(column), tilt: 2 * random() - 1, column: columns[column]!, row: rows[row]! };
  });
}
