"""Records that a host has made up, with what its players saw: `verify --seen` must not call them genuine."""

import contextlib
import copy
import json
import random
import secrets
from typing import Any

import pytest

from motherlode import engine, proof, seen, text
from motherlode.engine import Refusal
from motherlode.game import CHANCE, OVER
from motherlode.games import GAMES

GOLDMINE = GAMES["goldmine"]
AWAY = (text.LEFT_OUT, text.LEFT_OUT)
BYTES = secrets.token_hex(32), secrets.token_hex(32)


def new_seal(place: int, shares: tuple[str, ...]) -> text.Seal:
    secret = secrets.token_bytes(32)
    return text.Seal(place, proof.commit(secret), secret.hex(), shares)


def play(*seals: text.Seal) -> text.Played:
    """A game that really draws from these seals."""
    options = engine.check_options(GOLDMINE, {"target": 0})
    played = text.Played(GOLDMINE, 2, options, [], (), seals, drawn=text.DECKS)
    positions, decides = [played.start()], None
    while positions[-1].turn != OVER:
        s, at = positions[-1], len(played.actions)
        for seal in seals:
            if seal.place == at:
                decides = proof.sealed_chance(GOLDMINE, seal, text.DECKS, positions, played.actions)
        assert decides
        played.actions.append(decides.outcome(s, at) if s.turn == CHANCE else engine.legal(GOLDMINE, s)[0])
        if s.turn == CHANCE:
            decides.fix(s, played.actions[-1])
        positions.append(engine.after(GOLDMINE, s, played.actions[-1]))
    return played._replace(chain=proof.chain(played).hex())


def saw(played: text.Played, *, seals: int = 1) -> dict[str, Any]:
    """What seat 0 saw: it took part in the first seal, and was shown all heads from the last on, and these seals."""
    hashes = [proof.commit(bytes.fromhex(share)) for share in BYTES]
    shown = [
        {"place": seal.place, "commitment": seal.commitment, "commitments": [], "shares": list(seal.shares) or None}
        for seal in played.seals[:seals]
    ]
    shown[0] |= {"commitments": hashes, "shares": list(BYTES), "mine": BYTES[0], "opened": True}
    links = list(proof.links(played).items())
    last = len(played.seals)
    heads = [{"seals": n, "at": at, "link": link.hex() + 32 * "0"} for (n, at), link in links if n == last]
    return {"table": "", "seat": 0, "given": 0, "seen": [*shown, *heads]}


def complaints(played: text.Played, what: dict[str, Any]) -> list[str]:
    read = text.read_record(text.write_record(played))
    assert proof.verify(read).is_good
    return [finding.words for finding in seen.check(read, seen.read(json.dumps(what))) if not finding.is_good]


def test_an_honest_record_is_genuine() -> None:
    played = play(new_seal(0, BYTES))
    assert complaints(played, saw(played)) == []
    again = play(new_seal(0, BYTES), new_seal(20, AWAY))
    assert complaints(again, saw(again, seals=2)) == []


def test_a_seal_that_was_never_shown() -> None:
    """All players open their bytes, and the host draws from another seal of its own."""
    played = play(new_seal(0, BYTES), new_seal(0, AWAY))
    assert complaints(played, saw(played)) == ["from action 0 on, chance was sealed anew, and that was not shown"]


def test_a_host_that_shows_no_heads() -> None:
    played = play(new_seal(0, BYTES))
    what = saw(played)
    what["seen"] = what["seen"][:1]
    assert complaints(played, what) == ["no head of the log was shown when all bytes were open, or later"]


def test_a_record_that_pretends_to_be_of_version_0_1() -> None:
    """The host lets the players open their bytes, and draws from its secret alone."""
    played = play(new_seal(0, ()))
    what = saw(played)
    assert len(complaints(played, what)) == 3  # other bytes, my own left out, none at all
    what["seen"][0] |= {"shares": None, "opened": False}  # the page was closed before all were open
    assert complaints(played, what) == ["players took part in the shuffle, and the record has none of their bytes"]


def test_a_seal_without_its_secret() -> None:
    """Otherwise nobody could say what was drawn from it."""
    played = play(new_seal(0, BYTES), new_seal(10, AWAY))
    for line in ("secret:", "secret 2:"):
        lines = [one for one in text.write_record(played).splitlines() if not one.startswith(line)]
        with pytest.raises(Refusal, match="a secret is 32 bytes"):
            proof.verify(text.read_record("\n".join(lines)))


def test_a_record_of_thousands_of_seals() -> None:
    """Each costs a shuffle of all decks: a megabyte of them would keep a server busy for seconds."""
    played = play(new_seal(0, BYTES))
    written = text.write_record(played._replace(seals=played.seals + 100 * (new_seal(10, AWAY),)))
    with pytest.raises(Refusal, match="sealed anew more than"):
        text.read_record(written)


def test_nonsense_is_refused() -> None:
    """Whatever stands in the file: it is read and compared, or refused."""
    played = play(new_seal(0, BYTES))
    good, lots = saw(played), random.Random(1)
    good["seen"] = good["seen"][:4]
    junk: Any = [None, True, -1, 9, 10**9, 1.5, "", "x", 64 * "g", [], [1], {}, [[]], [None], ["é"]]
    for _ in range(1000):
        bad = copy.deepcopy(good)
        for _ in range(lots.choice([1, 1, 2])):
            where = lots.choice(
                [bad, *[entry for entry in bad["seen"] if isinstance(entry, dict)]]
                if isinstance(bad["seen"], list)
                else [bad]
            )
            where[lots.choice([*where, "commitment"])] = copy.deepcopy(lots.choice(junk))
        with contextlib.suppress(Refusal):
            seen.check(played, seen.read(json.dumps(bad)))
