"""A table in words alone, for whoever hears it: one line per action, event and fact, nothing drawn.

What lines say is the same here, at a table of a parlour (`joined_table.py`) and on a page of text in the browser.
"""

import re
from collections.abc import Mapping, Sequence
from typing import IO, Any, NamedTuple

from motherlode import sentences, sheet, text
from motherlode.engine import Refusal
from motherlode.game import HIDDEN, Event, Game, Record
from motherlode.sentences import Did, Drawn

HELP = """\
a number, or a choice or some of its words: do it; if only one thing may be done, Enter is enough
actions: list what you may do; actions WORDS: those with these words
position: the whole position, one fact per line
hint: what a strong player would do, knowing what you know
log: everything you were told so far
rules, or rules 3.2: the rules, or one clause"""
FEW = 12  # choices; more than that are listed only when asked for
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")  # what a line from a server could move the cursor with
MOST_NAMED = 6  # choices that an entry may mean


class Now(NamedTuple):
    """What a seat, or a spectator, knows now."""

    phase: int
    legal: list[int]  # none: somebody else acts
    drawn: Drawn
    lines: Sequence[Event]  # what `describe` says


class Advice(NamedTuple):
    action: int
    win: float | None


class TextTable:
    """Says what happens at a table, and finds what a line typed means."""

    def __init__(self, game: Game, out: IO[str]) -> None:
        self.game, self.out = game, out
        self.names: list[str] = []

    def say(self, *lines: str) -> None:
        for line in lines:
            print(CONTROL.sub("", line), file=self.out, flush=True)

    # What happened, and what may be done

    def tell(self, news: Sequence[Did], before: Drawn) -> None:
        """Say what happened; `before` is what was drawn before it."""
        self.say(*map(sentences.stop, sentences.tell_all(self.game, news, self.names, before=before)))

    def describe(self, now: Now) -> None:
        self.say(*map(sentences.stop, sentences.position(self.game, now.lines, self.names)))

    def ask(self, now: Now) -> None:
        """Say whose turn it is, and what may be done if that is not much."""
        want = sentences.expected(self.game, now.phase, now.legal, now.drawn, self.names)
        self.say(f"Your turn. {want}".rstrip())
        if len(now.legal) <= FEW:
            self.list_choices(now)
        else:
            self.say(f"{len(now.legal)} choices: actions lists them, or write some words of one.")

    def choices(self, now: Now) -> list[str]:
        return [sentences.choice(self.game, a, self.names, drawn=now.drawn) for a in now.legal]

    def list_choices(self, now: Now, some: str = "") -> None:
        """List what may be done, or what has these words; each keeps its number."""
        said = self.choices(now)
        found = matching(said, some)
        self.say(*(f"{n + 1}: {said[n]}" for n in found))
        if not found:
            self.say(f"no choice has the words {some}" if now.legal else "It is not your turn.")

    def find(self, line: str, now: Now) -> int:
        """The action that a line means: a number of the list, a choice or some words of it, or an action's own name."""
        said = self.choices(now)
        if line.isascii() and line.isdigit():
            if 1 <= int(line[:9]) <= len(said):
                return now.legal[int(line[:9]) - 1]
            raise Refusal(f"there is no choice {line[:9]}: their numbers are 1 to {len(said)}")
        found = matching(said, line)
        exact = [n for n in found if len(words_of(said[n])) == len(words_of(line))]
        if len(exact or found) == 1:
            return now.legal[(exact or found)[0]]
        named = next((a for a in self.game.ACTIONS if self.game.ACTIONS.name(a).lower() == line.lower()), None)
        if named is not None and (named in now.legal or not found):
            return named
        if not found:
            raise Refusal(f"{line[:80]!r} is none of your choices: actions lists them, ? helps")
        some = "; ".join(said[n] for n in found[:MOST_NAMED]) + ("; …" if len(found) > MOST_NAMED else "")
        raise Refusal(f"{line[:80]!r} could be any of {len(found)}: {some}")

    # What is asked besides

    def advise(self, advice: Sequence[Advice], now: Now) -> None:
        """Say what a strong player would do, best first."""
        best, *others = ((sentences.choice(self.game, a, self.names, drawn=now.drawn), win) for a, win in advice)
        if not others:
            self.say(f"There is only one thing to do: {best[0]}.")
            return
        wins = "" if best[1] is None else f", which wins about {best[1]:.0%} of games from here"
        self.say(f"I would {best[0]}{wins}.")
        for said, win in others:
            self.say(f"Next best: {said}{'' if win is None else f', about {win:.0%}'}.")

    def rules(self, number: str) -> None:
        self.say(sheet.clause(self.game, number) if number else sheet.read(self.game).rstrip())

    # The end

    def show_result(self, points: Sequence[int], winners: Sequence[int], log: Sequence[Did]) -> None:
        """Say who has won, and line by line where the points come from."""
        won = " and ".join(self.names[seat] for seat in winners)
        self.say("The game is over.", f"{won} {'share the win' if len(winners) > 1 else 'wins'}.")
        for seat, name in enumerate(self.names):
            self.say(f"{name}: {points[seat]} {'point' if abs(points[seat]) == 1 else 'points'}.")
            for gained, line in score_sheet(self.game, log, self.names, seat):
                sign = "+" if gained > 0 else "−" if gained < 0 else ""
                self.say(f"{sign}{abs(gained)}: {sentences.stop(line)}")


def score_sheet(game: Game, log: Sequence[Did], names: Sequence[str], seat: int) -> list[tuple[int, str]]:
    """How every point of a seat arose. Where `points` only tell how the score goes up and down, events with a `worth`
    say what counts in the end."""
    events = [event for did in log for event in did.events]
    what = "worth" if any("worth" in event.args for event in events) else "points"
    return [
        (int(event.args.get(what, 0)), sentences.event(game, event, names))
        for event in events
        if event.args.get("seat") == str(seat) and (int(event.args.get(what, 0)) or "worth" in event.args)
    ]


def words_of(line: str) -> list[str]:
    """What is compared of a line: its words and numbers, and the signs before these."""
    return re.findall(r"[+−-]?\w+", line.lower())


def matching(choices: Sequence[str], typed: str) -> list[int]:
    """The numbers of the choices that have these words: side by side or, if none has, at least in this order."""
    words, others = words_of(typed), [words_of(choice) for choice in choices]
    close = [n for n, other in enumerate(others) if side_by_side(words, other)]
    return close or [n for n, other in enumerate(others) if in_order(words, other)]


def side_by_side(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether these words stand side by side among the others."""
    return any(others[at : at + len(words)] == words for at in range(len(others) - len(words) + 1))


def in_order(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether these words are among the others, in the same order."""
    rest = iter(others)
    return all(word in rest for word in words)


# A position and a log, as data


def now_of(game: Game, view: Record, legal: list[int]) -> Now:
    return Now(int(getattr(view, "phase", 0)), legal, game.drawn(view), sentences.described(game, view))


def did_of(at: int, actor: int, told: int, line: text.Line) -> Did:
    """An entry of a log of our own."""
    turned_up = (line.turned_up.kind, line.turned_up.args) if line.turned_up else None
    return Did(at, actor, told == HIDDEN, line.verb, line.args, turned_up, line.words, line.events)


def did_of_wire(did: Mapping[str, Any]) -> Did:
    """An entry of a log that a server sent."""
    turned_up = (did["turned_up"]["kind"], did["turned_up"]["args"]) if did["turned_up"] else None
    events = [Event(event["kind"], event["args"]) for event in did["events"]]
    is_hidden = did["action"] is None
    return Did(did["at"], did["actor"], is_hidden, did["verb"], did["args"], turned_up, did["words"], events)
