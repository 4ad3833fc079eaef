"""One game for learners, from which the doors to other libraries are made: what a seat observes, may do and wins.

Chance is drawn from a stream of the seed by `engine.draw`, so game k of a seed is game k of a `Batch` with that seed.
"""

import ctypes
import operator
import secrets
from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex

import numpy as np

from motherlode import engine, text
from motherlode.engine import Refusal
from motherlode.envs import observation, steps
from motherlode.envs.checks import check_dtype, check_game, check_number, check_seed
from motherlode.game import CHANCE, OVER, Game, Record, Rng, has, new_rng
from motherlode.shuffles import Draws
from motherlode.table import Illegal, Table

VERSION = 1  # of what observations and actions mean; the version of a game's rules is its own
RENDER_MODES = ("human", "ansi", "rgb_array")
FRAMES_PER_SECOND = 2
NO_ACTION = -1
MOST_OUTCOMES = 64  # that chance decides before Python looks
LOST = -1.0  # what an illegal action costs its seat

Row = np.ndarray[Any, Any]
OnIllegal = Literal["end", "raise"]


class Episode:
    """A game whose chance is drawn as a `Batch` draws it. It can be copied and pickled as it stands."""

    def __init__(self, game: Game, opening: Record, seed: int, number: int, *, compiled: bool) -> None:
        self.game, self.opening, self.seed, self.compiled = game, opening, seed, compiled
        self.log: list[int] = []
        self.place_in_memory(bytes(opening), new_rng(seed, number))
        self.advance(NO_ACTION)

    def place_in_memory(self, record: bytes, rng: Rng) -> None:
        """Lay out what the loops of the game work on."""
        memory: Any = (self.game.RECORD * 2).from_buffer_copy(record * 2)  # the position, and a place for views of it
        self.position: Record = memory[0]
        bits: Any = engine.new_bits(self.game)
        self.rng, self.bits, self.outcomes = rng, bits, (ctypes.c_int64 * MOST_OUTCOMES)()
        self.legal_bytes = np.frombuffer(bits, np.uint8)
        self.follower: Table | None = None
        self.arguments: tuple[Any, ...] = (memory, rng, bits, self.outcomes)
        self.programs = steps.interpreted(self.game)
        if self.compiled:
            from motherlode.compiled import as_numpy, dtype

            self.arguments = (np.frombuffer(memory, dtype(self.game)), *map(as_numpy, self.arguments[1:]))
            self.programs = steps.compiled(self.game)

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: getattr(self, name) for name in ("game", "opening", "seed", "compiled", "log")}
        return kept | {"record": bytes(self.position), "rng": self.rng}

    def __setstate__(self, state: dict[str, Any]) -> None:
        record, rng = state.pop("record"), state.pop("rng")
        vars(self).update(state)
        self.place_in_memory(record, rng)
        if self.turn >= 0:
            self.game.legal(self.position, self.bits)

    @property
    def turn(self) -> int:
        return int(self.position.turn)

    @property
    def is_over(self) -> bool:
        return self.turn == OVER

    @property
    def utility(self) -> list[float]:
        """ALL-6: what every seat has won at the end."""
        return engine.utility(self.game, self.position)

    def advance(self, a: int) -> None:
        """Perform an action, and let chance decide until a seat is to act."""
        memory, *rest = self.arguments
        while True:
            drawn = self.programs.act(memory, a, *rest)
            self.log += self.outcomes[:drawn]
            if self.turn != CHANCE:
                return
            a = NO_ACTION

    def do(self, a: int) -> None:
        """Perform an action that is known to be legal; then chance decides."""
        self.log.append(a)
        self.advance(a)

    def allows(self, a: int) -> bool:
        """Whether an action of the game is legal now."""
        return has(self.bits, a)

    def mask(self) -> Row:
        """The legal actions of the seat to act as zeros and ones."""
        return np.unpackbits(self.legal_bytes, count=len(self.game.ACTIONS), bitorder="little").view(np.int8)

    def row(self, seat: int, columns: int) -> Row:
        """What a seat knows, in this many columns."""
        row = np.zeros(columns, np.uint8)
        self.programs.observe(self.arguments[0], seat, row)
        return row

    def view(self, seat: int) -> Record:
        """What a seat (-1: the public) knows."""
        return engine.view(self.game, self.position, seat)

    def table(self) -> Table:
        """The same game as a table, for what seats were told. It is not to be played on."""
        if self.follower is None:
            options = engine.options_of(self.game, self.opening)
            played = text.Played(self.game, int(self.opening.seats), options, [])
            self.follower = Table.replay(played, chance=Draws(self.game, self.rng))
        for a in self.log[self.follower.at :]:
            self.follower.append(a)
        return self.follower

    def forbidden(self, a: int) -> dict[str, Any]:
        """What is wrong with an action, as the seat to act is told."""
        return forbidden(self.game, self.position, a)


def forbidden(game: Game, s: Record, a: int) -> dict[str, Any]:
    """What is wrong with an action, as the seat to act is told; its `legal` actions are for nobody else."""
    view = engine.view(game, s, s.turn)
    clause = engine.why(game, view, a)
    legal = [text.name(game, view, each) for each in engine.legal(game, view)]
    why = f"{clause}: {game.TITLE}, seat {s.turn}: {text.name(game, view, a)!r} is not legal here"
    return {"illegal": a, "clause": clause, "why": f"{why}; legal are: {', '.join(legal)}", "legal": legal}


class Setup:
    """What all games of an environment share, and which of them is next."""

    def __init__(
        self, game: Game | str, seats: int | None, options: dict[str, Any], *, dtype: Any, log: int, illegal: OnIllegal,
        compiled: bool,
    ) -> None:  # fmt: skip
        self.game = check_game(game)
        self.opening = engine.start(self.game, seats, **engine.check_new_options(self.game, options))
        self.seats = int(self.opening.seats)
        if illegal not in ("end", "raise"):
            raise Refusal(f"what becomes of an illegal action: illegal is 'end' or 'raise', not {illegal!r}")
        self.dtype, self.log = check_dtype(dtype), check_number("log", log)
        self.illegal, self.compiled = illegal, compiled
        self.seed: int | None = None
        self.number = 0  # of the game among those of its seed

    @property
    def layout(self) -> observation.Layout:
        return observation.layout(self.game, self.log)

    @property
    def largest(self) -> int:
        """The largest number that an observation may have."""
        return 255 if self.dtype == np.uint8 else 1

    def new_episode(self, seed: int | None) -> Episode:
        """The first game of a seed; without a seed, the next game of the last one."""
        if seed is not None or self.seed is None:
            self.seed, self.number = secrets.randbits(63) if seed is None else check_seed(seed), 0
        else:
            self.number += 1
        return Episode(self.game, self.opening, self.seed, self.number, compiled=self.compiled)

    def observe(self, episode: Episode, seat: int) -> Row:
        """What a seat knows, as numbers."""
        layout = self.layout
        if self.log:
            table = episode.table()
            return layout.encode(table.view(seat), seat, table.told(seat), self.dtype)
        row = episode.row(seat, layout.size)
        return row if self.dtype == np.uint8 else row / layout.scale

    def check(self, episode: Episode, action: SupportsIndex | None) -> int:
        """The number of an action of the game, which need not be legal unless illegal actions raise."""
        try:
            a = -1 if action is None else operator.index(action)
        except TypeError:
            a = -1
        if not 0 <= a < len(self.game.ACTIONS):
            raise Refusal(
                f"{self.game.TITLE} has no action {action!r}: they are numbered 0 to {len(self.game.ACTIONS) - 1}"
            )
        if self.illegal == "raise" and not episode.allows(a):
            wrong = episode.forbidden(a)
            raise Illegal(wrong["clause"], wrong["why"])
        return a

    def check_saved(self, saved: dict[str, Any], names: Sequence[str]) -> None:
        """Refuse what an environment has not saved under these names, or in a game that these would not have begun."""
        episode = saved.get("episode") if isinstance(saved, dict) else None
        if not isinstance(episode, Episode) or {*saved} != {*names}:
            raise Refusal(f"{self.game.TITLE}: this is not what save() of an environment has given")
        if episode.game is not self.game or bytes(episode.opening) != bytes(self.opening):
            raise Refusal(f"{self.game.TITLE}: this was saved in another game, or with other seats or options")

    def lost_by(self, seat: int) -> list[float]:
        """What everybody wins where a seat has lost by an illegal action: the others share what it loses."""
        return [LOST if other == seat else -LOST / (self.seats - 1) for other in range(self.seats)]


def check_seat(setup: Setup, seat: int | str) -> int:
    title, n = setup.game.TITLE, setup.seats
    if not isinstance(seat, SupportsIndex) or not 0 <= operator.index(seat) < n:
        raise Refusal(f"{title} with {n} seats: seat is 0 to {n - 1}, or for a single game 'random', not {seat!r}")
    return operator.index(seat)


def check_render_mode(mode: str | None, modes: Sequence[str] = RENDER_MODES) -> str | None:
    if mode is not None and mode not in modes:
        raise Refusal(f"render_mode is {', '.join(modes)} or None, not {mode!r}")
    return mode


def result(episode: Episode) -> dict[str, Any]:
    """What everybody is told at the end."""
    game, s = episode.game, episode.position
    return {"points": engine.points(game, s), "winners": engine.winners(game, s)}


def render(game: Game, view: Record, mode: str | None) -> str | Row | None:
    """A view as text or as an image of it; for people it is printed."""
    if mode is None:
        raise Refusal(f"nothing to render: make the environment with render_mode={' or '.join(RENDER_MODES)}")
    screen: str = game.show(view)
    if mode == "rgb_array":
        from motherlode.envs.picture import draw

        return draw(screen)
    if mode == "human":
        print(screen, flush=True)
        return None
    return screen
