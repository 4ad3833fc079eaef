"""The contract of the API: the type of every message and of every request's and response's body.

A page opens one socket, `/api/tables/{id}/socket?seat=N` (without a seat: a spectator), sends objects with `do` and
gets objects with `is`. `TableMessage` is everything a page needs to draw a table: complete views, never patches, the
same after a reconnect. Ignore one whose `at` is older than what is drawn. `python -m motherlode.server.typescript`
writes all this as TypeScript, with a type for every game's view; `docs/api.md` describes it in prose.
"""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, WithJsonSchema

from motherlode.server import names
from motherlode.server.table_settings import StoredSettings, TableSettings
from motherlode.text import Drawn

Name = Annotated[str, Field(min_length=1, max_length=names.LONGEST), AfterValidator(names.read_name)]
At = Annotated[int, Field(ge=0, le=1_000_000)]
Seat = Annotated[int, Field(ge=0, le=9)]
Action = Annotated[int, Field(ge=0, le=1_000_000)]
Code = Annotated[str, Field(min_length=1, max_length=64)]
Who = Annotated[str, Field(min_length=1, max_length=32)]
Reaction = Literal["hello", "well_played", "thank_you", "oops", "hurry_up", "good_game"]
Hex32 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]  # 32 bytes
Text = Annotated[str, Field(min_length=1, max_length=500)]
if TYPE_CHECKING:
    View = dict[str, int | list[int]]
else:  # the largest part of a message, made from numbers: it is not looked at again
    View = Annotated[Any, WithJsonSchema(TypeAdapter(dict[str, int | list[int]]).json_schema())]
OptionValue = Annotated[int, Field(ge=-1_000_000, le=1_000_000)] | Annotated[str, Field(max_length=40)]


class Incoming(BaseModel):
    """What a client sends: nothing besides the fields listed, and no conversion of types."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Outgoing(BaseModel):
    """What the server sends."""

    model_config = ConfigDict(extra="forbid")


# From a page to the server, over its socket


class Act(Incoming):
    """Do one of the `legal` actions of the last TableMessage, whose `at` it repeats."""

    do: Literal["act"]
    at: At
    action: Action


class Why(Incoming):
    """Ask which clause forbids an action; answered by WhyMessage."""

    do: Literal["why"]
    action: Action


class Chat(Incoming):
    do: Literal["chat"]
    text: Text


class React(Incoming):
    """A quick reaction, as a line of chat: every page says it in its own language."""

    do: Literal["react"]
    what: Reaction


class Substitute(Incoming):
    """Let the table's substitute play for a seat whose player is gone. Any other player of the table may ask."""

    do: Literal["substitute"]
    seat: Seat


class Leave(Incoming):
    """Leave the game to the substitute: the seat stays yours. Before the game begins the seat is open again."""

    do: Literal["leave"]


class Return(Incoming):
    """Sit down again and take your seat back from a bot."""

    do: Literal["return"]


class Resign(Incoming):
    """Give the game up: it is lost for you, and over where nobody else is left to play it."""

    do: Literal["resign"]
    at: At


class Adjourn(Incoming):
    """Ask to adjourn the game. It stops, and its clock, when everybody who plays has asked."""

    do: Literal["adjourn"]


class Resume(Incoming):
    """Go on with an adjourned game, once everybody is here; or say no to somebody who asks to adjourn."""

    do: Literal["resume"]


class Rematch(Incoming):
    """The same game and players again, everybody one seat further; answered to all by RematchMessage."""

    do: Literal["rematch"]


class Hint(Incoming):
    """What would you do? Allowed on your turn, where the table gives hints; answered after a while by HintMessage."""

    do: Literal["hint"]


class Mute(Incoming):
    """Let somebody (`who` of a player or of a line) say nothing more in your table's chat, or let them speak again."""

    do: Literal["mute"]
    who: Who
    muted: bool = True


class Remove(Incoming):
    """Send somebody away from your table: before the game their seat opens again, later the substitute plays there."""

    do: Literal["remove"]
    who: Who


class Seen(Incoming):
    """The last head that this client saw. If the server has lost what followed it, chance is sealed anew."""

    do: Literal["seen"]
    seals: Annotated[int, Field(ge=1, le=1000)]
    at: At
    link: Annotated[str, Field(pattern=r"^[0-9a-f]{96}$")]


class Ping(Incoming):
    """Answered by PongMessage."""

    do: Literal["ping"]


Request = Annotated[
    Act
    | Why
    | Chat
    | React
    | Substitute
    | Leave
    | Return
    | Resign
    | Adjourn
    | Resume
    | Rematch
    | Hint
    | Seen
    | Mute
    | Remove
    | Ping,
    Field(discriminator="do"),
]
REQUEST: TypeAdapter[Any] = TypeAdapter(Request)


# From the server to a page, over its socket


class TurnedUp(Outgoing):
    """What an action showed this seat beyond the action itself."""

    kind: str
    args: dict[str, str]  # name -> word of the game's tables


class Event(Outgoing):
    """What came of an action, as far as this seat knows it."""

    kind: str  # of the game's EVENTS
    args: dict[str, str]  # name -> word of the game's tables, or a number
    words: str  # in English, for games whose sentences the page does not have: "seat 0 wins the trick: 5 gold"


class Did(Outgoing):
    """One action as this seat is told it."""

    at: int  # its place in the log, from 0
    actor: int  # a seat, or -1: chance
    action: int | None  # of ACTIONS, chance's of OUTCOMES; null: hidden from this seat
    verb: str  # of the action's kind, given even when the action is hidden
    args: dict[str, str]  # the action's arguments, name -> word; empty when it is hidden
    turned_up: TurnedUp | None
    words: str  # the action in English: "play H7 (gold 5)", "discard ?"
    events: list[Event]


class Legal(Outgoing):
    action: int
    words: str


class Player(Outgoing):
    """Who has a seat."""

    seat: int
    kind: Literal["person", "bot", "open"]  # who acts now; open: nobody has taken it yet
    name: str  # of the person, or the bot; empty when open. Names that look alike have their seat's number: "Anna (2)"
    who: str | None = None  # the person, at this table only; null: a bot, or nobody
    shared: bool = False  # the same guest has other seats too: people at one screen
    bot: str | None = None  # the bot that acts, also for a person who is gone
    program: bool = False  # is shown everything it ever saw; a person is shown what lies open now
    takes: Literal["link", "anyone"] | None = None  # how an open seat is taken
    left: bool = False  # got up, and may come back
    resigned: bool = False  # gave the game up: it is lost for this seat, and a bot plays on if it has to
    adjourns: bool = False  # asks to adjourn the game
    warming: bool = False  # the bot is still being compiled: until then it plays a shorter search, and more weakly


class Clock(Outgoing):
    """The turn clock: whose time runs, and how many seconds were left when this was sent."""

    seat: int
    left: float
    turn: int  # seconds per turn


class Result(Outgoing):
    points: list[int]
    winners: list[int]
    resigned: list[int]  # the seats that gave up; they win nothing
    words: str  # "14-13, seat 0 wins"


class Seal(Outgoing):
    """What chance draws from, from a place of the log on: a secret of the server, and bytes of the seats."""

    place: int
    stage: Literal["commit", "open", "closed"]  # seats commit to their bytes, then open them, then the game begins
    commitment: str  # sha256 of the server's secret, in hex
    commitments: list[str | None]  # of every seat; from the stage "open" on they do not change; empty when it is closed
    awaited: list[int]  # the seats that have still to commit, or to open …
    left: float | None  # … and the seconds until the game goes on without them; null: not all seats are taken
    shares: list[str] | None  # when it is closed, of every seat: its bytes in hex, "bot" or "left out"; version 0.1: []
    secret: str | None  # in hex, when the game is over


class Head(Outgoing):
    """The chain of the log as far as this seat has been told of it: after `at` actions, under the `seals`-th seal."""

    seals: int
    at: int
    link: str  # 64 hex digits of the link itself, then 32 by which the server recognises it


class TableMessage(Outgoing):
    """Everything that a seat (or, with seat null, a spectator) may know about a table now."""

    is_: Literal["table"] = Field(default="table", serialization_alias="is", validation_alias="is")
    table: str
    game: str
    at: int  # how many actions this seat has been told of; what `act` repeats
    seat: int | None
    did: list[Did]  # what happened since the last message on this socket (the first: since `since`)
    view: View  # every field of the game's FIELDS; blanks are -1 (unseen) and -2 (hidden)
    drawn: dict[str, Any] | None = None  # what the rules add to this view for drawing it, if anything
    text: str | None = None  # this view in plain text, where the pages have no board for the game
    described: list[Event] | None = None  # this view as one sentence per fact, for whoever asked for it (`described`)
    turn: int  # a seat, -1: chance (before the start), -2: over
    legal: list[Legal]  # only if this seat is to act
    waiting: bool  # the game has not begun: not all seats are taken, or the shuffle is not sealed yet
    players: list[Player]
    muted: list[str]  # who may not chat at this table
    clock: Clock | None
    result: Result | None  # when the game is over
    adjourned: str | None = None  # since when the game is adjourned, ISO 8601, UTC: nobody can act, no clock runs
    given: int  # how many of the first actions came from a record: what they dealt was not drawn here
    undone: bool = False  # … from a table where a decision was taken back: this game does not count
    seal: Seal  # the last one; most games have only one
    head: Head | None  # null before the game begins, and at tables of version 0.1
    rematch: str | None  # the table of the rematch
    closed: bool = False  # the game ends here, unfinished: whoever runs the server has ended it …
    goes_on: str | None = None  # … or a decision was taken back, and it goes on at this table


class NoMessage(Outgoing):
    """A refusal, sent only to whoever asked; nothing has changed."""

    is_: Literal["no"] = Field(default="no", serialization_alias="is", validation_alias="is")
    no: str  # "GM-3.2: …": what is wrong, why, and what would be right
    clause: str | None
    at: int
    do: str | None  # what was asked, if that could be read


class WhyMessage(Outgoing):
    is_: Literal["why"] = Field(default="why", serialization_alias="is", validation_alias="is")
    action: int
    clause: str | None  # null: the action is legal
    words: str  # the clause's text, or "play H7 is legal"


class ChatLine(Outgoing):
    name: str  # as the table showed it then
    seat: int | None  # null: a spectator
    who: str | None  # the person, at this table only; null: not known any more
    text: str
    made: str  # when, ISO 8601, UTC
    reaction: str | None = None  # the key of a quick reaction; `text` says it in English


class ChatMessage(Outgoing):
    """New lines of chat; the first message on a socket has the most recent lines. Others may follow late."""

    is_: Literal["chat"] = Field(default="chat", serialization_alias="is", validation_alias="is")
    lines: list[ChatLine]


class PresenceMessage(Outgoing):
    """Who is there: which seats have an open page, and how many spectators there are."""

    is_: Literal["presence"] = Field(default="presence", serialization_alias="is", validation_alias="is")
    present: list[bool]
    watchers: int


class RematchMessage(Outgoing):
    """The table of the rematch; `seat` is this socket's seat there."""

    is_: Literal["rematch"] = Field(default="rematch", serialization_alias="is", validation_alias="is")
    table: str
    seat: int | None


class Suggestion(Outgoing):
    action: int
    words: str
    win: float | None  # the estimated chance to win; null: not known (the only action, or too short a search)


class HintMessage(Outgoing):
    """What a strong player would do, knowing only what this seat is shown; sent only to whoever asked."""

    is_: Literal["hint"] = Field(default="hint", serialization_alias="is", validation_alias="is")
    at: int  # the table's when the hint was asked for
    suggestions: list[Suggestion]  # one to three, the best first
    words: str  # the same as a sentence
    plain: bool  # the search was not compiled yet: a much shorter one, or the network alone, answered


class PongMessage(Outgoing):
    is_: Literal["pong"] = Field(default="pong", serialization_alias="is", validation_alias="is")


Reply = Annotated[
    TableMessage | NoMessage | WhyMessage | ChatMessage | PresenceMessage | RematchMessage | HintMessage | PongMessage,
    Field(discriminator="is_"),
]
REPLY: TypeAdapter[Any] = TypeAdapter(Reply)


# HTTP: games


class OptionCard(Outgoing):
    name: str
    values: list[int | str]  # the first is the default
    clause: str
    meaning: str


class LevelCard(Outgoing):
    """A level of a game's bots, and how often it beats the level below (a tie counts half)."""

    name: str  # as a seat's player: "prospector"
    bot: str  # what it is: "search:500"
    against: str | None  # the level below; null, like the rest: this is the lowest, or it was not measured
    score: float | None
    interval: list[float] | None  # the ends of the 95 % confidence interval
    games: int | None


class GameCard(Outgoing):
    name: str
    title: str
    credit: str
    rules: int  # version of its behaviour
    seats: list[int]  # allowed numbers of players
    options: list[OptionCard]
    length: int  # the most decisions a game can take
    has_memory: bool  # a person can be shown less than it has seen, which `open_memory` decides …
    remembers: bool  # … and is by default: remembering is part of the game
    levels: list[LevelCard]  # of bots, the weakest first


class FieldCard(Outgoing):
    name: str
    low: int
    high: int
    length: int  # 0: a single value
    meaning: str
    words: list[str]  # of the values, or, if of_set, of the bits
    of_set: bool
    blank: bool  # may be -1 (unseen) or -2 (hidden)
    by_seat: bool  # its places belong to the seats in equal shares
    of_seats: bool  # its values do, or the members of its sets
    largest_digit: int  # of a number whose decimal digits are read one by one, else 0


class ArgCard(Outgoing):
    name: str
    words: list[str]


class KindCard(Outgoing):
    """A kind of action: numbered from `first`, the last argument running fastest."""

    verb: str
    first: int
    args: list[ArgCard]
    clause: str


class GameSheet(GameCard):
    """Everything about a game: the fields of its views, what seats and chance decide, its rule sheet and clauses."""

    fields: list[FieldCard]
    actions: list[KindCard]
    outcomes: list[KindCard]
    sheet: str  # Markdown
    clauses: dict[str, str]  # in plain words


class LessonStep(Outgoing):
    """Said before action `at`: the sentence `say` of the game's lesson. `ring` is a spot of the board to look at."""

    at: int
    say: str
    ring: str | None


class LessonPosition(Outgoing):
    """A position of the lesson as the learner sees it, what the learner may do in it, and the action that follows."""

    at: int
    turn: int
    view: View
    drawn: dict[str, Any] | None = None
    text: str | None = None
    legal: list[Legal]
    next: Did | None


class Lesson(Outgoing):
    """A guided first game: seat 0 is the learner's. The record is for going on from its end."""

    game: str
    seats: int
    steps: list[LessonStep]
    positions: list[LessonPosition]
    record: str


class BotCard(Outgoing):
    name: str  # as a seat's player: "greedy"
    meaning: str


# HTTP: guests


class NewGuest(Incoming):
    name: Name


class Recover(Incoming):
    code: Code


class GuestCard(Outgoing):
    id: str
    name: str


class GuestKeys(GuestCard):
    """Shown once: the token (also set as a cookie) and the code that restores the guest on another day or device."""

    token: str
    recovery: str


# HTTP: tables


class NewSeat(Incoming):
    """`player` is me, link (a friend, by the link in the response), anyone, or the name of a bot."""

    player: Annotated[str, Field(min_length=1, max_length=40)]
    program: bool = False  # for `me`: I am a program
    commitment: Hex32 | None = None  # for `me`: sha256 of the bytes that I add to the shuffle


class NewTable(Incoming, TableSettings):
    game: Annotated[str, Field(max_length=40)]
    seats: Annotated[list[NewSeat], Field(min_length=1, max_length=9)]
    options: dict[Annotated[str, Field(max_length=40)], OptionValue] = Field(default={}, max_length=20)
    seating: Literal["given", "random"] = "given"
    record: Annotated[str, Field(max_length=1_000_000)] | None = None  # go on from this record …
    at: At | None = None  # … after this number of its actions; after all if not given


class TableCard(Outgoing, StoredSettings):
    """A table as anybody may see it."""

    id: str
    game: str
    title: str
    options: dict[str, int | str]
    players: list[Player]
    waiting: bool
    over: bool
    given: int  # how many first actions came from a record
    undone: bool = False  # … from a table where a decision was taken back: this game does not count
    closed: bool = False  # it ends here, unfinished
    goes_on: str | None = None  # … since a decision was taken back: at this table
    adjourned: bool = False
    host: str  # the name of whoever made it, if that is known
    commitment: str  # sha256 of the server's first secret, in hex
    made: str  # when, ISO 8601, UTC
    mine: list[int]  # your seats
    maker: bool  # you made it: you may mute and remove


class SeatLink(Outgoing):
    """Takes a seat, once. The path is for a browser, the code for a program, the QR code is an SVG image.

    `address` is the whole link, as others can open it: asked for on the server's own machine (localhost), it has that
    machine's address in the local network, where the server listens there.
    """

    seat: int
    path: str
    address: str
    code: str
    qr: str


class NewTableCard(TableCard):
    links: list[SeatLink]


class Tables(Outgoing):
    tables: list[TableCard]


class MyGame(TableCard):
    """A table where you have a seat, as you see it from there."""

    turn: int | None  # whose turn it is, while the game runs …
    since: str | None  # … and since when
    ended: str | None
    points: list[int] | None  # by seat, when the game is over
    result: Literal["won", "drawn", "lost"] | None  # yours


class MyGames(Outgoing):
    """Some of your games, the latest first."""

    tables: list[MyGame]
    total: int  # how many there are
    next: str | None  # `after` of the request for the next ones; null: there are no more


class MyOpponents(Outgoing):
    """What your games can be filtered by."""

    games: list[str]
    bots: list[str]
    people: list[str]  # names


class Tally(Outgoing):
    """Games that count for your record."""

    played: int
    won: int
    drawn: int
    streak: int  # wins in a row, up to the last game
    longest: int  # … and at most


class LevelRecord(Tally):
    against: str  # a level or another bot, "people", "programs", or "several" kinds of bots
    last: str  # when


class GameRecord(Tally):
    game: str
    title: str
    best: str | None  # the highest level you have won against
    suits: str | None  # the level to play next; null: this game is not here any more
    levels: list[LevelRecord]  # those played against, the weakest first
    recent: list[Literal["won", "drawn", "lost"]]  # the last results, the latest last


class MyRecord(Tally):
    """Your record, with every game there is."""

    games: list[GameRecord]


class CountedGame(Outgoing):
    ended: str  # when, ISO 8601, UTC
    game: str
    against: str
    result: Literal["won", "drawn", "lost"]


class RecordExport(Outgoing):
    """Every game that counts, the first one first."""

    games: list[CountedGame]


class Take(Incoming):
    """Take an open seat: with the code of its link, or without one if it is open to anyone.

    `commitment` is the sha256 of the 32 bytes that you add to the shuffle; you may send it later, by taking your own
    seat again. Programs that do not care leave it out.

    In a game that has begun a seat stays what it was, a person's or a program's.
    """

    code: Code | None = None
    program: bool = False
    commitment: Hex32 | None = None


class Undo(Incoming):
    """Take my last decision back, against bots: `at` repeats that of the last TableMessage."""

    seat: Seat
    at: At
    commitment: Hex32 | None = None  # sha256 of the bytes that I add to the new table's shuffle


class OpenShare(Incoming):
    """Open the bytes that your seat has committed to."""

    share: Hex32


class Taken(Outgoing):
    table: str
    seat: int


class SeatAct(Incoming):
    """Act without a socket."""

    seat: Seat
    at: At
    action: Action


class Log(Outgoing):
    """The log as it was told to a seat, or to the public (seat null)."""

    seat: int | None
    did: list[Did]


# HTTP: records


class NewRecord(Incoming):
    record: Annotated[str, Field(max_length=1_000_000)]


class ReplayPosition(Outgoing):
    """A position, and the action that follows it."""

    at: int
    turn: int
    view: View
    drawn: dict[str, Any] | None = None
    text: str | None = None
    described: list[Event] | None = None  # as in TableMessage
    next: Did | None


class ChanceProof(Outgoing):
    """One outcome of chance, for checking in a browser: all possible outcomes, ascending, with their odds.

    Where chance draws from decks, `first` and the thing at this position of the deck add up to the action.
    """

    at: int
    outcomes: list[int]
    odds: list[int]
    action: int
    deck: int | None = None
    position: int | None = None
    first: int | None = None


class DeckProof(Outgoing):
    """What lay in a deck before it was shuffled: things, and references [deck, position] to what lies elsewhere."""

    deck: int
    things: list[int | tuple[int, int]]


class Checked(Outgoing):
    """What `motherlode verify` says about a record."""

    commitment: bool | None  # the commitment was made for this secret; null: the record has none
    chance: bool | None  # every outcome follows from the secret
    chain: bool | None  # nothing in the log was changed
    words: str


class ReplaySeal(Outgoing):
    """A seal of a record: its outcomes from `place` on follow from the secret and the shares."""

    place: int
    commitment: str
    secret: str
    shares: list[str]  # none in version 0.1


class Replay(Outgoing):
    """A whole game: every position as `seat` saw it (null: with everything open)."""

    game: str
    seat: int | None
    options: dict[str, int | str]
    players: list[str]
    positions: list[ReplayPosition]
    result: Result | None
    seals: list[ReplaySeal]
    facts: str  # what the first link of the chain is of
    chain: str  # the last link
    given: int  # the number of first actions that came from a record and do not follow from the secret
    drawn: Drawn  # "decks": chance draws from shuffled decks; "": by place in the log
    proofs: list[ChanceProof]  # of all outcomes that follow from the secret; with decks, of those given too
    decks: list[DeckProof]
    checked: Checked


class Refused(Outgoing):
    """Every refusal over HTTP."""

    no: str
    clause: str | None = None


class Here(Outgoing):
    """How others reach this server; told only to who asks on the server's own machine."""

    only_here: bool  # it listens on this machine alone …
    command: str | None  # … and this starts it for the local network
    address: str | None  # of this machine in the local network, with the server's port


class Health(Outgoing):
    status: Literal["ok", "unready", "stopping"]
    reason: str | None = None


SOCKET_REQUESTS = (
    Act, Why, Chat, React, Substitute, Leave, Return, Resign, Adjourn, Resume, Rematch, Hint, Seen, Mute, Remove, Ping,
)  # fmt: skip
SOCKET_REPLIES = (
    TableMessage, NoMessage, WhyMessage, ChatMessage, PresenceMessage, RematchMessage, HintMessage, PongMessage,
)  # fmt: skip
BODIES = (
    GameCard, GameSheet, Lesson, BotCard, NewGuest, Recover, GuestCard, GuestKeys, NewSeat, NewTable, TableCard,
    SeatLink, NewTableCard, Tables, Take, Taken, Undo, OpenShare, SeatAct, Log, NewRecord, Replay, Refused, Here,
    Health, MyGames, MyOpponents, MyRecord, RecordExport,
)  # fmt: skip
