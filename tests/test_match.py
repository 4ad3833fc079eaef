"""Matches and the ladder: fair, repeatable on any number of cores, and honest about what they know."""

import json
from pathlib import Path
from typing import Any

import pytest

from motherlode import GAMES, Refusal, Table, bots
from motherlode.bots import levels
from motherlode.lab import ladder
from motherlode.lab.match import Deal, elo, interval, is_decided, match

GOLDMINE = GAMES["goldmine"]
DOCS = Path(__file__).parent.parent / "docs"


def untimed(answer: Any) -> Any:
    """An answer without what depends on the clock."""
    text = json.dumps(answer)
    return json.loads(text, object_hook=lambda part: {k: v for k, v in part.items() if "second" not in k})


def test_a_match_is_the_same_on_any_number_of_cores() -> None:
    players = ["greedy:2", "random"]
    one, two = (match(GOLDMINE, players, games=12, seed=4, options={"target": 0}, cores=n) for n in (1, 2))
    assert untimed(one) == untimed(two) and one["games"] == 12
    assert untimed(one) != untimed(match(GOLDMINE, players, games=12, seed=5, options={"target": 0}, cores=1))


def test_every_deal_is_played_from_every_seat(tmp_path: Path) -> None:
    match(GAMES["claimpoker"], ["greedy:1", "random", "search:2"], games=5, seed=1, cores=1, save=tmp_path)
    tables = [Table.load(path) for path in sorted(tmp_path.iterdir())]
    assert [table.players[0] for table in tables] == ["greedy:1", "search:2", "random"] * 2
    assert all(table.is_over for table in tables)
    for deal in (tables[:3], tables[3:]):  # the same cards come up before anybody has decided anything
        assert len({table.log[0] for table in deal}) == 1


def test_equal_players_come_out_equal() -> None:
    """Rotation makes two copies of a bot that draws no lots exactly equal."""
    answer = match(GOLDMINE, ["random", "random"], games=400, seed=2, options={"target": 0}, cores=1)
    for row in answer["players"]:
        assert row["win_interval"][0] < 0.5 < row["win_interval"][1]
        assert row["elo_interval"][0] < 0 < row["elo_interval"][1]
    assert sum(row["win_share"] for row in answer["players"]) == pytest.approx(1)
    assert answer["players"][0]["decisions"] == answer["players"][1]["decisions"] == 24 * 200


def test_a_decided_match_stops_at_a_look() -> None:
    answer = match(GOLDMINE, ["greedy:4", "random"], games=2000, seed=1, options={"target": 0}, cores=1, stop=True)
    assert answer["stopped"] and answer["games"] in (2 * 16, 2 * 32, 2 * 64, 2 * 128)
    assert answer["players"][0]["win_interval"][0] > 0.5


def deals(*scores: float) -> list[Deal]:
    return [Deal([[0.5, x], [1 - x, 0.5]], [x, 1 - x], [0, 0], [1, 1], [0.0] * 2, [0.0] * 2, [], []) for x in scores]


def test_a_lead_of_three_standard_errors_decides() -> None:
    assert not is_decided(deals(*[0.5] * 16))
    assert not is_decided(deals(*[1.0, 0.0] * 8))
    assert not is_decided(deals(*[1.0, 1.0, 0.0] * 5))
    assert is_decided(deals(*[1.0] * 16)) and is_decided(deals(*[0.0] * 16))


def test_a_spent_budget_ends_a_match_but_not_before_the_least_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motherlode.lab.match.LEAST", 6)
    answer = match(GOLDMINE, ["greedy:1", "random"], games=20, cores=1, budget=0.0)
    assert answer["games"] == 6 and answer["stopped"]
    assert match(GOLDMINE, ["greedy:1", "random"], games=8, cores=1, budget=1e9)["games"] == 8


def test_intervals_and_elo() -> None:
    low, high = interval([1.0] * 10)
    assert low < 1 and high == 1
    low, high = interval([0.0, 1.0] * 200)
    assert low == pytest.approx(0.451, abs=1e-3) and high == pytest.approx(0.549, abs=1e-3)
    assert elo(0.5) == 0 and elo(10 / 11) == pytest.approx(400) and elo(1) == 800 and elo(0) == -800


@pytest.mark.parametrize(
    ("players", "more", "said"),
    [
        (["random"], {}, "Goldmine is for 2 seats, and there are 1 bots: random"),
        (["random", "clever"], {}, "there is no bot 'clever'"),
        (["random", "random"], {"games": 0}, "games must be 1 or more, not 0"),
        (["random", "random"], {"cores": 0}, "cores must be 1 or more, not 0"),
        (["random", "random"], {"options": {"target": 3}}, "GM-4.2: target can be"),
    ],
)
def test_a_wrong_match_is_refused(players: list[str], more: dict[str, Any], said: str) -> None:
    with pytest.raises(Refusal, match=said):
        match(GOLDMINE, players, **more)


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_its_levels_from_the_weakest_to_the_strongest(name: str) -> None:
    game = GAMES[name]
    assert levels.names(game)[:5] == ["greenhorn", "panner", "digger", "prospector", "baron"]
    assert levels.names(game)[5:] in ([], ["legend"])
    for level in levels.names(game):
        bots.make(levels.bot_name(level, game), game)


def test_a_level_is_the_bot_that_the_game_says() -> None:
    for game in (None, GOLDMINE):
        table, named = Table("goldmine", seed=3), Table("goldmine", seed=3)
        table.play(bots.make("panner", game), bots.make("random"), actions=10)
        named.play(bots.make(levels.bot_name("panner", GOLDMINE)), bots.make("random"), actions=10)
        assert table.log == named.log


def set_levels(monkeypatch: pytest.MonkeyPatch, folder: Path, **bots: str) -> None:
    """Give every game these levels, in a file that can be written."""
    monkeypatch.setattr(levels, "path", lambda game: folder / "levels.json")
    (folder / "levels.json").write_text(json.dumps({"levels": bots, "measured": []}), "utf-8")


def test_a_level_a_game_does_not_have_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_levels(monkeypatch, tmp_path, greenhorn="random", baron="greedy")
    with pytest.raises(Refusal, match="Goldmine has no level 'digger'; its levels are: greenhorn, baron"):
        bots.make("digger", GOLDMINE)


@pytest.mark.usefixtures("no_policies")
def test_the_ladder_is_measured_repeatably_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_levels(monkeypatch, tmp_path, greenhorn="random", panner="greedy:1", baron="greedy:3")
    monkeypatch.setattr(ladder, "GAMES", {"goldmine": GOLDMINE})
    rows, again = (list(ladder.measure(GOLDMINE, games=8, seed=1, cores=n)) for n in (1, 2))
    for row in [*rows, *again]:
        row["milliseconds"] = 1.0
    assert rows == again
    assert [(row["level"], row["against"]) for row in rows] == [
        ("panner", "greenhorn"),
        ("baron", "panner"),
        ("baron", "random"),
    ]
    ladder.write(tmp_path, GOLDMINE, [{**row, "seats": 3, "score": 0.0} for row in rows])
    ladder.write(tmp_path, GOLDMINE, rows)
    assert levels.read(GOLDMINE).measured[:3] == rows and len(levels.read(GOLDMINE).measured) == 6
    assert levels.names(GOLDMINE) == ["greenhorn", "panner", "baron"]
    assert levels.measured(GOLDMINE)[2]["score"] == rows[1]["score"]
    assert "| baron | `greedy:3` | 2 | panner |" in (tmp_path / "ladder.md").read_text("utf-8")
    assert (tmp_path / "ladder.svg").read_text("utf-8").count("<circle") == 6
    with pytest.raises(Refusal, match="Goldmine has 2 seats, not 3"):
        next(ladder.measure(GOLDMINE, games=2, seats=3))


def test_the_docs_show_what_was_measured() -> None:
    """The table and the plot are those of the games' own files."""
    every = ladder.read()
    assert (DOCS / "ladder.md").read_text("utf-8") == ladder.table(every)
    assert (DOCS / "ladder.svg").read_text("utf-8") == ladder.plot(every)
    assert len(every) == 6


@pytest.mark.parametrize("name", GAMES)
def test_every_result_is_one_that_the_ladder_writes(name: str) -> None:
    """Every level as it is now against the one below, in order, with as many games as `ladder` plays.

    At the fewest seats all of them; at others what has been measured.
    """
    game, bots_of, rows = GAMES[name], levels.read(GAMES[name]).bots, levels.read(GAMES[name]).measured
    seats = dict.fromkeys(row["seats"] for row in rows)
    assert next(iter(seats)) == game.SEATS[0] and set(seats) <= set(game.SEATS)
    measured = [(row["seats"], row["level"], row["against"]) for row in rows]
    every = [(n, *pair) for n in seats for pair in ladder.pairs(game)]
    fewest = [pair for pair in every if pair[0] == game.SEATS[0]]
    assert measured == [pair for pair in every if pair in measured] and measured[: len(fewest)] == fewest
    for row in rows:
        assert row["bot"] == bots_of.get(row["level"], "policy") and row["seed"] == 0
        least = 200 if row["seats"] == game.SEATS[0] else 150
        assert row["games"] >= (ladder.FEW if row["against"] == "random" else least)


@pytest.mark.usefixtures("no_policies")
def test_a_game_without_levels_gets_default_ones_that_are_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "path", lambda game: None)
    assert levels.names(GOLDMINE) == list(levels.NAMES[:-1])
    assert [step["bot"] for step in levels.measured(GOLDMINE)] == list(levels.DEFAULT.values())
    assert all(step["score"] is None and step["games"] is None for step in levels.measured(GOLDMINE))
    table = Table("goldmine", seed=1)
    table.play(bots.make("digger", GOLDMINE), bots.make("greenhorn", GOLDMINE), actions=4)
    monkeypatch.setattr(levels, "DEFAULT", {"greenhorn": "random", "baron": "greedy:1"})
    rows = list(ladder.measure(GOLDMINE, games=2, cores=1))
    assert [(row["level"], row["bot"], row["against"]) for row in rows] == [
        ("baron", "greedy:1", "greenhorn"),
        ("baron", "greedy:1", "random"),
    ]
    with pytest.raises(Refusal, match=r"has no folder of its own, so there is no place for its levels\.json"):
        levels.write(GOLDMINE, rows)
