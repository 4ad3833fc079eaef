"""Nobody chooses what chance decides: how a table is sealed, what its players see of it, and what they can prove."""

import json
import secrets
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.local_server import PATIENCE, Page, Server, Visitor, play_out, serving

from motherlode import engine, proof, seen, text
from motherlode.engine import Refusal
from motherlode.server import messages
from motherlode.server.listener import PUBLIC
from motherlode.server.live_table import LiveTable
from motherlode.server.refusals import Unstored

WAIT = 10.0


@pytest.fixture(scope="module")
def server(database: str) -> Iterator[Server]:
    with serving(database, seal_wait=WAIT) as running:
        yield running


class Player:
    """A seat that takes part in the shuffle and keeps what it sees, as a page does."""

    def __init__(self, visitor: Visitor, table: str, seat: int | None, given: int = 0) -> None:
        self.visitor, self.table, self.seat = visitor, table, seat
        self.mine = secrets.token_hex(32)
        self.seen: dict[str, Any] = {"table": table, "seat": seat, "given": given, "seen": []}
        self.page: Page | None = None

    @property
    def path(self) -> str:
        return f"/api/tables/{self.table}/seats/{self.seat}"

    def commit(self, **more: Any) -> None:
        self.visitor.post(f"{self.path}/take", commitment=proof.commit(bytes.fromhex(self.mine)), **more)
        self.look()

    def open(self) -> None:
        self.look()
        entry = next(entry for entry in reversed(self.seen["seen"]) if "link" not in entry)
        entry["mine"] = self.mine
        self.note(self.visitor.post(f"{self.path}/open", share=self.mine))
        entry["opened"] = True

    def look(self) -> dict[str, Any]:
        query = {} if self.seat is None else {"seat": self.seat}
        message: dict[str, Any] = self.visitor.get(f"/api/tables/{self.table}/now", **query)
        self.note(message)
        return message

    def note(self, message: dict[str, Any]) -> None:
        seal, entries = message["seal"], self.seen["seen"]
        entry = next((one for one in entries if one.get("commitment") == seal["commitment"]), None)
        if entry is None:
            entry = {"place": seal["place"], "commitment": seal["commitment"], "commitments": [], "shares": None}
            entries.append(entry)
        if seal["stage"] == "open" and not entry["commitments"]:
            entry["commitments"] = seal["commitments"]
        entry["shares"] = entry["shares"] or seal["shares"]
        if message["head"] and message["head"]["link"] not in [one.get("link") for one in entries]:
            entries.append(message["head"])

    def sit(self) -> Page:
        self.page = self.visitor.open(self.table, self.seat)
        self.note(self.page.table)
        return self.page

    def play_out(self, others: list["Player"]) -> None:
        """Everybody acts when it is their turn, to the end, and notes every state."""
        while not self.look()["result"]:
            act_on([self, *others], 1)
        for other in others:
            while not other.look()["result"]:  # another process may be behind
                pass

    def check(self) -> list[seen.Finding]:
        record = text.read_record(self.visitor.http.get(f"/api/tables/{self.table}/record").text)
        assert proof.verify(record).is_good, proof.verify(record).words
        return seen.check(record, seen.read(json.dumps(self.seen)))

    def complaints(self) -> list[str]:
        return [finding.words for finding in self.check() if not finding.is_good]


def two(ada: Visitor, bob: Visitor, game: str = "goldmine", **more: Any) -> tuple[Player, Player]:
    """A table for two, both there and nobody committed."""
    card = ada.make(game, "me", "anyone", **more)
    one, other = Player(ada, card["id"], 0), Player(bob, card["id"], 1)
    one.look()
    bob.take(card["id"], 1)
    return one, other


def sealed(ada: Visitor, bob: Visitor, game: str = "goldmine", **more: Any) -> tuple[Player, Player]:
    players = two(ada, bob, game, **more)
    for player in players:
        player.commit()
    for player in players:
        player.open()
    return players


def record_of(player: Player) -> text.Played:
    return text.read_record(player.visitor.http.get(f"/api/tables/{player.table}/record").text)


SINGLE: dict[str, Any] = {"options": {"target": 0}}


def test_both_take_part_and_can_prove_it(ada: Visitor, bob: Visitor) -> None:
    one, other = two(ada, bob, **SINGLE)
    assert one.look()["seal"]["stage"] == "commit" and one.look()["waiting"] and one.look()["seal"]["awaited"] == [0, 1]
    one.commit()
    assert one.look()["seal"]["awaited"] == [1] and one.look()["seal"]["left"] == WAIT
    other.commit()
    now = other.look()
    assert now["seal"]["stage"] == "open" and now["seal"]["awaited"] == [0, 1] and now["waiting"] and not now["did"]
    assert now["seal"]["commitments"] == [proof.commit(bytes.fromhex(player.mine)) for player in (one, other)]
    one.open()
    assert one.look()["waiting"] and one.mine not in json.dumps(other.look())  # not before everybody has opened
    other.open()
    now = one.look()
    assert not now["waiting"] and now["seal"]["shares"] == [one.mine, other.mine] and now["head"]["at"] == now["at"]
    one.play_out([other])
    played = record_of(one)
    assert played.seals[0].shares == (one.mine, other.mine)
    assert "the bytes of seats 0 and 1 were mixed in" in proof.verify(played).words
    for player in (one, other):
        assert player.complaints() == []
        assert any("your own bytes among them" in finding.words for finding in player.check())


def test_nobody_opens_before_all_have_committed_or_other_bytes(ada: Visitor, bob: Visitor) -> None:
    one, other = two(ada, bob)
    one.commit()
    assert "not all commitments are known yet" in ada.post(f"{one.path}/open", 400, share=one.mine)["no"]
    one.mine = secrets.token_hex(32)
    one.commit()  # until they are fixed, it may change its mind
    other.commit()
    assert "not the bytes your seat has committed to" in ada.post(f"{one.path}/open", 400, share=64 * "0")["no"]
    late = ada.post(f"{one.path}/take", 400, commitment=64 * "0")
    assert "the commitments are fixed already" in late["no"]
    assert bob.http.post(f"{one.path}/open", json={"share": one.mine}).status_code == 403
    for bad in ("", "00", 64 * "G", 64 * "A", 65 * "0"):
        assert ada.http.post(f"{one.path}/open", json={"share": bad}).status_code == 422
    one.open()
    one.open()  # asked twice
    other.open()
    one.open()
    assert not one.look()["waiting"]


def test_who_is_not_there_is_left_out_after_a_while(server: Server, ada: Visitor, bob: Visitor) -> None:
    one, other = two(ada, bob, **SINGLE)
    one.commit()
    server.move_clock(WAIT - 0.1)
    assert one.look()["seal"]["stage"] == "commit"
    server.move_clock(0.1)
    while one.look()["seal"]["stage"] == "commit":
        pass
    one.open()
    assert one.look()["seal"]["shares"] == [one.mine, "left out"]
    assert "sealed without your seat" in bob.post(f"{other.path}/open", 400, share=other.mine)["no"]
    one.play_out([other])
    assert "the bytes of seat 0 were mixed in, seat 1 was left out" in proof.verify(record_of(one)).words
    assert one.complaints() == [] and other.complaints() == []


def test_who_is_not_there_to_open_may_come_back(server: Server, ada: Visitor, bob: Visitor) -> None:
    for comes_back in (True, False):
        one, other = two(ada, bob, **SINGLE)
        one.commit()
        other.commit()
        one.open()
        server.move_clock(WAIT - 1)
        if comes_back:
            other.open()
        server.move_clock(1)
        while one.look()["waiting"]:
            pass
        assert one.look()["seal"]["shares"] == [one.mine, other.mine if comes_back else "left out"]
        one.play_out([other])
        assert one.complaints() == [] and other.complaints() == []


def test_bots_are_the_servers_and_programs_are_not_waited_for(ada: Visitor, bob: Visitor) -> None:
    card = ada.make("goldmine", "random", "random")
    assert not ada.get(f"/api/tables/{card['id']}")["waiting"]
    assert ada.get(f"/api/tables/{card['id']}/now")["seal"]["shares"] == ["bot", "bot"]
    seats: list[dict[str, Any]] = [{"player": "me", "program": True}, {"player": "random"}]
    card = ada.post("/api/tables", 201, game="goldmine", seats=seats)
    assert ada.get(f"/api/tables/{card['id']}/now")["seal"]["shares"] == ["left out", "bot"]
    player = Player(ada, "", 0)
    seats[0] = {**seats[0], "commitment": proof.commit(bytes.fromhex(player.mine))}
    player.table = ada.post("/api/tables", 201, game="goldmine", seats=seats)["id"]
    player.open()
    assert player.look()["seal"]["shares"] == [player.mine, "bot"]
    seats = [{"player": "me", "program": True}, {"player": "anyone"}]
    first = ada.post("/api/tables", 201, game="goldmine", seats=seats)["id"]
    other = Player(bob, first, 1)
    other.commit(program=True)
    other.open()
    assert other.look()["seal"]["shares"] == ["left out", other.mine]


def test_a_seat_that_changes_hands_takes_its_commitment_along(ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    card = ada.make("goldmine", "me", "link")
    code = card["links"][0]["code"]
    one, other, third = Player(ada, card["id"], 0), Player(bob, card["id"], 1), Player(eve, card["id"], 1)
    other.commit(code=code)
    link = bob.post(f"{other.path}/link")
    eve.take(card["id"], 1, code=link["code"])
    assert third.look()["seal"]["commitments"] == [None, None]
    one.commit()
    third.commit()
    assert bob.http.post(f"{other.path}/open", json={"share": other.mine}).status_code == 403
    one.open()
    third.open()
    assert one.look()["seal"]["shares"] == [one.mine, third.mine]


def test_nobody_plays_with_bytes_of_another(ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    """Two who know each other commit and open bytes that suit them, and then one makes way for a stranger."""
    one, other = two(ada, bob)
    one.commit()
    other.commit()
    other.open()
    code = bob.post(f"{other.path}/link")["code"]
    assert "being sealed" in eve.post(f"{other.path}/take", 400, code=code)["no"]
    with one.sit() as page:
        page.send(do="remove", who=one.look()["players"][1]["who"])
        assert page.ask(do="ping")["is"] == "pong"
    assert one.look()["players"][1]["bot"] == "greedy"  # the seat is not open for anybody
    one.open()
    assert one.look()["seal"]["shares"] == [one.mine, other.mine]
    one, other = two(ada, bob)
    with one.sit() as page:
        page.send(do="remove", who=one.look()["players"][1]["who"])
        assert page.ask(do="ping")["is"] == "pong"
    assert one.look()["players"][1]["kind"] == "open"


def test_a_seal_that_could_not_be_stored_is_stored_later(
    server: Server, ada: Visitor, bob: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time is up in the moment when the disk is full: the table must not wait for ever."""
    one, _ = two(ada, bob)
    one.commit()
    failed = threading.Event()

    async def fail(work: Any) -> None:
        failed.set()
        raise Unstored("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(server.parlour.storage, "write", fail)
        server.move_clock(WAIT)
        assert failed.wait(PATIENCE)
    for _ in range(100):
        server.move_clock(1.0)
        if one.look()["seal"]["stage"] != "commit":
            break
    else:
        raise AssertionError("it waits for ever")


def test_a_rematch_is_sealed_too(ada: Visitor, bob: Visitor) -> None:
    one, other = sealed(ada, bob, **SINGLE)
    pages = [one.sit(), other.sit()]
    play_out(pages)
    pages[0].send(do="rematch")
    again = pages[0].wait("rematch")
    first, second = Player(bob, again["table"], 0), Player(ada, again["table"], 1)
    assert first.look()["waiting"] and first.look()["seal"]["awaited"] == [0, 1]
    for player in (first, second):
        player.commit()
    for player in (first, second):
        player.open()
    assert not first.look()["waiting"]


# What a host could try


def forge(server: Server, player: Player, **changes: Any) -> list[str]:
    """What the player finds wrong with a record that the host has written anew, with a chain that fits."""
    played = record_of(player)
    played = played._replace(**{key: change(played) for key, change in changes.items()})
    forged = played._replace(chain=proof.chain(played).hex())
    assert proof.verify(forged).chain
    findings = seen.check(forged, seen.read(json.dumps(player.seen)))
    return [finding.words for finding in findings if not finding.is_good]


def test_a_host_cannot_grind_rewrite_or_leave_out(server: Server, ada: Visitor, bob: Visitor) -> None:
    one, other = sealed(ada, bob, **SINGLE)
    one.play_out([other])

    def with_secret(played: text.Played) -> tuple[text.Seal, ...]:
        """Another secret, tried until it deals better hands."""
        secret = secrets.token_bytes(32)
        return (played.seals[0]._replace(secret=secret.hex(), commitment=proof.commit(secret)),)

    def with_shares(*shares: str) -> Any:
        return lambda played: (played.seals[0]._replace(shares=shares),)

    def with_decision(played: text.Played) -> list[int]:
        at = next(at for at in reversed(range(len(played.actions))) if decisions_at(played, at))
        return [*played.actions[:at], decisions_at(played, at)[0]]

    assert any("hash seen at action 0 is not in the record" in words for words in forge(server, one, seals=with_secret))
    swapped = forge(server, one, seals=with_shares(one.mine, 64 * "0"))
    assert any("the bytes of seat 1 are not those that seat committed to" in words for words in swapped)
    left_out = forge(server, other, seals=with_shares(one.mine, "left out"))
    assert any("your own bytes were opened in time, and were left out" in words for words in left_out)
    assert any("has none of their bytes" in words for words in forge(server, one, seals=with_shares()))
    rewritten = forge(server, one, actions=with_decision)
    assert rewritten and all("the log is not as it was seen" in words for words in rewritten)
    assert forge(server, one, given=lambda _: 3)
    assert forge(server, one) == []


def decisions_at(played: text.Played, at: int) -> list[int]:
    """What a seat could have decided otherwise at this place."""
    s = engine.replay(played.game, played.start(), played.actions[:at])
    return [a for a in engine.legal(played.game, s) if a != played.actions[at]] if s.turn >= 0 else []


def test_nothing_seen_proves_nothing(ada: Visitor, bob: Visitor) -> None:
    one, other = sealed(ada, bob, **SINGLE)
    one.play_out([other])
    one.seen["seen"] = []
    assert one.complaints() == ["nothing was seen before the game began, so there is nothing to compare"]
    for bad in (
        "",
        "[]",
        "{}",
        '{"seat": 0, "given": 0, "seen": [{}]}',
        '{"seat": 0, "given": 0, "seen": [{"at": 1}]}',
        '{"seat": -1, "given": 0, "seen": []}',
        '{"seat": "0", "given": 0, "seen": []}',
        '{"seat": 0, "given": 0, "seen": [{"place": 0, "commitment": ["a"], "commitments": [], "shares": null}]}',
        '{"seat": 0, "given": 0, "seen": [{"at": 1, "seals": 1, "link": 7}]}',
    ):
        with pytest.raises(Refusal, match="this is not what a page saw"):
            seen.read(bad)
    nowhere = seen.read('{"seat": 7, "given": 0, "seen": []}')
    with pytest.raises(Refusal, match="seat 7 saw this, and the record has 2 seats"):
        seen.check(record_of(one), nowhere)


# Heads


def test_two_heads_do_not_give_away_a_hidden_action(server: Server, ada: Visitor, bob: Visitor) -> None:
    """With plain hashes, whoever has the heads before and after a discard finds it by trying all of them."""
    one, other = sealed(ada, bob, **SINGLE)
    table = server.parlour.tables[one.table]
    found = 0
    while not one.look()["result"]:
        acting, watching = (one, other) if one.look()["turn"] == 0 else (other, one)
        look, before = acting.look(), watching.look()
        legal = {entry["words"].split()[0]: entry["action"] for entry in look["legal"]}
        action = legal.get("discard", look["legal"][0]["action"])
        act = {"seat": acting.seat, "at": look["at"], "action": action}
        acting.visitor.post(f"/api/tables/{one.table}/act", **act)
        if "discard" in legal:
            heads = [bytes.fromhex(head["link"][:64]) for head in (before["head"], watching.look()["head"])]
            for a in table.game.ACTIONS:
                link = proof.next_link(None, heads[0], before["head"]["at"], acting.seat or 0, a)
                assert link not in table.links and link != heads[1]
            key_of_nothing = proof.chain_key(bytes(32))
            assert proof.next_link(key_of_nothing, heads[0], before["head"]["at"], acting.seat or 0, action) != heads[1]
            found += 1
    assert found


def test_heads_go_no_further_than_what_was_told(server: Server, ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    one, _ = sealed(ada, bob, delay=30, **SINGLE)
    table = server.parlour.tables[one.table]
    watcher = Player(eve, one.table, None)
    assert watcher.look()["head"]["at"] == 0
    server.move_clock(29.0)
    assert watcher.look()["head"]["at"] == 0
    server.move_clock(1.0)
    told = watcher.look()
    assert told["head"]["at"] == told["at"] == table.told_count(PUBLIC) > 0
    gold = sealed(ada, bob, "gold_hunting")[0]
    table = server.parlour.tables[gold.table]
    for _ in range(6):  # the other builds behind a screen
        for seat, visitor in ((0, ada), (1, bob)):
            now = visitor.get(f"/api/tables/{gold.table}/now", seat=seat)
            assert now["head"]["at"] == table.told_count(seat) <= now["at"]
            if now["legal"]:
                act = {"seat": seat, "at": now["at"], "action": now["legal"][0]["action"]}
                visitor.post(f"/api/tables/{gold.table}/act", **act)
                break


# Backups


class Restored:
    """A server whose database is put back to an earlier state."""

    def __init__(self, folder: Path, wait: float = WAIT) -> None:
        self.file, self.backup, self.wait = folder / "parlour.db", folder / "backup.db", wait
        self.start()

    def start(self) -> None:
        self.serving = serving(f"sqlite:///{self.file}", seal_wait=self.wait)
        self.server = self.serving.__enter__()

    def stop(self) -> None:
        self.serving.__exit__(None, None, None)

    def keep(self) -> None:
        self.stop()
        shutil.copy(self.file, self.backup)
        self.start()

    def restore(self) -> None:
        self.stop()
        for old in self.file.parent.glob("parlour.db*"):
            old.unlink()
        shutil.copy(self.backup, self.file)
        self.start()


@pytest.fixture
def restored(tmp_path: Path) -> Iterator[Restored]:
    server = Restored(tmp_path)
    yield server
    server.stop()


def act_on(players: list[Player], actions: int) -> None:
    """So many actions of those whose turn it is; a process may be behind the other."""
    while actions:
        for player in players:
            now = player.look()
            if now["legal"]:
                act = {"seat": player.seat, "at": now["at"], "action": now["legal"][0]["action"]}
                player.note(player.visitor.post(f"/api/tables/{player.table}/act", **act))
                actions -= 1
                break
        else:
            if now["result"]:
                return


def come_back(restored: Restored, players: list[Player]) -> None:
    """The same guests with what they have kept, on another port."""
    for player in players:
        headers = dict(player.visitor.http.headers)
        player.visitor.server = restored.server
        player.visitor.http.base_url = restored.server.url
        player.visitor.http.headers.update(headers)


def show_last_head(player: Player) -> Page:
    page = player.sit()
    last = next(entry for entry in reversed(player.seen["seen"]) if "link" in entry)
    page.send(do="seen", **last)
    page.ask(do="ping")
    return page


def play_outcomes(restored: Restored, players: list[Player], since: int) -> list[int]:
    """Play on until chance has decided eight times since this place."""
    table = restored.server.parlour.tables[players[0].table]
    while True:
        positions = zip(table.core.positions[since:], table.core.log[since:], strict=False)
        if len(found := [a for s, a in positions if s.turn < 0]) >= 8:
            return found
        act_on(players, 1)


def is_paused(table: LiveTable) -> bool:
    return table.is_paused


@pytest.mark.parametrize("when", ["in the middle", "before the seal", "played on"])
def test_after_a_restore_chance_does_not_repeat_itself(restored: Restored, when: str) -> None:
    """Mount Goldrush turns cards one by one: what lies where must not be what the players have seen already."""
    with Visitor(restored.server, "Ada") as ada, Visitor(restored.server, "Bob") as bob:
        players = list(
            two(ada, bob, "mount_goldrush") if when == "before the seal" else sealed(ada, bob, "mount_goldrush")
        )
        if when != "before the seal":
            act_on(players, 5)
        restored.keep()
        come_back(restored, players)
        place = 0 if when == "before the seal" else players[0].look()["at"]
        if when == "before the seal":
            for player in players:
                player.commit()
            for player in players:
                player.open()
        before = play_outcomes(restored, players, place)
        restored.restore()
        come_back(restored, players)
        if when == "played on":  # nobody says anything for a while: these are seen again
            restored.wait = 0
            quiet = [Player(ada, players[0].table, 0), Player(bob, players[0].table, 1)]
            act_on(quiet, 2)
        with show_last_head(players[0]) as page:
            table = restored.server.parlour.tables[players[0].table]
            assert len(table.facts.seals) == 2 and is_paused(table)
            with show_last_head(players[1]):  # the second brings nothing new
                assert len(table.facts.seals) == 2
            act = page.ask(do="act", at=table.core.at, action=0)
            assert act["is"] == "no" and "the shuffle is not sealed yet" in act["no"]
            for player in players:
                player.mine = secrets.token_hex(32)
                player.commit()
            for player in players:
                player.open()
        assert not is_paused(table) and table.facts.seal.closed().shares == tuple(player.mine for player in players)
        since = table.core.at
        assert play_outcomes(restored, players, since)[:8] != before[:8]
        with show_last_head(players[1]):  # what it has seen since is in the log
            assert len(table.facts.seals) == 2
        players[0].play_out(players[1:])
        played = record_of(players[0])
        assert [seal.place for seal in played.seals] == [0, since]
        words = proof.verify(played).words
        assert f"from action {since} on, chance was sealed anew" in words, words
        for player in players:
            if when != "played on":
                assert player.complaints() == [], player.complaints()
                assert any("that a restored server lost" in finding.words for finding in player.check())
        read_again = text.read_record(text.write_record(played))
        assert read_again.seals == played.seals and proof.verify(read_again).is_good
        replay = messages.replay(played, None)
        assert len(replay.seals) == 2


def test_only_heads_of_this_table_make_it_draw_anew(server: Server, ada: Visitor, bob: Visitor) -> None:
    one, other = sealed(ada, bob, **SINGLE)
    act_on([one, other], 3)
    table = server.parlour.tables[one.table]
    head = one.look()["head"]
    page = one.sit()
    for change in ({"at": head["at"] + 1}, {"seals": 2}, {"link": head["link"][:-1] + "g"}, {"link": 96 * "0"}):
        assert page.ask(do="seen", **{**head, **change})["is"] == "no"
    for entry in [entry for entry in one.seen["seen"] + other.seen["seen"] if "link" in entry]:
        page.send(do="seen", **entry)
    assert page.ask(do="ping")["is"] == "pong" and len(table.facts.seals) == 1


# Several processes


class Processes(NamedTuple):
    """Two servers on one database, and who visits which."""

    first: Server
    second: Server
    ada: Visitor
    bob: Visitor


@pytest.fixture
def processes(new_postgresql: Callable[[], str]) -> Iterator[Processes]:
    database = new_postgresql()
    with (
        serving(database, seal_wait=WAIT) as first,
        serving(database, seal_wait=WAIT) as second,
        Visitor(first, "Ada") as ada,
        Visitor(second, "Bob") as bob,
    ):
        yield Processes(first, second, ada, bob)


def test_seats_of_two_processes_commit_and_open_at_the_same_time(processes: Processes) -> None:
    with ThreadPoolExecutor(2) as both:
        for _ in range(8):
            players = two(processes.ada, processes.bob, **SINGLE)
            for step in (Player.commit, Player.open):
                list(both.map(step, players))
                stage = {Player.commit: "commit", Player.open: "open"}[step]
                for player in players:
                    while player.look()["seal"]["stage"] == stage:
                        pass
            assert [player.look()["seal"]["shares"] for player in players] == 2 * [[one.mine for one in players]]
        players[0].play_out(list(players[1:]))
        assert players[0].complaints() == players[1].complaints() == []


def test_bytes_may_be_opened_to_a_process_that_is_behind(processes: Processes) -> None:
    """All have committed, and somebody was told so; this process was not."""
    one, other = two(processes.ada, processes.bob)
    while any(player["kind"] == "open" for player in one.look()["players"]):
        pass
    processes.first.parlour.receive = lambda notice: None  # type: ignore[method-assign]
    one.commit()
    other.commit()
    assert (one.look()["seal"]["stage"], other.look()["seal"]["stage"]) == ("commit", "open")
    processes.ada.post(f"{one.path}/open", share=one.mine)
    assert one.look()["seal"]["stage"] == "open"


def test_a_process_that_is_behind_is_no_restored_backup(processes: Processes) -> None:
    one, other = sealed(processes.ada, processes.bob, **SINGLE)
    while other.look()["waiting"]:
        pass
    behind = processes.second.parlour.tables[one.table]
    processes.second.parlour.receive = lambda notice: None  # type: ignore[method-assign]
    before = behind.core.at
    while one.look()["turn"] != 0:
        act_on([one, other], 1)
    act_on([one], 1)
    page = other.sit()
    page.send(do="seen", **one.look()["head"])
    assert page.ask(do="ping")["is"] == "pong"
    assert len(behind.facts.seals) == 1 and behind.core.at > before
