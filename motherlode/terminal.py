"""A game at a terminal, or through a pipe: one or more people at the keyboard, bots in the other seats.

A person is shown what lies open before them (sight; or what they know, where the game does not ask them to remember)
and is told what happened since they last acted. Where several people share the keyboard, the screen is cleared before
anything private is shown.
"""

import codecs
import io
import sys
import unicodedata
from typing import NamedTuple, TextIO

from rich.columns import Columns
from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from motherlode import bots, engine, sentences, sheet, text
from motherlode.bots import hint
from motherlode.engine import Refusal
from motherlode.game import CHANCE, HIDDEN, Game, new_rng
from motherlode.table import Bot, Illegal, Table

HELP = """\
  ACTION          act, by name (play H7) or by number; if only one action is legal, Enter is enough
  actions         list the legal actions again
  hint            what a strong player would do, knowing what you know
  log             everything you were told so far
  rules [CLAUSE]  the rules, or one clause: rules 3.2
  save FILE       save the record so far
  quit            stop; the record so far is kept"""


MOST_LISTED = 24  # actions; more than that are listed by kind


class Quit(Exception):
    """The person wants to stop."""


class InputEnded(Exception):
    """There is no more input."""


class Player(NamedTuple):
    name: str
    bot: Bot | None


def seat_players(names: list[str], seats: int, game: Game | None = None) -> list[Player]:
    """`me` or `me:Ann` is a person at this keyboard; every other name is a bot's."""
    if len(names) != seats:
        raise Refusal(f"{seats} seats need {seats} players, not {len(names)}; write me,greedy for example")
    players = []
    for name in names:
        who, _, person = name.partition(":")
        players.append(Player(person or "you", None) if who == "me" else Player(name, bots.make(name, game)))
    return players


def ink(game: Game, screen: str) -> Text:
    """A screen of text in the game's colours."""
    coloured = Text(screen)
    for pattern, style in game.INKS.items():
        coloured.highlight_regex(pattern, style)
    return coloured


class TerminalGame:
    """A table that is played at one terminal."""

    def __init__(self, table: Table, players: list[Player], console: Console, source: TextIO, *, sight: bool) -> None:
        self.table, self.players, self.console, self.source, self.sight = table, players, console, source, sight
        self.read_up_to = [0] * table.seats  # how much of its log each seat has read
        self.names = sentences.seat_names(table.seats, [player.name for player in players])
        self.people = [seat for seat, player in enumerate(players) if player.bot is None]
        self.at_keyboard = self.people[0] if len(self.people) == 1 else None

    @property
    def is_live(self) -> bool:
        return self.console.is_terminal and self.source.isatty()

    def play(self) -> None:
        """Play until the game is over or somebody quits."""
        table = self.table
        while not table.is_over:
            bot = self.players[table.turn].bot
            if bot:
                self.act(bot)
            else:
                self.ask(table.turn)
        self.show_end()

    def end(self) -> None:
        """Nobody plays on here; programs are ended."""
        for player in self.players:
            if player.bot:
                bots.end(player.bot, self.table)
        bots.end_programs()

    def act(self, bot: Bot) -> None:
        seat, was_lost = self.table.turn, bots.lost(bot)
        self.table.act(bot(self.table.ask(), self.table.rng))
        if bots.lost(bot) != was_lost:
            self.console.print(
                f"{self.names[seat]} {bots.lost(bot)}, and plays on at random", style="red", markup=False
            )

    def ask(self, seat: int) -> None:
        self.draw_curtain(seat)
        self.clear()
        about_help = " (? for help)" if self.read_up_to[seat] == 0 else ""
        self.tell(seat)
        self.console.print(ink(self.table.game, self.table.show(seat, sight=self.sight)))
        self.list_actions()
        at = self.table.at
        while self.table.at == at:
            self.obey(self.read(f"{self.names[seat]}{about_help}> "), seat)

    def obey(self, line: str, seat: int) -> None:
        """Do what the person to act has typed."""
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
                    raise Refusal(f"you have to remember that yourself: {sheet.clause(self.table.game, 'ALL-5')}")
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
            clause = sheet.plain_clauses(self.table.game).get(refusal.clause, "")
            self.console.print(f"{refusal}. {clause}", style="red", markup=False)
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
        """Print what happened since this seat last looked, as the seat was told it."""
        table = self.table
        for at in range(self.read_up_to[seat] if since is None else since, table.at):
            s = table.positions[at]
            told = text.tell(table.game, s, table.log[at], seat)
            if s.turn == CHANCE and table.told(seat)[at].action == HIDDEN and not told.events:
                continue  # "deal ?" says nothing
            line, style = (
                (f"  chance: {told.words}", "dim") if s.turn == CHANCE else (f"{self.names[s.turn]}: {told.words}", "")
            )
            self.console.print(line, style=style, highlight=False, markup=False)
            for event in told.events:
                words = sentences.event(table.game, event, self.names, first=0)
                self.console.print(f"  → {words}", highlight=False, markup=False)
        self.read_up_to[seat] = table.at
        if since is None:
            self.console.print()

    def list_actions(self) -> None:
        """List each action with its number or, if there are many, by kind: dig <site> right: a1 a2 …"""
        table = self.table.game.ACTIONS
        legal = engine.legal(self.table.game, self.table.position)
        self.console.print()
        if len(legal) <= MOST_LISTED:
            self.console.print(Columns([Text(f"[{a}] {table.name(a)}") for a in legal], padding=(0, 3)))
            return
        kinds: dict[str, list[str]] = {}
        for a in legal:
            kind, values = table.read(a)
            words = [arg.words[value] for arg, value in zip(kind.args, values, strict=True) if len(arg.words) > 1]
            kinds.setdefault(text.pattern(kind), []).append(" ".join(words))
        for pattern, arguments in kinds.items():
            self.console.print(Text(f"{pattern}: {'  '.join(arguments)}"), soft_wrap=False)

    def hint(self, seat: int) -> None:
        """Print a hint from what the person sees now. It has random numbers of its own, so it changes nothing."""
        ask = self.table.ask()
        if self.sight:
            ask = ask._replace(view=self.table.view(seat, sight=True), log=[])
        judge = hint.judge(ask.game)
        if not bots.is_warm(judge, ask.game):
            with self.console.status("warming up …"):
                bots.warm(judge, ask.game)
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
                f"{self.names[seat]} is to act. Press Enter when nobody else can see the screen.", style="bold"
            )
            self.read("")
        self.at_keyboard = seat

    def clear(self) -> None:
        if self.is_live:
            self.console.file.write("\x1b[3J")  # clears what could be scrolled back to
            self.console.clear()

    def show_end(self) -> None:
        self.clear()
        if len(self.people) == 1:
            self.tell(self.people[0])
        self.console.print(ink(self.table.game, self.table.game.show(self.table.position)))
        self.console.print(f"\n{text.result(self.table.game, self.table.position)}", style="bold", highlight=False)


# Terminals that cannot show every character

ASCII = {"±": "+-", "−": "-", "–": "-", "×": "x", "→": "->", "≥": ">=", "≤": "<=", "’": "'", "œ": "oe"}
ASCII |= {"«": '"', "»": '"', "·": "-", "♣": "C", "♦": "D", "♥": "H", "♠": "S"}


def spell_in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that the output cannot encode; an error handler of `codecs`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    spelled = ""
    for character in error.object[error.start : error.end]:
        bare = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
        spelled += ASCII.get(character) or bare or "?"
    return spelled, error.end


def accept_every_encoding() -> None:
    """Let standard input and output work in any encoding."""
    codecs.register_error("motherlode-ascii", spell_in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="motherlode-ascii")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
