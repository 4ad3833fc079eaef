"""A position as sentences, sent to whoever asks for it: made from their own view, whatever lies behind it."""

from pathlib import Path

import pytest
from support.administrator import Administrator
from support.local_server import Server, Visitor
from support.outside_game import outside_game
from support.positions import late
from support.text_listener import Terminal

from motherlode import contract, engine, sentences, text
from motherlode.engine import Refusal
from motherlode.game import Game, new_rng
from motherlode.games import GAMES
from motherlode.server import messages


@pytest.fixture(autouse=True)
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("platformdirs.user_data_dir", lambda _: str(tmp_path / "data"))


@pytest.mark.parametrize("seats", ["fewest", "most"])
@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.NAME)
def test_a_description_is_made_from_the_seats_own_view(game: Game, seats: str) -> None:
    """Other worlds that look the same to a seat are described to it in the same words."""
    number = game.SEATS[0] if seats == "fewest" else game.SEATS[-1]
    for n, (_, _, t) in enumerate(contract.random_game(game, engine.start(game, number), new_rng(3))):
        if n % 7:
            continue
        for seat in range(-1, number):
            for sight in (False, True):
                view = engine.view(game, t, seat, sight=sight)
                known = engine.view(game, t, seat)
                other = engine.copy(known)
                game.guess(other, seat, new_rng(n))
                if sight:
                    game.hide(other, seat)
                    game.forget(other, seat, 0)
                else:
                    game.hide(other, seat)
                assert messages.description(game, bytes(other)) == messages.description(game, bytes(view))
        whole = [messages.description(game, bytes(t)), messages.description(game, bytes(engine.view(game, t, -1)))]
        assert all(whole)


@pytest.mark.parametrize("name", GAMES)
def test_whoever_asks_is_sent_it(server: Server, ada: Visitor, eve: Visitor, name: str) -> None:
    """Over a socket, with every message; by a request; in a replay. Whoever does not ask is not."""
    played = late(GAMES[name], 3)
    chairs = ["me", *["greedy"] * (played.seats - 1)]
    key = ada.make(name, *chairs, record=text.write_record(played), watch=True)["id"]
    game, live = played.game, server.parlour.tables[key]
    asked, plain, public = ada.open(key, 0, described=1), ada.open(key, 0), eve.open(key, described=1)
    while True:
        is_over = asked.until_turn()["result"]  # nobody else acts now
        view = engine.view(game, live.core.position, 0, sight=not live.has_perfect_memory(0))
        events = [(line.kind, line.args) for line in game.describe(view)]
        assert [(line["kind"], line["args"]) for line in asked.table["described"]] == events
        names = sentences.seat_names(played.seats)
        words = sentences.position(game, game.describe(view), names)
        assert [line["words"] for line in asked.table["described"]] == words
        now = ada.get(f"/api/tables/{key}/now", seat=0, described=True)
        assert now["described"] == asked.table["described"]
        assert ada.get(f"/api/tables/{key}/now", seat=0)["described"] is None
        if is_over:
            break
        asked.act()
    while not public.table["result"]:
        assert public.table["described"]
        public.wait("table")
    while not plain.table["result"]:
        assert plain.table["described"] is None
        plain.wait("table")
    replay = ada.get(f"/api/tables/{key}/replay", described=True, seat=0)
    assert all(position["described"] for position in replay["positions"])
    assert all(position["described"] is None for position in ada.get(f"/api/tables/{key}/replay")["positions"])


def test_a_game_without_sentences_is_described_by_its_lines(tmp_path: Path) -> None:
    """What its `show` writes, line by line."""
    with outside_game(tmp_path) as game:
        view = engine.view(game, engine.start(game), 0)
        shown = [" ".join(line.split()) for line in game.show(view).splitlines() if line.strip()]
        lines = [line[:1].upper() + line[1:] for line in shown]
        assert [line.words for line in messages.description(game, bytes(view))] == lines


def test_the_page_of_text_is_the_page(ada: Visitor) -> None:
    assert ada.http.get("/table/x/text").text == ada.http.get("/table/x").text


def test_a_game_that_was_closed(server: Server, ada: Visitor, host: Administrator, tmp_path: Path) -> None:
    """Whoever plays in a terminal is told, and whoever comes later is refused in one sentence."""
    key = ada.make("goldmine", "anyone", "greedy")["id"]
    terminal = Terminal(f"{server.url}/table/{key}", tmp_path, name="Bob").start()
    while not terminal.joined.table:
        assert not terminal.failed
        terminal.over.wait(0.01)
    host.does("close", "--yes", key, "--reason", "because")
    assert terminal.finish().endswith("The game was ended early by whoever runs the server.\n")
    with pytest.raises(Refusal, match="ended early by whoever runs the server"):
        Terminal(f"{server.url}/table/{key}", tmp_path)
