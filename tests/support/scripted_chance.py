"""Chance that decides what a test says, at the tables of a server in this process."""

from typing import Self

import pytest

from motherlode.game import Record
from motherlode.server.live_table import LiveTable
from motherlode.server.schema import StoredSeal
from motherlode.shuffles import Chance

SCRIPTS: dict[str, dict[int, int]] = {}  # what chance decides, for each table and place in the log


class Scripted:
    """Chance decides as the script of its table says, and where that says nothing, by itself."""

    def __init__(self, table: str, chance: Chance) -> None:
        self.table, self.chance = table, chance

    def outcome(self, s: Record, at: int) -> int:
        script = SCRIPTS.get(self.table, {})
        return script[at] if at in script else self.chance.outcome(s, at)

    def fix(self, s: Record, a: int) -> None:
        self.chance.fix(s, a)

    def copy(self) -> Self:
        return type(self)(self.table, self.chance.copy())

    def restart(self) -> None:
        self.chance.restart()


def inject(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the scripts decide at all tables that are made or read from now on."""
    real = LiveTable.draw_from

    def draw_from(table: LiveTable, seals: list[StoredSeal]) -> tuple[Chance, bytes]:
        chance, link = real(table, seals)
        return Scripted(table.id, chance), link

    monkeypatch.setattr(LiveTable, "draw_from", draw_from)
