"""How often a visitor may do something: a bucket that holds so many and fills again in so many seconds."""

from collections.abc import Callable

from motherlode.engine import Refusal

MOST_BUCKETS = 20_000


class TooOften(Refusal):
    """Once more, later."""


class RateLimit:
    """One kind of thing, counted for each visitor."""

    def __init__(self, what: str, rate: tuple[int, float], now: Callable[[], float]) -> None:
        self.what, self.now = what, now
        self.many, self.seconds = rate
        self.buckets: dict[str, tuple[float, float]] = {}  # what is left, and when that was

    def take(self, who: str) -> None:
        now = self.now()
        left, then = self.buckets.get(who, (float(self.many), now))
        left = min(float(self.many), left + (now - then) * self.many / self.seconds)
        if left < 1:
            wait = (1 - left) * self.seconds / self.many
            raise TooOften(f"too many {self.what}: at most {self.many} in {self.seconds:g} s; wait {wait:.1f} s")
        if len(self.buckets) >= MOST_BUCKETS:
            self.forget(now)
        self.buckets[who] = left - 1, now

    def forget(self, now: float) -> None:
        """Buckets that are full again say nothing; if all are in use, those longest untouched go."""
        full = [who for who, (_, then) in self.buckets.items() if now - then >= self.seconds]
        for who in full or list(self.buckets)[: MOST_BUCKETS // 2]:
            del self.buckets[who]
