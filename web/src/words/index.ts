// Every word the pages say. Components hold no text: they say t("goldmine.trick", { n: 3 }).
//
// The lobby, the table and what friends do have a pair of files each here, ROOM.en.json and ROOM.fr.json. A game has words.en.json and
// words.fr.json in its own folder, games/NAME, and what is told of it, in Python too, in told.en.json and told.fr.json
// beside its rules. Both languages have the same keys. A key is asked for as "room.key". A value is a sentence with
// {names} in it or, where a number decides, {"one": …, "other": …}, chosen by {n} or {points}.
//
// These keys of a game are used by the pages themselves (games that come without words are told in their own):
//   "title", "kind", "minutes", "about", "credit"   the game in the lobby
//   "for"         whom it is for; "start": why to begin with this game, of one game only
//   "option.NAME", "option.NAME.VALUE"               an option of a new table, and its values
//   "openMemory"  what open memory shows in this game, where "lobby.openMemory" would not say it well
//   "tie"         the clause that says what a tie leads to; "tie.NAME.VALUE" is for one value of an option
//   "summary.KIND" the title of the summary that is shown when this event ends a deal or round: "Deal {n}"
//   "sheet.KIND"  this event on the score sheet, where it stands below its player's name and can be shorter than in the log
//   "why.CLAUSE"  in one plain sentence why something cannot be done now, where that clause forbids it
//
// and these are in told.en.json and told.fr.json:
//   "did.VERB"    a seat's action in the log, with {who}: "{who} looks at gold {place}"
//   "chance.VERB" an outcome of chance in the log
//   "hidden.VERB" an action or outcome whose arguments this seat may not know: "{who} throws away a card"
//   "shown.KIND"  what an action turned up, in brackets after it: "it is the {card}"; "" where an event tells it
//   "event.KIND"  what came of an action: "{seat} wins the trick: {points} gold"; {points} has no sign
//   "phase.PHASE" what the one to act is to do, and what for: "Win the gold in the middle: lead a card."; where it
//                 depends on what is legal, "phase.PHASE.VERB+VERB", with the verbs of the legal actions in ascending
//                 order, comes first, and before that "phase.PHASE.WHAT", where the game's `drawn` has
//                 { asks: { what: "WHAT", … } }, with the other things in there as arguments
//   "aim"         what the game is about, in one short sentence: shown while others act
//   "act.VERB"    an action as a choice, with its arguments by name: "look at gold {place}"
//   "ask.VERB"    the question before an action where a slip would be costly: "Doubt that there is any gold?"
//   "position.KIND" a fact of a position, for whoever hears it, from the game's `describe`; an argument may be several words
//                 with commas between them
//   "word.WORD"   a word of the game's tables: "word.H7": "the 7 of hearts"; "word.ARG.WORD" is for one argument only;
//                 {0}, {1} … are the players by seat, or "nobody.SEAT" where nobody sits
//   "number.ARG"  how an argument is shown whose words are numbers from 0, where {n} counts from 1
//
// A lesson's words are in lesson.en.json and lesson.fr.json beside the rules, as "lesson.KEY", those of the rulebook in
// book.en.json and book.fr.json beside the board, as "book.KEY"; both are loaded when they are needed (`bring`).
//
// Where kinds of action share a verb, "act", "ask" and "did" also take the name of the last argument: "did.dig.right".
// Spaces in the name of an argument are written _. Arguments `seat` and `other` are the names of players. A game's
// `drawn` may say what a word stands for in a position: { stands_for: { which: { first: "sieve2" } } }; several words
// have a space between them.
export { bring, language, languages, speak, t, knows, type Language } from "./speak.svelte";
