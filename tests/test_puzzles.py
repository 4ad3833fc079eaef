"""Puzzles: every answer is confirmed by judges that share nothing with the miner, and nothing but the view is asked."""

import json
import re
from collections import Counter
from datetime import date, timedelta
from hashlib import sha256
from pathlib import Path
from statistics import mean

import pytest
from support import puzzle_judge
from support.command_line import Run

from motherlode import bots, engine, puzzles, sentences
from motherlode.bots import greedy, levels
from motherlode.engine import Refusal
from motherlode.game import CHANCE, OVER, Game, Record, below, new_rng
from motherlode.games import GAMES, find
from motherlode.lab import puzzles as lab
from motherlode.puzzles import Puzzle
from motherlode.table import Illegal
from motherlode.text_puzzle import NAMES

SAMPLE, FEW, MANY = 5, 2000, 150_000  # puzzles of each game, and positions that are looked at
GAME_LIST = list(GAMES.values())
each_game = pytest.mark.parametrize("game", GAME_LIST, ids=lambda game: game.NAME)


def hashed(puzzle: Puzzle) -> bytes:
    return sha256(f"sample {puzzle.id}".encode()).digest()


def check(puzzle: Puzzle, positions: int) -> None:
    """An independent judge says that the answer is best; of what is proved, that every value is right."""
    if puzzle.proof == "proved":
        try:
            values = puzzle_judge.exact_values(puzzle, positions)
        except puzzle_judge.TooLarge:
            pass
        else:
            assert {a: values[a] for a in puzzle.values} == pytest.approx(puzzle.values, abs=0.0006), puzzle.id
            assert max(values, key=lambda a: values[a]) == puzzle.answer, puzzle.id
            return
    assert puzzle_judge.is_confirmed(puzzle), puzzle.id


@each_game
def test_a_sample_of_answers_is_confirmed(game: Game) -> None:
    warm(game)
    for puzzle in sorted(puzzles.of(game), key=hashed)[:SAMPLE]:
        check(puzzle, FEW)


@pytest.mark.soak
@each_game
def test_every_answer_is_confirmed(game: Game) -> None:
    warm(game)
    for puzzle in puzzles.of(game):
        check(puzzle, MANY)


def warm(game: Game) -> None:
    bots.warm(puzzle_judge.THINKER, game)
    greedy.warm(game)


@each_game
def test_a_wrong_answer_is_caught(game: Game) -> None:
    """The second best action, given out as the answer, is confirmed by neither judge."""
    warm(game)
    proved = (puzzle for puzzle in puzzles.of(game) if puzzle.proof == "proved")
    clear = max(puzzles.of(game), key=lambda puzzle: (puzzle.gap, puzzle.id))
    second = max((a for a in clear.values if a != clear.answer), key=lambda a: clear.values[a])
    assert not puzzle_judge.is_confirmed(clear, second)
    for puzzle in proved:
        try:
            puzzle_judge.exact_values(puzzle, FEW)
        except puzzle_judge.TooLarge:
            continue
        best, second = sorted(puzzle.values, key=lambda a: -puzzle.values[a])[:2]
        swapped = {**puzzle.values, best: puzzle.values[second], second: puzzle.values[best]}
        with pytest.raises(AssertionError):
            check(puzzle._replace(answer=second, values=swapped), FEW)
        break


@each_game
def test_what_is_said_of_puzzles_is_so(game: Game) -> None:
    found = puzzles.read(game)
    assert found is not None
    listed = found.puzzles
    assert [puzzle.difficulty for puzzle in listed] == sorted(puzzle.difficulty for puzzle in listed)
    assert len({puzzle.id for puzzle in listed}) == len(listed)
    assert len(listed) >= 100 or f"{len(listed)} puzzles" in found.made.judged
    assert found.made.rules == game.RULES and found.made.command.startswith(f"motherlode puzzles {game.NAME} ")
    looks = set()
    for puzzle in listed:
        s = engine.start(game, puzzle.seats, **puzzle.options)
        for a in puzzle.actions:
            assert a in engine.legal(game, s), puzzle.id
            s = engine.after(game, s, a)
        assert s.turn == puzzle.seat
        ask = puzzle.ask(game)
        useful = engine.useful(game, ask.view)
        assert set(puzzle.values) == set(useful) <= set(ask.legal) and len(useful) >= lab.FEWEST
        best, second = sorted(puzzle.values.values(), reverse=True)[:2]
        assert puzzle.values[puzzle.answer] == best and puzzle.gap == pytest.approx(best - second, abs=0.0011)
        assert lab.GAP - 0.001 <= puzzle.gap <= 1 and second >= 0 and best <= 1
        assert list(puzzle.solved_by) == levels.names(game)
        assert mean(puzzle.solved_by[level] for level in lab.WEAK) < lab.MISSED
        assert puzzle.difficulty == lab.difficulty(list(puzzle.solved_by.values()), lab.TRIES)
        for a in [puzzle.answer, *puzzle.after]:
            assert a in engine.legal(game, s), puzzle.id
            s = engine.after(game, s, a)
        looks.add((puzzle.seat, game.show(ask.view)))
    assert len(looks) == len(listed), "two puzzles are alike"


def test_they_are_varied() -> None:
    """In each game several options or numbers of seats, where there are any, and kinds of action."""
    for game in GAME_LIST:
        listed = puzzles.of(game)
        assert len({puzzle.seats for puzzle in listed}) == len(game.SEATS), game.NAME
        assert len({json.dumps(puzzle.options) for puzzle in listed}) > 1, game.NAME
        default = engine.check_options(game, {})
        assert sum(puzzle.options == default for puzzle in listed) > len(listed) / 2
        kinds = Counter(game.ACTIONS.read(puzzle.answer)[0].verb for puzzle in listed)
        assert len(kinds) > 1 or len({kind.verb for kind in game.ACTIONS.kinds}) <= 2


@each_game
def test_nothing_but_the_view_is_asked(game: Game) -> None:
    """In every world that the seat cannot tell from the true one, the ask is the same."""
    changed = 0
    for puzzle in puzzles.of(game):
        table = puzzle.table()
        ask = puzzle.ask()
        assert bytes(ask.view) == bytes(engine.view(game, table.position, puzzle.seat))
        assert [entry.action for entry in ask.log] == [
            game.told(s, a, puzzle.seat) for s, a in zip(table.positions, table.log, strict=False)
        ]
        for number in range(4):
            world = engine.copy(ask.view)
            game.guess(world, puzzle.seat, new_rng(number))
            changed += bytes(world) != bytes(table.position)
            assert bytes(engine.view(game, world, puzzle.seat)) == bytes(ask.view)
            assert engine.legal(game, world) == ask.legal
    assert changed or not is_secret(game)


def is_secret(game: Game) -> bool:
    """Whether one seat of a random game knows what another does not."""
    rng, s = new_rng(0), engine.start(game)
    while s.turn != OVER:
        if bytes(engine.view(game, s, 0)) != bytes(engine.view(game, s, 1)):
            return True
        legal = engine.legal(game, s)
        s = engine.after(game, s, engine.draw(game, s, rng) if s.turn == CHANCE else legal[below(rng, len(legal))])
    return False


@each_game
def test_a_try_is_answered(game: Game) -> None:
    puzzle = puzzles.of(game)[0]
    verdict = puzzles.try_answer(puzzle, puzzle.answer)
    assert verdict.is_right and verdict.value == puzzle.values[puzzle.answer] and verdict.best == puzzle.answer
    assert len(verdict.explanation) == 1 + len(puzzle.after)
    assert verdict.explanation[0].line.words.startswith(game.ACTIONS.name(puzzle.answer))
    wrong = next(a for a in puzzle.values if a != puzzle.answer)
    verdict = puzzles.try_answer(puzzle, game.ACTIONS.name(wrong))
    assert not verdict.is_right and verdict.value == puzzle.values[wrong]
    illegal = next(a for a in game.ACTIONS if a not in puzzle.ask().legal)
    with pytest.raises(Illegal):
        puzzles.try_answer(puzzle, illegal)
    with pytest.raises(Refusal, match="no action of"):
        puzzles.try_answer(puzzle, "dance")


@each_game
def test_explanations_are_told_as_the_seat_would_be(game: Game) -> None:
    """What a seat is not told stays hidden, before the decision and after it."""
    for puzzle in puzzles.of(game)[::10]:
        table = puzzle.table()
        told = [*puzzles.history(puzzle), *puzzles.explain(puzzle)]
        for a in [puzzle.answer, *puzzle.after]:
            table.append(a)
        assert [step.told for step in told] == table.told(puzzle.seat)


def test_the_puzzle_of_the_day() -> None:
    first = date(2026, 11, 18)
    days = [puzzles.of_the_day(first + timedelta(n)) for n in range(6 * len(GAMES))]
    for at in range(0, len(days), len(GAMES)):
        assert {game.NAME for game, _ in days[at : at + len(GAMES)]} == set(GAMES), "all games take turns"
    for game in GAME_LIST:
        shown = [puzzle.id for other, puzzle in days if other is game]
        assert len(set(shown)) == min(len(shown), len(puzzles.of(game))), "none comes again before all have come"
    assert days == [puzzles.of_the_day(first + timedelta(n)) for n in range(6 * len(GAMES))]
    assert all(puzzle.game is game for game, puzzle in days)


def test_the_puzzle_of_the_day_does_not_depend_on_games_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    day = date(2026, 11, 18)
    before = puzzles.of_the_day(day)
    stranger = type(GAME_LIST[0])("stranger.rules")
    monkeypatch.setitem(GAMES, "a_stranger", stranger)
    assert puzzles.of_the_day(day) == before


def test_a_puzzle_is_found_by_its_id() -> None:
    for game in GAME_LIST:
        puzzle = puzzles.of(game)[-1]
        assert puzzles.find(puzzle.id) is puzzle
    with pytest.raises(Refusal, match="has no puzzle"):
        puzzles.find(f"{GAME_LIST[0].NAME}-000")
    with pytest.raises(Refusal, match="as in"):
        puzzles.find("twelve")
    with pytest.raises(Refusal, match="there is no game"):
        puzzles.find("whist-001")


def test_a_game_without_puzzles_says_so(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "plain.py"
    example = Path(__file__).parent / "support" / "hidden_coin.py"
    file.write_text(example.read_text("utf-8"), "utf-8")
    ran = run("puzzle", file)
    assert ran.status == 2 and "has no puzzles" in ran.err


def test_puzzles_of_other_rules_are_refused() -> None:
    game = GAME_LIST[0]
    file = puzzles.path(game)
    assert file
    written = json.loads(file.read_text("utf-8"))
    written["made"]["rules"] = game.RULES + 1
    with pytest.raises(Refusal, match="version"):
        puzzles.parse(json.dumps(written), game)


@each_game
def test_files_are_small_and_read_back(game: Game) -> None:
    file, found = puzzles.path(game), puzzles.read(game)
    assert file and found
    content = file.read_text("utf-8")
    assert len(content) < 200_000
    assert puzzles.write(found.made, found.puzzles) == content


def test_difficulty() -> None:
    """An even solver has its own rating; more right answers make a puzzle easier, within the bounds."""
    assert lab.difficulty([0, 0, 0, 0, 0], 1000) > lab.difficulty([0, 0, 0, 0, 1], 1000) > 1600
    assert lab.difficulty([0.5], 10_000) == pytest.approx(600, abs=5)
    assert puzzles.EASIEST <= lab.difficulty([1, 1, 1, 1, 1, 1], 10) < lab.difficulty([0.5] * 6, 10) <= puzzles.HARDEST


def test_values_are_exact_where_they_are_proved() -> None:
    """Those of the game's own solver are those of plain recursion, over random endings; also across chance."""
    game = next(game for game in GAME_LIST if game.OUTCOMES.kinds and len(game.SEATS) > 3)
    compared = 0
    for number in range(4):
        rng, s, last = new_rng(number, 3), engine.start(game), list[Record]()
        while s.turn != OVER:
            if s.turn != CHANCE:
                last = [*last[-3:], s]
            legal = engine.legal(game, s)
            s = engine.after(game, s, engine.draw(game, s, rng) if s.turn == CHANCE else legal[number % len(legal)])
        for s in last:
            judge = puzzle_judge.Exact(game, 60_000)
            for a in engine.legal(game, s):
                after = engine.after(game, s, a)
                utility = lab.exact_utility(game, after, s.turn)
                assert utility == pytest.approx(judge.value(after)[0][s.turn])
                compared += 1
    assert compared > 10


# Mining


def test_the_same_seed_gives_the_same_puzzles_on_any_number_of_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("LONG", 500), ("MIDDLE", 500), ("SHORT", 100), ("WORLDS", 16), ("TRIES", 4)):
        monkeypatch.setattr(lab, name, value)
    monkeypatch.setattr(lab, "GUIDED", 100)
    game = find("gold_hunting")
    one = lab.mine(game, games=8, seed=5, count=3, cores=1)
    assert one.puzzles and not one.interrupted
    assert one == lab.mine(game, games=8, seed=5, count=3, cores=2)


def test_ctrl_c_keeps_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAME_LIST[0]
    known = puzzles.of(game)[0]

    def mine_game(game: Game, seed: int, number: int) -> list[Puzzle]:
        if number == 2:
            raise KeyboardInterrupt
        return [known] if number == 1 else []

    monkeypatch.setattr(lab, "mine_game", mine_game)
    mined = lab.mine(game, games=9, seed=0, count=5, cores=1)
    assert mined.interrupted and mined.games == 2 and len(mined.puzzles) == 1


def test_no_two_alike_and_not_too_many_of_a_kind() -> None:
    game = GAME_LIST[0]
    listed = puzzles.of(game)
    collection = lab.Collection(game, 10)
    for puzzle in [*listed[:1], *listed]:
        collection.offer(puzzle)
    assert len({(puzzle.seat, game.show(puzzle.ask().view)) for puzzle in collection.all()}) == len(collection.all())
    bands = Counter(puzzle.difficulty // lab.BAND for puzzle in collection.taken)
    assert max(bands.values()) <= lab.PER_BAND * 10


def test_the_command_mines(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "LONG", 1000)
    out = tmp_path / "puzzles.json"
    ran = run("puzzles", "gold_hunting", "--games", 3, "--seed", 5, "--count", 1, "--cores", 1, "--out", out)
    assert ran.status == 0 and "in " in ran.err
    game = find("gold_hunting")
    found = puzzles.parse(out.read_text("utf-8"), game)
    assert len(found.puzzles) <= 1 and "--seed 5 --count 1" in found.made.command
    assert run("puzzles", "gold_hunting", "--games", 0).status == 2


def test_new_levels_try_the_puzzles(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Levels that were asked before keep their answers; the difficulty follows from all of them."""
    game, out = find("gold_hunting"), tmp_path / "puzzles.json"
    brought = puzzles.brought_by(game)
    few = [one._replace(solved_by={"greenhorn": 0.2, "gone": 1.0}) for one in brought.puzzles[:3]]
    monkeypatch.setattr(puzzles, "brought_by", lambda _: puzzles.Puzzles(brought.made, few))
    monkeypatch.setattr(levels, "read", lambda _: levels.Levels({"greenhorn": "random", "baron": "search:800"}, []))
    assert run("puzzles", "gold_hunting", "--rate", "--out", out).status == 0
    rated = {one.id: one for one in puzzles.parse(out.read_text("utf-8"), game).puzzles}
    for one in few:
        found = rated[one.id]
        assert list(found.solved_by) == ["greenhorn", "baron"] and found.solved_by["greenhorn"] == 0.2
        assert found.solved_by["baron"] > 0.5 and found.difficulty == lab.difficulty([*found.solved_by.values()], 10)
        assert found._replace(solved_by={}, difficulty=0) == one._replace(solved_by={}, difficulty=0)


# At the terminal


def test_solving_at_a_terminal(run: Run) -> None:
    for game in GAME_LIST:
        first, second = puzzles.of(game)[:2]
        names = game.ACTIONS
        lines = [
            "dance",
            "log",
            "actions",
            "position",
            "?",
            names.name(first.answer),
            names.name(first.answer),
            "next",
            "",
        ]
        ran = run("puzzle", game.NAME, stdin="\n".join(lines))
        assert ran.status == 0
        for said in (first.id, "'dance' is no action", "Right:", "Chances to win:", "is answered", second.id, "--id"):
            assert said in ran.out, said
        before = ran.out.partition("Right:")[0]
        assert "Chances to win" not in before and "How it may go on" not in before


@each_game
def test_solving_in_words(run: Run, game: Game) -> None:
    """All in sentences: nothing is drawn, and nothing tells the answer before it is given."""
    first, second = puzzles.of(game)[:2]
    right = sentences.choice(game, first.answer, NAMES, drawn=game.drawn(first.ask().view))
    lines = ["dance", "log", "actions", "position", "?", "rules 3.1", right, right, "next", "answer", ""]
    ran = run("puzzle", game.NAME, "--text", stdin="\n".join(lines))
    assert ran.status == 0
    before, _, after = ran.out.partition(f"\nRight: {right} is best.\n")
    for said in (f"Puzzle {first.id}: {game.TITLE}.", "'dance' is none of your choices", "-3.1"):
        assert said in before, said
    for said in ("Chances to win:", "is answered", f"Puzzle {second.id}: ", "How it may go on:"):
        assert said in after and said not in before, said
    assert not re.search(r"^ |[{}\x1b]", ran.out, re.MULTILINE)


def test_a_wrong_try_shows_the_answer_and_then_an_easier_puzzle(run: Run) -> None:
    game = GAME_LIST[0]
    first, second = puzzles.of(game)[:2]
    wrong = next(a for a in second.values if a != second.answer)
    ran = run("puzzle", "--id", second.id, stdin=f"{wrong}\nnext\n")
    assert ran.status == 0 and "No: it wins" in ran.out and game.ACTIONS.name(second.answer) in ran.out
    assert f"{first.id}:" in ran.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name a game"),
        (("--day", "2026-02-30"), "a day is written as"),
        (("--id", "goldmine-001", "--day", "today"), "either --id or --day"),
        (("china_gold", "--id", "goldmine-001"), "leave the game out"),
    ],
)
def test_what_is_wrong_is_refused(run: Run, arguments: tuple[str, ...], said: str) -> None:
    ran = run("puzzle", *arguments)
    assert ran.status == 2 and said in ran.err


def test_the_puzzle_of_a_day_at_a_terminal(run: Run) -> None:
    ran = run("puzzle", "--day", "2026-11-18")
    assert ran.status == 0 and puzzles.of_the_day(date(2026, 11, 18))[1].id in ran.out
