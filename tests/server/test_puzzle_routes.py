"""Puzzles over HTTP: what is shown of one before a try and after it, tries that count, ratings, what is refused."""

import json
import random
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import IntegrityError
from support.administrator import Administrator
from support.local_server import Server, Visitor, serving
from support.lookalike_games import differing, twins
from support.twin_games import OPEN_GAMES
from support.viewer_tape import OPTIONS

from motherlode import engine, puzzles
from motherlode.game import Game
from motherlode.games import GAMES
from motherlode.puzzles import Puzzle
from motherlode.server import messages, puzzle_ratings, puzzle_routes, puzzle_wire, schema, storage, told_logs
from motherlode.server.puzzle_ratings import NEWCOMER, Rating, Tried

DAY = 24 * 3600
TODAY = date(1970, 1, 12)  # by the clock of these servers
GAME = "goldmine"
LISTED = puzzles.of(GAMES[GAME])


def some(game: str) -> list[Puzzle]:
    """The easiest, one in the middle and the hardest of a game."""
    listed = puzzles.of(GAMES[game])
    return [listed[0], listed[len(listed) // 2], listed[-1]]


def wrong(puzzle: Puzzle) -> int:
    return next(a for a in engine.legal(puzzle.game, puzzle.table().position) if a != puzzle.answer)


def attempt(visitor: Visitor, puzzle: Puzzle, action: int | None = None) -> dict[str, Any]:
    """A try, by default the right one."""
    given = puzzle.answer if action is None else action
    said: dict[str, Any] = visitor.post(f"/api/puzzles/{puzzle.id}/try", action=given)
    return said


def mine(visitor: Visitor, game: str = GAME) -> dict[str, Any]:
    (found,) = [one for one in visitor.get("/api/puzzles")["games"] if one["game"] == game]
    return dict(found)


def stored(server: Server, table: sa.Table) -> list[Any]:
    with server.parlour.storage.engine.connect() as db:
        return list(db.execute(sa.select(table)).all())


# The puzzle of the day


def test_the_day_has_one_puzzle_for_everybody(
    server: Server, ada: Visitor, bob: Visitor, stranger: Visitor, tmp_path: Any
) -> None:
    """For two guests, for somebody unknown, on another server, and in a process with other hashes."""
    code = "from motherlode.puzzles import date, of_the_day; print(of_the_day(date(1970, 1, 12))[1].id)"
    own = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    with serving(f"sqlite:///{tmp_path}/other.db") as another, Visitor(another, "Zoe") as zoe:
        visitors = (ada, bob, stranger, zoe)
        shown = [visitor.http.get("/api/puzzles/day").raise_for_status().content for visitor in visitors]
    assert len(set(shown)) == 1
    today = json.loads(shown[0])
    assert today["date"] == str(TODAY) and today["puzzle"]["id"] == own


def test_another_day_has_another_puzzle_and_keeps_it(server: Server, ada: Visitor) -> None:
    before = ada.get("/api/puzzles/day")
    server.move_clock(DAY)
    after = ada.get("/api/puzzles/day")
    assert after["date"] == str(date.fromisoformat(before["date"]) + timedelta(1))
    assert after["puzzle"]["id"] != before["puzzle"]["id"]
    assert ada.get("/api/puzzles/day", date=before["date"]) == before


DATES = ("", "today", "1970-1-2", "1970-01-32", "1970-02-29", "1970-01-02T00:00", "١٩٧٠-٠١-٠٢", "19700102")


@pytest.mark.parametrize("written", DATES)
def test_what_is_no_day_is_refused(ada: Visitor, written: str) -> None:
    answer = ada.http.get("/api/puzzles/day", params={"date": written})
    assert answer.status_code == 400 and "`date` is a day such as 1970-01-" in answer.json()["no"]


def test_a_day_to_come_keeps_its_puzzle(ada: Visitor) -> None:
    answer = ada.http.get("/api/puzzles/day", params={"date": "1970-02-01"})
    assert answer.status_code == 400 and "not out yet" in answer.json()["no"]


# Before a try

RESTS: dict[str, Callable[[Puzzle], Any]] = {
    "answer": wrong,
    "values": lambda puzzle: {a: value / 2 for a, value in reversed(puzzle.values.items())},
    "gap": lambda puzzle: puzzle.gap / 3,
    "proof": lambda puzzle: "proved" if puzzle.proof == "found" else "found",
    "difficulty": lambda puzzle: puzzle.difficulty + 777,
    "solved_by": lambda puzzle: dict.fromkeys(puzzle.solved_by, 0.123),
    "after": lambda puzzle: [],
}


@pytest.mark.parametrize("game", GAMES)
def test_nothing_tells_the_answer_before_a_try(
    ada: Visitor, stranger: Visitor, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    """Whatever is different in what a solver may not know, the bytes are the same."""
    assert {*Puzzle._fields} == {"id", "options", "seats", "actions", "seat", *RESTS}, "may a solver know this?"
    for puzzle in some(game):
        shown = set()
        for rest in (None, *RESTS):
            other = puzzle._replace(**{rest: RESTS[rest](puzzle)}) if rest else puzzle
            monkeypatch.setattr(puzzle_routes, "find_puzzle", lambda key, other=other: other)
            monkeypatch.setattr(puzzles, "of_the_day", lambda day, other=other: (other.game, other))
            monkeypatch.setattr(puzzles, "some_of", lambda game, other=other: [other])
            for visitor in (ada, stranger):
                sheets = [visitor.http.get(f"/api/puzzles/{asked}") for asked in (puzzle.id, f"{game}/next")]
                for sheet in sheets:
                    shown.add((sheet.content, str(sorted(sheet.headers.items()))))
                assert sheets[0].content in visitor.http.get("/api/puzzles/day").content
        assert len(shown) == 1, puzzle.id


def twin_puzzles(game: Game, seat: int) -> tuple[Puzzle, Puzzle, int]:
    """One decision in two worlds that its seat cannot tell apart, and in how many positions they differ."""
    options, seats = OPTIONS.get(game.NAME, {}), game.SEATS[0]
    log = twins(game, seats, options, seat, 24, tries=2)
    log = log[: max(at for at, pair in enumerate(log) if pair.actor == seat)]
    like = puzzles.of(game)[0]
    one, two = (
        like._replace(options=options, seats=seats, seat=seat, actions=[pair[1 + k] for pair in log]) for k in (0, 1)
    )
    return one, two, differing(game, seats, options, log)


def show(puzzle: Puzzle) -> str:
    return puzzle_wire.sheet(puzzle, None).model_dump_json()


@pytest.mark.parametrize("game", GAMES)
def test_the_true_position_is_not_told(game: str) -> None:
    for seat in range(GAMES[game].SEATS[0]):
        one, two, apart = twin_puzzles(GAMES[game], seat)
        assert (apart == 0) == (game in OPEN_GAMES)
        assert show(one) == show(two)


@pytest.mark.parametrize("what", ["view", "log"])
def test_a_true_position_that_is_told_is_noticed(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    one, two, _ = twin_puzzles(GAMES[GAME], 0)
    if what == "view":
        real = messages.drawing
        monkeypatch.setattr(puzzle_wire, "drawing", lambda puzzle, s: real(puzzle.game, bytes(s))._asdict())
    else:
        told = told_logs.ToldLogs.told
        monkeypatch.setattr(
            told_logs.ToldLogs, "told", lambda logs, seat, since, until: told(logs, 1 - seat, since, until)
        )
    assert show(one) != show(two)


@pytest.mark.parametrize("game", GAMES)
def test_a_puzzle_is_what_its_seat_is_asked(ada: Visitor, game: str) -> None:
    """The view and the legal actions are those that a bot would be given, and the log is as long."""
    for puzzle in some(game):
        sheet, ask = ada.get(f"/api/puzzles/{puzzle.id}"), puzzle.ask()
        fields = {field.name: sheet["view"][field.name] for field in puzzle.game.FIELDS}
        assert fields == json.loads(json.dumps(puzzle_wire.drawing(puzzle, puzzle.table().position)["view"]))
        assert [one["action"] for one in sheet["legal"]] == ask.legal and sheet["seat"] == ask.seat
        assert [(did["actor"], did["action"]) for did in sheet["did"]] == [
            (told.actor, None if told.action < 0 else told.action) for told in ask.log
        ]
        assert sheet["solved"] is None and sheet["seats"] == puzzle.seats


# After a try


@pytest.mark.parametrize("game", GAMES)
def test_a_try_is_told_what_is_right_and_why(stranger: Visitor, game: str) -> None:
    for puzzle in some(game):
        for action in (puzzle.answer, wrong(puzzle)):
            said = attempt(stranger, puzzle, action)
            assert said["right"] == (action == puzzle.answer) and said["action"] == action
            assert said["answer"]["action"] == puzzle.answer and said["proof"] == puzzle.proof
            assert {one["action"]: one["chance"] for one in said["chances"]} == puzzle.values
            chances = [one["chance"] for one in said["chances"]]
            assert chances == sorted(chances, reverse=True) and said["chances"][0]["action"] == puzzle.answer
            did = [step["did"] for step in said["steps"]]
            assert len(did) == 1 + len(puzzle.after)
            assert (did[0]["actor"], did[0]["action"]) == (puzzle.seat, puzzle.answer)
            assert {one["level"]: one["share"] for one in said["levels"]} == puzzle.solved_by
            assert not said["counts"] and said["mine"] is None


def test_whoever_is_unknown_can_try_and_is_not_rated(server: Server, stranger: Visitor) -> None:
    tables = (schema.PUZZLE_TRY, schema.PUZZLE_SOLVER, schema.PUZZLE_RATING)
    before = [stored(server, table) for table in tables]
    said = attempt(stranger, LISTED[0])
    assert said["right"] and not said["counts"]
    assert [stored(server, table) for table in tables] == before
    assert mine(stranger)["mine"] is None and mine(stranger)["tried"] == 0


def test_the_first_try_counts_and_no_other(ada: Visitor) -> None:
    puzzle = LISTED[0]
    assert mine(ada)["mine"] is None
    missed = attempt(ada, puzzle, wrong(puzzle))
    assert missed["counts"] and missed["before"] is None and missed["mine"]["rating"] < NEWCOMER[0]
    assert (missed["mine"]["tries"], missed["mine"]["solved"]) == (1, 0)
    again = attempt(ada, puzzle)
    assert again["right"] and not again["counts"] and again["mine"] is None and again["puzzle"] == missed["puzzle"]
    assert mine(ada) == {"game": GAME, "title": "Goldmine", "puzzles": len(LISTED), "tried": 1, "mine": missed["mine"]}
    assert ada.get(f"/api/puzzles/{puzzle.id}")["solved"] is False
    solved = attempt(ada, LISTED[1])
    assert solved["before"] == missed["mine"] and solved["mine"]["rating"] > missed["mine"]["rating"]
    assert solved["mine"]["margin"] < missed["mine"]["margin"]
    assert ada.get(f"/api/puzzles/{LISTED[1].id}")["solved"] is True


def test_the_puzzle_is_rated_too(ada: Visitor, bob: Visitor) -> None:
    puzzle = LISTED[-1]
    first = attempt(ada, puzzle)["puzzle"]
    assert first["rating"] < puzzle.difficulty and (first["tries"], first["solved"]) == (1, 1)
    second = attempt(bob, puzzle, wrong(puzzle))["puzzle"]
    assert second["rating"] > first["rating"] and (second["tries"], second["solved"]) == (2, 1)


def test_a_game_has_a_rating_of_its_own(ada: Visitor) -> None:
    attempt(ada, LISTED[0])
    assert mine(ada)["mine"] and mine(ada, "china_gold")["mine"] is None
    other = puzzles.of(GAMES["china_gold"])[0]
    assert attempt(ada, other)["before"] is None


def test_ratings_are_kept(tmp_path: Any) -> None:
    database = f"sqlite:///{tmp_path}/parlour.db"
    with serving(database) as server, Visitor(server, "Ada") as ada:
        attempt(ada, LISTED[0])
        before = mine(ada)
        token = ada.http.headers["authorization"]
    with serving(database) as server, Visitor(server, "Again") as again:
        again.http.headers["authorization"] = token
        assert mine(again) == before and before["tried"] == 1
        said = attempt(again, LISTED[0])
        assert not said["counts"] and said["puzzle"]["tries"] == 1


def test_another_puzzle_by_the_same_name_begins_anew(ada: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = LISTED[0]
    attempt(ada, puzzle)
    other = LISTED[1]._replace(id=puzzle.id)
    monkeypatch.setattr(puzzle_routes, "find_puzzle", lambda key: other)
    assert attempt(ada, other)["counts"]


def test_many_at_once_are_all_counted(new_postgresql: Callable[[], str]) -> None:
    """By two processes on one database, for whom the puzzle's first rating is the same row."""
    database = new_postgresql()
    with serving(database) as one, serving(database) as two, ThreadPoolExecutor(8) as pool:
        visitors = [Visitor(server, f"Guest {k}") for k in range(8) for server in (one, two)]
        twice = [*visitors, *(visitor.elsewhere(two) for visitor in visitors[:4])]  # the same guests, by the other one
        said = list(pool.map(lambda visitor: attempt(visitor, LISTED[0]), twice))
        assert sum(one["counts"] for one in said) == len(visitors)
        assert attempt(visitors[0], LISTED[0])["puzzle"]["tries"] == len(visitors)
        assert all(mine(visitor)["mine"]["tries"] == 1 for visitor in visitors)
        for visitor in twice:
            visitor.close()


def test_a_first_rating_is_not_written_over(new_postgresql: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process stores the first try at a puzzle between our looking for one and our storing ours."""
    engine = storage.connect(new_postgresql(), 5.0)
    storage.migrate(engine)
    rate, puzzle = puzzle_ratings.rate, LISTED[0]

    def meanwhile(*args: Any) -> Any:
        monkeypatch.setattr(puzzle_ratings, "rate", rate)
        with engine.begin() as db:
            puzzle_ratings.store_try(db, "another", puzzle, puzzle.answer, 1.0)
        return rate(*args)

    monkeypatch.setattr(puzzle_ratings, "rate", meanwhile)
    with pytest.raises(IntegrityError), engine.begin() as db:
        puzzle_ratings.store_try(db, "one", puzzle, puzzle.answer, 1.0)
    with engine.begin() as db:
        outcome = puzzle_ratings.store_try(db, "one", puzzle, puzzle.answer, 1.0)
    assert outcome.puzzle.tries == 2 and outcome.mine and outcome.mine.tries == 1
    engine.dispose()


# What a try does to ratings

RATINGS = st.builds(Rating, st.floats(300, 2800), st.floats(40, 350))


@given(RATINGS, RATINGS)
def test_ratings_move_the_right_way(solver: Rating, puzzle: Rating) -> None:
    right, its_loss = puzzle_ratings.rate(solver, puzzle, True)
    wrong, its_win = puzzle_ratings.rate(solver, puzzle, False)
    assert wrong.mean < solver.mean < right.mean and its_loss.mean < puzzle.mean < its_win.mean
    for one, before in ((right, solver), (wrong, solver), (its_loss, puzzle), (its_win, puzzle)):
        assert one.deviation < before.deviation + 1 and one.tries == before.tries + 1


@given(st.floats(900, 2100), st.floats(50, 350))
def test_what_is_expected_moves_less(mean: float, deviation: float) -> None:
    solver = Rating(mean, deviation)
    easy, hard = (puzzle_ratings.rate(solver, Rating(mean + by, 60), True)[0].mean for by in (-400, 400))
    assert easy - mean < hard - mean


def test_a_solver_is_found_out() -> None:
    """Whoever is right as often as Elo's scale says of 1,900 comes near to that, and its margin shrinks."""
    rng, solver = random.Random(2), Rating(*NEWCOMER)
    for _ in range(150):
        puzzle = Rating(solver.mean + rng.uniform(-200, 200), puzzle_ratings.MEASURED)
        is_right = rng.random() < 1 / (1 + 10 ** ((puzzle.mean - 1900) / 400))
        solver, _ = puzzle_ratings.rate(solver, puzzle, is_right)
    assert abs(solver.mean - 1900) < 2.5 * solver.deviation and solver.deviation < 80


# Which puzzle comes next


def test_puzzles_come_once_and_suit(ada: Visitor) -> None:
    """The first one is rather easy, none comes twice, and whoever solves them gets harder ones."""
    seen: list[Puzzle] = []
    for _ in range(min(12, len(LISTED))):
        shown = ada.get(f"/api/puzzles/{GAME}/next")
        assert shown == ada.get(f"/api/puzzles/{GAME}/next")
        seen.append(puzzles.find(shown["id"]))
        attempt(ada, seen[-1])
    assert len({puzzle.id for puzzle in seen}) == len(seen)
    assert seen[0].difficulty < sum(one.difficulty for one in LISTED) / len(LISTED)
    assert max(one.difficulty for one in seen) > seen[0].difficulty


def test_what_was_missed_comes_again_and_what_was_solved_latest_comes_last() -> None:
    ratings = {puzzle.id: puzzle_ratings.at_first(puzzle) for puzzle in LISTED}
    tried = {puzzle.id: Tried(True, 1.0, True, float(k)) for k, puzzle in enumerate(LISTED)}

    def next_one() -> Puzzle:
        return puzzle_ratings.choose(LISTED, ratings, Rating(1500, 80), tried)

    assert next_one() == LISTED[0]
    tried[LISTED[0].id] = Tried(True, 1.0, True, 999.0)
    assert next_one() == LISTED[1]
    tried[LISTED[5].id] = Tried(True, 1.0, False, 1000.0)
    assert next_one() == LISTED[5]
    del tried[LISTED[7].id]
    assert next_one() == LISTED[7]


def test_whoever_is_unknown_goes_through_all_from_the_easiest_on(stranger: Visitor) -> None:
    ids, last = [], None
    for _ in range(len(LISTED) + 1):
        last = stranger.get(f"/api/puzzles/{GAME}/next", **({"after": last} if last else {}))["id"]
        ids.append(last)
    assert ids == [puzzle.id for puzzle in LISTED] + [LISTED[0].id]
    assert stranger.get(f"/api/puzzles/{GAME}/next", after="goldmine-nonesuch")["id"] == LISTED[0].id


def test_the_games_are_listed(stranger: Visitor) -> None:
    games = stranger.get("/api/puzzles")["games"]
    assert [(one["game"], one["puzzles"]) for one in games] == [(name, len(puzzles.of(GAMES[name]))) for name in GAMES]


# What is refused


@pytest.mark.parametrize("path", ["", "/try"])
@pytest.mark.parametrize("key", ["goldmine-9999", GAME, "nonesuch-001", "-", "%2e%2e-1", "x" * 500, "goldmine-001x"])
def test_a_puzzle_that_is_not_there(ada: Visitor, key: str, path: str) -> None:
    asked = f"/api/puzzles/{key}{path}"
    answer = ada.http.post(asked, json={"action": 0}) if path else ada.http.get(asked)
    assert answer.status_code == 404 and len(answer.json()["no"]) < 300, answer.text
    assert "puzzle" in answer.json()["no"] or "there is no game" in answer.json()["no"]


def test_a_game_that_is_not_there_or_has_no_puzzles(ada: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "there is no game" in ada.http.get("/api/puzzles/nonesuch/next").json()["no"]
    monkeypatch.setattr(puzzles, "read", lambda game: None)
    answer = ada.http.get(f"/api/puzzles/{GAME}/next")
    assert answer.status_code == 400 and "has no puzzles" in answer.json()["no"]
    assert ada.get("/api/puzzles") == {"games": []}
    answer = ada.http.get("/api/puzzles/day")
    assert answer.status_code == 400 and "no game here has puzzles" in answer.json()["no"]


@pytest.mark.parametrize("game", GAMES)
def test_an_illegal_action_is_refused_and_is_no_try(server: Server, ada: Visitor, game: str) -> None:
    puzzle = puzzles.of(GAMES[game])[0]
    legal = engine.legal(puzzle.game, puzzle.table().position)
    path, before = f"/api/puzzles/{puzzle.id}/try", stored(server, schema.PUZZLE_TRY)
    illegal = next(a for a in range(len(puzzle.game.ACTIONS)) if a not in legal)
    answer = ada.http.post(path, json={"action": illegal})
    assert answer.status_code == 400 and answer.json()["clause"] and "is not legal here" in answer.json()["no"]
    answer = ada.http.post(path, json={"action": 999_999})
    assert answer.status_code == 400 and "is no action of" in answer.json()["no"]
    for body in ({}, {"action": "1"}, {"action": -1}, {"action": None}, {"action": 1.5}, {"action": 1, "more": 2}):
        assert ada.http.post(path, json=body).status_code == 422
    assert stored(server, schema.PUZZLE_TRY) == before
    assert str(puzzle.answer) not in answer.json()["no"]


def test_too_many_tries_are_refused(tmp_path: Any) -> None:
    with serving(f"sqlite:///{tmp_path}/parlour.db", tries=(3, 60.0)) as server, Visitor(server, "Ada") as ada:
        for _ in range(3):
            attempt(ada, LISTED[0])
        answer = ada.http.post(f"/api/puzzles/{LISTED[0].id}/try", json={"action": 0})
        assert answer.status_code == 429 and "too many tries" in answer.json()["no"]
        server.move_clock(20)
        attempt(ada, LISTED[0])


# One person's data


@pytest.fixture
def tried(ada: Visitor, bob: Visitor) -> None:
    for visitor in (ada, bob):
        attempt(visitor, LISTED[2])
        attempt(visitor, LISTED[3], wrong(LISTED[3]))


@pytest.mark.usefixtures("tried")
def test_tries_and_ratings_go_with_the_guest(server: Server, ada: Visitor, bob: Visitor) -> None:
    its = mine(bob)
    others = stored(server, schema.PUZZLE_RATING)
    assert ada.http.delete("/api/guests/me").status_code == 204
    for table in (schema.PUZZLE_TRY, schema.PUZZLE_SOLVER):
        guests = {row.guest for row in stored(server, table)}
        assert ada.keys["id"] not in guests and bob.keys["id"] in guests
    assert mine(bob) == its and stored(server, schema.PUZZLE_RATING) == others


@pytest.mark.usefixtures("tried")
def test_tries_and_ratings_are_exported(host: Administrator, ada: Visitor, bob: Visitor) -> None:
    data = host.sees("export", ada.keys["id"])
    assert [(one["puzzle"].partition("~")[0], one["solved"]) for one in data["puzzle_tries"]] == [
        (LISTED[2].id, True),
        (LISTED[3].id, False),
    ]
    (rated,) = data["puzzle_ratings"]
    assert rated == {"game": GAME, **mine(ada)["mine"]}
    assert bob.keys["id"] not in str(data)
