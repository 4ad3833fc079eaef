"""Mount Goldrush clause by clause: test_3_4_… is for MG-3.4, test_worked_1 for its sheet's first worked position."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

import pytest
from support.play import names, play, position, why

from motherlode import contract, engine, text
from motherlode.game import CHANCE, EVERYONE, OVER, UNSEEN, Record, adopt, below, new_rng
from motherlode.games.mount_goldrush import rules, showing
from motherlode.games.mount_goldrush.rules import DECK, FIRST, GOLDS, KINDS, LENGTH, RUSH, SECOND

mount_goldrush = adopt(rules, "mount_goldrush", showing)

ALL_CARDS = [kind for kind, number in zip(KINDS, DECK, strict=True) for _ in range(number)]


def table(
    known: str = "",
    *,
    lie: int = 64,
    won: Sequence[str] = (),
    unseen: str = "",
    seats: int = 2,
    turn: int = 0,
    phase: str = "first",
    **fields: object,
) -> Record:
    """The first `lie` places hold the `known` cards, then `unseen` ones, of whatever kinds; the rest is gone."""
    cards, hands = known.split(), [hand.split() for hand in [*won, *[""] * (5 - len(won))]]
    rest = Counter(ALL_CARDS)
    rest.subtract(Counter([*cards, *(card for hand in hands for card in hand)]))
    assert min(rest.values()) >= 0, "there are not that many cards"
    fresh = unseen.split()
    if len(cards) + len(fresh) < lie:
        fresh += sorted((rest - Counter(fresh)).elements(), key=KINDS.index)[: lie - len(cards) - len(fresh)]
    gone = rest - Counter(fresh)

    def numbers(counts: Counter[str], kinds: Iterable[str]) -> str:
        return ",".join(str(counts[kind]) for kind in kinds)

    line = {
        "turn": turn,
        "seats": seats,
        "phase": phase,
        "mover": turn,
        "upper": "+".join(map(str, range(min(lie, 32)))) or ".",
        "lower": "+".join(map(str, range(32, lie))) or ".",
        "card": ",".join([*cards, *["-"] * (64 - len(cards))]),
        "spot": "-,-",
        "face": "-,-",
        "taker": "-",
        "unseen": numbers(Counter(fresh), KINDS),
        "gone": numbers(gone, KINDS),
        "won": ",".join(numbers(Counter(hand), KINDS[:GOLDS]) for hand in hands),
        "golds": ",".join(str(len(hand)) for hand in hands),
    }
    line |= {key: str(value) for key, value in fields.items()}
    s = position(" ".join(["mount_goldrush", *(f"{key}={value}" for key, value in line.items())]))[1]
    contract.check_bounds(mount_goldrush, s)
    contract.check_sums(mount_goldrush, s)
    return s


def act(s: Record, *actions: str) -> Record:
    return play(mount_goldrush, s, *actions)


def pair(known: str, **fields: object) -> Record:
    """Turn places 0 and 1."""
    return act(table(known, **fields), "turn 0", "turn 1")  # type: ignore[arg-type]


def points(s: Record) -> list[int]:
    return engine.points(mount_goldrush, s)


def card(s: Record, place: int) -> str:
    if not mount_goldrush.lies(s, place):
        return "empty"
    return "-" if s.card[place] == UNSEEN else KINDS[s.card[place]]


def test_1_1_sixty_four_cards() -> None:
    s = act(engine.start(mount_goldrush), "turn 0")
    odds = {
        text.name(mount_goldrush, s, a).removeprefix("card "): mount_goldrush.odds(s, a)
        for a in engine.legal(mount_goldrush, s)
    }
    assert [odds[f"${value}"] for value in range(1, 5)] == [5, 7, 7, 5]
    for sign in "BGRPW":
        assert [odds[f"{sign}{strength}"] for strength in range(2, 6)] == [2, 2, 2, 1]
    assert odds["**"] == 5 and sum(odds.values()) == 64
    assert sum(int(kind[1]) * number for kind, number in odds.items() if kind[0] == "$") == 60


@pytest.mark.parametrize(
    ("seats", "owners"), [(2, "0011x"), (3, "012xx"), (4, "0123x"), (5, "01234")], ids=["two", "three", "four", "five"]
)
def test_1_2_who_owns_which_colour(seats: int, owners: str) -> None:
    for mover in range(seats):
        for sign, owner in zip("BGRPW", owners, strict=True):
            s = pair(f"{sign}4 $2", seats=seats, turn=mover)
            assert points(s) == [2 * (seat == (mover if owner == "x" else int(owner))) for seat in range(seats)]
    s = act(engine.start(mount_goldrush, seats), "turn 5")
    assert sum(name[5] in "BGRPW" for name in names(mount_goldrush, s)) == 20  # nobody's miners are in play too


@pytest.mark.parametrize("layout", ["scattered", "grid"])
def test_2_1_all_lie_face_down(layout: str) -> None:
    s = engine.start(mount_goldrush, layout=layout)
    assert list(s.card) == [UNSEEN] * 64
    assert names(mount_goldrush, s) == [f"turn {place}" for place in range(64)]


def test_2_1_the_layout_changes_only_what_is_shown() -> None:
    plays = []
    for layout in ("scattered", "grid"):
        opening = engine.start(mount_goldrush, 3, layout=layout)
        plays.append(list(contract.random_game(mount_goldrush, opening, new_rng(1))))
    for (s, a, _), (t, b, _) in zip(*plays, strict=True):
        assert a == b and mount_goldrush.show(s) != mount_goldrush.show(t)
        t.layout = 0
        assert bytes(s) == bytes(t)


def test_3_1_a_second_card_at_another_place() -> None:
    s = act(engine.start(mount_goldrush), "turn 7")
    assert s.turn == CHANCE
    s = act(s, "card $3")
    assert (s.turn, s.phase, card(s, 7)) == (0, SECOND, "$3")
    assert names(mount_goldrush, s) == [f"turn {place}" for place in range(64) if place != 7]
    assert why(mount_goldrush, s, "turn 7") == "MG-3.1" and why(mount_goldrush, s, "turn 8") is None


@pytest.mark.parametrize("place", [0, 31, 32, 63])
def test_3_1_every_place_can_be_first_and_empty(place: int) -> None:
    other = (place + 1) % 64
    s = act(engine.start(mount_goldrush), f"turn {place}", "card **")
    assert len(names(mount_goldrush, s)) == 63 and f"turn {place}" not in names(mount_goldrush, s)
    s = act(s, f"turn {other}", "card **")
    assert len(names(mount_goldrush, s)) == 62 and why(mount_goldrush, s, f"turn {place}") == "MG-3.1"


def test_3_1_chance_decides_at_the_first_sight_only() -> None:
    s = act(engine.start(mount_goldrush), "turn 0", "card B2", "turn 1", "card $4")
    assert list(s.shown) == [0, 0, 0] and sum(s.unseen) == 62
    s = act(s, "turn 1")
    assert s.turn == 1 and list(s.shown) == [1, KINDS.index("$4"), EVERYONE]
    assert all(engine.shown(mount_goldrush, s, seat) == bytes(s.shown) for seat in (-1, 0, 1))
    s = act(s, "turn 2")
    assert list(s.shown) == [0, 0, 0]


@pytest.mark.parametrize(
    ("known", "gains"),
    [("B3 $3", [3, 0]), ("$3 B3", [3, 0]), ("B4 $1", [1, 0]), ("P5 $4", [0, 4]), ("W2 $2", [2, 0]), ("B2 $3", None)],
)
def test_3_2_a_miner_at_least_as_strong_finds_gold(known: str, gains: list[int] | None) -> None:
    s = pair(known)
    assert points(s) == (gains or [0, 0])
    assert [card(s, 0), card(s, 1)] == (["empty", "empty"] if gains else known.split())
    assert list(s.golds[:2]) == ([int(gain > 0) for gain in gains] if gains else [0, 0])


def test_3_2_nobodys_miner_finds_for_the_one_whose_turn_it_is() -> None:
    assert points(pair("$2 W2", turn=1)) == [0, 2]


@pytest.mark.parametrize(("known", "left"), [("B4 B2", 0), ("B2 B4", 1), ("R3 W5", 1), ("G5 P4", 0)])
def test_3_3_the_weaker_miner_leaves(known: str, left: int) -> None:
    s = pair(known)
    assert card(s, left) == known.split()[left] and card(s, 1 - left) == "empty"
    assert points(s) == [0, 0] and mount_goldrush.left(s) == 63


@pytest.mark.parametrize("known", ["** $4", "$4 **", "** B5", "R2 **", "** **"])
def test_3_4_dynamite_takes_both(known: str) -> None:
    s = pair(known)
    assert card(s, 0) == card(s, 1) == "empty" and points(s) == [0, 0] and sum(s.gone) == 2


def test_3_4_the_second_card_is_turned_even_so() -> None:
    s = act(table("**"), "turn 0")
    assert (s.turn, s.phase, mount_goldrush.left(s)) == (0, SECOND, 64)


@pytest.mark.parametrize("known", ["R5 G5", "B2 B2", "$1 $4", "$2 $2", "B3 $4", "$3 W2"])
def test_3_5_anything_else_goes_face_down_again(known: str) -> None:
    s = pair(known)
    assert [card(s, 0), card(s, 1)] == known.split() and points(s) == [0, 0] and s.quiet == 1


def test_3_6_one_turn_each() -> None:
    s = table("$1 $2", seats=3)
    for seat in (0, 1, 2, 0):
        assert s.turn == seat
        s = act(s, "turn 0")
        assert s.turn == seat
        s = act(s, "turn 1")


@pytest.mark.parametrize(("lie", "phase"), [(13, FIRST), (12, RUSH), (11, RUSH)])
def test_4_1_ten_cards_at_the_beginning_of_a_turn(lie: int, phase: int) -> None:
    assert pair("** $1", lie=lie).phase == phase


def test_4_1_not_within_a_turn() -> None:
    s = act(table("B5 B2 $1", lie=11), "turn 0")
    assert s.phase == SECOND
    s = act(table("$1 $2 $1", lie=11), "turn 0", "turn 1")
    assert s.phase == FIRST


@pytest.mark.parametrize(("known", "gains"), [("$4", [0, 4]), ("B5", [0, 0]), ("**", [0, 0])])
def test_4_1_a_turn_of_the_rush_is_one_card(known: str, gains: list[int]) -> None:
    s = act(table(known, lie=8, phase="rush", turn=1), "turn 0")
    assert (s.turn, s.phase, card(s, 0), points(s)) == (0, RUSH, "empty", gains)
    assert why(mount_goldrush, s, "turn 0") == "MG-4.1" and len(names(mount_goldrush, s)) == 7


def test_4_2_twenty_quiet_turns_bring_the_rush() -> None:
    s = table("$1 $2")
    for turn in range(20):
        assert (s.phase, s.quiet) == (FIRST, turn)
        s = act(s, "turn 0", "turn 1")
    assert (s.phase, s.turn, mount_goldrush.left(s)) == (RUSH, 0, 64)
    s = act(s, "turn 1", "turn 0")
    assert points(s) == [2, 1] and s.phase == RUSH  # for good


def test_4_2_a_removal_starts_the_count_again() -> None:
    s = table("$1 $2 B2 B3", quiet=19)
    assert act(s, "turn 0", "turn 1").phase == RUSH
    s = act(s, "turn 2", "turn 3")
    assert (s.phase, s.quiet) == (FIRST, 0)


def stubborn(s: Record) -> str:
    """Keep the game long: 19 quiet turns, then a duel while there is one; all cards are known."""
    lying = [
        place for place in range(64) if mount_goldrush.lies(s, place) and not (s.phase == SECOND and place == s.spot[0])
    ]
    gold = [place for place in lying if s.card[place] < GOLDS]
    if s.phase == RUSH or (s.quiet < 19 and len(gold) > (s.phase == FIRST)):
        return f"turn {(gold or lying)[0]}"
    miners = sorted((place for place in lying if KINDS[s.card[place]][0] in "BGRPW"), key=lambda p: KINDS[s.card[p]][1])
    if s.phase == FIRST:
        return f"turn {(miners or lying)[-1]}"
    return f"turn {(miners or lying)[0]}"


def test_4_2_the_length_bounds_the_longest_games() -> None:
    s, decisions = table(" ".join(ALL_CARDS)), 0
    while s.turn != OVER:
        assert s.turn != CHANCE
        s = act(s, stubborn(s))
        decisions += 1
    assert 1000 < decisions <= LENGTH // 5 == 2 * 20 * 54 + 11


@pytest.mark.parametrize(
    ("won", "winners"),
    [
        (["$4 $4 $3", "$4 $4 $2"], [0]),
        (["$4 $4", "$4 $2 $1 $1"], [1]),
        (["$4 $4", "$3 $3 $2", "$2 $3 $3"], [1, 2]),
        (["$1", "$1", "$1"], [0, 1, 2]),
    ],
)
def test_5_1_most_gold_then_most_gold_cards(won: list[str], winners: list[int]) -> None:
    s = act(table("**", lie=1, won=won, seats=len(won), phase="rush"), "turn 0")
    assert s.turn == OVER and engine.winners(mount_goldrush, s) == winners


def test_5_1_nothing_is_legal_when_it_is_over() -> None:
    s = act(table("$3", lie=1, phase="rush"), "turn 0")
    assert (s.turn, points(s), engine.legal(mount_goldrush, s)) == (OVER, [3, 0], [])
    assert mount_goldrush.why(s, 0) == "MG-5.1"


def test_5_1_everything_lies_open_when_it_is_over() -> None:
    s = act(table("$3", lie=1, won=["$1", "$4 $4"], phase="rush"), "turn 0")
    for seat in (-1, 0, 1):
        assert bytes(engine.view(mount_goldrush, s, seat, sight=True)) == bytes(s)


def test_5_2_as_many_games_as_players_and_the_starter_moves_on() -> None:
    s = table(
        "$3", lie=1, won=["$1", "", "$4 $4"], seats=3, phase="rush", turn=1, series="on", game=0, before="5,6,7,0,0"
    )
    s = act(s, "turn 0")
    assert (s.turn, s.phase, s.game, mount_goldrush.left(s)) == (1, FIRST, 1, 64)
    assert list(s.before) == [6, 9, 15, 0, 0] == [*points(s), 0, 0]
    fresh = engine.start(mount_goldrush, 3, series="on")
    fresh.turn = fresh.mover = fresh.game = 1
    fresh.before[:] = s.before[:]
    assert [s.shown[0], s.shown[1]] == [0, KINDS.index("$3")]
    fresh.shown[:] = s.shown[:]
    assert bytes(s) == bytes(fresh)
    s = act(table("$3", lie=1, seats=3, phase="rush", series="on", game=2), "turn 0")
    assert s.turn == OVER


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_5_2_every_seat_starts_once(seats: int) -> None:
    starters = [0]
    for s, _, t in contract.random_game(
        mount_goldrush, engine.start(mount_goldrush, seats, series="on"), new_rng(seats)
    ):
        if t.game != s.game:
            starters.append(t.turn)
    assert starters == list(range(seats)) and t.turn == OVER


@pytest.mark.parametrize(
    ("before", "won", "winners"),
    [
        ("20,10,0,0,0", ["$1", "$4 $4"], [0]),
        ("20,10,0,0,0", ["$2", "$4 $4 $4"], [1]),
        ("20,19,0,0,0", ["$1 $1 $1", "$4"], [1]),
        ("20,20,0,0,0", ["$2 $2", "$4"], [0, 1]),
    ],
)
def test_5_2_a_tie_goes_to_the_better_last_game(before: str, won: list[str], winners: list[int]) -> None:
    s = table("**", lie=1, won=won, phase="rush", series="on", game=1, before=before)
    s = act(s, "turn 0")
    assert s.turn == OVER and engine.winners(mount_goldrush, s) == winners


def test_worked_1_finds() -> None:
    s = pair("R3 $3", seats=3)
    assert points(s) == [0, 0, 3] and mount_goldrush.left(s) == 62
    assert points(pair("W5 $4", seats=3, turn=1)) == [0, 4, 0]


def test_worked_2_nothing_a_duel_nothing_and_dynamite() -> None:
    for known, left in {"B2 $3": 64, "B4 B2": 63, "R5 G5": 64, "** $4": 62}.items():
        s = pair(known, seats=4)
        assert mount_goldrush.left(s) == left and points(s) == [0, 0, 0, 0]
    assert card(pair("B4 B2"), 1) == "empty"


@pytest.mark.parametrize(("known", "left", "phase"), [("B3 $3", 9, RUSH), ("B4 B2", 10, RUSH), ("$1 $1", 11, FIRST)])
def test_worked_3_eleven_cards(known: str, left: int, phase: int) -> None:
    s = pair(known, lie=11)
    assert (mount_goldrush.left(s), s.phase) == (left, phase)


def test_worked_4_in_the_rush_a_miner_leaves() -> None:
    s = act(table("B4 $3", lie=5, phase="rush", turn=1), "turn 0")
    assert card(s, 0) == "empty" and card(s, 1) == "$3" and points(s) == [0, 0] and s.turn == 0


def test_worked_5_twelve_in_five_cards() -> None:
    s = act(table("**", lie=1, won=["$3 $3 $3 $3", "$4 $4 $2 $1 $1"], phase="rush"), "turn 0")
    assert points(s) == [12, 12] and engine.winners(mount_goldrush, s) == [1]


def test_worked_6_all_pairs_of_the_deck() -> None:
    opening = table(" ".join(ALL_CARDS))
    found: Counter[str] = Counter()
    for one, two in combinations(range(64), 2):
        s = engine.replay(mount_goldrush, opening, [one, two])
        gone = 64 - mount_goldrush.left(s)
        found["find" if sum(s.golds) else "duel" if gone == 1 else "dynamite" if gone == 2 else "nothing"] += 1
    assert found == {"find": 670, "duel": 450, "dynamite": 305, "nothing": 591} and found.total() == 2016


# Knowledge and sight


def sight(s: Record, seat: int, kept: int = 0) -> Record:
    v = engine.view(mount_goldrush, s, seat)
    mount_goldrush.forget(v, seat, kept)
    contract.check_bounds(mount_goldrush, v)
    return v


def guessed(v: Record, seat: int, number: int = 0) -> Record:
    w = engine.copy(v)
    mount_goldrush.guess(w, seat, new_rng(number))
    contract.check_bounds(mount_goldrush, w)
    contract.check_sums(mount_goldrush, w)
    return w


def test_nothing_is_secret() -> None:
    for s, a, _ in contract.random_game(mount_goldrush, engine.start(mount_goldrush, 3), new_rng(8)):
        for seat in range(-1, 3):
            assert bytes(engine.view(mount_goldrush, s, seat)) == bytes(s)
            assert mount_goldrush.told(s, a, seat) == a
            assert bytes(guessed(s, seat)) == bytes(s)


def test_3_7_sight_is_the_open_cards_until_the_next_is_turned() -> None:
    s = act(table("B2 $3 $1 W5"), "turn 0")
    assert [card(sight(s, 1), place) for place in range(4)] == ["B2", "-", "-", "-"]
    s = act(s, "turn 1")
    assert [card(sight(s, 1), place) for place in range(4)] == ["B2", "$3", "-", "-"]
    s = act(s, "turn 2")
    assert [card(sight(s, 1), place) for place in range(4)] == ["-", "-", "$1", "-"]
    assert list(sight(s, 1).shown) == list(s.shown)
    v = sight(s, 1)
    assert v.unseen[KINDS.index("B2")] == s.unseen[KINDS.index("B2")] + 1 and sum(v.unseen) == 63


def test_sight_is_ones_own_gold_and_how_many_cards_others_have() -> None:
    s = table("B2 $1 $3", lie=40, won=["$1 $4", "$2 $2 $3", "$4"], seats=3)
    v = sight(s, 1)
    assert list(v.golds) == [2, 3, 1, 0, 0]
    assert list(v.won) == [0, 0, 0, 0, 0, 2, 1, 0, *[0] * 12] and sum(v.gone) == 0
    assert sum(v.unseen) == 64 - 3 and (v.upper, v.lower) == (s.upper, s.lower)
    assert sum(sight(s, -1).won) == 0
    s = table("B2", lie=40, won=["$1", "$2"], series="on", game=1, before="9,8,0,0,0")
    assert list(sight(s, 0).before) == [9, 8, 0, 0, 0]
    shown = mount_goldrush.show(v)
    assert "seat 1  green            7 gold in 3 cards" in shown and "? gold in 2 cards" in shown


@pytest.mark.parametrize(
    ("known", "phase", "lines"),
    [
        ("B4 $3", "first", (["B4"], ["$3"])),
        ("B2 $2", "first", (["B2"], ["$2"])),
        ("R4 $3", "first", (["R4"], [])),
        ("** $3", "first", (["$3", "**"], [])),
        ("B4 B2", "first", (["B2"], [])),
        ("$4 $4", "rush", ([], ["$4"])),
    ],
)
def test_3_7_what_left_in_the_last_turn_is_in_sight(known: str, phase: str, lines: tuple[list[str], list[str]]) -> None:
    s = act(table(known, lie=9, phase=phase, won=["$1 $1", "$2"]), "turn 0", *["turn 1"][: phase == "first"])
    v = sight(s, 1)
    gone, won = lines
    assert [kind for kind, number in zip(KINDS, v.gone, strict=True) for _ in range(number)] == gone
    assert [kind for kind, number in zip(KINDS, v.won[:GOLDS], strict=False) for _ in range(number)] == won
    assert list(v.won[4:8]) == list(s.won[4:8])
    contract.check_sums(mount_goldrush, guessed(v, 1))


def test_places_that_are_kept_are_remembered() -> None:
    s = table("B2 $3 $1 W5", lie=60, won=["$1", "$2"])
    v = sight(s, 0, kept=0b1010)
    assert [card(v, place) for place in range(4)] == ["-", "$3", "-", "W5"]
    assert sum(v.gone) == 0 and sum(v.won[4:8]) == 0
    v = sight(s, 0, kept=0b1010 | 0b1111 << 60)  # and what left the table, by all the empty places
    assert [card(v, place) for place in range(4)] == ["-", "$3", "-", "W5"]
    assert list(v.gone) == list(s.gone) and list(v.won) == list(s.won)
    v = sight(s, 0, kept=0b1110 << 60)
    assert sum(v.gone) == 0
    assert bytes(sight(s, 0, kept=-1)) == bytes(s)


def test_with_all_cards_on_the_table_nothing_that_left_is_forgotten() -> None:
    s = pair("$1 $2")
    assert bytes(guessed(sight(s, 0), 0)) == bytes(s)


@pytest.mark.parametrize("seats", [2, 5])
def test_guessed_worlds_look_the_same(seats: int) -> None:
    rng = new_rng(seats)
    steps = list(contract.random_game(mount_goldrush, engine.start(mount_goldrush, seats), new_rng(3)))
    for at, (s, _, _) in enumerate(steps[::5]):
        kept = sum(below(rng, 2) << place for place in range(64))
        for seat in range(-1, seats):
            for bits in (0, kept, kept | -1 << 40):
                v = sight(s, seat, bits)
                assert bytes(sight(v, seat, bits)) == bytes(v)
                w = guessed(v, seat, at)
                assert bytes(sight(w, seat, bits)) == bytes(v)
                assert engine.legal(mount_goldrush, w) == engine.legal(mount_goldrush, s) or s.turn == CHANCE


def test_knowledge_is_one_world() -> None:
    opening = engine.start(mount_goldrush)
    log = [a for _, a, _ in contract.random_game(mount_goldrush, opening, new_rng(6))]
    for seat in (-1, 0, 1):
        assert contract.check_guess(mount_goldrush, opening, log[:120], seat) == 1


def deals(hidden: list[str], others: Sequence[int], places: int) -> dict[tuple[tuple[str, ...], ...], float]:
    """Every way to deal these cards, each a thing of its own, over others' gold, unseen places and the rest."""
    ways: Counter[tuple[tuple[str, ...], ...]] = Counter()

    def deal(rest: list[int], hands: tuple[tuple[str, ...], ...], at: int) -> None:
        if at == len(others) + 1:
            ways[hands] += 1
            return
        is_gold = at < len(others)
        for chosen in combinations(
            [c for c in rest if hidden[c][0] == "$" or not is_gold], others[at] if is_gold else places
        ):
            deal([c for c in rest if c not in chosen], (*hands, tuple(sorted(hidden[c] for c in chosen))), at + 1)

    deal(list(range(len(hidden))), (), 0)
    return {hands: float(weight) for hands, weight in ways.items()}


GUESSES = {
    # Seat 0 has most of the gold; seat 1 has two gold cards; one card is left, two lie open from the last turn.
    "two seats": (
        table(
            "$4 B2",
            lie=3,
            phase="rush",
            won=["$1 $1 $1 $2 $2 $2 $2 $2 $3 $3 $3 $3 $3 $4 $4", "$2 $4"],
            unseen="R5",
            spot="0,1",
            face="$4,B2",
        ),
        0,
    ),
    # Seat 1 sees its own; seats 0 and 2 have a gold card each.
    "three seats": (
        table(
            "$4 B2",
            lie=3,
            seats=3,
            phase="rush",
            won=["$1", "$1 $1 $2 $2 $2 $2 $2 $2 $3 $3 $3 $3 $3 $4", "$3"],
            unseen="$4",
            spot="0,1",
            face="$4,B2",
        ),
        1,
    ),
    # The public sees nobody's gold.
    "the public": (table("$4 B2", lie=3, phase="rush", won=["$1", "$4"], unseen="W2", spot="0,1", face="$4,B2"), -1),
}


@pytest.mark.parametrize("case", GUESSES)
def test_guess_is_exact_on_what_is_in_sight(case: str) -> None:
    s, seat = GUESSES[case]
    v = sight(s, seat)
    others = [x for x in range(s.seats) if x != seat]
    mine = [KINDS[kind] for kind in range(GOLDS) for _ in range(s.won[GOLDS * seat + kind] if seat >= 0 else 0)]
    hidden = sorted((Counter(ALL_CARDS) - Counter([*mine, "$4", "B2"])).elements())
    odds = deals(hidden, [s.golds[x] for x in others], 1)
    rng = new_rng(len(odds))

    def sample() -> tuple[tuple[str, ...], ...]:
        w = engine.copy(v)
        mount_goldrush.guess(w, seat, rng)
        hands = [[kind for k, kind in enumerate(KINDS[:GOLDS]) for _ in range(w.won[GOLDS * x + k])] for x in others]
        hands.append([kind for k, kind in enumerate(KINDS) for _ in range(w.unseen[k])])
        return tuple(tuple(hand) for hand in hands)

    assert len(odds) > 100
    contract.check_sample(sample, odds, f"the guess of seat {seat} is exact", mount_goldrush, v)


def test_guess_remembers_with_kept_places() -> None:
    """With all but two places kept, what is unseen is dealt over these two and nothing else."""
    s = table(" ".join(ALL_CARDS))
    v = sight(s, 0, kept=-1 ^ 0b11 << 62)
    assert bytes(guessed(v, 0)) == bytes(v) and v.unseen[KINDS.index("**")] == 2 == sum(v.unseen)


def test_what_a_screen_says() -> None:
    s = engine.start(mount_goldrush, 5, series="on")
    for before, _, t in contract.random_game(mount_goldrush, s, new_rng(2)):
        for seat in (-1, before.mover):
            for v in (t, sight(t, seat)):
                lines = mount_goldrush.show(v).splitlines()
                assert len(lines) <= 24 and max(map(len, lines)) <= 100
    assert "game 5 of 5: 0 cards" in lines[0]
    for known, words in {
        "B4 $3": "seat 0 turned B4 at 0 and $3 at 1: seat 0 gets $3, B4 leaves",
        "** $4": "seat 0 turned ** at 0 and $4 at 1: ** leaves, $4 leaves",
        "$1 $2": "seat 0 turned $1 at 0 and $2 at 1: nothing happens",
    }.items():
        assert mount_goldrush.show(pair(known)).splitlines()[-1] == words
    first = act(table("B4 $3"), "turn 0")
    assert " 0[B4]" in mount_goldrush.show(first) and " 1 $3" in mount_goldrush.show(first)
    assert " 0[B4]" in mount_goldrush.show(sight(first, 0)) and " 1 ##" in mount_goldrush.show(sight(first, 0))


def test_the_sums_notice() -> None:
    for field, place in (("unseen", 5), ("gone", 0), ("won", 2), ("golds", 1)):
        s = table("B2 $3", lie=40, won=["$1", "$2"])
        getattr(s, field)[place] += 1
        with pytest.raises(contract.Broken):
            contract.check_sums(mount_goldrush, s)


def test_facts_tell_a_drawing_what_the_words_say() -> None:
    parts = [(kind["what"], kind["value"], kind["colour"]) for kind in mount_goldrush.FACTS["kinds"]]
    words = [
        "**" if what == "dynamite" else f"${value}" if what == "gold" else f"{mount_goldrush.SIGNS[colour]}{value}"
        for what, value, colour in parts
    ]
    assert words == list(mount_goldrush.KINDS)
    assert mount_goldrush.FACTS["owners"] == {  # MG-1.2
        "2": [0, 0, 1, 1, -1],
        "3": [0, 1, 2, -1, -1],
        "4": [0, 1, 2, 3, -1],
        "5": [0, 1, 2, 3, 4],
    }


def test_what_chance_draws_from() -> None:
    """Whoever turns a place first, and as whichever card of a turn, finds the same card; in each game another."""
    for s in (act(table(), "turn 5"), act(table("$1"), "turn 0", "turn 5"), act(table(phase="rush"), "turn 5")):
        assert rules.source(s) == (0, 5, mount_goldrush.A_CARD)
    assert rules.source(act(table(series="on", game=1), "turn 63")) == (1, 63, mount_goldrush.A_CARD)


# What comes of an action, as every observer is told it: the kind of an event and its arguments.


def came_of(s: Record, words: str) -> list[str]:
    a = text.read_action(mount_goldrush, s, words)
    told = [text.tell(mount_goldrush, s, a, observer).events for observer in (None, *range(-1, s.seats))]
    assert all(events == told[0] for events in told)
    return [" ".join([event.kind, *event.args.values()]) for event in told[0]]


def in_sight(s: Record) -> list[str]:
    """What came of the last turn, as its cards still tell everybody."""
    looks = [mount_goldrush.drawn(engine.view(mount_goldrush, s, x, sight=True))["came"] for x in range(-1, s.seats)]
    assert all(came == looks[0] for came in looks)
    return [" ".join([looks[0]["kind"], *looks[0]["args"].values()])] if looks[0] else []


@pytest.mark.parametrize(
    ("known", "events"),
    [
        ("R3 $3", ["found 2 R3 3"]),
        ("$2 B5", ["found 0 B5 2"]),
        ("W5 $4", ["nobodys 1 W5 4"]),
        ("B2 $3", ["weak B2 $3"]),
        ("B2 R3", ["duel R3 B2"]),
        ("B4 B2", ["duel B4 B2"]),
        ("R5 G5", ["equal R5 G5"]),
        ("$1 $1", ["golds"]),
        ("** $4", ["dynamite $4"]),
        ("W2 **", ["dynamite W2"]),
        ("** **", ["dynamites"]),
    ],
)
def test_what_comes_of_two_cards(known: str, events: list[str]) -> None:
    s = table(known, seats=4, turn=1)
    assert came_of(s, "turn 0") == []
    assert came_of(act(s, "turn 0"), "turn 1") == events
    one, two = known.split()
    s = table("", seats=4, turn=1)
    assert came_of(s, "turn 0") == came_of(act(s, "turn 0"), f"card {one}") == []
    s = act(s, "turn 0", f"card {one}")
    assert came_of(s, "turn 1") == [] and came_of(act(s, "turn 1"), f"card {two}") == events
    assert [in_sight(t) for t in (s, act(s, "turn 1"), act(s, "turn 1", f"card {two}"))] == [[], [], events]


def test_what_comes_of_a_card_in_the_rush() -> None:
    s = table("$3 B4 **", lie=5, phase="rush", turn=1, seats=3)
    assert [came_of(s, f"turn {place}") for place in range(3)] == [["taken 1 3"], ["gone B4"], ["gone **"]]
    assert [in_sight(act(s, f"turn {place}")) for place in range(3)] == [["taken 1 3"], ["gone B4"], ["gone **"]]
    s = act(table("B4 B2", lie=11), "turn 0", "turn 1")
    assert s.phase == RUSH and in_sight(s) == ["duel B4 B2"]  # the turn before it


def test_the_first_card_of_the_rush_has_nothing_to_do_with_the_turn_before() -> None:
    s = pair("B4 B2 $3 G5", lie=11)
    assert s.phase == RUSH and [came_of(s, f"turn {place}") for place in (0, 2, 3)] == [
        ["gone B4"],
        ["taken 1 3"],
        ["gone G5"],
    ]


@pytest.mark.parametrize(
    ("first", "asks"),
    [
        ("$3", {"what": "gold", "card": "$3", "n": "3"}),
        ("G4", {"what": "own", "card": "G4", "n": "4"}),
        ("R5", {"what": "others", "seat": "2", "card": "R5", "n": "5"}),
        ("W2", {"what": "nobodys", "card": "W2", "n": "2"}),
        ("**", {"what": "dynamite"}),
    ],
)
def test_what_the_first_card_asks_for(first: str, asks: dict[str, str]) -> None:
    s = act(table(seats=4, turn=1), "turn 0")
    assert mount_goldrush.drawn(s)["asks"] == {}
    s = act(s, f"card {first}")
    assert mount_goldrush.drawn(s)["asks"] == asks
    assert mount_goldrush.drawn(act(s, "turn 1"))["asks"] == {}


def test_why_the_rush_begins() -> None:
    assert came_of(act(table("B4 B2", lie=11), "turn 0"), "turn 1") == ["duel B4 B2", "rush 10"]
    s = act(table("$1 $1", lie=11, quiet=mount_goldrush.PATIENCE - 1), "turn 0")
    assert came_of(s, "turn 1") == ["golds", "quiet 20"]
    assert came_of(act(table("$1 $1", lie=11), "turn 0"), "turn 1") == ["golds"]


@pytest.mark.parametrize(
    ("won", "events"),
    [
        (["$3", "$1"], ["won 0"]),
        (["$3 $1", "$4"], ["tie 0 4 2 1", "won 0"]),
        (["$4", "$4"], ["even 4 1", "shared 0", "shared 1"]),
        (["$4", "$3 $1", "$3 $1"], ["tie 1 4 2 1", "tie 2 4 2 1", "even 4 2", "shared 1", "shared 2"]),
    ],
)
def test_what_comes_of_the_last_card(won: list[str], events: list[str]) -> None:
    s = table("**", lie=1, phase="rush", won=won, seats=len(won))
    assert came_of(s, "turn 0") == ["gone **", *events]


def test_what_comes_of_the_end_of_a_game_in_a_series() -> None:
    s = table("$2", lie=1, phase="rush", won=["$3", "$1"], series="on", before="7,9,0,0,0", turn=1)
    assert came_of(s, "turn 0") == ["taken 1 2", "game 1", "total 0 3 10", "total 1 3 12"]
    s = table("$2", lie=1, phase="rush", won=["$3", "$1 $1 $1"], series="on", game=1, before="9,7,0,0,0", turn=1)
    assert came_of(s, "turn 0") == ["taken 1 2", "last_game 1 12 5 3", "won 1"]
    s = table("$2", lie=1, phase="rush", won=["$3", "$1"], series="on", game=1, before="9,9,0,0,0", turn=1)
    assert came_of(s, "turn 0") == ["taken 1 2", "even_last_game 12 3", "shared 0", "shared 1"]
