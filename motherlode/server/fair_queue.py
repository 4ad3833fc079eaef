"""Whose question a free worker gets: thinking is shared fairly between addresses, and at each between its guests.

Every question is on somebody's account: on that of the guest who made the table whose bot is to act, or who asked for a
hint. The next one is taken from the address that has had the least core time lately, there from the guest who has had
the least, and of that guest's questions the oldest. So whoever has 60 tables gets the share of one player.

Guests whose address is not known share one: those who have not been here since the server was started.
"""

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from math import exp
from typing import Generic, NamedTuple, TypeVar

LATELY = 60.0  # seconds: core time spent so long ago counts for a third (1/e)
MOST_ADDRESSES = 20_000  # of guests that are kept
MOST_ACCOUNTS = 20_000
NOTHING = 0.001  # core seconds that are not worth an account

T = TypeVar("T")


class Asker(NamedTuple):
    """On whose account a question is, and at which table it is asked."""

    guest: str = ""
    table: str = ""


class Waiting(NamedTuple, Generic[T]):
    asker: Asker
    address: str
    since: float
    what: T


class Account:
    """What an address, or a guest, has had of the cores."""

    def __init__(self, now: float) -> None:
        self.seconds, self.at = 0.0, now
        self.working = 0  # questions that a worker has

    def lately(self, now: float) -> float:
        return self.seconds * exp((self.at - now) / LATELY)

    def add(self, seconds: float, now: float) -> None:
        self.seconds, self.at = self.lately(now) + seconds, now


class FairQueue(Generic[T]):
    def __init__(self, longest: float, now: Callable[[], float] = time.monotonic) -> None:
        """`longest` is the core time that one question can take: it counts for those that are being worked on."""
        self.longest, self.now = longest, now
        self.lines: dict[str, dict[str, deque[Waiting[T]]]] = {}  # by address, then by guest
        self.accounts: dict[tuple[str, ...], Account] = {}  # of (address,) and of (address, guest)
        self.addresses: OrderedDict[str, str] = OrderedDict()  # where each guest was seen last

    def __iter__(self) -> Iterator[Waiting[T]]:
        return (entry for lines in self.lines.values() for line in lines.values() for entry in line)

    def __len__(self) -> int:
        return sum(len(line) for lines in self.lines.values() for line in lines.values())

    def see(self, guest: str, address: str) -> None:
        """A guest is at this address."""
        self.addresses[guest] = address
        self.addresses.move_to_end(guest)
        if len(self.addresses) > MOST_ADDRESSES:
            self.addresses.popitem(last=False)

    def add(self, asker: Asker, what: T) -> Waiting[T]:
        entry = Waiting(asker, self.addresses.get(asker.guest, ""), self.now(), what)
        self.lines.setdefault(entry.address, {}).setdefault(asker.guest, deque()).append(entry)
        return entry

    def remove(self, entry: Waiting[T]) -> None:
        """Nobody waits for it any more; or it is taken."""
        lines = self.lines.get(entry.address, {})
        line = lines.get(entry.asker.guest, deque())
        if entry in line:
            line.remove(entry)
        if not line:
            lines.pop(entry.asker.guest, None)
        if not lines:
            self.lines.pop(entry.address, None)

    def take(self) -> Waiting[T]:
        """The next one, of which somebody works from now on until `finish`."""
        address = min(self.lines, key=lambda address: self.claim((address,), self.lines[address].values()))
        lines = self.lines[address]
        entry = lines[min(lines, key=lambda guest: self.claim((address, guest), [lines[guest]]))][0]
        self.remove(entry)
        for account in self.open_accounts(entry):
            account.working += 1
        return entry

    def claim(self, key: tuple[str, ...], lines: Iterable[deque[Waiting[T]]]) -> tuple[float, float]:
        """The least goes first: core seconds lately, with what is being worked on; then who has waited longest."""
        account = self.accounts.get(key)
        had = account.lately(self.now()) + account.working * self.longest if account else 0.0
        return had, min(line[0].since for line in lines)

    def finish(self, entry: Waiting[T], seconds: float) -> None:
        """The answer has cost so many core seconds."""
        for account in self.open_accounts(entry):
            account.working -= 1
            account.add(seconds, self.now())

    def open_accounts(self, entry: Waiting[T]) -> list[Account]:
        now = self.now()
        if len(self.accounts) >= MOST_ACCOUNTS:
            self.accounts = {k: a for k, a in self.accounts.items() if a.working or a.lately(now) > NOTHING}
        keys = (entry.address,), (entry.address, entry.asker.guest)
        return [self.accounts.setdefault(key, Account(now)) for key in keys]
