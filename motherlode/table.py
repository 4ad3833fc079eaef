"""A table: one game being played, with every action checked.

`act` refuses what is wrong (`Illegal` with its clause, `NotYourTurn`, `Stale`) and then changes nothing. Chance decides
by itself: where a game says what it draws from (`source`), from shuffles that follow from the table's seed, whatever
the players and their own random numbers do. All earlier positions are kept, so undo only goes back.
"""

import copy
import secrets
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from motherlode import engine, text
from motherlode.engine import Refusal
from motherlode.game import CHANCE, OVER, Game, Record, Rng, new_rng
from motherlode.shuffles import Chance, Draws, chance_of_seed


class Illegal(Refusal):
    """The action breaks a rule; `clause` is its number."""

    def __init__(self, clause: str, message: str) -> None:
        super().__init__(message)
        self.clause = clause

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.clause, str(self))


class NotYourTurn(Refusal):
    """Somebody else is to act, or nobody."""


class Stale(Refusal):
    """The table has moved on since the asker looked."""


class Told(NamedTuple):
    """One action as a seat was told it: who, what (or HIDDEN), and what it turned up."""

    actor: int
    action: int
    shown: bytes


class Ask(NamedTuple):
    """Everything a player is given when it is to act."""

    game: Game
    seat: int
    view: Record
    legal: list[int]
    log: list[Told]


class Bot(Protocol):
    def __call__(self, ask: Ask, rng: Rng) -> int: ...


def check_legal(game: Game, s: Record, seat: int, a: int) -> None:
    """Refuse an action that is not legal in this position, with the clause that its seat is told."""
    if a not in engine.legal(game, s):
        clause = game.why(engine.view(game, s, seat), a)
        raise Illegal(clause, f"{clause}: {game.ACTIONS.name(a)!r} is not legal here")


class Table:
    """One game being played.

    >>> table = Table("goldmine", seed=7, target=0)
    >>> table.turn, table.legal()[:2]
    (1, ['look 0', 'look 1'])
    >>> table.act("look 2")
    >>> table.turn
    0
    """

    def __init__(
        self, game: Game | str, seats: int | None = None, *, seed: int | None = None, stream: int = 0, **options: Any
    ) -> None:
        self.game = text.find_game(game) if isinstance(game, str) else game
        self.seed = secrets.randbits(63) if seed is None else seed
        self.rng = new_rng(self.seed, stream)
        self.chance = chance_of_seed(self.game, self.seed, stream, self.rng)
        self.positions: list[Record] = [engine.start(self.game, seats, **options)]
        self.log: list[int] = []
        self.players: list[str] = []
        self._told: dict[int, list[Told]] = {}
        self._chance()

    @property
    def position(self) -> Record:
        return self.positions[-1]

    @property
    def turn(self) -> int:
        return int(self.position.turn)

    @property
    def seats(self) -> int:
        return int(self.position.seats)

    @property
    def at(self) -> int:
        """The length of the log, outcomes of chance included."""
        return len(self.log)

    @property
    def is_over(self) -> bool:
        return self.turn == OVER

    @property
    def points(self) -> list[int]:
        return engine.points(self.game, self.position)

    @property
    def winners(self) -> list[int]:
        return engine.winners(self.game, self.position)

    @property
    def options(self) -> dict[str, Any]:
        return engine.options_of(self.game, self.position)

    def view(self, seat: int, *, sight: bool = False) -> Record:
        """What a seat (-1: the public) knows, or with `sight` only what it can see right now."""
        return engine.view(self.game, self.position, seat, sight=sight)

    def show(self, seat: int, *, sight: bool = False) -> str:
        """A seat's view as a screen of text."""
        shown: str = self.game.show(self.view(seat, sight=sight))
        return shown

    def legal(self) -> list[str]:
        """The legal actions of the seat to act, by name."""
        s = self.position
        return [] if self.is_over else [text.name(self.game, s, a) for a in engine.legal(self.game, s)]

    def told(self, seat: int) -> list[Told]:
        """The log as a seat was told it."""
        log = self._told.setdefault(seat, [])
        for at in range(len(log), self.at):
            before, after = self.positions[at : at + 2]
            told = self.game.told(before, self.log[at], seat)
            entry = Told(before.turn, told, engine.shown(self.game, after, seat))
            same = (others[at] for others in self._told.values() if len(others) > at and others[at] == entry)
            log.append(next(same, entry))  # most entries are the same for everybody: they are kept once
        return log

    def ask(self) -> Ask:
        """What the seat to act is given."""
        seat = self.turn
        return Ask(self.game, seat, self.view(seat), engine.legal(self.game, self.position), self.told(seat))

    def act(self, action: int | str, *, seat: int | None = None, at: int | None = None) -> None:
        """Perform an action, given by number or name; then chance decides until a seat is to act."""
        if at is not None and at != self.at:
            raise Stale(f"that was for action {at}, and the table is at {self.at}: look again")
        if self.is_over:
            raise NotYourTurn("the game is over")
        if seat is not None and seat != self.turn:
            raise NotYourTurn(f"it is the turn of seat {self.turn}, not of seat {seat}")
        self.append(self.check(action))
        self._chance()

    def check(self, action: int | str) -> int:
        """The action's number, or why it is refused."""
        a = text.read_action(self.game, self.position, str(action))
        check_legal(self.game, self.position, self.turn, a)
        return a

    def play(self, *bots: Bot, actions: int | None = None) -> None:
        """Let bots play, one per seat, to the end or for this number of decisions."""
        if len(bots) != self.seats:
            raise Refusal(f"{self.game.TITLE} has {self.seats} seats here, and there are {len(bots)} bots")
        while not self.is_over and actions != 0:
            self.act(bots[self.turn](self.ask(), self.rng))
            actions = None if actions is None else actions - 1

    def undo(self) -> None:
        """Take back the last decision and what chance decided after it; shuffled decks stay as they lie."""
        decisions = [at for at in range(self.at) if self.positions[at].turn >= 0]
        if not decisions:
            raise Refusal("there is no decision to take back")
        del self.log[decisions[-1] :], self.positions[decisions[-1] + 1 :]
        self._told.clear()
        self.chance.restart()
        for s, a in zip(self.positions, self.log, strict=False):
            if s.turn == CHANCE:
                self.chance.fix(s, a)

    def __copy__(self) -> "Table":
        """A table that plays on by itself, with the same deal and numbers. Positions are shared: none ever changes."""
        table = type(self).__new__(type(self))
        table.game, table.seed = self.game, self.seed
        table.rng, table.chance = copy.copy(self.rng), self.chance.copy()
        if isinstance(table.chance, Draws):
            table.chance.rng = table.rng  # players and chance draw from the same numbers
        table.positions, table.log, table.players = list(self.positions), list(self.log), list(self.players)
        table._told = {seat: list(log) for seat, log in self._told.items()}
        return table

    def record(self) -> text.Played:
        return text.Played(self.game, self.seats, self.options, list(self.log), list(self.players))

    def save(self, path: str | Path) -> None:
        """Write the record. An existing file is replaced as a whole or not at all."""
        path = Path(path)
        half = path.with_name(path.name + ".part")
        half.write_text(text.write_record(self.record()), encoding="utf-8")
        half.replace(path)

    @classmethod
    def load(cls, path: str | Path, *, seed: int | None = None) -> "Table":
        """Continue a record from where it ends."""
        return cls.resume(text.read_record(read_file(path), new_variants=True), seed=seed)

    @classmethod
    def resume(cls, played: text.Played, *, seed: int | None = None) -> "Table":
        """Continue a game from where it ends. With the seed that it was played with, the deal goes on as it lay."""
        table = cls.replay(played, seed=seed)
        table._chance()
        return table

    @classmethod
    def replay(cls, played: text.Played, *, seed: int | None = None, chance: Chance | None = None) -> "Table":
        """A game up to where it ends; afterwards `chance` decides, or what follows from the seed."""
        table = cls.__new__(cls)
        table.game, table.seed = played.game, secrets.randbits(63) if seed is None else seed
        table.rng = new_rng(table.seed)
        table.chance = chance or chance_of_seed(table.game, table.seed, 0, table.rng)
        table.positions, table.log, table.players, table._told = [played.start()], [], list(played.players), {}
        for a in played.actions:
            table.append(a)
        return table

    def append(self, a: int) -> None:
        """Perform an action or an outcome that is known to be legal."""
        if self.turn == CHANCE:
            self.chance.fix(self.position, a)
        self.positions.append(engine.after(self.game, self.position, a))
        self.log.append(a)

    def _chance(self) -> None:
        while self.position.turn == CHANCE:
            self.append(self.chance.outcome(self.position, self.at))


def read_file(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise Refusal(f"{path} cannot be read: {reason}") from None
