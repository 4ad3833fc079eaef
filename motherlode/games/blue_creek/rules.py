"""Gold Rush at Blue Creek: turn up gold, then find the tools it takes among everybody's hidden equipment.

Read it beside its sheet, `sheet.md`. Before the first turn chance deals the tools (DEAL) and players decide on which
side theirs lie (PLACING); until then a tool is in its left slot. A turn begins at CHOOSE. A turned card is decided by
chance at RIVER and, if it is gold, sought at SEARCH; a tool that fails a search leads to SWAPPING. A doubt uncovers the
river card by card at UNCOVER; if it was right it goes on with ROBBING and LOOT, else with the GIVING of the gold.
"""

from collections.abc import Sequence

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
    lowest,
    nth,
    put,
    record,
    rule,
    words,
)

NAME = "blue_creek"
TITLE = "Gold Rush at Blue Creek"
CREDIT = "published as Goldrausch, Frank Stark, NSV 2008"
RULES = 2
OLDEST_RULES = 1
SEATS = (2, 3, 4)
OPTIONS = (
    Option("tools", ("down", "stay"), "BC-4.5", "what the tools of a won card do"),
    Option("empties", ("alike", "marked"), "BC-3.1", "how a turned card without gold looks", since=2, was="marked"),
    Option(
        "placing", ("chosen", "chance"), "BC-2.1", "who decides on which side a tool lies first", since=2, was="chance"
    ),
    Option("dealing", ("place", "chosen"), "BC-6.1", "in which order the gold of a wrong doubt is dealt", since=2),
)
STAY, MARKED, BY_CHANCE, BY_DOUBTER = 1, 1, 1, 1

# The four prospectors with their tools and whiskeys are not in the table, except for the tools' names.
DATA = Data(__name__)
TOOLS = DATA.words(
    "tools",
    ("sieve", "pickaxe", "shovel", "knife"),
    "[a-z]{1,12}",
    "a word of small letters",
    "BC-1.2",
    "the tools' names",
)
NUGGETS = DATA.lists(
    "nuggets",
    ((0,), (1,), (2,), (3,), (0, 1), (1, 2), (2, 3), (0, 3), (0, 1, 2), (1, 2, 3), (0, 2, 3), (0, 1, 3)),
    0,
    3,
    "BC-1.4",
    "the tools on each nugget card, by their places in tools",
    length=(1, 15),
    of=(1, 4),
)
NUGGET_VALUES = DATA.numbers(
    "nugget_values", (1, 2, 3, 4), 1, 20, "BC-1.4", "the nuggets on a card with one tool, with two, three and four"
)
TEETH = DATA.numbers(
    "teeth", (1, 2, 2, 3), 1, 4, "BC-1.5", "the teeth on each tooth card, and as many bottles", length=(0, 8)
)
EMPTIES = DATA.number("empties", 30, 0, 60, "BC-1.3", "river cards without gold")
RIVER_PLACES = DATA.number("river_places", 10, 5, 12, "BC-2.2", "how many river cards are laid")
GUARD = DATA.number("guard", 100, 1, 100, "BC-7.3", "turns without a new card or one won or a doubt that end the game")
DATA.require(
    len({*TOOLS, "whiskey", "empty", "none", "tooth"}) == 8,
    "BC-1.2",
    "the tools' names differ, also from whiskey, tooth, empty and none",
)
DATA.require(
    len({frozenset(tools) for tools in NUGGETS}) == len(NUGGETS), "BC-1.4", "no two nugget cards have the same tools"
)
DATA.require(
    all(len(set(tools)) == len(tools) for tools in NUGGETS), "BC-1.4", "a nugget card has each tool at most once"
)

# Gold cards: the nugget cards, then the tooth cards.
TOOTH_NAMES = tuple(
    ("tooth" if n == 1 else f"teeth-{n}") + (f"{'-' * (n == 1)}{'abcdefgh'[TEETH[:k].count(n)]}" * (TEETH.count(n) > 1))
    for k, n in enumerate(TEETH)
)
GOLD = tuple("-".join(TOOLS[tool] for tool in tools) for tools in NUGGETS) + TOOTH_NAMES
GOLDS = len(GOLD)
NEEDED = tuple(sum(1 << tool for tool in tools) for tools in NUGGETS) + (0,) * len(TEETH)
BOTTLES = (0,) * len(NUGGETS) + TEETH
WORTH = tuple(NUGGET_VALUES[len(tools) - 1] for tools in NUGGETS) + TEETH
ALL_GOLD = (1 << GOLDS) - 1
ALL_TEETH = sum(1 << card for card in range(GOLDS) if BOTTLES[card])
TIES = sum(TEETH) + 1  # more than what breaks a tie
RIVER_CARDS = GOLDS + EMPTIES
EMPTY, NONE = GOLDS, GOLDS + 1  # on a river place besides gold: a turned card without gold; no card

EQUIPMENT = (*TOOLS, "whiskey")
WHISKEY = 4
ALL_TOOLS = 0b1111
ALL_SLOTS = 0b11111111
ALL_PLACES = (1 << RIVER_PLACES) - 1
SLOTS = tuple(map(str, range(8)))
SIDES = ("left", "right")
PLACES = tuple(map(str, range(RIVER_PLACES)))
PLAYERS = ("0", "1", "2", "3")

# A right doubt needs gold in the pile, so a full river of empty cards leaves.
ROBBERIES = max(1, EMPTIES // RIVER_PLACES)
# Everybody places a tool, and of all gold it may be decided who is given it. Cards turned, right doubts, and gold won
# or dealt, each after at most 99 other turns, and 100 at the end; a turn is a choice, three reveals and four swaps, for
# a swap or a stop takes an open tool out of the round.
REVEALS = max(*map(len, NUGGETS), *TEETH, 1)
LENGTH = SEATS[-1] + GOLDS + ((RIVER_CARDS + ROBBERIES + GOLDS) * GUARD + GUARD) * (1 + REVEALS + 4)

DEAL, CHOOSE, RIVER, SEARCH, SWAPPING, UNCOVER, ROBBING, LOOT, END, PLACING, GIVING = range(11)
PHASES = ("deal", "choose", "river", "search", "swapping", "uncover", "robbing", "loot", "end", "placing", "giving")

# The river's places, in two rows, and the slots: prospector p's are 2p, left of it, and 2p+1, right of it.
#
#     0 1 2 3 4        0 (p0) 1    2 (p1) 3    4 (p2) 5    6 (p3) 7
#     5 6 7 8 9
#
# The bits of `kept` (see `forget`): 0…7 the slots, 8 who owns which gold, from 9 on the river's places.
KEPT_GOLD, KEPT_PLACES = 8, 9

FIELDS = (
    Field("turn", OVER, 3, 0, "who is to act"),
    Field("seats", 2, 4, 0, "number of players"),
    *(option.field() for option in OPTIONS),
    Field(
        "shown",
        0,
        127,
        3 + ROBBERIES,
        "card revealed, received or turned again: slot (8 and more: river place), card, to which seats; at the end the "
        "cards robbed, +1",
    ),
    words("phase", PHASES, 0, "what is to be decided"),
    words("mover", PLAYERS, 0, "whose turn of play it is", of_seats=True),
    Field("rest", 0, 4, 0, "how many are still to be asked in the swapping round, or still to be dealt equipment"),
    Field(
        "sought",
        0,
        RIVER_PLACES - 1,
        0,
        "the river place searched for; at a robbery the seat robbed, of gold dealt the seat that gets the next card",
    ),
    Field("stale", 0, GUARD, 0, "turns in a row in which nothing new was turned, nothing won and nobody doubted"),
    Field("pile", 0, max(0, RIVER_CARDS - RIVER_PLACES), 0, "cards in the pile"),
    Field("gone", 0, EMPTIES, 0, "cards out of the game, all of them empty"),
    words("river", (*GOLD, "empty", "none"), RIVER_PLACES, "the card on each place", blank=True),
    Field("order", 0, max(0, RIVER_CARDS - 1), RIVER_PLACES, "which card of the pile lies on each place", blank=True),
    a_set("concealed", PLACES, 0, "places with a card that nobody has seen"),
    a_set("open", PLACES, 0, "places with open gold"),
    a_set("unseen", GOLD, 0, "gold cards that nobody has seen"),
    words("card", EQUIPMENT, 8, "the card in each slot", blank=True, by_seat=True),
    words(
        "came",
        SLOTS,
        8,
        "the slot where that card lay first; hidden when the swaps are forgotten",
        blank=True,
        by_seat=True,
        of_seats=True,
    ),
    a_set("up", SLOTS, 0, "slots with an open tool", of_seats=True),
    a_set("poured", SLOTS, 0, "slots with an open whiskey", of_seats=True),
    a_set("revealed", SLOTS, 0, "slots whose card everybody has seen", of_seats=True),
    a_set("seen", SLOTS, 4, "slots whose card a seat has seen by itself", by_seat=True, of_seats=True),
    a_set(
        "recent",
        SLOTS,
        0,
        "slots whose card was revealed in the last search, still in everybody's sight",
        of_seats=True,
    ),
    a_set("first", SLOTS, 0, "slots whose first card is still in its player's sight", of_seats=True),
    a_set("got", SLOTS, 0, "slots whose card, just received in a swap, is still in its player's sight", of_seats=True),
    a_set("won", GOLD, 4, "gold cards a seat won or was dealt, robberies left aside", by_seat=True),
    Field("held", 0, GOLDS, 4, "how many gold cards a seat owns", by_seat=True),
    Field("robberies", 0, ROBBERIES, 0, "robberies so far"),
    words("robber", PLAYERS, ROBBERIES, "who robbed", of_seats=True),
    words("victim", PLAYERS, ROBBERIES, "who was robbed", of_seats=True),
    words("robbed", GOLD, ROBBERIES, "of which card", blank=True),
    a_set("then", GOLD, ROBBERIES, "what `won` of the victim was then"),
)

RECORD = record(FIELDS)

PLACE, SLOT, SEAT = Arg("place", PLACES), Arg("slot", SLOTS), Arg("seat", PLAYERS)
ACTIONS = Actions(
    Kind("turn", (PLACE,), "BC-3.1"),
    Kind("try", (PLACE,), "BC-3.2"),
    Kind("doubt", (), "BC-3.3"),
    Kind("reveal", (SLOT,), "BC-4.1"),
    Kind("swap", (Arg("own side", SIDES), SLOT), "BC-5.3"),
    Kind("stop", (), "BC-5.3"),
    Kind("rob", (SEAT,), "BC-6.1"),
    Kind("place", (Arg("side", SIDES),), "BC-2.1"),
    Kind("give", (PLACE,), "BC-6.1"),
)
TURN, TRY, DOUBT, REVEAL, SWAP, STOP, ROB, PLACE_TOOL, GIVE = ACTIONS.first
OUTCOMES = Actions(
    Kind("deal", (Arg("tool", TOOLS), Arg("side", SIDES)), "BC-2.1"),
    Kind("river", (Arg("card", (*GOLD, "empty")),), "BC-3.1"),
    Kind("robbed", (Arg("card", GOLD),), "BC-6.1"),
    Kind("tool", (Arg("tool", TOOLS),), "BC-2.1"),
)
A_DEAL, A_RIVER, A_ROBBED, A_TOOL = OUTCOMES.first
LEFT, RIGHT = 0, 1
MORE_WORDS = max(len(ACTIONS), len(OUTCOMES)) > 64  # of bits, with many river places


@rule
def start(s: Record, seats: int) -> None:
    s.seats = seats
    s.turn = CHANCE
    s.phase = DEAL
    s.rest = 4
    s.unseen = ALL_GOLD
    s.pile = RIVER_CARDS
    lay_river(s)
    for slot in range(8):
        s.card[slot] = UNSEEN
        s.came[slot] = slot
    for k in range(ROBBERIES):
        s.robbed[k] = UNSEEN


@rule
def lay_river(s: Record) -> None:
    """The old river leaves the game and new cards are laid, as many as there are."""
    cards = min(RIVER_PLACES, s.pile)
    s.concealed = (1 << cards) - 1
    for place in range(RIVER_PLACES):
        s.gone += 1 if s.river[place] == EMPTY else 0
        s.river[place] = UNSEEN if place < cards else NONE
        s.order[place] = RIVER_CARDS - s.pile + place if place < cards else 0
    s.pile -= cards


@rule
def pair(prospector: int) -> int:
    """A prospector's slots."""
    return 0b11 << (2 * prospector)


@rule
def unseen_empties(s: Record) -> int:
    return count(s.concealed) + s.pile - count(s.unseen)


@rule
def tools_in(s: Record, slots: int) -> int:
    """The tools in these slots, as far as they are known."""
    tools = 0
    for slot in range(8):
        if (slots >> slot) & 1 and 0 <= s.card[slot] < WHISKEY:
            tools |= 1 << s.card[slot]
    return tools


@rule
def after_robberies(s: Record, cards: int, seat: int, robberies: int) -> int:
    """A seat's cards after the first robberies, as far as they are known."""
    for k in range(robberies):
        if s.robbed[k] != HIDDEN:
            if s.victim[k] == seat:
                cards &= ~(1 << s.robbed[k])
            elif s.robber[k] == seat:
                cards |= 1 << s.robbed[k]
    return cards


@rule
def owned(s: Record, seat: int) -> int:
    """A seat's gold cards."""
    return after_robberies(s, s.won[seat], seat, s.robberies)


@rule
def places_tools(s: Record, prospector: int) -> bool:
    """BC-2.1: whether this prospector's player decides on which side the tool lies."""
    return s.placing != BY_CHANCE and prospector < s.seats


@rule
def face_down(s: Record) -> int:
    """Places with a card that is not open gold. Only without a pile are there places without a card."""
    places = ALL_PLACES & ~s.open
    if s.pile == 0:
        for place in range(RIVER_PLACES):
            if s.river[place] == NONE:
                places &= ~(1 << place)
    return places


@rule
def legal(s: Record, bits: Bits) -> int:
    options = 0
    if s.phase == CHOOSE:
        turnable = s.concealed if s.empties == MARKED else face_down(s)  # BC-3.1
        options = turnable << TURN | s.open << TRY
        if s.open == 0:
            options |= 1 << DOUBT  # BC-3.3
    elif s.phase == SEARCH:
        options = (ALL_SLOTS & ~(s.up | s.poured)) << REVEAL
    elif s.phase == SWAPPING:
        options = 1 << STOP
        others = ALL_SLOTS & ~(s.up | pair(s.turn))  # BC-5.3
        for side in range(2):
            if (s.up >> (2 * s.turn + side)) & 1:
                options |= others << (SWAP + 8 * side)
    elif s.phase == ROBBING:
        for x in range(s.seats):
            if x != s.mover and s.held[x] > 0:
                options |= 1 << (ROB + x)
    elif s.phase == RIVER or s.phase == UNCOVER:
        options = s.unseen << A_RIVER
        if unseen_empties(s) > 0:
            options |= 1 << (A_RIVER + EMPTY)
    elif s.phase == LOOT:
        options = owned(s, s.sought) << A_ROBBED
    elif s.phase == DEAL:
        tools = ALL_TOOLS & ~tools_in(s, ALL_SLOTS)
        if places_tools(s, 4 - s.rest):
            options = tools << A_TOOL
        else:
            for tool in range(4):
                if (tools >> tool) & 1:
                    options |= 0b11 << (A_DEAL + 2 * tool)
    elif s.phase == PLACING:
        options = 0b11 << PLACE_TOOL
    bits[0] = options
    if MORE_WORDS:
        bits[1] = 0
    if s.phase == GIVING:
        for place in range(RIVER_PLACES):
            if (s.open >> place) & 1:
                put(bits, GIVE + place)
        return count(s.open)
    return count(options)


@rule
def useful(s: Record, bits: Bits) -> int:
    """All but turning a card that is known to be empty."""
    choices = legal(s, bits)
    if s.phase != CHOOSE:
        return choices
    bits[0] = (bits[0] & ~(ALL_PLACES << TURN)) | s.concealed << TURN
    return count(bits[0])


@rule
def odds(s: Record, a: int) -> int:
    return unseen_empties(s) if a == A_RIVER + EMPTY else 1


@rule
def draw(s: Record, rng: Rng) -> int:
    if s.phase == RIVER or s.phase == UNCOVER:
        k = below(rng, count(s.concealed) + s.pile)
        return A_RIVER + (nth(s.unseen, k) if k < count(s.unseen) else EMPTY)
    if s.phase == LOOT:
        cards = owned(s, s.sought)
        return A_ROBBED + nth(cards, below(rng, count(cards)))
    tools = ALL_TOOLS & ~tools_in(s, ALL_SLOTS)
    tool = nth(tools, below(rng, count(tools)))
    return A_TOOL + tool if places_tools(s, 4 - s.rest) else A_DEAL + 2 * tool + below(rng, 2)


@rule
def apply(s: Record, a: int) -> None:
    if s.turn >= 0:
        show_card(s, 0, 0, 0)
    if s.phase == CHOOSE:
        choose(s, a)
    elif s.phase == SEARCH:
        reveal(s, a - REVEAL)
    elif s.phase == SWAPPING:
        if a == STOP:
            s.turn = (s.turn + 1) % s.seats
            s.rest -= 1
        else:
            swap(s, 2 * s.turn + (a - SWAP) // 8, (a - SWAP) % 8)
        ask(s)
    elif s.phase == RIVER:
        uncover(s, s.sought, a - A_RIVER)
        if a - A_RIVER == EMPTY:
            end_turn(s)  # BC-3.1
        else:
            search(s)
    elif s.phase == UNCOVER:
        uncover(s, lowest(s.concealed), a - A_RIVER)
        if s.concealed == 0:
            settle_doubt(s)
    elif s.phase == ROBBING:
        s.sought = a - ROB
        s.phase = LOOT
        s.turn = CHANCE
    elif s.phase == LOOT:
        loot(s, a - A_ROBBED)
    elif s.phase == GIVING:
        give(s, a - GIVE)
        deal_gold(s)
    elif s.phase == PLACING:
        place(s, a - PLACE_TOOL)
    elif a < A_TOOL:
        deal(s, (a - A_DEAL) // 2, (a - A_DEAL) % 2)
    else:
        deal(s, a - A_TOOL, LEFT)  # for now


@rule
def show_card(s: Record, slot: int, card: int, to: int) -> None:
    s.shown[0] = slot
    s.shown[1] = card
    s.shown[2] = to


@rule
def deal(s: Record, tool: int, side: int) -> None:
    prospector = 4 - s.rest
    s.rest -= 1
    s.card[2 * prospector + side] = tool
    s.card[2 * prospector + 1 - side] = WHISKEY
    if prospector < s.seats:
        s.seen[prospector] = pair(prospector)
        s.first |= pair(prospector)
    if s.rest == 0:
        s.turn = 0
        s.phase = CHOOSE if s.placing == BY_CHANCE else PLACING


@rule
def place(s: Record, side: int) -> None:
    if side == RIGHT:
        left, right = 2 * s.turn, 2 * s.turn + 1
        s.card[left], s.card[right] = s.card[right], s.card[left]
    s.turn += 1
    if s.turn == s.seats:
        s.turn = 0
        s.phase = CHOOSE


@rule
def choose(s: Record, a: int) -> None:
    s.recent = 0
    s.got = 0
    s.first &= ~pair(s.mover)
    if a < TRY:
        s.sought = a - TURN
        if s.river[s.sought] == EMPTY:
            s.stale += 1
            show_card(s, 8 + s.sought, EMPTY, EVERYONE)
            end_turn(s)
        else:
            s.stale = 0
            s.phase = RIVER
            s.turn = CHANCE
    elif a < DOUBT:
        s.stale += 1
        s.sought = a - TRY
        search(s)
    else:
        s.stale = 0
        s.phase = UNCOVER
        s.turn = CHANCE
        if s.concealed == 0:
            settle_doubt(s)


@rule
def uncover(s: Record, place: int, card: int) -> None:
    s.river[place] = card
    s.concealed &= ~(1 << place)
    if card != EMPTY:
        s.open |= 1 << place
        s.unseen &= ~(1 << card)


@rule
def search(s: Record) -> None:
    card = s.river[s.sought]
    s.phase = SEARCH
    s.turn = s.mover
    if BOTTLES[card] == 0 and NEEDED[card] & ~tools_in(s, s.up) == 0:
        win(s)  # BC-4.3


@rule
def reveal(s: Record, slot: int) -> None:
    sought = s.river[s.sought]
    card = s.card[slot]
    s.revealed |= 1 << slot
    s.recent |= 1 << slot
    show_card(s, slot, card, EVERYONE)
    if card == WHISKEY:
        s.poured |= 1 << slot
        if count(s.poured) == BOTTLES[sought]:
            win(s)
        elif BOTTLES[sought] == 0:
            s.poured = 0
            end_turn(s)  # BC-5.1: no swapping round
        return
    missing = NEEDED[sought] & ~tools_in(s, s.up)
    s.up |= 1 << slot
    if missing == 1 << card:
        win(s)
    elif (missing >> card) & 1 == 0:
        s.poured = 0  # BC-4.6
        s.phase = SWAPPING
        s.turn = slot // 2 if slot // 2 < s.seats else s.mover  # BC-5.2
        s.rest = s.seats
        ask(s)


@rule
def win(s: Record) -> None:
    """BC-4.5."""
    s.stale = 0
    s.poured = 0
    if s.tools != STAY:
        for slot in range(8):
            if (NEEDED[s.river[s.sought]] >> s.card[slot]) & 1:
                s.up &= ~(1 << slot)
    take(s, s.mover, s.sought)
    if s.pile:
        s.order[s.sought] = RIVER_CARDS - s.pile
        s.pile -= 1
        s.river[s.sought] = UNSEEN
        s.concealed |= 1 << s.sought
    end_turn(s)


@rule
def take(s: Record, seat: int, place: int) -> None:
    s.won[seat] |= 1 << s.river[place]
    s.held[seat] += 1
    s.river[place] = NONE
    s.open &= ~(1 << place)


@rule
def end_turn(s: Record) -> None:
    if s.stale == GUARD or (s.unseen == 0 and s.open == 0):  # BC-7.3, BC-7.1
        s.phase = END
        s.turn = OVER
        for k in range(s.robberies):  # ALL-10
            s.shown[3 + k] = s.robbed[k] + 1
    else:
        s.mover = (s.mover + 1) % s.seats
        s.turn = s.mover
        s.phase = CHOOSE


@rule
def ask(s: Record) -> None:
    """BC-5.3: the next one with an open tool, if any, may swap."""
    while s.rest > 0 and s.up & pair(s.turn) == 0:
        s.turn = (s.turn + 1) % s.seats
        s.rest -= 1
    if s.rest == 0:
        end_turn(s)


@rule
def swap(s: Record, own: int, other: int) -> None:
    card, came = s.card[own], s.came[own]
    s.card[own], s.came[own] = s.card[other], s.came[other]
    s.card[other], s.came[other] = card, came
    s.up &= ~(1 << own)
    s.revealed = exchanged(s.revealed, own, other)
    s.recent = exchanged(s.recent, own, other)
    for x in range(s.seats):
        s.seen[x] = exchanged(s.seen[x], own, other)
    s.seen[s.turn] |= 1 << own
    s.first &= ~(1 << own | 1 << other)
    s.got = (s.got | 1 << own) & ~(1 << other)
    show_card(s, own, s.card[own], 1 << s.turn)


@rule
def exchanged(slots: int, a: int, b: int) -> int:
    """A set of slots after the cards in two of them changed places."""
    differ = ((slots >> a) ^ (slots >> b)) & 1
    return slots ^ (differ << a | differ << b)


@rule
def settle_doubt(s: Record) -> None:
    """BC-6.1."""
    if s.open == 0 and GOLDS - count(s.unseen) > s.held[s.mover]:
        s.phase = ROBBING
        s.turn = s.mover
        return
    s.sought = (s.mover + 1) % s.seats
    deal_gold(s)


@rule
def deal_gold(s: Record) -> None:
    """BC-6.1: until the doubter has to name a place, in the order of the places."""
    while s.open != 0:
        if s.dealing == BY_DOUBTER and s.seats > 2 and count(s.open) > 1:
            s.phase = GIVING
            s.turn = s.mover
            return
        give(s, lowest(s.open))
    lay_river(s)  # BC-6.2
    end_turn(s)


@rule
def give(s: Record, place: int) -> None:
    take(s, s.sought, place)
    s.sought = (s.sought + 1) % s.seats
    if s.sought == s.mover:
        s.sought = (s.sought + 1) % s.seats


@rule
def loot(s: Record, card: int) -> None:
    s.robber[s.robberies] = s.mover
    s.victim[s.robberies] = s.sought
    s.robbed[s.robberies] = card
    s.then[s.robberies] = s.won[s.sought]
    s.robberies += 1
    s.held[s.mover] += 1
    s.held[s.sought] -= 1
    lay_river(s)  # BC-6.2
    end_turn(s)


@rule
def hide(s: Record, seat: int) -> None:
    known = s.revealed | (s.seen[seat] if seat >= 0 else 0)
    for slot in range(8):
        if (known >> slot) & 1 == 0 and s.card[slot] != UNSEEN:
            s.card[slot] = HIDDEN
    for k in range(s.robberies):
        if s.robber[k] != seat and s.victim[k] != seat and s.phase != END:
            s.robbed[k] = HIDDEN
    if not is_shown(s.shown[2], seat):
        show_card(s, 0, 0, 0)


@rule
def forget(s: Record, seat: int, kept: int) -> None:
    if kept & ALL_SLOTS != ALL_SLOTS:
        s.revealed &= kept | s.up | s.recent
        for x in range(s.seats):
            s.seen[x] &= kept | ((s.first | s.got) & pair(x))
        hide(s, seat)
        swapped = False
        for slot in range(8):
            swapped = swapped or s.came[slot] != slot
        for slot in range(8):
            s.came[slot] = HIDDEN if swapped else slot
    if (kept >> KEPT_GOLD) & 1 == 0 and s.phase != END:
        forget_gold(s, seat)
    if (kept >> KEPT_PLACES) & ALL_PLACES != ALL_PLACES:
        forget_river(s, kept >> KEPT_PLACES)


@rule
def forget_gold(s: Record, seat: int) -> None:
    """Own gold, open gold and the number of others' cards stay in sight."""
    own = owned(s, seat) if seat >= 0 else 0
    s.unseen = ALL_GOLD & ~own
    for x in range(s.seats):
        s.won[x] = own if x == seat else 0
    for place in range(RIVER_PLACES):
        if (s.open >> place) & 1:
            s.unseen &= ~(1 << s.river[place])
    s.robberies = 0
    for k in range(ROBBERIES):
        s.robber[k] = 0
        s.victim[k] = 0
        s.robbed[k] = UNSEEN
        s.then[k] = 0


@rule
def forget_river(s: Record, kept: int) -> None:
    """A card seen to be empty looks like any other again, unless a doubt has uncovered the river.

    Nor can one tell which cards were laid later; before the first turn there is nothing to forget.
    """
    is_uncovered = s.phase == UNCOVER or s.phase == ROBBING or s.phase == LOOT or s.phase == GIVING or s.phase == END
    for place in range(RIVER_PLACES):
        if s.first & pair(0) == 0:
            s.order[place] = UNSEEN
        if s.river[place] == EMPTY and s.empties != MARKED and not is_uncovered and (kept >> place) & 1 == 0:
            s.river[place] = UNSEEN
            s.concealed |= 1 << place
            if s.sought == place:
                s.sought = 0


def recalled_places(actor: int, told: int, shown: bytes, seat: int) -> int:
    """The first two cards, a turned one, a revealed one with the gold it may win, and both that change places."""
    if actor == CHANCE:
        return pair(seat) if 0 <= told < A_RIVER or told >= A_TOOL else 0
    if TURN <= told < TRY:
        return 1 << (KEPT_PLACES + told - TURN)
    if REVEAL <= told < SWAP:
        return 1 << (told - REVEAL) | 1 << KEPT_GOLD
    if SWAP <= told < STOP:
        return 1 << (2 * actor + (told - SWAP) // 8) | 1 << ((told - SWAP) % 8)
    return 0


@rule
def told(s: Record, a: int, seat: int) -> int:
    if s.phase == DEAL:
        return a if 4 - s.rest == seat else HIDDEN
    if s.phase == PLACING:
        return a if s.turn == seat else HIDDEN
    if s.phase == LOOT:
        return a if s.mover == seat or s.sought == seat else HIDDEN
    return a


@rule
def guess(s: Record, seat: int, rng: Rng) -> None:
    if s.came[0] == HIDDEN:
        guess_slots(s, rng)
    else:
        guess_pairs(s, rng)
    guess_robberies(s, rng)
    for x in range(s.seats):  # forgotten gold
        for _ in range(s.held[x] - count(owned(s, x))):
            card = nth(s.unseen, below(rng, count(s.unseen)))
            s.unseen &= ~(1 << card)
            s.won[x] |= 1 << card
    if s.order[0] == UNSEEN and s.empties != MARKED and s.turn >= 0:
        guess_turned(s, rng)


@rule
def guess_turned(s: Record, rng: Rng) -> None:
    """Of a forgotten river: the more turns in a row brought nothing new, the likelier each card was turned before."""
    for place in range(RIVER_PLACES):
        if (s.concealed >> place) & 1 and unseen_empties(s) > 0 and below(rng, s.stale + 2) > 1:
            s.river[place] = EMPTY
            s.concealed &= ~(1 << place)


@rule
def guess_pairs(s: Record, rng: Rng) -> None:
    """Each prospector had a tool and a whiskey first, so tools and sides can be drawn one by one.

    A tool that its player has not placed yet is on the left.
    """
    now = 0  # the slot of the card that lay first in slot 0, in slot 1, …, four bits each
    for slot in range(8):
        now |= slot << (4 * s.came[slot])
    tools = ALL_TOOLS & ~tools_in(s, ALL_SLOTS)
    for p in range(4):
        left, right = now & 7, (now >> 4) & 7
        now >>= 8
        if 0 <= s.card[left] < WHISKEY:
            s.card[right] = WHISKEY
        elif 0 <= s.card[right] < WHISKEY:
            s.card[left] = WHISKEY
        elif s.card[left] != UNSEEN:
            tool = nth(tools, below(rng, count(tools)))
            tools &= ~(1 << tool)
            is_placed = not places_tools(s, p) or (s.phase != DEAL and (s.phase != PLACING or p < s.turn))
            is_left = s.card[right] == WHISKEY or (s.card[left] == HIDDEN and (not is_placed or below(rng, 2) == 0))
            s.card[left] = tool if is_left else WHISKEY
            s.card[right] = WHISKEY if is_left else tool


@rule
def guess_slots(s: Record, rng: Rng) -> None:
    """The swaps are forgotten: any missing card can be in any slot."""
    tools = ALL_TOOLS & ~tools_in(s, ALL_SLOTS)
    missing = 0
    for slot in range(8):
        missing += 1 if s.card[slot] == HIDDEN else 0
    for slot in range(8):
        if s.card[slot] == HIDDEN:
            k = below(rng, missing)
            missing -= 1
            s.card[slot] = nth(tools, k) if k < count(tools) else WHISKEY
            tools &= ~(1 << s.card[slot])


@rule
def guess_robberies(s: Record, rng: Rng) -> None:
    """Draw the unknown robberies in turn, again until the known ones were possible, as they once were."""
    unknown = 0
    for k in range(s.robberies):
        if s.robbed[k] == HIDDEN:
            unknown |= 1 << k
    possible = unknown == 0
    while not possible:
        possible = True
        for k in range(s.robberies):
            cards = after_robberies(s, s.then[k], s.victim[k], k)
            if (unknown >> k) & 1:
                s.robbed[k] = nth(cards, below(rng, count(cards)))
            elif (cards >> s.robbed[k]) & 1 == 0:
                possible = False
                break


@rule
def points_of(cards: int) -> int:
    points = 0
    for card in range(GOLDS):
        if (cards >> card) & 1:
            points += WORTH[card]
    return points


@rule
def score(s: Record, out: Bits) -> None:
    for x in range(s.seats):
        out[x] = points_of(owned(s, x))


@rule
def winners(s: Record) -> int:
    best, won = -1, 0
    for x in range(s.seats):
        cards = owned(s, x)
        result = TIES * points_of(cards) + points_of(cards & ALL_TEETH)  # BC-7.2: as many bottles as teeth
        if result > best:
            best, won = result, 0
        if result == best:
            won |= 1 << x
    return won


def source(s: Record) -> Source:
    """The river cards are one pile; what each prospector gets and what each robbery takes are drawn once."""
    if s.phase == RIVER or s.phase == UNCOVER:
        return Source(0, s.order[s.sought if s.phase == RIVER else lowest(s.concealed)], A_RIVER)
    if s.phase == LOOT:
        return Source(5 + s.robberies, 0, A_ROBBED)
    prospector = 4 - s.rest
    return Source(1 + prospector, 0, A_TOOL if places_tools(s, prospector) else A_DEAL)


def deck(s: Record, number: int) -> list[int]:
    """Only what a robbery is drawn from depends on the play: it is the gold of whoever is robbed."""
    if number == 0:
        return [*range(GOLDS), *[EMPTY] * EMPTIES]
    if s.phase == LOOT:
        return [card for card in range(GOLDS) if owned(s, s.sought) >> card & 1]
    tools = [tool for tool in range(4) if not tools_in(s, ALL_SLOTS) >> tool & 1]
    return tools if places_tools(s, 4 - s.rest) else [2 * tool + side for tool in tools for side in (LEFT, RIGHT)]


def decides_early(s: Record, seat: int, actions: Sequence[int]) -> tuple[Record, int] | None:
    """BC-2.1: all place their tools at the same time. The position for a seat while one before it has not placed, its
    own tool where it was placed; and how many decisions come before its own."""
    if s.phase != PLACING or seat <= s.turn:
        return None
    t = type(s).from_buffer_copy(s)
    t.turn = seat
    for a in actions:
        place(t, a - PLACE_TOOL)
        t.turn, t.phase = s.turn, PLACING
    return t, seat - s.turn


def blind(s: Record) -> bool:
    """A habit of placing tools would be a tell."""
    return bool(s.phase == PLACING)
