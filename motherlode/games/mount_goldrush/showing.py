"""Mount Goldrush in words, and what its board draws: plain Python that reads a view."""

from motherlode.game import OVER, UNSEEN, Event, Record, TurnedUp, event

from .events import EVENTS, came_of, events  # noqa: F401
from .rules import (
    ALL_GOLD,
    CARDS,
    COLOURS,
    DECK,
    DYNAMITE,
    END,
    GOLDS,
    HALF,
    KINDS,
    MINERS,
    MOST,
    NOBODY,
    PLACES,
    RECORD,
    RUSH,
    SEATS,
    SECOND,
    TITLE,
    VALUE,
    gold_cards,
    gold_of,
    left,
    lies,
    owner,
)


def turned_up(s: Record) -> TurnedUp | None:
    if not s.shown[2]:
        return None
    kind = KINDS[s.shown[1]]
    return TurnedUp("card", {"place": PLACES[s.shown[0]], "kind": kind}, f"card {kind}")


def why(s: Record, a: int) -> str:
    return {END: "MG-5.1", RUSH: "MG-4.1"}.get(s.phase, "MG-3.1")


INKS = {
    r"\bB\d+\b|\bblue\b": "bright_blue",
    r"\bG\d+\b|\bgreen\b": "green",
    r"\bR\d+\b|\bred\b": "red",
    r"\bP\d+\b|\bpurple\b": "magenta",
    r"\bW\d+\b|\bwhite\b": "bold white",
    r"\$\d+|\d+ gold|Gold Rush": "yellow",
    r"\*\*": "bold bright_red",
    r"##": "dim",
}


def show(s: Record) -> str:
    series = f", game {s.game + 1} of {s.seats}" if s.series else ""
    rush = ", Gold Rush: one card a turn" if s.phase == RUSH else ""
    lines = [f"{TITLE}{series}: {left(s)} cards on the table{rush}", ""]
    for row in range((CARDS + 7) // 8):
        cells = [show_place(s, place) for place in range(8 * row, min(8 * row + 8, CARDS))]
        if not s.layout:  # MG-2.1
            cells = [" " * ((row + 2) * (column + 5 * row + 1) % 11 % 5) + cell for column, cell in enumerate(cells)]
        lines.append("".join(f"{cell:<{8 if s.layout else 11}}" for cell in cells).rstrip())
    lines.append("")
    for x in range(s.seats):
        gold = f"{gold_of(s, x)} gold" if gold_cards(s, x) == s.golds[x] else "? gold"
        cards = f"{s.golds[x]} card{'' if s.golds[x] == 1 else 's'}"
        earlier = f", {s.before[x]} in earlier games" if s.series else ""
        mark = ">" if s.turn != OVER and x == s.mover else " "
        lines.append(f"{mark} seat {x}  {show_colours(s, x):<16} {gold} in {cards}{earlier}")
    if s.seats < MOST:
        lines.append(f"  nobody  {show_colours(s, NOBODY)}")
    return "\n".join([*lines, "", show_turn(s)]).rstrip()


def show_colours(s: Record, seat: int) -> str:
    return " and ".join(name for colour, name in enumerate(COLOURS) if owner(s, colour) == seat)


def show_place(s: Record, place: int) -> str:
    """The number of a place and its card: ## if it was never seen, in brackets while it is face up."""
    if not lies(s, place):
        return "  ·"
    card = KINDS[s.card[place]] if s.card[place] != UNSEEN else "##"
    return f"{place:>2}[{card}]" if place in s.spot and s.card[place] != UNSEEN else f"{place:>2} {card}"


def show_turn(s: Record) -> str:
    """What lies open from this turn, or from the last one."""
    faces = [f"{KINDS[kind]} at {place}" for kind, place in zip(s.face, s.spot, strict=True) if kind != UNSEEN]
    if not faces:
        return ""
    if s.phase == SECOND:
        return f"seat {s.mover} turns {faces[0]}, then a second card"
    out = [kind for kind, place in zip(s.face, s.spot, strict=True) if kind != UNSEEN and not lies(s, place)]
    came = [f"seat {s.taker} gets {KINDS[kind]}" for kind in out if kind < GOLDS and s.taker != UNSEEN]
    came += [f"{KINDS[kind]} leaves" for kind in out if kind >= GOLDS or s.taker == UNSEEN]
    return f"seat {(s.mover - 1) % s.seats} turned {' and '.join(faces)}: {', '.join(came) or 'nothing happens'}"


def describe(s: Record) -> list[Event]:
    """Where cards lie, row by row, which of them are known, and who has what."""
    lines = [event("series", game=s.game + 1, of=s.seats)] if s.series else []
    lines.append(event("rush" if s.phase == RUSH else "left", n=left(s)))
    for row in range(CARDS // 8):
        columns = [str(place % 8 + 1) for place in range(8 * row, 8 * row + 8) if lies(s, place)]
        lines.append(event("row", row=row + 1, columns=",".join(columns)) if columns else event("bare", row=row + 1))
    known = [place for place in range(CARDS) if lies(s, place) and s.card[place] != UNSEEN]
    for place in sorted(known, key=lambda place: place not in s.spot):
        lines.append(event("open" if place in s.spot else "seen", kind=KINDS[s.card[place]], place=place))
    for x in range(s.seats):
        lines.append(event("colours", seat=x, colour=colours_of(s, x)))
        knows = gold_cards(s, x) == s.golds[x]
        lines.append(
            event("gold", seat=x, n=s.golds[x], gold=gold_of(s, x)) if knows else event("cards", seat=x, n=s.golds[x])
        )
        if s.series:
            lines.append(event("before", seat=x, n=s.before[x]))
    return lines + ([event("nobodys", colour=colours_of(s, NOBODY))] if colours_of(s, NOBODY) else [])


def colours_of(s: Record, seat: int) -> str:
    return ",".join(name for colour, name in enumerate(COLOURS) if owner(s, colour) == seat)


def sums(s: Record) -> list[tuple[str, int, int]]:
    won = [sum(s.won[kind::GOLDS]) if kind < GOLDS else 0 for kind in range(len(KINDS))]
    on_table = list(s.card)
    lying = [on_table.count(kind) for kind in range(len(KINDS))]
    cards = [sum(places) for places in zip(s.unseen, lying, s.gone, won, strict=True)]
    return [
        ("cards over table, won and gone", sum(cards), CARDS),
        ("gold over table, players and gone", sum(VALUE[kind] * cards[kind] for kind in range(GOLDS)), ALL_GOLD),
        ("kinds of card of which there are as many as in the deck", sum(map(int.__eq__, cards, DECK)), len(KINDS)),
        ("cards unseen and seen at the places where a card lies", sum(s.unseen) + sum(lying), left(s)),
        ("gold cards won", sum(s.golds), sum(won)),
    ]


# The parts of each kind of card, and MG-1.2's owners by number of players.
FACE_DOWN = {"card": "card"}
FACTS = {
    "half": HALF,
    "colours": COLOURS,
    "kinds": [
        {"what": "gold", "value": VALUE[kind], "colour": NOBODY}
        if kind < GOLDS
        else {"what": "dynamite", "value": 0, "colour": NOBODY}
        if kind == DYNAMITE
        else {"what": "miner", "value": VALUE[kind], "colour": (kind - GOLDS) // MINERS}
        for kind in range(len(KINDS))
    ],
    "owners": {str(n): [owner(RECORD(seats=n), colour) for colour in range(len(COLOURS))] for n in SEATS},
}


def drawn(s: Record) -> dict[str, object]:
    """The cards turned in this turn or the last one, with what came of them, and everybody's gold, if it is known."""
    knows = [gold_cards(s, x) == s.golds[x] for x in range(s.seats)]
    return {
        "turned": [
            {"place": place, "kind": kind, "fate": fate(s, kind, place)}
            for place, kind in zip(s.spot, s.face, strict=True)
            if kind != UNSEEN
        ],
        "came": came(s),
        "asks": asks(s),
        "turns": 1 if s.phase in (RUSH, END) else 2,  # cards in a turn
        "left": left(s),
        "gold": [gold_of(s, x) if knows[x] else None for x in range(s.seats)],
        "won": [
            [[VALUE[kind], s.won[GOLDS * x + kind]] for kind in range(GOLDS) if s.won[GOLDS * x + kind]]
            if knows[x]
            else []
            for x in range(s.seats)
        ],  # by seat: values, and how many cards of each
    }


def came(s: Record) -> dict[str, object] | None:
    """What came of the turn whose cards are still in sight."""
    if s.phase == SECOND or s.face[0] == UNSEEN:
        return None
    return came_of(s)._asdict()


def asks(s: Record) -> dict[str, str]:
    """What the first card of a turn makes one look for."""
    kind = s.face[0]
    if s.phase != SECOND or s.turn != s.mover:
        return {}
    if kind == DYNAMITE:
        return {"what": "dynamite"}
    card = {"card": KINDS[kind], "n": str(VALUE[kind])}
    if kind < GOLDS:
        return {"what": "gold", **card}
    finder = owner(s, (kind - GOLDS) // MINERS)
    if finder in (NOBODY, s.mover):
        return {"what": "nobodys" if finder == NOBODY else "own", **card}
    return {"what": "others", "seat": str(finder), **card}


def fate(s: Record, kind: int, place: int) -> str:
    """What became of a turned card: it lies there still, somebody got it, or it left."""
    return "lies" if lies(s, place) else "got" if kind < GOLDS and s.taker != UNSEEN else "left"
