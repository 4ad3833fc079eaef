"""How far another has got in secret, and what a person has to remember, is told to nobody (`viewer_tape`)."""

from collections.abc import Callable
from typing import Any

import pytest
from support.local_server import Visitor, play_out
from support.twin_games import few
from support.viewer_tape import OPTIONS, Table, Tape, World, begin, compare, sit_down

from motherlode import contract, engine, text
from motherlode.game import CHANCE, OVER, Game, below, new_rng
from motherlode.games import GAMES
from motherlode.server import messages, wire
from motherlode.server.listener import PUBLIC
from motherlode.server.live_table import LiveTable
from motherlode.server.websocket import PageSocket

# Secret building in Gold Hunting: how far the other is shows nowhere

BUILDING = {  # for each viewer two orders of placing: o is its own piece, 0 and 1 another seat's, ? asks everything
    0: ("oo?1111oo1ooo11111?ooo", "111oo11?oo1ooo?oo1111o"),
    1: ("oo?0000oo0ooo000?ooo00", "00oo?00oo0ooo?00ooo000"),
    PUBLIC: ("000111?1111111000000?0", "1?000000000111111111?0"),
}


def build(world: World, seat: int, order: str) -> list[Tape]:
    """Both seats place ten pieces in this order, each its first legal action."""
    table = Table(GAMES["gold_hunting"], 2, OPTIONS["gold_hunting"], seat, program=True)
    log: list[int] = []
    s = engine.start(table.game, 2, **table.options)
    while len(log) < 22:
        log.append(engine.legal(table.game, s)[0])
        table.game.apply(s, log[-1])
    tapes = sit_down(world, table, {0: log[0], 1: log[1]})
    begin(world, tapes)
    places = [2, 12]  # where each seat's next action goes
    for what in order:
        for tape in tapes:
            tape.doing = "while building"
        if what == "?":
            tapes[0].ask_everything(but_tables=False)
            continue
        x = seat if what == "o" else int(what)
        at, places[x] = places[x], places[x] + 1
        if what == "o":
            world.run(tapes[0].tell(do="act", at=at, action=log[at]))
        else:
            world.act(tapes[0].key, x, at, log[at])
    tapes[0].ask_everything(but_tables=False)
    return tapes[:1]


def check_building(worlds: list[World], seat: int) -> None:
    compare(*(build(world, seat, order) for world, order in zip(worlds, BUILDING[seat], strict=True)))


@pytest.mark.parametrize("seat", BUILDING)
def test_how_far_another_has_built_is_not_told(worlds: list[World], seat: int) -> None:
    check_building(worlds, seat)


def send_the_place(monkeypatch: pytest.MonkeyPatch) -> None:
    real = messages.table_message

    def leaky(table: LiveTable, seat: int, did: list[wire.Did], **more: Any) -> wire.TableMessage:
        return real(table, seat, did, **more).model_copy(update={"at": table.core.at})

    monkeypatch.setattr(messages, "table_message", leaky)


def count_quiet_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LiveTable, "told_count", lambda table, seat: table.core.at)


def refuse_with_the_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The place of the log that the table is at, to one for whom some of it is quiet."""
    real = PageSocket.refuse

    def leaky(page: PageSocket, no: str, clause: str | None, do: str | None) -> None:
        real(page, f"{no}: look at {page.table.core.at}", clause, do)

    monkeypatch.setattr(PageSocket, "refuse", leaky)


def wake_for_every_action(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal messages, but one more for each hidden action."""
    real = LiveTable.notify
    monkeypatch.setattr(LiveTable, "notify", lambda table, everyone=True: real(table, everyone=True))


BUILDING_LEAKS = {
    "quiet actions counted": count_quiet_actions,
    "the place in a refusal": refuse_with_the_place,
    "the place in messages": send_the_place,
    "a message for each": wake_for_every_action,
}


@pytest.mark.parametrize("plant", few(BUILDING_LEAKS, 1))
def test_a_planted_count_of_hidden_pieces_is_caught(
    monkeypatch: pytest.MonkeyPatch, worlds: list[World], plant: Callable[[pytest.MonkeyPatch], None]
) -> None:
    plant(monkeypatch)
    with pytest.raises(AssertionError, match="differs"):
        check_building(worlds, PUBLIC)


# What a person has to remember


def pasts(game: Game, length: int) -> list[list[int]]:
    """Two logs of one length whose last positions look alike to seat 0 now, though it was shown different things:
    chance has decided otherwise once."""
    for number in range(2000):
        rng = new_rng(number, 5)
        log: list[int] = []
        opening = engine.start(game)
        s = w = opening
        other: list[int] = []
        changed = below(rng, length)
        while len(log) < length and s.turn != OVER:
            options = engine.legal(game, s)
            a = b = engine.draw(game, s, rng) if s.turn == CHANCE else options[below(rng, len(options))]
            if s.turn == CHANCE and len(log) == changed:
                b = engine.draw(game, w, rng)
            if w.turn != s.turn or b not in engine.legal(game, w):
                break
            s, w = engine.after(game, s, a), engine.after(game, w, b)
            log.append(a)
            other.append(b)
        looks = [[bytes(engine.view(game, x, 0, sight=sight)) for x in (s, w)] for sight in (True, False)]
        if len(log) == length and 0 <= s.turn == w.turn and looks[0][0] == looks[0][1] and looks[1][0] != looks[1][1]:
            return [log, other]
    raise AssertionError("no such games")


LENGTHS = {"mount_goldrush": 14, "goldmine": 30, "blue_creek": 24}  # of the logs in which two pasts are looked for


def check_memory(worlds: list[World], name: str) -> None:
    table = Table(GAMES[name], 2, {}, 0)
    seen = []
    for world, log in zip(worlds, pasts(table.game, LENGTHS[name]), strict=True):
        record = text.write_record(text.Played(table.game, 2, engine.check_options(table.game, {}), log))
        tapes = sit_down(world, table, {}, record)
        begin(world, tapes)
        tapes[0].ask_everything(but_tables=False)
        seen.append(tapes[:1])
    compare(*seen)


@pytest.mark.parametrize("name", LENGTHS)
def test_the_log_is_told_while_there_is_nothing_to_remember_and_at_the_end(ada: Visitor, name: str) -> None:
    game = GAMES[name]
    log = [a for _, a, _ in contract.random_game(game, engine.start(game), new_rng(1))]
    for length, is_told in ((0, True), (len(log) - 5, False)):
        record = text.write_record(text.Played(game, 2, engine.check_options(game, {}), log[:length]))
        table = ada.make(name, "me", "me", record=record, open_memory=False)["id"]
        answer = ada.http.get(f"/api/tables/{table}/log", params={"seat": 0})
        assert (answer.status_code == 200) == is_told, answer.text
    pages = [ada.open(table, seat) for seat in (0, 1)]
    play_out(pages)
    assert len(ada.get(f"/api/tables/{table}/log", seat=0)["did"]) == pages[0].table["at"]


@pytest.mark.parametrize("name", LENGTHS)
def test_a_person_who_comes_back_is_not_reminded(worlds: list[World], name: str) -> None:
    check_memory(worlds, name)


REMINDERS = {f"{what} {name}": (what, name) for what in ("knowledge", "log") for name in LENGTHS}


@pytest.mark.parametrize("plant", few(REMINDERS, 2))
def test_a_planted_reminder_is_caught(
    monkeypatch: pytest.MonkeyPatch, worlds: list[World], plant: tuple[str, str]
) -> None:
    what, name = plant
    if what == "knowledge":
        monkeypatch.setattr(LiveTable, "has_perfect_memory", lambda *_: True)
    else:
        monkeypatch.setattr(messages, "has_to_remember", lambda *_: False)
    with pytest.raises(AssertionError, match="differs"):
        check_memory(worlds, name)
