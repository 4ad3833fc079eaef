"""Every column of every table of the database is damaged, by generation: one table stops, and nothing else does.

Each case has a guest of its own with two tables, one of them damaged; one server is started on all cases at once.
"""

import contextlib
import itertools
import json
import logging
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psycopg
import pytest
import sqlalchemy as sa
from support.local_server import PATIENCE, Server, Visitor, play_out, serving
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from motherlode import puzzles
from motherlode.games import GAMES
from motherlode.server import puzzle_ratings, schema
from motherlode.server.keys import digest, new_id

NOT_TEXT = object()  # bytes that are no UTF-8, stored as text
GARBAGE: tuple[Any, ...] = (
    *(None, "garbage", "", b"\xff\xfe", NOT_TEXT, -7, 10**15, 1e300, float("inf")),
    *('{"half":', "[1]", '"x"', "{}", '{"clock": "soon", "delay": -1}', "[" * 5000),
)
STRUCTURAL = (
    "DELETE FROM seat WHERE sitting = ?",
    "DELETE FROM seat WHERE sitting = ? AND seat = 0",
    "DELETE FROM seat WHERE sitting = ? AND seat = 1",
    "UPDATE seat SET seat = 7 WHERE sitting = ? AND seat = 1",
    "UPDATE seat SET seat = 0 WHERE sitting = ?",
    "DELETE FROM log WHERE sitting = ?",
    "DELETE FROM log WHERE sitting = ? AND at = 0",
    "DELETE FROM log WHERE sitting = ? AND at = 3",
    "DELETE FROM log WHERE sitting = ? AND at = (SELECT max(at) FROM log AS other WHERE other.sitting = log.sitting)",
    "UPDATE log SET at = at + 1 WHERE sitting = ? AND at > 3",
    "UPDATE sitting SET ended = 5.0 WHERE id = ?",
    "UPDATE sitting SET begun = NULL WHERE id = ?",
    "UPDATE sitting SET game = 'nonesuch' WHERE id = ?",
    "UPDATE sitting SET seats = 3 WHERE id = ?",
    "UPDATE sitting SET rules = 999 WHERE id = ?",
)
CUT = STRUCTURAL[:10]  # these are noticed wherever there is something to be missed
PUZZLES = puzzles.of(GAMES["goldmine"])
KEYS = {  # of the tables where one's own rows are not found by the table
    "sitting": "id", "guest": "id", "played": "guest", "puzzle_try": "guest", "puzzle_solver": "guest",
    "puzzle_rating": "puzzle",
}  # fmt: skip
BASES = ("waiting", "running", "with a bot and a clock", "over")


class Case(NamedTuple):
    base: str
    what: str
    guest: str
    token: str
    damaged: str
    healthy: str

    def ask(self, http: httpx.Client, path: str, **body: Any) -> httpx.Response:
        headers = {"authorization": f"Bearer {self.token}"}
        return http.post(path, json=body, headers=headers) if body else http.get(path, headers=headers)


@pytest.fixture(scope="module", params=[4, pytest.param(1, marks=pytest.mark.soak)])
def dose(request: pytest.FixtureRequest) -> int:
    """Every column with every so many of the values."""
    return int(request.param)


@pytest.fixture(scope="module")
def bases(dose: int, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A database with a table of every kind."""
    file = tmp_path_factory.mktemp("damage") / "parlour.db"
    with serving(f"sqlite:///{file}") as server, Visitor(server, "Ada") as ada:
        ids = {
            "waiting": ada.make("goldmine", "me", "anyone")["id"],
            "running": ada.make("goldmine", "me", "me")["id"],
            "with a bot and a clock": ada.make("goldmine", "me", "random", clock=60)["id"],
            "over": ada.make("goldmine", "me", "me", options={"target": 0})["id"],
        }
        play_out([ada.open(ids["over"], seat) for seat in (0, 1)])
        for page in (ada.open(ids["running"], 0), ada.open(ids["running"], 1)):
            page.send(do="chat", text="hello")
            page.wait("chat")
            if page.table["legal"]:
                page.act()
    return file, ids


class Rows:
    """Copies of a table, with a guest of its own for each."""

    def __init__(self, file: Path) -> None:
        self.db = sqlite3.connect(file)

    def copy(self, key: str, guest: str) -> str:
        new = new_id()
        tables = schema.METADATA.tables.values()
        of_table = [(table.name, "sitting") for table in tables if "sitting" in table.columns]
        for table, column in (("sitting", "id"), *of_table):
            every = [column.name for column in schema.METADATA.tables[table].columns]
            columns = [name for name in every if (table, name) != ("chat", "id")]
            values = [
                "?"
                if name == column
                else "CASE WHEN guest IS NULL THEN NULL ELSE ? END"
                if name == "guest"
                else f'"{name}"'
                for name in columns
            ]
            given = [new if name == column else guest for name in columns if name in (column, "guest")]
            names = ", ".join(f'"{name}"' for name in columns)
            self.db.execute(
                f"INSERT INTO {table} ({names}) SELECT {', '.join(values)} FROM {table} WHERE {column} = ?",
                (*given, key),
            )
        return new

    def add_case(self, base: str, key: str, what: str, healthy: str) -> Case:
        guest, token = new_id(), new_id()
        hashes = digest(token), digest(new_id())
        columns = "(id, name, token, recovery, made)"
        self.db.execute(f"INSERT INTO guest {columns} VALUES (?, 'Ada', ?, ?, 1.0)", (guest, *hashes))
        tried = "(guest, puzzle, game, action, solved, made, solved_last, made_last)"
        values = (guest, puzzle_ratings.key_of(PUZZLES[0]), PUZZLES[0].answer)
        self.db.execute(f"INSERT INTO puzzle_try {tried} VALUES (?, ?, 'goldmine', ?, 1, 1.0, 1, 1.0)", values)
        rated = "(guest, game, mean, deviation, tries, solved)"
        self.db.execute(f"INSERT INTO puzzle_solver {rated} VALUES (?, 'goldmine', 1500.0, 80.0, 9, 5)", (guest,))
        counted = "(at_table, guest, game, against, result, ended)"
        self.db.execute(f"INSERT INTO played {counted} VALUES (?, ?, 'goldmine', 'panner', 'won', 1.0)", (guest, guest))
        return Case(base, what, guest, token, self.copy(key, guest), self.copy(healthy, guest))

    def rate_puzzles(self) -> None:
        rated = [(puzzle_ratings.key_of(puzzle),) for puzzle in PUZZLES]
        self.db.executemany("INSERT INTO puzzle_rating VALUES (?, 1500.0, 60.0, 3, 2)", rated)

    def allow_anything(self) -> None:
        """Without the constraints that only a database which works keeps."""
        for table in schema.METADATA.tables:
            self.db.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
            self.db.execute(f"CREATE TABLE {table} AS SELECT * FROM old_{table}")
            self.db.execute(f"DROP TABLE old_{table}")
        for table, column in (("seat", "sitting"), ("log", "sitting"), ("chat", "sitting"), ("guest", "token")):
            self.db.execute(f"CREATE INDEX quick_{table} ON {table} ({column})")
        self.db.execute("CREATE INDEX quick_sitting ON sitting (id)")


def damages(dose: int) -> Iterator[tuple[str, str, Any]]:
    """Every column of every table, and what it is damaged to."""
    for table in schema.METADATA.tables.values():
        for k, column in enumerate(table.columns):
            for value in GARBAGE[k % dose :: dose]:
                yield table.name, column.name, value


@pytest.fixture(scope="module")
def cases(dose: int, bases: tuple[Path, dict[str, str]]) -> list[Case]:
    """The damaged database; kinds of tables take turns."""
    file, ids = bases
    rows, found = Rows(file), []
    turns = itertools.cycle(BASES)
    made = []
    for table, column, value in damages(dose):
        base = next(turns) if table in ("sitting", "seat") else "over" if table == "score" else "running"
        case = rows.add_case(base, ids[base], f"{table}.{column} = {value!r:.30}", ids["running"])
        made.append((case, table, column, value))
    structural = [
        (rows.add_case(base, ids[base], statement, ids["running"]), statement)
        for statement in STRUCTURAL
        for base in BASES
    ]
    rows.rate_puzzles()
    rows.allow_anything()
    for (case, table, column, value), puzzle in zip(made, itertools.cycle(PUZZLES), strict=False):
        found.append(case)
        if table in ("heartbeat", "audit"):  # no table's
            rows.db.execute(f"DELETE FROM {table}")
            continue
        key = KEYS.get(table, "sitting")
        of = {"guest": case.guest, "puzzle": puzzle_ratings.key_of(puzzle)}.get(key, case.damaged)
        if table == "guest":
            of = case.guest
        at = " AND at = 3" if table == "log" else " AND seat = 0" if table == "seat" else ""
        new, given = ("CAST(x'ff41' AS TEXT)", ()) if value is NOT_TEXT else ("?", (value,))
        rows.db.execute(f'UPDATE {table} SET "{column}" = {new} WHERE {key} = ?{at}', (*given, of))
    for case, statement in structural:
        found.append(case)
        rows.db.execute(statement, (case.damaged,))
    rows.db.commit()
    rows.db.close()
    return found


class Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture(scope="module")
def lines() -> Iterator[Lines]:
    handler = Lines()
    logging.getLogger("motherlode").addHandler(handler)
    yield handler
    logging.getLogger("motherlode").removeHandler(handler)


@pytest.fixture(scope="module")
def server(bases: tuple[Path, dict[str, str]], cases: list[Case], lines: Lines) -> Iterator[Server]:
    with serving(f"sqlite:///{bases[0]}") as running:
        yield running


INTERNALS = ("Traceback", "sqlite", "SQL", "Error", "sitting", "column", "/tmp", ".db")


def check_answer(case: Case, answer: httpx.Response) -> None:
    """As if nothing were damaged, or a sentence that says so; never a failure of the server."""
    assert answer.status_code in (200, 400, 401, 403, 404, 409, 500), (case, answer.text)
    if answer.status_code == 500:
        assert answer.json()["no"] == "this table is damaged in the database; it cannot go on", (case, answer.text)
    elif answer.status_code != 200:
        assert not any(word in answer.json()["no"] for word in INTERNALS), (case, answer.text)


def solve_all(case: Case, http: httpx.Client) -> None:
    """All puzzles can be tried, in whatever order they come, and are rated."""
    some = PUZZLES[:: max(1, len(PUZZLES) // 10)]
    for puzzle in some:
        case.ask(http, "/api/puzzles/goldmine/next").raise_for_status()
        said = case.ask(http, f"/api/puzzles/{puzzle.id}/try", action=puzzle.answer).raise_for_status().json()
        assert said["right"] and 0 < said["puzzle"]["rating"] < 4000, case
    (mine,) = [one for one in case.ask(http, "/api/puzzles").json()["games"] if one["game"] == "goldmine"]
    assert mine["tried"] >= len(some) - 1 and 0 < mine["mine"]["rating"] < 4000, case


def test_one_table_stops_and_nothing_else(server: Server, cases: list[Case], lines: Lines) -> None:
    with httpx.Client(base_url=server.url, timeout=PATIENCE, verify=False) as http:
        for case in cases:
            answers = [
                case.ask(http, f"/api/tables/{case.damaged}"),
                case.ask(http, f"/api/tables/{case.damaged}/now?seat=0"),
                case.ask(http, f"/api/tables/{case.damaged}/act", seat=0, at=13, action=0),
            ]
            for answer in answers:
                check_answer(case, answer)
            mine = case.ask(http, "/api/tables?mine=true")
            if not case.what.startswith("guest."):
                assert case.healthy in {card["id"] for card in mine.json()["tables"]}, case
                running = case.ask(http, "/api/guests/me/games").raise_for_status().json()
                assert case.healthy in {card["id"] for card in running["tables"]}, case
                case.ask(http, "/api/guests/me/games?over=true").raise_for_status()
                record = case.ask(http, "/api/guests/me/record").raise_for_status().json()
                assert record["won"] == 1 or case.what.startswith("played."), case
            if case.what.startswith("puzzle_"):
                solve_all(case, http)
        opened = http.get("/api/tables").raise_for_status().json()["tables"]
        assert len(opened) > 10
        assert http.get("/ready").status_code == 200
    named = [record for record in lines.records if record.getMessage() == "a table is damaged"]
    ids = [record.__dict__["table"] for record in named]
    assert len(ids) == len(set(ids)) > 40
    assert not [record.getMessage() for record in lines.records if record.exc_info]


def test_sockets_are_told_too(server: Server, cases: list[Case]) -> None:
    for case in cases[::5]:
        try:
            with connect(
                f"ws://127.0.0.1:{server.port}/api/tables/{case.damaged}/socket?seat=0",
                additional_headers={"Authorization": f"Bearer {case.token}"},
                open_timeout=PATIENCE,
            ) as socket:
                assert json.loads(socket.recv(PATIENCE))["is"] == "table", case
        except InvalidStatus as no:
            said = httpx.Response(no.response.status_code, content=bytes(no.response.body))
            check_answer(case, said)


def test_what_is_missing_is_noticed(server: Server, cases: list[Case]) -> None:
    """Of a log or of the seats; a waiting table has no log yet."""
    with httpx.Client(base_url=server.url, timeout=PATIENCE, verify=False) as http:
        for case in cases:
            if case.what in CUT and not (case.base == "waiting" and "log" in case.what):
                assert case.ask(http, f"/api/tables/{case.damaged}").status_code == 500, case


def test_whoever_runs_the_server_is_shown_the_others_and_deletes_the_damaged(server: Server, cases: list[Case]) -> None:
    token = server.app.state.administration.token
    with httpx.Client(base_url=f"{server.url}/api/admin", timeout=PATIENCE, verify=False) as http:
        http.headers["authorization"] = f"Bearer {token}"
        tables = http.get("/tables", params={"most": 10_000}).raise_for_status().json()["tables"]
        assert {case.healthy for case in cases} <= {table["id"] for table in tables}
        guests = http.get("/guests", params={"most": 10_000}).raise_for_status().json()["guests"]
        assert {case.guest for case in cases if not case.what.startswith("guest.")} <= {guest["id"] for guest in guests}
        for case in cases[::7]:
            for path in (f"/tables/{case.damaged}", f"/guests/{case.guest}", f"/guests/{case.guest}/export"):
                check_answer(case, http.get(path))
        structural = [case for case in cases if case.what in STRUCTURAL]
        for case in structural[::5]:
            assert http.delete(f"/tables/{case.damaged}").status_code == 204, case


def test_damage_while_a_table_is_in_memory_is_noticed_when_it_is_read_again(server: Server) -> None:
    with Visitor(server, "Ada") as ada:
        table = ada.make("goldmine", "me", "me")["id"]
        with ada.open(table, 1) as page:
            live = server.parlour.tables[table]
            with server.parlour.storage.engine.begin() as db:
                db.execute(sa.delete(schema.LOG).where(schema.LOG.c.sitting == table, schema.LOG.c.at == 12))
                db.execute(sa.update(schema.SITTING).where(schema.SITTING.c.id == table).values(actions=14))
            live.is_stale = True
            page.send(do="act", at=page.table["at"], action=page.table["legal"][0]["action"])
            with pytest.raises(ConnectionClosed) as closed:
                page.wait("pong")
            assert closed.value.rcvd and "damaged" in closed.value.rcvd.reason
        assert "damaged" in ada.http.get(f"/api/tables/{table}/now", params={"seat": 1}).json()["no"]
        assert table not in server.parlour.tables


JSON_SHAPES = ("[1]", '"x"', "7", "null", "{}", '{"clock": "soon"}', '{"clock": {}}')


def test_postgresql_takes_less_garbage(new_postgresql: Callable[[], str]) -> None:
    """It keeps types and constraints, but not what follows from the rules."""
    database = new_postgresql()
    with serving(database) as server, Visitor(server, "Ada") as ada:
        tables = [ada.make("goldmine", "me", "random", clock=60)["id"] for _ in (*STRUCTURAL, *JSON_SHAPES)]
        healthy, token = ada.make("goldmine", "me", "me")["id"], ada.http.headers["authorization"]
    with psycopg.connect(database, autocommit=True) as db:
        for table, statement in zip(tables, STRUCTURAL, strict=False):
            with contextlib.suppress(psycopg.errors.UniqueViolation):
                db.execute(statement.replace("?", "%s").encode(), (table,))
        for table, shape in zip(tables[len(STRUCTURAL) :], JSON_SHAPES, strict=True):
            db.execute("UPDATE sitting SET settings = %s WHERE id = %s", (shape, table))
    with serving(database) as server, Visitor(server, "Ada") as ada:
        ada.http.headers["authorization"] = token
        assert healthy in {card["id"] for card in ada.get("/api/tables", mine=True)["tables"]}
        answers = [ada.http.get(f"/api/tables/{table}/now", params={"seat": 0}) for table in tables]
        for what, answer in zip((*STRUCTURAL, *JSON_SHAPES), answers, strict=True):
            check_answer(Case("with a bot and a clock", what, "", "", "", ""), answer)
        assert sum(answer.status_code == 500 for answer in answers) >= 15


def test_the_others_play(server: Server) -> None:
    with Visitor(server, "Ada") as ada:
        table = ada.make("goldmine", "me", "random", options={"target": 0})["id"]
        play_out([ada.open(table, 0)])
