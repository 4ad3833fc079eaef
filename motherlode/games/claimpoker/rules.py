"""Claimpoker: take two, keep one, give one away, and hold even numbers. Read it beside its sheet, `sheet.md`.

A turn goes TAKING, GIVING and, where a last card may be rejected, ANSWERING. Whenever cards are `due` chance steps in
and turns them up, before `phase` goes on; before that, at the set-up, it places doubles that may go on either of their
piles. Cards that look alike share an outcome, and no two positions differ only by which of them lies where.
"""

from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

import numpy as np

from motherlode.data import Data
from motherlode.game import (
    CHANCE,
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
    Thing,
    a_set,
    below,
    count,
    lowest,
    nth,
    put,
    record,
    rule,
    words,
)

NAME = "claimpoker"
TITLE = "Claimpoker"
CREDIT = "in the tin of Goldrausch, Frank Stark, NSV 2008"
RULES = 2
OLDEST_RULES = 1
SEATS = (3, 4, 5)
MOST_SEATS = 5

# The six piles with their kinds are not in the table: names, pictures and sets of piles are made for them.
PILES = ("sieve", "whiskey", "pickaxe", "shovel", "knife", "rifle")
KINDS = (*PILES, "nugget", "tooth")
KIND = f"({'|'.join(PILES)})"

# What is on the cards. [D] All that the sheet tags so is rebuilt, and this is the only place to put the original.
DATA = Data(__name__)
FIGURES = DATA.numbers(
    "figures", (1, 1, 2, 2, 3, 3), 1, 3, "CP-1.1", "the figures on the cards of each of the six kinds", length=(0, 6)
)
DOUBLES = DATA.words(
    "doubles",
    ("sieve-rifle", "whiskey-pickaxe", "pickaxe-sieve", "shovel-knife", "knife-whiskey", "rifle-shovel"),
    f"{KIND}-{KIND}",
    "two of the kinds, such as sieve-rifle",
    "CP-1.2",
    "the cards with one piece of each of two kinds; each starts in the pile of its first kind",
    length=(0, 12),
)
PLUSES = DATA.number("pluses", 2, 0, 6, "CP-1.3", "prospectors with +1")
MINUSES = DATA.number("minuses", 2, 0, 6, "CP-1.3", "prospectors with -1")
PROSPECTORS = DATA.words(
    "prospectors",
    ("knife-whiskey-sieve", "pickaxe-shovel-rifle"),
    f"{KIND}(-{KIND}){{2,5}}",
    "three of the kinds or more, such as knife-whiskey-sieve",
    "CP-1.3",
    "prospectors that show three kinds or more",
    length=(0, 6),
)
NUGGETS = DATA.numbers("nuggets", (1, 3), 1, 3, "CP-1.4", "the figures on the nugget cards", length=(0, 6))
TEETH = DATA.numbers("teeth", (1, 3), 1, 3, "CP-1.4", "the figures on the gold-tooth cards", length=(0, 6))
ROUNDS = DATA.number("rounds", 2, 1, 4, "CP-5.1", "rounds of a game; odd kinds count minus in all but the first")

# Without figures a pile could be empty at the set-up: doubles then stay on their piles, and no card leaves the game.
OPTIONS = (
    Option("scoring", ("example", "text"), "CP-4.3", "points as the printed example or as the prose counts them"),
    Option("open", ("first", "all"), "CP-2.3", "tops turned up at the set-up"),
    Option("piles", ("two", "any"), "CP-3.1", "two cards from two piles, or also two from one", since=2),
    Option(
        "doubles",
        ("fixed", "either") if FIGURES else ("fixed",),
        "CP-2.1",
        "doubles on fixed piles, or by chance on either of their two",
        since=2,
    ),
    Option(
        "cancelled",
        ("back", "gone") if FIGURES else ("back",),
        "CP-4.2",
        "whether a +1 and a -1 that cancel are back in the next round or gone from the game",
        since=2,
    ),
)
EXAMPLE, ALL, ANY, EITHER, GONE = 0, 1, 1, 1, 1  # values of the options, in their order

# CP-2.2: the others, ten in the printed game, are dealt on the piles in turn: DEALT of them on each.
OTHERS = PLUSES + MINUSES + len(PROSPECTORS) + len(NUGGETS) + len(TEETH)
DEALT = tuple(OTHERS // 6 + int(pile < OTHERS % 6) for pile in range(6))
ALL_SHOWN = [name.split("-") for name in (*DOUBLES, *PROSPECTORS)]
DATA.require(all(len(set(kinds)) == len(kinds) for kinds in ALL_SHOWN), "CP-1.2", "no card shows the same kind twice")
DATA.require(max(map(DOUBLES.count, DOUBLES), default=0) <= 6, "CP-1.2", "at most six doubles are alike")


class Look(NamedTuple):
    """Cards that look alike: how many there are, the figure on them, the kinds shown and the pile they start in."""

    name: str
    cards: int
    figure: int
    kinds: tuple[str, ...]
    pile: int = -1  # one of the ten


LOOKS = (
    *(
        Look(f"{kind}{n}", FIGURES.count(n), n, (kind,), pile)
        for pile, kind in enumerate(PILES)
        for n in dict.fromkeys(FIGURES)
    ),
    *(
        Look(name, DOUBLES.count(name), 0, tuple(name.split("-")), PILES.index(name.partition("-")[0]))
        for name in dict.fromkeys(DOUBLES)
    ),
    Look("plus", PLUSES, 0, ()),
    Look("minus", MINUSES, 0, ()),
    *(Look(name, PROSPECTORS.count(name), 0, tuple(name.split("-"))) for name in dict.fromkeys(PROSPECTORS)),
    *(
        Look(f"{kind}{n}", figures.count(n), n, (kind,))
        for kind, figures in (("nugget", NUGGETS), ("tooth", TEETH))
        for n in dict.fromkeys(figures)
    ),
)
NAMES = tuple(look.name for look in LOOKS)
PLUS, MINUS = NAMES.index("plus"), NAMES.index("minus")
FIRST_DOUBLE_LOOK = len(PILES) * len(set(FIGURES))
DOUBLE_LOOKS = LOOKS[FIRST_DOUBLE_LOOK:PLUS]

# Cards are numbered look by look: sieve1 sieve1b sieve2 … tooth3. Of those that look alike a player always has the
# first ones, and the last ones are unseen.
CARDS = tuple(look.name + "bcdef"[n - 1 : n] for look in LOOKS for n in range(look.cards))
LOOK = tuple(number for number, look in enumerate(LOOKS) for _ in range(look.cards))
FIRST_DOUBLE, FIRST_PLUS, FIRST_MINUS = (
    sum(look.cards for look in LOOKS[:number]) for number in (FIRST_DOUBLE_LOOK, PLUS, MINUS)
)
N_DOUBLES = len(DOUBLES)
ALL_CARDS = (1 << len(CARDS)) - 1
DATA.require(max(len(CARDS), len(LOOKS)) <= 63, "CP-1.1", f"there is room for 63 cards, not for {len(CARDS)}")
# A turn takes two cards by two decisions, and one gift per round may be refused.
LENGTH = ROUNDS * (len(CARDS) // 2 * 2 + 1)


def cards_of(looks: Iterable[Look]) -> int:
    """The set of all cards of these looks."""
    wanted = list(looks)
    return sum(1 << card for card in range(len(CARDS)) if LOOKS[LOOK[card]] in wanted)


ALIKE = tuple(cards_of([look]) for look in LOOKS)
OWN = tuple(cards_of(look for look in LOOKS if look.pile == pile) for pile in range(6))
SECOND = tuple(cards_of(look for look in DOUBLE_LOOKS if look.kinds[1] == kind) for kind in PILES)  # they can go there
ALL_DOUBLES = cards_of(DOUBLE_LOOKS)
PLACES = tuple(PILES.index(kind) for look in DOUBLE_LOOKS for _ in range(look.cards) for kind in look.kinds) or (0,)
TEN = cards_of(look for look in LOOKS if look.pile < 0)
# For each kind its cards with a figure of 1 or 3, of 2 or 3, and those that show it without one.
ONES = tuple(cards_of(look for look in LOOKS if kind in look.kinds and look.figure & 1) for kind in KINDS)
TWOS = tuple(cards_of(look for look in LOOKS if kind in look.kinds and look.figure & 2) for kind in KINDS)
SHOWING = tuple(cards_of(look for look in LOOKS if kind in look.kinds and not look.figure) for kind in KINDS)
# All that all cards show, and every "+1", which counts twice.
MOST_POINTS = ROUNDS * (sum(look.cards * (look.figure or len(look.kinds)) for look in LOOKS) + 2 * PLUSES)
SIZE = tuple(count(OWN[pile]) + DEALT[pile] for pile in range(6))
DATA.require(min(SIZE) > 0, "CP-2.1", f"every pile must have a card at the set-up; they have {SIZE}")

MOST_SIZE = max(count(OWN[pile] | SECOND[pile]) + DEALT[pile] for pile in range(6))

PAIRS = tuple(combinations(range(6), 2))
LOW = tuple(low for low, _ in PAIRS)
HIGH = tuple(high for _, high in PAIRS)
# For each set of piles, the pairs in it.
WITHIN = np.array(
    [sum(1 << p for p, (x, y) in enumerate(PAIRS) if piles >> x & piles >> y & 1) for piles in range(64)], np.int64
)
# Four tables again as arrays, for the rules: a GPU finds a place in them faster than in tuples.
LOOK_OF, ALIKE_TO, OWN_IN, SECOND_IN = (np.array(table, np.int64) for table in (LOOK, ALIKE, OWN, SECOND))

TAKING, GIVING, ANSWERING, END = range(4)
PHASES = ("take", "give", "answer", "end")
BENEATH = 1 << 6  # in `due`

FIELDS = (
    Field("turn", OVER, MOST_SEATS - 1, 0, "who is to act"),
    Field("seats", 3, MOST_SEATS, 0, "number of players"),
    *(option.field() for option in OPTIONS),
    Field("shown", 0, 0, 1, "always 0: every card is turned up by a chance outcome that everybody sees"),
    words("phase", PHASES, 0, "what is to be decided, once what is due is turned up"),
    Field("round", 0, ROUNDS - 1, 0, "rounds finished before this one"),
    Field("mover", 0, MOST_SEATS - 1, 0, "the seat whose turn it is", of_seats=True),
    a_set("due", (*PILES, "beneath"), 0, "what chance turns up now, in this order: tops, the card beneath a taken top"),
    Field("left", 0, MOST_SIZE, 6, "cards in each pile, without taken ones"),
    Field("dealt", 0, max(DEALT), 6, "how many of the ten lie unseen in each pile"),
    words("top", NAMES, 6, "the open card on each pile, or the one just taken from it", blank=True),
    words("taken", PILES, 2, "the piles taken from, from left to right; the gift's alone in phase answer", blank=True),
    a_set("unseen", CARDS, 0, "cards nobody has seen"),
    a_set("held", CARDS, MOST_SEATS, "cards before each player", by_seat=True),
    words("gone", NAMES, 0, "the card that was rejected", blank=True),
    Field("points", 0, MOST_POINTS, MOST_SEATS, "points of finished rounds", by_seat=True),
    words("beneath", ("none", *NAMES), 0, "the card taken from beneath the top of the same pile"),
    Field("unplaced", 0, N_DOUBLES, 0, "doubles that chance is still to place, the last ones"),
    a_set("moved", CARDS[FIRST_DOUBLE:FIRST_PLUS], 0, "doubles that lie unseen in the pile of their second kind"),
    Field("pairs", 0, min(PLUSES, MINUSES), 0, "pairs of +1 and -1 that have left the game"),
)

RECORD = record(FIELDS)

ACTIONS = Actions(
    Kind("take", (Arg("piles", tuple(f"{PILES[x]} {PILES[y]}" for x, y in PAIRS)),), "CP-3.1"),
    Kind("give", (Arg("which", ("first", "second")), Arg("seat", tuple(map(str, range(MOST_SEATS))))), "CP-3.2"),
    Kind("accept", (), "CP-3.4"),
    Kind("reject", (), "CP-3.4"),
    Kind("take", (Arg("pile", PILES), Arg("twice", ("twice",))), "CP-3.1"),
)
TAKE, GIVE, ACCEPT, REJECT, TAKE_TWICE = ACTIONS.first
OUTCOMES = Actions(
    Kind("turn", (Arg("card", NAMES),), "CP-2.3"),
    Kind(
        "place", (Arg("where", tuple(f"{look.name} {kind}" for look in DOUBLE_LOOKS for kind in look.kinds)),), "CP-2.1"
    ),
)
TURN, PLACE = OUTCOMES.first
WORDS = (max(len(ACTIONS), len(OUTCOMES)) + 63) // 64


@rule
def start(s: Record, seats: int) -> None:
    s.seats = seats
    open_round(s)


@rule
def open_round(s: Record) -> None:
    s.turn = CHANCE
    s.phase = TAKING
    s.mover = 0  # CP-5.1
    s.unplaced = N_DOUBLES if s.doubles == EITHER else 0
    s.due = 0 if s.unplaced > 0 else first_due(s)
    s.moved = 0
    dealt = OTHERS - 2 * s.pairs
    for pile in range(6):
        s.dealt[pile] = dealt // 6 + int(pile < dealt % 6)  # CP-2.2
        s.left[pile] = s.dealt[pile] + count(int(OWN_IN[pile]) & ~(ALL_DOUBLES if s.doubles == EITHER else 0))
        s.top[pile] = UNSEEN
    s.taken[0] = UNSEEN
    s.taken[1] = UNSEEN
    out = (1 << s.pairs) - 1
    s.unseen = ALL_CARDS & ~(out << FIRST_PLUS | out << FIRST_MINUS)
    for x in range(MOST_SEATS):
        s.held[x] = 0
    s.gone = UNSEEN


@rule
def first_due(s: Record) -> int:
    """CP-2.3: the tops that are turned up at the set-up."""
    return 0b111111 if s.open == ALL else 0b1


@rule
def next_double(s: Record) -> int:
    """The card that chance places now."""
    return FIRST_DOUBLE + N_DOUBLES - s.unplaced


@rule
def place(s: Record, is_second: bool) -> None:
    """A double goes on the pile of one of its kinds. Of those that look alike the last ones have moved."""
    card = next_double(s)
    s.left[PLACES[2 * (N_DOUBLES - s.unplaced) + int(is_second)]] += 1
    s.unplaced -= 1
    if is_second:
        alike = (int(ALIKE_TO[LOOK_OF[card]]) >> FIRST_DOUBLE) & ~s.moved
        s.moved |= 1 << (lowest(alike) + count(alike) - 1)
    if s.unplaced == 0:
        s.due = first_due(s)


@rule
def own(s: Record, pile: int) -> int:
    """CP-2.1: the cards that lie in a pile besides those of the ten, if they are unseen."""
    if s.moved == 0:
        return int(OWN_IN[pile])
    moved = s.moved << FIRST_DOUBLE
    return (int(OWN_IN[pile]) & ~moved) | (int(SECOND_IN[pile]) & moved)


@rule
def stocked(s: Record) -> int:
    """The piles that have cards."""
    piles = 0
    for pile in range(6):
        piles |= int(s.left[pile] > 0) << pile
    return piles


@rule
def closed(s: Record) -> int:
    """The piles whose top is not open."""
    piles = 0
    for pile in range(6):
        piles |= int(s.top[pile] < 0) << pile
    return piles


@rule
def is_round_over(piles: int) -> bool:
    """CP-3.3: whether these, which have cards, are fewer than two."""
    return piles & (piles - 1) == 0


@rule
def due_pile(s: Record) -> int:
    """The pile that chance turns a card up from."""
    pile = lowest(s.due)
    return pile if pile < 6 else s.taken[0]


@rule
def legal(s: Record, bits: Bits) -> int:
    options = 0
    if s.turn == CHANCE:
        if s.due == 0:
            return legal_places(s, bits)
        pile = due_pile(s)
        cards = s.unseen & (own(s, pile) | (TEN if s.dealt[pile] > 0 else 0))
        for look in range(len(LOOKS)):
            options |= int(cards & int(ALIKE_TO[look]) != 0) << look
    elif s.phase == TAKING:
        options = int(WITHIN[stocked(s)]) << TAKE  # CP-3.1
        if s.piles == ANY:
            for pile in range(6):
                options |= int(s.left[pile] > 1) << (TAKE_TWICE + pile)
    elif s.phase == GIVING:
        others = ((1 << s.seats) - 1) & ~(1 << s.turn)  # CP-3.2
        options = (others | others << MOST_SEATS) << GIVE
    elif s.phase == ANSWERING:
        options = 1 << ACCEPT | 1 << REJECT
    bits[0] = options
    for w in range(1, WORDS):
        bits[w] = 0
    return count(options)


@rule
def legal_places(s: Record, bits: Bits) -> int:
    """CP-2.1: the next double goes on the pile of its first kind or of its second."""
    for w in range(WORDS):
        bits[w] = 0
    first = PLACE + 2 * (int(LOOK_OF[next_double(s)]) - FIRST_DOUBLE_LOOK)
    put(bits, first)
    put(bits, first + 1)
    return 2


@rule
def odds(s: Record, a: int) -> int:
    """A pile's own unseen cards are as likely as each other, and share the rest of it with all of the ten unseen."""
    if a >= PLACE:
        return 1
    pile = due_pile(s)
    cards = s.unseen & int(ALIKE_TO[a])
    if cards & TEN:
        return count(cards) * s.dealt[pile]
    return count(cards & own(s, pile)) * max(1, count(s.unseen & TEN))


@rule
def draw(s: Record, rng: Rng) -> int:
    if s.due == 0:
        return PLACE + 2 * (int(LOOK_OF[next_double(s)]) - FIRST_DOUBLE_LOOK) + below(rng, 2)
    pile = due_pile(s)
    free = s.unseen & own(s, pile)
    k = below(rng, count(free) + s.dealt[pile])
    if k >= count(free):
        free = s.unseen & TEN
        k = below(rng, count(free))
    return int(LOOK_OF[nth(free, k)])


# The decks of a round: the six piles, the ten, and for each double the two piles it may go on.
THE_TEN_DECK, PLACE_DECK = 6, 7
DECKS = PLACE_DECK + N_DOUBLES


def source(s: Record) -> Source:
    """The n-th card of a pile, counted from the bottom; each double is placed by a throw of its own."""
    first = s.round * DECKS
    if s.due == 0:
        return Source(first + PLACE_DECK + N_DOUBLES - s.unplaced, 0, PLACE)
    pile = due_pile(s)
    return Source(first + pile, count(s.unseen & own(s, pile)) + s.dealt[pile] - 1, TURN)


def deck(s: Record, number: int) -> list[Thing]:
    """Into a pile, before it is shuffled, go its own cards and those that lie in every sixth place of the ten."""
    kind = number % DECKS
    if kind >= PLACE_DECK:
        first = 2 * (LOOK[FIRST_DOUBLE + kind - PLACE_DECK] - FIRST_DOUBLE_LOOK)
        return [first, first + 1]
    if kind == THE_TEN_DECK:
        return looks_of(s.unseen & TEN)
    the_ten = number - kind + THE_TEN_DECK
    slots = range(kind, 6 * s.dealt[kind], 6)  # CP-2.2
    return [*looks_of(s.unseen & own(s, kind)), *((the_ten, slot) for slot in slots)]


def looks_of(cards: int) -> list[Thing]:
    return [LOOK[card] for card in range(len(CARDS)) if cards >> card & 1]


@rule
def apply(s: Record, a: int) -> None:
    if s.turn == CHANCE:
        if a >= PLACE:
            place(s, (a - PLACE) % 2 == 1)
        else:
            turn_up(s, a)
    elif s.phase == TAKING:
        if a >= TAKE_TWICE:
            take(s, a - TAKE_TWICE, a - TAKE_TWICE)
        else:
            take(s, LOW[a - TAKE], HIGH[a - TAKE])
    elif s.phase == GIVING:
        give(s, (a - GIVE) // MOST_SEATS, (a - GIVE) % MOST_SEATS)
    else:
        gift = s.top[s.taken[0]]
        s.top[s.taken[0]] = UNSEEN
        if a == ACCEPT:
            lay_down(s, s.turn, gift)
        else:
            s.gone = gift  # CP-3.4
        end_turn(s)


@rule
def turn_up(s: Record, look: int) -> None:
    pile = due_pile(s)
    if s.due == BENEATH:
        s.beneath = 1 + look
    else:
        s.top[pile] = look
    s.due &= s.due - 1
    cards = s.unseen & int(ALIKE_TO[look])
    s.unseen &= ~(cards & -cards)
    if s.moved != 0:
        moved = (cards & int(SECOND_IN[pile])) >> FIRST_DOUBLE & s.moved
        s.moved &= ~(moved & -moved)
    if cards & TEN:
        s.dealt[pile] -= 1
    if s.due == 0:
        s.turn = s.mover


@rule
def take(s: Record, low: int, high: int) -> None:
    """CP-3.1: the tops of two piles, or of one pile its top and the card beneath."""
    s.taken[0] = low
    s.taken[1] = high
    s.left[low] -= 1
    s.left[high] -= 1
    s.phase = GIVING
    s.due = int(s.top[low] < 0) << low | int(s.top[high] < 0) << high | int(low == high) * BENEATH
    if s.due:
        s.turn = CHANCE


@rule
def lay_down(s: Record, seat: int, look: int) -> None:
    """A card comes to lie before a player."""
    cards = int(ALIKE_TO[look]) & ~s.held[seat]
    s.held[seat] |= cards & -cards


@rule
def give(s: Record, which: int, to: int) -> None:
    low, high, beneath = s.taken[0], s.taken[1], s.beneath
    first, second = s.top[low], s.top[high]
    if beneath > 0:
        second = beneath - 1
        s.beneath = 0
    pile = high if which == 1 else low
    gift = second if which == 1 else first
    lay_down(s, s.turn, first if which == 1 else second)
    s.top[low] = UNSEEN
    s.top[high] = UNSEEN
    s.taken[1] = UNSEEN
    if s.left[pile] == 0 and (which == 1 or beneath == 0) and is_round_over(stocked(s)):
        s.phase = ANSWERING  # CP-3.4
        s.turn = to
        s.taken[0] = pile
        s.top[pile] = gift
    else:
        lay_down(s, to, gift)
        end_turn(s)


@rule
def end_turn(s: Record) -> None:
    s.taken[0] = UNSEEN
    piles = stocked(s)
    if is_round_over(piles):
        end_round(s)
    else:
        s.mover = s.mover + 1 if s.mover + 1 < s.seats else 0
        s.phase = TAKING
        s.due = closed(s) & piles  # CP-2.3
        s.turn = CHANCE if s.due else s.mover


@rule
def end_round(s: Record) -> None:
    for x in range(s.seats):
        s.points[x] += standing(s, s.held[x])
    if s.round + 1 < ROUNDS:
        for x in range(s.seats if s.cancelled == GONE else 0):
            s.pairs += cancelled_pairs(s.held[x])  # CP-4.2
        s.round += 1
        open_round(s)
    else:
        s.phase = END
        s.turn = OVER


@rule
def pieces(cards: int, kind: int) -> int:
    """Pieces of a kind on its own cards."""
    return count(cards & ONES[kind]) + 2 * count(cards & TWOS[kind])


@rule
def number(cards: int, kind: int) -> int:
    """CP-4.1, before the adjustment."""
    return pieces(cards, kind) + count(cards & SHOWING[kind])


@rule
def adjustment(cards: int) -> int:
    return count(cards & ALIKE[PLUS]) - count(cards & ALIKE[MINUS])  # CP-4.2


@rule
def cancelled_pairs(cards: int) -> int:
    return min(count(cards & ALIKE[PLUS]), count(cards & ALIKE[MINUS]))  # CP-4.2


@rule
def worth(s: Record, cards: int, kind: int, added: int) -> int:
    """What a kind counts, with so much added to it by prospectors."""
    adjusted = number(cards, kind) + added
    points = max(0, added + (adjusted if s.scoring == EXAMPLE else pieces(cards, kind)))  # CP-4.3
    if adjusted % 2 == 0:
        return points
    return 0 if s.round == 0 else -points  # CP-4.4, CP-4.5


@rule
def adjusted_kind(s: Record, cards: int) -> int:
    """CP-4.2: the kind to which the adjustment goes for the best, or -1 if there is none."""
    added = adjustment(cards)
    best = -1
    most = 0
    if added != 0:
        for kind in range(len(KINDS)):
            if number(cards, kind) + added >= 0:
                gain = worth(s, cards, kind, added) - worth(s, cards, kind, 0)
                if best < 0 or gain > most:
                    best = kind
                    most = gain
    return best


@rule
def standing(s: Record, cards: int) -> int:
    """What these cards would count if the round were over now."""
    best = adjusted_kind(s, cards)
    points = 0
    for kind in range(len(KINDS)):
        points += worth(s, cards, kind, adjustment(cards) if kind == best else 0)
    return max(0, points)  # CP-4.5


@rule
def score(s: Record, out: Bits) -> None:
    """Points of finished rounds and, until it is over, what this one would count if it were over now."""
    for x in range(s.seats):
        out[x] = s.points[x] + (standing(s, s.held[x]) if s.phase != END else 0)


@rule
def winners(s: Record) -> int:
    most = 0
    for x in range(s.seats):
        most = max(most, s.points[x])
    won = 0
    for x in range(s.seats):
        won |= int(s.points[x] == most) << x  # CP-5.2
    return won
