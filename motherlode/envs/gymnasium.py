"""Games as Gymnasium's environments, for one seat against named bots; importing this registers them.

    import gymnasium, motherlode.envs.gymnasium
    env = gymnasium.make("motherlode/Goldmine-v1", opponent="digger", seat="random")
    envs = gymnasium.make_vec("motherlode/Goldmine-v1", num_envs=4096)      # a `VectorEnv` over `Batch`

The observation is what the seat knows, `info["action_mask"]` what it may do, with a 1 for every legal action; when the
episode is over, all are 1. The reward is 0 until the end and then the utility of ALL-6. `reset(seed=7)` begins the
first game of seed 7, and every `reset()` after it the next. The version in an id is that of observations and actions;
the version of a game's rules is `metadata["rules"]`.
"""

import copy
import re
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np

try:
    import gymnasium
except ImportError as error:
    raise ImportError("Gymnasium is not installed: pip install motherlode[gymnasium]") from error
from gymnasium import spaces

from motherlode import bots
from motherlode.bots import BotSpec
from motherlode.engine import Refusal
from motherlode.envs import episode
from motherlode.envs.episode import Episode, OnIllegal, Row, Setup, check_seat
from motherlode.envs.gymnasium_vector import VectorEnv
from motherlode.game import Game, Rng, below, new_rng
from motherlode.games import GAMES
from motherlode.table import Bot, Table

__all__ = ["SeatEnv", "VectorEnv", "env_id", "register"]

NAMESPACE = "motherlode"
RANDOM = BotSpec("random")
STATE = ("episode", "seat", "is_done", "rng", "_np_random", "_np_random_seed")  # what `save` keeps

Opponent = str | Bot
Saved = dict[str, Any]


class SeatEnv(gymnasium.Env[Row, Any]):
    """A game for one seat; bots play the others.

    `opponent` is the name of a bot, such as a level, or a function (see `table.Bot`), or a list with one for each of
    the other seats in their order. `seat` is a number, or "random": another one in every episode. `**options` are those
    of the game.

    An illegal action loses the game at once, with a reward of -1, and `info` says which clause forbids it and what was
    legal. With `illegal="raise"` it is refused, and nothing changes. Observations are bytes, or with `dtype="float32"`
    numbers from 0 to 1; `log` adds that many entries of what the seat was told.
    """

    metadata = {"render_modes": list(episode.RENDER_MODES), "render_fps": episode.FRAMES_PER_SECOND}  # noqa: RUF012

    def __init__(
        self, game: Game | str, opponent: Opponent | Sequence[Opponent] = "random", *, seat: int | str = 0,
        seats: int | None = None, render_mode: str | None = None, illegal: OnIllegal = "end", dtype: Any = "uint8",
        log: int = 0, compiled: bool = True, **options: Any,
    ) -> None:  # fmt: skip
        self.setup = Setup(game, seats, options, dtype=dtype, log=log, illegal=illegal, compiled=compiled)
        self.game = self.setup.game
        self.opponents = check_opponents(self.game, self.setup.seats, opponent)
        self.chosen_seat = None if seat == "random" else check_seat(self.setup, seat)
        self.render_mode = episode.check_render_mode(render_mode)
        self.metadata = {**type(self).metadata, "rules": self.game.RULES}
        self.observation_space = spaces.Box(0, self.setup.largest, (self.setup.layout.size,), self.setup.dtype)
        self.action_space = spaces.Discrete(len(self.game.ACTIONS))
        self.episode: Episode | None = None
        self.seat = -1 if self.chosen_seat is None else self.chosen_seat
        self.is_done = False
        self.rng: Rng = new_rng(0)  # the bots'
        self.players: dict[int, Bot] = {}  # made when they are first to act, and again after a copy

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Row, dict[str, Any]]:
        """Begin the first game of a seed; without a seed, the next game of the last one. There are no options."""
        super().reset(seed=seed)
        self._begin(seed)
        while self.playing().is_over:  # the others have ended it before this seat had a turn
            self._begin(None)
        self._show()
        return self._seen()

    def step(self, action: SupportsIndex) -> tuple[Row, float, bool, bool, dict[str, Any]]:
        playing = self.playing()
        if self.is_done:
            raise Refusal(f"{self.game.TITLE}: the episode is over; call reset")
        a = self.setup.check(playing, action)
        reward, ending = 0.0, {}
        if not playing.allows(a):
            reward, ending, self.is_done = episode.LOST, playing.forbidden(a), True
        else:
            playing.do(a)
            self._play_others()
            if playing.is_over:
                reward, ending, self.is_done = playing.utility[self.seat], episode.result(playing), True
        if self.is_done and self.players and (lost := self._end_players(playing.table())):
            ending["lost_seats"] = lost
        self._show()
        row, info = self._seen()
        return row, reward, self.is_done, False, info | ending

    def action_masks(self) -> Row:
        """What the seat may do, under the name that MaskablePPO of Stable Baselines asks for."""
        return np.ones(len(self.game.ACTIONS), bool) if self.is_done else self.playing().mask().view(bool)

    def playing(self) -> Episode:
        if self.episode is None:
            raise Refusal(f"{self.game.TITLE}: call reset first, which begins a game")
        return self.episode

    def _begin(self, seed: int | None) -> None:
        self._end_players()
        self.episode, self.is_done = self.setup.new_episode(seed), False
        others = -1 - 2 * self.setup.number  # the stream of the seats that a `Batch` plays itself
        self.rng = new_rng(self.episode.seed, others)
        if self.chosen_seat is None:
            self.seat = below(new_rng(self.episode.seed, others - 1), self.setup.seats)
        self._play_others()

    def _play_others(self) -> None:
        playing = self.playing()
        while not playing.is_over and playing.turn != self.seat:
            playing.do(self._choice(playing, playing.turn))

    def _choice(self, playing: Episode, seat: int) -> int:
        """What the bot in a seat does."""
        opponent = self.opponents[seat - (seat > self.seat)]
        if opponent == RANDOM:  # what it chooses needs nothing that it could be told
            legal = np.flatnonzero(playing.mask())
            return int(legal[below(self.rng, len(legal))])
        if seat not in self.players:
            self.players[seat] = opponent.make(self.game) if isinstance(opponent, BotSpec) else opponent
        table = playing.table()
        return table.check(self.players[seat](table.ask(), self.rng))

    def _end_players(self, table: Table | None = None) -> dict[int, str]:
        """The game is over for the bots, at this table: why programs lost their seats, if any did."""
        ended = {seat: bots.end(player, table) for seat, player in sorted(self.players.items())}
        self.players = {}
        return {seat: why for seat, why in ended.items() if why}

    def _seen(self) -> tuple[Row, dict[str, Any]]:
        info = {"action_mask": self.action_masks().view(np.int8), "seat": self.seat}
        return self.setup.observe(self.playing(), self.seat), info

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """What the seat knows."""
        return episode.render(self.game, self.playing().view(self.seat), self.render_mode)

    def close(self) -> None:
        """End programs that play."""
        self._end_players()

    def save(self) -> Saved:
        """The state of the game, chance and the bots' random numbers to come included."""
        self.playing()
        return {name: copy.deepcopy(getattr(self, name)) for name in STATE}

    def load(self, saved: Saved) -> None:
        """Go on from what an environment of the same game, seats and options has saved. It can be loaded again."""
        self.setup.check_saved(saved, STATE)
        self._end_players()
        for name in STATE:
            setattr(self, name, copy.deepcopy(saved[name]))

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "players": {}}


def check_opponents(game: Game, seats: int, opponent: Opponent | Sequence[Opponent]) -> list[BotSpec | Bot]:
    """One opponent for each of the other seats."""
    named = list(opponent) if isinstance(opponent, list | tuple) else [opponent] * (seats - 1)
    if len(named) != seats - 1:
        raise Refusal(
            f"{game.TITLE} with {seats} seats has {seats - 1} opponents, not {len(named)}: name one for all, or each"
        )
    found: list[BotSpec | Bot] = []
    for each in named:
        if not (isinstance(each, str) or callable(each)):
            raise Refusal(f"an opponent is the name of a bot or a function, not {each!r}")
        found.append(BotSpec.parse(each, game).in_game(game) if isinstance(each, str) else each)
    return found


def env_id(game: Game) -> str:
    """The name of a game's environment: that of gold_hunting is motherlode/GoldHunting-v1."""
    words = re.split("[^a-z0-9]+", game.NAME)
    return f"{NAMESPACE}/{''.join(word.capitalize() for word in words)}-v{episode.VERSION}"


def register(game: Game) -> str:
    """Let `gymnasium.make` find a game, such as one from outside that was loaded after this module; its id."""
    if env_id(game) not in gymnasium.registry:
        one, many = (f"{__name__}:{name}" for name in ("SeatEnv", "VectorEnv"))
        gymnasium.register(env_id(game), entry_point=one, vector_entry_point=many, kwargs={"game": game.NAME})
    return env_id(game)


for found in GAMES.values():
    register(found)
