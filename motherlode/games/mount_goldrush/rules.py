"""Mount Goldrush: a memory game for two to five over 64 cards. Read it beside its sheet, `sheet.md`.

A turn goes FIRST, SECOND, in the Gold Rush it is one RUSH; chance steps in where a card is turned that nobody has seen.
Nothing is secret, so `hide` has nothing to do; `forget` takes away what a person would have to remember.
"""

from motherlode.data import Data
from motherlode.game import (
    CHANCE,
    EVERYONE,
    OVER,
    UNSEEN,
    Actions,
    Arg,
    Bits,
    Field,
    Kind,
    Option,
    Record,
    Rng,
    Source,
    a_set,
    below,
    count,
    nth_of,
    put,
    record,
    rule,
    words,
)

NAME = "mount_goldrush"
TITLE = "Mount Goldrush"
CREDIT = "published as Gold, Reiner Knizia, Game Factory 2020"
RULES = 1
SEATS = (2, 3, 4, 5)
OPTIONS = (
    Option("layout", ("scattered", "grid"), "MG-2.1", "how the cards lie; only a person's memory minds"),
    Option("series", ("off", "on"), "MG-5.2", "as many games as players, the points added up"),
)

# The five colours are not in the table: MG-1.2 says whose they are. The sheet only numbers them.
COLOURS = ("blue", "green", "red", "purple", "white")
SIGNS = tuple(colour[0].upper() for colour in COLOURS)

DATA = Data(__name__)
GOLD_VALUES = DATA.numbers("gold_values", (1, 2, 3, 4), 1, 20, "MG-1.1", "the values of gold cards", length=(1, 6))
GOLD_CARDS = DATA.numbers("gold_cards", (5, 7, 7, 5), 0, 20, "MG-1.1", "gold cards of each value", length=(1, 6))
MINER_VALUES = DATA.numbers("miner_values", (2, 3, 4, 5), 1, 20, "MG-1.1", "the strengths of miners", length=(1, 6))
MINER_CARDS = DATA.numbers(
    "miner_cards", (2, 2, 2, 1), 0, 6, "MG-1.1", "miners of each strength, in each of the five colours", length=(1, 6)
)
DYNAMITES = DATA.number("dynamites", 5, 0, 20, "MG-1.1", "dynamite cards")
RUSH_AT = DATA.number("rush_at", 10, 1, 63, "MG-4.1", "cards left at which the Gold Rush begins")
PATIENCE = DATA.number("patience", 20, 1, 100, "MG-4.2", "turns without a removal after which the Gold Rush begins")
DATA.require(len(GOLD_VALUES) == len(GOLD_CARDS), "MG-1.1", "gold_values and gold_cards are of the same length")
DATA.require(len(MINER_VALUES) == len(MINER_CARDS), "MG-1.1", "miner_values and miner_cards are of the same length")
DATA.require(len(set(GOLD_VALUES)) == len(GOLD_VALUES), "MG-1.1", "no two of gold_values are equal")
DATA.require(len(set(MINER_VALUES)) == len(MINER_VALUES), "MG-1.1", "no two of miner_values are equal")

# Kinds of card: gold by value, miners by colour and strength, dynamite.
KINDS = (*(f"${value}" for value in GOLD_VALUES), *(f"{sign}{value}" for sign in SIGNS for value in MINER_VALUES), "**")
VALUE = GOLD_VALUES + len(COLOURS) * MINER_VALUES + (0,)  # worth of gold, strength of a miner
DECK = GOLD_CARDS + len(COLOURS) * MINER_CARDS + (DYNAMITES,)
GOLDS = len(GOLD_VALUES)  # the kinds of gold come first
MINERS = len(MINER_VALUES)  # kinds of miner in each colour
DYNAMITE = len(KINDS) - 1
CARDS = sum(DECK)
ALL_GOLD = sum(value * cards for value, cards in zip(GOLD_VALUES, GOLD_CARDS, strict=True))
PLACES = tuple(str(place) for place in range(CARDS))
DATA.require(2 <= CARDS <= 64, "MG-2.1", f"there are places for 2 to 64 cards, not for {CARDS}")
DATA.require(RUSH_AT < CARDS, "MG-4.1", f"rush_at must be less than all cards, {CARDS}, not {RUSH_AT}")
HALF = 32
ALL_UPPER = (1 << min(CARDS, HALF)) - 1
ALL_LOWER = (1 << max(CARDS - HALF, 0)) - 1

# Before the Gold Rush a turn is two decisions. 19 turns without a removal and one with it, 53 times, leave at most 11
# cards; then 20 more without one, and the last 11 cards one by one. Any other way is shorter. Five such games.
LENGTH = SEATS[-1] * (2 * PATIENCE * (CARDS - RUSH_AT) + RUSH_AT + 1)

FIRST, SECOND, RUSH, END = range(4)
PHASES = ("first", "second", "rush", "end")
MOST = SEATS[-1]
NOBODY = -1
TIES = max(ALL_GOLD, sum(GOLD_CARDS)) + 1  # more than what breaks a tie

FIELDS = (
    Field("turn", OVER, MOST - 1, 0, "who is to act"),
    Field("seats", SEATS[0], MOST, 0, "number of players"),
    *(option.field() for option in OPTIONS),
    Field("shown", 0, EVERYONE, 3, "a card turned that had been seen before: place, kind, to which seats"),
    words("phase", PHASES, 0, "which card of a turn is to be turned"),
    Field("mover", 0, MOST - 1, 0, "whose turn it is, while chance acts too", of_seats=True),
    Field("game", 0, MOST - 1, 0, "games of the series finished"),
    Field("quiet", 0, PATIENCE, 0, "turns in a row that have removed no card"),
    # The table, eight places a row: 0…31 are its upper half, 32…63 its lower one.
    a_set("upper", PLACES[:HALF], 0, "places of the upper half where a card lies"),
    a_set("lower", PLACES[HALF:], 0, "places of the lower half where a card lies"),
    words("card", KINDS, CARDS, "the card that lies at each place", blank=True),
    words("spot", PLACES, 2, "where cards were turned in this turn, between turns in the last", blank=True),
    words("face", KINDS, 2, "what they are", blank=True),
    Field("taker", 0, MOST - 1, 0, "who got their gold", blank=True, of_seats=True),
    Field("unseen", 0, max(DECK), len(KINDS), "cards of each kind that nobody has seen"),
    Field("gone", 0, max(DECK), len(KINDS), "cards of each kind that left and nobody got"),
    Field("won", 0, max(DECK), GOLDS * MOST, "gold cards a seat has got in this game, by seat and value", by_seat=True),
    Field("golds", 0, sum(GOLD_CARDS), MOST, "how many they are", by_seat=True),
    Field(
        "before", 0, ALL_GOLD * (MOST - 1), MOST, "points written down after earlier games of the series", by_seat=True
    ),
)

RECORD = record(FIELDS)

ACTIONS = Actions(Kind("turn", (Arg("place", PLACES),), "MG-3.1"))
(TURN,) = ACTIONS.first
OUTCOMES = Actions(Kind("card", (Arg("kind", KINDS),), "MG-3.1"))
(A_CARD,) = OUTCOMES.first


@rule
def start(s: Record, seats: int) -> None:
    s.seats = seats
    open_game(s)


@rule
def open_game(s: Record) -> None:
    s.mover = s.game  # MG-5.2
    s.turn = s.mover
    s.phase = FIRST
    s.quiet = 0
    s.upper = ALL_UPPER
    s.lower = ALL_LOWER
    for place in range(CARDS):
        s.card[place] = UNSEEN
    turn_back(s)
    for kind in range(len(KINDS)):
        s.unseen[kind] = DECK[kind]
        s.gone[kind] = 0
    for i in range(GOLDS * MOST):
        s.won[i] = 0
    for x in range(MOST):
        s.golds[x] = 0


@rule
def turn_back(s: Record) -> None:
    """The cards of the last turn are out of sight from now on."""
    s.taker = UNSEEN
    for i in range(2):
        s.spot[i] = UNSEEN
        s.face[i] = UNSEEN


@rule
def lies(s: Record, place: int) -> bool:
    return ((s.upper >> place) if place < HALF else (s.lower >> (place - HALF))) & 1 == 1


@rule
def left(s: Record) -> int:
    """How many cards are on the table."""
    return count(s.upper | s.lower << HALF)


@rule
def unseen_cards(s: Record, kinds: int) -> int:
    """How many cards of the kinds below this one nobody has seen."""
    total = 0
    for kind in range(kinds):
        total += s.unseen[kind]
    return total


@rule
def legal(s: Record, bits: Bits) -> int:
    if s.turn == CHANCE:
        bits[0] = 0
        for kind in range(len(KINDS)):
            if s.unseen[kind] > 0:
                put(bits, A_CARD + kind)
        return count(bits[0])
    options = s.upper | s.lower << HALF
    if s.phase == SECOND:  # MG-3.1
        options ^= 1 << s.spot[0]
    bits[0] = options
    return count(options)


@rule
def odds(s: Record, a: int) -> int:
    return s.unseen[a - A_CARD]


@rule
def draw(s: Record, rng: Rng) -> int:
    return A_CARD + nth_of(s.unseen, below(rng, unseen_cards(s, len(KINDS))))


@rule
def apply(s: Record, a: int) -> None:
    if s.turn == CHANCE:
        place = s.spot[1] if s.phase == SECOND else s.spot[0]
        s.card[place] = a - A_CARD
        s.unseen[a - A_CARD] -= 1
        see(s, place)
        return
    place = a - TURN
    if s.phase == SECOND:
        s.spot[1] = place
    else:
        turn_back(s)
        s.spot[0] = place
    if s.card[place] == UNSEEN:
        show_card(s, 0, 0, 0)
        s.turn = CHANCE
    else:
        show_card(s, place, s.card[place], EVERYONE)
        see(s, place)


@rule
def show_card(s: Record, place: int, kind: int, to: int) -> None:
    s.shown[0] = place
    s.shown[1] = kind
    s.shown[2] = to


@rule
def see(s: Record, place: int) -> None:
    """The card that was turned here is known now, and does what it does."""
    kind = s.card[place]
    if s.phase == FIRST:
        s.face[0] = kind
        s.phase = SECOND
        s.turn = s.mover
    elif s.phase == SECOND:
        s.face[1] = kind
        s.quiet += 1
        meet(s)
        next_turn(s)
    else:
        s.face[0] = kind
        if kind < GOLDS:  # MG-4.1
            win(s, s.mover, place)
        else:
            discard(s, place)
        next_turn(s)


@rule
def meet(s: Record) -> None:
    """What the two cards of a turn do to each other."""
    one, two = s.face[0], s.face[1]
    if one == DYNAMITE or two == DYNAMITE:
        discard(s, s.spot[0])  # MG-3.4
        discard(s, s.spot[1])
    elif (one < GOLDS) != (two < GOLDS):
        if VALUE[max(one, two)] >= VALUE[min(one, two)]:
            gold = 0 if one < GOLDS else 1
            finder = owner(s, (max(one, two) - GOLDS) // MINERS)
            win(s, s.mover if finder == NOBODY else finder, s.spot[gold])  # MG-3.2
            discard(s, s.spot[1 - gold])
    elif one >= GOLDS and VALUE[one] != VALUE[two]:
        discard(s, s.spot[0] if VALUE[one] < VALUE[two] else s.spot[1])  # MG-3.3


@rule
def owner(s: Record, colour: int) -> int:
    """MG-1.2: whose miners these are."""
    seat = colour // 2 if s.seats == 2 else colour
    return seat if seat < s.seats else NOBODY


@rule
def win(s: Record, seat: int, place: int) -> None:
    s.taker = seat
    s.won[GOLDS * seat + s.card[place]] += 1
    s.golds[seat] += 1
    lift(s, place)


@rule
def discard(s: Record, place: int) -> None:
    s.gone[s.card[place]] += 1
    lift(s, place)


@rule
def lift(s: Record, place: int) -> None:
    s.card[place] = UNSEEN
    s.quiet = 0
    if place < HALF:
        s.upper ^= 1 << place
    else:
        s.lower ^= 1 << (place - HALF)


@rule
def next_turn(s: Record) -> None:
    s.mover = s.mover + 1 if s.mover + 1 < s.seats else 0  # MG-3.6
    s.turn = s.mover
    cards = left(s)
    if cards == 0:
        end_game(s)
    elif s.phase == RUSH or cards <= RUSH_AT or s.quiet == PATIENCE:
        s.phase = RUSH  # MG-4.1, MG-4.2
    else:
        s.phase = FIRST


@rule
def end_game(s: Record) -> None:
    if s.series == 0 or s.game + 1 == s.seats:
        s.phase = END  # MG-5.1
        s.turn = OVER
    else:
        for x in range(s.seats):
            s.before[x] += gold_of(s, x)
        s.game += 1
        open_game(s)


@rule
def gold_of(s: Record, seat: int) -> int:
    """The gold a seat has got in this game; in a view, as far as it is known."""
    gold = 0
    for kind in range(GOLDS):
        gold += VALUE[kind] * s.won[GOLDS * seat + kind]
    return gold


@rule
def forget(s: Record, seat: int, kept: int) -> None:
    """Leave what is in sight. `kept` is a set of places: the cards that lie there are remembered, and what has left
    the table (discarded cards, others' gold) is if all the empty places are in it. Nothing is forgotten at the end."""
    if s.turn == OVER:  # ALL-10
        return
    for place in range(CARDS):
        in_sight = place == s.spot[0] or place == s.spot[1]
        if s.card[place] != UNSEEN and not in_sight and (kept >> place) & 1 == 0:
            s.unseen[s.card[place]] += 1
            s.card[place] = UNSEEN
    if (s.upper | kept) & ALL_UPPER == ALL_UPPER and (s.lower | kept >> HALF) & ALL_LOWER == ALL_LOWER:
        return
    for kind in range(len(KINDS)):
        s.unseen[kind] += s.gone[kind]
        s.gone[kind] = 0
    for x in range(s.seats):
        for kind in range(GOLDS if x != seat else 0):
            s.unseen[kind] += s.won[GOLDS * x + kind]
            s.won[GOLDS * x + kind] = 0
    for i in range(2):  # what left in the last turn is in sight
        kind = s.face[i]
        if kind != UNSEEN and not lies(s, s.spot[i]):
            if kind >= GOLDS or s.taker == UNSEEN:
                s.unseen[kind] -= 1
                s.gone[kind] += 1
            elif s.taker != seat:
                s.unseen[kind] -= 1
                s.won[GOLDS * s.taker + kind] += 1


def source(s: Record) -> Source:
    """Each game of a series has a deck, laid out by place."""
    return Source(s.game, s.spot[1] if s.phase == SECOND else s.spot[0], A_CARD)


def recalled_places(actor: int, told: int, shown: bytes, seat: int) -> int:
    return 1 << (told - TURN) if actor != CHANCE else 0


@rule
def guess(s: Record, seat: int, rng: Rng) -> None:
    """Deal the cards that are out of sight over others' gold, the discarded cards and the places nobody has seen.

    Knowledge has no blanks, and nothing happens. Of what was forgotten only the numbers are left, and all deals that
    fit them are equally likely: others' gold is gold, and how a card left (which needs a history that was forgotten
    too) is not weighed. Dealing the gold first, then the discarded cards, draws exactly from these.
    """
    out = CARDS - left(s)
    for x in range(s.seats):
        out -= s.golds[x]
        for _ in range(s.golds[x] - gold_cards(s, x)):
            kind = nth_of(s.unseen, below(rng, unseen_cards(s, GOLDS)))
            s.unseen[kind] -= 1
            s.won[GOLDS * x + kind] += 1
    for kind in range(len(KINDS)):
        out -= s.gone[kind]
    for _ in range(out):
        kind = nth_of(s.unseen, below(rng, unseen_cards(s, len(KINDS))))
        s.unseen[kind] -= 1
        s.gone[kind] += 1


@rule
def gold_cards(s: Record, seat: int) -> int:
    """How many gold cards of a seat are known."""
    cards = 0
    for kind in range(GOLDS):
        cards += s.won[GOLDS * seat + kind]
    return cards


@rule
def score(s: Record, out: Bits) -> None:
    for x in range(s.seats):
        out[x] = s.before[x] + gold_of(s, x)


@rule
def winners(s: Record) -> int:
    """The most points; a tie goes to more gold cards (MG-5.1), in a series to more points in its last game (MG-5.2)."""
    best = -1
    won = 0
    for x in range(s.seats):
        gold = gold_of(s, x)
        rank = TIES * (s.before[x] + gold) + (gold if s.series else s.golds[x])
        if rank > best:
            best = rank
            won = 0
        if rank == best:
            won |= 1 << x
    return won
