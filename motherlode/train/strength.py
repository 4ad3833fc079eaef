"""How strong a network was at several moments of its training: a table and a picture. It does without JAX."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from motherlode.bots import network
from motherlode.engine import Refusal
from motherlode.game import Game
from motherlode.lab.match import match

Tell = Callable[[str], None]


def measure(
    game: Game, folder: Path, against: str, *, games: int, seed: int, cores: int | None, tell: Tell
) -> list[dict[str, Any]]:
    """Play every kept moment of a training against a bot; write the results, and a picture of them."""
    rows = []
    files = sorted((folder / "moments").glob("*.npz"), key=lambda file: int(file.stem))
    if not files:
        raise Refusal(f"there is nothing to measure in {folder}: `motherlode train {game.NAME} --out {folder}` first")
    for file in files:
        card = network.read(file, game).card
        players = [f"policy:{file}", *[against] * ((card["seats"] or min(game.SEATS)) - 1)]
        won = match(game, players, games=games, seed=seed, options=card["options"], cores=cores)["players"][0]
        row = {"decisions": card["decisions"], "minutes": card["minutes"], "against": against, "games": games}
        rows.append(row | {"seed": seed, "score": won["score"], "interval": won["score_interval"]})
        tell(f"{card['decisions']:,} decisions: {100 * rows[-1]['score']:.1f} % against {against}")
    (folder / "strength.json").write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    note(game, folder, rows[-1])
    (folder / "strength.svg").write_text(plot(game, against, rows), "utf-8")
    return rows


def note(game: Game, folder: Path, row: dict[str, Any]) -> None:
    """Write on the card of the trained policy what was measured of it, if it is the last moment's."""
    net = network.read(folder / network.FILE, game)
    if net.card["decisions"] == row["decisions"]:
        told = [each for each in net.card.get("measured", []) if each["against"] != row["against"]]
        network.write(dataclasses.replace(net, card=net.card | {"measured": [*told, row]}), folder / network.FILE, game)
        network.read.cache_clear()


def plot(game: Game, against: str, rows: list[dict[str, Any]]) -> str:
    """The score against a bot by minutes of training, with its interval."""
    width, height, left, bottom = 640, 320, 60, 280
    longest = max((row["minutes"] for row in rows), default=1) or 1

    def x(minutes: float) -> float:
        return left + (width - left - 20) * minutes / longest

    def y(share: float) -> float:
        return bottom - (bottom - 40) * share

    lines = [f'<text x="{left}" y="24">{game.TITLE}: wins against {against}, by minutes of training</text>']
    for tenth in range(0, 11, 2):
        at = y(tenth / 10)
        lines.append(f'<path d="M{left} {at:.0f}H{width - 20}" stroke="#ccc"/>')
        lines.append(f'<text x="{left - 8}" y="{at + 4:.0f}" text-anchor="end">{10 * tenth} %</text>')
    for row in rows:
        low, high = row["interval"]
        lines.append(
            f'<path d="M{x(row["minutes"]):.1f} {y(low):.1f}V{y(high):.1f}" stroke="#a67c00" stroke-width="2"/>'
        )
    points = " ".join(f"{x(row['minutes']):.1f},{y(row['score']):.1f}" for row in rows)
    lines.append(f'<polyline points="{points}" fill="none" stroke="#a67c00" stroke-width="2"/>')
    lines.append(f'<text x="{width - 20}" y="{bottom + 24}" text-anchor="end">{longest:g} minutes</text>')
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13">'
    paper = f'<rect width="{width}" height="{height}" fill="#fff"/>'
    return "\n".join([head, paper, *lines, "</svg>"]) + "\n"
