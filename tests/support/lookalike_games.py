"""Two games that one seat cannot tell apart: everything it is told and shown is equal, what is hidden differs."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from motherlode import engine
from motherlode.game import CHANCE, HIDDEN, OVER, Game, Record, Rng, below, new_rng

MOST_TRIED = 20  # actions of a position that are looked at
MOST_TURNS_BACK = 300


class Pair(NamedTuple):
    """One action in each of two games."""

    actor: int
    one: int
    two: int
    is_heard: bool  # the seat is told of it, or sees it


def shuffled(actions: list[int], rng: Rng) -> list[int]:
    actions = list(actions)
    for k in range(len(actions) - 1, 0, -1):
        other = below(rng, k + 1)
        actions[k], actions[other] = actions[other], actions[k]
    return actions


def next_pairs(game: Game, s: Record, w: Record, seat: int, rng: Rng) -> Iterator[tuple[Pair, Record, Record]]:
    """Ways for both games to go on alike for this seat; those that differ first."""

    def look(x: Record, actions: list[int]) -> list[tuple[int, tuple[int, bytes], Record]]:
        found = []
        for a in actions:
            t = engine.after(game, x, a)
            found.append((a, (game.told(x, a, seat), bytes(engine.view(game, t, seat))), t))
        return found

    before = bytes(engine.view(game, s, seat))
    is_own = 0 <= seat == s.turn
    options = shuffled(engine.legal(game, s), rng)[:MOST_TRIED]
    ones = look(s, options)
    twos = look(w, options if is_own else shuffled(engine.legal(game, w), rng)[:MOST_TRIED])
    alike = [(a, b, seen, t, u) for a, seen, t in ones for b, other, u in twos if seen == other]
    if is_own:
        alike = [entry for entry in alike if entry[0] == entry[1]]
    alike = [entry for entry in alike if entry[3].turn != OVER and entry[4].turn != OVER]
    alike.sort(key=lambda entry: bytes(entry[3]) == bytes(entry[4]))
    for a, b, (told, seen), t, u in alike:
        yield Pair(int(s.turn), a, b, told != HIDDEN or seen != before), t, u


def search(game: Game, opening: Record, seat: int, rng: Rng, length: int) -> tuple[int, list[Pair]]:
    """Go on as long as both games look alike, turning back where they cannot; the log most of whose positions differ,
    and how many do."""
    stack = [next_pairs(game, opening, opening, seat, rng)]
    log: list[tuple[Pair, bool]] = []
    best: list[tuple[Pair, bool]] = []
    for _ in range(length + MOST_TURNS_BACK):
        found = next(stack[-1], None)
        if found is None:
            stack.pop()
            if not log:
                break
            log.pop()
            continue
        pair, t, u = found
        log.append((pair, bytes(t) != bytes(u)))
        stack.append(next_pairs(game, t, u, seat, rng))
        if t.turn != CHANCE and rank(log) > rank(best):  # after chance the server would go on by itself
            best = list(log)
        if len(log) == length:
            break
    return rank(best)[0], [pair for pair, _ in best]


def rank(log: list[tuple[Pair, bool]]) -> tuple[int, int]:
    return sum(is_apart for _, is_apart in log), len(log)


def twins(game: Game, seats: int, options: dict[str, Any], seat: int, length: int, tries: int = 5) -> list[Pair]:
    """Two games from the opening on, of at most this length, neither over, that look alike to a seat (-1: the public)
    and otherwise differ as much as was found."""
    opening = engine.start(game, seats, **options)
    return max((search(game, opening, seat, new_rng(seed), length) for seed in range(tries)), key=lambda f: f[0])[1]


def differing(game: Game, seats: int, options: dict[str, Any], log: list[Pair]) -> int:
    """In how many of their positions the two games differ."""
    s = w = engine.start(game, seats, **options)
    count = 0
    for pair in log:
        s, w = engine.after(game, s, pair.one), engine.after(game, w, pair.two)
        count += bytes(s) != bytes(w)
    return count
