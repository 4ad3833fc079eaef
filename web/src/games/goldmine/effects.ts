// What is seen and heard of Goldmine: cards travel between hands, deck and trick, gold is turned over and goes to the
// winner of the trick.
import { mount } from "svelte";
import { GOLDMINE, type Goldmine } from "../../wire";
import { t } from "../../words";
import type { Effect, SceneOf } from "../effects";
import { has } from "../tables";
import Card from "./Card.svelte";
import { FACTS, type Drawn } from "./cards";
import Gold from "./Gold.svelte";

const CARDS: readonly string[] = GOLDMINE.words.trump;
const rank = (card: string) => FACTS.cards[CARDS.indexOf(card)]!.rank;

/** A card, face up, that is not on the board. */
function faceUp(card: number, isGold = false): HTMLElement {
  const target = document.createElement("div");
  if (isGold) mount(Gold, { target, props: { value: card } });
  else mount(Card, { target, props: { card } });
  return target;
}

export const sceneOf: SceneOf<Goldmine, Drawn> = ({ did, event, before, after, seat }) => {
  const endsDeal = after.view.deal !== before.view.deal; // then it is shown over the board as it was
  const args = event ? event.args : did.args;
  if (did.actor < 0 && !event) {
    if (did.verb !== "draw" || did.action === null) return null; // dealing, and gold that comes with an event
    return { effects: [{ do: "fly", from: "deck", to: `card-${args["card"]}`, lands: true }], sound: "card" };
  }
  const isKnown = has(did.actor < 0 ? 0 : before.view.hand[did.actor]!, CARDS.indexOf(did.args["card"]!));
  const inHand = isKnown ? `card-${did.args["card"]}` : `back-${did.actor}`;
  switch (event ? event.kind : did.verb) {
    case "look":
      return did.actor === seat ? null : { effects: [{ do: "glow", at: `gold-${args["place"]}` }, { do: "shake", at: `gold-${args["place"]}` }], sound: "card" };
    case "seen":
      return { effects: [{ do: "flip", at: `gold-${args["place"]}` }, { do: "change", at: "unknown" }], sound: "card" };
    case "discard": {
      const thrown: Effect = { do: "fly", from: inHand, to: "gone" };
      const drawn: Effect = { do: "fly", from: "deck", to: `hand-${did.actor}` }; // that of whoever may know it comes with "draw"
      return { effects: did.action === null ? [thrown, drawn] : [thrown], sound: "card" };
    }
    case "last":
      return { effects: [{ do: "fly", from: "last", to: `hand-${args["seat"]}` }], sound: "card" };
    case "play": {
      const card = CARDS.indexOf(args["card"]!);
      const flies: Effect = { do: "fly", from: inHand, to: `trick-${did.actor}`, lands: !endsDeal, stays: endsDeal };
      return { effects: [endsDeal && !isKnown ? { ...flies, as: faceUp(card) } : flies], sound: "card" };
    }
    case "higher":
    case "trumped":
    case "unfollowed": {
      const words = t(`goldmine.beats.${event!.kind}`, { card: rank(args["card"]!), beaten: rank(args["beaten"]!) });
      return {
        effects: [
          { do: "change", at: `trick-${1 - did.actor}` }, // the lead
          { do: "glow", at: `trick-${args["seat"]}` },
          { do: "shake", at: `trick-${1 - Number(args["seat"])}` },
          { do: "say", at: "trick", words, tone: Number(args["seat"]) === seat ? "good" : "bad" },
        ],
        length: 1.4,
      };
    }
    case "gold": {
      const from = `gold-${args["place"]}`, value = Number(args["points"]);
      const effects: Effect[] = [{ do: "fly", from, to: `player-${args["seat"]}`, as: "gold", n: value }];
      if (endsDeal) effects.unshift({ do: "fly", from, to: from, as: faceUp(value, true), stays: true });
      else {
        if (before.view.gold[Number(args["place"])]! < 0) effects.unshift({ do: "flip", at: from });
        effects.unshift({ do: "change", at: "row" }, { do: "change", at: "unknown" });
        effects.push(...["player-0", "player-1", "took"].map((at): Effect => ({ do: "change", at, lands: true })));
      }
      return { effects, sound: "coins", length: 1.6 };
    }
    default:
      return null; // what the summary or the result says
  }
};
