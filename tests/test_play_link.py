"""`motherlode play LINK` at tables of a real server, and `motherlode play GAME --text` at home."""

import io
import json
import random
import re
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from support.brief_reviews import be_brief
from support.local_server import PATIENCE, Server, Visitor, serving
from support.positions import find, late
from support.text_listener import Terminal, be

from motherlode import cli, engine, proof, puzzles, seen, sentences, text
from motherlode.engine import Refusal
from motherlode.game import Record
from motherlode.games import GAMES
from motherlode.joined_table import LONGEST_WAIT, Heard, Line
from motherlode.parlour_client import Parlour, data_folder, is_link
from motherlode.puzzle_terminal import today
from motherlode.review import review, telling
from motherlode.table import Table
from motherlode.text_puzzle import NAMES
from motherlode.text_table import TextTable, now_of

LATE = 4  # decisions of seat 0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(f"sqlite:///{tmp_path_factory.mktemp('parlour') / 'parlour.db'}", seal_wait=60.0) as running:
        yield running


@pytest.fixture(autouse=True)
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda _: str(tmp_path / "data"))


@pytest.fixture
def zoe(server: Server) -> Iterator[Visitor]:
    """Whoever makes the tables."""
    with Visitor(server, "Zoe") as visitor:
        yield visitor


def chooser(seed: int = 1, *first: str) -> Callable[[Terminal], str]:
    """Types these lines first, then one of the choices by its number, or yes if that is asked; nothing at the end."""
    rng, waiting = random.Random(seed), list(first)

    def answer(terminal: Terminal) -> str:
        if terminal.joined.is_over:
            return ""
        if waiting:
            return waiting.pop(0) + "\n"
        if terminal.joined.sure:
            return "yes\n"
        return f"{rng.randint(1, len(terminal.joined.now().legal))}\n"

    return answer


def link(server: Server, table: str) -> str:
    return f"{server.url}/table/{table}"


def make(zoe: Visitor, played: text.Played, **more: Any) -> str:
    """A table that goes on from there; seat 0 is for anyone."""
    chairs = ["anyone", *["greedy"] * (played.seats - 1)]
    return str(zoe.make(played.game.NAME, *chairs, record=text.write_record(played), **more)["id"])


# Whole games


def play(server: Server, zoe: Visitor, folder: Path, played: text.Played) -> None:
    """To the end; the record is kept, and is of the game that was seen."""
    key = make(zoe, played)
    printed = Terminal(link(server, key), folder, chooser(), name="Ada").start().finish()
    record = (folder / f"{played.game.NAME}.txt").read_text("utf-8")
    game = text.read_record(record)
    assert record == zoe.http.get(f"/api/tables/{key}/record").text
    assert f"The record: {folder / played.game.NAME}.txt" in printed
    assert "The record was checked" in printed and "your own bytes" in printed
    assert f"The review as a page: {server.url}/review/{key}" in printed
    table = Table.replay(game)
    won = " and ".join(("Ada", *other_names(played.seats))[seat] for seat in table.winners)
    assert f"\nThe game is over.\n{won} " in printed
    for seat, name in enumerate(("Ada", *other_names(played.seats))):
        sheet = printed.partition(f"\n{name}: {table.points[seat]} point")[2].partition("\n")[2]
        gained = [re.match(r"([+−]?)(\d+): ", line) for line in sheet.splitlines()]
        upto = next(n for n, one in enumerate(gained) if one is None)
        assert sum(int(one[2]) * (-1 if one[1] == "−" else 1) for one in gained[:upto] if one) == table.points[seat]


def other_names(seats: int) -> list[str]:
    return ["greedy"] if seats == 2 else [f"greedy {n}" for n in range(1, seats)]


@pytest.mark.parametrize("name", GAMES)
def test_every_game_is_played_to_its_end(server: Server, zoe: Visitor, tmp_path: Path, name: str) -> None:
    play(server, zoe, tmp_path, late(GAMES[name], LATE))


@pytest.mark.soak
@pytest.mark.parametrize("name", GAMES)
def test_every_game_is_played_from_its_beginning(server: Server, zoe: Visitor, tmp_path: Path, name: str) -> None:
    play(server, zoe, tmp_path, late(GAMES[name], 10_000))


@pytest.mark.parametrize("name", ["goldmine", "gold_hunting"])
def test_two_terminals_against_each_other(
    server: Server, zoe: Visitor, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is told of what the other does; both take part in the shuffle."""
    key = zoe.make(name, "anyone", "link", options={"target": 0} if name == "goldmine" else {}, watch=True)
    for folder in ("ann", "bob"):
        (tmp_path / folder).mkdir()
    ann = Terminal(link(server, key["id"]), tmp_path / "ann", chooser(1), name="Ann").start()
    data_folder().joinpath("guests.json").unlink()  # Bob sits somewhere else
    bob = Terminal(server.url + key["links"][0]["path"], tmp_path / "bob", chooser(2), name="Bob").start()
    printed = [ann.finish(), bob.finish()]
    assert (ann.joined.seat, bob.joined.seat) == (0, 1)
    assert printed[0].startswith(f"{GAMES[name].TITLE}. You are Ann, in seat 1; ? lists the commands.\n")
    assert "Waiting for 1 more player." in printed[0] and "Seat 2: Bob." in printed[0]
    for own, other in ((0, "Bob"), (1, "Ann")):
        assert re.search(rf"^{other} \w+ ", printed[own], re.MULTILINE)
        assert "your own bytes among them" in printed[own]
    for terminal in (ann, bob):
        played = text.read_record((tmp_path / terminal.joined.me.lower() / f"{name}.txt").read_text("utf-8"))
        findings = seen.check(played, seen.read(terminal.joined.part.path.read_text("utf-8")))
        assert all(finding.is_good for finding in findings) and len(findings) == 2


def test_a_spectator(server: Server, zoe: Visitor, tmp_path: Path) -> None:
    """Whoever watches types nothing, is told all, and takes no seat."""
    played = late(GAMES["mount_goldrush"], LATE)
    key = make(zoe, played, watch=True)
    watcher = Terminal(link(server, key), tmp_path, only_watch=True, name="Eve").start()
    player = Terminal(link(server, key), tmp_path, chooser(), name="Ada").start()
    player.finish()
    printed = watcher.finish()
    assert watcher.joined.seat is None and printed.startswith("Mount Goldrush. You watch.\n")
    assert "Ada turns the card in" in printed and "Your turn" not in printed and "The game is over." in printed


# After the game


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """A review that takes little time, and is made once."""
    be_brief(monkeypatch)
    made, judge = dict[str, dict[str, Any]](), review.review

    def make(played: text.Played, *, seats: list[int] | None) -> dict[str, Any]:
        key = f"{text.write_record(played)} {seats}"
        if key not in made:
            made[key] = judge(played, seconds=1000, plain=True, seats=seats)
        return made[key]

    monkeypatch.setattr(review, "review", make)
    return make


@pytest.mark.parametrize("name", GAMES)
def test_the_review_and_puzzles_after_the_game(
    server: Server, zoe: Visitor, tmp_path: Path, name: str, brief: Callable[..., dict[str, Any]]
) -> None:
    """They need no parlour: the review is made from the record, and a puzzle is answered by a choice's own words."""
    game = GAMES[name]
    played = late(game, LATE)
    easiest = puzzles.some_of(game)[0]
    right = sentences.choice(game, easiest.answer, NAMES, drawn=game.drawn(easiest.ask().view))
    asked = ["?", "review", "puzzle", "position", right, "quit", "puzzle today", "answer", "quit", "what"]
    choose = chooser()

    def answer(terminal: Terminal) -> str:
        if terminal.joined.is_over:
            terminal.joined.line.leave()
            return asked.pop(0) + "\n" if asked else ""
        return choose(terminal)

    terminal = Terminal(link(server, make(zoe, played)), tmp_path, answer, name="Ada")
    printed = terminal.start().finish().partition("The review as a page:")[2]
    record = text.read_record((tmp_path / f"{name}.txt").read_text("utf-8"))
    told = "\n".join(telling.spoken(game, brief(record, seats=[0]), terminal.joined.words.names))
    assert f"takes some seconds.\n{told}\n" in printed
    assert f"Puzzle {easiest.id}: " in printed and f"\nRight: {right} is best.\n" in printed
    todays = puzzles.of_the_day(today())[1]
    assert f"Puzzle {todays.id}: " in printed and "How it may go on:" in printed
    assert printed.endswith("'what' is nothing that can be done after the game; ? helps\n")
    for line in printed.splitlines():
        assert not re.search(r"[{}\x1b]", line), line


def test_a_parlour_that_is_gone_after_the_game(
    server: Server, zoe: Visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, brief: Callable[..., dict[str, Any]]
) -> None:
    """That is said once, and what needs no parlour is still answered."""
    asked = ["review", "log", "review all"]
    choose = chooser()
    cuts = [Heard("cut", "1 second"), Heard("cut", "2 seconds"), Heard("closed", "it is full")]

    def gone(*_: Any) -> bytes:
        raise Refusal("no parlour answers")

    def answer(terminal: Terminal) -> str:
        if not terminal.joined.is_over:
            return choose(terminal)
        monkeypatch.setattr(Parlour, "ask", gone)
        while cuts:
            terminal.joined.queue.put(cuts.pop(0))
        return asked.pop(0) + "\n" if asked else ""

    terminal = Terminal(link(server, make(zoe, late(GAMES["goldmine"], LATE))), tmp_path, answer, name="Ada")
    printed = terminal.start().finish()
    record = text.read_record((tmp_path / "goldmine.txt").read_text("utf-8"))
    for seats in ([0], None):
        told = "\n".join(telling.spoken(record.game, brief(record, seats=seats), terminal.joined.words.names))
        assert printed.count(f"takes some seconds.\n{told}\n") == 1
    assert printed.count("The connection is lost.") == 1 and "Trying again" not in printed
    assert printed.count("The parlour has closed the connection: it is full.") == 1
    assert "\nno parlour answers\n" in printed and printed.count("being judged") == 2


def test_a_game_that_somebody_resigned_is_not_reviewed(server: Server, zoe: Visitor, tmp_path: Path) -> None:
    asked = ["resign", "yes", "review", ""]
    key = zoe.make("goldmine", "anyone", "greedy")["id"]
    printed = Terminal(link(server, key), tmp_path, lambda _: asked.pop(0) + "\n", name="Ada").start().finish()
    assert printed.endswith("somebody resigned: only what was played to the end can be reviewed.\n")


# The guest


def test_a_guest_is_known_again(server: Server, zoe: Visitor, tmp_path: Path) -> None:
    """By a token that its owner alone can read; another name is taken over. A token that is none is replaced."""
    played = late(GAMES["goldmine"], 1)
    first, second = make(zoe, played), make(zoe, played)
    path = data_folder() / "guests.json"
    Terminal(link(server, first), tmp_path, chooser(), name="Ada").start().finish()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(next((data_folder() / "seen").iterdir()).stat().st_mode) == 0o600
    kept = json.loads(path.read_text("utf-8"))
    assert list(kept) == [server.url]
    again = Terminal(link(server, second), tmp_path, chooser(), name="Ida")
    assert again.joined.me == "Ida" and json.loads(path.read_text("utf-8")) == kept
    again.start().finish()
    be(server.url, "nobody's")
    assert Parlour(link(server, first)).be_guest(None) == "Newcomer"
    assert json.loads(path.read_text("utf-8"))[server.url]["token"] not in ("nobody's", kept[server.url]["token"])


def test_a_token_goes_to_its_own_server_alone(server: Server, zoe: Visitor) -> None:
    Parlour(link(server, "x")).be_guest("Ada")
    elsewhere = Parlour(link(server, "x").replace("127.0.0.1", "localhost"))
    assert elsewhere.be_guest(None) == "Newcomer"
    assert len(json.loads((data_folder() / "guests.json").read_text("utf-8"))) == 2


# What is typed


def test_commands(server: Server, zoe: Visitor, tmp_path: Path) -> None:
    played = late(GAMES["goldmine"], 2)
    key = make(zoe, played, hints=True)
    asked = (
        "?",
        "position",
        "actions",
        "who",
        "chat Hello you",
        "rules 3.1",
        "log",
        "nonsense",
        "99",
        "play C9",
        "hint",
    )
    terminal = Terminal(link(server, key), tmp_path, chooser(1, *asked), name="Ada")
    printed = terminal.start().finish()
    s = last_of(played)
    cards = engine.view(played.game, s, 0)
    assert "quit: leave without resigning" in printed
    assert "Ada holds " in printed and cards.held[0]
    assert "Seat 1: Ada, you, here, to act." in printed and "Seat 2: greedy, a bot." in printed
    assert "Ada says: Hello you" in printed
    assert "GM-3.1" in printed
    assert "'nonsense' is none of your choices: actions lists them, ? helps" in printed
    assert "there is no choice 99: their numbers are 1 to" in printed
    assert re.search(r"^(I would|There is only one thing to do)", printed, re.MULTILINE)


def last_of(played: text.Played) -> Record:
    return engine.replay(played.game, played.start(), played.actions)


def test_quit_does_not_resign(server: Server, zoe: Visitor, tmp_path: Path) -> None:
    """The same command comes back to the seat, without the invitation, which was used up."""
    made = zoe.make("goldmine", "link", "greedy")
    invitation = server.url + made["links"][0]["path"]
    gone = Terminal(invitation, tmp_path, lambda _: "quit\n", name="Ada").start().finish()
    back = f"to come back: motherlode play {link(server, made['id'])}"
    assert gone.splitlines()[-1] == f"You have left the table, and not resigned; {back}"
    assert not any(player["resigned"] for player in zoe.get(f"/api/tables/{made['id']}")["players"])
    again = Terminal(link(server, made["id"]), tmp_path, chooser(1, "resign"))
    assert (again.joined.seat, again.joined.me) == (0, "Ada")
    printed = again.start().finish()
    assert "Give the game up? It is lost for you then. yes or no?" in printed
    assert "greedy wins." in printed and "Ada has resigned." in printed


def test_no_is_not_yes(server: Server, zoe: Visitor, tmp_path: Path) -> None:
    """What would be costly waits for yes; anything else takes it back."""
    played = find(GAMES["blue_creek"], lambda s: s.turn == 0 and "doubt" in names_at(s))
    waiting = ["doubt", "no", "position", "quit"]
    terminal = Terminal(link(server, make(zoe, played)), tmp_path, lambda _: waiting.pop(0) + "\n", name="Ada")
    printed = terminal.start().finish()
    assert "Doubt that any gold is left?" in printed and "Ada doubts" not in printed


def names_at(s: Record) -> list[str]:
    return [s.GAME.ACTIONS.name(a) for a in engine.legal(s.GAME, s)]


@pytest.mark.parametrize("name", GAMES)
def test_every_choice_is_found_by_its_words(name: str) -> None:
    """By its number, by what it says and, if that is nothing else's words, by the name that the game has for it."""
    game = GAMES[name]
    played = late(game, 6)
    s = last_of(played)
    table = TextTable(game, io.StringIO())
    table.names = [f"Player {seat + 1}" for seat in range(played.seats)]
    now = now_of(game, engine.view(game, s, 0), engine.legal(game, s))
    said = table.choices(now)
    assert len(set(said)) == len(said) and len(said) == len(now.legal)
    for n, (action, words) in enumerate(zip(now.legal, said, strict=True), 1):
        assert table.find(str(n), now) == action
        assert table.find(words, now) == action
        assert table.find(words.upper(), now) == action
    with pytest.raises(Refusal, match=f"there is no choice {len(said) + 1}"):
        table.find(str(len(said) + 1), now)


def test_a_line_moves_no_cursor() -> None:
    """Whatever a server sends: only the words are printed."""
    table = TextTable(GAMES["goldmine"], out := io.StringIO())
    table.say("Eve says: \x1b[2J\x9b2Jhello\r\x07", "two\nlines")
    assert out.getvalue() == "Eve says: [2J2Jhello\ntwo\nlines\n"


# A line that is cut


def test_a_line_that_is_cut(server: Server, zoe: Visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said, and opened again after growing pauses; nothing is told twice, and nothing is missing."""
    pauses: list[float] = []
    key = make(zoe, late(GAMES["goldmine"], LATE))
    opened = Parlour.open
    fails = [0]

    def open_or_not(parlour: Parlour, seat: int | None, since: int) -> Any:
        if fails[0] > 0:
            fails[0] -= 1
            raise ConnectionRefusedError("it is away")
        return opened(parlour, seat, since)

    monkeypatch.setattr(Parlour, "open", open_or_not)
    choose = chooser()
    cuts = [1]

    def answer(terminal: Terminal) -> str:
        if cuts[0] and not terminal.joined.is_over:
            cuts[0] -= 1
            fails[0] = 6
            assert terminal.joined.line.socket
            terminal.joined.line.socket.socket.close()  # without a word
            return "position\n"
        return choose(terminal)

    terminal = Terminal(link(server, key), tmp_path, answer, name="Ada")
    terminal.joined.line.pause = pauses.append
    printed = terminal.start().finish()
    assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0, LONGEST_WAIT, LONGEST_WAIT]
    assert printed.count("The connection is lost.") == 1 == printed.count("Connected again.")
    assert "Trying again in 0.5 seconds.\nTrying again in 1 second.\nTrying again in 2 seconds.\n" in printed
    told = [did.at for news, _ in terminal.calls for did in news]
    assert told == sorted(set(told)) and told[-1] == terminal.joined.table["at"] - 1


def test_what_one_has_done_early_is_not_told_again(server: Server, zoe: Visitor, tmp_path: Path) -> None:
    """In Gold Hunting both build at the same time: the line of seat 1 is cut when seat 0 has not begun."""
    key = zoe.make("gold_hunting", "me", "anyone")["id"]
    was_cut = threading.Event()

    def answer(terminal: Terminal) -> str:
        joined = terminal.joined
        own = sum(did.actor == 1 for did in joined.log.values())
        if own == 3 and not was_cut.is_set() and joined.line.socket:
            was_cut.set()
            joined.line.socket.socket.close()
            return "position\n"
        return "" if joined.is_over else "yes\n" if joined.sure else "1\n"

    terminal = Terminal(link(server, key), tmp_path, answer, name="Ada")
    terminal.joined.line.pause = lambda _: None
    terminal.start()
    with zoe.open(key, 0) as page:
        for _ in range(2):  # Zoe adds nothing to the shuffle, and is waited for
            while not page.table["seal"]["awaited"] and page.table["waiting"]:
                page.wait("table")
            server.move_clock(61.0)
        assert was_cut.wait(PATIENCE)
        while not page.until_turn()["result"]:
            page.act()
        printed = terminal.finish()
    told = [did.at for news, _ in terminal.calls for did in news]
    assert terminal.joined.seat == 1 and "Connected again." in printed
    assert len(told) == len(set(told)) and printed.count("Ada places a ") == 10


# What is refused


def refused(server: Server, address: str, folder: Path, **more: Any) -> str:
    with pytest.raises(Refusal) as no:
        Terminal(address, folder, chooser(), **more)
    return str(no.value)


def test_links_that_are_none(server: Server, tmp_path: Path) -> None:
    for wrong in ("http://", f"{server.url}/", f"{server.url}/games", "http://a@b/table/x", f"{server.url}/table/a/b"):
        assert is_link(wrong)
        assert "is not the link of a table" in refused(server, wrong, tmp_path)
    assert refused(server, link(server, "x" * 22), tmp_path) == "there is no such table"
    assert "no parlour answers at http://127.0.0.1:9:" in refused(server, "http://127.0.0.1:9/table/x", tmp_path)
    assert not is_link("goldmine") and not is_link("./table.py")


def test_tables_that_cannot_be_joined(server: Server, zoe: Visitor, tmp_path: Path) -> None:
    full = zoe.make("goldmine", "me", "greedy")["id"]
    assert refused(server, link(server, full), tmp_path) == "every seat of this table is taken"
    watched = zoe.make("goldmine", "me", "greedy", watch=True)["id"]
    assert refused(server, link(server, watched), tmp_path).endswith("taken; --watch only watches")
    assert "may not be watched" in refused(server, link(server, full), tmp_path, only_watch=True)
    friends = zoe.make("goldmine", "me", "link")
    assert "are for invited friends" in refused(server, link(server, friends["id"]), tmp_path)
    wrong = server.url + friends["links"][0]["path"][:-3] + "abc"
    assert "link" in refused(server, wrong, tmp_path)
    over = zoe.make("goldmine", "random", "random", options={"target": 0}, watch=True)["id"]
    with zoe.open(over) as page:
        page.until_turn()
    assert "the game at this table is over" in refused(server, link(server, over), tmp_path)


def test_another_version_of_the_rules(
    server: Server, zoe: Visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = zoe.make("goldmine", "anyone", "greedy")["id"]
    get = Parlour.get
    cards = zoe.get("/api/games")

    def newer(parlour: Parlour, path: str) -> Any:
        return [{**card, "rules": 99} for card in cards] if path == "/api/games" else get(parlour, path)

    monkeypatch.setattr(Parlour, "get", newer)
    assert "this parlour plays version 99 of the rules of Goldmine" in refused(server, link(server, key), tmp_path)


def test_input_that_ends(server: Server, zoe: Visitor, tmp_path: Path) -> None:
    key = zoe.make("goldmine", "anyone", "greedy")["id"]
    terminal = Terminal(link(server, key), tmp_path, lambda _: "", name="Ada").start()
    with pytest.raises(Refusal, match=r"the input ended at action .* to come back: motherlode play http"):
        terminal.finish()


def test_options_of_a_new_game_do_not_go_with_a_link(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for command, words in (
        (["http://localhost:8000/table/x", "--seats", "2"], "is made already"),
        (["goldmine", "--name", "Ada"], "go with the link of a table"),
        (["goldmine", "--watch"], "go with the link of a table"),
    ):
        monkeypatch.setattr(sys, "argv", ["motherlode", "play", *command])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        assert stop.value.code == 2 and words in capsys.readouterr().err


# At home


@pytest.mark.parametrize("name", GAMES)
def test_a_game_in_words_at_home(
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    brief: Callable[..., dict[str, Any]],
) -> None:
    """From a late position to the end, with its review and a puzzle: sentences, and nothing that is drawn otherwise."""
    played = late(GAMES[name], LATE)
    record = tmp_path / "late.txt"
    record.write_text(text.write_record(played), "utf-8")
    players = ",".join(["me:Ada", *["greedy"] * (played.seats - 1)])
    save = tmp_path / "record.txt"
    command = [
        "play",
        name,
        "--text",
        "--record",
        str(record),
        "--players",
        players,
        "--save",
        str(save),
        "--seed",
        "1",
    ]
    monkeypatch.setattr(sys, "argv", ["motherlode", *command])
    monkeypatch.setattr(
        sys, "stdin", io.StringIO("?\nposition\nlog\n" + "1\nyes\n" * 60 + "review\npuzzle\n1\nquit\nquit\n")
    )
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert not stop.value.code
    out = capsys.readouterr().out
    table = Table.replay(text.read_record(save.read_text("utf-8")))
    assert table.is_over and "\x1b" not in out
    assert "Your turn." in out and "The game is over.\n" in out
    assert f"\nAda: {table.points[0]} point" in out
    (spoken,) = telling.spoken(table.game, brief(table.record(), seats=[0]), ["Ada"])[:1]
    assert f"\n{spoken}\n" in out and "How it may go on:" in out
    told = [line for line in out.splitlines() if not re.search(r"[A-Z]{2,3}-\d", line)]  # clauses have two spaces
    assert not [line for line in told if line != line.strip() or "  " in line]


def test_verdicts_of_records_that_are_not_genuine(server: Server, zoe: Visitor, tmp_path: Path) -> None:
    """What was seen is compared: another game's record is not taken for this one's."""
    played = late(GAMES["goldmine"], 1)
    one = Terminal(link(server, make(zoe, played)), tmp_path, chooser(1), name="Ada")
    one.start().finish()
    other = Terminal(link(server, make(zoe, played)), tmp_path, chooser(1))
    other.start().finish()
    out = one.out.getvalue()
    one.joined.check((tmp_path / "goldmine.txt").read_text("utf-8"))
    assert one.out.getvalue().removeprefix(out).startswith("The record is not genuine: ")
    assert proof.verify(text.read_record((tmp_path / "goldmine.txt").read_text("utf-8"))).is_good


def test_waits_grow() -> None:
    line = Line(Parlour("http://127.0.0.1:9/table/x"), 0, lambda _: None)
    assert line.pause == line.left.wait
