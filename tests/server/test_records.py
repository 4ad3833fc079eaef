"""Records: told logs of running games, whole ones of finished games, uploads, replays, going on, shuffles checked."""

import hashlib
import hmac
from collections import Counter
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from support.local_server import Visitor, play_out
from typer.testing import CliRunner

from motherlode import contract, engine, proof, text
from motherlode.cli import app as cli
from motherlode.engine import Refusal
from motherlode.games import GAMES


def finished(ada: Visitor, game: str = "goldmine", **more: Any) -> str:
    """A finished game of Ada's against herself."""
    seats = GAMES[game].SEATS[0]
    card = ada.make(game, *["me"] * seats, **more)
    pages = [ada.open(card["id"], seat) for seat in range(seats)]
    play_out(pages, pick=2)
    return str(card["id"])


def test_of_a_running_game_everybody_gets_what_they_were_told(ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    card = ada.make("goldmine", "me", "link")
    bob.take(card["id"], 1, code=card["links"][0]["code"])
    path = f"/api/tables/{card['id']}/record"
    told = [ada.http.get(path + "?seat=0").text, bob.http.get(path + "?seat=1").text, eve.http.get(path).text]
    assert [text.count("deal ?") for text in told] == [6, 6, 12]
    assert "told to: seat 0" in told[0] and "secret" not in "".join(told)
    assert eve.http.get(path + "?seat=0").status_code == 403
    assert eve.http.get(f"/api/tables/{card['id']}/replay").status_code == 400


@pytest.mark.parametrize("game", GAMES)
def test_the_whole_record_verifies_and_uploads(ada: Visitor, game: str) -> None:
    table = finished(ada, game)
    record = ada.http.get(f"/api/tables/{table}/record").text
    played = text.read_record(record)
    verdict = proof.verify(played)
    assert verdict.is_good and verdict.commitment and verdict.chance and verdict.chain, verdict.words
    replay = ada.get(f"/api/tables/{table}/replay")
    assert len(replay["positions"]) == len(played.actions) + 1
    assert ada.post("/api/records", record=record) == replay
    assert check_like_a_browser(replay) == len(replay["proofs"]) > 0
    assert replay["drawn"] == ("decks" if GAMES[game].source else "") and bool(replay["decks"]) == bool(replay["drawn"])
    hidden = ada.get(f"/api/tables/{table}/replay", seat=0)
    assert hidden["positions"][-1]["turn"] == -2


def check_like_a_browser(replay: dict[str, Any]) -> int:
    """From docs/api.md alone; how many outcomes were checked."""
    ends = [seal["place"] for seal in replay["seals"][1:]] + [len(replay["positions"])]
    return sum(check_seal(replay, seal, end) for seal, end in zip(replay["seals"], ends, strict=True))


def check_seal(replay: dict[str, Any], seal: dict[str, Any], end: int) -> int:
    """The outcomes that a seal decides, which are those before place `end`."""
    secret = bytes.fromhex(seal["secret"])
    assert hashlib.sha256(secret).hexdigest() == seal["commitment"]
    if seal["shares"]:
        secret = hmac.new(secret, ", ".join(seal["shares"]).encode(), "sha256").digest()
    proofs = [chance for chance in replay["proofs"] if chance["at"] < end]

    def number(what: str, below: int) -> int:
        for n in count():
            x = int.from_bytes(hmac.new(secret, f"{what} {n}".encode(), "sha256").digest()[:8], "big")
            if x < 2**64 - 2**64 % below:
                break
        return x % below

    drawn = [chance for chance in proofs if chance["at"] >= seal["place"]]
    if replay["drawn"] == "":
        for chance in drawn:
            k = number(f"{chance['at']}", sum(chance["odds"]))
            rest = [
                outcome for outcome, width in zip(chance["outcomes"], chance["odds"], strict=True) for _ in range(width)
            ]
            assert rest[k] == chance["action"]
        return len(drawn)

    things = {deck["deck"]: deck["things"] for deck in replay["decks"]}
    labels = {deck: list(range(len(things[deck]))) for deck in things}
    for deck, order in labels.items():
        for step in range(len(order) - 1):
            other = step + number(f"deck {deck} step {step}", len(order) - step)
            order[step], order[other] = order[other], order[step]
    fixed: dict[int, list[int]] = {deck: [] for deck in things}  # labels

    def has(deck: int, label: int, thing: int) -> bool:
        held = things[deck][label]
        if isinstance(held, int):
            return held == thing
        return any(has(held[0], other, thing) for other in labels[held[0]] if other not in fixed[held[0]])

    def give(deck: int, position: int, thing: int) -> None:
        order = labels[deck]
        if not has(deck, order[position], thing):
            lowest = min(label for label in order if label not in fixed[deck] and has(deck, label, thing))
            there = order.index(lowest)
            order[position], order[there] = lowest, order[position]
        fixed[deck].append(order[position])
        if not isinstance(held := things[deck][order[position]], int):
            give(held[0], held[1], thing)

    def lies(deck: int, position: int) -> int:
        held = things[deck][labels[deck][position]]
        return held if isinstance(held, int) else lies(*held)

    for chance in proofs:
        if chance in drawn:
            assert chance["first"] + lies(chance["deck"], chance["position"]) == chance["action"]
        give(chance["deck"], chance["position"], chance["action"] - chance["first"])
    return len(drawn)


def test_going_on_from_any_place_of_a_record(ada: Visitor) -> None:
    table = finished(ada, options={"target": 0})
    record = ada.http.get(f"/api/tables/{table}/record").text
    seats = [{"player": "me"}, {"player": "random"}]
    for at in (0, 5, 20):
        card = ada.post("/api/tables", 201, game="goldmine", seats=seats, record=record, at=at)
        with ada.open(card["id"], 0) as page:
            log = ada.get(f"/api/tables/{card['id']}/log", seat=0)["did"]
            old = text.read_record(record).actions
            assert all(did["action"] in (None, a) for did, a in zip(log[:at], old[:at], strict=True))
            while not page.until_turn()["result"]:
                page.act()
        again = text.read_record(ada.http.get(f"/api/tables/{card['id']}/record").text)
        assert again.given == at and again.actions[:at] == old[:at] and proof.verify(again).is_good
        check_like_a_browser(ada.get(f"/api/tables/{card['id']}/replay"))
    over = ada.http.post("/api/tables", json={"game": "goldmine", "seats": seats, "record": record})
    assert over.status_code == 400 and "the game is over there" in over.json()["no"]


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ("", "this is not a record"),
        (
            "motherlode record\ngame: goldmine\nrules: 1\nseats: 2\n\n0 look 3\n",
            "line 6: 0 look 3: it is the turn of *",
        ),
        ("motherlode record\ngame: goldmine\nrules: 1\nseats: 2\n\n* trump H9\n", "'trump H9' is no action"),
        ("motherlode record\ngame: goldmine\nrules: 1\nseats: 9999999999\n", "which is no number"),
        (f"motherlode record\ngame: goldmine\nrules: 1\nseats: 2\n\n* {'9' * 5000}\n", "is no action"),
        (f"motherlode record\ngame: goldmine\nrules: {'9' * 5000}\nseats: 2\n", f"version {'9' * 20} of the rules"),
        (
            "motherlode record\ngame: goldmine\nrules: 1\nseats: 2\ngiven: 2\n\n* trump H7\n",
            "2 actions were given, and has 1",
        ),
    ],
)
def test_a_wrong_upload_is_refused_with_its_line(ada: Visitor, record: str, said: str) -> None:
    for path, body in (
        ("/api/records", {"record": record}),
        ("/api/tables", {"game": "goldmine", "seats": [{"player": "me"}, {"player": "random"}], "record": record}),
    ):
        answer = ada.http.post(path, json=body)
        assert answer.status_code == 400 and said in answer.json()["no"], answer.text


def test_verify_on_the_command_line(ada: Visitor, tmp_path: Path) -> None:
    record = ada.http.get(f"/api/tables/{finished(ada)}/record").text
    path = tmp_path / "record.txt"
    path.write_text(record)
    good = CliRunner().invoke(cli, ["verify", str(path)])
    assert good.exit_code == 0 and "every outcome that was drawn here follows from" in good.output


def changed(record: str, key: str, value: str) -> str:
    return "\n".join(f"{key}: {value}" if line.startswith(f"{key}:") else line for line in record.split("\n"))


def test_a_changed_record_does_not_verify(ada: Visitor) -> None:
    """Another secret, another commitment, another deal, another decision: each is found."""
    record = ada.http.get(f"/api/tables/{finished(ada, options={'target': 0})}/record").text
    played = text.read_record(record)
    other = proof.commit(b"x" * 32)
    assert proof.verify(text.read_record(changed(record, "commitment", other))).commitment is False
    assert proof.verify(text.read_record(changed(record, "secret", "00" * 32))).chance is False
    assert proof.verify(text.read_record(changed(record, "chain", "00" * 32))).chain is False
    with pytest.raises(Refusal, match="a secret is 32 bytes in hex"):
        proof.verify(text.read_record(changed(record, "secret", "abc")))
    for at in (0, 13):  # a deal, a decision
        s = engine.replay(played.game, played.start(), played.actions[:at])
        others = [a for a in engine.legal(played.game, s) if a != played.actions[at]]
        verdict = proof.verify(played._replace(actions=[*played.actions[:at], others[0]]))
        assert verdict.chain is False and verdict.chance is (at > 0)
    assert proof.verify(played._replace(actions=played.actions[:-1])).chain is False
    given = proof.verify(played._replace(given=20, chain=""))  # it says what was not checked
    assert "the first 20 actions came from a record: 16 of 24 outcomes" in given.words


def test_outcomes_are_unbiased() -> None:
    secret = b"motherlode".ljust(32)
    for below in (3, 7, 60):
        seen = Counter(proof.number(secret, at, below) for at in range(3000))
        assert contract.far_off(seen, dict.fromkeys(range(below), 1.0)) < contract.SURE
    # A quarter of all 64-bit numbers must be rejected here, or the first third would come twice as often.
    thirds = Counter(proof.number(secret, at, 3 << 62) >> 62 for at in range(600))
    assert contract.far_off(thirds, dict.fromkeys(range(3), 1.0)) < contract.SURE


def test_old_records_still_read_and_say_that_they_cannot_be_checked() -> None:
    verdict = proof.verify(text.read_record("motherlode record\ngame: goldmine\nrules: 1\nseats: 2\n\n* trump H4\n"))
    assert verdict.is_good and verdict[:3] == (None, None, None) and "cannot be checked" in verdict.words
