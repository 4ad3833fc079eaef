"""Shuffles that can be checked, and the hash chain of a log.

Before a table starts it shows `commit(secret)`. What chance decides follows from the secret alone, so everybody who is
shown the secret afterwards can check every outcome. There are two ways, and a record says which is its own: by decks,
each shuffled as `order` says (`shuffles.py`), or, at tables of version 0.1 and in games without a `source`, from the
place of each outcome in the log (`outcome`). The chain covers the facts of the table and every action: a change to
one of them changes all later links.
"""

import hashlib
import hmac
import json
from functools import partial
from typing import Any, NamedTuple, Self

from motherlode import engine, text
from motherlode.engine import Refusal
from motherlode.game import CHANCE, Game, Record
from motherlode.shuffles import Chance, Shuffles, shuffle

SECRET_BYTES = 32
RANGE = 1 << 64


def commit(secret: bytes) -> str:
    return hashlib.sha256(secret).hexdigest()


def number(secret: bytes, what: str | int, below: int) -> int:
    """A number from 0 to below-1, all equally likely: by rejection, from 64 bits of HMAC-SHA256 at a time."""
    n = 0
    while True:
        digest = hmac.digest(secret, f"{what} {n}".encode(), "sha256")
        x = int.from_bytes(digest[:8], "big")
        if x < RANGE - RANGE % below:
            return x % below
        n += 1


def odds(game: Game, s: Record) -> dict[int, int]:
    """The possible outcomes in ascending order, with their odds."""
    return {a: int(game.odds(s, a)) for a in engine.legal(game, s)}


def outcome(game: Game, s: Record, secret: bytes, at: int) -> int:
    """What chance decides at this place of the log."""
    weights = odds(game, s)
    k = number(secret, at, sum(weights.values()))
    for a, weight in weights.items():
        k -= weight
        if k < 0:
            return a
    raise AssertionError("k is below the sum of the odds")


def order(secret: bytes, deck: int, n: int) -> list[int]:
    """The shuffle of a deck that follows from a secret."""
    return shuffle(n, lambda step, below: number(secret, f"deck {deck} step {step}", below))


class Places:
    """Outcomes by their place in the log."""

    def __init__(self, game: Game, secret: bytes) -> None:
        self.game, self.secret = game, secret

    def outcome(self, s: Record, at: int) -> int:
        return outcome(self.game, s, self.secret, at)

    def fix(self, s: Record, a: int) -> None:
        """No place depends on another."""

    def copy(self) -> Self:
        return self

    def restart(self) -> None:
        """No place depends on another."""


def way(game: Game) -> text.Drawn:
    """How chance is drawn at new tables: `DECKS`, or nothing, by place in the log."""
    return "" if game.source is None else text.DECKS


def chance(game: Game, secret: bytes, drawn: text.Drawn) -> Chance:
    """What decides at a table with this secret."""
    return Shuffles(game, partial(order, secret)) if drawn == text.DECKS else Places(game, secret)


def first_link(
    game: Game, rules: int, seats: int, options: dict[str, Any], commitment: str, given: int, drawn: text.Drawn
) -> bytes:
    """The link before the log: of the facts of a table under this version of the rules, with that version's options."""
    facts = [game.NAME, rules, seats, options, commitment, given, *([drawn] if drawn else [])]
    return hashlib.sha256(json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()).digest()


def next_link(link: bytes, at: int, actor: int, action: int) -> bytes:
    return hashlib.sha256(link + f"{at} {actor} {action}".encode()).digest()


def chain(played: text.Played) -> bytes:
    """The last link of a record's log."""
    rules = played.game.RULES if played.rules is None else played.rules
    link = first_link(
        played.game, rules, played.seats, played.own_options(), played.commitment, played.given, played.drawn
    )
    s = played.start()
    for at, a in enumerate(played.actions):
        link = next_link(link, at, s.turn, a)
        played.game.apply(s, a)
    return link


class Verdict(NamedTuple):
    """Which parts of a record are genuine; None where the record has nothing to check."""

    commitment: bool | None
    chance: bool | None
    chain: bool | None
    words: str

    @property
    def is_good(self) -> bool:
        """Whether nothing is wrong, as far as there was something to check."""
        return False not in self[:3]

    @property
    def was_checked(self) -> bool:
        return any(part is not None for part in self[:3])


def read_secret(written: str) -> bytes:
    try:
        secret = bytes.fromhex(written)
    except ValueError:
        secret = b""
    if len(secret) != SECRET_BYTES:
        raise Refusal(f"a secret is {SECRET_BYTES} bytes in hex, not {written[:80]!r}")
    return secret


def verify(played: text.Played) -> Verdict:
    """Check a record's commitment, every outcome of chance that is the table's own, and its chain."""
    findings = []
    committed = fair = chained = None
    if played.secret:
        secret = read_secret(played.secret)
        committed = commit(secret) == played.commitment
        findings.append("the secret is the one committed to" if committed else "the secret is not the one committed to")
        wrong = wrong_outcome(played, secret)
        fair = wrong is None
        way_drawn = "from shuffled decks" if played.drawn == text.DECKS else "by place in the log"
        after = f" after the first {played.given} actions, which were given," if played.given else ""
        findings.append(
            f"every outcome{after} follows from it, drawn {way_drawn}"
            if fair
            else f"the outcome at {wrong}, drawn {way_drawn}, does not follow from it"
        )
    else:
        findings.append("the record has no secret: its shuffles cannot be checked")
    if played.chain:
        chained = chain(played).hex() == played.chain
        findings.append("the log is as it was" if chained else "the log was changed after it was written")
    else:
        findings.append("it has no chain")
    return Verdict(committed, fair, chained, "; ".join(findings))


def wrong_outcome(played: text.Played, secret: bytes) -> int | None:
    """The place of the first outcome that the secret does not give."""
    s, decides = played.start(), chance(played.game, secret, played.drawn)
    for at, a in enumerate(played.actions):
        if s.turn == CHANCE:
            if at >= played.given and decides.outcome(s, at) != a:
                return at
            decides.fix(s, a)
        played.game.apply(s, a)
    return None
