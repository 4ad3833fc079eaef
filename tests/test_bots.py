"""Bots: legal, repeatable, blind to what their seat may not know, and better than chance."""

import re
import sys
from pathlib import Path

import pytest

from motherlode import Refusal, Table, bots, contract, engine
from motherlode.bots import BotSpec, spec
from motherlode.game import Game, Record, new_rng
from motherlode.games import GAMES
from motherlode.table import Ask

gold_hunting = GAMES["gold_hunting"]

GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
SMALL = {"random": "random", "greedy": "greedy:2", "search": "search:4", "additions": "search:4+careless+exact@80"}
BY_POLICY = {"policy": "policy", "policy additions": "policy+search:4+careless@80"}  # the policy stands in for these


def asks(game: Game, seats: int, number: int, most: int) -> list[tuple[Record, Ask]]:
    """At most this many positions of one random game, with what the seat to act is given."""
    table, random = Table(game, seats, seed=number), bots.make("random")
    asked: list[tuple[Record, Ask]] = []
    while not table.is_over:
        ask = table.ask()
        asked.append((table.position, ask._replace(log=list(ask.log))))
        table.act(random(ask, table.rng))
    return contract.some(asked, most, number)


@GAME
def test_bots_play_every_game_at_every_seat_count(game: Game) -> None:
    assert set(SMALL) == {*bots.BOTS, "additions"}
    for seats in game.SEATS:
        players = [bots.make(list(SMALL.values())[(seat + seats) % 4]) for seat in range(seats)]
        table = Table(game, seats, seed=seats)
        table.play(*players, actions=12)
        again = Table(game, seats, seed=seats)
        again.play(*players, actions=12)
        assert table.log == again.log


@GAME
@pytest.mark.parametrize("name", [*SMALL, *BY_POLICY])
def test_a_bot_answers_alike_in_worlds_its_seat_cannot_tell_apart(policies: None, game: Game, name: str) -> None:
    bot, rng = bots.make((SMALL | BY_POLICY)[name], game, plain=name in BY_POLICY), new_rng(1)
    for s, ask in asks(game, game.SEATS[0], 3, 5):
        world = engine.copy(ask.view)
        game.guess(world, s.turn, rng)
        views = [engine.view(game, real, s.turn) for real in (s, world)]
        answers = [bot(ask._replace(view=view), new_rng(9)) for view in views]
        assert answers[0] == answers[1] and answers[0] in ask.legal


@GAME
@pytest.mark.parametrize("dose", [4, pytest.param(10_000, marks=pytest.mark.soak)])
def test_a_bot_never_answers_an_illegal_action(policies: None, game: Game, dose: int) -> None:
    """At random positions of every seat count, by every kind of bot in turn."""
    players = [bots.make(name) for name in SMALL.values()]
    players += [bots.make(name, game, plain=True) for name in BY_POLICY.values()]
    for seats in game.SEATS:
        asked, number, rng = 0, 0, new_rng(seats)
        while asked < dose:
            for _, ask in asks(game, seats, number, min(dose, 1000)):
                for bot in players:
                    assert bot(ask, rng) in ask.legal
                asked += 1
            number += 1


@pytest.mark.usefixtures("no_policies")
def test_a_plain_bot_needs_no_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    """It answers as the compiled one with as few iterations; then `warm` makes that one ready."""
    game, ask = GAMES["goldmine"], Table("goldmine", seed=1).ask()
    monkeypatch.setattr(bots.search, "_warm", set())
    assert bots.is_warm("random", game) and not bots.is_warm("baron", game) and not bots.is_warm("search:5@90", game)
    with monkeypatch.context() as cold:
        cold.setitem(sys.modules, "motherlode.compiled", None)
        plain = bots.make("baron", game, plain=True)(ask, new_rng(1))
    bots.warm("baron", game)
    assert bots.is_warm("baron", game)
    assert bots.make(f"search:{bots.PLAIN}")(ask, new_rng(1)) == plain


def test_a_policy_stands_in_for_what_plays_about_as_well(policies: None) -> None:
    """Not for a weak bot, which would be too strong for a while, and not for one that forgets."""
    game, ask = GAMES["goldmine"], Table("goldmine", seed=1).ask()
    few, strong = f"search:{spec.STRONG - 1}", f"search:{spec.STRONG}"
    chosen = {
        "policy": True, "policy@50": True, "policy+search:5": True, "policy+search:400+exact@90": True,
        strong: True, f"{strong}+exact": True, few: False, f"{strong}@99": False, f"{few}+exact@50": False,
        "search:9999ms": False, "greedy:9999": False, "random": False,
    }  # fmt: skip
    alone = bots.make("policy", game, plain=True)
    answers = [alone(ask, new_rng(k)) for k in range(9)]
    for name, expected in chosen.items():
        assert BotSpec.parse(name, game).policy_stands_in(game) == expected, name
    for name in (strong, "policy+search:5"):
        bot = bots.make(name, game, plain=True)
        assert [bot(ask, new_rng(k)) for k in range(9)] == answers
    short, plain = (bots.make(name, game, plain=True) for name in (f"search:{bots.PLAIN}", few))
    assert [plain(ask, new_rng(k)) for k in range(9)] == [short(ask, new_rng(k)) for k in range(9)] != answers


@pytest.mark.usefixtures("no_policies")
def test_without_a_policy_none_stands_in() -> None:
    for game in GAMES.values():
        assert not BotSpec.parse(f"search:{spec.STRONG}", game).policy_stands_in(game)


@GAME
def test_the_weakest_level_is_never_played_by_a_policy(policies: None, game: Game) -> None:
    level = bots.levels.names(game)[0]
    assert not BotSpec.parse(level, game).policy_stands_in(game)


def test_exact_endings_are_compiled_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAMES["china_gold"]
    monkeypatch.setattr(bots.exact, "_warm", set())
    assert not bots.is_warm("greedy+exact", game) and bots.is_warm("greedy", game)
    bots.warm("greedy+exact", game)
    assert bots.is_warm("greedy+exact", game)
    assert bots.compiled_parts("baron@50", game) == [bots.search, bots.exact]
    assert bots.compiled_parts("cmd:my_search +exact", game) == []


def test_additions_change_what_they_are_for() -> None:
    """Building by the table where there is building; and an ending as it is solved, unless the bot is a plain one."""
    table, built = Table("gold_hunting", seed=4), bots.make("random+building+exact")
    while table.position.phase == gold_hunting.BUILDING:
        table.play(built, built, actions=1)
    assert [sorted(table.position.height[x : x + 4]) for x in (0, 4)] == [[2, 2, 2, 12]] * 2
    ask = [ask for _, ask in asks(GAMES["china_gold"], 2, 3, 1000) if len(ask.legal) > 1][-1]
    solved = bots.exact.solve(ask)
    worst = next(a for a in ask.legal if a != solved)
    monkey = bots.exact.bot(lambda ask, rng: worst)
    assert monkey(ask, new_rng(1)) == solved
    plain, alone = (bots.make(name, ask.game, plain=True) for name in ("greedy:1+exact", "greedy:1"))
    assert plain(ask, new_rng(1)) == alone(ask, new_rng(1))


def share(one: str, other: str, games: int) -> float:
    """How many games `one` wins, from both seats."""
    won = 0
    for number in range(games):
        for seat in (0, 1):
            table = Table("goldmine", seed=number, target=0)
            pair = [bots.make(one), bots.make(other)]
            table.play(*(pair if seat == 0 else pair[::-1]))
            won += table.winners == [seat]
    return won / games / 2


def test_each_bot_beats_the_simpler_one() -> None:
    assert share("greedy", "random", 40) > 0.6
    assert share("search:60", "greedy", 40) > 0.6


CANONICAL = {
    "random": "random",
    "greedy": "greedy:10",
    "greedy:3@100": "greedy:3",
    "search": "search:1000",
    "search:1x50": "search:50",
    "search:4x50": "search:4x50",
    "search:500ms@90": "search:500ms@90",
    "search:2x500ms": "search:2x500ms",
    "search:400+exact": "search:400+exact",
    "search:400+building+exact+building@0": "search:400+building+exact@0",
    "baron+exact@50": "baron+exact@50",
    "py:my_bot:choose": "py:my_bot:choose",
    "py:bots.my_bot:choose+exact+exact@100": "py:bots.my_bot:choose+exact",
    "cmd:my_search +exact@1": "cmd:my_search +exact@1",
}


@pytest.mark.parametrize("name", CANONICAL)
def test_a_name_is_read_and_written(name: str) -> None:
    spec = BotSpec.parse(name)
    assert str(spec) == CANONICAL[name] and BotSpec.parse(str(spec)) == spec


def test_a_level_becomes_the_bot_of_a_game() -> None:
    """Additions are joined, and the shorter memory counts."""
    game = GAMES["gold_hunting"]
    assert str(BotSpec.parse("baron+exact@50", game).in_game(game)) == "search:8000+building+exact@50"
    game = GAMES["blue_creek"]
    assert [str(BotSpec.parse(name).in_game(game)) for name in ("panner@90", "panner+exact@10")] == [
        "search:300@90",
        "search:300+exact@10",
    ]


def test_a_level_must_be_a_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAMES["goldmine"]
    for bot in ("baron", "py:os:abort", "cmd:true"):
        monkeypatch.setattr(bots.levels, "read", lambda game, bot=bot: bots.levels.Levels({"baron": bot}, []))
        with pytest.raises(Refusal, match=f"the level baron of Goldmine must be a bot, not {bot}"):
            bots.make("baron", game)


def test_without_a_game_a_bot_is_that_of_the_game_it_is_asked_in() -> None:
    bot = bots.make("random+building")
    ask = Table("gold_hunting", seed=1).ask()
    assert bot(ask, new_rng(1)) == bots.make("random+building", ask.game)(ask, new_rng(1))
    with pytest.raises(Refusal, match=r"a bot can be given \+careless and \+exact in Goldmine, not '\+building'"):
        bot(Table("goldmine", seed=1).ask(), new_rng(1))


@pytest.mark.parametrize("name", ["random", "search:2000", "search:400+exact", "greedy:20@50", "baron", "baron+exact"])
def test_a_server_takes_these(name: str) -> None:
    BotSpec.parse(name, GAMES["goldmine"]).check_for_server(2000)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cmd:true", "a program of your own takes a seat as a guest"),
        ("py:os:abort", "a bot in Python takes a seat as a guest"),
        ("search:500ms", "strength is a number, as in search:400, not '500ms'"),
        ("search:4x100+exact@5", "strength is a number, as in search:400, not '4x100'"),
        ("search:2001+exact", "at most 2000, not 2001"),
        ("greedy:9999@50", "at most 2000, not 9999"),
    ],
)
def test_a_server_refuses_these(name: str, said: str) -> None:
    with pytest.raises(Refusal, match=said):
        BotSpec.parse(name, GAMES["goldmine"]).check_for_server(2000)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("clever", "there is no bot 'clever'; the bots are: random, .*, legend, py:MODULE:FUNCTION, cmd:PROGRAM"),
        ("random:3", "the bot random has no strength"),
        ("search:0", "a strength is a number from 1 to 10000000, as in search:100, not '0'"),
        ("search:0ms", "a strength is a number from 1 to 10000000, as in search:500ms, not '0'"),
        ("search:99x9", "a number of trees is a number from 1 to 64, as in search:4x1000, not '99'"),
        ("greedy@101", "a recall is a number from 0 to 100, as in greedy@90, not '101'"),
        ("baron:5", "a level has no strength: write baron, not 'baron:5'"),
        ("search:many", "not 'many'"),
        ("search:5+luck", r"a bot can be given \+building and \+careless and \+exact, not '\+luck'"),
        ("clever+exact@90", "there is no bot 'clever'"),
    ],
)
def test_a_wrong_bot_is_refused(name: str, said: str) -> None:
    with pytest.raises(Refusal, match=said):
        bots.make(name)


def test_bots_import_nothing_of_the_laboratory() -> None:
    for path in Path(bots.__file__).parent.glob("*.py"):
        assert not re.search(r"(from|import) motherlode\.lab", path.read_text("utf-8")), path.name


def test_nothing_here_names_a_game() -> None:
    for folder in ("bots", "lab"):
        for path in (Path(bots.__file__).parent.parent / folder).glob("*.py"):
            source = path.read_text("utf-8")
            assert not [name for name in GAMES if re.search(rf"\b{name}\b", source)], path.name
