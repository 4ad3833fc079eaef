"""A game's data as a table, and variants: the same rules over other data."""

import copy
import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.command_line import Run

from motherlode import Table, bots, compiled, contract, data, engine, games, sheet, text
from motherlode.bots import equilibrium, levels
from motherlode.data import Data, Datum
from motherlode.engine import Refusal
from motherlode.game import CHANCE, Game, Record, new_rng
from motherlode.games import GAMES
from motherlode.lab.match import match
from motherlode.lab.simulate import run_compiled, simulate

GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs" / "variants.md"
TINY = {"gold": [1, 2], "suits": ["H", "C"], "ranks": [2, 3, 4]}  # Goldmine with two tricks and six cards


@pytest.fixture(autouse=True)
def forget_variants(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a test loads is forgotten after it."""
    monkeypatch.setattr(games, "VARIANTS", {})
    monkeypatch.setattr(games, "GAMES", dict(games.GAMES))
    monkeypatch.setenv(games.PATHS, "")


def tiny() -> Game:
    return games.variant(GAMES["goldmine"], TINY, "tiny")


# The table


@GAME
def test_every_datum_is_in_its_bounds_and_names_a_clause(game: Game) -> None:
    assert len(list(game.DATA)) >= 2
    for datum in game.DATA:
        assert datum.check(datum.default) == datum.default
        assert datum.clause in sheet.clauses(game)
        assert datum.meaning and re.fullmatch("[a-z_]+", datum.name)


def test_constants_follow_from_the_data() -> None:
    game = tiny()
    assert game.CARDS == ("H2", "H3", "H4", "C2", "C3", "C4") and (game.TRICKS, game.ALL_GOLD) == (2, 3)
    assert {field.name: field.high for field in game.FIELDS}["held"] == 2
    assert [card["rank"] for card in game.FACTS["cards"]] == [2, 3, 4, 2, 3, 4]
    assert GAMES["goldmine"].TRICKS == 6 and len(GAMES["goldmine"].FACTS["cards"]) == 18  # the game itself is as it was
    small = games.variant(GAMES["china_gold"], {"mountains": ["AB", "ABB", "AA"]}, "seven")
    assert (small.MARKERS, small.SITES) == (7, ("a1", "a2", "b1", "b2", "b3", "c1", "c2"))


@pytest.mark.parametrize("side", [2, 3, 4, 5])
def test_lines_on_smaller_boards_of_china_gold(side: int) -> None:
    """CG-2.2: the digs of each length on the full board, counted by hand."""
    rows = ["A" * (2 * side - 1 - abs(r - side + 1)) for r in range(2 * side - 1)]
    game = games.variant(GAMES["china_gold"], {"mountains": rows}, f"side-{side}")
    places = set(game.PLACES)
    for k in range(1, 6):
        s = engine.start(game)
        s.turn, s.stage, s.throw = 0, 1, k
        steps = game.STEPS if k > 1 else game.STEPS[:1]
        ends = [(r + y * i, c + x * i) for y, x in steps for r, c in places for i in (k - 1,)]
        assert len(engine.legal(game, s)) == sum(end in places for end in ends)


# Every datum over its bounds


def values(datum: Datum) -> Iterator[Any]:
    """At its bounds and between: the least and the greatest value, the shortest and the longest list."""
    if not datum.lengths:
        yield from (datum.low, (datum.low + datum.high) // 2, datum.high)
        return
    assert isinstance(datum.default, tuple)
    least, most = datum.lengths[0]
    for length in {least, most}:
        yield [datum.default[k % len(datum.default)] for k in range(length)]
    if not datum.pattern and len(datum.lengths) == 1:
        yield [datum.low] * most
        yield [datum.high] * len(datum.default)
        yield list(range(datum.low, min(datum.low + len(datum.default), datum.high + 1)))


HEXAGONS = [["A" * (2 * n - 1 - abs(r - n + 1)) for r in range(2 * n - 1)] for n in (2, 4)]
# Values that only go together, so that every datum is changed in some variant.
TOGETHER: dict[str, list[dict[str, Any]]] = {
    "blue_creek": [
        {"tools": ["a", "b", "c", "d"], "nuggets": [[0, 1, 2, 3], [2]], "nugget_values": [1, 1, 1, 20], "teeth": []},
        {"teeth": [4, 4, 1, 1, 1, 1, 1, 1], "empties": 60, "river_places": 5, "guard": 3},
        {"nuggets": [[3]], "teeth": [], "empties": 0},
    ],
    "china_gold": [{"mountains": board, "reburials": n} for board, n in zip(HEXAGONS, (0, 100), strict=True)],
    "claimpoker": [
        {"doubles": ["sieve-rifle"] * 6 + ["rifle-sieve"] * 6, "prospectors": ["sieve-rifle-knife"] * 2, "rounds": 4},
        {"figures": [3], "doubles": [], "prospectors": [], "pluses": 0, "minuses": 0, "nuggets": [], "teeth": []},
        {"figures": [1, 1, 1], "pluses": 6, "minuses": 6, "nuggets": [3, 3, 2], "teeth": [2]},
    ],
    "gold_hunting": [
        {"pieces": [6, 6, 4]},
        {"pieces": [0, 0, 4]},
        {"pieces": [4, 0, 0], "kept_per_point": 1},
        {"pieces": [1, 0, 0], "piles": 1},
        {"pieces": [0, 1, 1], "piles": 2},
        {"pieces": [6, 5, 2], "piles": 1},
    ],
    "goldmine": [
        TINY,
        {"gold": [1], "suits": ["D"], "ranks": [1, 13, 14], "targets": [1, 2]},
        {"gold": [1, 40], "suits": ["C", "H"], "ranks": [1, 2, 3], "targets": [500, 499]},
        {"gold": [1, 2, 3, 4, 6, 9]},
    ],
    "mount_goldrush": [
        {"gold_values": [20], "gold_cards": [1], "miner_values": [1], "miner_cards": [0], "dynamites": 1, "rush_at": 1},
        {"gold_values": [7, 1], "gold_cards": [9, 9], "miner_values": [5, 6], "miner_cards": [3, 1], "patience": 1},
        {"gold_cards": [0, 0, 0, 14], "miner_cards": [1, 2, 2, 2], "dynamites": 15, "rush_at": 63},
    ],
}


def quick_check(game: Game, number: int) -> None:
    """The contract's checks for one table of this game."""
    contract.check_data(game)
    tables = contract.tables(game)
    seats, options = tables[number % len(tables)]
    contract.check_play(game, seats, options, number)
    contract.check_secrets(game, seats, options, number, most=6)
    s = engine.start(game, seats, **options)
    engine.playout(game, s, new_rng(number))
    assert game.show(s) and json.dumps(game.drawn(s)) and json.dumps(game.FACTS)


def make(game: Game, changes: dict[str, Any], name: str) -> tuple[Game | None, str]:
    try:
        return games.variant(game, changes, name), ""
    except Refusal as refusal:
        return None, str(refusal)


@GAME
def test_every_datum_can_be_changed(game: Game) -> None:
    """Over the bounds of every datum: what is not refused with a clause keeps the contract."""
    singles = [{datum.name: value} for datum in game.DATA for value in values(datum)]
    changed: set[str] = set()
    for number, changes in enumerate([*singles, *TOGETHER[game.NAME]]):
        made, why_not = make(game, changes, f"v{number}")
        if made:
            changed |= set(made.CHANGES)
            quick_check(made, number)
        else:
            assert re.match(r"[A-Z]{2}-\d+\.\d+: |this variant of .* changes nothing", why_not)
            assert changes not in TOGETHER[game.NAME], why_not
    assert changed == set(game.DATA.table)


@pytest.mark.parametrize("name", ["china_gold", "goldmine"])
def test_a_variant_compiled_ends_in_the_bytes_of_the_interpreted(name: str) -> None:
    made = games.variant(GAMES[name], TOGETHER[name][0], "first")
    opening = engine.start(made)
    sums, ends = engine.simulate(made, opening, 11, 20)
    fast_sums, fast_ends = run_compiled(made, opening, 11, 20, kept=20)
    assert fast_sums.tolist() == sums and fast_ends.tobytes() == b"".join(map(bytes, ends))
    base = GAMES[name]
    assert run_compiled(base, engine.start(base), 11, 20)[0].tolist() != sums


def test_variants_are_cached_by_their_contents() -> None:
    one, two = tiny(), games.variant(GAMES["goldmine"], {**TINY, "gold": [1, 4]}, "other")
    hashes = {compiled.sources_hash([game]) for game in (GAMES["goldmine"], one, two)}
    assert len(hashes) == 3


# What is refused


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"silver": 3}, "Goldmine has no value 'silver'; its values are: gold, suits, ranks, targets"),
        ({"gold": 3}, "GM-1.1: gold (what each gold card is worth; one trick for each) must be a list of 1 to 6"),
        ({"gold": []}, "must be a list of 1 to 6 values, not of 0"),
        ({"gold": [1, 41]}, "GM-1.1: each value of gold (what each gold card is worth; one trick for each) must be a"),
        ({"gold": [1, 41]}, "must be a number from 1 to 40, not 41"),
        ({"gold": [1, 2.5]}, "must be a number from 1 to 40, not 2.5"),
        ({"gold": [True, 2]}, "must be a number from 1 to 40, not True"),
        ({"gold": [[1], 2]}, "must be a number from 1 to 40, not [1]"),
        ({"suits": ["H", "X", "D"]}, "GM-1.2: each value of suits (the suits that are played in tricks) must be H, C"),
        ({"targets": [30]}, "GM-4.2: targets (points that end the short match, and the long one) must be a list of 2"),
        ({"gold": [2, 3, 4, 5, 6, 8]}, "GM-4.1: all gold must add up to an odd number, so that a deal has a winner"),
        ({"gold": [1, 2]}, "GM-2.3: suits × ranks must be three cards for each gold card"),
        ({"gold": [2, 2, 4, 5, 6, 8]}, "GM-1.1: gold goes up: no two gold cards are worth the same"),
        ({"gold": [1, 2, 3, 4, 5, 40]}, "between the least gold and the greatest there is room for 9 values, not 40"),
        ({"gold": [2, 3, 4, 5, 6, 7]}, "this variant of Goldmine changes nothing"),
        ({}, "this variant of Goldmine changes nothing"),
    ],
)  # fmt: skip
def test_wrong_values_are_refused(changes: dict[str, Any], said: str) -> None:
    loaded = set(sys.modules)
    with pytest.raises(Refusal) as refused:
        games.variant(GAMES["goldmine"], changes, "wrong")
    assert said in str(refused.value)
    assert not games.VARIANTS and set(sys.modules) == loaded


@pytest.mark.parametrize("name", ["", "Short", "a b", "a~b", "../x", "x" * 32, "-x", "a/1", 3])
def test_a_wrong_name_is_refused(name: Any) -> None:
    with pytest.raises(Refusal, match="a variant's name is of small letters, digits and hyphens"):
        games.variant(GAMES["goldmine"], TINY, name)


def test_one_name_is_one_variant() -> None:
    made = tiny()
    assert tiny() is made and games.find("goldmine~tiny") is made
    with pytest.raises(Refusal, match="there is another variant goldmine~tiny already, with other values"):
        games.variant(GAMES["goldmine"], {**TINY, "gold": [1, 4]}, "tiny")
    with pytest.raises(Refusal, match=r"Goldmine \(tiny\) is a variant itself"):
        games.variant(made, {"targets": [5, 9]}, "more")
    with pytest.raises(Refusal, match="Goldmine has no variant 'goldmine~nonesuch' here"):
        games.find("goldmine~nonesuch")


def test_versions_follow_from_contents() -> None:
    """So a position or a stored table of one `tiny` is never read as one of another."""
    line = text.write_position(tiny(), engine.start(tiny()))
    assert line.startswith(f"goldmine~tiny/{tiny().RULES} ") and tiny().RULES < 1 << 31
    assert text.read_position(line)[0] is tiny()
    games.VARIANTS.clear()
    games.variant(GAMES["goldmine"], {**TINY, "gold": [1, 4]}, "tiny")
    with pytest.raises(Refusal, match=r"version \d+ of the rules of Goldmine \(tiny\)"):
        text.read_position(line)


# Records


def played_record() -> str:
    table = Table(tiny(), seed=3)
    table.play(bots.make("random"), bots.make("greedy:3"))
    return text.write_record(table.record())


def test_a_record_carries_its_variant() -> None:
    record = played_record()
    assert record.splitlines()[1:6] == [
        "game: goldmine~tiny",
        f"rules: {tiny().RULES}",
        "data.gold: [1, 2]",
        'data.suits: ["H", "C"]',
        "data.ranks: [2, 3, 4]",
    ]
    assert text.write_record(text.read_record(record)) == record
    games.VARIANTS.clear()
    assert text.write_record(text.read_record(record, new_variants=True)) == record
    assert text.read_record(record).game is games.find("goldmine~tiny")


def test_a_stranger_cannot_have_a_variant_loaded() -> None:
    """Without `new_variants`, as on a server, a record of a variant is read only where it was loaded before."""
    record = played_record()
    games.VARIANTS.clear()
    loaded = set(sys.modules)
    with pytest.raises(Refusal, match="Goldmine has no variant 'goldmine~tiny' here: load its file"):
        text.read_record(record)
    games.variant(GAMES["goldmine"], {**TINY, "gold": [1, 4]}, "tiny")
    with pytest.raises(Refusal, match="there is another variant goldmine~tiny already"):
        text.read_record(record)
    assert not [name for name in set(sys.modules) - loaded if name.endswith("ending")]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("data.gold: [1, 2]", "data.gold: [1, 200]", "line 4: GM-1.1: each value of gold"),
        ("data.gold: [1, 2]", "data.gold: [1, 2", "line 4: '[1, 2' is not a number, a word in quotes or a list"),
        ("data.gold: [1, 2]", "data.gold: " + "[" * 5000, "line 4: '[[[["),
        ("data.gold: [1, 2]", "data.silver: 3", "line 4: Goldmine has no value 'silver'"),
        ("data.gold: [1, 2]\n", "", "GM-2.3: suits × ranks must be"),
        ("game: goldmine~tiny", "game: goldmine", "line 4: only a variant has data, as goldmine~short"),
        ("game: goldmine~tiny", "game: goldmine~Tiny", "a variant's name is of small letters"),
        ("game: goldmine~tiny", "game: chess~tiny", "there is no game 'chess'"),
        ("rules: 2", "rules: 3", "of the rules of Goldmine (tiny)"),
    ],
)
def test_wrong_data_in_a_record_is_refused(old: str, new: str, said: str) -> None:
    record = played_record().replace(old, new)
    games.VARIANTS.clear()
    with pytest.raises(Refusal) as refused:
        text.read_record(record, new_variants=True)
    assert said in str(refused.value)


# Other processes, other parts


def test_a_variant_can_be_pickled_and_copied() -> None:
    made = tiny()
    assert pickle.loads(pickle.dumps(made)) is copy.deepcopy(made) is made
    table = Table(made, seed=5)
    program = "import pickle, sys; t = pickle.load(sys.stdin.buffer); print(t.game.NAME, t.game.CARDS[-1], t.legal())"
    ran = subprocess.run([sys.executable, "-c", program], input=pickle.dumps(table), capture_output=True, check=True)
    assert ran.stdout.decode() == f"goldmine~tiny C4 {table.legal()}\n"


def test_workers_play_the_variant(tmp_path: Path) -> None:
    answer = match(tiny(), ["random", "greedy:2"], games=4, cores=2, save=tmp_path)
    assert (answer["game"], set(answer["data"])) == ("goldmine~tiny", set(TINY)) and answer["games"] == 4
    played = text.read_record((tmp_path / "goldmine~tiny-00000-0.txt").read_text("utf-8"))
    assert played.game is tiny() and played.start().seats == 2


def test_measurements_of_the_game_are_not_the_variants() -> None:
    made = games.variant(GAMES["gold_hunting"], {"pieces": [4, 4, 3]}, "more")
    assert levels.read(made) == levels.Levels(levels.DEFAULT, [])
    assert levels.read(GAMES["gold_hunting"]) != levels.read(made)
    assert games.part(GAMES["gold_hunting"], "additions") and games.part(made, "additions") is None
    with pytest.raises(Refusal):
        bots.make("search:10+building", made)
    endings = [games.part(game, "ending") for game in (made, GAMES["gold_hunting"])]
    assert None not in endings and endings[0] is not endings[1]


def test_the_sheet_says_what_is_changed() -> None:
    written = sheet.read(tiny())
    assert written.startswith(sheet.read(GAMES["goldmine"]))
    assert "\n- `gold` (GM-1.1): [1, 2] instead of [2, 3, 4, 5, 6, 7]\n" in written
    assert "\n- `gold` (GM-1.1): [1, 2] au lieu de [2, 3, 4, 5, 6, 7]\n" in sheet.read(tiny(), "fr")
    for language in sheet.LANGUAGES:
        assert sheet.clauses(tiny(), language) == sheet.clauses(GAMES["goldmine"], language)


def test_exact_endings_are_the_variants_own() -> None:
    made = games.variant(GAMES["china_gold"], {"mountains": HEXAGONS[1]}, "one-area")
    solver = games.part(made, "ending")
    assert solver and solver.LARGEST == made.MARKERS == 37
    table = Table(made, seed=2)
    table.play(*[bots.make("random")] * table.seats)
    solved = [solver.solve(engine.view(made, s, s.turn)) for s in table.positions[-12:] if s.turn >= 0]
    assert any(solved)


def test_cards_of_equal_value_are_alike_in_a_variant() -> None:
    """Mount Goldrush's ending, with another number of strengths."""
    changes = {"miner_values": [2, 9], "miner_cards": [3, 1], "gold_values": [5], "gold_cards": [20]}
    made = games.variant(GAMES["mount_goldrush"], changes, "two-strengths")
    solver = games.part(made, "ending")
    assert solver
    for seats in made.SEATS:
        s = engine.start(made, seats)
        for kind, value in enumerate(made.VALUE):
            alike = solver.alike(s, kind)
            assert made.VALUE[alike] == value and (alike < made.GOLDS) == (kind < made.GOLDS)
            if value and kind >= made.GOLDS:
                colours = [(k - made.GOLDS) // made.MINERS for k in (kind, alike)]
                assert made.owner(s, colours[0]) == made.owner(s, colours[1])


# A game small enough to solve


def dealt(game: Game, number: int) -> Record:
    """The first decision of a single deal."""
    s = engine.start(game, target=0)
    rng = new_rng(number)
    while s.turn == CHANCE:
        game.apply(s, engine.draw(game, s, rng))
    return s


def test_goldmine_of_one_trick_has_the_value_found_by_hand() -> None:
    """Cards 1, 2, 3 of one suit. Whoever acts first may exchange, and has then the trump card against the other one's,
    or leave that to the other: it wins for certain if the trump card is 3 or 1, and in one of two worlds if it is 2."""
    changes = {"gold": [1], "suits": ["H"], "ranks": [1, 2, 3]}
    made = games.variant(GAMES["goldmine"], changes, "one-trick")
    solver = games.part(made, "ending")
    assert solver
    values = {}
    for number in range(20):
        s = dealt(made, number)
        solved = equilibrium.solve(made, solver, s, solver.worlds(s), most=10_000)
        assert solved is not None and not solved.in_points
        values[made.CARDS[s.trump]] = -solved.value  # of seat 1, which acts first
    assert values == pytest.approx({"H1": 1, "H2": 0, "H3": 1}, abs=0.01)


def test_a_deal_of_a_reduced_goldmine_is_solved_from_its_first_decision_on() -> None:
    made = tiny()
    solver, s = games.part(made, "ending"), dealt(made, 1)
    assert solver and s.trick == 0
    solved = equilibrium.solve(made, solver, s, solver.worlds(s), most=2_000_000)
    assert solved is not None and not solved.in_points and solved.exploitability < 0.02
    assert set(solved.mix) <= set(engine.legal(made, s)) and sum(solved.mix.values()) == pytest.approx(1)


# Files of values


SHORT = """
game = "goldmine"
name = "short"
gold = [1, 2]
suits = ["H", "C"]
ranks = [2, 3, 4]
"""


def test_a_file_of_values_is_a_variant(tmp_path: Path) -> None:
    file = tmp_path / "values.toml"
    file.write_text(SHORT, "utf-8")
    made = games.load_values(file, GAMES["goldmine"])
    assert (made.NAME, made.TITLE, made.CREDIT) == ("goldmine~short", "Goldmine (short)", GAMES["goldmine"].CREDIT)
    assert "goldmine~short" not in games.GAMES
    assert games.load(str(file)) is made is games.GAMES["goldmine~short"]  # a host lists it
    program = "from motherlode import GAMES; print(GAMES['goldmine~short'].TITLE)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert os.environ[games.PATHS] == str(file) and ran.stdout == "Goldmine (short)\n"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('game = "goldmine"\n', "", "values.toml does not say its game: add a line like game"),
        ('game = "goldmine"', 'game = "chess"', "there is no game 'chess'"),
        ('game = "goldmine"', "game = 3", "game must be the name of a game, not 3"),
        ('name = "short"', 'name = "A B"', "a variant's name is of small letters"),
        ("gold = [1, 2]", "gold = [1, ", "values.toml is not a file of values: "),
        ("gold = [1, 2]", "gold = [1, 99]", "values.toml: GM-1.1: each value of gold"),
        ("gold = [1, 2]", "gold = {x = 1}", "must be a list of 1 to 6 values, not {'x': 1}"),
        ("gold = [1, 2]", "# " + "x" * (1 << 16), "a file of values has at most 65,536 bytes"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    file = tmp_path / "values.toml"
    file.write_text(SHORT.replace(old, new), "utf-8")
    with pytest.raises(Refusal) as refused:
        games.load(str(file))
    assert said in str(refused.value)


def test_the_documented_file_plays(tmp_path: Path) -> None:
    example = re.search(r"```toml\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    assert example
    file = tmp_path / "short.toml"
    file.write_text(example[1], "utf-8")
    answer = simulate(games.load(str(file)), games=20, players=["random", "greedy:2"], cores=2)
    assert answer["game"] == "goldmine~short" and answer["data"] == {"gold": (1, 2, 4), "ranks": (5, 6, 7)}
    assert answer["games"] == 20


def test_a_file_for_another_game_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "values.toml"
    file.write_text(SHORT, "utf-8")
    with pytest.raises(Refusal, match="has values for goldmine, not for claimpoker"):
        games.load_values(file, GAMES["claimpoker"])


@GAME
def test_the_table_as_a_file_reads_back(game: Game, tmp_path: Path) -> None:
    file = tmp_path / "values.toml"
    file.write_text(game.DATA.toml(game.NAME, "own"), "utf-8")
    found = data.read_file(file)
    assert (found.name, found.game, set(found.changes)) == ("own", game.NAME, set(game.DATA.table))
    assert game.DATA.check(found.changes, game.TITLE) == {}


# The command line


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the values of SHORT in short.toml."""
    (tmp_path / "short.toml").write_text(SHORT, "utf-8")
    (tmp_path / "wrong.toml").write_text(SHORT.replace("[1, 2]", "[1, 3]"), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(folder: Path, *arguments: str, status: int = 0) -> str:
    """What a command prints in a process of its own."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(folder)}
    line = [sys.executable, "-m", "motherlode.cli", *arguments]
    ran = subprocess.run(line, check=False, cwd=folder, env=env, capture_output=True, text=True)
    assert ran.returncode == status, ran.stderr
    return ran.stdout if status == 0 else ran.stderr


def test_a_variant_on_the_command_line(folder: Path) -> None:
    """A record that one process makes is replayed by another, which was told nothing of the variant."""
    out = command(folder, "match", "goldmine", "--data", "short.toml", "--bots", "random,greedy:2", "--games", "2",
                  "-o", "target=0", "--save", "records")  # fmt: skip
    assert "2 games of goldmine~short (target=0, scoring=both)" in out and "gold = [1, 2]" in out
    record = "records/goldmine~short-00000-0.txt"
    assert "Goldmine (short)" in command(folder, "replay", record, "--show")
    assert "nothing to verify" in command(folder, "verify", record, status=2)
    over = command(folder, "play", "goldmine", "--record", record, "--players", "random,random", "--save", "x.txt")
    assert "wins" in over
    assert "is a game of Goldmine (short), not of Claimpoker" in command(
        folder, "play", "claimpoker", "--record", record, status=2
    )


def test_the_table_is_printed_as_a_file(run: Run, folder: Path) -> None:
    printed = run("data", "goldmine").out
    assert "# GM-1.1: what each gold card is worth; one trick for each (1 to 6, each 1 to 40)\ngold = [2, 3" in printed
    assert 'name = "short"' in run("data", "goldmine", "--data", "short.toml").out
    (folder / "mine.toml").write_text(printed.replace("targets = [30, 50]", "targets = [20, 50]"), "utf-8")
    assert "- `targets` (GM-4.2): [20, 50] instead of [30, 50]" in run("rules", "mine.toml").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rules", "goldmine", "--data", "none.toml"], "none.toml cannot be read: No such file"),
        (["rules", "goldmine", "--data", "wrong.toml"], "wrong.toml: GM-4.1: all gold must add up to an odd number"),
        (["rules", "claimpoker", "--data", "short.toml"], "has values for goldmine, not for claimpoker"),
        (["ladder", "goldmine", "--data", "short.toml", "--docs", "."], "is a variant: its results are printed"),
    ],
)
def test_wrong_values_on_the_command_line(run: Run, folder: Path, arguments: list[str], said: str) -> None:
    ran = run(*arguments)
    assert ran.status == 2 and said in ran.err and ran.err.count("\n") == 1


def test_a_game_from_outside_has_variants_too(tmp_path: Path) -> None:
    from test_games import MATCHES

    file = tmp_path / "matches.py"
    declared = """
from motherlode.data import Data
DATA = Data(__name__)
MOST = DATA.number("matches", 12, 1, 50, "MA-1.1", "matches on the table")
"""
    file.write_text(declared + MATCHES.replace("12", "MOST"), "utf-8")
    made = games.variant(games.load(str(file)), {"matches": 5}, "five")
    contract.check(made)
    assert made.LENGTH == 5 and engine.start(made).left == 5
    without = tmp_path / "plain.py"
    without.write_text(MATCHES.replace('"matches"', '"plain"'), "utf-8")
    with pytest.raises(Refusal, match="Matches has no value 'matches'; its values are: none; its numbers cannot be"):
        games.variant(games.load(str(without)), {"matches": 5}, "five")


def test_a_datum_is_declared_once() -> None:
    table = Data()
    assert table.number("n", 3, 1, 5, "XY-1.1", "a number") == 3
    with pytest.raises(AssertionError):
        table.number("n", 3, 1, 5, "XY-1.1", "a number")
