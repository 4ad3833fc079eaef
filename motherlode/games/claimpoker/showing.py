"""Claimpoker in words, and what its board draws: plain Python that reads a view."""

from operator import eq

from motherlode.game import Record, count, lowest

from .rules import (
    ACCEPT,
    ALIKE,
    ANSWERING,
    CARDS,
    END,
    GIVE,
    GIVING,
    KINDS,
    LOOK,
    LOOKS,
    MINUS,
    MOST_SEATS,
    NAMES,
    OWN,
    PILES,
    PLUS,
    REJECT,
    ROUNDS,
    SHOWING,
    TAKING,
    TEN,
    TITLE,
    adjusted_kind,
    adjustment,
    lay_down,
    number,
    standing,
    worth,
)


def why(s: Record, a: int) -> str:
    if s.phase == END:
        return "CP-5.1"
    return "CP-3.4" if a >= ACCEPT else {TAKING: "CP-3.1", GIVING: "CP-3.2", ANSWERING: "CP-3.4"}[s.phase]


INKS = {r"\d+ even \d+": "green", r"\d+ odd -?\d+": "red", r"[+-]1\b": "yellow", r"(nugget|tooth)( [13])?": "yellow"}


def short(look: int) -> str:
    """A card in a column's width: pickaxe 3, wh+pi, kn+wh+si, +1."""
    if LOOKS[look].figure:
        return f"{LOOKS[look].kinds[0]} {LOOKS[look].figure}"
    return {PLUS: "+1", MINUS: "-1"}.get(look) or "+".join(kind[:2] for kind in LOOKS[look].kinds)


DOES = {TAKING: "takes two tops", GIVING: "keeps one and gives one away", ANSWERING: "may reject the gift"}


def what_now(s: Record) -> str:
    if s.phase == END:
        return "it is over"
    if s.due:
        return f"the top of {PILES[lowest(s.due)]} is turned up"
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
    for x in range(s.seats):
        lines += tableau(s, x)
    if s.gone >= 0:
        lines.append(f"rejected: {short(s.gone)}")
    return "\n".join(lines)


def sums(s: Record) -> list[tuple[str, int, int]]:
    taken = [pile for pile in s.taken if pile >= 0]
    lying = [look for look in (*s.top, s.gone) if look >= 0]
    sets = (s.unseen, *s.held)
    there = [lying.count(look) + sum((cards & ALIKE[look]).bit_count() for cards in sets) for look in range(len(LOOKS))]
    held = sum(count(cards) for cards in s.held)
    face_down = [s.left[p] + (p in taken) - (s.top[p] >= 0) for p in range(6)]
    return [
        ("cards over piles, taken, players and gone", sum(s.left) + len(taken) + held + (s.gone >= 0), len(CARDS)),
        ("looks with all their cards", sum(map(eq, there, (look.cards for look in LOOKS))), len(LOOKS)),
        *((f"unseen in {n}", count(s.unseen & OWN[p]) + s.dealt[p], face_down[p]) for p, n in enumerate(PILES)),
        ("unseen of the ten", sum(s.dealt), count(s.unseen & TEN)),
    ]


FACTS = {
    "kinds": list(KINDS),
    "piles": list(PILES),
    "looks": [
        {
            "name": look.name,
            "figure": look.figure,
            "kinds": [KINDS.index(kind) for kind in look.kinds],
            "adds": {PLUS: 1, MINUS: -1}.get(number, 0),
            "prospector": look.pile < 0 and not look.figure,
        }
        for number, look in enumerate(LOOKS)
    ],
}


def counted(s: Record, cards: int) -> dict[str, object]:
    """These cards and what they count, kind by kind, the adjustment included."""
    best = adjusted_kind(s, cards)
    added = [adjustment(cards) if kind == best else 0 for kind in range(len(KINDS))]
    return {
        "looks": [LOOK[card] for card in range(len(CARDS)) if cards >> card & 1],
        "showing": [count(cards & SHOWING[kind]) for kind in range(len(KINDS))],
        "numbers": [number(cards, kind) + added[kind] for kind in range(len(KINDS))],
        "even": [(number(cards, kind) + added[kind]) % 2 == 0 for kind in range(len(KINDS))],
        "worth": [worth(s, cards, kind, added[kind]) for kind in range(len(KINDS))],
        "added": adjustment(cards),
        "adjusted": best,
        "points": standing(s, cards),
    }


def drawn(s: Record) -> dict[str, object]:
    """Every tableau counted, points of earlier rounds, and what each decision about a gift makes of both tableaux."""
    now = [counted(s, s.held[x]) for x in range(s.seats)]
    after = {}
    if s.turn >= 0 and s.phase == GIVING:
        for which in range(2):
            for to in range(s.seats):
                if to != s.turn:
                    t = copied(s)
                    lay_down(t, s.turn, s.taken[1 - which])
                    lay_down(t, to, s.taken[which])
                    after[GIVE + which * MOST_SEATS + to] = {x: counted(t, t.held[x]) for x in (s.turn, to)}
    elif s.turn >= 0 and s.phase == ANSWERING:
        t = copied(s)
        lay_down(t, s.turn, s.taken[0])
        after[ACCEPT] = {s.turn: counted(t, t.held[s.turn])}
        after[REJECT] = {s.turn: now[s.turn]}
    before = [s.points[x] - (standing(s, s.held[x]) if s.phase == END else 0) for x in range(s.seats)]
    odd = "nothing" if s.round == 0 else "minus"  # CP-4.4, CP-4.5: what odd numbers count
    return {"now": now, "before": before, "after": after, "odd": odd, "stands_for": {"which": cards_to_give(s)}}


def cards_to_give(s: Record) -> dict[str, str]:
    """The card that each word of the argument `which` stands for."""
    names = [NAMES[s.top[pile]] for pile in s.taken if pile >= 0 and s.top[pile] >= 0] if s.phase == GIVING else []
    return dict(zip(("first", "second"), names, strict=False))


def copied(s: Record) -> Record:
    return type(s).from_buffer_copy(s)
