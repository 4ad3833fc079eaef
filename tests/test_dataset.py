"""Datasets: every row is what the game says, replays to the same bytes, and has nobody's name in it."""

import json
import resource
import sys
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.command_line import Run

from motherlode import GAMES, bots, engine, games, proof, text
from motherlode.contract import tables
from motherlode.engine import Refusal
from motherlode.envs.batch import Batch
from motherlode.envs.observation import layout
from motherlode.game import CHANCE, Game, below, new_rng
from motherlode.lab import dataset, dataset_file, dataset_rows
from motherlode.lab.dataset_file import COLUMNS, REPLAY
from motherlode.table import Table

pa, parquet = dataset_file.arrow()

EVERY_GAME = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
GOLDMINE = GAMES["goldmine"]
NAMES = ["Ada Lovelace", "Grace Hopper", "Mary Somerville", "Emmy Noether", "Hypatia"]


def some_tables(game: Game, most: int = 3) -> list[tuple[int, dict[str, Any]]]:
    """Some of a game's tables, each with another number of seats and other options."""
    every = tables(game)
    return [every[at * (len(every) - 1) // (most - 1)] for at in range(most)]


def games_of(path: Path) -> Iterator[list[dict[str, Any]]]:
    """The rows of every game."""
    for _, rows in groupby(parquet.read_table(path).to_pylist(), key=lambda row: row["game"]):
        yield list(rows)


def expected_rows(played: text.Played, log: int) -> Iterator[dict[str, Any]]:
    """What a dataset should say of a game, found without it."""
    game, table = played.game, Table.replay(played._replace(actions=[]))
    chance: list[int] = []
    for a in played.actions:
        if table.turn == CHANCE:
            chance.append(a)
        else:
            seat, legal = table.turn, engine.legal(game, table.position)
            mask = [int(b in legal) for b in range(len(game.ACTIONS))]
            seen = layout(game, log).encode(table.view(seat), seat, table.told(seat)).tolist()
            row = {"seat": seat, "view": bytes(table.view(seat)), "observation": seen, "mask": mask, "action": a}
            yield row | {"chance": chance}
            chance = []
        table.append(a)


def log_of(rows: list[dict[str, Any]]) -> list[int]:
    return [a for row in rows for a in (*row["chance"], row["action"], *row["chance_after"])]


@EVERY_GAME
@pytest.mark.parametrize("log", [None, 0, 3])
def test_rows_are_what_the_game_says(game: Game, log: int | None, tmp_path: Path) -> None:
    """Chance, actions, views, observations, masks and results, each found again by the plain engine."""
    path = tmp_path / "games.parquet"
    for number, (seats, options) in enumerate(some_tables(game)):
        facts = dataset.make(
            game, path, decisions=20, seats=seats, seed=number, options=options, log=log, compiled=False
        )
        assert facts["rows"] >= 20 and (facts["seats"], facts["options"]) == (seats, options)
        assert dataset.check(path, compiled=False) == facts
        found = list(games_of(path))
        assert [rows[0]["game"] for rows in found] == list(range(facts["games"]))
        assert sum(map(len, found[:-1])) < 20, "no game begins after the last decision that was asked for"
        for k, rows in enumerate(found):
            check_game(text.Played(game, seats, options, log_of(rows)), rows, number, k, log)


def check_game(played: text.Played, rows: list[dict[str, Any]], seed: int, number: int, log: int | None) -> None:
    game, s = played.game, played.start()
    chance, choices = new_rng(seed, number), new_rng(seed, -2 - 2 * number)
    for a in played.actions:
        legal = engine.legal(game, s)
        assert a == (engine.draw(game, s, chance) if s.turn == CHANCE else legal[below(choices, len(legal))])
        game.apply(s, a)
    points, utility = engine.points(game, s), engine.utility(game, s)
    check_rows(rows, played, log or 0)
    for at, row in enumerate(rows):
        assert (row["game"], row["decision"], row["decisions"], row["seed"]) == (number, at, len(rows), seed)
        assert (row["points"], row["utility"]) == (points[row["seat"]], pytest.approx(utility[row["seat"]]))
        assert ("view" in row, "observation" in row) == (log is None, log is not None)
        assert at == len(rows) - 1 or row["chance_after"] == []


def check_rows(rows: list[dict[str, Any]], played: text.Played, log: int) -> None:
    for row, expected in zip(rows, expected_rows(played, log), strict=True):
        kept = {name: value for name, value in expected.items() if name in row}
        assert {name: row[name] for name in kept} == kept


@pytest.mark.parametrize("log", [None, 2])
def test_compiled_loops_write_the_same_rows(log: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In small row groups too, so that there is no room for some game and it begins anew in the next."""
    seats, options = some_tables(GOLDMINE)[-1]
    paths = {compiled: tmp_path / f"{compiled}.parquet" for compiled in (False, True)}
    for compiled, path in paths.items():
        monkeypatch.setattr(dataset_rows, "GROUP_ROWS", 1 << 16 if compiled else 70)
        dataset.make(GOLDMINE, path, decisions=500, seats=seats, seed=5, options=options, log=log, compiled=compiled)
        assert dataset.check(path, compiled=not compiled) == dataset.read_facts(path)
    assert parquet.read_table(paths[False]).equals(parquet.read_table(paths[True]))
    assert parquet.ParquetFile(paths[False]).num_row_groups > 1 == parquet.ParquetFile(paths[True]).num_row_groups


@pytest.mark.soak
@EVERY_GAME
def test_every_game_is_written_compiled(game: Game, tmp_path: Path) -> None:
    for seats, options in tables(game):
        path = tmp_path / "games.parquet"
        facts = dataset.make(game, path, decisions=3000, seats=seats, options=options, log=1)
        assert dataset.check(path) == facts
        first = next(games_of(path))
        check_game(text.Played(game, seats, options, log_of(first)), first, 0, 0, 1)


def test_random_games_are_those_of_a_batch(tmp_path: Path) -> None:
    path = tmp_path / "games.parquet"
    dataset.make(GOLDMINE, path, decisions=300, seed=3, log=0)
    found = list(games_of(path))
    batch = Batch(GOLDMINE, len(found), seed=3, autoreset="disabled")
    for at in range(max(map(len, found))):
        actions = batch.sample()
        for k, rows in enumerate(found):
            if at < len(rows):
                row = rows[at]
                assert (row["seat"], row["action"]) == (batch.seat[k], actions[k])
                assert row["observation"] == batch.observation[k].tolist() and row["mask"] == batch.mask[k].tolist()
        batch.step(actions)
        for k in np.flatnonzero(batch.done).tolist():
            for row in found[k]:
                assert (row["utility"], row["points"]) == (batch.reward[k, row["seat"]], batch.points[k, row["seat"]])


@EVERY_GAME
def test_a_dataset_of_bots_is_the_same_on_any_number_of_cores(game: Game, tmp_path: Path) -> None:
    seats, options = some_tables(game)[1]
    names = ["greedy:1", *["random"] * (seats - 1)]
    written = []
    for cores in (1, 2):
        path = tmp_path / f"{cores}.parquet"
        facts = dataset.make(
            game, path, decisions=75, seats=seats, seed=9, players=names, options=options, cores=cores, compiled=False
        )
        assert facts["bots"] == names and dataset.check(path, compiled=False) == facts
        written.append(path.read_bytes())
    assert len(set(written)) == 1
    for k, rows in enumerate(games_of(tmp_path / "1.parquet")):
        played = text.Played(game, seats, options, log_of(rows))
        chosen = [bots.make(name, game) for name in names]
        rngs = [new_rng(9, -1 - (k * seats + seat)) for seat in range(seats)]
        table, rng = Table.replay(played._replace(actions=[])), new_rng(9, k)
        for a in played.actions:
            own = engine.draw(game, table.position, rng) if table.turn == CHANCE else None
            assert a == (chosen[table.turn](table.ask(), rngs[table.turn]) if own is None else own)
            table.append(a)
        assert table.is_over
        check_rows(rows, played, 0)


# Records


def some_records(game: Game) -> list[text.Played]:
    """Games with names: whole ones, one that stops early, one that somebody gave up, one that can be verified."""
    found = []
    for number, (seats, options) in enumerate(some_tables(game, most=4)):
        table = Table(game, seats, seed=number, **options)
        table.players = NAMES[:seats]
        stops = None if number in (0, 3) else 5
        table.play(*[bots.make("random")] * seats, actions=stops)
        found.append(table.record())
    found[2] = found[2]._replace(resigned=(1,))
    secret = bytes(range(32))
    drawn = proof.way(game)
    seats, options = some_tables(game)[0]
    played = text.Played(game, seats, options, [], NAMES[:seats], (text.Seal(0, proof.commit(secret), secret.hex()),))
    table = Table.replay(played, chance=proof.chance(game, secret, drawn))
    while not table.is_over:
        legal = engine.legal(game, table.position)
        table.append(table.chance.outcome(table.position, table.at) if table.turn == CHANCE else legal[0])
    sealed = played._replace(actions=table.log, drawn=drawn)
    return [*found, sealed._replace(chain=proof.chain(sealed).hex())]


@EVERY_GAME
def test_records_become_a_dataset_and_come_back_without_names(game: Game, tmp_path: Path) -> None:
    folder, path = tmp_path / "records", tmp_path / "games.parquet"
    folder.mkdir()
    played = some_records(game)
    for at, one in enumerate(played):
        (folder / f"{at}.txt").write_text("# Ada Lovelace kept this\n" + text.write_record(one))
    empty = Table(game, seed=1).record()
    (folder / "empty.txt").write_text(text.write_record(empty))
    facts = dataset.from_records(game, [folder], path, log=1, compiled=False)
    assert (facts["games"], facts["left_out"], facts["bots"], facts["seed"]) == (len(played), 1, None, None)
    assert dataset.check(path, compiled=False) == {name: facts[name] for name in facts if name != "left_out"}
    back = list(dataset.records(path, compiled=False))
    assert back == [one._replace(players=()) for one in played]
    for one, again in zip(played, back, strict=True):
        lines = [line for line in text.write_record(one).splitlines() if not line.startswith("players: ")]
        assert text.write_record(again).splitlines() == lines
        assert proof.verify(one) == proof.verify(again)
    assert proof.verify(back[-1]).is_good and proof.verify(back[-1]).was_checked
    for one, rows in zip(played, games_of(path), strict=True):
        s = engine.replay(game, one.start(), one.actions)
        is_over = engine.winners(game, s) != [] or bool(one.resigned)
        result = engine.shared(one.seats, text.winners(game, s, one.resigned)) if is_over else None
        check_rows(rows, one, 1)
        for row in rows:
            assert row["utility"] == (pytest.approx(result[row["seat"]]) if result else None)
            assert row["points"] == (engine.points(game, s)[row["seat"]] if result else None)
            assert row["seed"] is None


def test_no_name_of_a_player_is_in_a_file(tmp_path: Path) -> None:
    """Neither in what pyarrow reads nor in the bytes of an uncompressed copy."""
    for at, one in enumerate(some_records(GOLDMINE)):
        (tmp_path / f"{at}.txt").write_text(text.write_record(one))
        assert NAMES[0] in (tmp_path / f"{at}.txt").read_text()
    path, plain = tmp_path / "games.parquet", tmp_path / "plain.parquet"
    dataset.from_records(GOLDMINE, sorted(tmp_path.glob("*.txt")), path, compiled=False)
    parquet.write_table(parquet.read_table(path), plain, compression="none")
    for file in (path, plain):
        read = repr(parquet.read_table(file).to_pydict()) + repr(parquet.read_metadata(file).metadata)
        for part in " ".join(NAMES).split():
            assert part not in read and part.encode() not in file.read_bytes()


def test_a_record_that_smuggles_words_into_its_proof_is_refused(tmp_path: Path) -> None:
    played = Table(GOLDMINE, seed=1).record()._replace(chain="Ada")
    with pytest.raises(Refusal, match="in hex, not 'Ada'"):
        dataset_file.write_head(played)


def test_records_of_a_variant_and_of_other_games(tmp_path: Path) -> None:
    short = games.variant(GOLDMINE, {"gold": [1, 2], "suits": ["H", "C"], "ranks": [1, 2, 3]}, "brief")
    for game in (short, GOLDMINE):
        table = Table(game, seed=1)
        table.play(bots.make("random"), bots.make("random"))
        table.save(tmp_path / f"{game.NAME}.txt")
    facts = dataset.from_records(short, [tmp_path], tmp_path / "short.parquet", compiled=False)
    assert (facts["game"], facts["games"], facts["left_out"]) == ("goldmine~brief", 1, 1)
    assert facts["data"] == json.loads(json.dumps(dict(short.CHANGES))) and facts["rules"] == short.RULES
    assert [one.game for one in dataset.records(tmp_path / "short.parquet", compiled=False)] == [short]
    (tmp_path / "other.txt").write_text("no record")
    with pytest.raises(Refusal, match=r"other\.txt: this is not a record"):
        dataset.from_records(short, [tmp_path], tmp_path / "more.parquet", compiled=False)
    assert not list(tmp_path.glob("more*"))


# What is wrong with a file is found


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """Some games of a seed, in one row group."""
    dataset.make(GOLDMINE, tmp_path / "games.parquet", decisions=150, seed=1, compiled=False)
    return tmp_path / "games.parquet"


def rewrite(path: Path, change: Callable[[list[dict[str, Any]]], object], facts: dict[str, Any] | None = None) -> None:
    """Write a file again with its rows changed, and its facts if they are given."""
    table, known = parquet.read_table(path), dataset.read_facts(path)
    rows = table.to_pylist()
    change(rows)
    with parquet.ParquetWriter(path, table.schema.remove_metadata()) as writer:
        for begin in range(0, len(rows), 50):  # games then go on in the next row group
            writer.write_table(pa.Table.from_pylist(rows[begin : begin + 50], table.schema.remove_metadata()))
        writer.add_key_value_metadata({"motherlode": json.dumps(facts or known)})


def other_value(name: str, row: dict[str, Any]) -> Any:
    """Another value than a column has in a row."""
    value = row[name]
    if name == "action":  # legal too, where there is a choice
        return next((a for a, may in enumerate(row["mask"]) if may and a != value), value + 1)
    if name == "head":
        return value.replace("30", "50")
    if name in ("view", "mask", "chance"):
        return [*value[:-1], value[-1] ^ 1] if name != "view" else value[:-9] + bytes([value[-9] ^ 1]) + value[-8:]
    return [*value, 0] if name == "chance_after" else value - 1 if value else 1


@pytest.mark.parametrize("name", [name for name in COLUMNS if name != "observation"])
def test_a_changed_value_is_found(name: str, written: Path) -> None:
    rewrite(written, lambda rows: None)
    dataset.check(written, compiled=False)
    before = parquet.read_table(written)
    wanted = [at for at, row in enumerate(before.to_pylist()) if row[name] or name not in ("chance", "decision")]
    at = wanted[len(wanted) * 2 // 3]

    def change(rows: list[dict[str, Any]]) -> None:
        rows[at][name] = other_value(name, rows[at])

    rewrite(written, change)
    assert not parquet.read_table(written).equals(before)
    with pytest.raises(Refusal, match=r"games\.parquet") as refusal:
        dataset.check(written, compiled=False)
    if name in ("seat", "view", "mask", "utility", "points"):
        assert f"row {at} (" in str(refusal.value) and f": {name} is not what comes of the game" in str(refusal.value)
    with pytest.raises(Refusal):
        list(dataset.records(written, compiled=False))


def test_an_illegal_action_is_found(written: Path) -> None:
    def change(rows: list[dict[str, Any]]) -> None:
        rows[70]["action"] = rows[70]["mask"].index(0)

    rewrite(written, change)
    with pytest.raises(Refusal, match=r"row 70 \(game 1, decision \d+\): what was done is not legal"):
        dataset.check(written, compiled=False)


def swap(rows: list[dict[str, Any]]) -> None:
    rows[70], rows[71] = rows[71], rows[70]


@pytest.mark.parametrize(
    "change",
    [swap, lambda rows: rows.pop(), lambda rows: rows.pop(0), lambda rows: rows.pop(60), lambda rows: rows.reverse(),
     lambda rows: rows.insert(9, rows[9]), lambda rows: rows.extend(list(rows)), lambda rows: rows.clear()],
    ids=["swapped", "last missing", "first missing", "one missing", "reversed", "twice", "all twice", "none"],
)  # fmt: skip
def test_rows_out_of_place_are_found(change: Callable[[list[dict[str, Any]]], object], written: Path) -> None:
    rewrite(written, change)
    with pytest.raises(Refusal, match=r"games\.parquet"):
        dataset.check(written, compiled=False)


def test_a_missing_game_is_found(written: Path) -> None:
    """All games that are left replay, so only the number of them can say it."""
    last = parquet.read_table(written)["game"].to_pylist()[-1]
    rewrite(written, lambda rows: rows.__setitem__(slice(None), [row for row in rows if row["game"] < last]))
    with pytest.raises(Refusal, match=f"has {last} games with"):
        dataset.check(written, compiled=False)


def test_damaged_files_and_others_are_refused(written: Path, tmp_path: Path) -> None:
    whole = written.read_bytes()
    other = tmp_path / "other.parquet"
    for size in (0, 3, len(whole) // 2, len(whole) - 1):
        other.write_bytes(whole[:size])
        with pytest.raises(Refusal, match="not a whole one"):
            dataset.check(other, compiled=False)
    for at in range(4, len(whole) // 2, len(whole) // 40):
        other.write_bytes(whole[:at] + bytes(b ^ 0xFF for b in whole[at : at + 8]) + whole[at + 8 :])
        with pytest.raises(Refusal):
            dataset.check(other, compiled=False)
    parquet.write_table(pa.table({"seat": [1]}), other)
    with pytest.raises(Refusal, match="no dataset of ours"):
        dataset.check(other, compiled=False)
    facts = dataset.read_facts(written)
    changes: list[tuple[dict[str, Any], str]] = [
        ({"format": 9}, "format 9"), ({"rules": 1}, "version 1"), ({"game": "chess"}, "'chess'"),
        ({"rows": 7}, "7 rows"), ({"seats": 3}, "other seats"), ({"options": {}}, "other seats"),
        ({"seed": 3}, "chance did not decide what follows from the seed"), ({"seed": None}, "seed is not what comes"),
    ]  # fmt: skip
    for change, words in changes:
        written.write_bytes(whole)
        rewrite(written, lambda rows: None, facts | change)
        with pytest.raises(Refusal, match=words):
            dataset.check(written, compiled=False)
    with pytest.raises(Refusal, match="there is no file"):
        dataset.check(tmp_path / "none.parquet")


# Writing


def test_without_replay_nothing_is_left_that_a_seat_did_not_know(tmp_path: Path) -> None:
    path = tmp_path / "games.parquet"
    facts = dataset.make(GOLDMINE, path, decisions=50, seed=77, with_replay=False, compiled=False)
    assert facts["seed"] is None
    assert parquet.read_schema(path).names == [n for n in COLUMNS if n not in (*REPLAY, "observation")]
    with pytest.raises(Refusal, match="without what a replay needs: it has no column seed, chance"):
        dataset.check(path, compiled=False)


@pytest.mark.parametrize("players", [None, ["random", "greedy:1"]], ids=["random", "bots"])
def test_an_interrupted_run_leaves_what_was_there(
    players: list[str] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.parquet"
    path.write_text("the old file")
    monkeypatch.setattr(dataset_rows, "GROUP_ROWS", 100)

    def interrupt(rows: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dataset.make(GOLDMINE, path, decisions=400, players=players, cores=1, compiled=False, progress=interrupt)
    assert path.read_text() == "the old file" and list(tmp_path.iterdir()) == [path]


def test_a_full_disk_leaves_no_file(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            dataset.make(GOLDMINE, tmp_path / "games.parquet", decisions=300, compiled=False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not list(tmp_path.iterdir())


def test_without_pyarrow_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset_file.arrow.cache_clear()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(Refusal, match=r"pip install motherlode\[parquet\]"):
        dataset.make(GOLDMINE, tmp_path / "games.parquet", decisions=1)


def test_bad_input_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.parquet"
    cases: list[tuple[dict[str, Any], str]] = [
        ({"decisions": 0}, "decisions must be 1 or more, not 0"),
        ({"players": ["random"]}, "2 seats need 2 bots"),
        ({"players": ["random", "cmd:me"]}, "bots from outside"),
        ({"players": ["random", "nobody"]}, "no bot 'nobody'"),
        ({"seats": 7}, "2 seats, not 7"),
        ({"options": {"target": 31}}, "target can be"),
        ({"log": -1}, "0 to 1000 entries"),
        ({"cores": 0}, "cores must be 1 or more"),
        ({"seed": 1 << 70}, "a seed is a number"),
    ]
    for given, words in cases:
        with pytest.raises(Refusal, match=words):
            dataset.make(GOLDMINE, path, **{"decisions": 1, "compiled": False, **given})
    with pytest.raises(Refusal, match="there is no folder"):
        dataset.make(GOLDMINE, tmp_path / "no" / "games.parquet", decisions=1, compiled=False)
    assert not list(tmp_path.iterdir())


def test_the_command_writes_checks_and_reads_back(run: Run, tmp_path: Path) -> None:
    made, again, folder = tmp_path / "made.parquet", tmp_path / "again.parquet", tmp_path / "records"
    wrote = run("dataset", "goldmine", "--decisions", 100, "--seed", 4, "--log", 2, "-o", "target=50", "--out", made)
    facts = json.loads(wrote.out)
    assert (wrote.status, facts["options"]["target"], facts["log"], facts["seed"]) == (0, 50, 2, 4)
    assert json.loads(run("dataset", made, "--check").out) == facts
    assert json.loads(run("dataset", made, "--out", folder).out)["records"] == facts["games"]
    assert len(list(folder.iterdir())) == facts["games"]
    assert run("dataset", "goldmine", "--records", folder, "--log", 2, "--out", again).status == 0
    one, two = parquet.read_table(made), parquet.read_table(again)
    assert one.drop_columns(["seed"]).equals(two.drop_columns(["seed"])) and two["seed"].null_count == len(two)
    wrong = [
        (("goldmine", "--decisions", 5), "--out says where"),
        (("goldmine", "--check"), "--check reads a dataset"),
        ((made, "--bots", "random,random"), "is a dataset"),
        ((made, "--out", folder), "there already"),
        (("goldmine", "--records", folder, "--seats", 2, "--out", again), "their own seats"),
    ]
    for arguments, words in wrong:
        refused = run("dataset", *arguments)
        assert refused.status == 2 and words in refused.err
