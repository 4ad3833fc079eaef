"""Goldmine in words, and what its board draws: plain Python that reads a view."""

from motherlode.game import HIDDEN, NUMBER, OVER, UNSEEN, Arg, Event, Kind, Record, TurnedUp, count

from .rules import (
    A_GOLD,
    ACT,
    ACTIONS,
    ALL_GOLD,
    ANSWER,
    BOTH,
    CARD,
    CARDS,
    DEAL,
    DISCARD,
    DRAW,
    END,
    GOLD,
    LEAST_GOLD,
    LOOKING,
    PER_SUIT,
    PLACES,
    PLAY,
    PRIZE,
    SIGHT,
    SUITS,
    THROWING,
    TITLE,
    TRICKS,
    TRUMP,
    WINNER,
    actor,
    beats,
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


SEAT = Arg("seat", ("0", "1"))
SCORE = (SEAT, Arg("n", NUMBER), Arg("less", NUMBER))
EVENTS = (
    Kind("seen", (SEAT, Arg("place", PLACES), Arg("value", NUMBER)), "GM-3.3"),
    Kind("last", (SEAT, CARD), "GM-2.3"),
    Kind("higher", (SEAT, CARD, Arg("beaten", CARDS)), "GM-3.6"),
    Kind("trumped", (SEAT, CARD, Arg("beaten", CARDS)), "GM-3.6"),
    Kind("unfollowed", (SEAT, CARD, Arg("beaten", CARDS)), "GM-3.6"),
    Kind("gold", (SEAT, Arg("points", NUMBER)), "GM-3.7"),
    Kind("deal", SCORE, "GM-4.1"),
    Kind("lost", (SEAT, Arg("points", NUMBER)), "GM-4.4"),
    Kind("tie", (Arg("n", NUMBER),), "GM-4.3"),
    Kind("next", (SEAT, Arg("n", NUMBER)), "GM-2.1"),
    Kind("end", SCORE, "GM-4.2"),
)


def event(kind: str, **args: int | str) -> Event:
    return Event(kind, {name: str(value) for name, value in args.items()})


def events(before: Record, told: int, after: Record) -> list[Event]:
    if before.phase == ACT:
        return seen(before, after) + last_draw(before, after)
    if before.phase == SIGHT and told != HIDDEN:
        value = told - A_GOLD + LEAST_GOLD
        return [event("seen", seat=actor(before), place=before.sought, value=value)]
    if before.phase == ANSWER:
        answer, led = told - PLAY, before.led
        is_answer = beats(answer, led, before.trump)
        winner = before.turn if is_answer else 1 - before.turn
        found = [trick(winner, answer if is_answer else led, led if is_answer else answer, before.trump)]
        return found if after.phase == PRIZE else found + gold(before, winner, after.shown[1], after)
    if before.phase == PRIZE:
        return gold(before, 1 - before.first, told - A_GOLD + LEAST_GOLD, after)
    return []


def seen(before: Record, after: Record) -> list[Event]:
    """Gold that had been seen before is seen again; an outcome of chance says what is seen for the first time."""
    if not after.shown[2]:
        return []
    return [event("seen", seat=before.turn, place=after.shown[0], value=after.shown[1])]


def last_draw(before: Record, after: Record) -> list[Event]:
    """The trump card is drawn: the discard is hidden, but where that card goes is open."""
    if after.threw[before.turn] == before.threw[before.turn] or before.trick < TRICKS - 1:
        return []
    return [event("last", seat=before.turn, card=CARDS[before.trump])]


def trick(winner: int, card: int, beaten: int, trump: int) -> Event:
    """Who wins a trick, and why."""
    if card // PER_SUIT == beaten // PER_SUIT:
        kind = "higher"
    else:
        kind = "trumped" if card // PER_SUIT == trump // PER_SUIT else "unfollowed"
    return event(kind, seat=winner, card=CARDS[card], beaten=CARDS[beaten])


def gold(before: Record, winner: int, value: int, after: Record) -> list[Event]:
    """The winner of a trick takes its gold, which may end the deal and the match."""
    found = [event("gold", seat=winner, points=value)]
    if before.trick < TRICKS - 1:
        return found
    taken_now = [sum(taken(before, x)) + (value if x == winner else 0) for x in range(2)]
    best = int(taken_now[1] > taken_now[0])
    found.append(event("deal", seat=best, n=taken_now[best], less=taken_now[1 - best]))
    if before.scoring == WINNER and taken_now[1 - best]:
        found.append(event("lost", seat=1 - best, points=-taken_now[1 - best]))
    points = after.points
    if after.turn == OVER:
        best = int(points[1] > points[0])
        return [*found, event("end", seat=best, n=points[best], less=points[1 - best])]
    if points[0] == points[1] >= before.target:
        found.append(event("tie", n=points[0]))
    return [*found, event("next", seat=after.deal % 2, n=after.deal + 1)]


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


def taken(s: Record, seat: int) -> list[int]:
    """The gold cards that a seat has taken in this deal."""
    return [s.gold[place] for place in range(TRICKS) if s.won[seat] >> place & 1 and s.gold[place] > 0]


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


FACTS = {"suits": SUITS, "cards": [{"suit": card[0], "rank": int(card[1:])} for card in CARDS]}


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
    }
