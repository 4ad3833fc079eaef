"""`motherlode train`: a folder in which a network is trained, and can be gone on with.

training.npz     everything that training goes on from
log.jsonl        a line after every few lessons
policy.npz       the network in whole numbers, with its card policy.json
moments/         the same at several moments of the training, for `strength.measure`
"""

import hashlib
import json
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import jax

from motherlode.bots import network
from motherlode.engine import Refusal, check_new_options
from motherlode.envs.checks import check_word
from motherlode.game import Game
from motherlode.train import self_play
from motherlode.train.self_play import Progress, SelfPlay
from motherlode.train.settings import Settings

MOMENTS = 8  # at which the network is kept
SAVE = 60  # seconds between two times that everything is saved
TOLD = 5  # seconds between two lines of the log
Tell = Callable[[str], None]


class Wanted(NamedTuple):
    """What is to be trained, and for how long."""

    decisions: int
    minutes: float | None = None
    seed: int = 0
    device: str = "cpu"
    seats: int | None = None
    options: dict[str, Any] | None = None


def train(game: Game, settings: Settings, folder: Path, wanted: Wanted, tell: Tell) -> dict[str, Any]:
    """Train a network, or go on with the one in this folder; the card of the policy that is written there.

    Ctrl-C ends it early, with everything saved.
    """
    check(wanted)
    options = check_new_options(game, wanted.options or {})
    own = {"seats": wanted.seats, **{name: options[name] for name in wanted.options or {}}}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "moments").mkdir(exist_ok=True)
    saved = folder / "training.npz"
    given = {"seed": wanted.seed, "device": wanted.device, **own}
    learner = self_play.load(saved, game, settings, **given) if saved.exists() else SelfPlay(game, settings, **given)
    tell(f"{game.TITLE}: {describe(learner)}; {learner.decisions:,} decisions so far")
    keep = Keeper(learner, folder, wanted, tell)
    with interruptible() as is_interrupted:
        for progress in learner.train(wanted.decisions, wanted.minutes):
            keep.after(progress)
            if is_interrupted():
                tell("interrupted; what was learned is saved")
                break
        return keep.end()


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Whether somebody has pressed Ctrl-C: it must not end a lesson in the middle, when its memory is being reused."""
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)


class Keeper:
    """Writes down how a training goes."""

    def __init__(self, learner: SelfPlay, folder: Path, wanted: Wanted, tell: Tell) -> None:
        self.learner, self.folder, self.wanted, self.tell = learner, folder, wanted, tell
        self.began = self.told = self.saved = time.monotonic()
        self.first, self.seconds = learner.decisions, learner.seconds
        self.last: Progress | None = None
        self.moments = 0

    def after(self, progress: Progress) -> None:
        """Called after every lesson."""
        now, self.last = time.monotonic(), progress
        share = progress.decisions / self.wanted.decisions
        if self.wanted.minutes is not None:
            share = max(share, (now - self.began) / (60 * self.wanted.minutes))
        if share * MOMENTS >= self.moments + 1:
            self.moments = int(share * MOMENTS)
            self.write(self.folder / "moments" / f"{progress.decisions}.npz")
        if now >= self.told + TOLD:
            self.told = now
            line = progress._asdict() | {"per_second": self.speed()}
            with (self.folder / "log.jsonl").open("a", encoding="utf-8") as log:
                log.write(json.dumps(line) + "\n")
            self.tell(
                f"{progress.decisions:,} decisions, {self.speed():,.0f} per second; "
                f"entropy {progress.entropy:.2f}, loss {progress.loss:.3f}"
            )
        if now >= self.saved + SAVE:
            self.saved = now
            self.learner.save(self.folder / "training.npz")

    def speed(self) -> float:
        """Decisions per second of playing and learning, without the first lesson, which compiles."""
        lesson = self.learner.settings.rows * self.learner.settings.steps
        made, seconds = self.learner.decisions - self.first - lesson, self.learner.seconds - self.seconds
        return made / seconds if seconds else 0.0

    def write(self, file: Path) -> network.Net:
        game = self.learner.game
        net = self.learner.net(self.card())
        network.write(net, file, game)
        network.read.cache_clear()
        return network.read(file, game)

    def card(self) -> dict[str, Any]:
        """How the network came about."""
        learner, wanted = self.learner, self.wanted
        return {
            "version": version("motherlode"),
            "code": code_hash(learner.game),
            "rules": learner.game.RULES,
            "network": describe(learner),
            "device": jax.devices()[0].device_kind,
            "minutes": round(learner.seconds / 60, 2),
            "per_second": round(self.speed()),
            "seats": wanted.seats,
            "options": wanted.options or {},
        }

    def end(self) -> dict[str, Any]:
        """Save everything; the card of the policy."""
        if self.last is None and (self.folder / network.FILE).exists():
            self.tell("nothing is left to train: it has been through as many decisions already")
            return network.read(self.folder / network.FILE, self.learner.game).card
        self.learner.save(self.folder / "training.npz")
        card = self.write(self.folder / network.FILE).card
        self.tell(
            f"{card['decisions']:,} decisions; {card['per_second']:,} per second on {card['device']} with "
            f"{card['network']}; {card['bytes']:,} bytes"
        )
        return card


def describe(learner: SelfPlay) -> str:
    """The network and how often it goes through a lesson."""
    settings, shape = learner.settings, learner.shape
    number = sum(leaf.size for leaf in jax.tree.leaves(learner.state.weights))
    places = f", {len(shape.places)} places of {settings.each} units" if shape.has_places else ""
    epochs = "1 epoch" if settings.epochs == 1 else f"{settings.epochs} epochs"
    return f"{settings.layers} layers of {settings.width} units{places}, {number:,} weights, {epochs}"


def code_hash(game: Game) -> str:
    """A hash of the code that trains and of the game's rules."""
    files = [Path(str(game.__file__)), *sorted(Path(__file__).parent.glob("*.py"))]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:16]


def check(wanted: Wanted) -> None:
    """Refuse what cannot be trained."""
    check_word("device", wanted.device, ("cpu", "cuda"))
    if wanted.decisions < 1:
        raise Refusal(f"decisions is a number from 1 on, not {wanted.decisions}")
    if wanted.minutes is not None and not wanted.minutes > 0:
        raise Refusal(f"minutes is more than 0, not {wanted.minutes}")
    if wanted.device == "cuda" and jax.default_backend() != "gpu":
        raise Refusal("JAX finds no GPU: install jax[cuda13], or train on the CPU")
