"""What is told of a game as sentences, from `told.en.json` and `told.fr.json` beside its rules.

The pages of the parlour read the same files; web/src/words/index.ts lists the keys. A value is a sentence with {names}
in it or, where a number decides, {"one": …, "other": …}. A game may come without them: then it is told in the words of
its tables.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from motherlode.engine import Refusal
from motherlode.game import Event, Game

LANGUAGES = ("en", "fr")
SEAT_ARGS = ("seat", "other")  # arguments that are seats, told by their players' names
VOWELS = tuple("aeiouàâéèêëîïôœ")  # in French: "le tour d'Ada", but "le tour de Bob"
Sentence = str | dict[str, str]


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


def word(known: Mapping[str, Sentence], plain: str, arg: str, first: int = 1) -> str:
    """A word of the game's tables as people say it; an argument may have a word or a way to count of its own."""
    if first == 0 and plain.isdigit():
        return plain
    for key in (f"word.{arg}.{plain}", f"word.{plain}"):
        if key in known:
            return str(known[key])
    counted = known.get(f"number.{arg}")
    return plain if counted is None or not plain.isdigit() else fill(counted, {"n": str(int(plain) + 1)}, "en")


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


def event(game: Game, what: Event, names: Sequence[str], language: str = "en", first: int = 1) -> str:
    """What came of an action: "Ada wins the trick: 5 gold". Beside text, whose places count from 0, `first` is 0."""
    known, values = read(game, language), dict[str, str]()
    for arg, plain in what.args.items():
        if arg in SEAT_ARGS:
            said = names[int(plain)]
        elif arg in ("points", "n"):
            said = plain.lstrip("-")
        else:
            said = word(known, plain, arg, first)
        values[arg.replace(" ", "_")] = said
    sentence = known.get(f"event.{what.kind}")
    return " ".join([what.kind, *values.values()]) if sentence is None else fill(sentence, values, language)


def seat_names(seats: int, players: Sequence[str] = ()) -> list[str]:
    """What players are called in text, where two may have the same name: "seat 0", "seat 0 (greedy)"."""
    return [f"seat {seat} ({players[seat]})" if seat < len(players) else f"seat {seat}" for seat in range(seats)]
