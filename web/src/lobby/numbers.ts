// Many numbers in a row are typed into a field rather than looked for in a list.
const MANY = 12;

/** The bounds of the numbers among an option's values that have no name, if they are many and without a gap. */
export function manyNumbers(values: (number | string)[], isNamed: (value: number | string) => boolean): { from: number; to: number } | null {
  const numbers = values.filter((value): value is number => typeof value === "number" && !isNamed(value));
  const from = Math.min(...numbers), to = Math.max(...numbers);
  return numbers.length > MANY && to - from === numbers.length - 1 ? { from, to } : null;
}
