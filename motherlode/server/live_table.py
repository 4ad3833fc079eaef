"""One table: the only code that changes a sitting.

Everything that changes it comes through `serially`, one at a time, and is stored before it is shown: check on a copy,
storage, and only then change what is in memory and wake the listeners. Refusals change nothing. If the database is not
sure, or another process was first, what is in memory is read again.

Seats that decide at the same time in secret (a game's `aside`) are asked early: what they decide is stored at once at
its own later place of the log, in `early`, and done when the log has come so far. An action that a seat is told nothing
of, and that changes nothing in its view, is *quiet* to it: how many of them there were is told only with what follows.
"""

import asyncio
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection

from motherlode import bots, engine, proof, text
from motherlode.engine import Refusal
from motherlode.game import CHANCE, HIDDEN, OVER, Game, Record
from motherlode.server import storage, wire
from motherlode.server.keys import digest, new_id, new_secret
from motherlode.server.listener import PUBLIC, Listener
from motherlode.server.storage import Chair, Conflict, Row, StoredTable, Unstored
from motherlode.table import Illegal, NotYourTurn, Stale, Table

if TYPE_CHECKING:
    from motherlode.server.parlour import Parlour

T = TypeVar("T")


class NotYours(Refusal):
    """Somebody else's seat."""


class Broken(Exception):
    """The stored log is not one that this table can have written."""


class LiveTable:
    """A table in memory: its facts, its chairs, its log, and who listens."""

    def __init__(self, parlour: "Parlour", kept: StoredTable) -> None:
        self.parlour, self.facts, self.chairs, self.rematch = parlour, kept.facts, kept.chairs, kept.rematch
        self.id = kept.facts.id
        self.game = text.find_game(kept.facts.game)
        text.check_rules(self.game, str(kept.facts.rules))
        self.commitment = proof.commit(kept.facts.secret)
        played = text.Played(self.game, len(self.chairs), kept.facts.options, [])
        self.core = Table.replay(played, seed=0, chance=self.chance)
        self.made: list[float] = []
        self.link = proof.first_link(self.game, len(self.chairs), kept.facts.options, self.commitment, kept.facts.given)
        self.unlinked: dict[int, bytes] = {}  # links that are still to be stored
        self.early: dict[int, list[Row]] = {}
        self.told: dict[int, list[wire.Did]] = {}
        self.quiet: dict[int, list[bool]] = {}
        self.hints: dict[int, tuple[tuple[int, bytes], wire.HintMessage]] = {}  # each seat's last
        self.said: dict[tuple[Any, ...], str] = {}  # messages for several listeners, until something changes
        self.listeners: set[Listener] = set()
        self.elsewhere: dict[str, tuple[list[int], int]] = {}  # who is here by other processes: seats, watchers
        self.seen = [parlour.now()] * len(self.chairs)  # when each seat was last here
        self.last_line = 0
        self.mail: deque[tuple[Callable[[], Awaitable[Any]], asyncio.Future[Any]]] = deque()
        self.worker: asyncio.Task[None] | None = None
        self.driver: asyncio.Task[None] | None = None
        self.timer: Any = None
        self.is_stale = False
        self.absorb(kept.rows)

    # What is

    @property
    def is_waiting(self) -> bool:
        return self.facts.begun is None

    @property
    def is_over(self) -> bool:
        return self.core.is_over

    @property
    def is_idle(self) -> bool:
        return not (self.listeners or self.mail or self.worker or self.driver or self.timer)

    def chance(self, _: Any, s: Record, at: int) -> int:
        return proof.outcome(self.game, s, self.facts.secret, at)

    def has_memory(self, seat: int) -> bool:
        """Whether it is shown all it ever was shown: programs, or everybody where the table says so."""
        return self.facts.open_memory or (seat >= 0 and (self.chairs[seat].program or self.chairs[seat].guest is None))

    def check_owner(self, seat: int, guest: str | None) -> Chair:
        if not 0 <= seat < len(self.chairs):
            raise Refusal(f"the table has seats 0 to {len(self.chairs) - 1}, not {seat}")
        if guest is None or self.chairs[seat].guest != guest:
            raise NotYours(f"seat {seat} is not yours")
        return self.chairs[seat]

    def aside(self, seat: int) -> tuple[Record, int] | None:
        """Where a seat may decide before its turn: the position for it, and where in the log its next action goes."""
        if seat < 0 or self.is_waiting or not hasattr(self.game, "aside"):
            return None
        early = self.early.get(seat, [])
        found = self.game.aside(self.core.position, seat, [row.action for row in early])
        return found and (found[0], self.core.at + found[1] + len(early))

    def tell_all(self, seat: int) -> list[wire.Did]:
        """The whole log as a seat is told it, quiet actions too."""
        log, quiet = self.told.setdefault(seat, []), self.quiet.setdefault(seat, [])
        for at, entry in enumerate(self.core.told(seat)[len(log) :], len(log)):
            before, after = (engine.view(self.game, s, seat) for s in self.core.positions[at : at + 2])
            quiet.append(entry.action == HIDDEN and bytes(before) == bytes(after))
            did = describe(self.game, at, before, entry.action, after)
            alike = (told[at] for told in self.told.values() if len(told) > at and told[at] == did)
            log.append(next(alike, did))  # mostly all are told the same: it is kept once
        return log

    def heard(self, seat: int) -> int:
        """How many actions a seat knows to have happened; spectators may be behind."""
        self.tell_all(seat)
        n = self.core.at
        if seat == PUBLIC and self.facts.delay:
            latest = self.parlour.now() - self.facts.delay
            while n and self.made[n - 1] > latest:
                n -= 1
        while n and self.quiet[seat][n - 1]:
            n -= 1
        return n

    def at_of(self, seat: int) -> int:
        aside = self.aside(seat)
        return aside[1] if aside else self.heard(seat)

    def deadline(self) -> float | None:
        """When the time of the seat to act is over. Decisions in a row are one turn; a restart begins it anew."""
        seat = self.core.turn
        if self.facts.clock is None or self.facts.begun is None or seat < 0:
            return None
        n = self.core.at
        while n and self.core.positions[n - 1].turn in (seat, CHANCE):
            n -= 1
        began = max(self.made[n - 1] if n else 0.0, self.facts.begun, self.parlour.started)
        return began + self.facts.clock

    def bot_to_act(self) -> str | None:
        """The bot that acts now: the seat's own, or the one that acts for a player whose time is over."""
        if self.is_waiting or self.core.turn < 0:
            return None
        deadline = self.deadline()
        if self.chairs[self.core.turn].bot is None and deadline is not None and self.parlour.now() >= deadline:
            return self.parlour.settings.clock_bot
        return self.chairs[self.core.turn].bot

    def turn_began(self) -> float:
        """When the others were last told of something: since then they wait for whoever acts now."""
        others = [seat for seat in range(PUBLIC, len(self.chairs)) if seat != self.core.turn]
        for seat in others:
            self.tell_all(seat)
        n = self.core.at
        while n and all(self.quiet[seat][n - 1] for seat in others):
            n -= 1
        return max(self.made[n - 1] if n else 0.0, self.facts.begun or 0.0)

    def is_quiet(self, action: int) -> bool:
        """Whether nobody else would be told of this action, nor see anything of it."""
        s = self.core.position
        t = engine.after(self.game, s, action)
        return all(
            self.game.told(s, action, seat) == HIDDEN
            and bytes(engine.view(self.game, s, seat)) == bytes(engine.view(self.game, t, seat))
            for seat in range(PUBLIC, len(self.chairs))
            if seat != s.turn
        )

    def present(self) -> tuple[list[bool], int]:
        """Which seats are here, and how many watch."""
        here = [seats for seats, _ in self.elsewhere.values()] + [[x.seat for x in self.listeners]]
        watchers = sum(n for _, n in self.elsewhere.values()) + sum(x.seat == PUBLIC for x in self.listeners)
        return [any(seat in seats for seats in here) for seat in range(len(self.chairs))], watchers

    def record(self) -> text.Played:
        """The whole game, for when it is over."""
        names = [chair.name or chair.bot or "" for chair in self.chairs]
        played = text.Played(self.game, len(self.chairs), self.core.options, list(self.core.log), names)
        secret = self.facts.secret.hex()
        return played._replace(commitment=self.commitment, secret=secret, given=self.facts.given, chain=self.link.hex())

    # One at a time

    async def serially(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do this when all that came before is done. It is done to the end even if the asker goes away."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self.mail.append((work, future))
        if self.worker is None:
            self.worker = asyncio.create_task(self._serve())
        return await asyncio.shield(future)

    async def _serve(self) -> None:
        while self.mail:
            work, future = self.mail.popleft()
            try:
                if self.is_stale:
                    await self.refresh()
                answer = await work()
            except Exception as error:  # noqa: BLE001 - it is the asker's
                if not future.cancelled():
                    future.set_exception(error)
                    future.exception()  # the asker may have gone
            else:
                if not future.cancelled():
                    future.set_result(answer)
        self.worker = None

    async def refresh(self) -> None:
        """Read what other processes (or an unsure commit of our own) have stored."""
        kept = await self.parlour.storage.read(lambda db: storage.read_table(db, self.id, self.core.at))
        if kept is None:
            raise Refusal("there is no such table")
        self.is_stale = False
        is_other = (self.chairs, self.rematch, self.facts) != (kept.chairs, kept.rematch, kept.facts)
        self.facts, self.rematch = kept.facts, kept.rematch
        if self.chairs != kept.chairs:
            self.set_chairs(kept.chairs)
        self.early.clear()
        self.absorb(kept.rows)
        if kept.rows or is_other:
            self.changed(everyone=is_other)
        lines = await self.parlour.storage.read(
            lambda db: storage.read_chat(db, self.id, self.last_line, self.parlour.settings.chat_lines)
        )
        self.show_lines(lines)

    def absorb(self, rows: Sequence[Row], *, is_ours: bool = False) -> None:
        """Take in stored actions: do those the log has come to, keep the others for later. Ours have been checked."""
        for row in rows:
            if row.at > self.core.at:
                self.early.setdefault(row.actor, []).append(row)
            elif row.at == self.core.at:
                self._do(row, is_ours)

    def _do(self, row: Row, is_ours: bool) -> None:
        is_right = row.actor == self.core.turn
        if not is_right or not (is_ours or row.action in engine.legal(self.game, self.core.position)):
            raise Broken(f"table {self.id}: action {row.at} of the stored log cannot be")
        self.link = proof.next_link(self.link, row.at, row.actor, row.action)
        if row.link is None:
            self.unlinked[row.at] = self.link
        elif row.link != self.link:
            raise Broken(f"table {self.id}: the stored log was changed at or before action {row.at}")
        self.core.append(row.action)
        self.made.append(max(row.made, self.made[-1] if self.made else 0.0))  # early ones happen when they are done

    async def commit(self, work: storage.Work[T]) -> T:
        """Commit; where that fails what is in memory is read again before anything else."""
        try:
            return await self.parlour.storage.write(work)
        except (Conflict, Unstored):
            self.is_stale = True
            raise

    # Acting

    def plan(self, action: int | None) -> tuple[list[Row], dict[int, bytes]]:
        """The actions to be stored when this one is done (None: when the game begins), and links of early ones.

        After it comes what chance decides, and what seats have decided early.
        """
        now = max(self.parlour.now(), self.made[-1] if self.made else 0.0)
        rows: list[Row] = []
        links = dict(self.unlinked)
        s, link, at = engine.copy(self.core.position), self.link, self.core.at
        early = {row.at: row for rows in self.early.values() for row in rows}
        while True:
            if action is not None:
                a, action = action, None
            elif at in early:
                a = early[at].action
            elif s.turn == CHANCE:
                a = self.chance(self.game, s, at)
            else:
                return rows, links
            link = proof.next_link(link, at, s.turn, a)
            if at in early:
                links[at] = link
            else:
                rows.append(Row(at, int(s.turn), a, now, link))
            self.game.apply(s, a)
            at += 1

    async def act(self, seat: int, at: int, action: int, guest: str | None = None) -> None:
        """One action of a seat: by its guest, or, without one, by its bot."""
        if guest is not None:
            chair = self.check_owner(seat, guest)
            self.seen[seat] = self.parlour.now()
            if chair.bot is not None:
                raise NotYourTurn(f"the bot {chair.bot} plays for you: return to your seat first")
        if self.is_waiting:
            raise NotYourTurn("the game has not begun: not all seats are taken")
        aside = self.aside(seat)
        expected = aside[1] if aside else self.heard(seat)
        if self.is_over:
            raise NotYourTurn("the game is over")
        if at != expected:
            raise Stale(f"that was for action {at}, and the table is at {expected} for you: look again")
        s = aside[0] if aside else self.core.position
        if s.turn != seat:
            raise NotYourTurn("you have decided all you can: wait for the others" if aside else self.whose_turn())
        self.check_legal(s, seat, action)
        if aside:
            await self.act_early(seat, Row(at, seat, action, self.parlour.now(), None))
            return
        rows, links = self.plan(action)
        await self.append(rows, links)

    def whose_turn(self) -> str:
        return f"it is the turn of seat {self.core.turn}"

    def check_legal(self, s: Record, seat: int, action: int) -> None:
        if action >= len(self.game.ACTIONS):
            raise Refusal(f"there is no action {action}; they are numbered 0 to {len(self.game.ACTIONS) - 1}")
        if action not in engine.legal(self.game, s):
            clause = self.game.why(engine.view(self.game, s, seat), action)
            raise Illegal(str(clause), f"{clause}: {self.game.ACTIONS.name(action)!r} is not legal here")

    async def act_early(self, seat: int, row: Row) -> None:
        def work(db: Connection) -> None:
            storage.add_rows(db, self.id, [row])
            self.parlour.storage.tell(db, table=self.id)

        await self.commit(work)
        self.early.setdefault(seat, []).append(row)
        self.said.clear()
        self.parlour.count_action()
        for listener in self.listeners:
            if listener.seat == seat:
                listener.wake()

    async def append(self, rows: Sequence[Row], links: dict[int, bytes]) -> None:
        """Storage actions that follow each other, then do them, and the early ones among them."""
        is_last = self.leads_to_the_end(rows)

        def work(db: Connection) -> None:
            storage.add_rows(db, self.id, rows)
            storage.link_rows(db, self.id, links)
            if is_last:
                storage.end_table(db, self.id, rows[-1].made)
            self.parlour.storage.tell(db, table=self.id)

        try:
            await self.commit(work)
        except Conflict:
            await self.refresh()
            raise Stale("the table has moved on: look again") from None
        self.take_in(rows, links)
        self.parlour.count_action()
        self.changed()

    def take_in(self, rows: Sequence[Row], links: dict[int, bytes]) -> None:
        """What was stored is done."""
        early = [row for rows in self.early.values() for row in rows]
        self.early.clear()
        self.absorb(sorted([*rows, *early]), is_ours=True)
        for at in links:
            self.unlinked.pop(at, None)

    def leads_to_the_end(self, rows: Sequence[Row]) -> bool:
        s = engine.copy(self.core.position)
        early = [row for rows in self.early.values() for row in rows]
        for row in sorted([*rows, *early]):
            if s.turn != OVER:
                self.game.apply(s, row.action)
        return bool(s.turn == OVER)

    # Chairs

    def set_chairs(self, chairs: list[Chair]) -> None:
        """Who has lost a seat is no longer told what it sees."""
        self.chairs = chairs
        self.parlour.prepare(self)
        for listener in self.listeners:
            if listener.seat >= 0 and chairs[listener.seat].guest != listener.guest:
                listener.drop("this seat is no longer yours")

    async def change_chair(self, seat: int, **change: Any) -> None:
        """Storage who has a seat now; when it was the last to be taken the game begins."""
        was = self.chairs[seat]
        chairs = [replace(was, **change) if chair.seat == seat else chair for chair in self.chairs]
        begins = self.is_waiting and not any(chair.is_open for chair in chairs)
        now = self.parlour.now()
        rows, links = self.plan(None) if begins else ([], {})
        kept = {key: value for key, value in change.items() if key != "name"}

        def work(db: Connection) -> None:
            storage.change_chair(db, self.id, seat, was, **kept)
            if begins:
                storage.begin_table(db, self.id, now)
                storage.add_rows(db, self.id, rows)
            self.parlour.storage.tell(db, table=self.id)

        try:
            await self.commit(work)
        except Conflict as conflict:
            await self.refresh()
            raise Stale(str(conflict)) from None
        if begins:
            self.facts.begun = now
            self.take_in(rows, links)
        self.set_chairs(chairs)
        self.seen[seat] = now
        self.changed(everyone=True)

    async def take(self, seat: int | None, guest: storage.Guest, code: str | None, program: bool) -> int:
        """Sit down: where a code says, or on a seat that is open to anyone."""
        if seat is not None and not 0 <= seat < len(self.chairs):
            raise Refusal(f"the table has seats 0 to {len(self.chairs) - 1}, not {seat}")
        chair = self.chairs[seat or 0]
        if code is not None:
            if chair.code is None or not secrets.compare_digest(chair.code, digest(code)):
                raise NotYours("this link is not good any more: each takes a seat once; ask for a new one")
        elif chair.guest == guest.id:
            return chair.seat
        elif not chair.is_open:
            raise NotYours(f"seat {chair.seat} is taken")
        elif chair.takes != "anyone":
            raise NotYours(f"seat {chair.seat} is for whoever has its link")
        await self.change_chair(
            chair.seat, guest=guest.id, name=guest.name, bot=None, left=False, code=None, program=program
        )
        return chair.seat

    async def new_code(self, seat: int, guest: str) -> str:
        """A code that takes this seat, once: its player's to give away, or the maker's while nobody has it."""
        if not 0 <= seat < len(self.chairs):
            raise Refusal(f"the table has seats 0 to {len(self.chairs) - 1}, not {seat}")
        chair = self.chairs[seat]
        if chair.guest != guest and not (chair.is_open and self.facts.maker == guest):
            raise NotYours(f"seat {seat} is not yours to give away")
        code = new_id()
        await self.change_chair(seat, code=digest(code))
        return code

    async def leave(self, seat: int, guest: str | None) -> None:
        self.check_owner(seat, guest)
        await self.change_chair(seat, left=True)

    async def come_back(self, seat: int, guest: str | None) -> None:
        self.check_owner(seat, guest)
        await self.change_chair(seat, left=False, bot=None)

    async def substitute(self, seat: int, bot: str, asker: int, guest: str | None) -> None:
        """Give the seat of a player who is gone to a bot."""
        self.check_owner(asker, guest)
        if not 0 <= seat < len(self.chairs):
            raise Refusal(f"the table has seats 0 to {len(self.chairs) - 1}, not {seat}")
        chair = self.chairs[seat]
        if chair.bot is not None or chair.guest is None or seat == asker:
            raise Refusal(f"seat {seat} has nobody to stand in for")
        if self.is_over:
            raise Refusal("the game is over")
        check_bot(bot, self.game, self.parlour.settings.strongest_bot)
        is_here = self.present()[0][seat]
        rest = self.seen[seat] + self.parlour.settings.gone_after - self.parlour.now()
        if not chair.left and (is_here or rest > 0):
            raise Refusal(
                f"{chair.name} is still here"
                if is_here
                else f"wait {rest:.0f} seconds more: {chair.name} may come back"
            )
        await self.change_chair(seat, bot=bot)

    # Rematch, chat, presence

    async def play_again(self, seat: int, guest: str | None) -> str:
        """The same again at a new table, everybody one seat further."""
        self.check_owner(seat, guest)
        if not self.is_over:
            raise Refusal("the game is not over yet")
        if self.rematch:
            return self.rematch
        chairs: list[Chair] = []
        for chair in self.chairs[-1:] + self.chairs[:-1]:
            bot = chair.bot if chair.guest is None else None
            chairs.append(replace(chair, seat=len(chairs), bot=bot, left=False, code=None))
        now = self.parlour.now()
        facts = replace(self.facts, id=new_id(), secret=new_secret(), given=0, rematch_of=self.id, made=now, begun=now)
        facts.ended = None
        new = LiveTable(self.parlour, StoredTable(facts, chairs, [], None))
        rows, _ = new.plan(None)

        def work(db: Connection) -> None:
            storage.add_table(db, facts, chairs, rows)
            self.parlour.storage.tell(db, table=self.id)

        try:
            await self.commit(work)
            self.rematch = facts.id
        except Conflict:  # another process was asked as well
            await self.refresh()
        for listener in self.listeners:
            listener.rematch = self.rematch
        self.changed(everyone=True)
        if not self.rematch:
            raise Unstored("the new table could not be made; try again")
        return self.rematch

    async def say(self, seat: int, guest: storage.Guest | None, words: str) -> None:
        if not self.facts.chat:
            raise Refusal("this table has no chat")
        if guest is None:
            raise NotYours("to chat you need a name: become a guest")
        said, now = " ".join(words.split()), self.parlour.now()
        if not said:
            raise Refusal("there is nothing in that")

        def work(db: Connection) -> storage.Line:
            line = storage.add_chat(db, self.id, None if seat < 0 else seat, guest.name, said, now)
            self.parlour.storage.tell(db, table=self.id)
            return line

        self.show_lines([await self.commit(work)])

    def show_lines(self, lines: Sequence[storage.Line]) -> None:
        for line in lines:
            if line.id > self.last_line:
                self.last_line = line.id
                for listener in self.listeners:
                    listener.lines.append(line)
                    listener.due.set()

    def arrive(self, listener: Listener, *, quietly: bool = False) -> None:
        self.listeners.add(listener)
        if not quietly:
            self.presence_changed()

    def depart(self, listener: Listener, *, quietly: bool = False) -> None:
        self.listeners.discard(listener)
        if listener.seat >= 0:
            self.seen[listener.seat] = self.parlour.now()
        if not quietly:
            self.presence_changed()

    def presence_changed(self, *, is_ours: bool = True) -> None:
        for listener in self.listeners:
            listener.has_presence = True
            listener.due.set()
        if is_ours:
            self.parlour.tell_presence(self)

    # What follows a change

    def changed(self, *, everyone: bool = False) -> None:
        """Wake those who have something to be told, and whoever acts next."""
        self.said.clear()
        for listener in self.listeners:
            if everyone or self.heard(listener.seat) > listener.heard:
                listener.wake()
        if self.facts.delay and self.core.at:
            self.parlour.clock.call_at(self.parlour.now() + self.facts.delay, self.wake_spectators)
        self.attend()

    def wake_spectators(self) -> None:
        for listener in self.listeners:
            if listener.seat == PUBLIC and self.heard(PUBLIC) > listener.heard:
                listener.wake()

    def attend(self) -> None:
        """Have the bot act whose turn it is, and set the clock."""
        if self.timer:
            self.timer.cancel()
            self.timer = None
        if self.bot_to_act() is not None:
            if self.driver is None:
                self.driver = asyncio.create_task(self.parlour.drive(self))
            return
        deadline = self.deadline()
        if deadline is not None:
            self.timer = self.parlour.clock.call_at(deadline, self.attend)


def describe(game: Game, at: int, before: Record, told: int, after: Record) -> wire.Did:
    """An entry of a told log for the wire, from what a seat was told and its views before and after."""
    line = text.describe(game, before, told, after)
    return wire.Did(
        at=at,
        actor=before.turn,
        action=None if told == HIDDEN else told,
        verb=line.verb,
        args=line.args,
        turned_up=line.turned_up and wire.TurnedUp(kind=line.turned_up.kind, args=line.turned_up.args),
        words=line.words,
    )


def check_bot(name: str, game: Game, strongest: int) -> None:
    """A bot of this parlour that does not think for hours; and no program of the asker's, nor one that counts time."""
    bots.BotSpec.parse(name, game).check_for_server(strongest)
