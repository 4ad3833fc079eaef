// What is to be seen and heard of a game: stones turn over, gold travels to its owner, tablets fall.
import { CHINA_GOLD, type ChinaGold } from "../../wire";
import { knows, t } from "../../words";
import type { Effect, SceneOf } from "../effects";
import { MOUNTAINS, markers, plan, rivers, type Drawn } from "./map";

const { tablets } = CHINA_GOLD.facts;
const KINDS = /^(empty_)?(mountain|river)$/;

export const sceneOf: SceneOf<ChinaGold, Drawn> = ({ did, event, before, after, seat }) => {
  if (!event) {
    if (did.verb === "throw") {
      const flips: Effect[] = after.drawn.faces.flatMap((face, i) => (face === null ? [] : [{ do: "flip", at: `tablet-${i}` } as const]));
      return { effects: [...flips, { do: "change", at: "sum" }, { do: "glow", at: "sum" }], sound: "card" };
    }
    if (did.action === null) return null;
    const { sites, digs } = plan(before.drawn, did.action);
    return { effects: sites.map((site) => ({ do: "flip", at: `site-${site}` })), sound: digs ? "pick" : "card" };
  }
  const { kind, args } = event;
  if (KINDS.test(kind)) {
    const owner = Number(args["seat"]);
    const name = args["mountain"] ?? args["river"]!;
    const area = (of: number, called: string) => (of === 0 ? MOUNTAINS : rivers(after.view.overlay)).find((one) => one.name === called)?.sites ?? [];
    // What other areas that the same dig finished had taken before it.
    const others = did.events.slice(0, did.events.indexOf(event)).filter((one) => KINDS.test(one.kind));
    const taken = others.flatMap((one) => area(Number(one.args["seat"]), one.args["mountain"] ?? one.args["river"]!));
    const [was, is] = [markers(before.view), markers(after.view)];
    const gone = area(owner, name).filter((site) => was[site] !== "taken" && is[site] === "taken" && !taken.includes(site));
    const at = `area-${owner}-${name}`;
    const points = Number(args["points"] ?? 0);
    const tone = owner === seat ? "good" : "bad";
    const flights: Effect[] = points ? gone.map((site) => ({ do: "fly", from: `site-${site}`, to: `gold-${owner}`, as: "gold" })) : [];
    const words = points ? `+${points}` : t("china_gold.effect.empty");
    const counts = [`gold-${owner}`, `areas-${owner === 0 ? "mountain" : "river"}`].map((at): Effect => ({ do: "change", at, lands: true }));
    return { effects: [{ do: "glow", at }, { do: "say", at, words, ...(seat === null ? {} : { tone }) }, ...flights, ...counts], ...(points ? { sound: "coins" } : {}), length: 1.6 };
  }
  if (kind === "reburied") return { effects: [{ do: "glow", at: `area-0-${args["mountain"]}` }, { do: "glow", at: `area-1-${args["river"]}` }] };
  if (kind === "put_away" || kind === "back") return { effects: [{ do: "flip", at: `tablet-${tablets.findIndex((one) => one === args["tablet"])}` }] };
  if (kind === "stage" || kind === "last_stage") {
    const key = `china_gold.event.${kind}`;
    return { effects: [{ do: "say", at: "throw", words: knows(key) ? t(key, args) : event.words }], sound: "turn", length: 2.5 };
  }
  if (kind === "reburials" || kind === "no_reburials") return { effects: [{ do: "glow", at: `player-${args["seat"]}` }] };
  return null; // "line" and "end" are told
};
