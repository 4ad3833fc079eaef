"""Thousands of games as one of Gymnasium's vector environments, over `Batch`; see `gymnasium.py`."""

import secrets
from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces, vector
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from motherlode import engine
from motherlode.engine import Refusal
from motherlode.envs import episode
from motherlode.envs.batch import Batch
from motherlode.envs.checks import check_seed
from motherlode.envs.episode import OnIllegal, Row, Setup, check_seat
from motherlode.envs.stepping import LEAVE
from motherlode.game import OVER, Game

Policy = Callable[[Any, Any], Any]  # actions for all rows by observation and mask
Infos = dict[str, Any]
FRAMES = ("ansi", "rgb_array")  # what is rendered of every row


class VectorEnv(vector.VectorEnv[Row, Row, Row]):
    """Many games for one seat, stepped together; the other seats play at random, or by a function for all rows.

    `reset(seed=7)` begins the games 0 to `num_envs` - 1 of seed 7: row i is what a `SeatEnv` plays as game i, then
    game i + `num_envs`, and so on. Bots with names play in single games: `make_vec(…, vectorization_mode="sync")`.

    `infos["action_mask"]` has a 1 for every legal action of every row. An illegal action loses its game, and
    `infos["why"]` says why; with `illegal="raise"` it is refused, and nothing changes in any row. With `copy=False` the
    arrays that are handed out are the batch's own: the next step overwrites them.
    """

    metadata = {"render_modes": list(FRAMES), "render_fps": episode.FRAMES_PER_SECOND}  # noqa: RUF012

    def __init__(
        self, game: Game | str, num_envs: int = 1, opponent: str | Policy = "random", *, seat: int = 0,
        seats: int | None = None, autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None, illegal: OnIllegal = "end", dtype: Any = "uint8", log: int = 0,
        threads: int | None = None, copy: bool = True, **options: Any,
    ) -> None:  # fmt: skip
        setup = Setup(game, seats, options, dtype=dtype, log=log, illegal=illegal, compiled=True)
        self.game, self.seat, self.illegal, self.copy = setup.game, check_seat(setup, seat), illegal, copy
        if isinstance(opponent, str) and opponent != "random":
            raise Refusal(
                f"in many games at once the opponent is 'random' or a function of observation and mask, not "
                f"{opponent!r}: bots with names play in single games, as with vectorization_mode='sync'"
            )
        self.autoreset = check_autoreset(autoreset_mode)
        self.render_mode = episode.check_render_mode(render_mode, FRAMES)
        self.metadata = {**type(self).metadata, "rules": self.game.RULES, "autoreset_mode": self.autoreset}
        players: dict[int, Any] = {other: opponent for other in range(setup.seats) if other != self.seat}
        self.batch = Batch(
            self.game, num_envs, seats=setup.seats, dtype=dtype, log=log, autoreset="disabled", players=players,
            threads=threads, **options,
        )  # fmt: skip
        self.num_envs, self.rows = num_envs, np.arange(num_envs)
        self.single_observation_space = spaces.Box(0, setup.largest, (setup.layout.size,), setup.dtype)
        self.single_action_space = spaces.Discrete(len(self.game.ACTIONS))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.ended = np.ones(num_envs, bool)  # the rows whose episode is over
        self.is_seeded = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Row, Infos]:
        """Begin the first games of a seed; without a seed, the next game in every row.

        `options={"reset_mask": …}` chooses rows by booleans, as in Gymnasium's own vector environments.
        """
        number = None if seed is None else check_seed(seed)
        super().reset(seed=number)
        rows = (options or {}).get("reset_mask")
        if rows is not None:
            self._restart(self._check_rows(rows, seed))
        elif number is not None or not self.is_seeded:
            self.batch.reset(seed=secrets.randbits(63) if number is None else number)
            self.ended, self.is_seeded = np.zeros(self.num_envs, bool), True
            self._skip_ended()
        else:
            self._restart(np.ones(self.num_envs, bool))
        return self._observation(), self._infos()

    def step(self, actions: Any) -> tuple[Row, Row, Row, Row, Infos]:
        if not self.is_seeded:
            raise Refusal(f"{self.game.TITLE}: call reset first, which begins the games")
        begun, chosen = self.ended.copy(), self._read(actions)
        if self.illegal == "raise":
            self.batch.work.check(chosen)  # now, before games begin: what is refused changes nothing
        lost = ~begun & (self.batch.mask[self.rows, chosen] == 0)
        ending = self._told_why(lost, chosen)
        chosen[lost] = LEAVE
        if begun.any():
            self._restart(begun)
        self.batch.step(chosen)
        done = self.batch.done | lost
        if self.batch.done.any():
            ending |= {"points": self.batch.points.copy(), "_points": self.batch.done.copy()}
        reward = np.where(lost, episode.LOST, self.batch.reward[:, self.seat].astype(np.float64))
        seen = self._observation()
        self.ended = done.copy()
        if self.autoreset == AutoresetMode.SAME_STEP and done.any():
            final = np.full(self.num_envs, None, object)
            for row in np.flatnonzero(done):
                final[row] = seen[row].copy()
            ending = {"final_obs": final, "_final_obs": done, "final_info": self._infos() | ending, "_final_info": done}
            self._restart(done)
            seen = self._observation()
        return seen, reward, done, np.zeros_like(done), self._infos() | ending

    def action_masks(self) -> Row:
        """What may be done in every row, as booleans; all in one whose episode is over."""
        mask: Row = self.batch.mask.view(bool)
        return mask | self.ended[:, None] if self.ended.any() else mask.copy() if self.copy else mask

    def render(self) -> Any:
        """What the seat knows in every row."""
        mode, game = self.render_mode, self.game
        positions = [self.batch.position(row) for row in range(self.num_envs)]
        return tuple(episode.render(game, engine.view(game, s, self.seat), mode) for s in positions)

    def _read(self, actions: Any) -> Row:
        """An action for every row; none for those that begin their next game, where it does not count."""
        chosen = np.array(self.batch.work.read_actions(actions))
        if self.ended.any() and self.autoreset == AutoresetMode.DISABLED:
            raise Refusal(
                f"{self.game.TITLE}: rows {np.flatnonzero(self.ended)[:9].tolist()} are over: reset them with "
                "options={'reset_mask': booleans}"
            )
        chosen[self.ended] = LEAVE
        for row in np.flatnonzero(~self.ended & ((chosen < 0) | (chosen >= len(self.game.ACTIONS))))[:1]:
            self.batch.refuse_action(int(row), int(chosen[row]))
        return chosen

    def _told_why(self, lost: Row, chosen: Row) -> Infos:
        """What is wrong with the actions of these rows: by key an array of objects, and a mask of the rows."""
        told: Infos = {}
        for row in np.flatnonzero(lost).tolist():
            for key, value in episode.forbidden(self.game, self.batch.position(row), int(chosen[row])).items():
                told.setdefault(key, np.full(self.num_envs, None, object))[row] = value
        return told | {f"_{key}": lost.copy() for key in told}

    def _restart(self, rows: Row) -> None:
        """Begin the next game in these rows."""
        self.batch.reset(rows)
        self.ended = self.ended & ~rows
        self._skip_ended()

    def _skip_ended(self) -> None:
        """Go on to the next game where the others have ended one before this seat had a turn."""
        while (over := (self.batch.seat == OVER) & ~self.ended).any():
            self.batch.reset(over)

    def _observation(self) -> Row:
        """What the seat knows in every row."""
        seen: Row = self.batch.observation.copy() if self.copy else self.batch.observation
        return seen

    def _infos(self) -> Infos:
        return {"action_mask": self.action_masks().view(np.int8), "_action_mask": np.ones(self.num_envs, bool)}

    def _check_rows(self, rows: Any, seed: int | None) -> Row:
        if not (isinstance(rows, np.ndarray) and rows.dtype == bool and rows.shape == (self.num_envs,) and rows.any()):
            raise Refusal(f"reset_mask is an array of {self.num_envs} booleans, with one that is true, not {rows!r}")
        if seed is not None or not self.is_seeded:
            raise Refusal("a seed begins games in all rows: call reset(seed=…) without reset_mask first")
        return rows


def check_autoreset(mode: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        known = " or ".join(repr(each.value) for each in AutoresetMode)
        raise Refusal(f"autoreset_mode is {known}, not {mode!r}") from None
