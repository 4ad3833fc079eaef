"""The deals of a game whose `source` says what chance draws from: one shuffle for each deck.

What lies at a position of a deck depends on where the shuffles come from (a seed, or a table's secret) and on what was
given, never on the order of play. `fix` is told every outcome as it is done. If it is not the one that lies there, it
was given: it comes from a record, and is put there in exchange. Of several equal things the one with the lowest label
is taken, wherever it lies: choosing by where they lie would leave the rest less than well shuffled.
"""

import copy
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Protocol, Self

from motherlode import engine
from motherlode.game import Game, Record, Rng, Source, Thing, below, new_rng, seed


class Chance(Protocol):
    """What decides at chance nodes."""

    def outcome(self, s: Record, at: int) -> int:
        """What it decides in a position, at this place of the log."""
        ...

    def fix(self, s: Record, a: int) -> None:
        """This outcome is done: it was drawn, or is given."""
        ...

    def copy(self) -> Self:
        """For drawing ahead: the original stays as it is."""
        ...

    def restart(self) -> None:
        """Forget all outcomes."""
        ...


class Draws:
    """Outcomes drawn one after the other from random numbers, for games without a `source`."""

    def __init__(self, game: Game, rng: Rng) -> None:
        self.game, self.rng = game, rng

    def outcome(self, s: Record, at: int) -> int:
        return engine.draw(self.game, s, self.rng)

    def fix(self, s: Record, a: int) -> None:
        """The numbers go on as they are."""

    def copy(self) -> Self:
        return copy.deepcopy(self)

    def restart(self) -> None:
        """The numbers go on as they are."""


Order = Callable[[int, int], list[int]]  # the labels 0…n-1 of a deck in the order of its shuffle, by deck and n


def shuffle(n: int, number: Callable[[int, int], int]) -> list[int]:
    """The labels 0…n-1 shuffled: `number(step, below)` is a random number (Fisher and Yates)."""
    labels = list(range(n))
    for step in range(n - 1):
        other = step + number(step, n - step)
        labels[step], labels[other] = labels[other], labels[step]
    return labels


def seeded(number: int, stream: int, deck: int, n: int) -> list[int]:
    """The shuffle of a deck that follows from a seed and a stream."""
    rng = new_rng(number, stream)
    seed(rng, deck, n)  # goes on from there: every deck has numbers of its own
    return shuffle(n, lambda _, limit: below(rng, limit))


def chance_of_seed(game: Game, number: int, stream: int, rng: Rng) -> Chance:
    """Shuffles that follow from a seed and a stream; for games without a `source`, draws from `rng`."""
    return Draws(game, rng) if game.source is None else Shuffles(game, partial(seeded, number, stream))


class Deck:
    """A shuffled deck. Labels are the places of its things before the shuffle."""

    def __init__(self, things: Sequence[Thing], order: list[int]) -> None:
        self.things, self.order = list(things), order
        self.fixed: set[int] = set()  # positions whose thing is known

    def at(self, position: int) -> Thing:
        return self.things[self.order[position]]

    def copy(self) -> "Deck":
        deck = Deck(self.things, list(self.order))
        deck.fixed = set(self.fixed)
        return deck

    def loose(self) -> list[int]:
        """The labels that are not fixed, in ascending order."""
        return sorted(label for at, label in enumerate(self.order) if at not in self.fixed)

    def exchange(self, position: int, label: int) -> None:
        """Put a label at a position, in exchange for the one that lies there."""
        other = self.order.index(label)
        self.order[position], self.order[other] = label, self.order[position]


def contents(game: Game, s: Record, source: Source) -> list[Thing]:
    """What lies in the deck of a source, at its first draw."""
    if game.deck is not None:
        return list(game.deck(s, source.deck))
    return [a - source.first for a in engine.legal(game, s) for _ in range(game.odds(s, a))]


class Shuffles:
    """The decks of one game, each made when it is first drawn from."""

    def __init__(self, game: Game, order: Order) -> None:
        self.game, self.order = game, order
        self.decks: dict[int, Deck] = {}

    def copy(self) -> Self:
        other = copy.copy(self)
        other.decks = {number: deck.copy() for number, deck in self.decks.items()}
        return other

    def restart(self) -> None:
        self.decks = {}

    def source(self, s: Record) -> Source:
        """What chance draws from in a position; its deck, and those it refers to, are there from now on."""
        assert self.game.source is not None, "only games with a source are dealt by decks"
        source = self.game.source(s)
        if source.deck not in self.decks:
            self.add(source.deck, contents(self.game, s, source))
            for thing in self.decks[source.deck].things:
                if isinstance(thing, tuple) and thing[0] not in self.decks:
                    self.add(thing[0], contents(self.game, s, Source(*thing)))
        if not 0 <= source.position < len(self.decks[source.deck].order):
            raise ValueError(f"{self.game.NAME}: {source} is outside its deck of {len(self.decks[source.deck].order)}")
        return source

    def add(self, number: int, things: Sequence[Thing]) -> None:
        self.decks[number] = Deck(things, self.order(number, len(things)))

    def outcome(self, s: Record, at: int = 0) -> int:
        source = self.source(s)
        return source.first + self.thing(source.deck, source.position)

    def thing(self, deck: int, position: int) -> int:
        thing = self.decks[deck].at(position)
        return self.thing(*thing) if isinstance(thing, tuple) else thing

    def shares(self, source: Source) -> dict[int, Fraction]:
        """How likely each thing is to lie there, for whoever knows only what is fixed."""
        own = self.decks[source.deck]
        shares: dict[int, Fraction] = {}
        loose = own.loose()
        for label in loose:
            held = own.things[label]
            things = [held]
            if isinstance(held, tuple):
                other = self.decks[held[0]]
                things = [other.things[n] for n in other.loose()]
            for thing in things:
                if isinstance(thing, tuple):
                    raise ValueError(f"{self.game.NAME}: {held} refers to a reference")
                shares[thing] = shares.get(thing, Fraction(0)) + Fraction(1, len(loose) * len(things))
        return shares

    def fix(self, s: Record, a: int) -> None:
        source = self.source(s)
        self.put(source.deck, source.position, a - source.first)

    def put(self, deck: int, position: int, thing: int) -> None:
        """Fix a thing at a position; where a reference lies, fix it in the other deck."""
        own = self.decks[deck]
        if position in own.fixed:
            if self.thing(deck, position) != thing:
                raise ValueError(f"{self.game.NAME}: position {position} of deck {deck} is drawn twice")
            return
        if not self.can_be(own.at(position), thing):
            label = next((label for label in own.loose() if self.can_be(own.things[label], thing)), None)
            if label is None:
                raise ValueError(f"{self.game.NAME}: no {thing} is left for position {position} of deck {deck}")
            own.exchange(position, label)
        own.fixed.add(position)
        held = own.at(position)
        if isinstance(held, tuple):
            self.put(*held, thing)

    def can_be(self, held: Thing, thing: int) -> bool:
        """Whether this is the thing, or refers to a deck where it lies."""
        if not isinstance(held, tuple):
            return held == thing
        other = self.decks[held[0]]
        return any(other.things[label] == thing for label in other.loose())
