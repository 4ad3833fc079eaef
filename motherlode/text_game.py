"""`motherlode play GAME --text`: a game at a terminal in words alone, against bots or with others at the keyboard."""

from pathlib import Path
from typing import TextIO

from rich.console import Console

from motherlode import bots, engine, sentences, text
from motherlode.afterwards import HELP as AFTER_HELP
from motherlode.afterwards import Afterwards, unknown
from motherlode.bots import hint
from motherlode.game import new_rng
from motherlode.sentences import Did
from motherlode.table import Bot, Table
from motherlode.terminal import InputEnded, Player, TerminalGame
from motherlode.text_table import HELP, Advice, Now, TextTable, did_of, now_of

YOU = "Player"  # whoever has given no name
AFTERWARDS = """\
log: everything that happened
quit: stop, as Enter does"""
SAVING = """\
save FILE: save the record so far
quit: stop; the record so far is kept"""


class TextGame(TerminalGame):
    """A table that is played at one terminal, in words."""

    help = f"{HELP}\n{SAVING}"
    prompt_style = None

    def __init__(self, table: Table, players: list[Player], console: Console, source: TextIO, *, sight: bool) -> None:
        super().__init__(table, players, console, source, sight=sight)
        self.words = TextTable(table.game, console.file)
        self.names = self.words.names = sentences.numbered(
            [YOU if player.bot is None and player.name == "you" else player.name for player in players]
        )
        self.sure: int | None = None  # an action that waits for yes

    def now(self, seat: int) -> Now:
        legal = engine.legal(self.table.game, self.table.position) if self.table.turn == seat else []
        return now_of(self.table.game, self.table.view(seat, sight=self.sight), legal)

    def told(self, seat: int, since: int) -> list[Did]:
        """The log as a seat was told it, from a place on."""
        table = self.table
        return [
            did_of(at, s.turn, entry.action, text.describe(table.game, s, entry.action, table.positions[at + 1], seat))
            for at, (s, entry) in enumerate(zip(table.positions, table.told(seat), strict=False))
            if at >= since
        ]

    def act(self, bot: Bot) -> None:
        seat, was_lost = self.table.turn, bots.lost(bot)
        self.table.act(bot(self.table.ask(), self.table.rng))
        if bots.lost(bot) != was_lost:
            self.words.say(f"{self.names[seat]} {bots.lost(bot)}, and plays on at random.")

    def ask(self, seat: int) -> None:
        self.draw_curtain(seat)
        if self.read_up_to[seat] == 0:
            self.words.say(f"{self.table.game.TITLE}. You are {self.names[seat]}; ? lists the commands.")
        self.tell(seat)
        self.words.ask(self.now(seat))
        at = self.table.at
        while self.table.at == at:
            self.obey(self.read("> "), seat)

    def obey(self, line: str, seat: int) -> None:
        sure, self.sure = self.sure, None
        if sure is not None and line.lower() in ("y", "yes"):
            self.table.act(sure, seat=seat)
        else:
            super().obey(line, seat)

    def choose(self, line: str, seat: int) -> None:
        now = self.now(seat)
        action = self.words.find(line, now) if line else now.legal[0]
        question = sentences.question(self.table.game, action, self.names)
        if question and action in now.legal:
            self.sure = action
            self.words.say(f"{question} yes or no?")
        else:
            self.table.act(action, seat=seat)

    def show_position(self, seat: int) -> None:
        self.words.describe(self.now(seat))

    def list_actions(self, some: str = "") -> None:
        self.words.list_choices(self.now(self.table.turn), some)

    def tell(self, seat: int, since: int | None = None) -> None:
        table, begin = self.table, self.read_up_to[seat] if since is None else since
        view = engine.view(table.game, table.positions[begin], seat, sight=self.sight)
        self.words.tell(self.told(seat, begin), table.game.drawn(view))
        self.read_up_to[seat] = table.at

    def hint(self, seat: int) -> None:
        ask = self.table.ask()
        if self.sight:
            ask = ask._replace(view=self.table.view(seat, sight=True), log=[])
        judge = hint.judge(ask.game)
        if not bots.is_warm(judge, ask.game):
            self.words.say("Warming up.")
            bots.warm(judge, ask.game)
        found = hint.suggest(ask, new_rng(self.table.seed, self.table.at))
        self.words.advise([Advice(one.action, one.win) for one in found], self.now(seat))

    def show_rules(self, number: str) -> None:
        self.words.rules(number)

    def clear(self) -> None:
        """Only what is private to somebody else goes."""
        if len(self.people) > 1:
            super().clear()

    def show_end(self) -> None:
        if len(self.people) == 1:
            self.tell(self.people[0])
        viewer = self.people[0] if len(self.people) == 1 else -1
        self.words.show_result(self.table.points, self.table.winners, self.told(viewer, 0))

    def show_record(self, path: Path) -> None:
        """Say where the record is, and answer what is asked, until the person quits or there is no more input."""
        self.words.say(f"The record: {path}")
        after = Afterwards(self.words, self.table.record, self.people or None)
        if self.is_live:
            self.words.say(AFTER_HELP, AFTERWARDS)
        while (line := self.read_next()) is not None and (after.puzzle or line not in ("", "quit")):
            if after.obey(line):
                continue
            if line in ("?", "help"):
                self.words.say(AFTER_HELP, AFTERWARDS)
            elif line == "log":
                self.words.tell(self.told(-1, 0), None)
            else:
                self.words.say(str(unknown(line)))

    def read_next(self) -> str | None:
        try:
            return self.read("> ")
        except InputEnded:
            return None
