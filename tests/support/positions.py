"""Positions to begin a test at: found in random games with fixed seeds, so that no deal and no throw matters."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from motherlode import engine, text
from motherlode.game import CHANCE, OVER, Game, Record, below, new_rng
from motherlode.games import GAMES
from support.visiting import Visit

GAMES_TRIED = 300
OPTIONS: dict[str, dict[str, int | str]] = {"gold_hunting": {"accident": 2, "breakdown": 3}}  # so that all phases come


def walk(game: Game, games: int, seats: int = 0, **options: int | str) -> Iterator[tuple[Record, text.Played]]:
    """Every position in which somebody is to act, with the record up to it; by default with the fewest seats."""
    chosen, seats = engine.check_options(game, options), seats or game.SEATS[0]
    for seed in range(games):
        rng, s, log = new_rng(seed), engine.start(game, seats, **chosen), list[int]()
        while s.turn != OVER:
            if s.turn != CHANCE:
                yield s, text.Played(game, seats, chosen, list(log))
            legal = engine.legal(game, s)
            log.append(engine.draw(game, s, rng) if s.turn == CHANCE else legal[below(rng, len(legal))])
            s = engine.after(game, s, log[-1])


def find(game: Game, wanted: Callable[[Record], bool]) -> text.Played:
    """The record of a game up to a position that is wanted."""
    return next(played for s, played in walk(game, GAMES_TRIED) if wanted(s))


@cache
def phases(game: Game, seats: int = 0) -> dict[str, text.Played]:
    """For every phase in which seat 0 acts the record of a game that has come to it, and of one that an action ends."""
    found: dict[str, text.Played] = {}
    for s, played in walk(game, 10, seats, **OPTIONS.get(game.NAME, {})):
        if s.turn == 0:
            found.setdefault(str(getattr(s, "phase", 0)), played)
        if "end" not in found and ending(game, s) is not None:
            found["end"] = played
    return found


def ending(game: Game, s: Record) -> int | None:
    """Which of the legal actions ends the game, if one does."""
    ends = (n for n, a in enumerate(engine.legal(game, s)) if engine.after(game, s, a).turn == OVER)
    return next(ends, None)


def sit(ada: Visit, played: text.Played, seat: int = 0, name: str = "Ada", **more: Any) -> str:
    """At a new table that goes on from there, against bots; the table's id. The page waits for this seat to act."""
    if name:  # else the guest stays the same
        ada.ask("/api/guests", name=name)
    chairs = [{"player": "me" if x == seat else "greedy"} for x in range(played.seats)]
    record = text.write_record(played)
    table: str = ada.ask("/api/tables", game=played.game.NAME, seats=chairs, record=record, **more)["id"]
    ada.turn_to(f"/table/{table}")
    ada.page.wait_for_selector(f"[data-table='{table}'][data-mine=true] [data-board] > div")
    return table


def last_of(played: text.Played) -> Record:
    return engine.replay(played.game, played.start(), played.actions)


def is_to_look(s: Record) -> bool:
    """Goldmine, seat 0: a look at the gold is all that is left to do, so no card may be played."""
    game = GAMES["goldmine"]
    return bool(s.turn == 0 and all(game.ACTIONS.name(a).startswith("look") for a in engine.legal(game, s)))


@cache
def late(game: Game, decisions: int, seats: int = 0) -> text.Played:
    """A game that seat 0 has to finish: so many decisions of its own were left in a random game."""
    found = [played for s, played in walk(game, 1, seats, **OPTIONS.get(game.NAME, {})) if s.turn == 0]
    return found[max(0, len(found) - decisions)]
