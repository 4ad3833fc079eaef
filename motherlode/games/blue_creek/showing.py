"""Gold Rush at Blue Creek in words, and what its board draws: plain Python that reads a view."""

from textwrap import wrap

from motherlode.game import HIDDEN, UNSEEN, Event, Record, TurnedUp, count, event

from .events import EVENTS, events  # noqa: F401
from .rules import (
    ACTIONS,
    ALL_SLOTS,
    BOTTLES,
    CHOOSE,
    DEAL,
    EMPTIES,
    EMPTY,
    END,
    EQUIPMENT,
    GIVING,
    GOLD,
    GOLDS,
    GUARD,
    LOOT,
    NEEDED,
    NONE,
    PLACES,
    PLACING,
    RIVER,
    RIVER_CARDS,
    RIVER_PLACES,
    ROBBING,
    SEARCH,
    SLOTS,
    STOP,
    SWAP,
    SWAPPING,
    TITLE,
    TOOLS,
    UNCOVER,
    WHISKEY,
    WORTH,
    owned,
    pair,
    places_tools,
    points_of,
    tools_in,
    unseen_empties,
)


def hidden(s: Record) -> str:
    deal = "tool" if places_tools(s, 4 - s.rest) else "deal"
    return {DEAL: deal, PLACING: "place", LOOT: "robbed"}[s.phase]


def turned_up(s: Record) -> TurnedUp | None:
    if not s.shown[2]:
        return None
    if s.shown[0] >= len(SLOTS):
        return TurnedUp("river", {"place": PLACES[s.shown[0] - len(SLOTS)], "card": "empty"}, "empty")
    thing, slot = EQUIPMENT[s.shown[1]], SLOTS[s.shown[0]]
    return TurnedUp("equipment", {"thing": thing, "slot": slot}, f"{thing} in slot {slot}")


def why(s: Record, a: int) -> str:
    end = "BC-7.3" if s.stale == GUARD else "BC-7.1"
    must = {PLACING: "BC-2.1", SEARCH: "BC-4.1", SWAPPING: "BC-5.3", ROBBING: "BC-6.1", GIVING: "BC-6.1", END: end}
    return must.get(s.phase, "BC-5.1" if SWAP <= a <= STOP else ACTIONS.read(a)[0].clause)


INKS = {
    r"~+": "blue",
    rf"\b({'|'.join(EQUIPMENT).upper()})\b": "bold green",
    r"\d (nuggets?|tooth|teeth)": "yellow",
    r"stands aside|empty": "dim",
}


def card_words(card: int) -> tuple[str, str]:
    """A river card in two lines."""
    if card == UNSEEN or card >= EMPTY:
        return {UNSEEN: "~~~~~~~", EMPTY: "empty", NONE: ""}[card], ""
    n = WORTH[card]
    if BOTTLES[card]:
        return f"{n} {'tooth' if n == 1 else 'teeth'}", f"{n} whiskey{'s' * (n > 1)}"
    on = [tool for t, tool in enumerate(TOOLS) if NEEDED[card] >> t & 1]
    off = [tool for tool in TOOLS if tool not in on]
    return f"{n} nugget{'s' * (n > 1)}", " ".join(on) if len(on) < 3 else f"all but {off[0]}" if off else "all four"


def slot_words(s: Record, slot: int) -> str:
    """Open cards are in capitals, known ones in brackets."""
    if s.card[slot] < 0:
        return "?"
    word = EQUIPMENT[s.card[slot]]
    return word.upper() if (s.up | s.poured) >> slot & 1 else f"({word})"


def show(s: Record) -> str:
    going_on = {
        DEAL: "the equipment is dealt",
        PLACING: f"seat {s.turn} lays its tool left or right",
        CHOOSE: f"seat {s.mover}'s turn",
        RIVER: f"seat {s.mover} turns place {s.sought}",
        SEARCH: f"seat {s.mover} searches for the gold on place {s.sought}",
        SWAPPING: f"swapping round, seat {s.turn} may swap",
        UNCOVER: f"seat {s.mover} doubts",
        ROBBING: f"seat {s.mover} was right and robs",
        LOOT: f"seat {s.mover} robs seat {s.sought}",
        GIVING: f"seat {s.mover} was wrong and gives seat {s.sought} gold",
        END: "it is over",
    }
    lines = [f"{TITLE}: {going_on[s.phase]}", f"pile {s.pile}, out of the game {s.gone}", ""]
    for row in (range((RIVER_PLACES + 1) // 2), range((RIVER_PLACES + 1) // 2, RIVER_PLACES)):
        cells = [card_words(s.river[place]) for place in row]
        lines.append("".join(f"{place}  {top:<15}" for place, (top, _) in zip(row, cells, strict=True)).rstrip())
        lines.append("".join(f"   {under:<15}" for _, under in cells).rstrip())
    lines.append("")
    for p in range(4):
        slots = "   ".join(f"{slot} {slot_words(s, slot):<10}" for slot in (2 * p, 2 * p + 1))
        cards = f"seat {p}, {s.held[p]} gold card{'s' * (s.held[p] != 1)}"
        if p < s.seats and s.held[p] > 0 and known_gold(s, p) is not None:
            cards += f", {points_of(owned(s, p))} gold"
        lines.append(f"{slots}  {cards if p < s.seats else 'stands aside'}")
    lines.append("")
    for x in range(s.seats):
        cards = ", ".join(GOLD[card] for card in range(GOLDS) if owned(s, x) >> card & 1)
        lines += wrap(f"seat {x}: {cards}", 96, subsequent_indent="  ", break_on_hyphens=False) if cards else []
    for k in range(s.robberies):
        loss = "one of its cards" if s.robbed[k] == HIDDEN else GOLD[s.robbed[k]]
        lines.append(f"seat {s.robber[k]} robbed seat {s.victim[k]} of {loss}")
    return "\n".join(lines).rstrip()


def describe(s: Record) -> list[Event]:
    """The creek, card by card, the equipment, and everybody's gold."""
    lines = [event("pile", n=s.pile)]
    if s.phase == SEARCH:
        lines.append(event("search", seat=s.mover, place=s.sought))
    for place, card in enumerate(s.river):
        if card == UNSEEN:
            lines.append(event("down", place=place))
        elif card < EMPTY:
            lines.append(event("gold", place=place, card=GOLD[card]))
        else:
            lines.append(event("empty" if card == EMPTY else "none", place=place))
    for slot, card in enumerate(s.card):
        if card < 0:
            lines.append(event("equipment", slot=slot))
        else:
            is_open = (s.up | s.poured) >> slot & 1
            lines.append(event("open" if is_open else "seen", slot=slot, thing=EQUIPMENT[card]))
    for x in range(s.seats):
        cards = known_gold(s, x)
        if cards is None:
            lines.append(event("held", seat=x, n=s.held[x]))
        else:
            lines.append(event("owned", seat=x, n=s.held[x], gold=points_of(owned(s, x))))
        some = ",".join(GOLD[card] for card in range(GOLDS) if owned(s, x) >> card & 1)
        lines += [event("owns", seat=x, card=some)] if some else []
    for k in range(s.robberies):
        seats = {"seat": s.robber[k], "other": s.victim[k]}
        lines.append(
            event("robbed", **seats, card=GOLD[s.robbed[k]]) if s.robbed[k] >= 0 else event("robbed_unseen", **seats)
        )
    return lines


def sums(s: Record) -> list[tuple[str, int, int]]:
    river, slots = list(s.river), list(s.card)
    gold = s.unseen | sum(1 << card for card in river if 0 <= card < EMPTY)
    players = sum(points_of(owned(s, x)) for x in range(s.seats))
    pairs = 4 - slots.count(UNSEEN) // 2
    return [
        (
            "river cards over river, pile, won and gone",
            RIVER_PLACES - river.count(NONE) + s.pile + sum(s.held) + s.gone,
            RIVER_CARDS,
        ),
        ("gold over unseen, river and players", points_of(gold) + players, sum(WORTH)),
        ("empty cards over unseen, river and gone", unseen_empties(s) + river.count(EMPTY) + s.gone, EMPTIES),
        ("gold cards owned", sum(count(owned(s, x)) for x in range(s.seats)), sum(s.held)),
        ("tools in the slots", count(tools_in(s, ALL_SLOTS)), pairs),
        ("whiskeys in the slots", slots.count(WHISKEY), pairs),
    ]


# What is on each gold card, and the slots of each prospector.
FACE_DOWN = {"river": "order", "card": "came"}
FACTS = {
    "tools": TOOLS,
    "gold": [
        {
            "what": "tooth" if BOTTLES[card] else "nugget",
            "worth": WORTH[card],
            "needs": [tool for tool in range(4) if NEEDED[card] >> tool & 1] + BOTTLES[card] * [WHISKEY],
        }
        for card in range(GOLDS)
    ],
    "empty": EMPTY,
    "none": NONE,
    "slots": [[2 * p, 2 * p + 1] for p in range(4)],
    "guard": GUARD,
}


def drawn(s: Record) -> dict[str, object]:
    """Which of the things that the gold on each place needs are found, everybody's gold, if it is known, and what the
    one to act is asked for."""
    hands = [known_gold(s, x) for x in range(s.seats)]
    return {
        "search": s.sought if s.phase == SEARCH else None,
        "found": [found(s, place) for place in range(RIVER_PLACES)],
        "owned": hands,
        "gold": [None if cards is None else sum(WORTH[card] for card in cards) for cards in hands],
        "asks": asks(s),
    }


def asks(s: Record) -> dict[str, str]:
    """What is still missing in a search, the open tool that may be swapped, or who is dealt the next gold."""
    if s.phase == SEARCH:
        card = s.river[s.sought]
        if BOTTLES[card]:
            return {"what": "bottles", "n": str(BOTTLES[card] - count(s.poured))}
        missing = NEEDED[card] & ~tools_in(s, s.up)
        tools = [f"a-{tool}" for t, tool in enumerate(TOOLS) if missing >> t & 1]
        return {"what": f"tools{len(tools)}"} | dict(zip(("first", "second", "third"), tools, strict=False))
    if s.phase == SWAPPING:
        tools = [tool for t, tool in enumerate(TOOLS) if tools_in(s, s.up & pair(s.turn)) >> t & 1]
        return {"what": "tool", "tool": f"the-{tools[0]}"} if len(tools) == 1 else {}
    if s.phase == GIVING:
        return {"what": "next", "seat": str(s.sought)}
    return {}


def found(s: Record, place: int) -> list[bool]:
    card = s.river[place]
    if not 0 <= card < EMPTY:
        return []
    poured = count(s.poured) if s.phase == SEARCH and place == s.sought else 0
    tools = [tools_in(s, s.up) >> tool & 1 == 1 for tool in range(4) if NEEDED[card] >> tool & 1]
    return tools + [bottle < poured for bottle in range(BOTTLES[card])]


def known_gold(s: Record, seat: int) -> list[int] | None:
    """A seat's gold cards, or None if this view does not know them all."""
    robbed = [s.robbed[k] for k in range(s.robberies) if seat in (s.robber[k], s.victim[k])]
    cards = [card for card in range(GOLDS) if owned(s, seat) >> card & 1]
    return None if HIDDEN in robbed or len(cards) != s.held[seat] else cards
