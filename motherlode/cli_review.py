"""The command `review`: what a finished game was."""

import json
from pathlib import Path
from typing import Annotated

import typer

from motherlode import sentences, text
from motherlode.command_line import AsJson, Seed, in_background
from motherlode.engine import Refusal
from motherlode.table import read_file

app = typer.Typer()


@app.command()
def review(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="the file of a record of a finished game")],
    seat: Annotated[int | None, typer.Option(help="only this seat; by default all")] = None,
    as_json: AsJson = False,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="write a page that needs nothing else")] = None,
    language: Annotated[str, typer.Option(help=" or ".join(sentences.LANGUAGES))] = "en",
    seconds: Annotated[float, typer.Option(min=0.1, help="core time, at most")] = 5.0,
    seed: Seed = 0,
) -> None:
    """Review a finished game: luck and decisions that add up, the costliest mistakes, and why they were mistakes."""
    from motherlode.review import page, telling
    from motherlode.review.review import review as make

    if language not in sentences.LANGUAGES:
        raise Refusal(f"a review is written in {' or '.join(sentences.LANGUAGES)}, not in {language!r}")
    played = text.read_record(read_file(record), new_variants=True)
    if seat is not None and not 0 <= seat < played.seats:
        raise Refusal(f"the record has seats 0 to {played.seats - 1}, not {seat}")
    seats = None if seat is None else [seat]
    found = in_background(lambda: make(played, seconds=seconds, seed=seed, seats=seats))
    if html:
        html.write_text(page.page(played.game, found, language), encoding="utf-8")
    if as_json:
        print(json.dumps(found))
    elif html:
        print(f"the review: {html}")
    else:
        print(telling.plain(played.game, found, language))
