"""What is told of a game as sentences, from `told.en.json` and `told.fr.json` beside its rules.

The pages of the parlour read the same files, by the same rules (web/src/frame/sentences.ts); web/src/words/index.ts
lists the keys. A value is a sentence with {names}
in it or, where a number decides, {"one": …, "other": …}. A game may come without them: then it is told in the words of
its tables.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from motherlode.engine import Refusal
from motherlode.game import Event, Game, Record

LANGUAGES = ("en", "fr")
SEAT_ARGS = ("seat", "other")  # arguments that are seats, told by their players' names
NUMBER_ARGS = ("points", "n")  # and those that are numbers, told without their sign
CHANCE_IS = {"en": "Chance", "fr": "Le hasard"}
VOWELS = tuple("aeiouàâéèêëîïôœ")  # in French: "le tour d'Ada", but "le tour de Bob"
Sentence = str | dict[str, str]
Catalogue = Mapping[str, Sentence]
Drawn = Mapping[str, Any] | None


def path(game: Game, language: str) -> Path:
    """Where a game's sentences are: in its folder, or beside a game that is one file, under its name."""
    rules = Path(str(game.__file__))
    return rules.with_name(f"{'' if rules.stem == 'rules' else rules.stem + '.'}told.{language}.json")


@cache
def read(game: Game, language: str = "en") -> Mapping[str, Sentence]:
    """A game's sentences; in English if they are not translated, none if there are none."""
    for file in (path(game, language), path(game, "en")):
        if file.exists():
            return read_file(file)
    return {}


def read_file(file: Path) -> dict[str, Sentence]:
    """The sentences in a file, each as it must be."""
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise Refusal(f"{file} cannot be read: {error}") from None
    if not isinstance(found, dict):
        raise Refusal(f'{file} holds no sentences: it is written {{"event.KIND": "{{seat}} takes {{n}} gold", …}}')
    for key, sentence in found.items():
        forms = sentence if isinstance(sentence, dict) else {"one": sentence, "other": sentence}
        if set(forms) != {"one", "other"} or not all(isinstance(form, str) for form in forms.values()):
            raise Refusal(f'{file}: {key} is a sentence, or {{"one": …, "other": …}} where a number decides')
    return found


def word(
    known: Catalogue, plain: str, arg: str, first: int = 1, names: Sequence[str] = (), language: str = "en"
) -> str:
    """A word of the game's tables as people say it; an argument may have a word or a way to count of its own, and a
    word may name players by their seats: "{0}'s left card"."""
    if first == 0 and plain.isdigit():
        return plain
    for key in (f"word.{arg}.{plain}", f"word.{plain}"):
        if key in known:
            return fill(known[key], seated(known, names), language)
    counted = known.get(f"number.{arg}")
    return plain if counted is None or not plain.isdigit() else fill(counted, {"n": str(int(plain) + 1)}, "en")


def seated(known: Catalogue, names: Sequence[str]) -> dict[str, str]:
    """Who is where, by seat; a game may have names for seats that nobody takes."""
    nobody = {str(seat): str(known[f"nobody.{seat}"]) for seat in range(len(names), 5) if f"nobody.{seat}" in known}
    return nobody | {str(seat): name for seat, name in enumerate(names)}


def values(
    known: Catalogue,
    args: Mapping[str, str],
    names: Sequence[str],
    *,
    first: int = 1,
    drawn: Drawn = None,
    language: str = "en",
) -> dict[str, str]:
    """Arguments as values of a sentence: a seat is its player, words with commas between them are a list, and a word
    may stand for others in this position (`drawn`)."""
    said, meant = dict[str, str](), (drawn or {}).get("stands_for", {})
    for arg, plain in args.items():
        other = meant.get(arg, {}).get(plain)
        if arg in NUMBER_ARGS:
            value = plain.lstrip("-")
        elif arg in SEAT_ARGS:
            value = names[int(plain)]
        elif other is not None:
            value = listed([word(known, one, "", first, names, language) for one in other.split()], language)
        else:
            value = ", ".join(word(known, one, arg, first, names, language) for one in plain.split(","))
        said[arg.replace(" ", "_")] = value
    return said


def listed(words: list[str], language: str) -> str:
    """ "a and b"."""
    if len(words) < 2:
        return "".join(words)
    last = {"en": " and " if len(words) == 2 else ", and ", "fr": " et "}[language]
    return last.join([", ".join(words[:-1]), words[-1]])


def fill(sentence: Sentence, values: Mapping[str, str], language: str) -> str:
    """A sentence with its names filled in. The plural is decided by {n}, or by {points}."""
    if not isinstance(sentence, str):
        n = abs(int(values.get("n", values.get("points", "0"))))
        sentence = sentence["one" if n == 1 or (n == 0 and language == "fr") else "other"]

    def value(hole: re.Match[str]) -> str:
        said = values.get(hole[2], f"{{{hole[2]}}}")
        is_elided = language == "fr" and said[:1].lower() in VOWELS
        return said if hole[1] is None else f"{hole[1]}'{said}" if is_elided else f"{hole[1]}e {said}"

    return re.sub(r"(?:\b(d|qu)e )?\{(\w+)\}", value, sentence, flags=re.IGNORECASE)


def event(
    game: Game, what: Event, names: Sequence[str], language: str = "en", first: int = 1, room: str = "event"
) -> str:
    """What came of an action: "Ada wins the trick: 5 gold". Beside text, whose places count from 0, `first` is 0."""
    known = read(game, language)
    sentence = known.get(f"{room}.{what.kind}")
    if sentence is None and not what.kind:
        return " ".join(what.args.values())
    said = values(known, what.args, names, first=first, language=language)
    return " ".join([what.kind, *said.values()]) if sentence is None else fill(sentence, said, language)


def described(game: Game, view: Record) -> list[Event]:
    """What a game says of a view where it has the sentences for it, else the lines of its `show`."""
    known, lines = read(game), game.describe(view)
    return lines if all(f"position.{line.kind}" in known for line in lines) else Game.describe(game, view)


def position(game: Game, lines: Sequence[Event], names: Sequence[str], language: str = "en") -> list[str]:
    """What `describe` says of a view, one sentence per fact."""
    said = [event(game, line, names, language, room="position") for line in lines]
    return [sentence[:1].upper() + sentence[1:] for sentence in said]


# The log


class Did(NamedTuple):
    """One action as a seat was told it, from a table's log or from a message of a server."""

    at: int
    actor: int
    is_hidden: bool
    verb: str
    args: Mapping[str, str]
    turned_up: tuple[str, Mapping[str, str]] | None  # its kind and arguments
    words: str
    events: Sequence[Event]


def key_of(known: Catalogue, what: str, verb: str, args: Mapping[str, str]) -> str | None:
    """The key of a kind of action: "did.VERB.ARG" with its last argument, else "did.VERB", if there is one."""
    keys = [f"{what}.{verb}.{list(args)[-1] if args else ''}", f"{what}.{verb}"]
    return next((key for key in keys if key in known), None)


def naming(game: Game, did: Did, language: str = "en") -> tuple[str, str] | None:
    """The sentence of an outcome of chance that only names something, "Dealt: {card}", and the argument it names."""
    known = read(game, language)
    key = key_of(known, "chance", did.verb, did.args)
    if did.actor >= 0 or did.is_hidden or len(did.args) != 1 or did.events or key is None:
        return None
    arg = next(iter(did.args))
    return (key, arg) if f": {{{arg.replace(' ', '_')}}}" in str(known[key]) else None


def runs(game: Game, all_did: Iterable[Did], language: str = "en") -> list[list[Did]]:
    """What happened, with what one sentence tells together: all cards of a deal. A hidden outcome of chance that led to
    nothing is left out."""
    found: list[list[Did]] = []
    for did in all_did:
        if did.actor < 0 and did.is_hidden and not did.events:
            continue
        key = (naming(game, did, language) or ("",))[0]
        if key and found and (naming(game, found[-1][0], language) or ("",))[0] == key:
            found[-1].append(did)
        else:
            found.append([did])
    return found


def tell(game: Game, did: Did, names: Sequence[str], language: str = "en", before: Drawn = None) -> str:
    """One line of the log; `before` is what was drawn before it, where that is known."""
    known, is_chance = read(game, language), did.actor < 0
    who = CHANCE_IS[language] if is_chance else names[did.actor]
    if did.is_hidden:
        sentence = known.get(f"hidden.{did.verb}")
        return f"{who}: {did.words}" if sentence is None else fill(sentence, {"who": who}, language)
    key = key_of(known, "chance" if is_chance else "did", did.verb, did.args)
    if key is None:
        return f"{who}: {did.words}"
    said = values(known, did.args, names, drawn=before, language=language)
    done = fill(known[key], {**said, "who": who}, language)
    # What a seat's action turned up is still to be seen when chance acts after it: it is told once.
    kind, args = did.turned_up if did.turned_up and not is_chance else ("", {})
    shown = fill(known.get(f"shown.{kind}", ""), values(known, args, names, language=language), language)
    return f"{done} ({shown})" if shown else done


def tell_all(
    game: Game, news: Sequence[Did], names: Sequence[str], language: str = "en", before: Drawn = None
) -> list[str]:
    """What happened as lines: every action, or run of outcomes, and every event that came of it. `before` is what was
    drawn before the first."""
    lines: list[str] = []
    for run in runs(game, news, language):
        drawn = before if run[0] is news[0] else None
        found = naming(game, run[0], language)
        if len(run) > 1 and found:
            known = read(game, language)
            arg = found[1].replace(" ", "_")
            each = [values(known, did.args, names, language=language)[arg] for did in run]
            lines.append(fill(known[found[0]], {arg: ", ".join(each)}, language))
        else:
            lines.append(tell(game, run[0], names, language, drawn))
        lines += [event(game, what, names, language) for what in run[0].events]
    return lines


def stop(line: str) -> str:
    """A line as a whole sentence."""
    return line if re.search(r"[.!?…]\s*[”»\"]?$", line) else f"{line}."


# What may be done


def choice(game: Game, action: int, names: Sequence[str], language: str = "en", drawn: Drawn = None) -> str:
    """An action as a choice: "look at gold 3"; else the game's own words."""
    known, args = read(game, language), game.ACTIONS.args(action)
    key = key_of(known, "act", game.ACTIONS.read(action)[0].verb, args)
    if key is None:
        return game.ACTIONS.name(action)
    return fill(known[key], values(known, args, names, drawn=drawn, language=language), language)


def question(game: Game, action: int, names: Sequence[str], language: str = "en") -> str:
    """The question before an action where a slip would be costly, or nothing."""
    known, args = read(game, language), game.ACTIONS.args(action)
    key = key_of(known, "ask", game.ACTIONS.read(action)[0].verb, args)
    return "" if key is None else fill(known[key], values(known, args, names, language=language), language)


def expected(
    game: Game, phase: int, legal: Sequence[int], drawn: Drawn, names: Sequence[str], language: str = "en"
) -> str:
    """What the one to act is to do, and what for: "Win 5 gold: lead a card that is hard to beat."; or nothing.

    It is "phase.PHASE.WHAT" with what the game's `drawn` asks for, else "phase.PHASE.VERB+VERB", else "phase.PHASE".
    """
    known = read(game, language)
    field = next((field for field in game.FIELDS if field.name == "phase"), None)
    start = f"phase.{field.words[phase]}" if field else "phase"
    asks = dict((drawn or {}).get("asks") or {})
    verbs = dict.fromkeys(game.ACTIONS.read(a)[0].verb for a in legal)
    keys = [f"{start}.{asks.pop('what', None)}", f"{start}.{'+'.join(verbs)}", start, "phase"]
    key = next((key for key in keys if key in known), None)
    return fill(known[key], values(known, asks, names, drawn=drawn, language=language), language) if key else ""


# Names


def seat_names(seats: int, players: Sequence[str] = ()) -> list[str]:
    """What players are called in text, where two may have the same name: "seat 0", "seat 0 (greedy)"."""
    return [f"seat {seat} ({players[seat]})" if seat < len(players) else f"seat {seat}" for seat in range(seats)]


def numbered(names: Sequence[str]) -> list[str]:
    """Players of the same name are numbered, as on the pages: "greedy 1", "greedy 2"."""
    return [
        f"{name} {names[: seat + 1].count(name)}" if names.count(name) > 1 else name for seat, name in enumerate(names)
    ]
