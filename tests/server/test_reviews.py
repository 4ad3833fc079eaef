"""Reviews: of finished games alone, computed once and stored, in the background and bounded; and who may see them."""

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from support.local_server import Server, Visitor, play_out, serving
from support.reviewed import SHORT, QuickJudge, finished, short_review, until_reviewed

from motherlode import text
from motherlode.review import review
from motherlode.server import reviews, schema
from motherlode.server.reviews import MOST_OF_ONE, NOT_AGAIN, Reviewed, Reviews


@pytest.fixture
def judge(server: Server) -> Iterator[QuickJudge]:
    run = server.app.state.reviews.run
    found = QuickJudge(server)
    yield found
    found.go_on.set()
    server.app.state.reviews.run = run


def status(visitor: Visitor, method: str, path: str) -> tuple[int, str]:
    answer = visitor.http.request(method, path)
    return answer.status_code, answer.json().get("no", "") if answer.content else ""


def rows(server: Server, table: sa.Table, **where: Any) -> list[Any]:
    asked = sa.select(table).where(*(table.c[name] == value for name, value in where.items()))
    with server.parlour.storage.engine.begin() as db:
        return list(db.execute(asked).all())


# The real judge


def test_a_game_is_reviewed_in_a_process_of_its_own(
    server: Server, ada: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the pages get is what the judge says, and it adds up."""
    receive, processes = reviews.receive, []

    def note(pipe: Any) -> Reviewed:
        processes.append(server.app.state.reviews.process.pid)
        return receive(pipe)

    monkeypatch.setattr(reviews, "receive", note)
    key = finished(ada, "me", "me")
    first = ada.http.post(f"/api/tables/{key}/review")
    assert first.status_code == 202 and first.json()["state"] == "working" and first.json()["place"] == 0
    state = until_reviewed(ada, key)
    assert state["state"] == "done" and state["mine"] == [0, 1]
    assert len(processes) == 1 and os.getpid() not in processes
    found, end = state["review"], ada.get(f"/api/tables/{key}/replay")["positions"][-1]["at"]
    assert found["game"] == "goldmine" and found["length"] == end
    for seat in found["seats"]:
        parts = [seat[part] for part in ("deal", "chance", "own", "others")]
        assert abs(sum(parts) - seat["result"]) < 1e-9
        assert abs(seat["won"] - seat["start"] - seat["result"]) < 1e-9
        assert seat["curve"] and all(0 <= point["known"] <= 1 for point in seat["curve"])


def test_a_process_that_is_killed_is_made_good_for(
    server: Server, ada: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once; when it dies again, the page is told, and the game is tried again after a while."""
    found: Reviews = server.app.state.reviews
    run, receive, lives = found.run, reviews.receive, [False, True, False, False, True]

    async def sometimes(record: str) -> Reviewed:
        if lives.pop(0):
            return Reviewed(short_review(text.read_record(record)), "", 0.0)
        return await run(record)

    def killed(pipe: Any) -> Reviewed:
        assert found.process and found.process.pid
        os.kill(found.process.pid, signal.SIGKILL)
        return receive(pipe)

    monkeypatch.setattr(found, "run", sometimes)
    monkeypatch.setattr(reviews, "receive", killed)
    assert until_reviewed(ada, finished(ada))["state"] == "done" and len(lives) == 3
    other = finished(ada)
    for _ in range(2):
        state = until_reviewed(ada, other)
        assert state["state"] == "failed" and "could not be reviewed" in state["no"] and len(lives) == 1
    server.move_clock(NOT_AGAIN)
    assert until_reviewed(ada, other)["state"] == "done" and not lives


def test_what_a_judge_raises_is_in_the_log_alone(server: Server, ada: Visitor, judge: QuickJudge) -> None:
    def fail(_: Any) -> dict[str, Any]:
        raise ValueError("a secret of the judge")

    judge.judge = fail
    state = until_reviewed(ada, finished(ada))
    assert state["state"] == "failed" and "secret" not in str(state)


# Finished games alone


def test_running_waiting_adjourned_closed_and_given_up_games_are_refused(
    server: Server, ada: Visitor, bob: Visitor, judge: QuickJudge
) -> None:
    running = ada.make("goldmine", "me", "random", watch=True)["id"]
    waiting = ada.make("goldmine", "me", "link", watch=True)["id"]
    adjourned = ada.make("goldmine", "me", "random", watch=True)["id"]
    page = ada.open(adjourned, 0)
    page.send(do="adjourn")
    page.wait("table", lambda message: message["adjourned"] is not None)
    given_up = ada.make("goldmine", "me", "random", watch=True)["id"]
    page = ada.open(given_up, 0)
    page.until_turn()
    page.send(do="resign", at=page.table["at"])
    page.wait("table", lambda message: message["result"] is not None)
    for who in (ada, bob):
        for key in (running, waiting, adjourned):
            for method in ("GET", "POST"):
                code, no = status(who, method, f"/api/tables/{key}/review")
                assert (code, "not over yet" in no) == (400, True), no
        code, no = status(who, "POST", f"/api/tables/{given_up}/review")
        assert (code, "given up" in no) == (400, True), no
    code, no = status(ada, "POST", f"/api/tables/{running}/review/share")
    assert (code, "not over yet" in no) == (400, True)
    assert judge.reviewed == [] and not rows(server, schema.SHARED, sitting=running)


def test_whoever_is_told_late_is_refused_as_in_a_running_game(
    server: Server, ada: Visitor, eve: Visitor, judge: QuickJudge
) -> None:
    """Also when a player has had it reviewed, and has shared it, before the delay is over."""
    running = ada.make("goldmine", "me", "random", watch=True, delay=60)["id"]
    no = status(eve, "POST", f"/api/tables/{running}/review")
    key, private = (finished(ada, watch=watch, delay=60) for watch in (True, False))
    refused = status(eve, "POST", f"/api/tables/{private}/review")
    for one in (key, private):
        assert until_reviewed(ada, one)["state"] == "done"
        assert status(ada, "POST", f"/api/tables/{one}/review/share") == (204, "")
    for method, what in (("GET", "review"), ("POST", "review"), ("GET", "replay")):
        assert status(eve, method, f"/api/tables/{key}/{what}") == no
        assert status(eve, method, f"/api/tables/{private}/{what}") == refused
    assert "told to: the public" in eve.http.get(f"/api/tables/{key}/record").text
    server.move_clock(60)
    for one in (key, private):
        assert until_reviewed(eve, one)["state"] == "done"
        assert status(eve, "GET", f"/api/tables/{one}/replay")[0] == 200


# Stored


def test_it_is_computed_once_and_served_ever_after(server: Server, ada: Visitor, judge: QuickJudge) -> None:
    key = finished(ada)
    path = f"/api/tables/{key}/review"
    assert ada.get(path)["state"] == "none" and judge.reviewed == []  # looking starts nothing
    judge.go_on.clear()
    assert [ada.http.post(path).status_code for _ in range(3)] == [202] * 3
    assert ada.get(path)["state"] == "working"
    judge.go_on.set()
    found = until_reviewed(ada, key)
    assert [until_reviewed(ada, key) for _ in range(3)] == [found] * 3 and ada.get(path) == found
    assert len(judge.reviewed) == 1
    assert found["review"]["players"] == ["Ada", "random"]


def test_it_outlives_a_restart(tmp_path: Any) -> None:
    address = f"sqlite:///{tmp_path / 'parlour.db'}"
    with serving(address) as server, Visitor(server) as ada:
        judge = QuickJudge(server)
        key = finished(ada)
        found = until_reviewed(ada, key)
        token = ada.http.headers["authorization"]
    with serving(address) as server, Visitor(server) as ada:
        judge = QuickJudge(server)
        ada.http.headers["authorization"] = token
        assert until_reviewed(ada, key) == found and judge.reviewed == []


def test_a_newer_judge_replaces_it(
    server: Server, ada: Visitor, judge: QuickJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mistakes that both see keep the date on which they come back; what is no mistake any more is forgotten."""
    key = finished(ada)
    until_reviewed(ada, key)
    first, *others = ada.get("/api/guests/me/mistakes")["mistakes"]
    path = f"/api/guests/me/mistakes/{key}/0/{first['at']}"
    tried = ada.post(path, action=ada.get(path)["legal"][0]["action"])["mistake"]
    monkeypatch.setattr(review, "VERSION", 2)
    judge.judge = lambda played: short_review(played, mistakes=1)
    assert ada.get(f"/api/tables/{key}/review")["state"] == "none"
    until_reviewed(ada, key)
    assert len(judge.reviewed) == 2 and len(others) == 2
    assert [row.version for row in rows(server, schema.REVIEW, sitting=key)] == [2]
    assert ada.get("/api/guests/me/mistakes")["mistakes"] == [tried]
    assert len(rows(server, schema.JUDGED, sitting=key)) == 1


@pytest.mark.parametrize("damaged", ["[1]", "{}", '{"half":', '{"seats": "none"}'])
def test_a_damaged_one_is_made_again(server: Server, ada: Visitor, judge: QuickJudge, damaged: str) -> None:
    key = finished(ada)
    found = until_reviewed(ada, key)
    with server.parlour.storage.engine.begin() as db:
        db.execute(
            sa.text("UPDATE review SET review = :damaged WHERE sitting = :key"), {"damaged": damaged, "key": key}
        )
    assert until_reviewed(ada, key) == found and len(judge.reviewed) == 2


# In the background, bounded and fair


def test_one_game_at_a_time_and_everybody_gets_a_turn(
    server: Server, ada: Visitor, bob: Visitor, judge: QuickJudge
) -> None:
    """Whoever asks for many waits for others; nobody can ask for more than a few, or again for what is asked for."""
    games = [finished(ada, watch=True) for _ in range(MOST_OF_ONE + 1)]
    his = finished(bob)
    judge.go_on.clear()
    for key in games[:MOST_OF_ONE]:
        for _ in range(2):
            ada.post(f"/api/tables/{key}/review", 202)
    code, no = status(ada, "POST", f"/api/tables/{games[-1]}/review")
    assert (code, f"{MOST_OF_ONE} reviews already" in no) == (429, True)
    assert bob.post(f"/api/tables/{his}/review", 202)["place"] == MOST_OF_ONE
    assert bob.post(f"/api/tables/{games[0]}/review", 202)["place"] == 0  # no second time
    judge.go_on.set()
    for key in [*games[:MOST_OF_ONE], his]:
        until_reviewed(bob if key == his else ada, key)
    assert len(judge.reviewed) == MOST_OF_ONE + 1
    order = ["Bob" in record for record in judge.reviewed]
    assert order.index(True) <= 2, order
    assert until_reviewed(ada, games[-1])["state"] == "done"


def test_the_queue_is_bounded(tmp_path: Any) -> None:
    with serving(f"sqlite:///{tmp_path / 'parlour.db'}", reviews_waiting=2) as server:
        judge = QuickJudge(server)
        visitors = [Visitor(server, name) for name in ("Ada", "Bob", "Eve", "Dan")]
        games = [finished(one) for one in visitors]
        judge.go_on.clear()
        for one, key in zip(visitors[:3], games, strict=False):
            one.post(f"/api/tables/{key}/review", 202)
            while server.app.state.reviews.current is None:  # the first is taken from the queue
                pass
        code, no = status(visitors[3], "POST", f"/api/tables/{games[3]}/review")
        assert (code, "wait to be reviewed" in no) == (503, True)
        judge.go_on.set()
        for one, key in zip(visitors, games, strict=True):
            assert until_reviewed(one, key)["state"] == "done"
        for one in visitors:
            one.close()


def test_the_rate_is_limited_where_something_is_computed(tmp_path: Any) -> None:
    with serving(f"sqlite:///{tmp_path / 'parlour.db'}", reviews=(1, 3600.0)) as server, Visitor(server) as ada:
        QuickJudge(server)
        first, second = finished(ada), finished(ada)
        for _ in range(3):
            until_reviewed(ada, first)
        assert status(ada, "POST", f"/api/tables/{second}/review")[0] == 429
        assert until_reviewed(ada, first)["state"] == "done"


def test_a_server_that_stops_ends_the_process(tmp_path: Any) -> None:
    with serving(f"sqlite:///{tmp_path / 'parlour.db'}") as server, Visitor(server) as ada:
        ada.post(f"/api/tables/{finished(ada)}/review", 202)
        while (process := server.app.state.reviews.process) is None or process.pid is None:
            pass
        pid = process.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


# Who may see it


def test_a_private_game_is_shared_by_a_link(server: Server, ada: Visitor, eve: Visitor, judge: QuickJudge) -> None:
    """By a player, with review, record and replay, and no more; until it is not shared any more."""
    key = finished(ada)
    state = until_reviewed(ada, key)
    assert state["shared"] is False
    paths = [f"/api/tables/{key}/{what}" for what in ("review", "replay", "record")]
    assert [eve.http.get(path).status_code for path in paths] == [403] * 3
    assert status(eve, "POST", f"/api/tables/{key}/review/share")[0] == 403
    for _ in range(2):
        assert status(ada, "POST", f"/api/tables/{key}/review/share") == (204, "")
    assert status(eve, "DELETE", f"/api/tables/{key}/review/share")[0] == 403
    shown = eve.get(paths[0])
    assert shown == {**state, "shared": True, "mine": []}
    assert [eve.http.get(path).status_code for path in paths] == [200] * 3
    assert eve.http.get(paths[2]).text == ada.http.get(paths[2], params={"seat": 0}).text
    for hidden in ("now", "log"):
        assert status(eve, "GET", f"/api/tables/{key}/{hidden}")[0] == 403
    assert status(ada, "DELETE", f"/api/tables/{key}/review/share") == (204, "")
    assert [eve.http.get(path).status_code for path in paths] == [403] * 3


def test_nobody_needs_a_token_for_what_everybody_may_see(server: Server, ada: Visitor, judge: QuickJudge) -> None:
    key = finished(ada, watch=True)
    with Visitor(server) as nobody:
        del nobody.http.headers["authorization"]
        state = until_reviewed(nobody, key)
        assert state["state"] == "done" and state["mine"] == [] and state["shared"]
        assert status(nobody, "POST", f"/api/tables/{key}/review/share")[0] == 401


# Deleting


def stored_of(server: Server, key: str) -> dict[str, int]:
    tables = (schema.REVIEW, schema.SHARED, schema.JUDGED, schema.MISTAKE)
    return {table.name: len(rows(server, table, sitting=key)) for table in tables}


def test_what_is_deleted_with_a_table_and_with_a_guest(
    server: Server, ada: Visitor, bob: Visitor, judge: QuickJudge
) -> None:
    """With others a game stays, without the name and the mistakes of who is gone."""
    alone, deleted = finished(ada), finished(ada)
    together = ada.make("goldmine", "me", "anyone", options=SHORT, watch=True)["id"]
    bob.take(together, 1)
    play_out([ada.open(together, 0), bob.open(together, 1)])
    for key in (alone, deleted, together):
        until_reviewed(ada, key)
        assert status(ada, "POST", f"/api/tables/{key}/review/share") == (204, "")
        assert all(stored_of(server, key).values())
    host = {"authorization": f"Bearer {server.app.state.administration.token}"}
    assert bob.http.delete(f"/api/admin/tables/{deleted}", headers=host).status_code == 204
    assert not any(stored_of(server, deleted).values())
    assert "Ada" not in str(rows(server, schema.REVIEW, sitting=together))
    exported = bob.http.get(f"/api/admin/guests/{ada.keys['id']}/export", headers=host).json()
    assert {one["table"] for one in exported["mistakes"]} == {alone, together}
    assert ada.http.delete("/api/guests/me").status_code == 204
    assert not any(stored_of(server, alone).values())
    for table in (schema.JUDGED, schema.MISTAKE):
        assert {row.guest for row in rows(server, table, sitting=together)} == {bob.keys["id"]}
    shown = bob.get(f"/api/tables/{together}/review")
    assert shown["state"] == "done" and "Ada" not in str(shown)


def test_a_game_that_is_deleted_while_it_is_reviewed_leaves_nothing(
    server: Server, ada: Visitor, bob: Visitor, judge: QuickJudge
) -> None:
    key, later = finished(ada), finished(bob)
    judge.go_on.clear()
    ada.post(f"/api/tables/{key}/review", 202)
    assert ada.http.delete("/api/guests/me").status_code == 204
    judge.go_on.set()
    assert until_reviewed(bob, later)["state"] == "done"  # and the next one goes on
    assert not any(stored_of(server, key).values())


# PostgreSQL, with two servers


def test_two_servers_review_a_game_once(new_postgresql: Any) -> None:
    address = new_postgresql()
    with serving(address) as one, serving(address) as two, Visitor(one) as ada, ada.elsewhere(two) as twin:
        judges = [QuickJudge(one), QuickJudge(two)]
        key = finished(ada)
        for judge in judges:
            judge.go_on.clear()
        ada.post(f"/api/tables/{key}/review", 202)
        while not judges[0].reviewed:
            pass
        assert twin.http.post(f"/api/tables/{key}/review").status_code == 202
        for judge in judges:
            judge.go_on.set()
        assert until_reviewed(ada, key) == until_reviewed(twin, key)
        assert [len(judge.reviewed) for judge in judges] == [1, 0]
        mine = ada.get("/api/guests/me/mistakes")
        assert mine == twin.get("/api/guests/me/mistakes") and mine["total"] == 3
