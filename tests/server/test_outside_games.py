"""Games from outside the package: the pages have no board for them, so they are told the position as text."""

from pathlib import Path

import pytest
from support.local_server import Visitor, serving
from support.outside_game import NAME, outside_game
from websockets.exceptions import ConnectionClosed

from motherlode import contract, engine, games, text
from motherlode.game import Event, Game, Record, Source, Thing, new_rng
from motherlode.games import GAMES
from motherlode.server import messages, typescript


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_game_with_a_board_is_not_told_as_text(game: Game) -> None:
    assert messages.drawing(game, bytes(engine.start(game))).text is None


def test_the_text_is_made_from_the_seats_own_view(tmp_path: Path) -> None:
    with outside_game(tmp_path) as game:
        for _, _, t in contract.random_game(game, engine.start(game, 2, target=0), new_rng(1)):
            for seat in (-1, 0, 1):
                view = engine.view(game, t, seat, sight=True)
                other = engine.copy(view)
                game.guess(other, seat, new_rng(2))  # another deal that looks the same to this seat
                game.hide(other, seat)
                assert messages.drawing(game, bytes(view)).text == game.show(view) == game.show(other)


def test_a_replay_is_told_as_text_to_a_seat_and_to_one_who_sees_everything(tmp_path: Path) -> None:
    with outside_game(tmp_path) as game:
        actions = [a for _, a, _ in contract.random_game(game, engine.start(game, 2, target=0), new_rng(3))]
        played = text.Played(game, 2, engine.check_options(game, {"target": 0}), actions)
        after_deal = engine.replay(game, played.start(), actions[:13])
        for seat in (None, 0, 1):
            said = messages.replay(played, seat).positions[13].text
            assert said == game.show(after_deal if seat is None else engine.view(game, after_deal, seat))


def nowhere(s: Record) -> Source:
    return Source(0, 99)


def impossible(s: Record, number: int) -> list[Thing]:
    return [700] * 40


def untold(before: Record, told: int, after: Record) -> list[Event]:
    return [Event("end", {"seat": "9"})]


def endless(before: Record, told: int, after: Record) -> list[Event]:
    return endless(before, told, after)


FAULTS = [("source", nowhere), ("deck", impossible), ("events", untold), ("events", endless)]


@pytest.mark.parametrize(("member", "fault"), FAULTS)
def test_a_game_that_fails_harms_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, member: str, fault: object
) -> None:
    """Its table cannot go on, or cannot tell; its player is told so, the others play, and the server starts again."""
    (tmp_path / "game").mkdir()
    database = f"sqlite:///{tmp_path / 'parlour.db'}"
    with outside_game(tmp_path / "game") as game:
        with serving(database) as server, Visitor(server) as ada:
            bad = ada.make(NAME, "me", "random")["id"]
            page = ada.open(bad, 0)
            page.until_turn()
            monkeypatch.setattr(game, member, fault)
            table = server.parlour.tables[bad]
            if member == "deck":
                table.core.chance.restart()
            stored = table.core.at
            page.send(do="act", at=page.table["at"], action=next(a["action"] for a in page.table["legal"]))
            with pytest.raises(ConnectionClosed) as closed:
                page.wait("pong")
            if member == "events":
                assert closed.value.rcvd and closed.value.rcvd.reason == "the server failed; its log says why"
            else:
                assert table.core.at == stored
                assert ada.post("/api/tables", 500, game=NAME, seats=[{"player": "me"}] * 2)["no"]
            with ada.open(ada.make("goldmine", "me", "me")["id"], 0) as other:
                assert not other.table["waiting"]
        with serving(database) as server, Visitor(server) as ada:
            assert ada.get("/ready")["status"] == "ok"
            assert ada.make("goldmine", "me", "me")["id"]


def test_the_generated_types_are_those_of_this_package(tmp_path: Path) -> None:
    written = typescript.generate()
    with outside_game(tmp_path):
        assert NAME in GAMES and typescript.generate() == written
    assert NAME not in GAMES


def test_a_variant_is_told_as_text() -> None:
    """Boards are drawn for the game's own data."""
    goldmine = GAMES["goldmine"]
    changed = games.variant(goldmine, {"targets": (20, 40)}, "shorter")
    assert messages.has_board(goldmine) and not messages.has_board(changed)
    assert "match to 20" in str(messages.drawing(changed, bytes(engine.start(changed))).text)
