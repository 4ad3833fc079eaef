"""What was found out about how exploitable bots are, kept in docs/strength.json; docs/strength.md has it as tables."""

import json
from pathlib import Path
from typing import Any

from motherlode.engine import Refusal
from motherlode.lab.bench import write as write_between

Row = dict[str, Any]  # an answer of `lab.exploit`, with the `command` that gave it
KEY = ("game", "seats", "options", "bot", "kind", "adversary")  # rows that have these in common replace each other
KEPT = (
    "command", *KEY, "nash_conv", "exploitability", "share", "least", "error", "samples", "nodes", "decisions",
    "sampled", "interval", "win_share", "games", "seed", "model", "asked", "worlds", "device", "leak",
)  # fmt: skip
EXACT, BOUNDS = "exact", "bounds"  # the markers in the document


def add(docs: Path, answer: dict[str, Any], command: str) -> None:
    """Keep an answer in this folder, in place of an earlier one to the same question, and draw the tables again."""
    data, document = docs / "strength.json", docs / "strength.md"
    if not document.is_file():
        raise Refusal(f"there is no {document}")
    rows = read(data)
    row = {name: rounded({"command": command, **answer}[name]) for name in KEPT if name in (*answer, "command")}
    places = [at for at, old in enumerate(rows) if all(old.get(name) == row.get(name) for name in KEY)]
    rows = [*rows[: places[0]], row, *rows[places[0] + 1 :]] if places else [*rows, row]
    games = list(dict.fromkeys(old["game"] for old in rows))
    rows.sort(key=lambda row: games.index(row["game"]))
    data.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n", "utf-8")
    write_between(document, EXACT, exact_table(rows))
    write_between(document, BOUNDS, bounds_table(rows))


def read(data: Path) -> list[Row]:
    rows: list[Row] = json.loads(data.read_text("utf-8")) if data.is_file() else []
    return rows


def rounded(value: Any) -> Any:
    """Numbers as a document needs them."""
    if isinstance(value, float):
        return round(value, 5)
    if isinstance(value, (list, tuple)):
        return [rounded(item) for item in value]
    return {name: rounded(item) for name, item in value.items()} if isinstance(value, dict) else value


def exact_table(rows: list[Row]) -> str:
    """Where the whole game was grown; `at least` and the error only where mixes are estimated."""
    lines = [
        "| game | bot | exploitability | of the range | at least | error | asked | command |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        if row["kind"] == "lower bound":
            continue
        found = [f"{row['exploitability']:.4f}", f"{row['share']:.1%}"]
        unsure = ["", "", ""]
        if row["sampled"]:
            seats = row["seats"]
            unsure = [f"{row['least'] / seats:.4f}", f"{row['error'] / seats:.2g}", f"{row['samples']:,} times"]
        cells = [row["game"], f"`{row['bot']}`", *found, *unsure, f"`{row['command']}`"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def bounds_table(rows: list[Row]) -> str:
    """Where an adversary played against the bot."""
    lines = [
        "| game | bot | lower bound | 95 % | of the range | wins | games | planted weakness | adversary | command |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        if row["kind"] != "lower bound":
            continue
        (low, high), planted = row["interval"], row["leak"]
        found = f"+{planted['gain']:.2f} ({planted['interval'][0]:+.2f} … {planted['interval'][1]:+.2f})"
        cells = [
            row["game"], f"`{row['bot']}`", f"{row['exploitability']:+.3f}", f"{low:+.3f} … {high:+.3f}",
            f"{row['share']:.1%}", f"{row['win_share']:.1%}", f"{row['games']:,}", found,
            row["model"] if row["adversary"] == "learned" else f"search, by `{row['model']}`", f"`{row['command']}`",
        ]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)
