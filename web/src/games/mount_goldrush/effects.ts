// What is to be seen and heard when cards are turned. The board turns them over by itself.
import { values } from "../../frame/sentences";
import type { MountGoldrush } from "../../wire";
import { t } from "../../words";
import type { Effect, SceneOf } from "../effects";
import { verdict, type Drawn } from "./turn";

const CHANCE = -1;
const LONG = 2.4; // everybody is to see what is turned back, or leaves

export const sceneOf: SceneOf<MountGoldrush, Drawn> = ({ did, event, before, after, seat, names }) => {
  if (!event) {
    if (did.actor < 0 && before.view.turn !== CHANCE) return null; // the card is seen with the action that turned it
    const place = did.actor < 0 ? after.drawn.turned.at(-1)?.place : did.args["place"];
    return { effects: [{ do: "glow", at: `place-${place}` }], sound: "card", length: did.actor === seat ? 0.7 : 1 };
  }
  const { kind, args } = event;
  const cards = after.drawn.turned;
  const at = (i: number) => `place-${cards[i]?.place}`;
  const both = (what: "glow" | "shake" | "bang"): Effect[] => cards.map((_, i) => ({ do: what, at: at(i) }));
  const say = (tone?: "good" | "bad"): Effect => {
    const came = verdict(event);
    const words = t(`mount_goldrush.${came.key}`, values("mount_goldrush", came.args, names));
    return { do: "say", at: cards.length ? `above-${cards.at(-1)!.place}` : "table", words, ...(tone && { tone }) };
  };
  switch (kind) {
    case "found":
    case "nobodys":
    case "taken": {
      const gold = cards.find((one) => one.fate === "got")?.place;
      const isMine = Number(args["seat"]) === seat;
      const flight: Effect = { do: "fly", from: gold === undefined ? "table" : `place-${gold}`, to: `player-${args["seat"]}`, as: "gold", n: Number(args["points"]) };
      return { effects: [...both("glow"), flight, say(seat === null ? undefined : isMine ? "good" : "bad")], sound: "coins", length: LONG };
    }
    case "duel": {
      const weaker = cards.findIndex((one) => one.fate === "left");
      return { effects: [{ do: "shake", at: at(weaker) }, { do: "glow", at: at(1 - weaker) }, say()], sound: "pick", length: LONG };
    }
    case "dynamite":
    case "dynamites":
      return { effects: [...both("bang"), say("bad")], sound: "dynamite", length: LONG };
    case "equal":
    case "golds":
    case "weak":
      return { effects: [...both("shake"), say()], length: LONG };
    case "gone":
      return { effects: [...both("shake"), say()], length: 1.2 };
    case "rush":
    case "quiet":
      return { effects: [{ do: "glow", at: "table" }, { do: "say", at: "table", words: t("mount_goldrush.rush") }], sound: "turn", length: LONG };
    default:
      return null; // the summary and the result say it
  }
};
