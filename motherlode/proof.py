"""Shuffles that can be checked, and the hash chain of a log.

Before a table starts it shows `commit(secret)`. What chance decides at a place of the log is a function of the secret
and that place alone (`outcome`), so everybody who is shown the secret afterwards can check every outcome. The chain
covers the facts of the table and every action: a change to one of them changes all later links.
"""

import hashlib
import hmac
import json
from typing import Any, NamedTuple

from motherlode import engine, text
from motherlode.engine import Refusal
from motherlode.game import CHANCE, Game, Record

SECRET_BYTES = 32
RANGE = 1 << 64


def commit(secret: bytes) -> str:
    return hashlib.sha256(secret).hexdigest()


def number(secret: bytes, at: int, below: int) -> int:
    """A number from 0 to below-1, all equally likely: by rejection, from 64 bits of HMAC-SHA256 at a time."""
    n = 0
    while True:
        digest = hmac.digest(secret, f"{at} {n}".encode(), "sha256")
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


def first_link(game: Game, rules: int, seats: int, options: dict[str, Any], commitment: str, given: int) -> bytes:
    """The link before the log: of the facts of a table under this version of the rules, with that version's options."""
    facts = [game.NAME, rules, seats, options, commitment, given]
    return hashlib.sha256(json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()).digest()


def next_link(link: bytes, at: int, actor: int, action: int) -> bytes:
    return hashlib.sha256(link + f"{at} {actor} {action}".encode()).digest()


def chain(played: text.Played) -> bytes:
    """The last link of a record's log."""
    rules = played.game.RULES if played.rules is None else played.rules
    link = first_link(played.game, rules, played.seats, played.own_options(), played.commitment, played.given)
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
        findings.append("every outcome follows from it" if fair else f"the outcome at {wrong} does not follow from it")
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
    s = played.start()
    for at, a in enumerate(played.actions):
        if s.turn == CHANCE and at >= played.given and outcome(played.game, s, secret, at) != a:
            return at
        played.game.apply(s, a)
    return None
