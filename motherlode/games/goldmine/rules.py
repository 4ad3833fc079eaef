"""Goldmine: trick-taking for two over a row of six hidden gold cards. Read it beside its sheet, `sheet.md`.

A trick goes ACT, ACT, LEAD, ANSWER; chance steps in between (DRAW after a discard, SIGHT at a look, PRIZE at the end)
where a card is seen that nobody has seen before.
"""

from motherlode.data import Data
from motherlode.game import (
    CHANCE,
    EVERYONE,
    HIDDEN,
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
    is_shown,
    nth,
    record,
    rule,
    words,
)

NAME = "goldmine"
TITLE = "Goldmine"
CREDIT = "Kazuma Suzuki, Tarte Games 2019"
RULES = 2
OLDEST_RULES = 1
REMEMBERS = False
SEATS = (2,)

DATA = Data(__name__)
GOLD = DATA.numbers(
    "gold", (2, 3, 4, 5, 6, 7), 1, 40, "GM-1.1", "what each gold card is worth; one trick for each", length=(1, 6)
)
SUITS = DATA.words(
    "suits", ("H", "C", "D"), "[HCD]", "H, C or D", "GM-1.2", "the suits that are played in tricks", length=(1, 3)
)
RANKS = DATA.numbers(
    "ranks", (2, 3, 4, 5, 6, 7), 1, 14, "GM-1.1", "the cards of each suit, low to high", length=(1, 14)
)
TARGETS = DATA.numbers("targets", (30, 50), 1, 500, "GM-4.2", "points that end the short match, and the long one")

TRICKS = len(GOLD)
PER_SUIT = len(RANKS)
CARDS = tuple(f"{suit}{rank}" for suit in SUITS for rank in RANKS)  # suit by suit
LEAST_GOLD, GREATEST_GOLD, ALL_GOLD = min(GOLD), max(GOLD), sum(GOLD)
DATA.require(list(GOLD) == sorted(set(GOLD)), "GM-1.1", "gold goes up: no two gold cards are worth the same")
DATA.require(list(RANKS) == sorted(set(RANKS)), "GM-1.1", "ranks go up: no two cards of a suit are alike")
DATA.require(len(set(SUITS)) == len(SUITS), "GM-1.2", "no two suits are the same")
DATA.require(TARGETS[0] != TARGETS[1], "GM-4.2", "the two targets differ")
DATA.require(
    len(CARDS) == 3 * TRICKS,
    "GM-2.3",
    f"suits × ranks must be three cards for each gold card (two hands and the deck), {3 * TRICKS}, not {len(CARDS)}",
)
DATA.require(
    ALL_GOLD % 2 == 1, "GM-4.1", f"all gold must add up to an odd number, so that a deal has a winner, not {ALL_GOLD}"
)
DATA.require(
    3 * len(CARDS) + GREATEST_GOLD - LEAST_GOLD + 1 <= 63,
    "GM-1.1",
    f"between the least gold and the greatest there is room for {63 - 3 * len(CARDS)} values, "
    f"not {GREATEST_GOLD - LEAST_GOLD + 1}",
)

OPTIONS = (
    Option("target", (*TARGETS, 0), "GM-4.2", "points that end the match; 0 is a single deal"),
    Option("scoring", ("both", "winner"), "GM-4.4", "who adds the gold of a deal: both, or only its winner", since=2),
)
BOTH, WINNER = range(2)  # values of `scoring`
# If both score, somebody has reached the higher target after DEALS deals. A tie, possible if DEALS is even, takes one
# more (GM-4.3). If only the winner does, each seat can win WINS deals without reaching it.
DEALS = 2 * (max(TARGETS) - 1) // ALL_GOLD + 1
WINS = (max(TARGETS) - 1) // (ALL_GOLD // 2 + 1)
MOST_DEALS = max(DEALS + (DEALS % 2 == 0), 2 * WINS + 1)
MOST_POINTS = max(max(TARGETS) - 1, DEALS * ALL_GOLD // 2 if DEALS % 2 == 0 else 0) + ALL_GOLD
LENGTH = MOST_DEALS * 4 * TRICKS

ALL_CARDS = (1 << len(CARDS)) - 1
PLACES = tuple(map(str, range(TRICKS)))
ALL_PLACES = (1 << TRICKS) - 1
ALL_VALUES = sum(1 << (value - LEAST_GOLD) for value in GOLD)

TRUMP, DEAL, ACT, DRAW, SIGHT, LEAD, ANSWER, PRIZE, END = range(9)
PHASES = ("trump", "deal", "act", "draw", "sight", "lead", "answer", "prize", "end")
LOOKING, THROWING = 1, 2  # bits of `left`

FIELDS = (
    Field("turn", OVER, 1, 0, "who is to act"),
    Field("seats", 2, 2, 0, "number of players"),
    *(option.field() for option in OPTIONS),
    Field("shown", 0, 127, 3, "what the last action turned up besides its own words: place, value, to which seats"),
    words("phase", PHASES, 0, "what is to be decided"),
    Field("deal", 0, MOST_DEALS - 1, 0, "deals finished; the dealer is this mod 2"),
    Field("trick", 0, TRICKS - 1, 0, "tricks finished, and the row place of the current gold"),
    words("first", ("0", "1"), 0, "the seat that acts first in this trick; the other one leads", of_seats=True),
    a_set("left", ("look", "discard"), 0, "actions still to be taken in this trick"),
    words("sought", PLACES, 0, "the row place just looked at, until the next decision", blank=True),
    words("trump", CARDS, 0, "the deck's last card, open", blank=True),
    words("led", CARDS, 0, "the card led, until the next lead", blank=True),
    words("answered", CARDS, 0, "the card that answered it", blank=True),
    a_set("hand", CARDS, 2, "cards in hand", by_seat=True),
    a_set("thrown", CARDS, 2, "cards discarded", by_seat=True),
    a_set("played", CARDS, 2, "cards played", by_seat=True),
    Field("held", 0, TRICKS, 2, "how many cards are in hand", by_seat=True),
    Field("threw", 0, TRICKS, 2, "how many cards were discarded", by_seat=True),
    Field("gold", LEAST_GOLD, GREATEST_GOLD, TRICKS, "the gold card of each row place", blank=True),
    a_set("looked", PLACES, 2, "row places a seat has looked at", by_seat=True),
    a_set("won", PLACES, 2, "row places whose gold a seat has taken", by_seat=True),
    Field("points", 0, MOST_POINTS, 2, "points of the deals before, and the gold taken in this one", by_seat=True),
)

RECORD = record(FIELDS)

CARD = Arg("card", CARDS)
ACTIONS = Actions(
    Kind("look", (Arg("place", PLACES),), "GM-3.3"),
    Kind("discard", (CARD,), "GM-3.4"),
    Kind("play", (CARD,), "GM-3.5"),
)
LOOK, DISCARD, PLAY = ACTIONS.first
OUTCOMES = Actions(
    Kind("trump", (CARD,), "GM-2.3"),
    Kind("deal", (CARD,), "GM-2.3"),
    Kind("draw", (CARD,), "GM-3.4"),
    Kind("gold", (Arg("value", tuple(map(str, range(LEAST_GOLD, GREATEST_GOLD + 1)))),), "GM-2.2"),
)
A_TRUMP, A_DEAL, A_DRAW, A_GOLD = OUTCOMES.first


@rule
def start(s: Record, seats: int) -> None:
    s.seats = seats
    open_deal(s)


@rule
def open_deal(s: Record) -> None:
    s.turn = CHANCE
    s.phase = TRUMP
    s.trick = 0
    s.first = 1 - s.deal % 2  # GM-3.2
    s.trump = UNSEEN
    s.led = UNSEEN
    s.answered = UNSEEN
    s.sought = UNSEEN
    for x in range(2):
        s.hand[x] = 0
        s.thrown[x] = 0
        s.played[x] = 0
        s.held[x] = 0
        s.threw[x] = 0
        s.looked[x] = 0
        s.won[x] = 0
    for place in range(TRICKS):
        s.gold[place] = UNSEEN


@rule
def unseen_cards(s: Record) -> int:
    """Trick cards that nobody has seen; in a view, those the seat has not."""
    seen = s.hand[0] | s.hand[1] | s.thrown[0] | s.thrown[1] | s.played[0] | s.played[1]
    if s.trump >= 0:
        seen |= 1 << s.trump
    return ALL_CARDS & ~seen


@rule
def unseen_gold(s: Record) -> int:
    """Gold values that nobody has seen (in a view: the seat), bit v for value LEAST_GOLD + v."""
    free = ALL_VALUES
    for place in range(TRICKS):
        if s.gold[place] >= LEAST_GOLD:
            free &= ~(1 << (s.gold[place] - LEAST_GOLD))
    return free


@rule
def legal(s: Record, bits: Bits) -> int:
    if s.phase == ACT:
        options = 0
        if s.left & LOOKING:
            options = ((ALL_PLACES << s.trick) & ALL_PLACES) << LOOK  # GM-3.3
        if s.left & THROWING:
            options |= s.hand[s.turn] << DISCARD
    elif s.phase == LEAD or s.phase == ANSWER:
        options = s.hand[s.turn] << PLAY  # GM-3.5
    elif s.phase == TRUMP:
        options = unseen_cards(s) << A_TRUMP
    elif s.phase == DEAL:
        options = unseen_cards(s) << A_DEAL
    elif s.phase == DRAW:
        options = unseen_cards(s) << A_DRAW
    elif s.phase == END:
        options = 0
    else:
        options = unseen_gold(s) << A_GOLD
    bits[0] = options
    return count(options)


@rule
def draw(s: Record, rng: Rng) -> int:
    if s.phase == SIGHT or s.phase == PRIZE:
        free, first = unseen_gold(s), A_GOLD
    else:
        free, first = unseen_cards(s), A_DRAW
        if s.phase == DEAL:
            first = A_DEAL
        elif s.phase == TRUMP:
            first = A_TRUMP
    return first + nth(free, below(rng, count(free)))


def source(s: Record) -> Source:
    """Each deal has a deck of trick cards (both hands as they are dealt, the trump card, the deck from the top) and one
    of gold cards, in the order of the row."""
    cards, gold = 2 * s.deal, 2 * s.deal + 1
    if s.phase == SIGHT or s.phase == PRIZE:
        return Source(gold, s.sought if s.phase == SIGHT else s.trick, A_GOLD)
    if s.phase == DEAL:
        return Source(cards, s.held[0] + s.held[1], A_DEAL)
    if s.phase == TRUMP:
        return Source(cards, 2 * TRICKS, A_TRUMP)
    return Source(cards, 2 * TRICKS + s.threw[0] + s.threw[1], A_DRAW)


@rule
def receiver(s: Record) -> int:
    """Who is dealt the next card: alternately, the non-dealer first."""
    return s.first if s.held[0] == s.held[1] else 1 - s.first


@rule
def actor(s: Record) -> int:
    """Whose action (look or exchange) chance completes: there is one left after the first one's."""
    return s.first if s.left else 1 - s.first


@rule
def apply(s: Record, a: int) -> None:
    if s.phase == ACT:
        clear_shown(s)
        if a < DISCARD:
            look(s, a - LOOK)
        else:
            discard(s, a - DISCARD)
    elif s.phase == LEAD:
        clear_shown(s)
        s.sought = UNSEEN
        s.led = a - PLAY
        s.answered = UNSEEN
        leave_hand(s, a - PLAY)
        s.phase = ANSWER
        s.turn = 1 - s.turn
    elif s.phase == ANSWER:
        clear_shown(s)
        answer(s, a - PLAY)
    elif s.phase == DRAW:
        enter_hand(s, actor(s), a - A_DRAW)
        next_action(s)
    elif s.phase == SIGHT:
        s.gold[s.sought] = a - A_GOLD + LEAST_GOLD
        next_action(s)
    elif s.phase == PRIZE:
        s.gold[s.trick] = a - A_GOLD + LEAST_GOLD
        take_gold(s)
    elif s.phase == DEAL:
        enter_hand(s, receiver(s), a - A_DEAL)
        if s.held[0] + s.held[1] == 2 * TRICKS:
            open_trick(s)
    else:
        s.trump = a - A_TRUMP
        s.phase = DEAL


@rule
def clear_shown(s: Record) -> None:
    s.shown[0] = 0
    s.shown[1] = 0
    s.shown[2] = 0


@rule
def show_gold(s: Record, place: int, to: int) -> None:
    """Gold that somebody had seen before is seen again: no chance outcome will say it."""
    s.shown[0] = place
    s.shown[1] = s.gold[place]
    s.shown[2] = to


@rule
def enter_hand(s: Record, seat: int, card: int) -> None:
    s.hand[seat] |= 1 << card
    s.held[seat] += 1


@rule
def leave_hand(s: Record, card: int) -> None:
    s.hand[s.turn] &= ~(1 << card)
    s.held[s.turn] -= 1
    s.played[s.turn] |= 1 << card


@rule
def open_trick(s: Record) -> None:
    s.phase = ACT
    s.left = LOOKING | THROWING
    s.turn = s.first


@rule
def next_action(s: Record) -> None:
    """GM-3.2: the other one takes the action not chosen; GM-3.5: then leads."""
    s.turn = 1 - s.first
    s.phase = ACT if s.left else LEAD


@rule
def look(s: Record, place: int) -> None:
    s.left &= ~LOOKING
    s.looked[s.turn] |= 1 << place
    s.sought = place
    if s.gold[place] == UNSEEN:
        s.phase = SIGHT
        s.turn = CHANCE
    else:
        show_gold(s, place, 1 << s.turn)
        next_action(s)


@rule
def discard(s: Record, card: int) -> None:
    s.left &= ~THROWING
    s.sought = UNSEEN
    s.hand[s.turn] &= ~(1 << card)
    s.held[s.turn] -= 1
    s.thrown[s.turn] |= 1 << card
    s.threw[s.turn] += 1
    if s.trick < TRICKS - 1:
        s.phase = DRAW
        s.turn = CHANCE
    else:
        enter_hand(s, s.turn, s.trump)  # GM-2.3: drawn last
        next_action(s)


@rule
def beats(card: int, led: int, trump: int) -> bool:
    """GM-3.6: whether `card`, answering `led`, wins the trick."""
    if card // PER_SUIT == led // PER_SUIT:
        return card > led
    return card // PER_SUIT == trump // PER_SUIT


@rule
def answer(s: Record, card: int) -> None:
    won = beats(card, s.led, s.trump)
    leave_hand(s, card)
    s.answered = card
    if not won:
        s.turn = 1 - s.turn
    s.won[s.turn] |= 1 << s.trick  # GM-3.7
    s.first = 1 - s.turn
    if s.gold[s.trick] == UNSEEN:
        s.phase = PRIZE
        s.turn = CHANCE
    else:
        show_gold(s, s.trick, EVERYONE)
        take_gold(s)


@rule
def take_gold(s: Record) -> None:
    s.points[1 - s.first] += s.gold[s.trick]
    if s.trick < TRICKS - 1:
        s.trick += 1
        open_trick(s)
        return
    if s.scoring == WINNER:
        lose_gold(s)
    if s.target == 0 or (max(s.points[0], s.points[1]) >= s.target and s.points[0] != s.points[1]):
        s.phase = END  # GM-4.2
        s.turn = OVER
    else:
        s.deal += 1  # GM-4.2, GM-4.3
        open_deal(s)


@rule
def gold_of(s: Record, seat: int) -> int:
    """The gold that a seat has taken in this deal."""
    gold = 0
    for place in range(TRICKS):
        if (s.won[seat] >> place) & 1:
            gold += s.gold[place]
    return gold


@rule
def lose_gold(s: Record) -> None:
    """GM-4.4: whoever has not won the deal adds nothing."""
    gold = gold_of(s, 0)
    loser = 0 if 2 * gold < ALL_GOLD else 1
    s.points[loser] -= gold if loser == 0 else ALL_GOLD - gold


@rule
def hide(s: Record, seat: int) -> None:
    drawn_trump = 1 << s.trump if s.threw[0] + s.threw[1] == TRICKS else 0  # where it went is open
    for x in range(2):
        if x != seat:
            s.hand[x] &= drawn_trump
            s.thrown[x] = 0
    seen = s.won[0] | s.won[1]
    if seat >= 0:
        seen |= s.looked[seat]
    for place in range(TRICKS):
        if s.gold[place] != UNSEEN and (seen >> place) & 1 == 0:
            s.gold[place] = HIDDEN
    if not is_shown(s.shown[2], seat):
        clear_shown(s)


# The bits of `kept` (see `forget`): what the seat saw at each place of the row, who else looked there, and each card
# that was played or that the seat discarded.
SAW, OTHERS, GONE = 0, TRICKS, 2 * TRICKS


@rule
def forget(s: Record, seat: int, kept: int) -> None:
    """Leave what is in sight: the last trick, a look until the next decision, the gold taken. Cards that were played or
    discarded lie face down, and so does the gold in the row; where nobody is known to have looked it is unseen."""
    if s.turn == OVER:  # ALL-10
        return
    in_sight = kept >> GONE
    if s.led >= 0:
        in_sight |= 1 << s.led
    if s.answered >= 0:
        in_sight |= 1 << s.answered
    for x in range(2):
        s.played[x] &= in_sight
        s.thrown[x] &= kept >> GONE
        s.looked[x] &= (kept >> (SAW if x == seat else OTHERS)) | seen_now(s, x)
    for place in range(TRICKS):
        if ((s.won[0] | s.won[1]) >> place) & 1 == 0 and s.gold[place] != UNSEEN:
            if ((s.looked[0] | s.looked[1]) >> place) & 1 == 0:
                s.gold[place] = UNSEEN
    hide(s, seat)


@rule
def seen_now(s: Record, seat: int) -> int:
    """The place that a seat has looked at by the last decision, as a set."""
    return 1 << s.sought if s.sought >= 0 and actor(s) == seat else 0


def recalled_places(actor: int, told: int, shown: bytes, seat: int) -> int:
    """A look brings to mind a place, and a card that is played, or discarded by the seat itself, that card."""
    if actor == CHANCE or told == HIDDEN:
        return 0
    if told < DISCARD:
        return 1 << (told - LOOK + (SAW if actor == seat else OTHERS))
    return 1 << (told - (DISCARD if told < PLAY else PLAY) + GONE)


@rule
def told(s: Record, a: int, seat: int) -> int:
    if s.phase == ACT:
        return HIDDEN if a >= DISCARD and s.turn != seat else a
    if s.phase == DEAL:
        return HIDDEN if receiver(s) != seat else a
    if s.phase == DRAW or s.phase == SIGHT:
        return HIDDEN if actor(s) != seat else a
    return a


@rule
def cards_played(s: Record, seat: int) -> int:
    """How many cards a seat has played in this deal."""
    if s.phase == PRIZE or s.phase == END or (s.phase == ANSWER and s.turn != seat):
        return s.trick + 1
    return s.trick


@rule
def guess(s: Record, seat: int, rng: Rng) -> None:
    """Every way to put unseen cards into the hidden places has as many pasts, so all are equally likely.

    If something was forgotten, all ways that fit what is left count as equally likely; who won which trick with a
    forgotten card is not weighed.
    """
    free = unseen_cards(s)
    for x in range(2):
        for _ in range(cards_played(s, x) - count(s.played[x])):
            card = nth(free, below(rng, count(free)))
            free &= ~(1 << card)
            s.played[x] |= 1 << card
        for _ in range(s.held[x] - count(s.hand[x])):
            card = nth(free, below(rng, count(free)))
            free &= ~(1 << card)
            s.hand[x] |= 1 << card
        for _ in range(s.threw[x] - count(s.thrown[x])):
            card = nth(free, below(rng, count(free)))
            free &= ~(1 << card)
            s.thrown[x] |= 1 << card
    values = unseen_gold(s)
    for place in range(TRICKS):
        if s.gold[place] == HIDDEN:
            value = nth(values, below(rng, count(values)))
            values &= ~(1 << value)
            s.gold[place] = value + LEAST_GOLD


@rule
def score(s: Record, out: Bits) -> None:
    out[0] = s.points[0]
    out[1] = s.points[1]


@rule
def winners(s: Record) -> int:
    return 1 if s.points[0] > s.points[1] else 2
