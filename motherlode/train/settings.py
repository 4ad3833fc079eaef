"""How a game is trained: the settings of all games, and what a game's own `training.json` says otherwise."""

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from motherlode.contract import tables
from motherlode.engine import Refusal
from motherlode.game import Game

FILE = "training.json"


@dataclass(frozen=True)
class Settings:
    """The network, the games played side by side, and how a lesson is learned from them."""

    width: int = 256  # units of a layer of the trunk
    layers: int = 3
    each: int = 64  # units for a place, in games that have places
    places: list[list[str]] = field(default_factory=list)  # groups of fields with an entry, member or value per place
    place_actions: list[int] = field(default_factory=list)  # the first of each run of actions, one per place
    critic: int = 0  # units of a layer of the critic, which sees the whole position; 0: what a seat knows is enough
    rows: int = 1024  # games side by side: half of them with the default options and the fewest seats
    steps: int = 32  # between two lessons
    parts: int = 8  # of a lesson, learned one after the other
    epochs: int = 1
    rate: float = 1e-3  # of learning; falls to a tenth
    entropy: float = 0.05  # what being unpredictable is worth; falls to a tenth
    magnet: float = 0.5  # how strongly the policy is held to a copy of itself that follows slowly …
    follow: float = 0.05  # … by this share of the way after each lesson
    margin: float = 0.0  # how much of a result is the lead in points; falls to 0 until half of the training is over
    clip: float = 0.1
    decay: float = 0.95  # lambda of the advantages

    def __post_init__(self) -> None:
        whole = ("width", "layers", "each", "rows", "steps", "parts", "epochs")
        for name in whole:
            if not isinstance(getattr(self, name), int) or getattr(self, name) < 1:
                raise Refusal(f"{name} is a whole number from 1 on, not {getattr(self, name)!r}")
        if not isinstance(self.critic, int) or self.critic < 0:
            raise Refusal(f"critic is a whole number from 0 on, not {self.critic!r}")
        for name in ("rate", "entropy", "magnet", "follow", "margin", "clip", "decay"):
            if not 0 <= getattr(self, name) < 10:
                raise Refusal(f"{name} is a number from 0 to 10, not {getattr(self, name)!r}")
        if self.rows % (2 * self.parts):
            raise Refusal(f"rows must be a multiple of twice the parts, {2 * self.parts}, not {self.rows}")


def settings_of(game: Game, **changed: Any) -> Settings:
    """The settings of a game, with these changes."""
    file = Path(str(game.__file__)).with_name(FILE)
    own = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return Settings(**own | changed)


def read_settings(game: Game, pairs: list[str], **otherwise: Any) -> Settings:
    """The settings of a game, with changes written as NAME=VALUE, and `otherwise` where none is."""
    kinds = {each.name: each.type for each in fields(Settings) if each.type in (int, float)}
    changed: dict[str, Any] = dict(otherwise)
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or name not in kinds:
            raise Refusal(f"a setting is written NAME=VALUE, not {pair!r}; the settings are: {', '.join(kinds)}")
        try:
            changed[name] = kinds[name](value)
        except ValueError:
            raise Refusal(f"{name} is a number, not {value!r}") from None
    return settings_of(game, **changed)


def as_plain(settings: Settings) -> dict[str, Any]:
    return asdict(settings)


def other_tables(game: Game, seats: int | None, options: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """The seat counts and options that the other half of the rows goes through, a table per lesson.

    Where seats or options are given, they stay as they are.
    """
    default = {option.name: option.values[0] for option in game.OPTIONS}
    own = min(game.SEATS) if seats is None else seats, {**default, **options}
    every = [(n, {**found, **options}) for n, found in tables(game) if seats in (None, n)]
    unlike = [table for at, table in enumerate(every) if table != own and table not in every[:at]]
    return unlike if not (seats is not None and options) else []
