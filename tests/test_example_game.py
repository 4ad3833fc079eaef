"""The example package: its rules clause by clause, its exact value, and everything Motherlode does with a game."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from support import example_game
from support.command_line import Run
from support.local_server import Page
from support.play import names, play, why
from support.server_process import Process
from test_sheets import facts, names_of_tests

from motherlode import Table, contract, engine, games, sentences, sheet, text
from motherlode.bots import equilibrium, whole_game
from motherlode.game import HIDDEN, Game, Record, new_rng

Start = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def game(installed: Path) -> Iterator[Game]:
    with example_game.listed(installed) as found:
        yield found


@pytest.fixture
def start(installed: Path, tmp_path: Path) -> Start:
    """A command in a process of its own that has the package installed."""

    def call(*arguments: object, stdin: str = "", status: int = 0, **more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "motherlode.cli", *map(str, arguments)]
        own = {"XDG_DATA_HOME": str(tmp_path), "COLUMNS": "100", **example_game.environment(installed), **more}
        env = {**os.environ, **own}
        ran = subprocess.run(command, input=stdin, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ran.returncode == status, ran.stderr
        return ran

    return call


# The rules, clause by clause


def night(game: Game, *actions: str) -> Record:
    return play(game, engine.start(game), *actions)


def test_1_1_three_bags(game: Game) -> None:
    assert names(game, engine.start(game)) == ["gold 1", "gold 2", "gold 3"]


def test_1_2_each_begins_with_five_ounces(game: Game) -> None:
    assert engine.points(game, engine.start(game)) == [5, 5]
    s = night(game, "gold 2")
    assert [s.turn, play(game, s, "load mule").turn, play(game, s, "load mule", "hire nobody").turn] == [0, 0, 1]


def test_2_1_the_bag_is_secret(game: Game) -> None:
    opening = engine.start(game)
    assert {game.odds(opening, a) for a in engine.legal(game, opening)} == {1}
    s = night(game, "gold 3")
    assert [engine.view(game, s, seat).gold for seat in (0, 1, -1)] == [3, HIDDEN, HIDDEN]
    assert text.tell(game, opening, 2, 0).words == "gold 3" and text.tell(game, opening, 2, 1).words == "gold ?"


def test_2_2_it_is_loaded_in_secret(game: Game) -> None:
    s = night(game, "gold 3")
    assert names(game, s) == ["load coach", "load mule"] and why(game, s, "rob mule") == "NC-3.1"
    assert text.tell(game, s, text.read_action(game, s, "load mule"), 1).words == "load ?"
    s = play(game, s, "load mule")
    assert [engine.view(game, s, seat).place for seat in (0, 1, -1)] == [game.PLACES.index("mule"), HIDDEN, HIDDEN]


def test_2_3_the_guard_costs_two_ounces_and_is_seen(game: Game) -> None:
    s = night(game, "gold 3", "load mule")
    assert names(game, s) == ["hire nobody", "hire guard"]
    assert text.tell(game, s, text.read_action(game, s, "hire guard"), 1).words == "hire guard"
    assert engine.points(game, play(game, s, "hire guard")) == [3, 5]
    assert engine.points(game, play(game, s, "hire nobody")) == [5, 5]


@pytest.mark.parametrize(("whom", "left"), [("nobody", [5, 4, 6]), ("guard", [5, 0, 6])])
def test_3_1_a_robbery_costs_an_ounce_and_five_where_the_guard_rides(game: Game, whom: str, left: list[int]) -> None:
    s = night(game, "gold 2", "load mule", f"hire {whom}")
    assert names(game, s) == ["rob nowhere", "rob coach", "rob mule"]
    assert [engine.points(game, play(game, s, f"rob {where}"))[1] for where in game.PLACES] == left


def test_3_2_the_right_one_is_taken(game: Game) -> None:
    for place, robbed in (("coach", "coach"), ("coach", "mule"), ("mule", "coach"), ("mule", "mule")):
        s = night(game, "gold 3", f"load {place}", "hire nobody", f"rob {robbed}")
        assert engine.points(game, s) == ([5, 7] if place == robbed else [8, 4])


def test_3_3_the_morning_shows_everything(game: Game) -> None:
    s = night(game, "gold 3", "load mule", "hire guard", "rob mule")
    assert bytes(engine.view(game, s, 1)) == bytes(engine.view(game, s, -1)) == bytes(s)
    assert "bag 3 oz   place mule   guards 1" in game.show(s)


def test_4_1_the_shipper_wins_with_more_ounces(game: Game) -> None:
    s = night(game, "gold 1", "load mule", "hire nobody")
    assert text.result(game, play(game, s, "rob nowhere")) == "6-5, seat 0 wins"
    assert text.result(game, play(game, s, "rob mule")) == "5-5, seat 1 wins"
    s = night(game, "gold 1", "load mule", "hire guard")
    assert text.result(game, play(game, s, "rob nowhere")) == "4-5, seat 1 wins"


def test_4_2_the_value_of_the_game(game: Game) -> None:
    """Exact best responses to the strategies found bound the value from both sides."""
    s = engine.start(game)
    solved = equilibrium.solve(game, whole_game, s, [(s, 1.0)], most=100, iterations=3000, enough=0.0001)
    assert solved is not None and not solved.in_points
    assert solved.exploitability < 0.0001 and abs((1 + solved.value) / 2 - 7 / 12) < solved.exploitability


SHIPPER = {  # in how many of 12 games
    (1, "coach", "nobody"): 2,
    (1, "mule", "nobody"): 2,
    (2, "coach", "guard"): 2,
    (2, "coach", "nobody"): 1,
    (2, "mule", "nobody"): 1,
    (3, "coach", "guard"): 2,
    (3, "mule", "guard"): 2,
}
OUTLAW = {"nobody": {"coach": 2, "mule": 2}, "guard": {"coach": 1, "mule": 1, "nowhere": 2}}  # of 4 games


def test_4_3_nobody_can_do_better_than_perfect_play(game: Game) -> None:
    """This shipper wins 7 of 12 games whatever the outlaw does, and nobody wins more against this outlaw."""

    def wins(bag: int, load: str, hire: str, rob: str) -> bool:
        s = night(game, f"gold {bag}", f"load {load}", f"hire {hire}", f"rob {rob}")
        return engine.winners(game, s) == [0]

    def won_by_shipper(hire: str, rob: str) -> int:
        return sum(games * wins(*held, rob) for held, games in SHIPPER.items() if held[2] == hire)

    def won_against_outlaw(bag: int, load: str, hire: str) -> int:
        return sum(games * wins(bag, load, hire, rob) for rob, games in OUTLAW[hire].items())

    assert sum(min(won_by_shipper(hire, rob) for rob in game.PLACES) for hire in OUTLAW) == 7
    ways = list(product(("coach", "mule"), OUTLAW))
    assert sum(max(won_against_outlaw(bag, *way) for way in ways) for bag in (1, 2, 3)) == 7


def test_worked_1_a_bluff(game: Game) -> None:
    assert text.result(game, night(game, "gold 3", "load mule", "hire guard", "rob nowhere")) == "6-5, seat 0 wins"


def test_worked_2_the_guarded_gold(game: Game) -> None:
    assert text.result(game, night(game, "gold 3", "load coach", "hire guard", "rob coach")) == "3-3, seat 1 wins"


def test_worked_3_a_bait(game: Game) -> None:
    assert text.result(game, night(game, "gold 2", "load coach", "hire guard", "rob coach")) == "3-2, seat 0 wins"


def test_worked_4_a_bait_refused(game: Game) -> None:
    assert text.result(game, night(game, "gold 2", "load coach", "hire guard", "rob nowhere")) == "5-5, seat 1 wins"


# The sheet and the package


def test_every_clause_and_worked_position_has_a_test(game: Game) -> None:
    tests = names_of_tests(Path(__file__))
    clauses = [clause.partition("-")[2].replace(".", "_") for clause in sheet.clauses(game)]
    worked = re.findall(r"^(\d+)\. ", sheet.read(game).partition("Worked positions")[2], re.MULTILINE)
    assert len(clauses) == 11 and len(worked) == 4
    for wanted in [*clauses, *(f"worked_{number}" for number in worked)]:
        assert any(name.startswith(f"{wanted}_") for name in tests), wanted
    code = (example_game.FOLDER / "rules.py").read_text("utf-8")
    assert set(re.findall(r"NC-\d\.\d", code)) <= set(sheet.clauses(game))


def test_the_french_sheet_says_the_same(game: Game) -> None:
    english, french = sheet.clauses(game), sheet.clauses(game, "fr")
    assert list(english) == list(french)
    for clause, words in english.items():
        assert facts(words) == facts(french[clause]), clause
    sections = [re.split(r"^## ", sheet.read(game, language), flags=re.MULTILINE)[1:] for language in ("en", "fr")]
    for one, other in zip(*sections, strict=True):
        assert facts(one) == facts(other)


def test_the_package_has_its_licence_and_sheets(installed: Path) -> None:
    project = tomllib.loads((example_game.PACKAGE / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["license"] == "Apache-2.0"
    assert (example_game.PACKAGE / "LICENSE").read_bytes() == (example_game.ROOT / "LICENSE").read_bytes()
    assert (installed / "night_coach" / "sheet.md").exists() and (installed / "night_coach" / "sheet.fr.md").exists()
    assert next(installed.glob("*.dist-info/licenses/LICENSE")).exists()


# The contract


def test_the_contract_is_kept(game: Game) -> None:
    contract.check(game, games=10)
    contract.check_compiled(game)


@pytest.mark.parametrize(("seat", "most"), [(-1, 6), (0, 1), (1, 6)])
def test_guess_is_exact(game: Game, seat: int, most: int) -> None:
    """There are three bags, on the coach or on the mule, and the shipper knows everything."""
    opening = engine.start(game)
    log = [a for _, a, _ in contract.random_game(game, opening, new_rng(1))]
    worlds = [contract.check_guess(game, opening, log[:at], seat) for at in range(len(log) + 1)]
    assert max(worlds) == most and worlds[-1] == 1


DOCUMENT = (example_game.ROOT / "docs" / "your-own-game.md").read_text("utf-8")
FORGOTTEN = DOCUMENT.partition("contract.Broken: ")[2].partition("\n```")[0]  # as the document quotes it
PLANTS = {
    "        s.gold = HIDDEN if s.gold else 0\n": (
        "",
        "seat -1 can tell 'gold 2' from 'gold 1' by what `hide` leaves, but is told neither",
    ),
    "        s.place = HIDDEN if s.place else 0\n": ("", FORGOTTEN),
    "    bits[0] = ((1": (
        "    if s.phase == ROB and s.place == COACH:\n        bits[0] = 1 << 4\n        return 1\n    bits[0] = ((1",
        "legal reads only what the seat to act knows",
    ),
    "        s.shown[0], s.shown[1] = s.gold, s.place  # NC-3.3\n": ("", "what it was neither told nor shown"),
    "LENGTH = 3": ("LENGTH = 2", "3 decisions, and LENGTH is 2"),
    '"NC-2.2"': ('"NC-9.9"', "load names NC-9.9, which is not in the sheet"),
    "@rule\ndef score": ("def score", "score is marked @rule, so that it can be compiled"),
    'NAME = "night_coach"': ('NAME = "day_coach"', "a game is named after its folder or file, here night_coach"),
}


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str, str], Game]:
    """A copy of the example with one fault."""
    monkeypatch.setattr(games, "GAMES", {})
    monkeypatch.setenv(games.PATHS, "")

    def copy(right: str, wrong: str) -> Game:
        shutil.copytree(example_game.FOLDER, tmp_path / "night_coach")
        rules = tmp_path / "night_coach" / "rules.py"
        assert right in rules.read_text("utf-8")
        rules.write_text(rules.read_text("utf-8").replace(right, wrong), "utf-8")
        return games.load(str(rules.parent))

    return copy


@pytest.mark.parametrize("right", PLANTS)
def test_a_fault_in_the_rules_is_caught(plant: Callable[[str, str], Game], right: str) -> None:
    wrong, said = PLANTS[right]
    with pytest.raises(contract.Broken, match=re.escape(said)):
        contract.check(plant(right, wrong), games=10)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("((s.points[0] + 8) << 60) >> 60", "compiled games end as interpreted ones do"),  # more than 64 bits
        ("len('{}'.format(s.points[0]))", "night_coach does not compile"),
    ],
)
def test_rules_that_do_not_compile_are_caught(plant: Callable[[str, str], Game], wrong: str, said: str) -> None:
    with pytest.raises(contract.Broken, match=said):
        contract.check_compiled(plant("out[1] = s.points[0]", f"out[1] = {wrong}"))


def test_it_compiles_for_a_gpu(game: Game) -> None:
    from motherlode.lab import cuda

    assert ".entry" in cuda.ptx(game)


# The command line: here, where the package is listed by its entry point, and in processes of their own


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("game")
def test_in_the_terminal(start: Start, run: Run, tmp_path: Path) -> None:
    """A whole game through a pipe; then its record, told again to everybody and to a seat."""
    typed = ["rob mule", "rules 2.2", "load mule", "hint", "hire guard"]
    options = ("--seed", 5, "--players", "me,random", "--save", "r.txt")
    ran = start("play", "night_coach", *options, stdin="\n".join(typed) + "\n")
    assert "NC-3.1: 'rob mule' is not legal here" in ran.stdout
    assert "NC-2.2  The shipper loads it in secret on the coach or on the mule." in ran.stdout
    assert "bag 3 oz   place mule   guards 1" in ran.stdout and re.search(r"seat \d wins", ran.stdout)
    table = Table.load(tmp_path / "r.txt")
    assert table.is_over and table.game.NAME == "night_coach"
    everything, told = run("replay", "r.txt", "--show"), run("replay", "r.txt", "--seat", 1)
    assert "0 load mule" in everything.out and text.result(table.game, table.position) in everything.out
    assert "0 load ?" in told.out and "* gold ?" in told.out and "load mule" not in told.out


def test_simulate_in_several_processes(start: Start) -> None:
    command = ("simulate", "night_coach", "--games", 12, "--json", "--bots", "search:20,greedy", "--cores")
    one, two = (json.loads(start(*command, cores).stdout) for cores in (1, 2))
    for answer in (one, two):
        del answer["seconds"], answer["decisions_per_second"]
    assert one == two and one["mean_decisions"] == 3


@pytest.mark.usefixtures("game")
def test_simulate_random_play(run: Run) -> None:
    answer = json.loads(run("simulate", "night_coach", "--games", 10_000, "--json").out)
    assert answer["games"] == 10_000 and sum(answer["win_share"]) == pytest.approx(1)


def test_search_beats_random_play_in_a_match(start: Start) -> None:
    answer = json.loads(start("match", "night_coach", "--bots", "search:100,random", "--games", 200, "--json").stdout)
    assert answer["games"] == 200 and answer["players"][0]["win_share"] > 0.55


@pytest.mark.usefixtures("game")
def test_perft(run: Run) -> None:
    """After each of the bags: coach or mule, guard or not, and three places to rob."""
    counted = json.loads(run("perft", "night_coach", "--depth", 4, "--json").out)
    assert counted == dict.fromkeys(["gold 1", "gold 2", "gold 3"], 2 * 2 * 3)


@pytest.mark.usefixtures("game")
def test_rules(run: Run) -> None:
    assert run("rules", "night_coach").out == (example_game.FOLDER / "sheet.md").read_text("utf-8")
    assert run("rules", "night_coach", "3.3").out.startswith("NC-3.3  In the morning")
    assert run("rules", "night_coach", "3.3", "--language", "fr").out.startswith("NC-3.3  Au matin")


def test_from_its_folder_without_installing_it(start: Start) -> None:
    """GAME can be the folder; --game loads it for any command, before or after its name."""
    bare = {"PYTHONPATH": str(example_game.ROOT)}
    folder = example_game.FOLDER
    said = start("rules", folder, "4.1", **bare).stdout
    assert said.startswith("NC-4.1")
    assert start("--game", folder, "rules", "night_coach", "4.1", **bare).stdout == said
    assert start("rules", "night_coach", "4.1", **bare, MOTHERLODE_GAMES=str(folder)).stdout == said
    assert "there is no game 'night_coach'" in start("rules", "night_coach", status=2, **bare).stderr
    quit_at_once = start("play", folder, "--seed", 1, stdin="quit\n", **bare).stdout
    again = re.search(r"to continue: motherlode (play \S+ --record \S+)", quit_at_once)
    assert again
    finished = start(*again[1].split(), "--players", "random,random", **bare).stdout
    record = finished.split("the record: ")[1].strip()
    assert "seat" in start("replay", record, "--game", folder, **bare).stdout
    answer = start("simulate", folder, "--games", 8, "--bots", "greedy,random", "--cores", 2, "--json", **bare).stdout
    assert json.loads(answer)["games"] == 8


@pytest.mark.usefixtures("game")
def test_a_record_of_the_terminal_has_nothing_to_verify(run: Run) -> None:
    run("play", "night_coach", "--players", "random,random", "--save", "r.txt")
    ran = run("verify", "r.txt")
    assert ran.status == 2 and "nothing to verify" in ran.err


# The server


@pytest.fixture(scope="module")
def process(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    database = tmp_path_factory.mktemp("parlour") / "parlour.db"
    with Process(f"sqlite:///{database}", **example_game.environment(installed)) as running:
        yield running


def test_a_server_lists_it_with_levels_that_nobody_measured(process: Process) -> None:
    with process.visitor("Ada") as ada:
        card = next(card for card in ada.get("/api/games") if card["name"] == "night_coach")
        assert card["title"] == "The Night Coach" and len(card["levels"]) == 5
        assert all(level["score"] is level["interval"] is level["games"] is None for level in card["levels"])
        told: dict[str, Any] = ada.get("/api/games/night_coach")
        assert [kind["verb"] for kind in told["actions"]] == ["load", "hire", "rob"]
        assert told["clauses"]["NC-1.1"].startswith("Three bags")
        assert ada.get("/api/games/night_coach", language="fr")["clauses"]["NC-1.1"].startswith("Trois sacs")


@pytest.mark.usefixtures("game")
@pytest.mark.parametrize("bot", ["search:50", "panner"])
def test_a_table_with_a_bot(process: Process, run: Run, tmp_path: Path, bot: str) -> None:
    """With hints, played to its end; its record is replayed and verified."""
    with process.visitor("Ada") as ada:
        card = ada.make("night_coach", "me", bot, hints=True)
        with ada.open(card["id"], 0) as page:
            play_with_hints(page)
            assert page.table["seal"]["secret"] and page.table["seal"]["commitment"] == card["commitment"]
            points = page.table["result"]["points"]
        (tmp_path / "r.txt").write_text(ada.http.get(f"/api/tables/{card['id']}/record").text, "utf-8")
    assert "-".join(map(str, points)) in run("replay", "r.txt").out
    verified = run("verify", "r.txt")
    assert verified.status == 0 and verified.out
    (tmp_path / "r.txt").write_text((tmp_path / "r.txt").read_text("utf-8").replace("secret: ", "secret: 0"), "utf-8")
    assert run("verify", "r.txt").status == 2


def play_with_hints(page: Page) -> None:
    while not page.until_turn()["result"]:
        hint = page.ask(do="hint")
        assert {entry["action"] for entry in hint["suggestions"]} <= {legal["action"] for legal in page.table["legal"]}
        assert page.table["view"]["gold"] in (1, 2, 3)
        page.act()


def test_what_came_of_it_is_told(game: Game) -> None:
    """A guard costs, and the morning settles who has the gold."""
    s = night(game, "gold 3", "load mule")
    hired = text.tell(game, s, text.read_action(game, s, "hire guard"), 1)
    assert [sentences.event(game, event, ["Ada", "Bob"]) for event in hired.events] == ["Ada pays 2 ounces"]
    s = night(game, "gold 2", "load mule", "hire nobody")
    robbed = text.tell(game, s, text.read_action(game, s, "rob mule"), -1)
    assert [sentences.event(game, event, ["Ada", "Bob"]) for event in robbed.events] == ["Bob gains 1 ounce"]
