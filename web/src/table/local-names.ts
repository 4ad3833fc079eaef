// Names of several people at one browser. Only the browser keeps them: to the server they are one guest.
const key = (table: string) => `motherlode.names.${table}`;

export function rememberLocalNames(table: string, names: Record<number, string>): void {
  if (Object.keys(names).length > 1) localStorage.setItem(key(table), JSON.stringify(names));
}

export const localNames = (table: string): Record<number, string> => JSON.parse(localStorage.getItem(key(table)) ?? "{}");
