"""One table in memory: the only code that changes it.

Every change comes through `serially`, one at a time, and is stored before it is shown: check on a copy, store, and only
then change what is in memory and wake the listeners. Refusals change nothing. If a commit may have failed, or another
process was first, what is in memory is read again.

Seats that decide at the same time in secret (a game's `decides_early`) are asked early: what they decide is stored at
once at its own later place of the log, kept in `early`, and done when the log has come that far.
"""

import asyncio
import hmac
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection

from motherlode import engine, proof, text
from motherlode.engine import Refusal
from motherlode.game import CHANCE, Record
from motherlode.server import names, queries, results, schema, storage, wire
from motherlode.server.chat import Chat
from motherlode.server.leaving import Leaving
from motherlode.server.listener import PUBLIC
from motherlode.server.log_plan import Plan, make_plan
from motherlode.server.peers import pack_rows
from motherlode.server.presence import Presence
from motherlode.server.refusals import BrokenLog, Conflict, NoTable, TableClosed, Unstored
from motherlode.server.schema import Chair, LogRow, StoredSeal, StoredTable, TableFacts
from motherlode.server.sealing import Sealing
from motherlode.server.seating import Seating
from motherlode.server.table_settings import StoredSettings
from motherlode.server.told_logs import ToldLogs
from motherlode.server.turn_clock import TurnClock
from motherlode.shuffles import Chance
from motherlode.table import NotYourTurn, Stale, Table, check_legal

if TYPE_CHECKING:
    from motherlode.server.parlour import Parlour

T = TypeVar("T")


def begin_chain(facts: TableFacts, seats: int) -> tuple[bytes | None, bytes]:
    """The key of a table's chain (None: it is one of version 0.1) and its first link."""
    game, first = text.find_game(facts.game), facts.seals[0]
    key = None if first.shares == "" else proof.chain_key(first.secret)
    listed = facts.rules, seats, facts.options, first.commitment, facts.given, facts.settings.drawn
    return key, proof.make_link(key, b"", proof.facts(game, *listed))


class LiveTable:
    def __init__(self, parlour: "Parlour", stored: StoredTable) -> None:
        self.parlour, self.facts, self.chairs, self.rematch = parlour, stored.facts, stored.chairs, stored.rematch
        self.id, self.restrictions = stored.facts.id, dict(stored.restrictions)
        self.game = text.find_game(stored.facts.game)
        self.rules = text.check_rules(self.game, str(stored.facts.rules))  # None: this version's
        options = engine.check_options(self.game, self.facts.options, self.rules)
        played = text.Played(self.game, len(self.chairs), options, [])
        self.core = Table.replay(played, seed=0)  # until it is sealed, chance only takes what is given
        self.done: list[float] = []  # when each action was done, in steady time
        self.planned = 0  # how many of them spectators who are told late will be woken for
        self.sealed = 0  # the number of seals that the log has come to
        self.key, first_link = begin_chain(self.facts, len(self.chairs))
        self.links = [first_link]
        self.unlinked: dict[int, bytes] = {}  # links that are still to be stored
        self.early: dict[int, list[LogRow]] = {}
        self.logs = ToldLogs(self.core)
        self.presence = Presence(
            len(self.chairs), self.settings.delay, parlour.clock, lambda: parlour.tell_presence(self)
        )
        self.seating, self.chat, self.clock, self.sealing = Seating(self), Chat(self), TurnClock(self), Sealing(self)
        self.leaving = Leaving(self)
        self.hints: dict[int, tuple[tuple[int, bytes], wire.HintMessage]] = {}  # the last of each seat
        self.message_cache: dict[tuple[Any, ...], str] = {}  # for several listeners, until something changes
        self.queue: deque[tuple[Callable[[], Awaitable[Any]], asyncio.Future[Any]]] = deque()
        self.queue_task: asyncio.Task[None] | None = None
        self.bot_task: asyncio.Task[None] | None = None
        self.is_stale = False
        self.moments: dict[float, float] = {}  # what was stored when, in steady time
        self.announced: set[float] = set()  # those of them that spectators who are told late will be woken for
        self.apply_rows(stored.rows, is_past=True)

    @property
    def settings(self) -> StoredSettings:
        return self.facts.settings

    @property
    def substitute(self) -> str:
        """The bot that plays for players who are gone or out of time."""
        return self.settings.substitute or self.parlour.settings.substitute_in(self.game)

    def names(self) -> tuple[str | None, ...]:
        """The people at this table as it shows them, by seat."""
        return names.at_table(tuple(chair.name for chair in self.chairs))

    def restriction(self, guest: str | None) -> schema.Restriction:
        return self.restrictions.get(guest or "", schema.Restriction())

    @property
    def is_waiting(self) -> bool:
        return self.facts.begun is None

    @property
    def is_paused(self) -> bool:
        """Nobody may act: the game has not begun, was closed, given up or adjourned, or chance is being sealed anew."""
        is_stopped = self.is_closed or self.is_given_up or self.is_adjourned
        return self.is_waiting or is_stopped or not self.sealing.is_closed

    @property
    def is_adjourned(self) -> bool:
        return self.facts.adjourned is not None

    @property
    def is_given_up(self) -> bool:
        """Whether the game has ended before its rules say so, since players have resigned."""
        has_ended = self.facts.ended is not None and not self.is_closed and not self.core.is_over
        return has_ended and bool(self.resigned())

    @property
    def is_over(self) -> bool:
        return self.core.is_over or self.is_given_up

    def resigned(self) -> tuple[int, ...]:
        return tuple(chair.seat for chair in self.chairs if chair.resigned is not None)

    @property
    def is_closed(self) -> bool:
        """Whether the game ends here, unfinished."""
        return self.facts.closed is not None

    @property
    def is_idle(self) -> bool:
        is_busy = self.queue or self.queue_task or self.bot_task or self.clock.timer or self.sealing.timer
        return not (self.presence.listeners or is_busy)

    def has_perfect_memory(self, seat: int) -> bool:
        """Whether a seat is shown everything it ever saw: programs are, and everybody where the table says so."""
        if self.settings.open_memory or seat < 0:
            return self.settings.open_memory
        return self.chairs[seat].program or self.chairs[seat].guest is None

    def early_turn(self, seat: int) -> tuple[Record, int] | None:
        """Where a seat may decide before its turn: its position, and the place of its next action in the log."""
        decides_early = self.game.decides_early
        if seat < 0 or self.is_waiting or not self.sealing.is_closed or decides_early is None:
            return None
        early = self.early.get(seat, [])
        found = decides_early(self.core.position, seat, [row.action for row in early])
        return found and (found[0], self.core.at + found[1] + len(early))

    def count_actions(self) -> int:
        """How many are stored, early ones too."""
        return self.core.at + sum(map(len, self.early.values()))

    def told_count(self, seat: int) -> int:
        """How many actions a seat knows to have happened; spectators may be behind."""
        n = self.core.at
        if self.is_late(seat):
            while n and self.done[n - 1] + self.settings.delay > self.parlour.steady():
                n -= 1
        return self.logs.count(seat, n)

    def is_late(self, seat: int) -> bool:
        """Whether this is a spectator who is told of everything later than the seats."""
        return seat == PUBLIC and self.settings.delay > 0

    def is_told_over(self, seat: int) -> bool:
        """Whether the game is over, and this seat knows."""
        if self.is_given_up:  # perhaps while others decided in secret: of that nobody has to be told first
            return self.is_told_of(self.facts.ended, seat)
        return self.core.is_over and self.told_count(seat) == self.core.at

    def moment(self, made: float) -> float:
        """When something was stored, in steady time: as it was when this process first knew of it."""
        return self.moments.setdefault(made, self.parlour.steady_time(made))

    def is_told_of(self, made: float | None, seat: int) -> bool:
        """Whether a seat may know of something that was stored then."""
        if made is None or not self.is_late(seat):
            return made is not None
        return self.moment(made) + self.settings.delay <= self.parlour.steady()

    def told_facts(self, seat: int) -> TableFacts:
        """As far as this seat knows: who is told late has not heard yet that a decision was taken back."""
        if not self.facts.goes_on or self.is_told_of(self.facts.closed, seat):
            return self.facts
        return replace(self.facts, closed=None, goes_on=None)

    def at_for(self, seat: int) -> int:
        """The place in the log that this seat's next action has, as far as it knows."""
        early = self.early_turn(seat)
        return early[1] if early else self.told_count(seat)

    def head(self, at: int) -> wire.Head | None:
        """The chain of so many actions, with a mark by which this table recognises it. A seat is shown that of what it
        was told."""
        if self.key is None or self.is_waiting:
            return None
        seals = sum(seal.place <= at for seal in self.facts.seals[: self.sealed])
        return wire.Head(seals=seals, at=at, link=proof.mark_head(self.key, seals, at, self.links[at]))

    def read_head(self, seals: int, at: int, marked: str) -> bytes:
        """The link of a head that this table has shown to somebody."""
        link = bytes.fromhex(marked)[: proof.SECRET_BYTES]
        if self.key is None or not hmac.compare_digest(proof.mark_head(self.key, seals, at, link), marked):
            raise Refusal("this table has never shown this head")
        return link

    def record(self) -> text.Played:
        """The whole game, for when it is over."""
        players = [name or chair.bot or "" for name, chair in zip(self.names(), self.chairs, strict=True)]
        played = text.Played(self.game, len(self.chairs), self.core.options, list(self.core.log), players)
        return played._replace(
            seals=tuple(seal.closed() for seal in self.facts.seals[: self.sealed]),
            given=self.facts.given,
            chain=self.links[-1].hex(),
            drawn=self.settings.drawn,
            rules=self.rules,
            resigned=self.resigned(),
        )

    # One change at a time

    async def serially(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do this after everything that was asked before. It is finished even if whoever asked goes away."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self.queue.append((work, future))
        if self.queue_task is None:
            self.queue_task = asyncio.create_task(self._work_through_queue())
        return await asyncio.shield(future)

    async def _work_through_queue(self) -> None:
        while self.queue:
            work, future = self.queue.popleft()
            try:
                if self.is_stale:
                    await self.refresh()
                answer = await work()
            except Exception as error:  # noqa: BLE001 - it is raised for whoever asked
                if isinstance(error, BrokenLog):
                    self.parlour.give_up(self, error)
                if not future.cancelled():
                    future.set_exception(error)
                    future.exception()  # nobody may be waiting for it any more
            else:
                if not future.cancelled():
                    future.set_result(answer)
        self.queue_task = None

    async def commit(self, work: storage.Work[T]) -> T:
        """Commit; if that fails, what is in memory is read again before anything else."""
        try:
            return await self.parlour.storage.write(work)
        except Unstored:
            self.is_stale = True
            raise
        except Conflict:
            self.is_stale = True
            await self.refresh()
            raise Stale("the table has moved on: look again") from None

    async def refresh(self) -> None:
        """Read what other processes (or an uncertain commit of our own) have stored."""
        self.is_stale = False  # notices that come while it is read make it stale again
        try:
            stored = await self.parlour.storage.read(lambda db: queries.read_table(db, self.id, self.core.at))
        except Unstored:
            self.is_stale = True
            raise
        if stored is None:
            self.parlour.forget_deleted(self)
            raise NoTable
        was = self.chairs, self.rematch, self.facts, self.restrictions
        is_other = was != (stored.chairs, stored.rematch, stored.facts, stored.restrictions)
        self.facts, self.rematch, self.restrictions = stored.facts, stored.rematch, dict(stored.restrictions)
        self.seating.drop_removed()
        if self.chairs != stored.chairs:
            self.set_chairs(stored.chairs)
        self.early.clear()
        self.apply_rows(stored.rows)
        if stored.rows or is_other:
            self.sealing.watch()
            self.notify(everyone=is_other)
        await self.chat.refresh()

    async def follow(self, rows: Sequence[LogRow] = ()) -> None:
        """Do what another process has stored and told us of. A stale table has been read before this."""
        if rows and (self.early or rows[0].at > self.core.at):  # something is missing in between
            await self.refresh()
        elif rows and rows[-1].at >= self.core.at:
            self.apply_rows(rows)
            self.notify()

    def set_chairs(self, chairs: list[Chair]) -> None:
        """Whoever has lost a seat is no longer told what it sees."""
        self.chairs = chairs
        self.parlour.prepare_bots(self)
        for listener in self.presence.listeners:
            if listener.seat >= 0 and chairs[listener.seat].guest != listener.guest:
                listener.drop("this seat is no longer yours")

    async def change(
        self,
        work: storage.Work[None] = lambda _: None,
        *,
        chairs: list[Chair] | None = None,
        seals: list[StoredSeal] | None = None,
        **facts: Any,
    ) -> None:
        """Store who has the seats and what has become of the seals. If that seals the table, the game goes on.

        `facts` are those that `work` stores besides.
        """
        chairs, seals, was = chairs or self.chairs, seals or self.facts.seals, self.facts.seals
        seals = [*seals[:-1], self.sealing.advance(chairs, seals[-1])]
        is_sealed = seals[-1].shares is not None and not any(chair.is_open for chair in chairs)
        now = self.parlour.now()
        begins = self.is_waiting and is_sealed
        plan = self.plan(seals=seals[self.sealed :]) if is_sealed else Plan([], {}, None)

        def store(db: Connection) -> None:
            work(db)
            for seal in seals:
                before = was[seal.number] if seal.number < len(was) else None
                if seal != before:
                    queries.store_seal(db, self.id, before, seal)
            if begins:
                queries.begin_table(db, self.id, now)
            queries.add_rows(db, self.id, plan.rows)
            self.parlour.storage.notify(db, table=self.id)

        await self.commit(store)
        is_new_stage = len(seals) > len(was) or seals[-1].fixed != was[-1].fixed
        was_taken = not any(chair.is_open for chair in self.chairs)
        self.facts = replace(self.facts, seals=seals, begun=now if begins else self.facts.begun, **facts)
        self.apply_plan(plan)
        self.set_chairs(chairs)
        self.sealing.watch(anew=is_new_stage or not was_taken)
        self.notify(everyone=True)

    # The log

    def apply_seals(self) -> None:
        """From here on chance draws from the closed seals that the log has come to."""
        for seal in self.facts.seals[self.sealed :]:
            if seal.shares is None or seal.place != self.core.at:
                return
            self.core.chance, self.links[-1] = self.draw_from([seal])
            self.sealed += 1

    def draw_from(self, seals: list[StoredSeal]) -> tuple[Chance, bytes]:
        """What decides under the last of these seals, which follow each other here, and the link after them."""
        core, link = self.core, self.links[-1]
        for seal in seals:
            link = proof.seal_link(self.key, link, seal.closed())
        last = seals[-1].closed()
        return proof.sealed_chance(self.game, last, self.settings.drawn, core.positions, core.log), link

    def apply_rows(self, rows: Sequence[LogRow], *, is_ours: bool = False, is_past: bool = False) -> None:
        """Do stored actions that the log has come to, keep the others for later. Our own have been checked.

        Those of the past were done when they were stored, all others now; early ones when the log comes to them.
        """
        now = self.parlour.steady()
        for row in rows:
            if row.at > self.core.at:
                self.early.setdefault(row.actor, []).append(row)
            elif row.at == self.core.at:
                self.apply_seals()
                self._apply_row(row, is_ours)
                done = self.parlour.steady_time(row.made) if is_past else now
                self.done.append(max(done, self.done[-1] if self.done else done))
        self.apply_seals()
        if any(seal.place > self.core.at for seal in self.facts.seals):
            raise BrokenLog(f"table {self.id}: the stored log ends before its last seal")

    def _apply_row(self, row: LogRow, is_ours: bool) -> None:
        is_right = row.actor == self.core.turn
        if not is_right or not (is_ours or row.action in engine.legal(self.game, self.core.position)):
            raise BrokenLog(f"table {self.id}: action {row.at} of the stored log is impossible")
        link = proof.next_link(self.key, self.links[-1], row.at, row.actor, row.action)
        if row.link is None:
            self.unlinked[row.at] = link
        elif row.link != link:
            raise BrokenLog(f"table {self.id}: the stored log was changed at or before action {row.at}")
        self.core.append(row.action)
        self.links.append(link)

    def plan(self, action: int | None = None, *, seals: list[StoredSeal] | None = None) -> Plan:
        """What is to be stored when this action is done, or these seals are closed."""
        pending = action
        chance, link = self.draw_from(seals) if seals else (self.core.chance.copy(), self.links[-1])

        def decide(s: Record, at: int) -> int | None:
            nonlocal pending
            a, pending = pending, None
            if a is None and s.turn == CHANCE:
                a = chance.outcome(s, at)
                if a not in engine.legal(self.game, s):
                    raise ValueError(f"{self.game.NAME}: its decks decide {a} at action {at}, which is not possible")
            return a

        made = self.parlour.now()
        early = {row.at: row for rows in self.early.values() for row in rows}
        plan = make_plan(self.game, self.core.position, self.core.at, self.key, link, made, decide, early)
        return plan._replace(links=self.unlinked | plan.links)

    def apply_plan(self, plan: Plan) -> None:
        """What was stored is done."""
        early = [row for rows in self.early.values() for row in rows]
        self.early.clear()
        self.apply_rows(sorted([*plan.rows, *early]), is_ours=True)
        for at in plan.links:
            self.unlinked.pop(at, None)

    # Acting

    async def act(self, seat: int, at: int, action: int, guest: str | None = None) -> None:
        """One action of a seat: by its guest, or, without one, by its bot."""
        if guest is not None:
            chair = self.seating.check_owner(seat, guest)
            self.presence.last_seen[seat] = self.parlour.steady()
            if chair.bot is not None and not self.is_over:
                resigned = "you have resigned: a bot plays on for you"
                raise NotYourTurn(resigned if chair.resigned else "a bot plays for you: return to your seat first")
        self.check_begun()
        early = self.early_turn(seat)
        s, expected = early or (self.core.position, self.told_count(seat))
        if self.is_over:
            raise NotYourTurn("the game is over")
        if at != expected:
            raise Stale(f"the table has moved on from action {at} to {expected} for you: look again")
        if s.turn != seat:
            decided = "you have decided everything you can: wait for the others"
            raise NotYourTurn(decided if early else "it is not your turn")
        self.check_action(action)
        check_legal(self.game, s, seat, action)
        if early:
            await self.act_early(LogRow(at, seat, action, self.parlour.now(), None))
        else:
            await self.store(self.plan(action))

    def check_open(self) -> None:
        if self.facts.goes_on:
            raise TableClosed("a decision was taken back, and the game goes on at another table")
        if self.is_closed:
            raise TableClosed

    def check_begun(self) -> None:
        self.check_open()
        if self.is_given_up:
            raise NotYourTurn("the game is over")
        if self.is_adjourned:
            raise NotYourTurn("the game is adjourned: resume it first")
        if self.is_paused:
            is_open = any(chair.is_open for chair in self.chairs)
            why = "not all seats are taken" if is_open else "the shuffle is not sealed yet"
            raise NotYourTurn(f"the game has not begun: {why}" if self.is_waiting else f"wait a moment: {why}")

    def check_action(self, action: int) -> None:
        if action >= len(self.game.ACTIONS):
            raise Refusal(f"there is no action {action}; they are numbered 0 to {len(self.game.ACTIONS) - 1}")

    async def act_early(self, row: LogRow) -> None:
        def work(db: Connection) -> None:
            queries.add_rows(db, self.id, [row])
            self.parlour.storage.notify(db, table=self.id)

        await self.commit(work)
        self.early.setdefault(row.actor, []).append(row)
        self.message_cache.clear()
        self.parlour.count_action()
        for listener in self.presence.listeners:
            if listener.seat == row.actor:
                listener.wake()

    async def store(self, plan: Plan) -> None:
        """Store the planned actions, then do them, and the early ones among them."""

        def work(db: Connection) -> None:
            queries.add_rows(db, self.id, plan.rows)
            queries.link_rows(db, self.id, plan.links)
            if plan.end is not None:
                resigned = queries.read_resigned(db, self.id)  # another process may know of more
                score = engine.points(self.game, plan.end), text.winners(self.game, plan.end, resigned)
                results.end_table(db, self.facts, plan.rows[-1].made, *score)
            has_more = plan.end is not None or plan.links
            self.parlour.storage.tell(db, table=self.id, rows=None if has_more else pack_rows(plan.rows))

        await self.commit(work)
        self.apply_plan(plan)
        self.parlour.count_action()
        self.notify()

    # After a change

    def notify(self, *, everyone: bool = False) -> None:
        """Wake those who have something to be told, and whoever acts next."""
        self.message_cache.clear()
        for listener in self.presence.listeners:
            if everyone or self.told_count(listener.seat) > listener.told_count:
                listener.wake()
        self.plan_to_wake_spectators()
        self.clock.start()

    def plan_to_wake_spectators(self) -> None:
        """Those who are told late are told of what is new when it is time."""
        if self.settings.delay:
            now = self.parlour.steady()
            stored = self.facts.ended, *(chair.resigned for chair in self.chairs)
            told = {made for made in stored if made is not None}
            for made in told - self.announced:
                wait = self.moment(made) + self.settings.delay - now
                if wait > 0:
                    self.parlour.clock.call_later(wait, lambda: self.wake_spectators(everyone=True))
            self.announced |= told
            for due in sorted({done + self.settings.delay for done in self.done[self.planned :]}):
                if due > now:
                    self.parlour.clock.call_later(due - now, self.wake_spectators)
            self.planned = len(self.done)

    def wake_spectators(self, *, everyone: bool = False) -> None:
        for listener in self.presence.listeners:
            if listener.seat == PUBLIC and (everyone or self.told_count(PUBLIC) > listener.told_count):
                listener.wake()

    def drive_bots(self) -> None:
        if self.bot_task is None:
            self.bot_task = asyncio.create_task(self.parlour.drive_bots(self))
