"""Shuffles that can be checked, and the chain of a log.

A table is *sealed* before chance decides anything. The server commits to a secret, and every seat that takes part to
bytes of its own: each shows a hash. When all hashes are known, the seats open their bytes, and what chance decides
follows from the secret and those bytes together (`joint_secret`). So nobody, the server included, could choose it. The
server opens its secret when the game is over, and then everybody can check every outcome. There are two ways of drawing
outcomes, and a record says which is its own: by decks, each shuffled as `order` says (`shuffles.py`), or, at tables of
version 0.1 and in games without a `source`, from the place of each outcome in the log (`outcome`).

The chain covers the facts of the table, its seals and every action: a change to one of them changes all later links.
Links are made under a key that follows from the server's secret, so that a link says nothing about a hidden action
before the game is over. Tables of version 0.1 had no shares, and plain hashes as links.
"""

import hashlib
import hmac
import json
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple, Self

from motherlode import engine, text
from motherlode.engine import Refusal
from motherlode.game import CHANCE, Game, Record
from motherlode.shuffles import Chance, Shuffles, shuffle

SECRET_BYTES = 32
MARK_BYTES = 16
RANGE = 1 << 64


@lru_cache(maxsize=8192)
def keyed(key: bytes) -> hmac.HMAC:
    return hmac.new(key, digestmod="sha256")


def mac(key: bytes, data: bytes) -> bytes:
    """HMAC-SHA256. Unlike `hmac.digest` it does not let go of the interpreter's lock, for which a server would wait."""
    made = keyed(key).copy()
    made.update(data)
    return made.digest()


def commit(secret: bytes) -> str:
    return hashlib.sha256(secret).hexdigest()


def number(secret: bytes, what: str | int, below: int) -> int:
    """A number from 0 to below-1, all equally likely: by rejection, from 64 bits of HMAC-SHA256 at a time."""
    n = 0
    while True:
        digest = mac(secret, f"{what} {n}".encode())
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


def joint_secret(seal: text.Seal) -> bytes:
    """What chance draws from: the server's secret with what the seats added, or, in version 0.1, the secret alone."""
    secret = read_secret(seal.secret)
    return mac(secret, seal.write_shares().encode()) if seal.shares else secret


def chain_key(secret: bytes) -> bytes:
    """The key of a table's links, from the secret of its first seal."""
    return mac(secret, b"chain")


def make_link(key: bytes | None, before: bytes, what: str) -> bytes:
    data = before + what.encode()
    return mac(key, data) if key else hashlib.sha256(data).digest()


def facts(
    game: Game, rules: int, seats: int, options: dict[str, Any], commitment: str, given: int, drawn: text.Drawn
) -> str:
    """The facts of a table under this version of the rules, with that version's options: what the first link is of."""
    listed = [game.NAME, rules, seats, options, commitment, given, *([drawn] if drawn else [])]
    return json.dumps(listed, sort_keys=True, separators=(",", ":"))


def seal_link(key: bytes | None, link: bytes, seal: text.Seal) -> bytes:
    """The link that a seal adds before the first action that is drawn from it; in version 0.1 it adds none."""
    if not seal.shares:
        return link
    return make_link(key, link, f"seal {seal.place} {seal.commitment} {seal.write_shares()}")


def next_link(key: bytes | None, link: bytes, at: int, actor: int, action: int) -> bytes:
    return make_link(key, link, f"{at} {actor} {action}")


@lru_cache(maxsize=64)  # most seats are shown the same one
def mark_head(key: bytes, seals: int, at: int, link: bytes) -> str:
    """A link in hex, as it is shown, with a mark that only the table can make: so it knows what it has shown before."""
    mark = make_link(key, link, f"head {seals} {at}")[:MARK_BYTES]
    return (link + mark).hex()


def facts_of(played: text.Played) -> str:
    """The facts of a record's table."""
    rules = played.game.RULES if played.rules is None else played.rules
    commitment = played.seals[0].commitment if played.seals else ""
    options = played.own_options()
    return facts(played.game, rules, played.seats, options, commitment, played.given, played.drawn)


def links(played: text.Played) -> dict[tuple[int, int], bytes]:
    """All links of a record, in order: by the number of seals, and of actions, that they cover."""
    is_keyed = played.seals and played.seals[0].shares
    key = chain_key(read_secret(played.seals[0].secret)) if is_keyed else None
    link, s, sealed = make_link(key, b"", facts_of(played)), played.start(), 0
    found = {(0, 0): link}
    for at, a in enumerate([*played.actions, None]):
        while sealed < len(played.seals) and played.seals[sealed].place == at:
            link = seal_link(key, link, played.seals[sealed])
            sealed += 1
            found[sealed, at] = link
        if a is not None:
            link = next_link(key, link, at, s.turn, a)
            found[sealed, at + 1] = link
            played.game.apply(s, a)
    return found


def chain(played: text.Played) -> bytes:
    """The last link of a record's log."""
    return list(links(played).values())[-1]


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
    """Check a record's commitments, every outcome of chance that is the table's own, and its chain."""
    findings = []
    committed = fair = chained = None
    if any(seal.secret for seal in played.seals):
        committed = all(commit(read_secret(seal.secret)) == seal.commitment for seal in played.seals)
        findings.append("the secret is the one committed to" if committed else "the secret is not the one committed to")
        findings += [say_shares(seal) for seal in played.seals]
        wrong = wrong_outcome(played)
        fair = wrong is None
        way_drawn = "from shuffled decks" if played.drawn == text.DECKS else "by place in the log"
        source = "the secret and these bytes" if played.seals[0].shares else "the secret"
        findings.append(
            f"every outcome that was drawn here follows from {source}, drawn {way_drawn}"
            if fair
            else f"the outcome at {wrong}, drawn {way_drawn}, does not follow from {source}"
        )
    else:
        findings.append("the record has no secret: its shuffles cannot be checked")
    if played.given:
        drawn, given = count_outcomes(played)
        findings.append(
            f"the first {played.given} actions came from a record: {given} of {drawn + given} outcomes of chance were "
            "not drawn here"
        )
    findings += [f"from action {seal.place} on, chance was sealed anew" for seal in played.seals[1:]]
    if played.chain and not (played.seals and played.seals[0].shares and not played.seals[0].secret):
        chained = chain(played).hex() == played.chain
        findings.append("the log is as it was" if chained else "the log was changed after it was written")
    else:
        findings.append("it has no chain" if not played.chain else "without the secret its chain cannot be checked")
    if played.resigned:
        findings.append(f"{list_seats(list(played.resigned))} resigned, for which the server's word is all there is")
    return Verdict(committed, fair, chained, "; ".join(findings))


def say_shares(seal: text.Seal) -> str:
    """Who took part in a seal."""
    if not seal.shares:
        return "no player took part in the shuffle, as in version 0.1"
    took_part = [n for n, share in enumerate(seal.shares) if share not in (text.BOT, text.LEFT_OUT)]
    words = f"the bytes of {list_seats(took_part)} were mixed in" if took_part else "no player's bytes were mixed in"
    for share, what in ((text.LEFT_OUT, "was left out"), (text.BOT, "was the server's own, as a bot")):
        those = [n for n, one in enumerate(seal.shares) if one == share]
        words += f", {list_seats(those)} {what if len(those) == 1 else what.replace('was', 'were', 1)}" if those else ""
    return words


def list_seats(seats: list[int]) -> str:
    return f"{'seat' if len(seats) == 1 else 'seats'} {' and '.join(map(str, seats))}"


def count_outcomes(played: text.Played) -> tuple[int, int]:
    """How many outcomes of chance were drawn at the record's table, and how many came from an older record."""
    s, drawn, given = played.start(), 0, 0
    for at, a in enumerate(played.actions):
        if s.turn == CHANCE:
            drawn, given = (drawn + 1, given) if at >= played.given else (drawn, given + 1)
        played.game.apply(s, a)
    return drawn, given


def sealed_chance(
    game: Game, seal: text.Seal, drawn: text.Drawn, positions: Sequence[Record], log: list[int]
) -> Chance:
    """What decides from a seal on, at a table with these outcomes so far."""
    decides = chance(game, joint_secret(seal), drawn)
    for s, a in zip(positions, log, strict=False):
        if s.turn == CHANCE:
            decides.fix(s, a)
    return decides


def wrong_outcome(played: text.Played) -> int | None:
    """The place of the first outcome that does not follow from its seal."""
    positions, decides, sealed = [played.start()], None, 0
    for at, a in enumerate(played.actions):
        while sealed < len(played.seals) and played.seals[sealed].place == at:
            seal = played.seals[sealed]
            decides = sealed_chance(played.game, seal, played.drawn, positions, played.actions[:at])
            sealed += 1
        s = positions[-1]
        if s.turn == CHANCE and decides:
            if decides.outcome(s, at) != a:
                return at
            decides.fix(s, a)
        positions.append(engine.after(played.game, s, a))
    return None
