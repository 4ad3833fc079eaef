"""`motherlode play LINK`: a table of a parlour, joined by its link, in words alone.

Three threads talk through one queue: what is typed, what the parlour sends, and the game itself, which prints a line
for everything that happens. Through a pipe a line is read only when it is our turn.
"""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from queue import Queue
from typing import IO, Any, NamedTuple, TextIO

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.sync.client import ClientConnection

from motherlode import proof, sentences, text
from motherlode import seen as seeing
from motherlode.afterwards import HELP as AFTER_HELP
from motherlode.afterwards import Afterwards, unknown
from motherlode.engine import Refusal
from motherlode.game import Event, Game
from motherlode.parlour_client import Parlour, Part, words_of_refusal
from motherlode.sentences import Did
from motherlode.terminal import InputEnded
from motherlode.text_table import HELP, Advice, Now, TextTable, did_of_wire

OTHER_COMMANDS = """\
who: who is at the table
chat WORDS: say something to the table
resign: give the game up; it is lost for you
adjourn, resume: ask for a pause, or go on
return: take your seat back from a bot
quit: leave without resigning; the same command brings you back"""
AFTERWARDS = """\
log: everything that happened
chat WORDS: say something to the table
quit: leave, as Enter does"""
WHILE_IT_LASTS = ("actions", "hint", "adjourn", "resume", "return", "resign")
FIRST_WAIT, LONGEST_WAIT = 0.5, 10.0  # seconds before a lost connection is opened again
FOR_GOOD = (1008, 4001, 4003, 4004, 4005)  # codes of a socket that is closed for good
NOT_FOR_GOOD = (408, 429, 500, 502, 503, 504)  # refusals of a parlour that may be over in a moment


class Heard(NamedTuple):
    """Something that the game has to know of."""

    what: str  # line, ended, message, opened, cut or closed
    words: str = ""
    message: dict[str, Any] | None = None


class Line:
    """The line to the parlour: a thread that reads it, and opens it again when it was cut."""

    def __init__(self, parlour: Parlour, seat: int | None, hear: Callable[[Heard], None]) -> None:
        self.parlour, self.seat, self.hear = parlour, seat, hear
        self.at = 0  # how much we were told of
        self.socket: ClientConnection | None = None
        self.left = threading.Event()
        self.pause: Callable[[float], object] = self.left.wait

    def start(self) -> None:
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self) -> None:
        wait = FIRST_WAIT
        while not self.left.is_set():
            try:
                with self.parlour.open(self.seat, self.at) as self.socket:
                    self.hear(Heard("opened"))
                    wait = FIRST_WAIT
                    for message in self.socket:
                        self.hear(Heard("message", message=json.loads(message)))
                    code, why = self.socket.close_code, self.socket.close_reason
            except ConnectionClosed as closed:
                code, why = (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd else (1006, "")
            except InvalidStatus as refused:
                status = refused.response.status_code
                code = 1006 if status in NOT_FOR_GOOD else FOR_GOOD[0]
                why = words_of_refusal(bytes(refused.response.body or b""), status)
            except (OSError, InvalidHandshake, TimeoutError, ValueError) as error:
                code, why = 1006, str(error)
            self.socket = None
            if self.left.is_set():
                return
            if code in FOR_GOOD:
                self.hear(Heard("closed", why or "the parlour has closed the connection"))
                return
            self.hear(Heard("cut", f"{wait:g} second{'' if wait == 1 else 's'}"))
            self.pause(wait)
            wait = min(2 * wait, LONGEST_WAIT)

    def send(self, **message: Any) -> bool:
        """Whether it could be sent."""
        socket = self.socket
        try:
            if socket:
                socket.send(json.dumps(message))
        except ConnectionClosed:
            return False
        return socket is not None

    def leave(self) -> None:
        self.left.set()
        if self.socket:
            self.socket.close()


class JoinedTable:
    """A seat at a table of a parlour, or a place among those who watch."""

    def __init__(
        self,
        parlour: Parlour,
        out: IO[str],
        source: TextIO,
        *,
        new_file: Callable[[str], Path],
        name: str | None = None,
        only_watch: bool = False,
        save: Path | None = None,
    ) -> None:
        self.parlour, self.out, self.source, self.new_file, self.save = parlour, out, source, new_file, save
        self.me = parlour.be_guest(name)
        self.card = parlour.get(parlour.at_table())
        self.game = self.find_game()
        self.words = TextTable(self.game, out)
        self.seat = self.sit_down(only_watch=only_watch or parlour.is_to_watch)
        self.part = Part(parlour, self.seat)
        self.queue: Queue[Heard] = Queue()
        self.line = Line(parlour, self.seat, self.queue.put)
        self.table: dict[str, Any] = {}  # the last message
        self.log: dict[int, Did] = {}
        self.said: set[str] = set()  # lines of chat
        self.present: list[bool] = []
        self.state = ""  # what keeps the game from going on, as last said
        self.asked_at = -1  # the place in the log at which we were asked to act
        self.sent: int | None = None  # where an action was sent that is not answered yet
        self.sure: Callable[[], None] | None = None  # what waits for yes
        self.is_new = True  # nothing came over this socket yet
        self.was_cut = self.is_over = self.is_reading = self.is_thinking = False
        self.afterwards: Afterwards | None = None  # when the game is over
        self.may_read = threading.Semaphore(0)

    # Sitting down

    def find_game(self) -> Game:
        name = str(self.card["game"])
        try:
            game = text.find_game(name)
        except Refusal as refusal:
            raise Refusal(f"this table plays {self.card['title']}, which is not installed here: {refusal}") from None
        theirs = next(one for one in self.parlour.get("/api/games") if one["name"] == name)["rules"]
        if theirs != game.RULES:
            raise Refusal(
                f"this parlour plays version {theirs} of the rules of {game.TITLE}, and this is version {game.RULES}: "
                "use the same version of Motherlode as the parlour"
            )
        return game

    def sit_down(self, *, only_watch: bool) -> int | None:
        """Our seat, taken if need be; None: we only watch."""
        card, parlour = self.card, self.parlour
        if card["goes_on"]:
            raise Refusal(f"the game goes on at another table: {parlour.server}/table/{card['goes_on']}")
        if card["closed"]:
            raise Refusal("this game was ended early by whoever runs the server: nobody can act there any more")
        if card["over"]:
            raise Refusal(f"the game at this table is over; it can be looked at: {parlour.link}/text#replay")
        if only_watch:
            if not card["watch"] and not card["mine"]:
                raise Refusal("this table may not be watched: whoever made it has said so")
            return None
        if card["mine"]:
            return int(card["mine"][0])
        if parlour.code is not None:
            return int(parlour.post(parlour.at_table(f"/seats/{parlour.seat}/take"), code=parlour.code)["seat"])
        free = [player["seat"] for player in card["players"] if player["takes"] == "anyone"]
        if not free:
            to_watch = "; --watch only watches" if card["watch"] else ""
            if any(player["kind"] == "open" for player in card["players"]):
                raise Refusal(f"the open seats of this table are for invited friends: ask for a link of one{to_watch}")
            raise Refusal(f"every seat of this table is taken{to_watch}")
        return int(parlour.post(parlour.at_table(f"/seats/{free[0]}/take"))["seat"])

    # The game

    def play(self) -> None:
        """Until the game is over, or somebody quits."""
        where = (
            "You watch." if self.seat is None else f"You are {self.me}, in seat {self.seat + 1}; ? lists the commands."
        )
        self.words.say(f"{self.game.TITLE}. {where}")
        self.line.start()
        threading.Thread(target=self.read, daemon=True).start()
        try:
            while self.hear(self.queue.get()):
                self.want_line()
        except KeyboardInterrupt:
            self.words.say(self.how_to_return())
        finally:
            self.line.leave()

    @property
    def is_live(self) -> bool:
        return self.source.isatty()

    def read(self) -> None:
        while True:
            self.may_read.acquire()
            line = self.source.readline()
            self.queue.put(Heard("line", " ".join(line.split())) if line else Heard("ended"))
            if not line:
                return

    def want_line(self) -> None:
        """Let the next line be read; through a pipe only when there is something to say."""
        is_mine = bool(self.table.get("legal")) and self.sent is None and not self.is_thinking and not self.was_cut
        if not self.is_reading and (self.is_live or is_mine or self.is_over):
            self.is_reading = True
            self.may_read.release()

    def hear(self, heard: Heard) -> bool:
        """Deal with one thing; whether to go on."""
        if heard.what == "line":
            self.is_reading = False
            return self.obey(heard.words)
        if heard.what == "ended":
            if not self.is_over and self.seat is not None:
                words = f"the input ended at action {self.table.get('at', 0)}, before the game did"
                raise InputEndedAtTable(f"{words}; {self.how_to_return()}")
            return not self.is_over
        if heard.what == "cut":
            if not self.was_cut:
                self.words.say("The connection is lost.")
            if not self.is_over:
                self.words.say(f"Trying again in {heard.words}.")
            self.was_cut, self.sent, self.is_thinking = True, None, False
        elif heard.what == "opened":
            self.is_new = True
            if self.was_cut:
                self.words.say("Connected again.")
            self.was_cut = False
        elif heard.what == "closed":
            if not self.is_over:
                raise Refusal(heard.words)
            self.words.say(f"The parlour has closed the connection: {heard.words}.")
        elif heard.message:
            return self.receive(heard.message)
        return True

    def how_to_return(self) -> str:
        return f"to come back: motherlode play {self.parlour.link}"

    # What the parlour sends

    def receive(self, message: dict[str, Any]) -> bool:
        kind = message["is"]
        if kind == "table":
            return self.see(message)
        if kind == "chat":
            for line in message["lines"]:
                self.hear_chat(line)
        elif kind == "presence":
            self.present = message["present"]
        elif kind == "hint":
            self.is_thinking = False
            wins = [None if message["plain"] else one["win"] for one in message["suggestions"]]
            found = zip((one["action"] for one in message["suggestions"]), wins, strict=True)
            self.words.advise([Advice(*one) for one in found], self.now())
        elif kind == "no" and message["do"] != "seen":
            self.sent = None if message["do"] in ("act", None) else self.sent
            self.is_thinking = self.is_thinking and message["do"] != "hint"
            self.words.say(message["no"])
        elif kind == "rematch":
            self.words.say(f"They play again: motherlode play {self.parlour.server}/table/{message['table']}")
        return True

    def see(self, message: dict[str, Any]) -> bool:
        """The table as it is now."""
        if self.is_new:
            self.compare(message)
        elif message["at"] < self.table["at"]:
            return True
        self.part.note(message)
        names = [name_of(player) for player in message["players"]]
        self.words.names = sentences.numbered(names)
        news = [did for did in map(did_of_wire, message["did"]) if did.at not in self.log]
        self.log |= {did.at: did for did in news}
        drawn, is_first = self.table.get("drawn"), not self.table
        self.is_new, before, self.table, self.line.at = False, self.table, message, message["at"]
        if before and message["at"] > before["at"]:
            self.sent = None
        self.say_changes(before)
        if is_first and message["at"]:
            self.words.say(f"Actions so far: {message['at']}. log tells them, position tells how the table stands.")
        elif news:
            self.words.tell(news, drawn)
        self.part.take(message)
        if message["closed"]:
            self.words.say("The game was ended early by whoever runs the server.")
            return False
        if message["result"]:
            return self.end(message["result"])
        if message["legal"] and self.asked_at != message["at"]:
            self.asked_at = message["at"]
            self.words.ask(self.now())
            if message["clock"]:
                self.words.say(f"You have {message['clock']['left']:.0f} seconds.")
        return True

    def compare(self, message: dict[str, Any]) -> None:
        """Show the parlour the last head that we saw. One restored from a backup may have lost what followed."""
        last = self.part.last_head()
        if last and last["link"] != (message["head"] or {}).get("link"):
            self.line.send(do="seen", **last)
        if self.table and message["at"] < self.table["at"]:
            self.words.say("The parlour was restored from a backup: the game goes on from an earlier point.")
            self.log = {at: did for at, did in self.log.items() if at < message["at"]}
            self.asked_at = -1

    def say_changes(self, before: dict[str, Any]) -> None:
        """What has changed beside the game: who came and went, what is waited for."""
        now = self.table
        for was, player in zip(before.get("players", []), now["players"], strict=False):
            name = self.words.names[player["seat"]]
            if player["seat"] != self.seat and (was["kind"], was["name"]) != (player["kind"], player["name"]):
                self.words.say(f"Seat {player['seat'] + 1}: {name}.")
            if player["bot"] and not was["bot"] and player["kind"] == "person":
                self.words.say(f"{player['bot']} plays on for {name}.")
            for key, words in (
                ("resigned", "has resigned"),
                ("adjourns", "asks for a pause: adjourn agrees, resume goes on"),
            ):
                if player[key] and not was[key] and player["seat"] != self.seat:
                    self.words.say(f"{name} {words}.")
        missing = sum(player["kind"] == "open" for player in now["players"])
        state = (
            f"Waiting for {missing} more {'player' if missing == 1 else 'players'}."
            if now["waiting"] and missing
            else "The shuffle is being sealed."
            if now["waiting"]
            else "The game is adjourned: resume goes on."
            if now["adjourned"]
            else ""
        )
        if state != self.state:
            self.words.say(state or "The game goes on." if now["at"] or state else "The game begins.")
        self.state = state

    def hear_chat(self, line: dict[str, Any]) -> None:
        key = json.dumps([line["made"], line["name"], line["text"]])
        if key not in self.said:
            self.said.add(key)
            watches = ", who watches," if line["seat"] is None else ""
            self.words.say(f"{line['name']}{watches} says: {line['text']}")

    def now(self) -> Now:
        table = self.table
        lines = [Event(one["kind"], one["args"]) for one in table["described"]]
        legal = [one["action"] for one in table["legal"]]
        return Now(int(table["view"].get("phase", 0)), legal, table["drawn"], lines)

    # What is typed

    def obey(self, line: str) -> bool:
        """Do what was typed; whether to go on."""
        if self.afterwards and self.afterwards.obey(line):
            return True
        word, _, rest = line.partition(" ")
        sure, self.sure = self.sure, None
        if word == "quit" or (self.is_over and not line):
            if not self.is_over:
                self.words.say(f"You have left the table, and not resigned; {self.how_to_return()}")
            return False
        try:
            if sure and word in ("y", "yes"):
                sure()
            elif not self.obey_anytime(word, rest.strip()):
                self.choose(line)
        except Refusal as refusal:
            self.words.say(str(refusal))
        return True

    def obey_anytime(self, word: str, rest: str) -> bool:
        """Do what may be asked whoever is to act; whether it was that."""
        if self.is_over and word in WHILE_IT_LASTS:
            return False
        if word in ("?", "help"):
            self.words.say(*((AFTER_HELP, AFTERWARDS) if self.is_over else (HELP, OTHER_COMMANDS)))
        elif word == "actions":
            self.words.list_choices(self.now(), rest)
        elif word == "position":
            self.words.describe(self.now())
        elif word == "log":
            self.show_log()
        elif word == "rules":
            self.words.rules(rest)
        elif word == "who":
            self.say_who()
        elif word == "chat" and rest:
            self.send(do="chat", text=rest)
        elif word == "hint":
            self.is_thinking = self.send(do="hint")
        elif word in ("adjourn", "resume", "return"):
            self.send(do=word)
        elif word == "resign":
            self.words.say("Give the game up? It is lost for you then. yes or no?")
            self.sure = lambda: self.act(do="resign")
        else:
            return False
        return True

    def choose(self, line: str) -> None:
        if self.is_over:
            raise unknown(line)
        now = self.now() if self.table else None
        if now is None or not now.legal:
            if line:
                raise Refusal("it is not your turn; ? lists what you may ask")
            return
        if not line and len(now.legal) > 1:
            return
        action = self.words.find(line, now) if line else now.legal[0]
        question = sentences.question(self.game, action, self.words.names)
        if question and action in now.legal:
            self.words.say(f"{question} yes or no?")
            self.sure = lambda: self.act(do="act", action=action)
        else:
            self.act(do="act", action=action)

    def act(self, **message: Any) -> None:
        if self.send(**message, at=self.table["at"]):
            self.sent = self.table["at"]

    def send(self, **message: Any) -> bool:
        if not self.line.send(**message):
            self.words.say("The connection is lost: that was not sent.")
            return False
        return True

    def show_log(self) -> None:
        query = "" if self.seat is None else f"?seat={self.seat}"
        log = [did_of_wire(did) for did in self.parlour.get(self.parlour.at_table(f"/log{query}"))["did"]]
        self.words.tell(log, None)

    def say_who(self) -> None:
        for player in self.table["players"]:
            seat = player["seat"]
            notes = ["you"] if seat == self.seat else []
            notes += ["a bot"] if player["kind"] == "bot" else []
            notes += [f"{player['bot']} plays for them"] if player["bot"] and player["kind"] == "person" else []
            if player["kind"] == "person" and seat < len(self.present):
                notes.append("here" if self.present[seat] else "away")
            notes += ["to act"] if self.table["turn"] == seat else []
            self.words.say(f"Seat {seat + 1}: {', '.join([self.words.names[seat], *notes])}.")

    # The end

    def end(self, result: dict[str, Any]) -> bool:
        """Say how it ended, keep the record, and check it against what we saw."""
        if self.is_over:
            return True
        self.is_over = True
        query = "" if self.seat is None else f"?seat={self.seat}"
        if len(self.log) < self.table["at"]:  # in a memory game, or if we came late, we were not told everything
            whole = self.parlour.get(self.parlour.at_table(f"/log{query}"))["did"]
            self.log = {did["at"]: did_of_wire(did) for did in whole}
        self.words.show_result(result["points"], result["winners"], [self.log[at] for at in sorted(self.log)])
        for seat in result["resigned"]:
            self.words.say(f"{self.words.names[seat]} has resigned.")
        record = self.parlour.ask("GET", self.parlour.at_table(f"/record{query}")).decode()
        path = self.save or self.new_file(self.game.NAME)
        path.write_text(record, encoding="utf-8")
        self.words.say(f"The record: {path}")
        self.check(record)
        self.words.say(f"The review as a page: {self.parlour.server}/review/{self.parlour.table}")
        seats = None if self.seat is None else [self.seat]
        self.afterwards = Afterwards(self.words, lambda: text.read_record(record), seats)
        if self.is_live:
            self.words.say(AFTER_HELP, AFTERWARDS)
        return True

    def check(self, record: str) -> None:
        """Whether the record is of the game that we saw."""
        try:
            played = text.read_record(record)
            verdict = proof.verify(played)
            findings = seeing.check(played, seeing.read(self.part.written()))
        except Refusal as refusal:
            self.words.say(f"The record cannot be checked: {refusal}.")
            return
        wrong = [finding.words for finding in findings if not finding.is_good]
        if not verdict.is_good or wrong:
            self.words.say(f"The record is not genuine: {'; '.join([verdict.words, *wrong])}.")
        else:
            self.words.say(f"The record was checked: {'; '.join([verdict.words, *(one.words for one in findings)])}.")


class InputEndedAtTable(Refusal, InputEnded):
    """There is no more input, and the game is not over."""


def name_of(player: dict[str, Any]) -> str:
    """What a player is called."""
    if player["kind"] == "open":
        return "open seat"
    return f"{player['name']} (program)" if player["kind"] == "person" and player["program"] else str(player["name"])
