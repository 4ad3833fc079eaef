// What is seen and heard of Gold Hunting: a piece comes up, the gold of a right call goes to the stack, a stack that
// breaks down goes to the box.
import type { GoldHunting } from "../../wire";
import { t } from "../../words";
import type { SceneOf } from "../effects";
import type { Drawn } from "./pieces";

export const sceneOf: SceneOf<GoldHunting, Drawn> = ({ did, event, after, seat }) => {
  const args = event ? event.args : did.args;
  const who = args["seat"], points = Math.abs(Number(args["points"] ?? 0)), size = args["size"] ?? did.turned_up?.args["size"] ?? "";
  const said = (words: string) => t(`gold_hunting.said.${words}`, { size, points });
  const tone = Number(who ?? did.actor) === seat ? ("good" as const) : undefined;
  const ofOther = `${1 - did.actor}-${["0", "1", "2", "3"].indexOf(did.args["pile"] ?? "")}`;
  switch (event ? event.kind : did.verb) {
    case "mine":
    case "rush":
      if (event) return { effects: [{ do: "flip", at: `marker-${who}` }, { do: "say", at: `marker-${who}`, words: said("rush"), ...(tone && { tone }) }], sound: "coins", length: 1.4 };
      if (seat !== null && after.drawn.screens[seat]) return { effects: [], sound: "pick" }; // one's own range was knocked over: one builds where the piece would come up
      return { effects: [{ do: "glow", at: `pile-${ofOther}` }, { do: "fly", from: `top-${ofOther}`, to: "lifted", lands: true }], sound: "pick" };
    case "failed":
      return { effects: [{ do: "flip", at: `marker-${who}` }, { do: "say", at: `marker-${who}`, words: said("failed"), tone: "bad" }], sound: "card" };
    case "right":
      return {
        effects: [{ do: "fly", from: "lifted", to: `stack-${who}`, as: "gold", n: points }, { do: "say", at: `pile-${ofOther}`, words: said("right"), ...(tone && { tone }) }],
        sound: "coins",
        length: 1.4,
      };
    case "wrong":
      return { effects: [{ do: "say", at: `pile-${ofOther}`, words: said("wrong"), ...(tone && { tone: "bad" as const }) }, { do: "glow", at: "box" }], sound: "card", length: 1.2 };
    case "breakdown":
      return {
        effects: [
          { do: "fly", from: `stack-${who}`, to: "box" },
          { do: "shake", at: `holdings-${who}` },
          { do: "bang", at: `stack-${who}` },
          { do: "say", at: `stack-${who}`, words: said("breakdown"), tone: "bad" },
        ],
        sound: "dynamite",
        length: 1.6,
      };
    case "taken":
      return { effects: [{ do: "fly", from: "lifted", to: `stack-${who}`, as: "gold", n: points }], sound: "coins" };
    case "left":
      return { effects: [{ do: "glow", at: "box" }], sound: "card" };
    case "gone":
      return { effects: [{ do: "shake", at: `pile-${ofOther}` }] };
    case "kept":
      return { effects: [{ do: "fly", from: `stack-${who}`, to: `kept-${who}` }, { do: "say", at: `kept-${who}`, words: said("kept") }], sound: "coins", length: 1.2 };
    case "fallen":
      return { effects: [{ do: "shake", at: `range-${who}` }, { do: "say", at: `range-${who}`, words: said("fallen"), tone: "bad" }], sound: "dynamite", length: 1.4 };
    case "screen":
      return { effects: [{ do: "flip", at: "range-0" }, { do: "flip", at: "range-1" }], sound: "card" };
    case "built":
      return undefined;
    default:
      return null; // building, markers, and what the result says
  }
};
