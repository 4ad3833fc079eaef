// What is seen and heard of Goldmine: cards travel between hands, deck and trick, gold is turned over and goes to the
// winner of the trick.
import { GOLDMINE, type Goldmine } from "../../wire";
import { t } from "../../words";
import type { Effect, SceneOf } from "../effects";
import { has } from "../tables";
import { cardName, FACTS, type Drawn } from "./cards";

const CARDS: readonly string[] = GOLDMINE.words.trump;
const rank = (card: string) => FACTS.cards[CARDS.indexOf(card)]!.rank;

export const sceneOf: SceneOf<Goldmine, Drawn> = ({ did, event, before, after, seat }) => {
  const endsDeal = after.view.deal !== before.view.deal; // then it is shown over the board as it was
  const args = event ? event.args : did.args;
  const held = did.actor < 0 ? 0 : before.view.hand[did.actor]!;
  const inHand = has(held, CARDS.indexOf(did.args["card"]!)) ? `card-${did.args["card"]}` : `back-${did.actor}`;
  switch (event ? event.kind : did.verb) {
    case "look":
      return did.actor === seat ? null : { effects: [{ do: "glow", at: `gold-${args["place"]}` }, { do: "shake", at: `gold-${args["place"]}` }], sound: "card" };
    case "seen":
      return { effects: [{ do: "flip", at: `gold-${args["place"]}` }], sound: "card" };
    case "discard": {
      const thrown: Effect = { do: "fly", from: inHand, to: "gone" };
      const drawn: Effect = { do: "fly", from: "deck", to: `hand-${did.actor}` }; // that of whoever may know it comes with "draw"
      return { effects: did.action === null ? [thrown, drawn] : [thrown], sound: "card" };
    }
    case "draw":
      return did.action === null ? null : { effects: [{ do: "fly", from: "deck", to: `card-${args["card"]}`, lands: true }], sound: "card" };
    case "last":
      return { effects: [{ do: "fly", from: "last", to: `hand-${args["seat"]}` }], sound: "card" };
    case "play": {
      const to = `trick-${did.actor}`;
      const flies: Effect = { do: "fly", from: inHand, to, lands: !endsDeal, stays: endsDeal };
      const said: Effect = { do: "say", at: to, words: cardName(CARDS.indexOf(args["card"]!)) };
      return { effects: endsDeal ? [flies, said] : [flies], sound: "card" };
    }
    case "higher":
    case "trumped":
    case "unfollowed": {
      const words = t(`goldmine.beats.${event!.kind}`, { card: rank(args["card"]!), beaten: rank(args["beaten"]!) });
      return {
        effects: [
          { do: "glow", at: `trick-${args["seat"]}` },
          { do: "shake", at: `trick-${1 - Number(args["seat"])}` },
          { do: "say", at: "trick", words, tone: Number(args["seat"]) === seat ? "good" : "bad" },
        ],
        length: 1.4,
      };
    }
    case "gold": {
      const from = `gold-${args["place"]}`, value = Number(args["points"]);
      const flies: Effect = { do: "fly", from, to: `player-${args["seat"]}`, as: "gold", n: value };
      const said: Effect = { do: "say", at: from, words: t("goldmine.value", { n: value }) };
      const wasDown = before.view.gold[Number(args["place"])]! < 0;
      return { effects: [flies, ...(endsDeal ? [said] : wasDown ? [{ do: "flip", at: from } as const] : [])], sound: "coins", length: 1.6 };
    }
    default:
      return null; // dealing, and what the summary or the result says
  }
};
