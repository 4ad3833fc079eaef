"""How a table is sealed: the server and the seats agree on what chance draws from, so that nobody could choose it.

A seat commits to 32 bytes of its own by showing their hash. When all seats are taken and the commitments of all people
are known, they are fixed and shown to everybody. Only then do the seats open their bytes, and when all are open the
seal is closed and the game begins. A seat that is not there is waited for a while in either stage, and then left out;
programs are not waited for until they have committed. The server's secret stays hidden until the game is over.

Chance is sealed anew in the middle of a game when somebody shows a genuine head that is not in the log: the server was
restored from a backup, and what was drawn after it must not be drawn again.
"""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from motherlode import proof, text
from motherlode.engine import Refusal
from motherlode.server.keys import new_secret
from motherlode.server.refusals import NoTable, Unstored
from motherlode.server.schema import Chair, StoredSeal
from motherlode.server.settings import Timer
from motherlode.table import Stale

if TYPE_CHECKING:
    from motherlode.server.live_table import LiveTable

MOST_TRIES = 3  # when other processes change the seal at the same time
RETRY = 1.0  # seconds until the next try when a seal cannot be stored


def awaited(chairs: list[Chair], seal: StoredSeal) -> list[int]:
    """The seats that have still to commit, or, once the commitments are fixed, to open their bytes."""
    if seal.shares is not None:
        return []
    if seal.fixed is not None:
        return [seat for seat in sorted(seal.commitments) if seat not in seal.opened]
    people = [chair for chair in chairs if chair.guest and not chair.bot and not chair.program and not chair.left]
    return [chair.seat for chair in people if chair.seat not in seal.commitments]


def close(chairs: list[Chair], seal: StoredSeal) -> StoredSeal:
    """The seal with the shares of all seats; one that has opened nothing is a bot's, or left out."""
    shares = (seal.opened.get(chair.seat, text.LEFT_OUT if chair.guest else text.BOT) for chair in chairs)
    return replace(seal, shares=text.Seal(shares=tuple(shares)).write_shares(), commitments={}, opened={})


class Sealing:
    def __init__(self, table: "LiveTable") -> None:
        self.table = table
        self.timer: Timer | None = None
        self.since = table.parlour.steady()  # since when this process has waited for the seats of this stage

    @property
    def seal(self) -> StoredSeal:
        return self.table.facts.seal

    @property
    def is_closed(self) -> bool:
        return self.seal.shares is not None

    @property
    def is_fixed(self) -> bool:
        """Whether the seats are opening their bytes: these few seconds nobody else can take a seat."""
        return self.seal.fixed is not None and not self.is_closed

    @property
    def seconds_left(self) -> float:
        """How long the seats are still waited for."""
        return self.since + self.table.parlour.settings.seal_wait - self.table.parlour.steady()

    def advance(self, chairs: list[Chair], seal: StoredSeal) -> StoredSeal:
        """What becomes of a seal now: its commitments are fixed and it is closed, as soon as nobody is waited for."""
        if seal.shares is not None or any(chair.is_open for chair in chairs):
            return seal
        was_taken = not any(chair.is_open for chair in self.table.chairs)
        is_patient = self.table.parlour.settings.seal_wait > 0
        time_is_up = not is_patient or (was_taken and self.seconds_left <= 0)
        if seal.fixed is None:
            if awaited(chairs, seal) and not time_is_up:
                return seal
            seal, time_is_up = replace(seal, fixed=self.table.parlour.now()), not is_patient
        if awaited(chairs, seal) and not time_is_up:
            return seal
        return close(chairs, seal)

    def watch(self, *, anew: bool = False) -> None:
        """Wait for the seats of this stage; `anew`, because it has just begun."""
        if anew:
            self.since = self.table.parlour.steady()
        self.stop()
        if not self.is_closed and not self.table.is_closed and not any(chair.is_open for chair in self.table.chairs):
            is_awaited = awaited(self.table.chairs, self.seal)  # nobody: the last one came to another process
            self.timer = self.table.parlour.clock.call_later(self.seconds_left if is_awaited else 0.0, self.go_on)

    def stop(self) -> None:
        if self.timer:
            self.timer.cancel()
            self.timer = None

    def go_on(self) -> None:
        """Everybody is there, or the time is up and the others are left out."""
        self.timer = None
        self.table.parlour.spawn(self.try_to_go_on())

    async def try_to_go_on(self) -> None:
        table = self.table
        try:
            await table.serially(lambda: self.change(lambda seal: seal))
        except NoTable:
            pass  # it was deleted
        except (Stale, Unstored):  # such as a full disk, or a database that restarts
            if self.timer is None:
                self.timer = table.parlour.clock.call_later(RETRY, self.go_on)

    async def change(self, change: Callable[[StoredSeal], StoredSeal]) -> None:
        """Change the seal; if another process was first, look again."""
        for _ in range(MOST_TRIES):
            try:
                await self.table.change(seals=[*self.table.facts.seals[:-1], change(self.seal)])
                return
            except Stale:
                pass  # it has been read again
        raise Stale("somebody else was first: look again")

    async def commit(self, seat: int, commitment: str) -> None:
        """A seat commits to its bytes. Until the commitments are fixed it may change its mind."""

        def add(seal: StoredSeal) -> StoredSeal:
            if seal.commitments.get(seat) == commitment:
                return seal  # asked twice
            if seal.fixed is not None:
                raise Refusal("the commitments are fixed already: your seat has no part in this shuffle")
            return replace(seal, commitments={**seal.commitments, seat: commitment})

        await self.change(add)

    async def open(self, seat: int, share: str) -> None:
        """A seat opens the bytes it has committed to."""

        def add(seal: StoredSeal) -> StoredSeal:
            if seal.shares is not None and share in seal.closed().shares:
                return seal  # asked twice
            if seal.fixed is None:
                raise Refusal("not all commitments are known yet: open your bytes when the seal's stage is 'open'")
            if seal.shares is not None or seat not in seal.commitments:
                raise Refusal("the shuffle was sealed without your seat: it was not there in time")
            if proof.commit(bytes.fromhex(share)) != seal.commitments[seat]:
                raise Refusal("these are not the bytes your seat has committed to: their SHA-256 is another")
            return replace(seal, opened={**seal.opened, seat: share})

        if self.seal.fixed is None:
            await self.table.refresh()  # the last one may have committed to another process
        await self.change(add)

    async def compare(self, seals: int, at: int, link: str) -> None:
        """Somebody shows the last head it saw; where the log has another one there, chance is sealed anew."""
        shown = self.table.read_head(seals, at, link)
        if self.knows(seals, at, shown):
            return
        await self.table.refresh()  # another process may be further
        if not self.knows(seals, at, shown):
            await self.begin_anew()

    def knows(self, seals: int, at: int, link: bytes) -> bool:
        """Whether a head is in the log, or chance has been sealed anew since it was shown."""
        table, n = self.table, len(self.table.facts.seals)
        return seals < n or (seals == n == table.sealed and at < len(table.links) and table.links[at] == link)

    async def begin_anew(self) -> None:
        """From here on the table draws from a new seal; one that is still open is closed, and nothing was drawn."""
        seals, place = list(self.table.facts.seals), self.table.core.at
        if not self.is_closed:
            seals[-1] = close(self.table.chairs, replace(self.seal, fixed=self.table.parlour.now()))
        with contextlib.suppress(Stale):  # another process has done it
            await self.table.change(seals=[*seals, StoredSeal(len(seals), place, new_secret())])
