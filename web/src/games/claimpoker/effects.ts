// What is to be seen and heard in Claimpoker: cards fly from the piles to whoever takes them, and on to their owners.
import { CLAIMPOKER, type Claimpoker } from "../../wire";
import { t } from "../../words";
import type { Effect, SceneOf } from "../effects";
import { read } from "../tables";
import { cardSpot, columnOf, columnSpot, FACTS, pointsSpot, signed, takenSpot, topSpot, type Drawn } from "./cards";

const lookOf = (name: string | undefined): number => FACTS.looks.findIndex((look) => look.name === name);

export const sceneOf: SceneOf<Claimpoker, Drawn> = ({ did, event, before, after, names }) => {
  if (event) {
    const seat = Number(event.args["seat"]);
    if (event.kind === "more" || event.kind === "less") {
      const said = t("claimpoker.gain_said", { name: names[seat]!, n: signed(Number(event.args["points"])) });
      const tone = event.kind === "more" ? "good" : "bad";
      return { effects: [{ do: "say", at: pointsSpot(seat), words: said, tone }], sound: event.kind === "more" ? "coins" : "pick", length: 1.2 };
    }
    if (event.kind === "offered") return { effects: [{ do: "glow", at: takenSpot(0) }], length: 1 };
    if (event.kind === "rejected") return { effects: [{ do: "shake", at: takenSpot(0) }], sound: "pick" };
    return null;
  }
  // When a round ends, its last cards are shown on the board as it was.
  const isLast = did.events.some(({ kind }) => kind === "round");
  const to = (seat: number, look: number): string => (isLast ? columnSpot(seat, columnOf(look)) : cardSpot(seat, look));
  const fly = (from: string, seat: number, look: number): Effect => ({ do: "fly", from, to: to(seat, look), stays: isLast, lands: !isLast });
  if (did.verb === "take" && did.action !== null) {
    const { kind, args } = read(CLAIMPOKER.actions, did.action);
    const piles = kind.args.length > 1 ? [args[0]!, args[0]!] : kind.args[0]!.words[args[0]!]!.split(" ").map((pile) => (FACTS.piles as readonly string[]).indexOf(pile));
    return { effects: piles.map((pile, which) => ({ do: "fly", from: topSpot(pile), to: takenSpot(which), lands: true })), sound: "card" };
  }
  if (did.verb === "give") {
    const which = did.args["which"] === "first" ? 0 : 1;
    const kept = fly(takenSpot(1 - which), did.actor, before.drawn.taken[1 - which]!);
    const isOffered = did.events.some(({ kind }) => kind === "offered");
    const given: Effect = isOffered
      ? { do: "fly", from: takenSpot(which), to: takenSpot(0) }
      : fly(takenSpot(which), Number(did.args["seat"]), before.drawn.taken[which]!);
    return { effects: [given, kept], sound: "card", length: 1.2 };
  }
  if (did.verb === "accept") return { effects: [fly(takenSpot(0), did.actor, before.drawn.taken[0]!)], sound: "card" };
  if (did.verb === "reject") return null; // its event is shown
  if (did.verb === "turn" && !isLast) {
    const look = lookOf(did.args["card"]);
    const piles = after.view.top.flatMap((top, pile) => (top === look && (before.view.top[pile]! < 0 || before.view.taken.includes(pile)) && !after.view.taken.includes(pile) ? [pile] : []));
    const found = after.drawn.taken.flatMap((taken, which) => (taken === look && before.drawn.taken[which] !== look ? [which] : []));
    const effects: Effect[] = [...piles.map((pile) => ({ do: "flip", at: topSpot(pile) }) as const), ...found.map((which) => ({ do: "flip", at: takenSpot(which) }) as const)];
    return effects.length ? { effects, sound: "card", length: 0.5 } : null;
  }
  return null;
};
