"""Goldmine in words, and what its board draws: plain Python that reads a view."""

from motherlode.game import HIDDEN, UNSEEN, Event, Record, TurnedUp, count, event

from .events import EVENTS, events, taken  # noqa: F401
from .rules import (
    ACT,
    ACTIONS,
    ALL_GOLD,
    ANSWER,
    BOTH,
    CARDS,
    DEAL,
    DISCARD,
    DRAW,
    END,
    GOLD,
    LEAD,
    LEAST_GOLD,
    LOOKING,
    PER_SUIT,
    PLACES,
    PLAY,
    SIGHT,
    SUITS,
    THROWING,
    TITLE,
    TRICKS,
    TRUMP,
    WINNER,
    cards_played,
    unseen_cards,
    unseen_gold,
)


def hidden(s: Record) -> str:
    return {ACT: "discard", DEAL: "deal", DRAW: "draw", SIGHT: "gold"}[s.phase]


def turned_up(s: Record) -> TurnedUp | None:
    if not s.shown[2]:
        return None
    place, value = str(s.shown[0]), str(s.shown[1])
    return TurnedUp("gold", {"place": place, "value": value}, f"gold {value}")


def why(s: Record, a: int) -> str:
    if s.phase == END:
        return "GM-4.2"
    is_left = s.phase == ACT and s.left & (LOOKING if a < DISCARD else THROWING)
    return "GM-3.2" if a < PLAY and not is_left else ACTIONS.read(a)[0].clause


INKS = {r"\bH\d+\b": "red", r"\bD\d+\b": "bright_blue", r"\bC\d+\b": "green", r"(?m)^gold.*|\d+ gold": "yellow"}


def cards_in_deck(s: Record) -> int:
    """The trump card included, which is drawn last."""
    return TRICKS - s.threw[0] - s.threw[1] + (s.phase == DRAW)


def show(s: Record) -> str:
    deck = cards_in_deck(s)
    goal = f"match to {s.target}" if s.target else "a single deal"
    if s.scoring == WINNER:
        goal += " for the winner's gold"
    trump = (
        f"{CARDS[s.trump]} of a deck of {deck}" if s.trump >= 0 and deck else CARDS[s.trump] if s.trump >= 0 else "?"
    )
    lines = [f"{TITLE}, {goal}: deal {s.deal + 1}, trick {s.trick + 1} of {TRICKS}, trump {trump}", ""]
    gold = ["-" if g == UNSEEN else "?" if g == HIDDEN else str(g) for g in s.gold]
    rows = {
        "place": list(PLACES),
        "gold": gold,
        "taken by": [next((str(x) for x in range(2) if s.won[x] >> p & 1), "") for p in range(TRICKS)],
        "seen by": [" ".join(str(x) for x in range(2) if s.looked[x] >> p & 1) for p in range(TRICKS)],
    }
    lines += [f"{head:<10}" + "".join(f"{cell:^5}" for cell in cells).rstrip() for head, cells in rows.items()]
    lines += [f"{'':<10}" + "".join("  ^  " if p == s.trick else "     " for p in range(TRICKS)).rstrip(), ""]
    for x in range(2):
        cards = " ".join(CARDS[c] for c in range(len(CARDS)) if s.hand[x] >> c & 1) or f"{s.held[x]} cards"
        lines.append(f"seat {x}    {s.points[x]:>2} gold   {cards}")
    if s.phase == ANSWER:
        lines += ["", f"seat {1 - s.turn} leads {CARDS[s.led]}"]
    return "\n".join(lines)


def describe(s: Record) -> list[Event]:
    """What lies on the table, place by place, and who holds what."""
    lines = [event("trick", deal=s.deal + 1, trick=s.trick + 1, of=TRICKS)]
    if s.target:
        lines.append(event("target", target=s.target))
    if s.trump >= 0:
        lines.append(event("trump", card=CARDS[s.trump], n=cards_in_deck(s)))
    for p, value in enumerate(s.gold):
        taker = next((x for x in range(2) if s.won[x] >> p & 1), None)
        seen = [x for x in range(2) if s.looked[x] >> p & 1]
        if taker is not None:
            lines.append(event("taken", place=p, value=value, seat=taker))
        elif value > 0:
            lines.append(event("gold", place=p, value=value))
        elif len(seen) == 1:
            lines.append(event("seen", place=p, seat=seen[0]))
        else:
            lines.append(event("seen_by_both" if seen else "unseen", place=p))
    if s.phase == ANSWER:
        lines.append(event("led", seat=1 - s.turn, card=CARDS[s.led]))
    for x in range(2):
        cards = ",".join(CARDS[c] for c in range(len(CARDS)) if s.hand[x] >> c & 1)
        lines.append(event("hand", seat=x, card=cards) if cards else event("held", seat=x, n=s.held[x]))
        lines.append(event("points", seat=x, n=s.points[x]))
    return lines


def sums(s: Record) -> list[tuple[str, int, int]]:
    seen = [count(cards) for x in range(2) for cards in (s.hand[x], s.thrown[x], s.played[x])]
    deck_trump = int(s.trump >= 0 and s.threw[0] + s.threw[1] < TRICKS)
    draws = s.threw[0] + s.threw[1] - (s.phase == DRAW)
    deck = count(unseen_cards(s)) + deck_trump
    found = [
        ("trick cards over hands, deck, played and discarded", sum(seen) + deck, len(CARDS)),
        ("draws made and deck", draws + deck if s.phase not in (TRUMP, DEAL) else TRICKS, TRICKS),
        (
            "gold cards",
            sum(g for g in s.gold if g > 0) + sum(v for v in GOLD if unseen_gold(s) >> (v - LEAST_GOLD) & 1),
            ALL_GOLD,
        ),
        ("cards in hand", s.held[0] + s.held[1], count(s.hand[0]) + count(s.hand[1])),
    ]
    if s.scoring == BOTH:
        before = sum(s.points) - sum(taken(s, 0)) - sum(taken(s, 1))
        found.append(("points of the deals before", before, ALL_GOLD * s.deal))
    return found


FACE_DOWN = {"gold": "gold"}
FACTS = {"gold": list(GOLD), "suits": SUITS, "cards": [{"suit": card[0], "rank": int(card[1:])} for card in CARDS]}


def drawn(s: Record) -> dict[str, object]:
    cards = [taken(s, x) for x in range(2)]
    gold = [sum(values) for values in cards]
    lost = [s.phase == END and s.scoring == WINNER and 2 * gold[x] < ALL_GOLD for x in range(2)]
    last = s.trick if s.phase == END else s.trick - 1
    took = next((x for x in range(2) if last >= 0 and s.won[x] >> last & 1), None)
    return {
        "trumps": [card for card in range(len(CARDS)) if s.trump >= 0 and card // PER_SUIT == s.trump // PER_SUIT],
        "deck": cards_in_deck(s),
        "use": "discard" if s.phase == ACT else "play",  # what a card of the hand is for now
        "leader": 1 - s.first,
        "taken": cards,  # by seat: the gold taken in this deal,
        "lost": lost,  # whether it was lost (GM-4.4),
        "before": [s.points[x] - (0 if lost[x] else gold[x]) for x in range(2)],  # and the points of the deals before
        "gone": [cards_played(s, x) + s.threw[x] for x in range(2)],  # how many cards each has played and discarded
        "last": None if took is None else {"seat": took, "value": s.gold[last]},  # who took the last trick's gold
        "unknown": [value for value in GOLD if unseen_gold(s) >> (value - LEAST_GOLD) & 1],  # gold not yet seen
        "asks": asks(s),
    }


def asks(s: Record) -> dict[str, str]:
    """What the one to act plays for, as far as this view knows."""
    if s.phase not in (LEAD, ANSWER):
        return {}
    value = s.gold[s.trick]
    known = {"what": "known", "value": str(value)} if value > 0 else {"what": "unknown", "place": PLACES[s.trick]}
    return known | ({"card": CARDS[s.led]} if s.phase == ANSWER else {})
