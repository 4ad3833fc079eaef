// The commitment to a table's shuffle as this browser first saw it, so that the server cannot replace it later.
const key = (table: string) => `motherlode.commitment.${table}`;

export function rememberCommitment(table: string, commitment: string): void {
  if (localStorage.getItem(key(table)) === null) localStorage.setItem(key(table), commitment);
}

export const rememberedCommitment = (table: string): string | null => localStorage.getItem(key(table));
