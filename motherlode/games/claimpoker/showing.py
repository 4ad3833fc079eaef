"""Claimpoker in words, and what its board draws: plain Python that reads a view."""

from functools import lru_cache
from operator import eq

from motherlode.game import Event, Record, count, event

from .events import EVENTS, cards_taken, events, laid_down, with_gift  # noqa: F401
from .rules import (
    ACCEPT,
    ALIKE,
    ANSWERING,
    BENEATH,
    CARDS,
    EITHER,
    END,
    FIRST_DOUBLE,
    FIRST_PLUS,
    GIVE,
    GIVING,
    KINDS,
    LOOK,
    LOOKS,
    MINUS,
    MOST_SEATS,
    NAMES,
    OWN,
    PAIRS,
    PILES,
    PLUS,
    REJECT,
    ROUNDS,
    SHOWING,
    TAKE_TWICE,
    TAKING,
    TEN,
    TITLE,
    adjusted_kind,
    adjustment,
    due_pile,
    next_double,
    number,
    own,
    standing,
    worth,
)


def why(s: Record, a: int) -> str:
    if s.phase == END:
        return "CP-5.1"
    return "CP-3.4" if ACCEPT <= a < TAKE_TWICE else {TAKING: "CP-3.1", GIVING: "CP-3.2", ANSWERING: "CP-3.4"}[s.phase]


INKS = {r"\d+ even \d+": "green", r"\d+ odd -?\d+": "red", r"[+-]1\b": "yellow", r"(nugget|tooth)( [13])?": "yellow"}


def short(look: int) -> str:
    """A card in a column's width: pickaxe 3, wh+pi, kn+wh+si, +1."""
    if LOOKS[look].figure:
        return f"{LOOKS[look].kinds[0]} {LOOKS[look].figure}"
    return {PLUS: "+1", MINUS: "-1"}.get(look) or "+".join(kind[:2] for kind in LOOKS[look].kinds)


def other(look: int, pile: int) -> str:
    """The kind that a double shows besides that of a pile."""
    return next(kind[:2] for kind in LOOKS[look].kinds if kind != PILES[pile])


DOES = {TAKING: "takes two cards", GIVING: "keeps one and gives one away", ANSWERING: "may reject the gift"}


def what_now(s: Record) -> str:
    if s.phase == END:
        return "it is over"
    if s.unplaced:
        return f"{short(LOOK[next_double(s)])} goes on one of its piles"
    if s.due:
        what = "the card beneath the top" if s.due == BENEATH else "the top"
        return f"{what} of {PILES[due_pile(s)]} is turned up"
    return f"seat {s.turn} {DOES[s.phase]}"


def row(head: str, cells: list[str]) -> str:
    return f"{head:<12}{''.join(f'{cell:<11}' for cell in cells)}".rstrip()


def tableau(s: Record, x: int) -> list[str]:
    """A player's cards by kind, with a + for each double and prospector that shows it; numbers and what they count."""
    looks = [LOOK[card] for card in range(len(CARDS)) if s.held[x] >> card & 1]
    added, best, now = adjustment(s.held[x]), adjusted_kind(s, s.held[x]), standing(s, s.held[x])
    figures, counts = [], []
    for k, kind in enumerate(KINDS):
        own = "".join(str(LOOKS[look].figure) for look in looks if LOOKS[look].figure and kind in LOOKS[look].kinds)
        figures.append(own + "+" * count(s.held[x] & SHOWING[k]))
        n, value = number(s.held[x], k), worth(s, s.held[x], k, added if k == best else 0)
        n += added if k == best else 0
        counts.append(f"{n} {'odd' if n % 2 else 'even'} {value}" if figures[-1] or k == best else "")
    before = s.points[x] - now if s.phase == END else s.points[x]
    more = "  ".join(short(look) for look in looks if not LOOKS[look].figure)
    if best >= 0:
        more += f"  ({added:+d} goes to {KINDS[best]})"
    points = f"{before}+{now}={before + now}" if s.round else f"{now} points"
    return [
        row(f"{'>' if s.turn == x else ' '} seat {x}", figures),
        row(f"  {points}", counts),
        f"{'':<12}{more}".rstrip(),
    ]


def show(s: Record) -> str:
    counting = "even numbers count, odd ones minus" if s.round else "even numbers count"
    taken = [pile in s.taken for pile in range(6)]
    cards = ["?" if look < 0 else short(look) for look in s.top]
    lines = [
        f"{TITLE}, round {s.round + 1} of {ROUNDS}, {counting}: {what_now(s)}",
        "",
        row("", list(KINDS)),
        row("pile", [str(n) for n in s.left]),
        row("top", ["" if not s.left[p] else "?" if taken[p] else cards[p] for p in range(6)]),
        row("taken", [cards[p] if taken[p] else "" for p in range(6)]),
    ]
    lines += [row("beneath it", [short(s.beneath - 1) if taken[p] else "" for p in range(6)])] if s.beneath else []
    if s.doubles == EITHER:
        lines.append(row("double with", [" ".join(other(look, p) for look in doubles_in(s, p)) for p in range(6)]))
    for x in range(s.seats):
        lines += tableau(s, x)
    left = [f"rejected: {short(s.gone)}"] if s.gone >= 0 else []
    left += [f"out of the game: {s.pairs} of +1 and of -1"] if s.pairs else []
    return "\n".join([*lines, *(["; ".join(left)] if left else [])])


def describe(s: Record) -> list[Event]:
    """The piles, then everybody's cards and what they count now."""
    lines = [event(f"round_{s.round + 1}")]
    for p, pile in enumerate(PILES):
        if p in s.taken and s.top[p] >= 0:
            lines.append(event("taken", pile=pile, card=NAMES[s.top[p]], n=s.left[p]))
        elif not s.left[p]:
            lines.append(event("empty", pile=pile))
        elif s.top[p] < 0:
            lines.append(event("pile", pile=pile, n=s.left[p]))
        else:
            lines.append(event("top", pile=pile, n=s.left[p], card=NAMES[s.top[p]]))
    if s.beneath:
        lines.append(event("beneath", card=NAMES[s.beneath - 1]))
    if s.gone >= 0:
        lines.append(event("gone", card=NAMES[s.gone]))
    for x in range(s.seats):
        cards = [NAMES[LOOK[card]] for card in range(len(CARDS)) if s.held[x] >> card & 1]
        lines.append(event("held", seat=x, card=",".join(cards)) if cards else event("nothing", seat=x))
        added, best = adjustment(s.held[x]), adjusted_kind(s, s.held[x])
        for k, kind in enumerate(KINDS):
            if k == best or any(kind in LOOKS[NAMES.index(card)].kinds for card in cards):
                more = added if k == best else 0
                n = number(s.held[x], k) + more
                parity = "odd" if n % 2 else "even"
                lines.append(
                    event("kind", seat=x, number=n, kind=kind, parity=parity, worth=worth(s, s.held[x], k, more))
                )
        now = standing(s, s.held[x])
        lines.append(event("now", seat=x, n=now))
        if s.round:
            lines.append(event("all", seat=x, n=s.points[x] + (0 if s.phase == END else now)))
    return lines


def sums(s: Record) -> list[tuple[str, int, int]]:
    taken = [pile for pile in s.taken if pile >= 0]
    lying = [look for look in (*s.top, s.beneath - 1, s.gone) if look >= 0] + [PLUS, MINUS] * s.pairs
    sets = (s.unseen, *s.held)
    there = [lying.count(look) + sum((cards & ALIKE[look]).bit_count() for cards in sets) for look in range(len(LOOKS))]
    cards = sum(s.left) + s.unplaced + len(taken) + sum(map(count, s.held)) + (s.gone >= 0) + 2 * s.pairs
    turned = [(s.top[p] >= 0) + (s.beneath > 0 and s.taken[0] == p) for p in range(6)]
    face_down = [s.left[p] + taken.count(p) - turned[p] for p in range(6)]
    unplaced = ((1 << s.unplaced) - 1) << (FIRST_PLUS - s.unplaced)
    inside = [count(s.unseen & own(s, p)) - count(unplaced & OWN[p]) + s.dealt[p] for p in range(6)]
    return [
        ("cards over piles, taken, players and gone", cards, len(CARDS)),
        ("looks with all their cards", sum(map(eq, there, (look.cards for look in LOOKS))), len(LOOKS)),
        *((f"unseen in {pile}", inside[p], face_down[p]) for p, pile in enumerate(PILES)),
        ("unseen of the ten", sum(s.dealt), count(s.unseen & TEN)),
    ]


FACE_DOWN = {"top": "top"}
FACTS = {
    "kinds": list(KINDS),
    "piles": list(PILES),
    "looks": [
        {
            "name": look.name,
            "figure": look.figure,
            "kinds": [KINDS.index(kind) for kind in look.kinds],
            "adds": {PLUS: 1, MINUS: -1}.get(number, 0),
        }
        for number, look in enumerate(LOOKS)
    ],
}


def counted(s: Record, cards: int) -> dict[str, object]:
    """These cards and what they count, kind by kind, the adjustment included."""
    return count_cards(type(s), s.round, s.scoring, cards)


@lru_cache(maxsize=1024)  # most cards count the same for many actions
def count_cards(record: type[Record], this_round: int, scoring: int, cards: int) -> dict[str, object]:
    s = record(round=this_round, scoring=scoring)
    best = adjusted_kind(s, cards)
    added = [adjustment(cards) if kind == best else 0 for kind in range(len(KINDS))]
    numbers = [number(cards, kind) + added[kind] for kind in range(len(KINDS))]
    return {
        "looks": [LOOK[card] for card in range(len(CARDS)) if cards >> card & 1],
        "showing": [count(cards & SHOWING[kind]) for kind in range(len(KINDS))],
        "numbers": numbers,
        "even": [n % 2 == 0 for n in numbers],
        "worth": [worth(s, cards, kind, added[kind]) for kind in range(len(KINDS))],
        "added": adjustment(cards),
        "adjusted": best,
        "points": standing(s, cards),
    }


def drawn(s: Record) -> dict[str, object]:
    """Every tableau counted, points of earlier rounds, and what each decision about a gift makes of both tableaux."""
    now = [counted(s, s.held[x]) for x in range(s.seats)]
    after: dict[int, dict[int, dict[str, object]]] = {}
    for a in gifts(s):
        t = with_gift(s, a)
        seats = {s.turn, *(seat for seat, _ in laid_down(s, a))}
        after[a] = {x: counted(t, t.held[x]) for x in sorted(seats)}
    before = [s.points[x] - (standing(s, s.held[x]) if s.phase == END else 0) for x in range(s.seats)]
    return {
        "now": now,
        "before": before,
        "after": after,
        "odd": "nothing" if s.round == 0 else "minus",  # CP-4.4, CP-4.5: what odd numbers count
        "taken": cards_taken(s),
        "doubles": [doubles_in(s, pile) for pile in range(6)] if s.doubles == EITHER else None,
        "stands_for": {"which": cards_to_give(s), "piles": tops_to_take(s)},
        "asks": asks(s, now, after),
    }


def asks(s: Record, now: list[dict[str, object]], after: dict[int, dict[int, dict[str, object]]]) -> dict[str, str]:
    """What the one to act is to do, as words of the page's catalogue."""
    if s.turn < 0:
        return {}
    if s.phase != ANSWERING:
        return {"what": "nothing" if s.round == 0 else "minus"}
    gain = int(str(after[ACCEPT][s.turn]["points"])) - int(str(now[s.turn]["points"]))
    what = "more" if gain > 0 else "less" if gain < 0 else "same"
    return {"what": what, "card": NAMES[cards_taken(s)[0]], "n": str(abs(gain))}


def gifts(s: Record) -> list[int]:
    """What may be decided about a gift."""
    if s.turn < 0 or s.phase not in (GIVING, ANSWERING):
        return []
    if s.phase == ANSWERING:
        return [ACCEPT, REJECT]
    return [GIVE + which * MOST_SEATS + to for which in range(2) for to in range(s.seats) if to != s.turn]


def doubles_in(s: Record, pile: int) -> list[int]:
    """The doubles that are known to lie in a pile, unseen since the set-up."""
    cards = s.unseen & own(s, pile)
    looks = [LOOK[card] for card in range(FIRST_DOUBLE, FIRST_PLUS) if cards >> card & 1]
    for card in range(next_double(s), FIRST_PLUS):
        if OWN[pile] >> card & 1:
            looks.remove(LOOK[card])
    return looks


def cards_to_give(s: Record) -> dict[str, str]:
    """The card that each word of the argument `which` stands for."""
    if s.turn < 0 or s.phase != GIVING:
        return {}
    return dict(zip(("first", "second"), (NAMES[look] for look in cards_taken(s)), strict=True))


def tops_to_take(s: Record) -> dict[str, str]:
    """The top cards that each pair of piles stands for."""
    if s.turn < 0 or s.phase != TAKING:
        return {}
    tops = ["unseen" if look < 0 else NAMES[look] for look in s.top]
    return {f"{PILES[x]} {PILES[y]}": f"{tops[x]} {tops[y]}" for x, y in PAIRS if s.left[x] and s.left[y]}
