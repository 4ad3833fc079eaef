"""OpenSpiel's door: importing this module registers every game for `pyspiel.load_game`, as `motherlode_goldmine`.

    pyspiel.load_game("motherlode_goldmine(target=0)")

Besides `players` and the game's options (numbers are int, words are str) there are two parameters: `log`, how many
entries the information-state tensor has, and `compiled`, whether Numba compiles the rules (seconds at first, then kept
on disk). `register` adds a game that was loaded later, or a variant.

Chance is explicit. Returns are the zero-sum utility of ALL-6. An observation is what the seat knows now: its view. An
information state is what it was told from the start, action by action, which its view follows from; the tensor has the
view and the last `log` entries. In a world drawn by `resample_from_infostate` only the asking seat keeps its past: what
the others know there is their view of the world, and what they are told from then on. Its history begins with it too,
for the real one would betray secrets.
"""

from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

import numpy as np

try:
    import pyspiel
except ImportError as error:
    raise ImportError("motherlode.envs.openspiel needs OpenSpiel: pip install motherlode[openspiel]") from error

from motherlode import engine, text
from motherlode.bots import exact
from motherlode.engine import Refusal
from motherlode.envs import observation
from motherlode.envs.positions import Rules, entry_words, position_words, read_entry, split, write_entries
from motherlode.game import CHANCE, Game, Record, Rng, hide_nothing, read_record, tell_everything
from motherlode.games import GAMES, VARIANTS
from motherlode.table import Ask

PREFIX = "motherlode_"
LOG = 32  # entries of the information-state tensor, unless a game has fewer actions or `log` says otherwise
SEATS_ARG, LOG_ARG, COMPILED_ARG = "players", "log", "compiled"
FEW = 12  # legal actions that a refusal lists
KIND = pyspiel.GameType
TERMINAL = int(pyspiel.PlayerId.TERMINAL)
PLAYERS = [*range(128), *[TERMINAL] * 127, CHANCE]  # OpenSpiel's names for the values of `turn`, by their last byte
Sampler = Callable[[], float]


def has_secrets(game: Game) -> bool:
    return game.hide is not hide_nothing or game.told is not tell_everything


def game_type(game: Game, *, is_imperfect: bool | None = None) -> Any:
    """What OpenSpiel wants to know about a game. Some searches take no game without secrets, unless told otherwise."""
    is_imperfect = has_secrets(game) if is_imperfect is None else is_imperfect
    options = {option.name: option.values[0] for option in game.OPTIONS}
    return KIND(
        short_name=PREFIX + game.NAME,
        long_name=game.TITLE,
        dynamics=KIND.Dynamics.SEQUENTIAL,
        chance_mode=KIND.ChanceMode.EXPLICIT_STOCHASTIC if len(game.OUTCOMES) else KIND.ChanceMode.DETERMINISTIC,
        information=KIND.Information.IMPERFECT_INFORMATION if is_imperfect else KIND.Information.PERFECT_INFORMATION,
        utility=KIND.Utility.ZERO_SUM,
        reward_model=KIND.RewardModel.TERMINAL,
        max_num_players=max(game.SEATS),
        min_num_players=min(game.SEATS),
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification={
            SEATS_ARG: game.SEATS[0],
            LOG_ARG: min(LOG, 2 * game.LENGTH),
            COMPILED_ARG: True,
            **options,
        },
    )


def dealt(game: Game, opening: Record) -> int:
    """What chance decides before the first decision."""
    s, decided = engine.copy(opening), 0
    while s.turn == CHANCE:
        game.apply(s, engine.legal(game, s)[0])
        decided += 1
    return decided


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """One of our games with its options, for OpenSpiel."""

    def __init__(self, game: Game, params: dict[str, Any] | None = None, kind: Any = None) -> None:
        kind = kind or game_type(game)
        params = {**kind.parameter_specification, **(params or {})}
        options = {option.name: params[option.name] for option in game.OPTIONS}
        seats = engine.check_seats(game, params[SEATS_ARG])
        opening = engine.start(game, seats, **engine.check_new_options(game, options))
        self.game, self.opening, self.layout = game, bytes(opening), observation.layout(game, params[LOG_ARG])
        self.rules = Rules(game, seats, is_compiled=params[COMPILED_ARG])
        self.deal = dealt(game, opening)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(game.ACTIONS),
            max_chance_outcomes=len(game.OUTCOMES),
            num_players=seats,
            min_utility=-1 / (seats - 1),
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=game.LENGTH,
        )
        super().__init__(kind, info, params)

    def new_initial_state(self) -> "SpielState":
        return SpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """As many as there are decisions, as OpenSpiel assumes, besides the deal."""
        return self.deal + self.game.LENGTH if len(self.game.OUTCOMES) else 0

    def state_for(self, ask: Ask) -> "SpielState":
        """What a player of a `Table` knows, as a state: for searches and policies of OpenSpiel's that are to play."""
        if ask.game is not self.game or ask.view.seats != self.rules.seats:
            raise Refusal(f"this is for {self}, not for {ask.game.TITLE} with {ask.view.seats} seats")
        state = SpielState(self)
        state.put(bytes(ask.view))
        state.origin = Origin(ask.seat, state.position, b"", write_entries(self.game, ask.log))
        return state

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "Observer":
        if params or (isinstance(iig_obs_type, dict) and iig_obs_type):
            raise Refusal(f"observers have no parameters, and these were given: {params or iig_obs_type}")
        return Observer(self.layout, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))

    def __reduce__(self) -> tuple[Any, ...]:
        return load_game, (str(self),)


class Origin(NamedTuple):
    """Where a guessed world begins: whose guess it is, its position, and that seat's past. Others have none there."""

    seat: int
    position: bytes
    knew: bytes  # as `SpielState.knew` says
    log: bytes


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A position and what every seat has been told. OpenSpiel copies and pickles what is in `__dict__`."""

    __slots__ = ("__dict__", "rules")

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.rules = game.rules
        self.log = b""  # of each action an entry for each seat
        self.origin: Origin | None = None
        self.put(game.opening)

    def put(self, position: bytes) -> None:
        self.position: bytes = position
        self.player: int = PLAYERS[position[self.rules.turn_at]]

    def current_player(self) -> int:
        return self.player

    def is_terminal(self) -> bool:
        return self.player == TERMINAL

    def is_chance_node(self) -> bool:
        return self.player == CHANCE

    def legal_actions(self, *player: int) -> list[int]:
        """The common case, which OpenSpiel would find in several steps, each of which calls Python."""
        if self.player != TERMINAL and (not player or player[0] == self.player):
            return self.rules.legal(self.position)
        others: list[int] = super().legal_actions(*player)
        return others

    def _legal_actions(self, player: int) -> list[int]:
        return self.rules.legal(self.position)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return self.rules.outcomes(self.position)

    def _apply_action(self, action: int) -> None:
        done = self.rules.act(self.position, action)
        if done is None:
            raise self.refusal(action)
        self.put(done[0])
        self.log += done[1]

    def refusal(self, action: int) -> Refusal:
        legal = self.legal_actions()
        words = ", ".join(f"{a} ({self.action_to_string(self.player, a)})" for a in legal[:FEW])
        instead = f"legal are {words}{', …' if len(legal) > FEW else ''}" if legal else "the game is over"
        return Refusal(f"{self.rules.game.TITLE}: {action} is not legal here; {instead}")

    def _action_to_string(self, player: int, action: int) -> str:
        table = self.rules.game.ACTIONS if player >= 0 else self.rules.game.OUTCOMES
        return table.name(action)

    def returns(self) -> list[float]:
        return self.rules.returns(self.position) if self.player == TERMINAL else [0.0] * self.rules.seats

    def record(self) -> Record:
        return read_record(self.rules.game, self.position)

    def view(self, seat: int) -> Record:
        """What a seat (-1: the public) knows."""
        return read_record(self.rules.game, self.rules.view(self.position, seat))

    def ask(self) -> Ask:
        """What the seat to act is given at a `Table`: for bots of ours that are to play."""
        if self.player < 0:
            raise Refusal("nobody is to act: " + ("chance decides" if self.player == CHANCE else "the game is over"))
        game = self.rules.game
        log = [read_entry(game, content) for content in split(game, self.told(self.player))]
        return Ask(game, self.player, self.view(self.player), self.legal_actions(), log)

    def knew(self, seat: int) -> bytes:
        """The view that a seat began with, if it did not begin with the opening."""
        if self.origin is None:
            return b""
        return self.origin.knew if self.origin.seat == seat else self.rules.view(self.origin.position, seat)

    def told(self, seat: int) -> bytes:
        """What a seat was told since, entry by entry."""
        size = self.rules.entry_size
        since = [self.log[at : at + size] for at in range(seat * size, len(self.log), size * self.rules.seats)]
        return b"".join([self.origin.log, *since] if self.origin and self.origin.seat == seat else since)

    def resample_from_infostate(self, seat: int, sampler: Sampler) -> "SpielState":
        """A world that this seat cannot tell from the real one, each as likely as the rules make it."""
        if not has_secrets(self.rules.game):
            return self.clone()  # type: ignore[no-any-return]
        world = SpielState(self.get_game())
        world.put(self.rules.guess(self.position, seat, int(sampler() * (1 << 53))))
        world.origin = Origin(seat, world.position, self.knew(seat), self.told(seat))
        return world

    def __str__(self) -> str:
        """The whole position, secrets included, as text that `text.read_position` reads."""
        return position_words(self.rules.game, self.position)

    def __reduce__(self) -> tuple[Any, ...]:
        return load_state, (pyspiel.serialize_game_and_state(self.get_game(), self),)


@lru_cache(1 << 12)
def entry_row(layout: observation.Layout, content: bytes, seat: int, seats: int) -> observation.Row:
    """The columns of an entry of a seat's log, as `layout.encode` has them."""
    row = np.zeros(layout.entry, np.uint8)
    layout.encode_told(read_entry(layout.game, content), seat, seats, row)
    scaled: observation.Row = row / layout.scale[layout.knowledge : layout.knowledge + layout.entry]
    return scaled


class Observer:
    """What OpenSpiel calls an observer: a tensor, its pieces by name, and a string, of a state as a player sees it."""

    def __init__(self, layout: observation.Layout, kind: Any) -> None:
        self.is_recall, self.is_public, self.private = kind.perfect_recall, kind.public_info, kind.private_info
        if self.is_recall and not (self.is_public and self.private == pyspiel.PrivateInfoType.SINGLE_PLAYER):
            raise Refusal("perfect recall is offered for what one player knows, public and private together")
        self.layout = layout if self.is_recall else observation.layout(layout.game)
        self.dict: dict[str, Any] = {}
        self.tensor = np.zeros(self.layout.filled, np.float32) if self.is_public else None
        if self.tensor is not None:
            for feature in self.layout.features:
                piece = self.tensor[feature.first : feature.columns.stop]
                shape = (feature.places, feature.width) if feature.field.length else (feature.width,)
                self.dict[feature.field.name] = piece.reshape(shape)
            if self.layout.log:
                self.dict["log"] = self.tensor[self.layout.knowledge : self.layout.filled].reshape(self.layout.log, -1)

    def look(self, state: SpielState, player: int) -> tuple[bytes, int]:
        """What is observed, and by whom."""
        if self.private == pyspiel.PrivateInfoType.ALL_PLAYERS:
            return state.position, player
        seat = -1 if self.private == pyspiel.PrivateInfoType.NONE else player
        return state.rules.view(state.position, seat), seat

    def set_from(self, state: SpielState, player: int) -> None:
        if self.tensor is None:
            return
        game, (view, seat) = self.layout.game, self.look(state, player)
        known = observation.layout(game).encode(read_record(game, view), seat, (), np.float32)
        self.tensor[:] = 0
        self.tensor[: self.layout.knowledge] = known[: self.layout.knowledge]
        entries = split(game, state.told(player))[-self.layout.log :] if self.layout.log else []
        for back, content in enumerate(reversed(entries)):
            self.dict["log"][back] = entry_row(self.layout, content, player, state.rules.seats)

    def string_from(self, state: SpielState, player: int) -> str:
        game = self.layout.game
        if self.is_recall:
            knew = state.knew(player)
            began = f"seat {player} knew {position_words(game, knew)}" if knew else f"seat {player}"
            return "; ".join([began, *(entry_words(game, content) for content in split(game, state.told(player)))])
        view, seat = self.look(state, player)
        if self.is_public:
            return f"seat {seat}: {position_words(game, view)}" if seat >= 0 else position_words(game, view)
        own, public = read_record(game, view), state.view(-1)
        pairs = [(field.name, *(text.write_field(field, s) for s in (own, public))) for field in game.FIELDS]
        return " ".join(f"{name}={known}" for name, known, to_all in pairs if known != to_all)


def resampler(seed: int) -> Callable[[SpielState, int], SpielState]:
    """What OpenSpiel's `ISMCTSBot.set_resampler` takes. Without it the bot draws worlds by the time of day."""
    sampler = Random(seed).random
    return lambda state, seat: state.resample_from_infostate(seat, sampler)


class PolicyPlayer:
    """A policy of OpenSpiel's as a bot of ours, for tables, matches and `motherlode.solving`."""

    def __init__(self, game: SpielGame, policy: Any) -> None:
        self.game, self.policy = game, policy

    def mix(self, ask: Ask) -> dict[int, float]:
        """How likely each action is."""
        shares: dict[int, float] = self.policy.action_probabilities(self.game.state_for(ask))
        return shares

    def __call__(self, ask: Ask, rng: Rng) -> int:
        return exact.draw(self.mix(ask), rng)


def register(game: Game) -> str:
    """Make a game known to `pyspiel.load_game`, and return its name there."""

    class Registered(SpielGame):
        """A class, because OpenSpiel drops what it was given when Python has ended, and only a class endures that."""

        def __init__(self, params: dict[str, Any] | None = None) -> None:
            super().__init__(game, params)

    pyspiel.register_game(game_type(game), Registered)
    return PREFIX + game.NAME


def load_game(written: str) -> SpielGame:
    """`pyspiel.load_game`, for pickles: whoever reads one imports this module, which registers the games."""
    game: SpielGame = pyspiel.load_game(written)
    return game


def load_state(written: str) -> SpielState:
    state: SpielState = pyspiel.deserialize_game_and_state(written)[1]
    return state


for game in (*GAMES.values(), *VARIANTS.values()):
    register(game)
