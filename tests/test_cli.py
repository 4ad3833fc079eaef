"""The command line as a person or a script uses it: what it prints, what it refuses, and its exit status."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import pytest
from support.command_line import Run

from motherlode import Table, bots, cli, cli_lab, cli_strength, engine, sheet, text
from motherlode.bots import levels
from motherlode.games import GAMES
from motherlode.lab import bench

COMMAND = [sys.executable, "-m", "motherlode.cli"]


@pytest.fixture
def record(tmp_path: Path) -> Path:
    table = Table("goldmine", seed=3, target=0)
    table.play(bots.make("random"), bots.make("random"))
    table.save(tmp_path / "record.txt")
    return tmp_path / "record.txt"


def test_a_whole_game_through_a_pipe(run: Run, tmp_path: Path) -> None:
    """A script that answers with the first legal action, whatever it is."""
    table = Table("goldmine", seed=4, target=0)
    lines = []
    greedy = bots.make("greedy")
    while not table.is_over:
        if table.turn == 0:
            lines.append(table.legal()[0])
            table.act(lines[-1])
        else:
            table.act(greedy(table.ask(), table.rng))
    ran = run(
        "play", "goldmine", "--seed", 4, "-o", "target=0", "--save", tmp_path / "r.txt", stdin="\n".join(lines) + "\n"
    )
    assert ran.status == 0 and ran.err == ""
    assert text.result(table.game, table.position) in ran.out
    assert Table.load(tmp_path / "r.txt").log == table.log
    assert "seat 1 (greedy): discard ?" in ran.out and "chance: deal ?" not in ran.out


def test_everything_that_can_be_typed(run: Run, tmp_path: Path) -> None:
    typed = [
        "?",
        "actions",
        "log",
        "rules 3.2",
        "rules 9.9",
        "play h7",
        "dance",
        "save " + str(tmp_path / "s.txt"),
        "",
        "quit",
    ]
    ran = run("play", "goldmine", "--seed", 4, "--players", "random,me:Ann", stdin="\n".join(typed))
    assert ran.status == 0 and ran.err == ""
    clauses = sheet.plain_clauses(GAMES["goldmine"])
    assert f"GM-3.5: 'play H7' is not legal here. {clauses['GM-3.5']}\n" in ran.out
    assert f"GM-3.2  {clauses['GM-3.2']}\n" in ran.out
    assert "there is no clause GM-9.9" in ran.out and "'dance' is no action of Goldmine" in ran.out
    assert (tmp_path / "s.txt").exists()
    assert re.search(r"to continue: motherlode play goldmine --record \S+\.txt", ran.out)


@pytest.mark.parametrize(
    ("game", "options", "is_open"),
    [
        ("goldmine", [], True),
        ("goldmine", ["--no-knowledge"], False),
        ("mount_goldrush", [], False),
        ("mount_goldrush", ["--knowledge"], True),
    ],
)
def test_the_past_is_told_where_remembering_is_not_the_game(
    run: Run, game: str, options: list[str], is_open: bool
) -> None:
    players, typed = {
        "goldmine": ("random,me", ["look 0", "log", "quit"]),
        "mount_goldrush": ("me,random", ["turn 0", "turn 1", "log", "quit"]),
    }[game]
    ran = run("play", game, "--seed", 4, "--players", players, *options, stdin="\n".join(typed) + "\n")
    assert ran.status == 0 and ("you have to remember that yourself: ALL-5" in ran.out) != is_open
    if game == "goldmine":
        last_screen = ran.out.split("\ngold ")[-1].splitlines()[0]
        assert (last_screen.split()[0] != "-") == is_open


def test_input_that_ends_keeps_the_game(run: Run, tmp_path: Path) -> None:
    ran = run("play", "goldmine", "--seed", 4, "--save", tmp_path / "kept.txt")
    assert ran.status == 2 and "the input ended at action" in ran.err
    resumed = run("play", "goldmine", "--record", tmp_path / "kept.txt", "--players", "random,random")
    assert resumed.status == 0 and " wins" in resumed.out


def test_at_a_terminal_there_is_a_curtain_and_what_was_shown_is_cleared(tmp_path: Path) -> None:
    """Two people at one keyboard, on a real pseudo-terminal."""
    main, side = pty.openpty()
    command = [
        *COMMAND,
        "play",
        "goldmine",
        "--seed",
        "4",
        "--players",
        "me:Ann,me:Bob",
        "--save",
        str(tmp_path / "r.txt"),
    ]
    child = subprocess.Popen(command, stdin=side, stdout=side, stderr=side, env={**os.environ, "TERM": "xterm"})
    os.close(side)
    os.write(main, b"\nlook 0\n\nquit\n")
    seen = b""
    while True:
        try:
            part = os.read(main, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part
    assert child.wait() == 0
    os.close(main)
    screen = seen.decode()
    assert "seat 1 (Bob) is to act. Press Enter when nobody else can see the screen." in screen
    assert "seat 0 (Ann) is to act" in screen and "\x1b[3J" in screen


def test_rules(run: Run) -> None:
    for name, game in GAMES.items():
        assert run("rules", name).out.startswith(f"# {game.TITLE}") or game.TITLE in run("rules", name).out
    assert run("rules", "goldmine", "gm-4.3").out.startswith("GM-4.3  A tie at the target")
    assert run("rules", "goldmine", "4.3", "--language", "fr").out.startswith("GM-4.3  Une égalité à l")
    assert "Traduction" in run("rules", "goldmine", "--language", "fr").out


def test_rulings_are_listed_in_one_line_each(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one clause or of all: the clause, what print says, what we play, why, and the option with its values."""
    read, told = sheet.rulings, ("GM-3.2", "That.", "We play this.", "because", "target=30,50,0")
    ours = [sheet.Ruling(*told), sheet.Ruling("GM-3.2", "", "We play this.", "so", "")]
    monkeypatch.setattr(sheet, "rulings", lambda game, language: ours if game else read(game, language))
    first = 'GM-3.2  print says "That." | we play: We play this. | because: because | option target=30,50,0'
    second = "GM-3.2  print is silent | we play: We play this. | because: so"
    assert run("rules", "goldmine", "3.2", "--rulings").out.splitlines() == [first, second]
    listed = run("rules", "goldmine", "--rulings").out.splitlines()
    assert listed[:2] == [first, second]
    assert [line.partition("  ")[0] for line in listed[2:]] == ["ALL-1", "ALL-2", "ALL-4", "ALL-10"]
    french = run("rules", "goldmine", "all-4", "--rulings", "--language", "fr").out
    assert french.startswith("ALL-4  le texte imprimé dit « Mais vous pouvez prendre l'or") and french.count("\n") == 1
    assert " | on joue : Un geste qui" in french and " | raison : une question" in french
    refused = run("rules", "goldmine", "3.1", "--rulings")
    assert refused.status == 2 and refused.err == "motherlode: there is no ruling in GM-3.1\n"


def test_simulate_prints_one_json_object(run: Run) -> None:
    ran = run(
        "simulate", "goldmine", "--games", 200, "--seed", 1, "--bots", "random,random", "--option", "target=0", "--json"
    )
    answer = json.loads(ran.out)
    assert ran.status == 0 and ran.err == ""
    assert answer["game"] == "goldmine" and answer["games"] == 200
    assert answer["options"] == {"target": 0, "scoring": "both"}
    for key in ("mean_points", "sd_points", "win_share"):
        assert len(answer[key]) == answer["seats"] == 2
    assert answer["mean_decisions"] == 24 and answer["sd_decisions"] == 0
    assert answer["seconds"] > 0 and answer["decisions_per_second"] > 0
    assert "200 games of goldmine" in run("simulate", "goldmine", "--games", 200).out
    counted = run("simulate", "goldmine", "--games", 5, "--count").out.split()
    assert {"discard", "trumped", "useful"} <= {*counted}


def test_a_hint_changes_nothing(run: Run, tmp_path: Path) -> None:
    """The game goes on as it would have without it."""
    typed = ["discard H3", "quit"]
    for name, lines in (("plain", typed), ("hinted", ["hint", *typed])):
        ran = run("play", "goldmine", "--seed", 3, "--save", tmp_path / name, stdin="\n".join(lines))
        assert ("of the time" in ran.out) == (name == "hinted")
    assert (tmp_path / "plain").read_text("utf-8") == (tmp_path / "hinted").read_text("utf-8")


def test_a_lost_seat_is_said(run: Run, tmp_path: Path) -> None:
    players = f"cmd:{sys.executable} -c 'raise SystemExit(3)',random"
    ran = run("play", "goldmine", "--seed", 3, "--players", players, "--save", tmp_path / "r.txt")
    assert ran.status == 0 and ran.out.count("ended with status 3") == 1 and "plays on at random" in ran.out


def test_match(run: Run, tmp_path: Path) -> None:
    line = "match goldmine --bots greedy:1,random --games 6 --seed 1 -o target=0 --save"
    ran = run(*line.split(), tmp_path / "kept", "--json")
    answer = json.loads(ran.out)
    assert ran.status == 0 and ran.err == "" and answer["games"] == 6 == len(list((tmp_path / "kept").iterdir()))
    assert [row["bot"] for row in answer["players"]] == ["greedy:1", "random"]
    table = run("match", "goldmine", "--bots", "greedy:1,random", "--games", 2).out
    assert "2 games of goldmine (target=30, scoring=both)" in table and "greedy:1" in table and "Elo" in table
    lost = run("match", "goldmine", "--bots", f"cmd:{sys.executable} -c pass,random", "--games", 2).out
    assert "lost its seat, which played on at random, 2 times; first in deal 0, seat 0: it ended with status 0" in lost


@pytest.mark.usefixtures("no_policies")
def test_ladder(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It prints, and writes only where it is told to; so it needs no folder of documents."""
    chosen = {"levels": {"greenhorn": "random", "panner": "greedy:1", "baron": "greedy:2"}, "measured": []}
    (tmp_path / "levels.json").write_text(json.dumps(chosen), "utf-8")
    monkeypatch.setattr(levels, "path", lambda game: tmp_path / "levels.json")
    monkeypatch.chdir(tmp_path)
    ran = run("ladder", "goldmine", "--games", 2)
    assert ran.status == 0 and "greenhorn" in ran.out and list(tmp_path.iterdir()) == [tmp_path / "levels.json"]
    rows = json.loads(run("ladder", "goldmine", "--games", 2, "--docs", tmp_path, "--json").out)
    assert len(rows) == 3 and rows[0]["games"] == 2
    assert (tmp_path / "ladder.svg").exists() and levels.read(GAMES["goldmine"]).measured == rows
    again = json.loads(run("ladder", "goldmine", "--games", 4, "--only", "baron", "--docs", tmp_path, "--json").out)
    assert [(row["level"], row["against"]) for row in again] == [("baron", "panner"), ("baron", "random")]
    assert levels.read(GAMES["goldmine"]).measured == [rows[0], *again]
    ran = run("ladder", "goldmine", "--only", "legend")
    assert ran.status == 2 and "Goldmine measures panner, baron, not 'legend'" in ran.err


def test_replay_tells_all_or_what_a_seat_was_told(run: Run, record: Path) -> None:
    whole, seat, public = run("replay", record), run("replay", record, "--seat", 0), run("replay", record, "--seat", -1)
    assert "?" not in whole.out.partition("\n\n")[0] and whole.out.strip().endswith("wins")
    assert seat.out.count("deal ?") == 6 and public.out.count("deal ?") == 12
    assert run("replay", record, "--at", 1, "--show").out.count("Goldmine, a single deal") == 1


def test_perft(run: Run) -> None:
    ran = run("perft", "goldmine", "--depth", 2)
    assert ran.out.splitlines()[0] == "trump H2: 17" and ran.out.splitlines()[-1] == "all: 306"
    assert sum(json.loads(run("perft", "goldmine", "--depth", 3, "--json").out).values()) == 4896
    assert run("perft", "goldmine", "--depth", 0).out == "all: 1\n"


REFUSED = {
    "play chess": "there is no game 'chess'; the games are: ",
    "play goldmine --seats 3": "Goldmine is for 2 seats, not 3",
    "play goldmine -o goal=3": "Goldmine has no option 'goal'; it has: target",
    "play goldmine -o target": "an option is written NAME=VALUE, not 'target'",
    "play goldmine --seed 99999999999999999999999": "a seed is a number from -9223372036854775808 to",
    "simulate goldmine --seed 99999999999999999999999": "a seed is a number from",
    "match goldmine --bots random,random --seed -99999999999999999999999": "a seed is a number from",
    "play goldmine -o target=31": "GM-4.2: target can be 30, 50, 0, not '31'",
    "play goldmine --players me": "2 seats need 2 players, not 1",
    "play goldmine --players me,clever": "there is no bot 'clever'",
    "play goldmine --record missing.txt": "missing.txt cannot be read: No such file or directory",
    "rules goldmine 9.9": "there is no clause GM-9.9",
    "rules goldmine 9.9 --rulings": "there is no clause GM-9.9",
    "rules goldmine --language de": "there is no rule sheet in 'de'; there are en, fr",
    "simulate goldmine --games 0": "games must be 1 or more, not 0",
    "simulate goldmine --bots random": "2 seats need 2 bots, not 1",
    "match goldmine --bots random": "Goldmine is for 2 seats, and there are 1 bots: random",
    "match goldmine --bots random,cmd:nonesuch": "there is no program 'nonesuch'",
    "simulate goldmine --bots cmd:true,random": "bots from outside play in a match, not here: cmd:true",
    "ladder goldmine --docs missing": "there is no folder missing",
    "play goldmine --players me,search:0": "a strength is a number from 1",
    "simulate goldmine --cores 0": "cores must be 1 or more, not 0",
    "replay missing.txt": "missing.txt cannot be read",
    "perft goldmine --depth -1": "depth must be 0 or more, not -1",
    "perft goldmine --position turn=0": "there is no game 'turn=0'",
}


@pytest.mark.parametrize("line", REFUSED)
def test_bad_input_is_one_sentence_and_status_2(run: Run, line: str) -> None:
    ran = run(*line.split(" "))
    assert ran.status == 2 and ran.out == ""
    assert ran.err.startswith("motherlode: ") and REFUSED[line] in ran.err and ran.err.count("\n") == 1


def test_an_impossible_position_is_refused(run: Run) -> None:
    ran = run("perft", "goldmine", "--position", "goldmine turn=0 phase=lead hand=H7,H7 trump=H2 gold=-,-,-,-,-,-")
    assert ran.status == 2 and "that position is impossible" in ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--at", "99"], "--at is a number from 0 to that, not 99"),
        (["--seat", "2"], "the record has seats 0 to 1, and -1 for the public; not 2"),
    ],
)
def test_a_wrong_place_in_a_record_is_refused(run: Run, record: Path, arguments: list[str], said: str) -> None:
    ran = run("replay", record, *arguments)
    assert ran.status == 2 and said in ran.err


def test_a_cut_record_is_refused(run: Run, record: Path) -> None:
    lines = record.read_text(encoding="utf-8").splitlines()
    record.write_text("\n".join(lines[:30]), encoding="utf-8")
    ran = run("replay", record)
    assert ran.status == 2 and "it was cut off or edited" in ran.err


def test_a_record_of_another_game_is_refused(run: Run, record: Path) -> None:
    other = next(name for name in GAMES if name != "goldmine")
    ran = run("play", other, "--record", record)
    assert ran.status == 2 and "is a game of Goldmine, not of" in ran.err


@pytest.mark.parametrize(
    ("game", "option", "right"),
    [("china_gold", "overlay=m3", "valley, gorge"), ("gold_hunting", "taking=always", "asked")],
)
def test_values_of_earlier_versions_are_refused_in_new_games(run: Run, game: str, option: str, right: str) -> None:
    for command in (["play"], ["simulate", "--games", 1], ["match", "--bots", "random,random"], ["perft"]):
        ran = run(command[0], game, *command[1:], "--option", option)
        assert ran.status == 2 and f"{option} is only for records of earlier versions" in ran.err, ran
        assert f"it can be {right}" in ran.err


def test_an_unknown_command_or_option_is_refused(run: Run) -> None:
    assert run("dance").status == 2
    assert "No such option" in run("play", "goldmine", "--fast").err


def test_a_closed_pipe_is_said_and_not_traced(record: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*COMMAND, "replay", str(record)], stdout=write, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(write)
    assert done.returncode == 2
    assert done.stderr == "motherlode: the output was closed before everything was written\n"


def test_a_folder_that_cannot_be_written_is_said(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    ran = run("play", "goldmine", "--players", "random,random", "--save", tmp_path / "file" / "record.txt")
    assert ran.status == 2 and "Traceback" not in ran.err and ran.err.count("\n") == 1


def test_numba_is_not_imported_to_play() -> None:
    code = "import sys; import motherlode.cli; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_version(run: Run) -> None:
    assert run("--version").out == f"motherlode {version('motherlode')}\n"


def test_a_shell_completes_commands_and_games() -> None:
    for words, expected in (("motherlode si", ["simulate"]), ("motherlode rules go", ["gold_hunting", "goldmine"])):
        asked = {"_MOTHERLODE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        done = subprocess.run(COMMAND, env={**os.environ, **asked}, stdout=subprocess.PIPE, text=True, check=False)
        assert done.stdout.split() == expected


def test_a_record_without_secret_and_chain_is_not_called_good(run: Run, record: Path) -> None:
    ran = run("verify", record)
    assert ran.status == 2 and ran.out == "" and ran.err.count("\n") == 1
    assert "there is nothing to verify: the record has no secret" in ran.err


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_without_unicode(encoding: str) -> None:
    env = {**os.environ, "PYTHONIOENCODING": encoding}
    for line, said in (
        ("simulate goldmine --games 3", b"decisions per game"),
        ("rules goldmine --language fr", b"# Goldmine (GM)\n"),
    ):
        done = subprocess.run([*COMMAND, *line.split()], env=env, capture_output=True, check=False)
        assert done.returncode == 0 and said in done.stdout and done.stderr == b""
        if encoding == "ascii":
            assert done.stdout.isascii() and (b"+-" in done.stdout or b"rangee" in done.stdout)


def test_two_games_that_end_in_one_second_keep_both_records(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Still(datetime):
        @classmethod
        def now(cls, tz: object = None) -> "Still":
            return cls(2026, 1, 1, tzinfo=UTC)

    monkeypatch.setattr(cli, "datetime", Still)
    said = [run("play", "goldmine", "--seed", seed, "--players", "random,random").out for seed in (1, 2)]
    paths = [Path(out.split("the record: ")[1].replace("\n", "")) for out in said]
    assert paths[0] != paths[1]
    assert text.read_record(paths[0].read_text("utf-8")) != text.read_record(paths[1].read_text("utf-8"))


@contextmanager
def interrupting_progress(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """In place of the progress bar: Ctrl-C when something was played for the second time."""
    played: list[int] = []

    def advance(games: int) -> None:
        played.append(games)
        if len(played) == 2:
            raise KeyboardInterrupt

    yield advance


@pytest.mark.parametrize(
    ("line", "games"),
    [
        ("simulate goldmine --games 1000000", 2 << 14),
        ("simulate goldmine --games 1000 --bots random,greedy:1 --cores 1", 8),
        ("match goldmine --bots greedy:1,random --games 1000 --cores 1", 4),
        ("match goldmine --bots greedy:1,random --games 1000 --cores 2", 4),
    ],
)
def test_ctrl_c_prints_what_was_played_so_far(run: Run, monkeypatch: pytest.MonkeyPatch, line: str, games: int) -> None:
    for commands in (cli_lab, cli_strength):
        monkeypatch.setattr(commands, "progress_bar", interrupting_progress)
    ran = run(*line.split())
    assert (
        ran.status == 130
        and f"{games} games of goldmine (target=30, scoring=both), interrupted" in ran.out
        and ran.err == ""
    )
    answer = json.loads(run(*line.split(), "--json").out)
    assert answer["interrupted"] and answer["games"] == games


def test_ctrl_c_before_anything_was_played(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("motherlode.lab.match.play_deal", nobody)
    ran = run("match", "goldmine", "--bots", "greedy:1,random", "--cores", 1)
    assert (ran.status, ran.out, ran.err) == (130, "", "motherlode: interrupted\n")


# Says when the walk has used the processor for a while, which in native code answers no signal.
LONG_PERFT = """
import sys, threading, time
from motherlode import cli, compiled
walk = compiled.perft
def tell(began):
    while time.process_time() < began + 0.3:
        pass
    print("walking", flush=True)
def perft(game, s, depth):
    walk(game, s, 2)
    threading.Thread(target=tell, args=[time.process_time()], daemon=True).start()
    return walk(game, s, depth)
compiled.perft = perft
sys.argv = ["motherlode", "perft", "goldmine", "--depth", "16"]
cli.main()
"""


def test_ctrl_c_ends_a_long_perft() -> None:
    command = [sys.executable, "-c", LONG_PERFT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout and child.stdout.readline() == "walking\n"
        child.send_signal(signal.SIGINT)
        try:
            _, err = child.communicate(timeout=60)  # a walk as deep as this takes days
        finally:
            child.kill()
    assert child.returncode == 130 and err == "motherlode: interrupted\n"


def test_a_table_is_written_into_a_document(tmp_path: Path) -> None:
    path = tmp_path / "speed.md"
    path.write_text("before\n<!-- games -->\nold\n<!-- /games -->\nafter\n", "utf-8")
    bench.write(path, "games", "| new |")
    assert path.read_text("utf-8") == "before\n<!-- games -->\n| new |\n<!-- /games -->\nafter\n"
    with pytest.raises(engine.Refusal, match=r"speed\.md has no place for this: the lines <!-- server -->"):
        bench.write(path, "server", "| new |")
