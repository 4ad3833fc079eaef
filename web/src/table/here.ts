// Several people at one browser: their names are this browser's alone, since the server knows one guest.
const key = (table: string) => `motherlode.names.${table}`;

export function keepNames(table: string, names: Record<number, string>): void {
  if (Object.keys(names).length > 1) localStorage.setItem(key(table), JSON.stringify(names));
}

export const namesHere = (table: string): Record<number, string> => JSON.parse(localStorage.getItem(key(table)) ?? "{}");
