// The invitations of tables made here. The server shows a link only once and a new one replaces it, so this tab keeps them.
import type { SeatLink } from "../wire";

const key = (table: string): string => `motherlode.links.${table}`;

export function keepLinks(table: string, links: SeatLink[]): void {
  sessionStorage.setItem(key(table), JSON.stringify(links));
}

export const keptLinks = (table: string): SeatLink[] => JSON.parse(sessionStorage.getItem(key(table)) ?? "[]") as SeatLink[];
