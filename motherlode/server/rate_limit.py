"""How often a visitor may do something: a bucket that holds a number of tokens and refills over time."""

from collections.abc import Callable

from motherlode.server.refusals import TooOften
from motherlode.server.settings import Rate

MOST_BUCKETS = 20_000


class RateLimit:
    """The limit of one kind of request, counted per visitor."""

    def __init__(self, what: str, rate: Rate, now: Callable[[], float]) -> None:
        self.what, self.now = what, now
        self.most, self.seconds = rate
        self.buckets: dict[str, tuple[float, float]] = {}  # tokens left, and when that was

    def take(self, visitor: str) -> None:
        """Take one token, or refuse."""
        now = self.now()
        left, then = self.buckets.get(visitor, (float(self.most), now))
        left = min(float(self.most), left + (now - then) * self.most / self.seconds)
        if left < 1:
            wait = (1 - left) * self.seconds / self.most
            raise TooOften(f"too many {self.what}: at most {self.most} per {self.seconds:g} s; wait {wait:.1f} s")
        if len(self.buckets) >= MOST_BUCKETS:
            self.forget(now)
        self.buckets[visitor] = left - 1, now

    def forget(self, now: float) -> None:
        """Drop full buckets, which say nothing; if there are none, drop those that were not used for longest."""
        full = [visitor for visitor, (_, then) in self.buckets.items() if now - then >= self.seconds]
        for visitor in full or list(self.buckets)[: MOST_BUCKETS // 2]:
            del self.buckets[visitor]
