// Whose lines of chat this browser does not show, by table.
const key = (table: string) => `motherlode.hidden.${table}`;
const hidden = $state<Record<string, string[]>>({});

export function hiddenAt(table: string): string[] {
  return hidden[table] ?? (JSON.parse(localStorage.getItem(key(table)) ?? "[]") as string[]);
}

export function hide(table: string, who: string, isHidden: boolean): void {
  const others = hiddenAt(table).filter((one) => one !== who);
  hidden[table] = isHidden ? [...others, who] : others;
  localStorage.setItem(key(table), JSON.stringify(hidden[table]));
}
