"""How often a visitor may do something: a bucket that holds a number of tokens and refills over time."""

from collections.abc import Callable

from motherlode.server.refusals import TooOften
from motherlode.server.settings import Rate

MOST_BUCKETS = 20_000


class RateLimit:
    """The limit of one kind of request, counted per visitor, and per address for all visitors there together."""

    def __init__(self, what: str, rate: Rate, now: Callable[[], float], visitors_per_address: int = 1) -> None:
        self.what, self.now, self.visitors_per_address = what, now, visitors_per_address
        self.most, self.seconds = rate
        self.buckets: dict[tuple[str, str], tuple[float, float]] = {}  # tokens left, and when that was; oldest first

    def take(self, visitor: str, address: str | None = None) -> None:
        """Take one token, of the address too if there is one, or refuse."""
        now = self.now()
        asked = {("visitor", visitor): self.most}
        if address is not None:
            asked["address", address] = self.most * self.visitors_per_address
        left = {bucket: self.left(bucket, most, now) for bucket, most in asked.items()}
        for bucket, most in asked.items():
            if left[bucket] < 1:
                wait = (1 - left[bucket]) * self.seconds / most
                whose = " from your address" if bucket[0] == "address" else ""
                raise TooOften(f"too many {self.what}{whose}: at most {most} per {self.seconds:g} s; wait {wait:.1f} s")
        if len(self.buckets) >= MOST_BUCKETS:
            self.forget(now)
        for bucket in asked:
            self.buckets.pop(bucket, None)
            self.buckets[bucket] = left[bucket] - 1, now

    def charge(self, visitor: str, tokens: int) -> None:
        """Take more tokens for something that was done; if there are none left, from those to come."""
        now, bucket = self.now(), ("visitor", visitor)
        left = self.left(bucket, self.most, now)
        self.buckets.pop(bucket, None)
        self.buckets[bucket] = left - tokens, now

    def left(self, bucket: tuple[str, str], most: int, now: float) -> float:
        left, then = self.buckets.get(bucket, (float(most), now))
        return min(float(most), left + (now - then) * most / self.seconds)

    def forget(self, now: float) -> None:
        """Drop full buckets, which say nothing; if there are none, drop those that were not used for longest."""
        full = [bucket for bucket, (_, then) in self.buckets.items() if now - then >= self.seconds]
        for bucket in full or list(self.buckets)[: MOST_BUCKETS // 2]:
            del self.buckets[bucket]
