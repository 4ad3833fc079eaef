"""The loops of a batch: one step of every game, as functions of one row that the CPU and the GPU both run.

`programs` builds them from a game's rules, as `engine.programs` builds the loops of a simulation. A row's game lives in
`Rows`, in arrays with a place per row; a step copies it into scratch memory (`Scratch`), plays and copies it back.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from motherlode import engine
from motherlode.compiled import dtype
from motherlode.engine import MOST_SEATS, lean
from motherlode.envs import clues, encoder, observation
from motherlode.envs.encoder import Packing
from motherlode.game import CHANCE, HIDDEN, OVER, Bits, Game, Rng, below, count, has, nth_action, seed

NEXT_STEP, SAME_STEP, DISABLED = range(3)  # how finished games start again, in the order of `batch.AUTORESET`
LEAVE, RESTART = -1, -2  # instead of an action: the row stays as it is, or goes on with its next game
STREAMS = 3  # of random numbers that a row has: those of chance, of the seats played here, and of `sample`
OF_CHANCE, OF_PLAYERS, OF_SAMPLES = range(STREAMS)
GUESSES = 1 << 62  # from here on streams of a seed are for guesses: no game of the same seed has them


class Rows(NamedTuple):
    """The arrays of a batch, with a place per row."""

    records: Any
    rngs: Any  # the state of each stream of random numbers
    stream: Any  # the number of the row's game
    legal: Any  # what may be done, as bits
    told: Any  # by row and seat, the last entries of the log: actor, action, and what it showed; a ring
    told_count: Any  # entries of this game
    # What is handed out
    observation: Any
    mask: Any
    seat: Any
    observer: Any  # whose observation it is
    reward: Any
    done: Any
    points: Any
    odds: Any  # of chance's outcomes, where the caller decides them
    last: Any  # the seat outside that acted last in this game; before one has, the first of them


class Settings(NamedTuple):
    """What is the same for all rows."""

    number: int  # the seed
    apart: int  # how far apart the numbers of a row's games are
    autoreset: int
    inside: int  # the seats that play at random inside a step, as bits
    outside: int  # the seats that the caller plays, as bits; policies play the rest
    by_caller: bool  # whether chance is decided by the caller


class Scratch(NamedTuple):
    """Memory for one row at a time: a GPU cannot allocate any."""

    position: Any  # one record
    seen: Any  # another, for what a seat sees
    rng: Any  # chance's
    others: Any  # the players'
    bits: Any
    points: Any


def new_scratch(game: Game) -> Scratch:
    record = dtype(game)
    return Scratch(
        np.zeros(1, record),
        np.zeros(1, record),
        np.zeros(1, np.uint64),
        np.zeros(1, np.uint64),
        np.zeros(engine.words_of(game), np.int64),
        np.zeros(MOST_SEATS, np.int64),
    )


@lean
def programs(
    game: Game, inner: Callable[[Any], Any], entry: Callable[[Any], Any], *, packing: Packing | None = None
) -> SimpleNamespace:
    """The loops of one game: `entry` compiles those that are called from Python, `inner` those that they call.

    With `packing` they write observations that are packed like this.
    """
    game_legal, game_apply, game_score, game_winners = game.legal, game.apply, game.score, game.winners
    game_hide, game_told, game_guess, game_odds = game.hide, game.told, game.guess, game.odds
    draw = engine.programs(game, inner, entry).draw
    layout = packing.layout if packing else observation.layout(game)
    encode, encode_told = (make(layout, inner, packing) for make in (encoder.encoder, encoder.told_encoder))
    write_clues = clues.writer(game, inner)
    knowledge, entry_size = layout.knowledge, layout.entry
    words, shown_length, actions = engine.words_of(game), layout.shown.length, len(game.ACTIONS)

    @inner
    def tell(i: int, a: int, rows: Rows, to: Scratch) -> None:
        """Perform an action, and write down what every seat is told of it and shown."""
        s = to.position[0]
        at = rows.told_count[i] % rows.told.shape[2]
        for x in range(s.seats):
            rows.told[i, x, at, 0] = s.turn
            rows.told[i, x, at, 1] = game_told(s, a, x)
        game_apply(s, a)
        for x in range(s.seats):
            to.seen[0] = to.position[0]
            game_hide(to.seen[0], x)
            for k in range(shown_length):
                rows.told[i, x, at, 2 + k] = to.seen[0].shown[k]
        rows.told_count[i] += 1

    @inner
    def begin(i: int, rows: Rows, settings: Settings, opening: Any, to: Scratch) -> None:
        """Start the next game of a row, with its own streams of random numbers."""
        rows.stream[i] += settings.apart
        rows.told_count[i] = 0
        first = 0
        while (settings.outside >> first) & 1 == 0:
            first += 1
        rows.last[i] = first
        to.position[0] = opening[0]
        to.others[0] = 0
        seed(to.others, settings.number, -2 - 2 * rows.stream[i])
        rows.rngs[i, OF_SAMPLES] = to.others[0]
        to.others[0] = 0
        seed(to.others, settings.number, -1 - 2 * rows.stream[i])
        to.rng[0] = 0
        seed(to.rng, settings.number, rows.stream[i])

    @inner
    def finish(i: int, rows: Rows, to: Scratch) -> None:
        """Write down the result of a game: points, and a zero-sum utility by ALL-6.

        Of several games that end in one step the first counts: in the others no seat outside has decided anything.
        """
        if rows.done[i]:
            return
        s = to.position[0]
        game_score(s, to.points)
        won = game_winners(s)
        share = 0
        for x in range(s.seats):
            share += (won >> x) & 1
        for x in range(s.seats):
            rows.points[i, x] = to.points[x]
            rows.reward[i, x] = -1 / (s.seats - 1)
            if (won >> x) & 1 == 1:
                rows.reward[i, x] = (s.seats / share - 1) / (s.seats - 1)
        rows.done[i] = True

    @inner
    def advance(i: int, a: int, fresh: bool, rows: Rows, settings: Settings, opening: Any, to: Scratch) -> bool:
        """Step one row, whose position is in `to`; whether it has changed.

        With `fresh` the result of a game that ended in the last step is cleared. Every rule is called in one place, so
        that all of this is compiled into one function.
        """
        s = to.position[0]
        if rows.done[i] and (fresh or a == RESTART):
            rows.done[i] = False
            for x in range(rows.reward.shape[1]):
                rows.reward[i, x] = 0
                rows.points[i, x] = 0
        if a == LEAVE or (s.turn == OVER and settings.autoreset == DISABLED and a != RESTART):
            return False
        to.rng[0] = rows.rngs[i, OF_CHANCE]
        to.others[0] = rows.rngs[i, OF_PLAYERS]
        if s.turn >= 0 and (settings.outside >> s.turn) & 1 == 1:
            rows.last[i] = s.turn
        starts = s.turn == OVER or a == RESTART
        while True:
            if starts:
                begin(i, rows, settings, opening, to)
                starts = False
            elif rows.told.shape[2] > 0:
                tell(i, a, rows, to)
            else:
                game_apply(s, a)
            if s.turn == CHANCE and not settings.by_caller:
                a = draw(s, to.rng, to.bits)
            elif s.turn >= 0 and (settings.inside >> s.turn) & 1 == 1:
                a = nth_action(to.bits, below(to.others, game_legal(s, to.bits)))
            elif s.turn == OVER:
                finish(i, rows, to)
                starts = settings.autoreset == SAME_STEP
                if not starts:
                    break
            else:
                break
        rows.rngs[i, OF_CHANCE] = to.rng[0]
        rows.rngs[i, OF_PLAYERS] = to.others[0]
        rows.seat[i] = s.turn
        rows.observer[i] = rows.last[i] if s.turn == OVER else s.turn
        return True

    @inner
    def find_legal(i: int, rows: Rows, to: Scratch) -> None:
        """Keep what is legal. When the game is over every action is: none of them does anything."""
        s = to.position[0]
        if s.turn == OVER:
            for w in range(words):
                to.bits[w] = -1
            if actions < 64 * words:
                to.bits[actions >> 6] = (1 << (actions & 63)) - 1
                for w in range((actions >> 6) + 1, words):
                    to.bits[w] = 0
        else:
            game_legal(s, to.bits)
        for w in range(words):
            rows.legal[i, w] = to.bits[w]

    @inner
    def write_mask(bits: Bits, out: Any) -> None:
        for a in range(len(out)):
            out[a] = (bits[a >> 6] >> (a & 63)) & 1

    @inner
    def write_odds(i: int, rows: Rows, to: Scratch) -> None:
        """How likely each outcome is, while chance is to be decided by the caller."""
        s = to.position[0]
        for a in range(rows.odds.shape[1]):
            rows.odds[i, a] = 0
            if s.turn == CHANCE and has(to.bits, a):
                rows.odds[i, a] = game_odds(s, a)

    @inner
    def write_observation(i: int, observer: int, rows: Rows, to: Scratch, out: Any) -> None:
        """What a seat knows, into a row of zeros."""
        to.seen[0] = to.position[0]
        game_hide(to.seen[0], observer)
        encode(to.seen[0], observer, out)
        kept = rows.told.shape[2]
        if kept > 0 and observer >= 0:
            for back in range(min(kept, rows.told_count[i])):
                told = rows.told[i, observer, (rows.told_count[i] - 1 - back) % kept]
                encode_told(told, observer, to.seen[0].seats, out, knowledge + back * entry_size)

    @inner
    def show(i: int, rows: Rows, to: Scratch) -> None:
        """Write what is handed out of the position in `to`."""
        find_legal(i, rows, to)
        write_mask(to.bits, rows.mask[i])
        write_odds(i, rows, to)
        rows.observation[i, :] = 0
        write_observation(i, rows.observer[i], rows, to, rows.observation[i])

    @entry
    def step(
        first: int, stop: int, chosen: Any, fresh: bool, rows: Rows, settings: Settings, opening: Any, to: Scratch
    ) -> None:
        for i in range(first, stop):
            to.position[0] = rows.records[i]
            if advance(i, chosen[i], fresh, rows, settings, opening, to):
                rows.records[i] = to.position[0]
                show(i, rows, to)

    @entry
    def show_all(first: int, stop: int, rows: Rows, to: Scratch) -> None:
        """Write what is handed out anew, after positions were replaced."""
        for i in range(first, stop):
            to.position[0] = rows.records[i]
            show(i, rows, to)

    @inner
    def is_legal(i: int, a: int, rows: Rows) -> bool:
        return a == LEAVE or (0 <= a < 64 * words and has(rows.legal[i], a))

    @entry
    def first_illegal(chosen: Any, rows: Rows) -> int:
        """The first row whose action is not legal, or the number of rows."""
        for i in range(len(chosen)):
            if not is_legal(i, chosen[i], rows):
                return i
        return len(chosen)

    @inner
    def sample_row(i: int, legal: Any, rngs: Any, rng: Rng) -> int:
        """A legal action at random; of an outcome of chance, each as likely as the next."""
        rng[0] = rngs[i, OF_SAMPLES]
        choices = 0
        for w in range(words):
            choices += count(legal[i, w])
        a = nth_action(legal[i], below(rng, choices))
        rngs[i, OF_SAMPLES] = rng[0]
        return a

    @entry
    def sample(first: int, stop: int, legal: Any, rngs: Any, rng: Rng, out: Any) -> None:
        for i in range(first, stop):
            out[i] = sample_row(i, legal, rngs, rng)

    @entry
    def observe(first: int, stop: int, seat: int, rows: Rows, to: Scratch, out: Any) -> None:
        """What one seat knows of every row, into rows of zeros."""
        for i in range(first, stop):
            to.position[0] = rows.records[i]
            write_observation(i, seat, rows, to, out[i])

    @entry
    def reveal(first: int, stop: int, rows: Rows, to: Scratch, out: Any) -> None:
        """The whole position of every row, counted from its observer, into rows of zeros."""
        for i in range(first, stop):
            to.position[0] = rows.records[i]
            encode(to.position[0], rows.observer[i], out[i])

    @entry
    def tell_clues(first: int, stop: int, rows: Rows, to: Scratch, out: Any) -> None:
        """The clues of what every row's observer knows."""
        for i in range(first, stop):
            to.seen[0] = rows.records[i]
            game_hide(to.seen[0], rows.observer[i])
            write_clues(to.seen[0], max(rows.observer[i], 0), out[i], 0)

    @entry
    def guess(first: int, stop: int, seats: Any, number: int, rows: Rows, to: Scratch) -> None:
        """Replace every row by a world that its seat holds possible, with other random numbers from here on.

        What others were told goes: it would say what the seat does not know. So does what was handed out of the true
        position: it has to be written anew.
        """
        for i in range(first, stop):
            to.position[0] = rows.records[i]
            s = to.position[0]
            game_hide(s, seats[i])
            for k in range(STREAMS):
                to.rng[0] = 0
                seed(to.rng, number, GUESSES + (STREAMS + 1) * i + k)
                rows.rngs[i, k] = to.rng[0]
            to.rng[0] = 0
            seed(to.rng, number, GUESSES + (STREAMS + 1) * i + STREAMS)
            game_guess(s, seats[i], to.rng)
            rows.records[i] = to.position[0]
            rows.stream[i] = i
            for x in range(rows.told.shape[1]):
                for at in range(rows.told.shape[2] if x != seats[i] else 0):
                    rows.told[i, x, at, 1] = HIDDEN
                    for k in range(shown_length):
                        rows.told[i, x, at, 2 + k] = 0

    return SimpleNamespace(
        advance=advance, is_legal=is_legal, find_legal=find_legal, write_mask=write_mask, write_odds=write_odds,
        write_observation=write_observation, step=step, show_all=show_all, first_illegal=first_illegal, sample=sample,
        observe=observe, reveal=reveal, tell_clues=tell_clues, guess=guess,
    )  # fmt: skip
