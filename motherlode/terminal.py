"""A game at a terminal, or through a pipe: one person or several at the keyboard, bots in the other seats.

A person is shown what lies open before them (sight) and is told what happened since they last acted. Where several
share the keyboard a curtain falls before private things are shown.
"""

from typing import NamedTuple, TextIO

from rich.columns import Columns
from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from motherlode import bots, engine, sheet, text
from motherlode.bots import hint
from motherlode.engine import Refusal
from motherlode.game import CHANCE, HIDDEN, Game, new_rng
from motherlode.table import Bot, Illegal, Table

HELP = """\
  ACTION          do it: its name (play H7) or its number; with only one legal action, Enter does it
  actions         list the legal actions again
  hint            what a strong player would do, knowing what you know
  log             everything you were told so far
  rules [CLAUSE]  the rules, or one clause: rules 3.2
  save FILE       write the record so far
  quit            stop; the record so far is kept"""


MANY = 24  # actions that are listed one by one


class Quit(Exception):
    """The person has had enough."""


class InputEnded(Exception):
    """There is nobody left to ask."""


class Player(NamedTuple):
    name: str
    bot: Bot | None


def seat_players(names: list[str], seats: int, game: Game | None = None) -> list[Player]:
    """`me` or `me:Ann` is a person at this keyboard, anything else a bot."""
    if len(names) != seats:
        raise Refusal(f"{seats} seats need {seats} players, not {len(names)}: me,greedy for example")
    players = []
    for name in names:
        who, _, called = name.partition(":")
        players.append(Player(called or "you", None) if who == "me" else Player(name, bots.make(name, game)))
    return players


def ink(game: Game, screen: str) -> Text:
    painted = Text(screen)
    for pattern, style in game.INKS.items():
        painted.highlight_regex(pattern, style)
    return painted


class Sitting:
    """One table with its people at one terminal."""

    def __init__(self, table: Table, players: list[Player], console: Console, source: TextIO, *, sight: bool) -> None:
        self.table, self.players, self.console, self.source, self.sight = table, players, console, source, sight
        self.heard = [0] * table.seats  # how much of its told log each seat has read
        self.people = [seat for seat, player in enumerate(players) if player.bot is None]
        self.at_keyboard = self.people[0] if len(self.people) == 1 else None

    @property
    def is_live(self) -> bool:
        return self.console.is_terminal and self.source.isatty()

    def play(self) -> None:
        """Until the game is over or somebody quits."""
        table = self.table
        while not table.is_over:
            bot = self.players[table.turn].bot
            if bot:
                self.act(bot)
            else:
                self.ask(table.turn)
        self.show_end()

    def act(self, bot: Bot) -> None:
        seat, was_lost = self.table.turn, bots.lost(bot)
        self.table.act(bot(self.table.ask(), self.table.rng))
        if bots.lost(bot) != was_lost:
            self.console.print(
                f"{self.called(seat)} {bots.lost(bot)}, and goes on at random", style="red", markup=False
            )

    def ask(self, seat: int) -> None:
        self.draw_curtain(seat)
        self.clear()
        help_is = " (? is help)" if self.heard[seat] == 0 else ""
        self.tell(seat)
        self.console.print(ink(self.table.game, self.table.show(seat, sight=self.sight)))
        self.list_actions()
        at = self.table.at
        while self.table.at == at:
            self.obey(self.read(f"{self.called(seat)}{help_is}> "), seat)

    def obey(self, line: str, seat: int) -> None:
        """One line typed by the person to act."""
        word, _, rest = line.partition(" ")
        legal = self.table.legal()
        try:
            if word in ("?", "help"):
                self.console.print(HELP, highlight=False)
            elif word == "quit":
                raise Quit
            elif word == "actions":
                self.list_actions()
            elif word == "log":
                if self.sight and bytes(self.table.view(seat)) != bytes(self.table.view(seat, sight=True)):
                    raise Refusal(f"that is for you to remember: {sheet.clause(self.table.game, 'ALL-5')}")
                self.tell(seat, 0)
            elif word == "hint":
                self.hint(seat)
            elif word == "rules":
                self.show_rules(rest.strip())
            elif word == "save":
                self.table.save(rest.strip() or "record.txt")
                self.console.print(f"saved as {rest.strip() or 'record.txt'}", highlight=False)
            elif line or len(legal) == 1:
                self.table.act(line or legal[0], seat=seat)
        except Illegal as refusal:
            self.console.print(f"{refusal}\n{sheet.clause(self.table.game, refusal.clause)}", style="red", markup=False)
        except (Refusal, OSError) as refusal:
            self.console.print(str(refusal), style="red", markup=False)

    def read(self, prompt: str) -> str:
        if self.is_live:
            self.console.print(prompt, end="", style="bold", markup=False)
        line = self.source.readline()
        if not line:
            raise InputEnded(f"the input ended at action {self.table.at}, before the game did")
        return " ".join(line.split())

    def tell(self, seat: int, since: int | None = None) -> None:
        """What happened since this seat last looked, in the words it was told."""
        table = self.table
        for at in range(self.heard[seat] if since is None else since, table.at):
            s = table.positions[at]
            if s.turn == CHANCE and since is None and table.told(seat)[at].action == HIDDEN:
                continue  # "deal ?" tells nothing
            words = text.tell(table.game, s, table.log[at], seat)
            line, style = (f"  chance: {words}", "dim") if s.turn == CHANCE else (f"{self.called(s.turn)}: {words}", "")
            self.console.print(line, style=style, highlight=False, markup=False)
        self.heard[seat] = table.at
        if since is None:
            self.console.print()

    def called(self, seat: int) -> str:
        return f"seat {seat} ({self.players[seat].name})"

    def list_actions(self) -> None:
        """Each with its number, or, where they are many, what may be said of each kind: dig <site> right: a1 a2 …"""
        table = self.table.game.ACTIONS
        legal = engine.legal(self.table.game, self.table.position)
        self.console.print()
        if len(legal) <= MANY:
            self.console.print(Columns([Text(f"[{a}] {table.name(a)}") for a in legal], padding=(0, 3)))
            return
        kinds: dict[str, list[str]] = {}
        for a in legal:
            kind, values = table.read(a)
            said = [arg.words[value] for arg, value in zip(kind.args, values, strict=True) if len(arg.words) > 1]
            kinds.setdefault(text.pattern(kind), []).append(" ".join(said))
        for words, said in kinds.items():
            self.console.print(Text(f"{words}: {'  '.join(said)}"), soft_wrap=False)

    def hint(self, seat: int) -> None:
        """From what the person has before them; with random numbers of its own, so that the game goes on the same."""
        ask = self.table.ask()
        if self.sight:
            ask = ask._replace(view=self.table.view(seat, sight=True), log=[])
        if not bots.is_warm("search", ask.game):
            with self.console.status("warming up …"):
                bots.warm("search", ask.game)
        with self.console.status("thinking …"):
            suggestions = hint.suggest(ask, new_rng(self.table.seed, self.table.at))
        self.console.print(hint.say(suggestions), highlight=False, markup=False)

    def show_rules(self, number: str) -> None:
        game = self.table.game
        if number:
            self.console.print(sheet.clause(game, number), highlight=False, markup=False)
        else:
            self.console.print(Markdown(sheet.read(game)))

    def draw_curtain(self, seat: int) -> None:
        if self.is_live and seat != self.at_keyboard and len(self.people) > 1:
            self.clear()
            self.console.print(
                f"{self.called(seat)} is to act. Enter, when only they can see the screen.", style="bold"
            )
            self.read("")
        self.at_keyboard = seat

    def clear(self) -> None:
        if self.is_live:
            self.console.file.write("\x1b[3J")  # what was in sight before must not be scrolled back to
            self.console.clear()

    def show_end(self) -> None:
        self.clear()
        if len(self.people) == 1:
            self.tell(self.people[0])
        self.console.print(ink(self.table.game, self.table.game.show(self.table.position)))
        self.console.print(f"\n{text.result(self.table.game, self.table.position)}", style="bold", highlight=False)
