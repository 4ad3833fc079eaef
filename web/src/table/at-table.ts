// What the parts of a table's page share.
import type { TableConnection } from "../frame/connection.svelte";
import type { TableCard, TableMessage } from "../wire";

export interface AtTable {
  connection: TableConnection;
  now: TableMessage;
  card: TableCard;
  names: string[];
  here: number[]; // the seats played at this browser
}
