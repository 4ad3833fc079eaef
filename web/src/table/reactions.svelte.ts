// Quick reactions, shown beside the names of players for a few seconds.
import type { TableConnection } from "../frame/connection.svelte";
import type { ChatLine, React } from "../wire";
import { knows, t } from "../words";
import { hiddenAt } from "./hidden.svelte";

export type Reaction = React["what"];
export const REACTIONS: Reaction[] = ["hello", "well_played", "thank_you", "oops", "hurry_up", "good_game"];
export const SECONDS = 6; // that something said is shown

/** What a line says, in the language of this page if it is a reaction. */
export const said = (line: ChatLine): string =>
  line.reaction && knows(`friends.react.${line.reaction}`) ? t(`friends.react.${line.reaction}`) : line.text;

export class Reacting {
  shown = $state<Record<number, ChatLine>>({}); // by seat

  /** Call from a component: it follows the connection's chat. */
  constructor(connection: () => TableConnection) {
    $effect(() => {
      const { fresh, table } = connection();
      const lines = fresh.filter((line) => line.reaction && line.seat !== null && !(line.who && hiddenAt(table).includes(line.who)));
      for (const line of lines) this.shown[line.seat!] = line;
      const timer = setTimeout(() => {
        for (const line of lines) if (this.shown[line.seat!]?.made === line.made) delete this.shown[line.seat!];
      }, SECONDS * 1000);
      if (!lines.length) clearTimeout(timer);
    });
  }
}
