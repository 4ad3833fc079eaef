"""`greedy`: the same compiled and plain, as its definition says, and within the core time that it is given."""

import sys
from collections.abc import Callable, Iterable
from types import SimpleNamespace

import pytest

from motherlode import Table, bots, contract, engine
from motherlode.bots import greedy, hint, search
from motherlode.game import CHANCE, Game, Rng, below, new_rng
from motherlode.games import GAMES
from motherlode.table import Ask

GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def asks(game: Game, seats: int, most: int) -> list[Ask]:
    """Some positions of a random game where there is something to choose."""
    positions = [s for s, _, _ in contract.random_game(game, engine.start(game, seats), new_rng(seats)) if s.turn >= 0]
    found = [Ask(game, s.turn, engine.view(game, s, s.turn), engine.legal(game, s), []) for s in positions]
    return contract.some([ask for ask in found if len(engine.useful(game, ask.view)) > 1], most, seats)


def defined(ask: Ask, rng: Rng, worlds: int, pick: Callable[[Iterable[int]], int] = max) -> int:
    """What greedy is, in the words of its definition; with `min` what looks worst."""
    game, seat = ask.game, ask.seat
    value = dict.fromkeys(engine.useful(game, ask.view), 0)
    for _ in range(worlds):
        world = engine.copy(ask.view)
        game.guess(world, seat, rng)
        for a in value:
            s = engine.after(game, world, a)
            while s.turn == CHANCE:
                game.apply(s, engine.draw(game, s, rng))
            points = engine.points(game, s)
            value[a] += points[seat] - max(p for other, p in enumerate(points) if other != seat)
    best = [a for a in value if value[a] == pick(value.values())]
    return best[below(rng, len(best))]


@GAME
def test_compiled_and_plain_choose_as_defined(game: Game) -> None:
    """With the same random numbers, of which they leave the same."""
    for seats in game.SEATS:
        for number, ask in enumerate(asks(game, seats, 4)):
            left = [new_rng(number) for _ in range(3)]
            chosen = [
                defined(ask, left[0], 12),
                greedy.bot(12, plain=True)(ask, left[1]),
                greedy.bot(12)(ask, left[2]),
            ]
            assert len(set(chosen)) == 1 and len({rng[0] for rng in left}) == 1


def test_only_many_worlds_are_worth_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    game, ask = GAMES["goldmine"], Table("goldmine", seed=1).ask()
    monkeypatch.setattr(greedy, "_warm", set())
    assert bots.compiled_parts("greedy", game) == [] and bots.compiled_parts("greedy:11", game) == [greedy]
    assert bots.is_warm("greedy", game) and not bots.is_warm("greedy:11", game)
    with monkeypatch.context() as cold:
        cold.setitem(sys.modules, "motherlode.compiled", None)
        few = bots.make("greedy")(ask, new_rng(1))
        assert bots.make("greedy:2000", game, plain=True)(ask, new_rng(1)) == few
    bots.warm("greedy:11", game)
    assert bots.is_warm("greedy:2000@50", game) and bots.make("greedy")(ask, new_rng(1)) == few


class Ticks:
    """Core time that passes by a second whenever somebody looks at it."""

    def __init__(self) -> None:
        self.now = 0.0

    def thread_time(self) -> float:
        self.now += 1
        return self.now


@pytest.mark.parametrize("plain", [True, False])
def test_greedy_stops_when_its_core_time_is_up(monkeypatch: pytest.MonkeyPatch, plain: bool) -> None:
    ask = Table("goldmine", seed=1).ask()
    chunk = 1 if plain else greedy.CHUNK

    def values(worlds: int, core_seconds: float | None) -> list[int]:
        monkeypatch.setattr(greedy, "thread_time", Ticks().thread_time)
        return greedy.values(ask, ask.legal, new_rng(1), worlds, plain=plain, core_seconds=core_seconds)

    assert values(1000, 2.5) == values(3 * chunk, None)  # looks after 1 and 2 s go on, the one after 3 s does not
    assert values(1000, 0.1) == values(chunk, None)  # something is always found out
    assert values(chunk + 3, 99) == values(chunk + 3, None)


@pytest.mark.parametrize("plain", [True, False])
def test_the_search_stops_when_its_core_time_is_up(monkeypatch: pytest.MonkeyPatch, plain: bool) -> None:
    ask = Table("goldmine", seed=1).ask()
    chunk = 1 if plain else search.CHUNK

    def tries(iterations: int, core_seconds: float) -> int:
        clock = SimpleNamespace(thread_time=Ticks().thread_time, monotonic=lambda: 0.0)
        monkeypatch.setattr(search, "time", clock)
        found = search.search(ask, new_rng(1), iterations, plain=plain, core_seconds=core_seconds)
        return sum(entry.tries for entry in found)

    assert tries(1000, 2.5) == 3 * chunk and tries(1000, 0.1) == chunk and tries(chunk + 3, 99) == chunk + 3


@pytest.mark.usefixtures("no_policies")
def test_where_core_time_suffices_the_answer_is_the_same() -> None:
    ask = Table("goldmine", seed=1).ask()
    for iterations in (40, 500):
        assert search.search(ask, new_rng(2), iterations, core_seconds=60) == search.search(ask, new_rng(2), iterations)
    assert hint.suggest(ask, new_rng(2), 200, core_seconds=60) == hint.suggest(ask, new_rng(2), 200)
    for name in ("greedy:300", "search:300", "baron@50"):
        bounded, free = bots.make(name, ask.game, core_seconds=60), bots.make(name, ask.game)
        assert [bounded(ask, new_rng(k)) for k in range(5)] == [free(ask, new_rng(k)) for k in range(5)]


@GAME
def test_a_careless_bot_does_what_looks_worst_half_of_the_time(game: Game) -> None:
    """Where any plan would be a tell, it decides at random instead."""
    player = bots.make("random", game)
    careless, is_worst = bots.make("random+careless", game), []
    for ask in asks(game, game.SEATS[0], 3):
        for number in range(20):
            drawn, rng = careless(ask, new_rng(number)), new_rng(number)
            is_worst.append(below(rng, 2) == 1)
            if not is_worst[-1] or game.blind(ask.view):
                assert drawn == player(ask, rng)
            else:
                assert drawn == defined(ask, rng, greedy.FEW, pick=min)
    assert 0.3 < sum(is_worst) / len(is_worst) < 0.7
