"""A database and records made by version 0.1 (commit e53a7fc) are read, played on and verified.

`version_0_1/parlour.db` is what that version's server left on the disk when it was stopped, `contents.json` says what
is in it (with the guests' tokens), and the records are those that it gave out for its finished tables.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from support.local_server import Page, Server, Visitor, play_out, serving

from motherlode import proof, text
from motherlode.games import GAMES
from motherlode.table import Table

FOLDER = Path(__file__).parent / "version_0_1"
CONTENTS = json.loads((FOLDER / "contents.json").read_text("utf-8"))
TABLES: dict[str, dict[str, Any]] = CONTENTS["tables"]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    copy = tmp_path_factory.mktemp("version_0_1") / "parlour.db"
    shutil.copy(FOLDER / "parlour.db", copy)
    return f"sqlite:///{copy}"


def guest(server: Server, name: str) -> Visitor:
    """A guest of version 0.1, who has only kept the token."""
    visitor = Visitor(server, f"{name} of today")
    visitor.http.headers["authorization"] = f"Bearer {CONTENTS['guests'][name]['token']}"
    return visitor


@pytest.fixture
def ada(server: Server) -> Iterator[Visitor]:
    with guest(server, "Ada") as visitor:
        yield visitor


@pytest.fixture
def bob(server: Server) -> Iterator[Visitor]:
    with guest(server, "Bob") as visitor:
        yield visitor


def play_to_the_end(ada: Visitor, *pages: Page) -> None:
    """Play on to the end; the record then verifies."""
    play_out(list(pages), 1)
    table = pages[0].table["table"]
    played = text.read_record(ada.http.get(f"/api/tables/{table}/record", params={"seat": 0}).text)
    verdict = proof.verify(played)
    assert verdict.commitment and verdict.chance and verdict.chain, verdict.words
    assert played.drawn == ""


def test_guests_are_known_by_their_tokens(ada: Visitor, bob: Visitor) -> None:
    for visitor, name in ((ada, "Ada"), (bob, "Bob")):
        assert visitor.get("/api/guests/me") == {"id": CONTENTS["guests"][name]["id"], "name": name}


def test_all_tables_are_listed(ada: Visitor) -> None:
    mine = {card["id"]: card for card in ada.get("/api/tables", mine=True)["tables"]}
    assert set(mine) == {table["id"] for table in TABLES.values()}
    for what, table in TABLES.items():
        assert mine[table["id"]]["over"] == what.startswith("finished"), what
        assert mine[table["id"]]["waiting"] == what.startswith("waiting"), what
    assert [card["id"] for card in ada.get("/api/tables")["tables"]] == [TABLES["waiting for anyone"]["id"]]


SETTINGS: dict[str, Any] = {
    "watch": True,
    "delay": 0,
    "chat": True,
    "open_memory": False,
    "hints": False,
    "clock": None,
}
OTHERS = {"watch": False, "delay": 30, "chat": False, "open_memory": True, "clock": 86400}


@pytest.mark.parametrize(
    ("what", "other"),
    [
        ("finished gold_hunting", {}),
        ("finished goldmine", {"open_memory": True}),  # there was nothing to remember
        ("running with hints and chat", {"hints": True, "open_memory": True}),  # Goldmine too
        ("running with a bot and other settings", OTHERS),
    ],
)
def test_a_table_has_the_settings_it_was_made_with(ada: Visitor, what: str, other: dict[str, Any]) -> None:
    card = ada.get(f"/api/tables/{TABLES[what]['id']}")
    assert {key: card[key] for key in SETTINGS} == SETTINGS | other


@pytest.mark.parametrize("name", GAMES)
def test_finished_tables_replay(ada: Visitor, name: str) -> None:
    table = TABLES[f"finished {name}"]
    replay = ada.get(f"/api/tables/{table['id']}/replay")
    assert replay["result"]["words"] == table["result"]
    assert replay["checked"]["commitment"] and replay["checked"]["chance"] and replay["checked"]["chain"]
    assert all(position["next"]["verb"] for position in replay["positions"][:-1])
    record = ada.http.get(f"/api/tables/{table['id']}/record", params={"seat": 0}).text
    assert record == (FOLDER / f"{name}.txt").read_text("utf-8")


@pytest.mark.parametrize("name", GAMES)
def test_records_verify_and_go_on(ada: Visitor, name: str) -> None:
    written = (FOLDER / f"{name}.txt").read_text("utf-8")
    played = text.read_record(written)
    verdict = proof.verify(played)
    assert verdict.commitment and verdict.chance and verdict.chain, verdict.words
    assert Table.resume(played).is_over and text.write_record(played) == written
    replay = ada.post("/api/records", record=written)
    assert replay["result"]["words"] == TABLES[f"finished {name}"]["result"]
    players = ["me"] * played.seats
    card = ada.make(name, *players, record=written, at=len(played.actions) - 1)
    assert card["given"] == len(played.actions) - 1


def test_a_running_table_goes_on_with_its_chat_and_hints(ada: Visitor, bob: Visitor) -> None:
    table = TABLES["running with hints and chat"]
    with ada.open(table["id"], 0) as one, bob.open(table["id"], 1) as two:
        assert max(one.table["at"], two.table["at"]) == table["at"]
        lines = one.wait("chat")["lines"]
        assert [(line["name"], line["seat"], line["text"]) for line in lines] == [
            ("Ada", 0, "Hello from seat 0"),
            ("Bob", 1, "Hello from seat 1"),
        ]
        told = ada.http.get(f"/api/tables/{table['id']}/record", params={"seat": 0}).text
        assert "game: goldmine\nrules: 1\nseats: 2\ntarget: 30\ncommitment:" in told
        acting = one if one.table["legal"] else two
        assert acting.ask(do="hint")["is"] == "hint"
        play_to_the_end(ada, one, two)


def test_early_actions_are_still_there(ada: Visitor, bob: Visitor) -> None:
    table = TABLES["running with early actions"]
    with ada.open(table["id"], 0) as one, bob.open(table["id"], 1) as two:
        assert [page.table["at"] for page in (one, two)] == table["at"]
        assert [page.table["view"]["pile"] for page in (one, two)] == table["piles"]
        play_to_the_end(ada, one, two)


def test_a_bot_goes_on(ada: Visitor) -> None:
    table = TABLES["running with a bot and other settings"]
    with ada.open(table["id"], 0) as page:
        assert (page.table["at"], page.table["turn"]) == (table["at"], table["turn"])
        assert page.table["players"][1]["bot"] == "greedy"
        play_to_the_end(ada, page)


def test_waiting_tables_begin(ada: Visitor, bob: Visitor) -> None:
    friend, anyone = TABLES["waiting for a friend"], TABLES["waiting for anyone"]
    bob.take(friend["id"], 1, code=friend["code"])
    bob.take(anyone["id"], 1)
    for table in (friend, anyone):
        with ada.open(table["id"], 0) as one, bob.open(table["id"], 1) as two:
            assert not one.table["waiting"]
            play_to_the_end(ada, one, two)


def test_a_table_from_a_record_goes_on(ada: Visitor) -> None:
    table = TABLES["going on from a record"]
    with ada.open(table["id"], 0) as one, ada.open(table["id"], 1) as two:
        play_to_the_end(ada, one, two)
    assert ada.get(f"/api/tables/{table['id']}/replay")["given"] == table["given"]


def test_a_rematch_is_known_on_both_sides(ada: Visitor, bob: Visitor) -> None:
    table = TABLES["rematch"]
    assert ada.get(f"/api/tables/{table['of']}/now", seat=0)["rematch"] == table["id"]
    with bob.open(table["id"], 0) as one, ada.open(table["id"], 1) as two:
        play_to_the_end(bob, one, two)
        one.send(do="rematch")
        again = one.wait("rematch")["table"]
    game = GAMES[ada.get(f"/api/tables/{again}")["game"]]
    assert ada.get(f"/api/tables/{again}")["drawn"] == proof.way(game)


def test_values_of_its_options_are_only_for_its_records(ada: Visitor) -> None:
    seats = [{"player": "me"}, {"player": "me"}]
    no = ada.post("/api/tables", 400, game="china_gold", seats=seats, options={"overlay": "m3"})
    assert no["no"].startswith("CG-1.4: overlay=m3 is only for records") and "valley, gorge" in no["no"]
    record = (FOLDER / "china_gold.txt").read_text("utf-8")
    overlay = text.read_record(record).options["overlay"]
    assert overlay.startswith(("m", "r"))
    card = ada.make("china_gold", "me", "me", record=record, at=0, options={"overlay": overlay})
    assert card["options"]["overlay"] == overlay


def test_a_changed_log_is_refused(tmp_path: Path) -> None:
    """The hash chain of version 0.1 still guards its log."""
    copy = tmp_path / "parlour.db"
    shutil.copy(FOLDER / "parlour.db", copy)
    key = TABLES["running with hints and chat"]["id"]
    engine = sa.create_engine(f"sqlite:///{copy}")
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE log SET link = zeroblob(32) WHERE sitting = :key AND at = 20"), {"key": key})
    engine.dispose()
    with serving(f"sqlite:///{copy}") as server, guest(server, "Ada") as ada:
        assert ada.http.get(f"/api/tables/{key}/now", params={"seat": 0}).status_code == 500
