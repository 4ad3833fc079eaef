"""The rows that follow from an action: what chance decides after it, and what seats have decided early."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from motherlode import engine, proof
from motherlode.game import OVER, Game, Record
from motherlode.server.schema import LogRow


class Plan(NamedTuple):
    """What is to be stored together."""

    rows: list[LogRow]
    links: dict[int, bytes]  # of early actions, which were stored before the actions they follow
    end: Record | None  # the last position, if the game is over after it


def make_plan(
    game: Game,
    s: Record,
    at: int,
    key: bytes | None,
    link: bytes,
    made: float,
    decide: Callable[[Record, int], int | None],
    early: Mapping[int, LogRow],
) -> Plan:
    """Go on from a position, at this place of the log, until `decide` has no action for the next one.

    The links are made under `key`.
    """
    s = engine.copy(s)
    rows: list[LogRow] = []
    links: dict[int, bytes] = {}
    while True:
        a = early[at].action if at in early else decide(s, at)
        if a is None:
            return Plan(rows, links, s if s.turn == OVER else None)
        link = proof.next_link(key, link, at, s.turn, a)
        if at in early:
            links[at] = link
        else:
            rows.append(LogRow(at, int(s.turn), a, made, link))
        game.apply(s, a)
        at += 1
