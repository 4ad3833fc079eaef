"""Games as PettingZoo's environments: `env("goldmine")`, with a seat for each agent and an action mask.

Importing this also registers them for `pettingzoo.make("aec", "motherlode/goldmine_v1")`.

`reset(seed=7)` begins the first game of seed 7, and every `reset()` after it the next. At the end all seats are given
the utility of ALL-6, which adds up to zero; before it, rewards are 0. An agent may have several turns in a row. While
an agent is to act, its mask has a 1; an agent that is not to act has none; when the game is over, all are 1.

`copy.deepcopy` and `pickle` keep an environment as it stands, chance to come included; `save` and `load` go back to it.
"""

import copy
from typing import Any, SupportsIndex

import numpy as np

try:
    import pettingzoo
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ImportError as error:
    raise ImportError("PettingZoo is not installed: pip install motherlode[pettingzoo]") from error

from motherlode.engine import Refusal
from motherlode.envs import episode
from motherlode.envs.episode import Episode, OnIllegal, Row, Setup
from motherlode.game import Game
from motherlode.games import GAMES

# What a step changes, and `save` keeps.
STATE = (
    "episode", "agents", "agent_selection", "rewards", "terminations", "truncations", "infos", "_cumulative_rewards",
    "_skip_agent_selection",
)  # fmt: skip

Observation = dict[str, Row]
Saved = dict[str, Any]


def env(game: Game | str, seats: int | None = None, **settings: Any) -> AECEnv:
    """An environment of a game, wrapped as PettingZoo's are; see `raw_env` for the settings."""
    return OrderEnforcingWrapper(raw_env(game, seats, **settings))


class raw_env(AECEnv):  # type: ignore[misc]  # noqa: N801
    """An environment of a game with `seats` agents; `**options` are those of the game.

    An illegal action loses the game for its seat at once: -1 for it, which the others share, and `infos` says to its
    seat which clause forbids it and what was legal. With `illegal="raise"` it is refused, and nothing changes.

    Observations are bytes, or with `dtype="float32"` numbers from 0 to 1; `log` adds that many entries of what the seat
    was told. Rendering shows the view of the seat to act, and after the end that of the public.
    """

    def __init__(
        self, game: Game | str, seats: int | None = None, *, render_mode: str | None = None, illegal: OnIllegal = "end",
        dtype: Any = "uint8", log: int = 0, compiled: bool = True, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self.setup = Setup(game, seats, options, dtype=dtype, log=log, illegal=illegal, compiled=compiled)
        self.game = self.setup.game
        self.render_mode = episode.check_render_mode(render_mode)
        self.metadata = {
            "name": f"{self.game.NAME}_v{episode.VERSION}",
            "rules": self.game.RULES,
            "render_modes": list(episode.RENDER_MODES),
            "render_fps": episode.FRAMES_PER_SECOND,
            "is_parallelizable": False,
        }
        self.possible_agents = [f"seat_{seat}" for seat in range(self.setup.seats)]
        self.agents: list[str] = []
        self.state_space = spaces.Box(0, self.setup.largest, (self.setup.layout.size,), self.setup.dtype)
        mask = spaces.Box(0, 1, (len(self.game.ACTIONS),), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": copy.deepcopy(self.state_space), "action_mask": copy.deepcopy(mask)})
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(len(self.game.ACTIONS)) for agent in self.possible_agents}
        self.episode: Episode | None = None

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the first game of a seed; without a seed, the next game of the last one. There are no options."""
        self.episode = self.setup.new_episode(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.possible_agents[self.episode.turn]
        self._show()

    def playing(self) -> Episode:
        if self.episode is None:
            raise Refusal(f"{self.game.TITLE}: call reset first, which begins a game")
        return self.episode

    def observe(self, agent: str) -> Observation:
        """What a seat knows, and what it may do if it is to act."""
        playing, seat = self.playing(), self._seat(agent)
        if self._is_done():
            mask = np.ones(len(self.game.ACTIONS), np.int8)
        elif playing.turn == seat:
            mask = playing.mask()
        else:
            mask = np.zeros(len(self.game.ACTIONS), np.int8)
        return {"observation": self.setup.observe(playing, seat), "action_mask": mask}

    def state(self) -> Row:
        """The whole position, which no seat may know: for a critic that only trains."""
        playing = self.playing()
        return self.setup.layout.encode(playing.position, -1, (), self.setup.dtype)

    def step(self, action: SupportsIndex | None) -> None:
        """Act for the agent selected. When the game is over, every agent takes its leave with None."""
        playing = self.playing()
        if not self.agents:
            raise Refusal(f"{self.game.TITLE}: the game is over, and all agents have left; call reset")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        a = self.setup.check(playing, action)
        if not playing.allows(a):
            wrong = playing.forbidden(a)
            self._end(self.setup.lost_by(playing.turn), {"illegal_by": agent})
            self.infos[agent] |= wrong
        else:
            playing.do(a)
            if playing.is_over:
                self._end(playing.utility, episode.result(playing))
            else:
                self.agent_selection = self.possible_agents[playing.turn]
        self._show()

    def _end(self, rewards: list[float], info: dict[str, Any]) -> None:
        self.rewards = dict(zip(self.agents, rewards, strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self.infos = {agent: copy.deepcopy(info) for agent in self.agents}
        self._accumulate_rewards()
        self._deads_step_first()

    def _is_done(self) -> bool:
        return len(self.agents) < len(self.possible_agents) or self.terminations[self.agents[0]]

    def _seat(self, agent: str) -> int:
        if agent not in self.observation_spaces:
            raise Refusal(f"{self.game.TITLE} has no agent {agent!r} here; they are: {', '.join(self.possible_agents)}")
        return self.possible_agents.index(agent)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | Row | None:
        playing = self.playing()
        seat = -1 if self._is_done() else playing.turn
        return episode.render(self.game, playing.view(seat), self.render_mode)

    def close(self) -> None:
        """There is nothing to close."""

    def save(self) -> Saved:
        """The state of the game, chance to come included."""
        self.playing()
        return {name: copy.deepcopy(getattr(self, name)) for name in STATE}

    def load(self, saved: Saved) -> None:
        """Go on from what an environment of the same game, seats and options has saved. It can be loaded again."""
        self.setup.check_saved(saved, STATE)
        for name in STATE:
            setattr(self, name, copy.deepcopy(saved[name]))


def register(game: Game) -> None:
    """Let `pettingzoo.make("aec", "motherlode/goldmine_v1")` find a game, if this PettingZoo has names (from 1.27)."""
    name = f"motherlode/{game.NAME.replace('~', '-')}-v{episode.VERSION}"
    if name not in getattr(pettingzoo, "aec_registry", {name}):
        pettingzoo.register("aec", name, entry_point=env, kwargs={"game": game.NAME})


for found in GAMES.values():
    register(found)
