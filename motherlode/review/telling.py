"""A review as sentences, in English and French: as plain text, and as what the page of `page.py` says."""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from motherlode import engine, sentences
from motherlode.game import Event, Game
from motherlode.sentences import Sentence

PARTS = ("start", "deal", "chance", "own", "others", "result")
COSTLIEST = 3  # mistakes of a seat that are told


@cache
def words(language: str) -> Mapping[str, Sentence]:
    return sentences.read_file(Path(__file__).with_name(f"words.{language}.json"))


class Teller:
    """Tells a review of a game in a language; actions and events in the sentences of the pages.

    `people` is what the players are called at a table in words. Otherwise a seat is told with its number.
    """

    def __init__(
        self, game: Game, review: dict[str, Any], language: str = "en", people: Sequence[str] | None = None
    ) -> None:
        self.game, self.review, self.language = game, review, language
        called = sentences.numbered(review["players"]) if people is None else people
        seats = [self.say("seat", n=str(seat)) for seat in range(engine.MOST_SEATS)]
        self.people = [*called, *seats[len(called) :]]
        self.names = [
            self.say("name", n=str(seat), player=name) if people is None and seat < len(called) else name
            for seat, name in enumerate(self.people)
        ]

    def say(self, key: str, **values: str) -> str:
        return sentences.fill(words(self.language)[key], values, self.language)

    def share(self, x: float) -> str:
        return f"{100 * x:.0f}\u00a0%" if self.language == "en" else f"{100 * x:.0f}\u202f%"

    def fine(self, x: float) -> str:
        return self.point(f"{100 * x:.1f}") + ("\u00a0%" if self.language == "en" else "\u202f%")

    def point(self, number: str) -> str:
        return number if self.language == "en" else number.replace(".", ",")

    def number(self, x: float, *, signed: bool = True, digits: int = 3) -> str:
        return self.point(f"{x:+.{digits}f}" if signed else f"{x:.{digits}f}")

    def title(self) -> str:
        return self.say("title", game=self.game.TITLE)

    def parts(self, what: str) -> list[list[str]]:
        """A table, its head first: where every seat's result came from, in `wins` or in `points`."""
        digits = 3 if what == "wins" else 2
        head = [self.say(f"parts.{key}") for key in ("seat", *PARTS, "end")]
        rows = []
        for seat in self.review["seats"]:
            cells = seat if what == "wins" else seat["points"]
            end = seat["won"] if what == "wins" else cells["scored"]
            numbers = [self.number(cells[key], signed=key != "start", digits=digits) for key in PARTS]
            rows.append([self.names[seat["seat"]], *numbers, self.number(end, signed=False, digits=digits)])
        return [head, *rows]

    def error(self, seat: dict[str, Any]) -> str:
        """How a seat decided, and the word for it."""
        name, n = self.names[seat["seat"]], seat["decisions"]
        if not n:
            return self.say("seat.none", name=name)
        low, high = (self.fine(x) for x in seat["error_interval"])
        found = self.say("seat.error", name=name, n=str(n), error=self.fine(seat["error"]), low=low, high=high)
        word = seat["rating"]
        rated = self.say("seat.rating", rating=self.say(f"rating.{word}")) if word else self.say("seat.unrated")
        return f"{found}; {rated}"

    def choices(self, one: dict[str, Any]) -> dict[str, str]:
        """What was done, and what would have been best."""
        drawn = {"stands_for": one["stands_for"]}
        choice = partial(sentences.choice, self.game, names=self.people, language=self.language, drawn=drawn)
        return {"words": choice(one["action"]), "best": choice(one["best"])}

    def mistake(self, one: dict[str, Any]) -> str:
        low, high = (self.share(x) for x in one["interval"])
        chances = {key: self.share(one[key]) for key in ("loss", "chance", "best_chance")}
        return self.say("mistake", at=str(one["at"]), low=low, high=high, **self.choices(one), **chances)

    def reasons(self, one: dict[str, Any]) -> list[str]:
        found = [self.say("mistake.remember")] if one["remember"] else []
        return found + [self.reason(one, reason) for reason in one["reasons"]]

    def reason(self, one: dict[str, Any], reason: dict[str, Any]) -> str:
        shares = {"share_best": self.share(reason["best"]), "share": self.share(reason["chosen"])}
        names = self.choices(one)
        if reason["kind"] == "event":
            told = sentences.event(self.game, Event(**reason["event"]), self.people, self.language)
            return self.say("reason.event", event=told, **shares, **names)
        thing = upper(self.thing(reason["thing"]))
        if reason["seen_at"] is None:
            return self.say("reason.found", thing=thing, **shares, **names)
        return self.say("reason.found.seen", thing=thing, seen_at=str(reason["seen_at"]), **shares, **names)

    def thing(self, thing: dict[str, Any]) -> str:
        """What was turned up, as the log tells it; in the words of the tables where a game has no sentence."""
        known = sentences.read(self.game, self.language)
        for key in (f"shown.{thing['kind']}", f"chance.{thing['kind']}"):
            if known.get(key):
                values = sentences.values(known, thing["args"], self.people, language=self.language)
                return sentences.fill(known[key], values, self.language)
        return str(thing["words"])

    def curve(self, seat: dict[str, Any]) -> str:
        """A seat's curve in one sentence, for those who do not see it."""
        points = seat["curve"]
        most, least = (pick(points, key=lambda point: point["known"]) for pick in (max, min))
        shares = {"start": points[0], "end": points[-1], "most": most, "least": least}
        return self.say(
            "curve.text",
            name=self.names[seat["seat"]],
            most_at=str(most["at"]),
            least_at=str(least["at"]),
            **{key: self.share(point["known"]) for key, point in shares.items()},
        )

    def course(self, seat: dict[str, Any]) -> str:
        """Where a seat's result came from, in one sentence."""
        shares = {key: self.share(seat[key]) for key in ("start", "won")}
        changes = {key: self.signed(seat[key]) for key in ("deal", "chance", "own", "others")}
        return self.say("parts.text", name=self.names[seat["seat"]], **shares, **changes)

    def signed(self, x: float) -> str:
        return f"{'−' if x < 0 else '+'}{self.fine(abs(x))}"

    def judge(self) -> str:
        judge = self.review["judge"]
        return self.say("judge", values=judge["values"], search=judge["search"], worlds=str(judge["worlds"]))

    def note(self) -> str:
        return self.say("note")

    def more(self, seat: dict[str, Any]) -> str | None:
        """How many mistakes there are besides those that are told."""
        rest = len(seat["mistakes"]) - COSTLIEST
        return self.say("mistakes.more", n=str(rest)) if rest > 0 else None


def upper(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def plain(game: Game, review: dict[str, Any], language: str = "en") -> str:
    """The whole review as text."""
    teller = Teller(game, review, language)
    lines = [teller.title(), "", teller.say("parts"), teller.say("parts.note")]
    for what in ("wins", "points"):
        lines += ["", f"{teller.say(f'parts.{what}')}:", *grid(teller.parts(what))]
    for seat in review["seats"]:
        lines += ["", teller.error(seat), *decisions(teller, seat, "  ")]
    return "\n".join([*lines, "", teller.note(), teller.judge()])


def spoken(game: Game, review: dict[str, Any], people: Sequence[str]) -> list[str]:
    """The whole review in sentences, one per line, for whoever hears it."""
    teller = Teller(game, review, people=people)
    lines = []
    for seat in review["seats"]:
        lines += [teller.course(seat), teller.error(seat), *decisions(teller, seat)]
    return [sentences.stop(line) for line in [*lines, teller.note()]]


def decisions(teller: Teller, seat: dict[str, Any], indent: str = "") -> list[str]:
    """The costliest mistakes of a seat with their reasons."""
    lines = []
    for one in seat["mistakes"][:COSTLIEST]:
        lines += [indent + teller.mistake(one), *(2 * indent + reason for reason in teller.reasons(one))]
    if not seat["mistakes"] and seat["decisions"]:
        lines.append(indent + teller.say("mistakes.none"))
    more = teller.more(seat)
    return [*lines, indent + more] if more else lines


def grid(rows: Sequence[Sequence[str]]) -> list[str]:
    """A table in columns, the first to the left and the others to the right."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if k == 0 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
