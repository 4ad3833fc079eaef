// What is to be seen and heard when something happens at Blue Creek. Spots: creek, pile, place:PLACE (a card of the
// creek), slot:SLOT (an equipment card), player:SEAT (a camp) and gold:SEAT (its gold).
import { BLUE_CREEK, type BlueCreek, type Did, type Event } from "../../wire";
import { t } from "../../words";
import type { Effect, Happening, Scene, SceneOf } from "../effects";
import { members } from "../tables";
import { FIRST_FLIP, FLIP } from "./Doubt.svelte";
import type { Drawn } from "./drawn";

type Happened = Happening<BlueCreek, Drawn>;

const { facts, words } = BLUE_CREEK;
const say = (key: string, values = {}) => t(`blue_creek.${key}`, values);
const sum = (numbers: readonly number[]) => numbers.reduce((all, n) => all + n, 0);

export const sceneOf: SceneOf<BlueCreek, Drawn> = (happening) =>
  happening.event ? afterwards(happening, happening.event) : acted(happening, happening.did);

function acted({ before, after }: Happened, { verb, actor, args }: Did): Scene | null | undefined {
  if (actor < 0) return null;
  const place = `place:${args["place"]}`, slot = `slot:${args["slot"]}`;
  if (verb === "turn") {
    const isGold = members(after.view.open).includes(Number(args["place"])) || sum(after.view.held) > sum(before.view.held);
    if (isGold) return { effects: [{ do: "flip", at: place }], sound: "pick" };
    return { effects: [{ do: "flip", at: place }, { do: "say", at: place, words: say("glimpse") }], sound: "splash", length: 1.6 };
  }
  if (verb === "try") return { effects: [{ do: "glow", at: place }], sound: "pick" };
  if (verb === "reveal") return { effects: [{ do: "flip", at: slot }], sound: "card", length: 0.8 };
  if (verb === "swap") {
    const own = `slot:${facts.slots[actor]![args["own side"] === "left" ? 0 : 1]}`;
    return { effects: [{ do: "fly", from: own, to: slot }, { do: "fly", from: slot, to: own }], sound: "card", length: 1.4 };
  }
  if (verb === "doubt") {
    const cry: Effect = { do: "say", at: `player:${actor}`, words: say("cry") };
    return { effects: [cry], sound: "card", length: FIRST_FLIP + FLIP * (1 + members(before.view.concealed).length) };
  }
  if (verb === "rob") return { effects: [{ do: "shake", at: `player:${args["seat"]}` }, { do: "say", at: `player:${args["seat"]}`, words: say("robs"), tone: "bad" }], sound: "pick" };
  return null; // laying a tool, swapping no more and giving gold are told by the board and by what comes of them
}

function afterwards({ before, after, did }: Happened, { kind, args }: Event): Scene | null | undefined {
  const seat = `player:${args["seat"]}`, n = Math.abs(Number(args["points"]));
  const gains = (from: string): Effect[] => [
    { do: "fly", from, to: `gold:${args["seat"]}`, as: "gold", n },
    { do: "change", at: `gold:${args["seat"]}`, lands: true },
    { do: "say", at: seat, words: say("more", { n }), tone: "good" },
  ];
  if (kind === "won") {
    const place = `place:${did.args["place"] ?? before.drawn.search}`;
    const isRefilled = after.view.pile < before.view.pile;
    const refill: Effect[] = isRefilled ? [{ do: "fly", from: "pile", to: place, lands: true }, { do: "change", at: "left" }] : [];
    return { effects: [{ do: "change", at: place }, { do: "fly", from: place, to: seat }, ...refill, ...gains(place)], sound: "coins", length: 2 };
  }
  if (kind === "whiskey" || kind === "wrong") {
    const at = `slot:${did.args["slot"]}`;
    const wanted = missing(before).map((card) => say(`word.${words.card[card]}`));
    const what = say(`word.${kind === "whiskey" ? kind : args["tool"]}`);
    return { effects: [{ do: "shake", at }, { do: "say", at, words: say("instead", { wanted: wanted.join(", "), what }), tone: "bad" }], sound: kind === "whiskey" ? "splash" : "pick", length: 2.5 };
  }
  if (kind === "swapping") return { effects: [{ do: "glow", at: seat }] };
  if (kind === "right" || kind === "mistaken") return { effects: [{ do: "glow", at: seat }], sound: kind === "right" ? "pick" : "splash", length: 1.5 };
  if (kind === "dealt") return { effects: gains("creek"), sound: "coins", length: 1.4 };
  if (kind === "gained" || kind === "revealed") return { effects: gains(`gold:${args["other"]}`), sound: "coins", length: 1.8 };
  if (kind === "lost") return { effects: [{ do: "change", at: `gold:${args["seat"]}` }, { do: "say", at: seat, words: say("less", { n }), tone: "bad" }] };
  if (kind === "renewed") return { effects: [{ do: "fly", from: "pile", to: "creek" }, { do: "change", at: "left" }], sound: "card" };
  return undefined;
}

/** What the search was still for. */
function missing({ view, drawn }: Happened["before"]): number[] {
  const gold = drawn.search === null ? undefined : facts.gold[view.river[drawn.search]!];
  return [...new Set((gold?.needs ?? []).filter((_, i) => !drawn.found[drawn.search!]![i]))];
}
