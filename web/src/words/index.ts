// Every word the parlour says. Components hold no text: they say t("goldmine.trick", { n: 3 }).
//
// Each room (lobby, table, each game) has a pair of files here, ROOM.en.json and ROOM.fr.json, with the same keys. A key is
// asked for as "room.key". A value is a sentence with {names} in it, or, where a number decides, {"one": …, "other": …},
// chosen by {n}. A game's file also holds, for what every game has:
//   "did.VERB"    a seat's action in the log, with {who} and each argument by its name: "{who} looks at place {place}"
//   "chance.VERB" the same of chance's outcomes; an outcome without a sentence is told in the engine's own words
//   "hidden.VERB" an action or outcome one may not know, by the first of the engine's words: "{who} discards a card"
//   "word.WORD"   a value of the game's tables in words: "word.H7": "the 7 of hearts"; without it the table's own word;
//                 "word.ARG.WORD" comes first where it is an argument of an action; an argument `seat` is its player's name
//   "ask.VERB"    the question put before such an action is sent, where a slip would be costly: "Call Gold Rush?"
//   "act.VERB"    the same as a choice: "look at place {place}"; for this and "did", "VERB.ARG" with the last argument's name
//                 comes first where kinds share a verb; the spaces in an argument's name are written _
//   "phase.PHASE" what is expected of the one to act: "Look at a gold card or exchange a card."; where what is legal matters,
//                 "phase.PHASE.VERB+VERB" with the verbs of the legal actions in ascending order comes first
export { language, languages, speak, t, knows, type Language } from "./speak.svelte";
