"""A game at a terminal, or through a pipe: one or more people at the keyboard, bots in the other seats.

A person is shown what lies open before them (sight; or what they know, where the game does not ask them to remember)
and is told what happened since they last acted. Where several people share the keyboard, the screen is cleared before
anything private is shown.
"""

import codecs
import io
import sys
import unicodedata
from pathlib import Path
from typing import NamedTuple, TextIO

from rich.columns import Columns
from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from motherlode import bots, engine, sentences, sheet, text
from motherlode.bots import hint
from motherlode.engine import Refusal
from motherlode.game import CHANCE, HIDDEN, Game, new_rng
from motherlode.table import Bot, Illegal, Table, Told

HELP = """\
  ACTION          act, by name (play H7) or by number; if only one action is legal, Enter is enough
  actions         list the legal actions again
  position        show the position again
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


def print_told(console: Console, game: Game, told: Told, line: text.Line, names: list[str]) -> None:
    """Print an action as a seat was told it, and what came of it."""
    is_chance = told.actor == CHANCE
    if is_chance and told.action == HIDDEN and not line.events:
        return  # "deal ?" says nothing
    words = f"  chance: {line.words}" if is_chance else f"{names[told.actor]}: {line.words}"
    console.print(words, style="dim" if is_chance else "", highlight=False, markup=False)
    for event in line.events:
        console.print(f"  → {sentences.event(game, event, names, first=0)}", highlight=False, markup=False)


def list_actions(console: Console, game: Game, legal: list[int]) -> None:
    """List each action with its number or, if there are many, by kind: dig <site> right: a1 a2 …"""
    table = game.ACTIONS
    console.print()
    if len(legal) <= MOST_LISTED:
        console.print(Columns([Text(f"[{a}] {table.name(a)}") for a in legal], padding=(0, 3)))
        return
    kinds: dict[str, list[str]] = {}
    for a in legal:
        kind, values = table.read(a)
        words = [arg.words[value] for arg, value in zip(kind.args, values, strict=True) if len(arg.words) > 1]
        kinds.setdefault(text.pattern(kind), []).append(" ".join(words))
    for pattern, arguments in kinds.items():
        console.print(Text(f"{pattern}: {'  '.join(arguments)}"), soft_wrap=False)


def show_rules(console: Console, game: Game, number: str) -> None:
    """Print one clause, or all rules."""
    if number:
        console.print(sheet.clause(game, number), highlight=False, markup=False)
    else:
        console.print(Markdown(sheet.read(game)))


def say_refusal(console: Console, game: Game, refusal: Refusal | OSError) -> None:
    """Print why something is refused, with the clause if it breaks a rule."""
    clause = sheet.plain_clauses(game).get(refusal.clause, "") if isinstance(refusal, Illegal) else ""
    words = f"{refusal}. {clause}" if isinstance(refusal, Illegal) else str(refusal)
    console.print(words, style="red", markup=False)


class TerminalGame:
    """A table that is played at one terminal."""

    help = HELP
    prompt_style: str | None = "bold"

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
        self.show_position(seat)
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
                self.console.print(self.help, highlight=False)
            elif word == "quit":
                raise Quit
            elif word == "actions":
                self.list_actions(rest)
            elif word == "position":
                self.show_position(seat)
            elif word == "log":
                if self.sight and bytes(self.table.view(seat)) != bytes(self.table.view(seat, sight=True)):
                    raise Refusal(f"you have to remember that yourself: {sheet.clause(self.table.game, 'ALL-5')}")
                self.tell(seat, 0)
            elif word == "hint":
                self.hint(seat)
            elif word == "rules":
                show_rules(self.console, self.table.game, rest.strip())
            elif word == "save":
                self.table.save(rest.strip() or "record.txt")
                self.console.print(f"saved as {rest.strip() or 'record.txt'}", highlight=False)
            elif line or len(legal) == 1:
                self.choose(line, seat)
        except (Refusal, OSError) as refusal:
            say_refusal(self.console, self.table.game, refusal)

    def choose(self, line: str, seat: int) -> None:
        """Do what a line names, or the only thing that may be done."""
        self.table.act(line or self.table.legal()[0], seat=seat)

    def show_position(self, seat: int) -> None:
        self.console.print(ink(self.table.game, self.table.show(seat, sight=self.sight)))

    def read(self, prompt: str) -> str:
        if self.is_live:
            self.console.print(prompt, end="", style=self.prompt_style, markup=False)
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
            print_told(self.console, table.game, table.told(seat)[at], told, self.names)
        self.read_up_to[seat] = table.at
        if since is None:
            self.console.print()

    def list_actions(self, some: str = "") -> None:
        list_actions(self.console, self.table.game, engine.legal(self.table.game, self.table.position))

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

    def show_record(self, path: Path) -> None:
        """Say where the record is, and what can be done with it."""
        self.console.print(f"to review the game: motherlode review {path}")
        self.console.print(f"the record: {path}")


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
