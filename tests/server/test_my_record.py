"""What counts for a guest's record, and what is shown, exported and deleted of it."""

import csv
import io
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from support.administrator import Administrator
from support.command_line import Run
from support.local_server import Server, Visitor, play_out, serving
from websockets.exceptions import ConnectionClosed

from motherlode.bots import levels
from motherlode.games import GAMES
from motherlode.server import guest_requests, my_games, queries, results, schema
from motherlode.server.housekeeping import DAY, SWEEP_EVERY
from motherlode.server.keys import new_id
from motherlode.server.results import Played, Seated
from motherlode.server.schema import FORMER, StoredSeal, TableFacts
from motherlode.server.table_settings import StoredSettings

RESULTS: tuple[results.Result, ...] = ("won", "drawn", "lost")
SINGLE_DEAL = {"target": 0}


# Generated: who sits where and who wins, against a second way of counting


@pytest.fixture(scope="module")
def engine() -> Iterator[sa.Engine]:
    made = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
    schema.METADATA.create_all(made)
    yield made
    made.dispose()


def facts_of(game: str, given: int = 0) -> TableFacts:
    return TableFacts(new_id(), game, 1, {}, "maker", StoredSettings(), [StoredSeal(0, 0, bytes(32))], given, None, 1.0)


def generate(rng: random.Random, seats: int) -> list[Seated]:
    """People, some of whom have left or several seats, programs, bots, and guests who are gone."""
    guests = [*(f"guest {rng.randrange(3)}" for _ in range(seats)), FORMER]
    seated = []
    for seat in range(seats):
        guest = rng.choice([None, *guests])
        bot = rng.choice(levels.NAMES[:2]) if guest is None or rng.random() < 0.15 else None
        seated.append(Seated(seat, guest, bot, guest is not None and rng.random() < 0.2, rng.random() < 0.15))
    return seated


def expected(seated: list[Seated], winners: list[int]) -> dict[str, tuple[str, str]]:
    """By guest: against whom, and the result."""
    found = {}
    for guest in {one.guest for one in seated if one.guest and one.guest != FORMER}:
        own = [one for one in seated if one.guest == guest]
        others = [one for one in seated if one.guest != guest]
        if len(own) > 1 or own[0].program or own[0].bot or own[0].left:
            continue
        kinds = {"program" if one.program else "person" if one.guest else one.bot for one in others}
        against = (
            "people"
            if "person" in kinds
            else "programs"
            if "program" in kinds
            else str(kinds.pop())
            if len(kinds) == 1
            else "several"
        )
        seat = own[0].seat
        found[guest] = against, "won" if winners == [seat] else "drawn" if seat in winners else "lost"
    return found


def check_counting(engine: sa.Engine, cases: int = 250) -> None:
    rng = random.Random(1)
    for _ in range(cases):
        game = rng.choice(list(GAMES.values()))
        seated = generate(rng, rng.choice(game.SEATS))
        winners = sorted(rng.sample(range(len(seated)), rng.choice([1, 1, 2])))
        points = [rng.randrange(-5, 90) for _ in seated]
        facts = facts_of(game.NAME, rng.choice([0, 0, 0, 7]))
        with engine.begin() as db:
            for one in seated:
                db.execute(schema.SEAT.insert().values(sitting=facts.id, **one._asdict()))
            results.end_table(db, facts, 5.0, points, winners)
            asked = sa.select(schema.PLAYED).where(schema.PLAYED.c.at_table == facts.id)
            counted = {row.guest: (row.against, row.result) for row in db.execute(asked)}
            scores = results.read_scores(db, [facts.id])[facts.id]
        assert counted == ({} if facts.given else expected(seated, winners)), (seated, winners)
        assert [score.points for score in scores] == points
        assert [score.seat for score in scores if score.result != "lost"] == winners


def test_what_counts(engine: sa.Engine) -> None:
    check_counting(engine)


def count_everybody(mine: Seated, seated: Any) -> bool:
    return mine.guest is not None


def count_the_left(mine: Seated, seated: Any) -> bool:
    return results_counts(mine._replace(left=False, bot=None), seated)


def count_every_seat(mine: Seated, seated: Any) -> bool:
    return results_counts(mine, [mine])


results_counts = results.counts
PLANTED: dict[str, tuple[str, Callable[..., Any]]] = {
    "everybody counts": ("counts", count_everybody),
    "seats left to a bot count": ("counts", count_the_left),
    "two seats of one guest count twice": ("counts", count_every_seat),
    "a shared win is a win": ("result_of", lambda seat, winners: "won" if seat in winners else "lost"),
    "people are not told from bots": ("opponents", lambda mine, seated: "panner"),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_miscount_is_noticed(engine: sa.Engine, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, planted = PLANTED[fault]
    monkeypatch.setattr(results, name, planted)
    with pytest.raises((AssertionError, IntegrityError)):
        check_counting(engine)


def test_a_table_counts_once(engine: sa.Engine) -> None:
    """Whichever process ends it: the second is refused by the database, and nothing of it is stored."""
    facts = facts_of("goldmine")
    with engine.begin() as db:
        for one in (Seated(0, "twice", None, False, False), Seated(1, None, "panner", False, False)):
            db.execute(schema.SEAT.insert().values(sitting=facts.id, **one._asdict()))
        results.end_table(db, facts, 5.0, [3, 1], [0])
    with pytest.raises(IntegrityError), engine.begin() as db:
        results.end_table(db, facts, 6.0, [3, 1], [0])
    with engine.connect() as db:
        assert results.read_played(db, "twice") == [Played("goldmine", "panner", "won", 5.0)]


# Generated: what is shown of a record


@pytest.mark.parametrize("seed", range(20))
def test_the_sums_and_streaks(seed: int) -> None:
    rng = random.Random(seed)
    against = [*levels.NAMES, "greedy:10", *results.OTHERS]
    played = [
        Played(rng.choice(list(GAMES)), rng.choice(against), rng.choice(RESULTS), float(k))
        for k in range(rng.choice([0, 1, 40]))
    ]
    shown = my_games.show_record(played)
    assert [game.game for game in shown.games] == list(GAMES)
    for game in shown.games:
        own = [one for one in played if one.game == game.game]
        letters = "".join(one.result[0] for one in own)  # such as wwdlw
        assert (game.played, game.won, game.drawn) == (len(own), letters.count("w"), letters.count("d"))
        runs = letters.replace("d", "l").split("l")
        assert (game.streak, game.longest) == (len(runs[-1]), max(map(len, runs)))
        assert [result[0] for result in game.recent] == list(letters[-my_games.RECENT :])
        assert sum(level.played for level in game.levels) == game.played
        for level in game.levels:
            rows = [one for one in own if one.against == level.against]
            assert (level.played, level.won) == (len(rows), sum(one.result == "won" for one in rows))
        names = levels.names(GAMES[game.game])
        beaten = [place for place, name in enumerate(names) if any(one[1:3] == (name, "won") for one in own)]
        assert game.best == (names[beaten[-1]] if beaten else None)
        assert game.suits == names[min(beaten[-1] + 1, len(names) - 1) if beaten else 0]


def test_the_levels_come_in_order() -> None:
    played = [Played("goldmine", against, "won", 1.0) for against in ("people", "baron", "random", "greenhorn")]
    (game,) = [game for game in my_games.show_record(played).games if game.played]
    assert [level.against for level in game.levels] == ["greenhorn", "baron", "random", "people"]


# With a real server


def record(visitor: Visitor) -> dict[str, Any]:
    shown: dict[str, Any] = visitor.get("/api/guests/me/record")
    return shown


def test_a_newcomer_begins_with_the_weakest(ada: Visitor, stranger: Visitor) -> None:
    for visitor in (ada, stranger):
        shown = record(visitor)
        assert shown["played"] == 0
        for game in shown["games"]:
            assert game["suits"] == levels.names(GAMES[game["game"]])[0] and game["best"] is None


@pytest.mark.parametrize("name", GAMES)
def test_a_game_that_was_played_counts(ada: Visitor, name: str) -> None:
    options = SINGLE_DEAL if name == "goldmine" else {}
    bots = ["random"] * (GAMES[name].SEATS[0] - 1)
    key = ada.make(name, "me", *bots, options=options)["id"]
    page = ada.open(key, 0)
    rng = random.Random(7)
    while not page.until_turn()["result"]:
        page.act(rng.randrange(len(page.table["legal"])))
    winners = page.table["result"]["winners"]
    result = "lost" if 0 not in winners else "won" if winners == [0] else "drawn"
    (game,) = [one for one in record(ada)["games"] if one["played"]]
    assert game["game"] == name and game["recent"] == [result]
    assert [level["against"] for level in game["levels"]] == ["random"]
    (listed,) = ada.get("/api/guests/me/games", over=True)["tables"]
    assert listed["points"] == page.table["result"]["points"] and listed["result"] == result


def test_people_count_for_each_other_and_records_for_nobody(ada: Visitor, bob: Visitor) -> None:
    key = ada.make("goldmine", "me", "anyone", options=SINGLE_DEAL)["id"]
    bob.take(key, 1)
    play_out([ada.open(key, 0), bob.open(key, 1)])
    for visitor in (ada, bob):
        (game,) = [one for one in record(visitor)["games"] if one["played"]]
        assert [level["against"] for level in game["levels"]] == ["people"] and game["best"] is None
    told = ada.http.get(f"/api/tables/{key}/record").text
    again = ada.make("goldmine", "me", "random", record=told, at=14)["id"]
    together = ada.make("goldmine", "me", "me", options=SINGLE_DEAL)["id"]
    play_out([ada.open(again, 0)])
    play_out([ada.open(together, 0), ada.open(together, 1)])
    assert record(ada)["played"] == 1


def test_a_seat_left_to_a_bot_does_not_count(server: Server, ada: Visitor, bob: Visitor) -> None:
    key = ada.make("goldmine", "me", "anyone", options=SINGLE_DEAL)["id"]
    bob.take(key, 1)
    page, other = ada.open(key, 0), bob.open(key, 1)
    other.send(do="leave")
    page.wait("table", lambda table: table["players"][1]["bot"])
    play_out([page])
    assert record(ada)["played"] == 1 and record(bob)["played"] == 0


def finished(visitor: Visitor) -> str:
    key = str(visitor.make("goldmine", "me", "random", options=SINGLE_DEAL)["id"])
    play_out([visitor.open(key, 0)])
    return key


def test_it_is_exported(ada: Visitor, bob: Visitor) -> None:
    """And nobody else's."""
    finished(bob)
    finished(ada)
    data = ada.http.get("/api/guests/me/record.json")
    assert "motherlode-record.json" in data.headers["content-disposition"]
    table = ada.http.get("/api/guests/me/record.csv")
    assert table.headers["content-type"].startswith("text/csv")
    assert list(csv.DictReader(io.StringIO(table.text))) == data.json()["games"]
    (game,) = data.json()["games"]
    assert (game["game"], game["against"]) == ("goldmine", "random") and game["result"] in RESULTS


def test_it_is_deleted_and_the_games_stay(ada: Visitor, bob: Visitor) -> None:
    key = finished(ada)
    finished(bob)
    assert ada.http.delete("/api/guests/me/record").status_code == 204
    assert record(ada)["played"] == 0 and record(bob)["played"] == 1
    assert key in {table["id"] for table in ada.get("/api/guests/me/games", over=True)["tables"]}


def test_whoever_is_signed_out_keeps_it(ada: Visitor) -> None:
    finished(ada)
    ada.http.post("/api/guests/forget")
    assert ada.http.delete("/api/guests/me/record").status_code == 401
    ada.keys = ada.post("/api/guests/recover", code=ada.keys["recovery"])
    ada.http.headers["authorization"] = f"Bearer {ada.keys['token']}"
    assert record(ada)["played"] == 1


def test_an_old_token_deletes_nothing(server: Server, ada: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was valid when it was looked up, and by another process is not any more."""
    finished(ada)
    with server.parlour.storage.engine.connect() as db:
        guest = queries.find_guest(db, id=ada.keys["id"])

    async def before(_: Any) -> Any:
        return guest

    ada.http.post("/api/guests/forget")
    server.parlour.guests.revoked.clear()
    monkeypatch.setattr(guest_requests, "who_asks", before)
    assert ada.http.delete("/api/guests/me/record").status_code == 401
    with server.parlour.storage.engine.connect() as db:
        assert len(results.read_played(db, ada.keys["id"])) == 1


def test_whoever_wants_to_be_deleted_is(server: Server, ada: Visitor, bob: Visitor) -> None:
    """Nothing in the database names them any more; games with others stay."""
    alone = finished(ada)
    over, runs = (str(ada.make("goldmine", "me", "anyone", options=SINGLE_DEAL)["id"]) for _ in range(2))
    for key in (over, runs):
        bob.take(key, 1)
    play_out([ada.open(over, 0), bob.open(over, 1)])
    with ada.open(runs, 0) as page, bob.open(runs, 1) as other:
        page.send(do="chat", text="hello, I am Ada")
        page.wait("chat")
        answer = ada.http.delete("/api/guests/me")
        assert answer.status_code == 204 and "motherlode=" in answer.headers["set-cookie"]
        other.wait("table", lambda table: table["players"][0]["kind"] == "bot")
        with pytest.raises(ConnectionClosed):
            page.wait("the end")
    assert ada.http.get("/api/guests/me").status_code == 401
    assert ada.http.post("/api/guests/recover", json={"code": ada.keys["recovery"]}).status_code == 400
    assert bob.http.get(f"/api/tables/{alone}").status_code == 404
    assert bob.get(f"/api/tables/{over}")["players"][0]["name"] == "a former guest" and record(bob)["played"] == 1
    with server.parlour.storage.engine.connect() as db:
        for table in schema.METADATA.sorted_tables:
            stored = "" if table is schema.AUDIT else str(db.execute(sa.select(table)).all())
            assert ada.keys["id"] not in stored and "I am Ada" not in stored, table.name
    assert ada.http.delete("/api/guests/me").status_code == 401


def test_strangers_have_none_to_take_or_delete(stranger: Visitor) -> None:
    for path in ("record.json", "record.csv", "games", "opponents"):
        assert stranger.http.get(f"/api/guests/me/{path}").status_code == 401
    for path in ("me", "me/record"):
        assert stranger.http.delete(f"/api/guests/{path}").status_code == 401


def test_it_outlives_the_tables_and_restarts_but_not_the_guest(tmp_path: Path, run: Run) -> None:
    database = f"sqlite:///{tmp_path}/parlour.db"
    with serving(database, retention=30.0) as server, Visitor(server) as ada:
        key, token = finished(ada), ada.http.headers["authorization"]
        server.move_clock(31 * DAY)
        server.move_clock(SWEEP_EVERY)
        while ada.http.get(f"/api/tables/{key}").status_code == 200:
            pass
        assert ada.get("/api/guests/me/games", over=True)["total"] == 0
        assert record(ada)["played"] == 1
    with serving(database) as server, Visitor(server) as ada:
        ada.http.headers["authorization"] = token
        assert record(ada)["played"] == 1
        guest = ada.get("/api/guests/me")["id"]
        host = Administrator(server, run)
        assert [game["game"] for game in host.sees("export", guest)["record"]] == ["goldmine"]
        host.does("delete-guest", guest, "--yes")
        host.http.close()
        with server.parlour.storage.engine.connect() as db:
            assert results.read_played(db, guest) == []
