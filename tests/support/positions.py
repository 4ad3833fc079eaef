"""Positions to begin a test at: found in random games with fixed seeds, so that no deal and no throw matters."""

from collections.abc import Callable, Iterator
from typing import Any

from motherlode import engine, text
from motherlode.game import CHANCE, OVER, Game, Record, below, new_rng
from motherlode.games import GAMES
from support.visiting import Visit

GAMES_TRIED = 300


def walk(game: Game, games: int, **options: int | str) -> Iterator[tuple[Record, text.Played]]:
    """Every position of so many games in which somebody is to act, with the record up to it."""
    chosen, seats = engine.check_options(game, options), game.SEATS[0]
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


def sit(ada: Visit, played: text.Played, seat: int = 0, **more: Any) -> str:
    """At a new table that goes on from there, against bots; the table's id. The page waits for this seat to act."""
    ada.ask("/api/guests", name="Ada")
    chairs = [{"player": "me" if x == seat else "greedy"} for x in range(played.seats)]
    record = text.write_record(played)
    table: str = ada.ask("/api/tables", game=played.game.NAME, seats=chairs, record=record, **more)["id"]
    ada.page.goto(f"{ada.parlour.url}/table/{table}")
    ada.page.wait_for_selector("[data-mine=true] [data-board] > div")
    return table


def last_of(played: text.Played) -> Record:
    return engine.replay(played.game, played.start(), played.actions)


def is_to_look(s: Record) -> bool:
    """Goldmine, seat 0: a look at the gold is all that is left to do, so no card may be played."""
    game = GAMES["goldmine"]
    return bool(s.turn == 0 and all(game.ACTIONS.name(a).startswith("look") for a in engine.legal(game, s)))
