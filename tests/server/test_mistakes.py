"""My mistakes: a guest's own, as the seat knew it then, and what was missed comes back after growing intervals."""

from collections.abc import Iterator
from math import sqrt
from typing import Any

import pytest
from support.generated_requests import NO_CODE
from support.local_server import Server, Visitor, play_out
from support.reviewed import SHORT, QuickJudge, finished, short_review, until_reviewed

from motherlode import engine
from motherlode.games import GAMES
from motherlode.server import mistakes, review_queries
from motherlode.server.mistakes import DAY, INTERVALS, pooled
from motherlode.server.review_queries import Judged


@pytest.fixture(autouse=True)
def judge(server: Server) -> Iterator[QuickJudge]:
    run = server.app.state.reviews.run
    yield QuickJudge(server)
    server.app.state.reviews.run = run


MINE = "/api/guests/me/mistakes"


def path_of(one: dict[str, Any]) -> str:
    return f"{MINE}/{one['table']}/{one['seat']}/{one['at']}"


def answers(visitor: Visitor, key: str) -> dict[int, dict[str, Any]]:
    """What would have been better, by place."""
    seats = until_reviewed(visitor, key)["review"]["seats"]
    return {one["at"]: one for seat in seats for one in seat["mistakes"]}


def one_of(visitor: Visitor, one: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(other for other in visitor.get(MINE)["mistakes"] if path_of(other) == path_of(one))
    return found


def test_what_is_listed(server: Server, ada: Visitor) -> None:
    """Those of all reviewed games, the costliest first among those that are due; never what would have been better."""
    assert ada.get(MINE) == {"mistakes": [], "total": 0, "due": 0, "rates": []}
    games = [finished(ada) for _ in range(2)]
    assert ada.get(MINE)["total"] == 0  # nobody has asked for a review
    told = {key: answers(ada, key) for key in games}
    found = ada.get(MINE)
    assert (found["total"], found["due"], len(found["mistakes"])) == (6, 6, 6)
    for one in found["mistakes"]:
        answer = told[one["table"]][one["at"]]
        assert (one["seat"], one["game"], one["kind"], one["loss"]) == (0, "goldmine", answer["kind"], answer["loss"])
        assert "best" not in str(one) and one["due_now"] and (one["tries"], one["step"]) == (0, 0)
    losses = [one["loss"] for one in found["mistakes"]]
    assert losses == sorted(losses, reverse=True)
    kinds = {one["kind"] for one in found["mistakes"]}
    for kind in kinds:
        some = ada.get(MINE, kind=kind, game="goldmine")["mistakes"]
        assert some == [one for one in found["mistakes"] if one["kind"] == kind]
    assert ada.get(MINE, game="claimpoker")["mistakes"] == []
    assert len(ada.get(MINE, most=2)["mistakes"]) == 2 and ada.get(MINE, most=2)["total"] == 6


@pytest.mark.parametrize("game", GAMES)
def test_the_position_is_what_the_seat_knew(ada: Visitor, game: str) -> None:
    """Its view and what it was told, byte for byte, and nothing of what came later; in every game."""
    seats = GAMES[game].SEATS[0]
    short = {option.name: option.values[0] for option in GAMES[game].OPTIONS if option.name in ("target", "games")}
    key = ada.make(game, *["me"] * (seats - 1), "random", options=short)["id"]
    play_out([ada.open(key, seat) for seat in range(seats - 1)])
    live = ada.server.parlour.tables[key]
    played = live.record()
    for one in next(iter(short_review(played)["seats"]))["mistakes"]:
        insert_mistake(ada, key, one)
        shown = ada.get(path_of({"table": key, **one}))
        position = engine.replay(live.game, played.start(), played.actions[: one["at"]])
        replay = ada.get(f"/api/tables/{key}/replay", seat=one["seat"])["positions"]
        assert shown["view"] == replay[one["at"]]["view"] and shown["drawn"] == replay[one["at"]]["drawn"]
        assert shown["log"] == [before["next"] for before in replay[: one["at"]]]
        assert [legal["action"] for legal in shown["legal"]] == engine.legal(live.game, position)
        assert shown["players"][0].startswith("Ada")


def insert_mistake(visitor: Visitor, key: str, one: dict[str, Any]) -> None:
    with visitor.server.parlour.storage.engine.begin() as db:
        game = visitor.server.parlour.tables[key].game.NAME
        review_queries.add_mistake(db, visitor.keys["id"], key, game, one, visitor.server.parlour.now())


def test_a_guest_sees_its_own_alone(ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    key = ada.make("goldmine", "me", "anyone", options=SHORT, watch=True)["id"]
    bob.take(key, 1)
    play_out([ada.open(key, 0), bob.open(key, 1)])
    until_reviewed(eve, key)
    hers, his = ada.get(MINE)["mistakes"], bob.get(MINE)["mistakes"]
    assert {one["seat"] for one in hers} == {0} and {one["seat"] for one in his} == {1}
    assert eve.get(MINE)["total"] == 0
    for who, others in ((ada, his), (bob, hers), (eve, hers)):
        for path in (path_of(others[0]), f"{MINE}/{NO_CODE}/0/5", f"{MINE}/{key}/0/9999"):
            answers = who.http.get(path), who.http.post(path, json={"action": 0})
            assert [(one.status_code, one.json()["no"]) for one in answers] == [(404, "you have no such mistake")] * 2
    assert ada.get(MINE)["mistakes"] == hers


@pytest.mark.parametrize("players", [("me", "me"), ("random", "random")])
def test_whose_decisions_they_were_must_be_known(ada: Visitor, players: tuple[str, ...]) -> None:
    """Several people at one screen share a guest, and bots have none."""
    key = finished(ada, *players) if "me" in players else ada.make("goldmine", *players, options=SHORT)["id"]
    if "me" not in players:
        page = ada.open(key)
        while not page.table["result"]:
            page.wait("table")
    assert until_reviewed(ada, key)["state"] == "done"
    assert ada.get(MINE)["total"] == 0 and ada.get(MINE)["rates"] == []


def test_what_came_from_a_record_is_nobodys_mistake(ada: Visitor) -> None:
    first = finished(ada)
    record = ada.http.get(f"/api/tables/{first}/record").text
    at = sorted(answers(ada, first))[2]
    again = ada.make("goldmine", "me", "random", record=record, at=at)["id"]
    play_out([ada.open(again, 0)])
    until_reviewed(ada, again)
    found = [one["at"] for one in ada.get(MINE)["mistakes"] if one["table"] == again]
    assert all(place >= at for place in found) and len(found) < 3


def test_it_comes_back_after_growing_intervals(server: Server, ada: Visitor) -> None:
    """1, 3, 7, 21 and 60 days; then it has been learned."""
    assert [days / DAY for days in INTERVALS] == [1, 3, 7, 21, 60]
    best = {at: one["best"] for at, one in answers(ada, finished(ada)).items()}
    one = ada.get(MINE)["mistakes"][0]
    for step, interval in enumerate(INTERVALS, 1):
        assert one_of(ada, one)["due_now"]
        tried = ada.post(path_of(one), action=best[one["at"]])
        assert tried["right"] and tried["mistake"]["step"] == tried["mistake"]["tries"] == step
        server.move_clock(interval - 1)
        assert not one_of(ada, one)["due_now"] and ada.get(MINE)["mistakes"][-1]["at"] == one["at"]
        server.move_clock(1)
    tried = ada.post(path_of(one), action=best[one["at"]])
    assert tried["right"] and tried["mistake"]["due"] is None
    server.move_clock(1000 * DAY)
    assert not one_of(ada, one)["due_now"] and ada.get(MINE)["due"] == 2


def test_a_wrong_answer_starts_again(server: Server, ada: Visitor) -> None:
    told = answers(ada, finished(ada))
    one = ada.get(MINE)["mistakes"][0]
    best, path = told[one["at"]]["best"], path_of(one)
    for interval in INTERVALS[:2]:
        assert ada.post(path, action=best)["right"]
        server.move_clock(interval)
    wrong = next(legal["action"] for legal in ada.get(path)["legal"] if legal["action"] != best)
    tried = ada.post(path, action=wrong)
    assert not tried["right"] and tried["mistake"]["step"] == 0 and tried["mistake"]["tries"] == 3
    assert tried["answer"] == told[one["at"]]  # what was better, by how much, and why
    server.move_clock(DAY)
    assert one_of(ada, one)["due_now"]
    assert ada.post(path, action=best)["mistake"]["step"] == 1


def test_whoever_tries_too_early_gains_nothing(server: Server, ada: Visitor) -> None:
    told = answers(ada, finished(ada))
    one = ada.get(MINE)["mistakes"][0]
    best = told[one["at"]]["best"]
    first = ada.post(path_of(one), action=best)["mistake"]
    early = ada.post(path_of(one), action=best)
    assert early["right"] and early["mistake"] == {**first, "tries": 2}
    server.move_clock(DAY)
    assert ada.post(path_of(one), action=best)["mistake"]["step"] == 2


@pytest.mark.parametrize("action", [10_000, "illegal"])
def test_what_is_not_possible_there_is_refused(ada: Visitor, action: int | str) -> None:
    until_reviewed(ada, finished(ada))
    one = ada.get(MINE)["mistakes"][0]
    legal = {entry["action"] for entry in ada.get(path_of(one))["legal"]}
    given = action if isinstance(action, int) else next(a for a in range(1000) if a not in legal)
    answer = ada.http.post(path_of(one), json={"action": given})
    assert answer.status_code == 400 and answer.json()["no"]
    assert one_of(ada, one) == one


def test_error_rates_are_pooled_over_decisions(ada: Visitor) -> None:
    """A long game weighs more than a short one, and many games make it surer."""
    judged = [Judged("goldmine", 30, 0.01, 0.005, 0.015), Judged("goldmine", 10, 0.05, 0.03, 0.07)]
    found = pooled("goldmine", judged)
    assert (found.games, found.decisions) == (2, 40) and abs(found.error - 0.02) < 1e-12
    around = sqrt((30 * 0.005) ** 2 + (10 * 0.02) ** 2) / 40
    assert abs(found.interval[0] - (0.02 - around)) < 1e-9 and abs(found.interval[1] - (0.02 + around)) < 1e-9
    surer = pooled(None, judged * 25)
    assert abs((surer.interval[1] - surer.interval[0]) * 5 - 2 * around) < 1e-9
    assert pooled(None, judged[1:]).rating and not pooled(None, [Judged("goldmine", 3, 0.0, 0.0, 1.0)]).rating
    assert [rate.game for rate in mistakes.rates([*judged, judged[0]._replace(game="claimpoker")])] == [
        None, "goldmine", "claimpoker"
    ]  # fmt: skip
    until_reviewed(ada, finished(ada))
    (rate,) = ada.get(MINE)["rates"]
    assert rate["games"] == 1 and rate["error"] == 0.02 and rate["game"] == "goldmine"
