"""Claimpoker clause by clause: test_3_4_… is for CP-3.4, test_worked_1 for the first worked position of its sheet."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

import pytest
from support.play import names, play, position, why

from motherlode import Table, contract, engine, games, sentences, text
from motherlode.game import CHANCE, OVER, UNSEEN, Record, adopt, below, count, new_rng
from motherlode.games import GAMES
from motherlode.games.claimpoker import ending, rules, showing
from motherlode.games.claimpoker.rules import (
    ALL_CARDS,
    ANY,
    CARDS,
    DOUBLES,
    EITHER,
    GONE,
    KINDS,
    LENGTH,
    LOOK,
    LOOKS,
    NAMES,
    OWN,
    PILES,
    TEN,
)

claimpoker = adopt(rules, "claimpoker", showing)

THE_TEN = ["plus", "minus", "knife-whiskey-sieve", "pickaxe-shovel-rifle", "nugget1", "nugget3", "tooth1", "tooth3"]
ROGER = "pickaxe2+pickaxe1+sieve3+sieve1+knife1+rifle2+rifle2b"  # the printed example
ROGER_AND_TWO = f"{ROGER}+whiskey-pickaxe+knife-whiskey-sieve"
# All tops are open, and seat 1 is to take; what is not written lies before nobody.
TAKING = (
    "claimpoker turn=1 seats=3 phase=take mover=1 round={round} left={left} dealt=0,0,0,0,0,0 "
    "top={top} taken=-,- unseen={unseen} held=sieve3,.,knife1,.,. gone=- points={points},0,0"
)
TOPS = ("sieve1", "whiskey2", "pickaxe3", "shovel1", "knife2", "rifle3")


def taking(*left: int, round: int = 0, points: str = "0,0,0") -> Record:  # noqa: A002
    """Seat 1 is to take from piles with these numbers of cards."""
    line = TAKING.format(
        round=round,
        left=",".join(map(str, left)),
        top=",".join(top if n else "-" for top, n in zip(TOPS, left, strict=True)),
        unseen="+".join(f"{pile}3b" for pile, n in zip(PILES, left, strict=True) if n > 1) or ".",
        points=points,
    )
    return position(line)[1]


def counted(cards: str, *, round: int = 0, scoring: str = "example") -> int:  # noqa: A002
    """What these cards count in a round."""
    line = f"claimpoker turn=0 seats=3 scoring={scoring} round={round} held={cards},.,.,.,."
    return engine.points(claimpoker, position(line)[1])[0]


def cards(words: str) -> int:
    return sum(1 << CARDS.index(word) for word in words.split("+"))


def weights(s: Record) -> dict[str, int]:
    """The chance outcomes and their weights."""
    return {text.name(claimpoker, s, a): claimpoker.odds(s, a) for a in engine.legal(claimpoker, s)}


def test_1_1_six_kinds_with_figures_1_1_2_2_3_3() -> None:
    assert len(CARDS) == count(ALL_CARDS) == 52
    for kind in PILES:
        own = [card for card in CARDS if card.rstrip("b")[:-1] == kind]
        assert own == [f"{kind}1", f"{kind}1b", f"{kind}2", f"{kind}2b", f"{kind}3", f"{kind}3b"]
        assert counted("+".join(own)) == 12


def test_1_2_six_doubles_show_one_piece_of_each_of_two_kinds() -> None:
    doubles = ["whiskey-pickaxe", "pickaxe-sieve", "sieve-rifle", "rifle-shovel", "shovel-knife", "knife-whiskey"]
    for double in doubles:
        shown = [claimpoker.number(cards(double), kind) for kind in range(8)]
        assert shown == [int(kind in double.split("-")) for kind in KINDS]
    assert [claimpoker.number(cards("+".join(doubles)), kind) for kind in range(8)] == [2] * 6 + [0, 0]


def test_1_3_six_prospectors() -> None:
    assert [LOOKS[NAMES.index(name)].cards for name in THE_TEN[:4]] == [2, 2, 1, 1]
    assert counted("knife-whiskey-sieve+knife1+whiskey1+sieve1") == 6
    assert counted("pickaxe-shovel-rifle+pickaxe1+shovel1+rifle1") == 6
    assert counted("knife-whiskey-sieve+pickaxe-shovel-rifle", round=0) == 0


def test_1_4_gold_is_two_more_kinds() -> None:
    assert [name for name in NAMES if name[:-1] in ("nugget", "tooth")] == ["nugget1", "nugget3", "tooth1", "tooth3"]
    assert counted("tooth1+tooth3") == 4 and counted("nugget1+tooth3") == 0
    assert counted("tooth3+plus") == 5 and counted("nugget3+minus") == 1


def test_2_1_a_pile_has_its_kind_and_the_double_named_first_after_it() -> None:
    s = engine.start(claimpoker, 3, open="all")
    for pile in PILES:
        own = [name.removeprefix("turn ") for name in names(claimpoker, s) if name.split()[1] not in THE_TEN]
        doubles = [name for name in own if "-" in name]
        assert [name for name in own if name not in doubles] == [f"{pile}1", f"{pile}2", f"{pile}3"]
        assert len(doubles) == 1 and doubles[0].startswith(f"{pile}-")
        s = play(claimpoker, s, f"turn {pile}1")
    assert [count(own) for own in OWN] == [7] * 6


def placed(*second: str) -> Record:
    """All doubles are placed: these on the pile of their second kind, the others on that of their first."""
    s = engine.start(claimpoker, 3, doubles="either", open="all")
    for double in DOUBLES:
        s = play(claimpoker, s, f"place {double} {double.split('-')[double in second]}")
    return s


def own_looks(s: Record) -> set[str]:
    """What can be turned up now, besides the ten."""
    return {name.removeprefix("turn ") for name in names(claimpoker, s)} - {*THE_TEN}


def test_2_1_chance_may_put_each_double_on_either_of_its_piles() -> None:
    s = engine.start(claimpoker, 3, doubles="either")
    assert list(s.left) == [8, 8, 8, 8, 7, 7]
    for double in DOUBLES:
        contract.check_sums(claimpoker, s)
        assert s.turn == CHANCE and weights(s) == {f"place {double} {kind}": 1 for kind in double.split("-")}
        s = play(claimpoker, s, f"place {double} {double.split('-')[1]}")
    assert list(s.left) == [9, 9, 9, 9, 8, 8] and names(claimpoker, s)[0] == "turn sieve1" and s.due == 0b1
    assert list(placed().left) == [9, 9, 9, 9, 8, 8]
    assert list(placed("sieve-rifle", "shovel-knife").left) == [8, 9, 9, 8, 9, 9]
    assert list(placed("pickaxe-sieve", "knife-whiskey").left) == [10, 10, 8, 9, 7, 8]


def test_2_1_a_double_is_found_in_the_pile_it_was_put_on() -> None:
    s = placed("sieve-rifle", "pickaxe-sieve")
    found = []
    for pile in PILES:
        found.append(sorted(look for look in own_looks(s) if "-" in look))
        s = play(claimpoker, s, f"turn {pile}1")
    assert found == [
        ["pickaxe-sieve"], ["whiskey-pickaxe"], [], ["shovel-knife"], ["knife-whiskey"], ["rifle-shovel", "sieve-rifle"]
    ]  # fmt: skip
    assert weights(placed())["turn sieve-rifle"] == 10 and "turn sieve-rifle" not in weights(placed("sieve-rifle"))
    assert sum(weights(placed("sieve-rifle")).values()) == 6 * 10 + 2 * 10
    s = play(claimpoker, s, "take sieve rifle", "give first 1", "turn pickaxe-sieve", "turn sieve-rifle")
    assert s.moved == 0 and s.turn == 1
    contract.check_sums(claimpoker, s)


def test_2_1_doubles_are_placed_anew_in_every_round() -> None:
    s = taking(1, 3, 0, 0, 0, 0)
    s.doubles = EITHER
    s.unseen |= cards("sieve-rifle")
    s.moved = 1  # as if sieve-rifle were left among the cards of the last pile
    s = play(claimpoker, s, "take sieve whiskey", "give second 2")
    opening = engine.start(claimpoker, 3, doubles="either")
    assert (s.round, s.moved, s.unplaced, list(s.left)) == (1, 0, 6, list(opening.left))


def test_2_1_doubles_that_look_alike_are_counted_on_each_pile() -> None:
    """With four alike, positions do not differ by which of them lies where, and each is found where it was put."""
    game = games.variant(GAMES["claimpoker"], {"doubles": ["sieve-rifle"] * 4 + ["knife-rifle"]}, "alike")
    try:
        orders = set()
        for where in permutations(("sieve", "rifle", "rifle", "sieve")):
            s = play(game, engine.start(game, 3, doubles="either"), *(f"place sieve-rifle {pile}" for pile in where))
            orders.add(bytes(s))
        assert len(orders) == 1
        s = play(game, s, "place knife-rifle knife")
        assert list(s.left) == [10, 8, 8, 8, 8, 9] and game.odds(s, game.NAMES.index("sieve-rifle")) == 2 * 10
        contract.check_sums(game, s)
        for number in range(10):
            for _, _, t in contract.random_game(game, s, new_rng(number)):
                contract.check_sums(game, t)
    finally:
        del games.VARIANTS[game.NAME]


def test_2_2_the_ten_are_dealt_two_on_four_piles_and_one_on_two() -> None:
    s = engine.start(claimpoker, 3, open="all")
    assert list(s.left) == [9, 9, 9, 9, 8, 8] and list(s.dealt) == [2, 2, 2, 2, 1, 1] and count(TEN) == 10
    # Of nine cards seven are the pile's own: 7 * 10 of 90, and each of the ten is as likely as another.
    assert sum(weights(s).values()) == 90 and sum(weights(s)[f"turn {name}"] for name in THE_TEN) == 20
    assert weights(s)["turn sieve2"] == 20 and weights(s)["turn sieve-rifle"] == 10
    assert weights(s)["turn plus"] == 4 and weights(s)["turn tooth3"] == 2
    s = play(claimpoker, s, "turn plus", "turn plus", "turn pickaxe1", "turn shovel1")
    assert list(s.dealt) == [1, 1, 2, 2, 1, 1] and s.due == 0b110000
    assert sum(weights(s).values()) == 8 * 8 and "turn plus" not in weights(s) and weights(s)["turn minus"] == 2


@pytest.mark.parametrize(("pairs", "dealt"), [(0, [2, 2, 2, 2, 1, 1]), (1, [2, 2, 1, 1, 1, 1]), (2, [1] * 6)])
def test_2_2_those_that_are_left_are_dealt_in_the_same_order(pairs: int, dealt: list[int]) -> None:
    s = taking(1, 3, 0, 0, 0, 0)
    s.cancelled = GONE
    s.held[0] = cards("+".join(["plus+minus", "plusb+minusb"][:pairs]) or "sieve3")
    s = play(claimpoker, s, "take sieve whiskey", "give second 2")
    assert s.pairs == pairs and list(s.dealt) == dealt and list(s.left) == [7 + n for n in dealt]
    assert count(s.unseen & claimpoker.ALIKE[claimpoker.PLUS]) == 2 - pairs
    assert count(s.unseen) == 52 - 2 * pairs and sum(weights(s).values()) == s.left[0] * (10 - 2 * pairs)
    contract.check_sums(claimpoker, s)


def test_2_2_when_none_of_the_ten_is_unseen_a_piles_own_cards_are_left() -> None:
    s = taking(4, 3, 0, 0, 0, 0)
    s = play(claimpoker, s, "take sieve whiskey", "give first 0")
    assert s.turn == CHANCE and weights(s) == {"turn sieve3": 1}


def test_2_2_a_pile_that_has_shown_its_share_of_the_ten_shows_no_more() -> None:
    s = play(claimpoker, engine.start(claimpoker, 3), "turn sieve3", "take knife rifle", "turn plus", "turn rifle1")
    s = play(claimpoker, s, "give first 1", "turn whiskey1", "turn pickaxe1", "turn shovel1")
    assert PILES[claimpoker.lowest(s.due)] == "knife" and s.dealt[4] == 0
    assert weights(s) == {"turn knife1": 18, "turn knife2": 18, "turn knife3": 18, "turn knife-whiskey": 9}
    s = play(claimpoker, s, "turn knife2")
    assert {f"turn {name}" for name in THE_TEN} <= set(weights(s))


def test_2_2_late_chance_is_the_chance_of_shuffling_beforehand() -> None:
    """Four cards from two piles, against every way to deal the unseen ones and to shuffle both piles."""
    own = {"whiskey": ["whiskey1", "whiskey1"], "knife": ["knife3", "knife-whiskey"]}
    ten = ["plus", "plus", "minus", "nugget3"]
    s = position(
        "claimpoker turn=chance seats=3 phase=take mover=1 due=whiskey+knife left=1,4,0,0,4,0 dealt=0,2,0,0,2,0 "
        "top=sieve1,-,-,-,-,- taken=-,- unseen=whiskey1+whiskey1b+knife3b+knife-whiskey+plus+plusb+minus+nugget3 "
        "held=.,.,.,.,. gone=-"
    )[1]
    dealt: Counter[tuple[str, ...]] = Counter()
    for on_whiskey in combinations(range(4), 2):
        whiskey = own["whiskey"] + [ten[n] for n in on_whiskey]
        knife = own["knife"] + [ten[n] for n in range(4) if n not in on_whiskey]
        for x, y in product(permutations(whiskey, 2), permutations(knife, 2)):
            dealt[x[0], y[0], x[1], y[1]] += 1

    def follow(s: Record, seen: tuple[str, ...], odds: Fraction) -> None:
        if len(seen) == 2 and s.turn != CHANCE:
            s = play(claimpoker, s, "take whiskey knife", "give first 0")
        if len(seen) == 4:
            late[seen] += odds
            return
        found = weights(s)
        for name, weight in found.items():
            follow(
                play(claimpoker, s, name),
                (*seen, name.removeprefix("turn ")),
                odds * Fraction(weight, sum(found.values())),
            )

    late: dict[tuple[str, ...], Fraction] = defaultdict(Fraction)
    follow(s, (), Fraction(1))
    assert late == {seen: Fraction(n, dealt.total()) for seen, n in dealt.items()}


def test_2_3_the_first_top_is_turned_up_and_later_all() -> None:
    s = engine.start(claimpoker, 3)
    assert s.turn == CHANCE and s.due == 0b1
    s = play(claimpoker, s, "turn sieve3")
    assert s.turn == 0 and [top >= 0 for top in s.top] == [True] + [False] * 5
    s = play(claimpoker, s, "take sieve whiskey", "turn whiskey1", "give first 1")
    assert s.turn == CHANCE and s.due == 0b111111
    s = play(claimpoker, s, "turn sieve3", "turn whiskey1", "turn tooth1", "turn shovel1", "turn knife1", "turn rifle1")
    assert s.turn == 1 and all(top >= 0 for top in s.top)
    s = play(claimpoker, s, "take shovel rifle")
    assert s.turn == 1  # both were open
    s = play(claimpoker, s, "give second 0")
    assert s.turn == CHANCE and s.due == 0b101000


def test_2_3_with_open_all_the_tops_are_turned_up_at_the_set_up() -> None:
    s = engine.start(claimpoker, 3, open="all")
    assert s.turn == CHANCE and s.due == 0b111111
    s = play(claimpoker, s, *(f"turn {pile}2" for pile in PILES))
    assert s.turn == 0 and [NAMES[top] for top in s.top] == [f"{pile}2" for pile in PILES]


def test_3_1_two_tops_of_different_piles_open_or_not() -> None:
    s = play(claimpoker, engine.start(claimpoker, 3), "turn sieve3")
    assert (
        names(claimpoker, s) == [f"take {x} {y}" for x, y in combinations(PILES, 2)] and len(names(claimpoker, s)) == 15
    )
    s = play(claimpoker, s, "take whiskey rifle")
    assert s.turn == CHANCE and all(name.split()[1] in THE_TEN or "whiskey" in name for name in names(claimpoker, s))
    s = play(claimpoker, s, "turn whiskey2")
    assert s.turn == CHANCE and all(name.split()[1] in THE_TEN or "rifle" in name for name in names(claimpoker, s))
    s = play(claimpoker, s, "turn rifle1")
    assert s.turn == 0 and list(s.left) == [9, 8, 9, 9, 8, 7]
    assert [NAMES[s.top[pile]] for pile in s.taken] == ["whiskey2", "rifle1"]


def any_two(s: Record) -> Record:
    s.piles = ANY
    return s


def test_3_1_with_any_also_a_top_and_the_card_beneath() -> None:
    s = taking(2, 1, 3, 0, 0, 1)
    pairs = ["sieve whiskey", "sieve pickaxe", "sieve rifle", "whiskey pickaxe", "whiskey rifle", "pickaxe rifle"]
    assert names(claimpoker, s) == [f"take {pair}" for pair in pairs]
    assert why(claimpoker, s, "take sieve twice") == "CP-3.1"
    s = any_two(s)
    assert names(claimpoker, s) == [f"take {pair}" for pair in (*pairs, "sieve twice", "pickaxe twice")]
    assert why(claimpoker, s, "take whiskey twice") == why(claimpoker, s, "take shovel twice") == "CP-3.1"
    s = play(claimpoker, s, "take pickaxe twice")
    assert s.turn == CHANCE and weights(s) == {"turn pickaxe3": 1} and list(s.left) == [2, 1, 1, 0, 0, 1]
    s.unseen |= cards("pickaxe1b+pickaxe2b")  # of which one lies below
    s = play(claimpoker, s, "turn pickaxe2")
    assert s.turn == 1 and showing.cards_to_give(s) == {"first": "pickaxe3", "second": "pickaxe2"}
    assert why(claimpoker, s, "take sieve twice") == "CP-3.2"
    first, second = play(claimpoker, s, "give first 2"), play(claimpoker, s, "give second 2")
    assert first.held[1] == cards("pickaxe2") and first.held[2] == cards("knife1+pickaxe3")
    assert second.held[1] == cards("pickaxe3") and second.held[2] == cards("knife1+pickaxe2")
    for after in (first, second):
        assert after.turn == CHANCE and after.due == 0b100 and after.beneath == 0 and list(after.taken) == [UNSEEN] * 2


def test_3_1_both_cards_of_a_pile_may_be_unseen() -> None:
    s = play(claimpoker, engine.start(claimpoker, 3, piles="any"), "turn sieve3", "take rifle twice")
    assert s.turn == CHANCE and s.left[5] == 6
    s = play(claimpoker, s, "turn plus")
    assert s.turn == CHANCE and s.dealt[5] == 0 and own_looks(s) == {"rifle1", "rifle2", "rifle3", "rifle-shovel"}
    assert sum(weights(s).values()) == 7 * 9
    contract.check_sums(claimpoker, s)
    s = play(claimpoker, s, "turn rifle-shovel")
    contract.check_sums(claimpoker, s)
    assert s.turn == 0 and showing.cards_to_give(s) == {"first": "plus", "second": "rifle-shovel"}


@pytest.mark.parametrize("beneath", ["sieve1", "sieve3", "plus", "minus"])
def test_3_1_whatever_lies_beneath_is_given_or_kept(beneath: str) -> None:
    s = play(claimpoker, engine.start(claimpoker, 3, piles="any"), "turn sieve2", "take sieve twice", f"turn {beneath}")
    first, second = play(claimpoker, s, "give first 1"), play(claimpoker, s, "give second 1")
    assert (first.held[0], first.held[1]) == (cards(beneath), cards("sieve2"))
    assert (second.held[0], second.held[1]) == (cards("sieve2"), cards(beneath))


def test_3_1_the_next_player_finds_all_tops_open_again() -> None:
    s = play(claimpoker, engine.start(claimpoker, 3, piles="any", open="all"), *(f"turn {pile}2" for pile in PILES))
    s = play(claimpoker, s, "take knife twice", "turn knife1", "give first 1")
    assert s.turn == CHANCE and s.due == 0b10000
    assert play(claimpoker, s, "turn knife1").turn == 1


def test_3_1_nothing_is_taken_from_an_empty_pile() -> None:
    s = taking(2, 0, 3, 0, 0, 1)
    assert names(claimpoker, s) == ["take sieve pickaxe", "take sieve rifle", "take pickaxe rifle"]
    assert why(claimpoker, s, "take sieve whiskey") == "CP-3.1"
    assert why(claimpoker, s, "give first 0") == "CP-3.1" and why(claimpoker, s, "reject") == "CP-3.4"


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_3_2_one_is_given_to_another_player(seats: int) -> None:
    s = taking(2, 0, 3, 0, 0, 2)
    s.seats = seats
    s = play(claimpoker, s, "take sieve rifle")
    others = [x for x in range(seats) if x != 1]
    assert names(claimpoker, s) == [f"give {which} {x}" for which in ("first", "second") for x in others]
    assert why(claimpoker, s, "give first 1") == "CP-3.2" and why(claimpoker, s, "give second 1") == "CP-3.2"
    assert why(claimpoker, s, "take sieve rifle") == "CP-3.2" and why(claimpoker, s, "accept") == "CP-3.4"
    assert (why(claimpoker, s, "give first 4") is None) == (seats == 5)
    first, second = play(claimpoker, s, "give first 2"), play(claimpoker, s, "give second 2")
    assert first.held[1] == cards("rifle3") and first.held[2] == cards("knife1+sieve1")
    assert second.held[1] == cards("sieve1") and second.held[2] == cards("knife1+rifle3")
    assert first.mover == second.mover == 2


def test_3_2_the_choice_is_asked_also_when_both_look_alike() -> None:
    s = taking(2, 0, 3, 0, 0, 2)
    s.top[0] = s.top[5] = NAMES.index("plus")
    s = play(claimpoker, s, "take sieve rifle")
    assert len(names(claimpoker, s)) == 4
    after = {which: play(claimpoker, s, f"give {which} 2") for which in ("first", "second")}
    assert bytes(after["first"]) == bytes(after["second"]) and after["first"].held[1] == cards("plus")


def test_3_2_which_of_two_alike_lies_where_makes_no_other_position() -> None:
    s = taking(2, 0, 3, 0, 0, 2)
    s.top[0] = s.top[5] = NAMES.index("plus")
    s.held[1] = cards("plus")
    s = play(claimpoker, s, "take sieve rifle", "give first 2")
    assert s.held[1] == cards("plus+plusb") and s.held[2] == cards("knife1+plus")
    for s, _, _ in contract.random_game(claimpoker, engine.start(claimpoker, 3), new_rng(4)):
        for card in range(1, 52):
            if LOOK[card] == LOOK[card - 1]:
                assert all(held >> (card - 1) & 1 for held in s.held if held >> card & 1)
                assert s.unseen >> card & 1 or not s.unseen >> (card - 1) & 1


def test_3_3_the_round_is_over_when_at_most_one_pile_is_left() -> None:
    s = play(claimpoker, taking(2, 2, 0, 0, 0, 0), "take sieve whiskey", "give first 2")
    assert s.round == 0 and s.mover == 2
    s = play(claimpoker, taking(1, 3, 0, 0, 0, 0), "take sieve whiskey", "give second 2")
    assert s.round == 1 and list(s.left) == [9, 9, 9, 9, 8, 8] and s.mover == 0
    # whiskey2 for seat 2, sieve1 for seat 1; the two cards left on whiskey count for nobody
    assert list(s.points) == [0, 0, 2, 0, 0]


def test_3_3_a_round_goes_on_without_chance_when_nothing_is_to_be_turned_up() -> None:
    s = play(claimpoker, taking(1, 1, 2, 2, 0, 0), "take sieve whiskey", "give second 2")
    assert (s.turn, s.phase, s.due) == (2, claimpoker.TAKING, 0)


@pytest.mark.parametrize(
    ("left", "which", "asked"),
    [
        ((1, 3, 0, 0, 0, 0), "first", True),
        ((1, 3, 0, 0, 0, 0), "second", False),  # not the last card of its pile
        ((3, 1, 0, 0, 0, 0), "second", True),
        ((1, 1, 0, 0, 0, 0), "first", True),
        ((1, 1, 0, 0, 0, 0), "second", True),
        ((1, 1, 2, 0, 0, 0), "first", True),
        ((1, 2, 2, 0, 0, 0), "first", False),  # the round goes on
        ((1, 1, 2, 2, 0, 0), "first", False),
    ],
)
def test_3_4_the_last_card_may_be_rejected(left: tuple[int, ...], which: str, asked: bool) -> None:
    s = play(claimpoker, taking(*left, round=1), "take sieve whiskey", f"give {which} 2")
    assert (s.phase == claimpoker.ANSWERING) == asked
    if asked:
        assert s.turn == 2 and s.mover == 1 and names(claimpoker, s) == ["accept", "reject"]
        assert why(claimpoker, s, "give first 0") == why(claimpoker, s, "take sieve whiskey") == "CP-3.4"
        gift = TOPS[0 if which == "first" else 1]
        accepted, rejected = play(claimpoker, s, "accept"), play(claimpoker, s, "reject")
        assert accepted.turn == rejected.turn == OVER
        assert accepted.held[2] == cards(f"knife1+{gift}") and accepted.gone == UNSEEN
        assert rejected.held[2] == cards("knife1") and rejected.gone == NAMES.index(gift)


@pytest.mark.parametrize(
    ("left", "which", "asked"),
    [
        ((2, 5, 0, 0, 0, 0), "first", False),  # the upper of the two cards
        ((2, 5, 0, 0, 0, 0), "second", True),
        ((3, 0, 0, 2, 0, 0), "second", False),  # one card is left beneath
        ((2, 1, 1, 0, 0, 0), "second", False),  # the round goes on
    ],
)
def test_3_4_of_two_cards_from_one_pile_the_lower_one_may_be_rejected(
    left: tuple[int, ...], which: str, asked: bool
) -> None:
    s = play(claimpoker, any_two(taking(*left, round=1)), "take sieve twice", "turn sieve3", f"give {which} 2")
    assert (s.phase == claimpoker.ANSWERING) == asked
    if asked:
        assert s.turn == 2 and list(s.taken) == [0, UNSEEN] and s.beneath == 0
        accepted, rejected = play(claimpoker, s, "accept"), play(claimpoker, s, "reject")
        assert accepted.held[2] == cards("knife1+sieve3") and accepted.held[1] == cards("sieve1")
        assert rejected.gone == NAMES.index("sieve3") and rejected.held[2] == cards("knife1")


def test_3_4_a_rejected_card_is_back_in_the_next_round() -> None:
    for cancelled in (0, GONE):
        s = taking(1, 3, 0, 0, 0, 0)
        s.cancelled, s.top[0] = cancelled, NAMES.index("minus")
        s.held[2] = cards("plus")
        s = play(claimpoker, s, "take sieve whiskey", "give first 2", "reject")
        assert s.round == 1 and s.gone == UNSEEN and s.unseen == ALL_CARDS and s.pairs == 0


def test_3_4_rejecting_can_pay() -> None:
    s = play(claimpoker, taking(3, 1, 0, 0, 0, 0), "take sieve whiskey")
    s.held[2] = cards("whiskey1+whiskey3")
    s = play(claimpoker, s, "give second 2")
    assert play(claimpoker, s, "accept").points[2] == 6  # 1 + 3 + 2
    s.held[2] = cards("whiskey1+whiskey3+whiskey-pickaxe+knife-whiskey")
    assert play(claimpoker, s, "reject").points[2] == 6
    s.top[1] = NAMES.index("whiskey3")
    assert play(claimpoker, s, "accept").points[2] == 0 and play(claimpoker, s, "reject").points[2] == 6


def test_4_1_number_counts_pieces_doubles_and_prospectors() -> None:
    held = cards("sieve3+sieve1+sieve-rifle+pickaxe-sieve+knife-whiskey-sieve")
    assert [claimpoker.number(held, kind) for kind in range(8)] == [7, 1, 1, 0, 1, 1, 0, 0]
    assert claimpoker.pieces(held, 0) == 4
    assert counted("sieve3+sieve1+sieve-rifle+pickaxe-sieve") == 6


def test_4_2_plus_and_minus_cancel_and_the_rest_goes_to_one_kind() -> None:
    assert counted("sieve3+plus+minus") == 0 and counted("sieve3+plus") == 5
    assert counted("sieve3+whiskey1+plus+plusb") == 4  # not one each; two of a kind not held are the best
    assert counted("sieve3+sieve1+plus+plusb+minus") == 4
    assert counted("sieve2+minus+minusb+plus") == 0  # must go to sieve
    assert counted("sieve2+knife1+minus") == 2  # goes to knife
    assert counted("sieve2+knife1+knife-whiskey+minus") == 4  # goes to whiskey, which it makes none of


@pytest.mark.parametrize(
    ("held", "pairs"),
    [
        (("plus+minus", "sieve3"), 1),
        (("plus+minus", "plus+minus"), 2),
        (("plus+plusb", "minus+minusb"), 0),  # nobody has both
        (("plus+plusb+minus", "minus"), 1),
        (("plus+plusb+minus+minusb", "sieve3"), 2),
    ],
)
def test_4_2_cards_that_cancel_are_back_or_gone(held: tuple[str, str], pairs: int) -> None:
    s = taking(1, 3, 0, 0, 0, 0)
    for seat, words in enumerate(held):
        s.held[2 * seat] = cards(words)
    back = play(claimpoker, s, "take sieve whiskey", "give second 2")
    assert back.pairs == 0 and back.unseen == ALL_CARDS
    s.cancelled = GONE
    gone = play(claimpoker, s, "take sieve whiskey", "give second 2")
    assert gone.pairs == pairs and list(gone.points) == list(back.points)
    both = "+".join(["plus+minus", "plusb+minusb"][:pairs])
    assert gone.unseen == ALL_CARDS & ~(cards(both) if pairs else 0)


def test_4_2_what_is_gone_stays_gone_and_the_last_scoring_takes_nothing_away() -> None:
    s = taking(1, 3, 0, 0, 0, 0, round=1)
    s.cancelled, s.pairs = GONE, 1
    s.held[0] = cards("plus+minus")
    s = play(claimpoker, s, "take sieve whiskey", "give second 2")
    assert s.turn == OVER and s.pairs == 1 and s.held[0] == cards("plus+minus")


def test_4_2_minus_goes_only_where_there_is_enough() -> None:
    assert counted("sieve1+minus+minusb", round=1) == 0 and counted("sieve1+knife3+minus+minusb", round=1) == 0
    assert counted("sieve2+sieve2b+knife1+minus+minusb") == 0  # 2 pieces, 4 - 2 - 2 points
    assert counted("sieve2+sieve2b+knife1+minus+minusb", scoring="text") == 2
    s = position("claimpoker turn=0 seats=3 held=sieve1+knife1+minus+minusb,.,.,.,.")[1]
    assert claimpoker.adjusted_kind(s, s.held[0]) == -1  # no kind has two: no effect
    assert counted("minus+minusb+nugget1", round=1) == 0


def brute(held: int, round: int, scoring: str) -> int:  # noqa: A002
    """A tableau's points straight from the sheet, every allocation tried."""
    own, shown, plus = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0), 0
    for card in range(52):
        if held >> card & 1:
            word = NAMES[LOOK[card]]
            if word in ("plus", "minus"):
                plus += 1 if word == "plus" else -1
            elif word[-1].isdigit():
                own[word[:-1]] += int(word[-1])
            else:
                for kind in word.split("-"):
                    shown[kind] += 1

    def total(chosen: str | None) -> int:
        points = 0
        for kind in KINDS:
            adjustment = plus if kind == chosen else 0
            n = own[kind] + shown[kind] + adjustment
            worth = max(0, (n if scoring == "example" else own[kind]) + adjustment)
            points += worth if n % 2 == 0 else -worth * round
        return max(0, points)

    allowed = [kind for kind in KINDS if plus > 0 or own[kind] + shown[kind] >= -plus]
    return max(total(kind) for kind in allowed) if plus and allowed else total(None)


@pytest.mark.parametrize("scoring", ["example", "text"])
@pytest.mark.parametrize("round_", [0, 1])
def test_4_2_the_best_allocation_is_made(scoring: str, round_: int) -> None:
    rng = new_rng(42)
    adjusted = 0
    for size in range(1, 26):
        for _ in range(12):
            deck = list(range(52))
            looks = Counter(LOOK[deck.pop(below(rng, len(deck)))] for _ in range(size))
            first = {look: LOOK.index(look) for look in looks}
            held = sum(1 << (first[look] + n) for look in looks for n in range(looks[look]))
            s = position(f"claimpoker turn=0 seats=3 scoring={scoring} round={round_}")[1]
            s.held[0] = held
            adjusted += claimpoker.adjustment(held) != 0
            assert engine.points(claimpoker, s)[0] == brute(held, round_, scoring)
    assert adjusted > 100


def test_4_3_points_are_the_number_and_the_adjustment_again() -> None:
    assert counted("sieve1+sieve-rifle+rifle1") == 4 and counted("sieve1+sieve-rifle+rifle1", scoring="text") == 2
    assert counted("sieve1+plus") == 3 and counted("sieve1+plus", scoring="text") == 2
    assert counted("sieve-rifle+minus", round=1) == 0
    assert counted("sieve1+sieve-rifle+minus+minusb+rifle2+rifle1", round=0) == 4  # never below 0: 2 - 2 - 2


def test_4_4_first_round_even_kinds_count_and_odd_ones_do_not() -> None:
    assert counted("sieve2+knife3") == 2 and counted("sieve2+knife2") == 4 and counted("sieve1+knife3") == 0


def test_4_5_second_round_odd_kinds_count_minus_and_a_negative_round_0() -> None:
    assert counted("sieve3+sieve3b+knife3", round=1) == 3 and counted("sieve2+knife3", round=1) == 0
    s = play(claimpoker, taking(1, 3, 0, 0, 0, 0, round=1, points="7,7,7"), "take sieve whiskey", "give second 2")
    assert list(s.points)[:3] == [7, 7, 8]  # seat 2: whiskey 2 less knife 1


def test_5_1_two_rounds_with_all_cards_and_seat_0_first() -> None:
    s = play(claimpoker, taking(1, 3, 0, 0, 0, 0), "take sieve whiskey", "give first 2", "reject")
    opening = engine.start(claimpoker, 3)
    opening.round = 1
    opening.points[1] = 2
    assert bytes(s) == bytes(opening)
    s = play(claimpoker, s, "turn sieve1")
    assert s.turn == 0


def test_5_2_the_sum_wins_and_a_tie_is_shared() -> None:
    s = play(claimpoker, taking(1, 3, 0, 0, 0, 0, round=1, points="8,6,7"), "take sieve whiskey", "give second 2")
    assert s.turn == OVER and list(s.points)[:3] == [8, 6, 8] == engine.points(claimpoker, s)
    assert engine.winners(claimpoker, s) == [0, 2] and engine.utility(claimpoker, s) == [0.25, -0.5, 0.25]
    assert engine.legal(claimpoker, s) == [] and claimpoker.why(s, 0) == "CP-5.1"
    s = play(claimpoker, taking(1, 3, 0, 0, 0, 0, round=1, points="8,9,7"), "take sieve whiskey", "give second 2")
    assert engine.winners(claimpoker, s) == [1]


def test_worked_1_the_printed_example_without_doubles_and_prospectors() -> None:
    assert [claimpoker.number(cards(ROGER), kind) for kind in range(8)] == [4, 0, 3, 0, 1, 4, 0, 0]
    assert counted(ROGER) == 8


def test_worked_2_and_a_double_and_a_prospector() -> None:
    assert [claimpoker.number(cards(ROGER_AND_TWO), kind) for kind in range(8)] == [5, 2, 4, 0, 2, 4, 0, 0]
    assert counted(ROGER_AND_TWO) == 12


def test_worked_3_and_a_plus_1() -> None:
    held = cards(f"{ROGER_AND_TWO}+plus")
    s = position("claimpoker turn=0 seats=3")[1]
    assert claimpoker.adjusted_kind(s, held) == KINDS.index("sieve") and claimpoker.worth(s, held, 0, 1) == 7
    assert counted(f"{ROGER_AND_TWO}+plus") == 19 and counted(f"{ROGER_AND_TWO}+plus", scoring="text") == 13


def test_worked_4_and_a_minus_1() -> None:
    assert counted(f"{ROGER_AND_TWO}+plus+minus") == 12


def test_worked_5_two_prospectors_on_sieve() -> None:
    assert counted("sieve3+sieve1+plus+plusb") == 8 and counted("sieve3+sieve1+plus+plusb", scoring="text") == 6
    assert counted("sieve3+sieve2+minus") == 3 and counted("sieve3+sieve2+minus", scoring="text") == 4


def test_worked_6_round_two() -> None:
    assert counted("sieve2+sieve1", round=1) == 0
    s = position("claimpoker turn=0 seats=3 round=1 held=sieve2+sieve1,.,.,.,.")[1]
    assert claimpoker.worth(s, s.held[0], 0, 0) == -3
    assert counted("sieve3+sieve1+knife1", round=1) == 3
    assert counted("sieve3+sieve1+minus", round=0) == 0
    assert counted("sieve3+sieve1+plus", round=1) == 2
    assert counted("sieve3+sieve1+plus", round=1, scoring="text") == 3


def test_worked_7_nuggets() -> None:
    assert counted("nugget1+nugget3") == 4 and counted("nugget3") == 0
    s = position("claimpoker turn=0 seats=3 round=1 held=nugget3,.,.,.,.")[1]
    assert claimpoker.worth(s, s.held[0], KINDS.index("nugget"), 0) == -3


def test_worked_8_two_piles_with_1_and_3_cards_are_taken_from_once() -> None:
    s = taking(1, 3, 0, 0, 0, 0)
    assert names(claimpoker, s) == ["take sieve whiskey"]
    assert play(claimpoker, s, "take sieve whiskey", "give second 0").round == 1


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_the_longest_game_takes_all_cards_in_both_rounds(seats: int) -> None:
    s, rng, decisions = engine.start(claimpoker, seats), new_rng(1), 0
    while s.turn != OVER:
        if s.turn == CHANCE:
            a = engine.draw(claimpoker, s, rng)
        else:
            decisions += 1
            a = engine.legal(claimpoker, s)[0]
            if s.phase == claimpoker.TAKING:
                fullest = sorted(sorted(range(6), key=lambda pile: -s.left[pile])[:2])
                a = text.read_action(claimpoker, s, f"take {PILES[fullest[0]]} {PILES[fullest[1]]}")
        s = engine.after(claimpoker, s, a)
    assert decisions == LENGTH


def test_points_before_the_end_are_those_of_the_round_if_it_were_over() -> None:
    s = taking(1, 3, 0, 0, 0, 0, round=1, points="7,5,6")
    s.held[0] = cards("sieve3+sieve1+plus")
    assert engine.points(claimpoker, s) == [7 + 2, 5, 6]


def test_nothing_is_secret() -> None:
    rng = new_rng(0)
    for s, a, _ in contract.random_game(claimpoker, engine.start(claimpoker, 4), new_rng(9)):
        for seat in range(-1, 4):
            t = engine.view(claimpoker, s, seat, sight=True)
            claimpoker.guess(t, seat, rng)
            assert bytes(t) == bytes(s) and claimpoker.told(s, a, seat) == a


def test_the_sums_find_a_lost_and_a_doubled_card() -> None:
    s = play(claimpoker, engine.start(claimpoker, 3), "turn sieve3", "take sieve whiskey", "turn plus", "give first 1")
    contract.check_sums(claimpoker, s)
    for seat, held in ((1, "sieve3+sieve3b"), (1, "sieve2"), (0, "plus+minus")):
        t = engine.copy(s)
        t.held[seat] = cards(held)
        with pytest.raises(contract.Broken):
            contract.check_sums(claimpoker, t)
    for field in ("left", "dealt"):
        t = engine.copy(s)
        getattr(t, field)[3] -= 1
        with pytest.raises(contract.Broken):
            contract.check_sums(claimpoker, t)


@pytest.mark.parametrize("seats", [3, 5])
def test_a_screen_is_24_lines_of_100_columns(seats: int) -> None:
    for number in range(3):
        for _, _, s in contract.random_game(claimpoker, engine.start(claimpoker, seats, open="all"), new_rng(number)):
            lines = claimpoker.show(s).split("\n")
            assert len(lines) <= 24 and max(map(len, lines)) <= 100


def test_a_screen_shows_piles_and_tableaus() -> None:
    s = taking(2, 0, 3, 0, 0, 2)
    s.held[0] = cards("sieve1+sieve3+knife-whiskey-sieve+plus")
    s = play(claimpoker, s, "take sieve rifle")
    assert [line.rstrip() for line in claimpoker.show(s).split("\n")[:9]] == [
        "Claimpoker, round 1 of 2, even numbers count: seat 1 keeps one and gives one away",
        "",
        "            sieve      whiskey    pickaxe    shovel     knife      rifle      nugget     tooth",
        "pile        1          0          3          0          0          1",
        "top         ?                     pickaxe 3                        ?",
        "taken       sieve 1                                                rifle 3",
        "  seat 0    13+        +                                +",
        "  7 points  6 even 7   1 odd 0                          1 odd 0",
        "            +1  kn+wh+si  (+1 goes to sieve)",
    ]


def test_worked_9_the_lower_of_two_cards_from_one_pile() -> None:
    s = any_two(taking(2, 5, 0, 0, 0, 0))
    s = play(claimpoker, s, "take sieve twice", "turn sieve3")
    assert names(claimpoker, play(claimpoker, s, "give second 0")) == ["accept", "reject"]
    assert play(claimpoker, s, "give first 0").round == 1


def test_worked_10_eight_are_dealt_in_round_two() -> None:
    s = taking(1, 3, 0, 0, 0, 0)
    s.cancelled = GONE
    s.held[1] = cards("plus+minus")
    assert list(play(claimpoker, s, "take sieve whiskey", "give second 2").left) == [9, 9, 8, 8, 8, 8]


def test_a_position_of_the_first_rules_reads_as_it_was_played() -> None:
    line = text.write_position(claimpoker, taking(2, 2, 0, 0, 0, 0)).replace("claimpoker/2", "claimpoker/1")
    s = text.read_position(line)[1]
    assert bytes(s) == bytes(taking(2, 2, 0, 0, 0, 0)) and (s.piles, s.doubles, s.cancelled) == (0, 0, 0)
    assert claimpoker.ACTIONS.name(26) == "reject" and claimpoker.OUTCOMES.name(31) == "turn tooth3"


def test_without_figures_no_card_may_be_missing_from_a_pile() -> None:
    """A pile could be empty at the set-up, so these options are not offered."""
    game = games.variant(GAMES["claimpoker"], {"figures": []}, "figureless")
    try:
        assert [option.name for option in game.OPTIONS if option.is_offered] == ["scoring", "open", "piles"]
    finally:
        del games.VARIANTS[game.NAME]


def test_a_screen_shows_doubles_a_card_from_beneath_and_what_is_gone() -> None:
    s = engine.start(claimpoker, 3, doubles="either", piles="any", cancelled="gone")
    assert "even numbers count: si+ri goes on one of its piles" in claimpoker.show(s)
    s = play(claimpoker, s, *(f"place {double} {double.split('-')[0]}" for double in DOUBLES))
    assert "even numbers count: the top of sieve is turned up" in claimpoker.show(s)
    s = play(claimpoker, s, "turn sieve3", "take sieve twice")
    assert "even numbers count: the card beneath the top of sieve is turned up" in claimpoker.show(s)
    s = play(claimpoker, s, "turn plus")
    s.pairs, s.gone = 1, NAMES.index("tooth1")
    lines = [line.rstrip() for line in claimpoker.show(s).split("\n")]
    assert lines[5:8] == [
        "taken       sieve 3",
        "beneath it  +1",
        "double with ri         pi         si         kn         wh         sh",
    ]
    assert lines[-1] == "rejected: tooth 1; out of the game: 1 of +1 and of -1"


def test_what_a_gift_from_one_pile_would_change_is_drawn() -> None:
    s = play(claimpoker, any_two(taking(2, 5, 0, 0, 0, 0)), "take sieve twice", "turn sieve3")
    for a, forecast in claimpoker.drawn(s)["after"].items():
        t = engine.after(claimpoker, s, a)
        if t.phase != claimpoker.ANSWERING and t.round == s.round:
            assert {x: claimpoker.drawn(t)["now"][x] for x in forecast} == forecast
    assert claimpoker.drawn(s)["doubles"] is None
    doubles = claimpoker.drawn(placed("sieve-rifle"))["doubles"]
    assert [[NAMES[look] for look in found] for found in doubles] == [
        [], ["whiskey-pickaxe"], ["pickaxe-sieve"], ["shovel-knife"], ["knife-whiskey"], ["sieve-rifle", "rifle-shovel"]
    ]  # fmt: skip


def told(s: Record, *actions: str) -> list[str]:
    """The sentences of what comes of the last of these actions."""
    s = play(claimpoker, s, *actions[:-1])
    line = text.tell(claimpoker, s, text.read_action(claimpoker, s, actions[-1]))
    return [sentences.event(claimpoker, event, ["Ada", "Bo", "Cleo"]) for event in line.events]


def test_events_tell_what_is_kept_and_what_cards_count_now() -> None:
    s = taking(2, 1, 3, 0, 0, 2)
    s.held[2] = cards("sieve3+knife1")
    assert told(s, "take sieve whiskey") == ["The second pile is empty"] and told(s, "take sieve rifle") == []
    give = told(s, "take sieve whiskey", "give first 2")
    assert give[:2] == ["Cleo gets sieve 1", "Bo keeps whiskey 2"]
    assert give[2:] == ["Bo's cards count 2 points more", "Cleo's cards count 4 points more"]
    s.held[2] = cards("sieve2")
    give = told(s, "take sieve whiskey", "give first 2")
    assert give[2:] == ["Bo's cards count 2 points more", "Cleo's cards count 2 points less"]


def test_events_tell_of_two_cards_from_one_pile() -> None:
    s = any_two(taking(2, 5, 0, 0, 0, 0))
    assert told(s, "take sieve twice") == ["The first pile is empty"]
    assert told(s, "take sieve twice", "turn sieve3", "give second 0") == [
        "Ada is given sieve 3, the last card of its pile, and may reject it",
        "Bo keeps sieve 1",
    ]


def test_events_tell_of_the_last_card_and_the_end_of_a_round() -> None:
    s = taking(1, 3, 0, 0, 0, 0)
    s.held[0] = cards("sieve3+plus+minus+plusb+minusb")
    end = [
        "Ada: 3 × sieve, odd",
        "Ada scores 0 points in this round",
        "Bo: 2 × whiskey, even",
        "Bo scores 2 points in this round",
        "Cleo: 1 × knife, odd",
        "Cleo scores 0 points in this round",
    ]
    odd = "Round 2 begins: odd numbers now count against their owner"
    give = ["take sieve whiskey", "give first 0"]
    offer = "Ada is given sieve 1, the last card of its pile, and may reject it"
    assert told(s, *give) == [offer, "Bo keeps whiskey 2", "Bo's cards count 2 points more"]
    pairs = "2 +1 and 2 −1 of Ada cancel each other"
    out = "Ada does without sieve 1: it is out of this round"
    assert told(s, *give, "reject") == [out, pairs, *end, "Round 1 is over", odd]
    s.cancelled = GONE
    assert told(s, *give, "reject") == [out, f"{pairs} and leave the game", *end, "Round 1 is over", odd]
    gained = ["Ada now has sieve 1", "Ada's cards count 4 points more"]
    end[:2] = ["Ada: 4 × sieve, even", "Ada scores 4 points in this round"]
    assert told(s, *give, "accept") == [*gained, f"{pairs} and leave the game", *end, "Round 1 is over", odd]
    s.top[0], s.held[0] = NAMES.index("plus"), cards("minus")
    assert "A +1 and a −1 of Ada cancel each other and leave the game" in told(s, *give, "accept")
    assert not any("cancel" in line for line in told(s, *give, "reject"))


def test_events_tell_who_wins() -> None:
    s = taking(1, 3, 0, 0, 0, 0, round=1, points="8,6,7")
    s.cancelled = GONE
    s.held[0] = cards("plus+minus")
    over = told(s, "take sieve whiskey", "give second 2")
    assert "A +1 and a −1 of Ada cancel each other" in over  # there is no game to leave any more
    assert over[-9:-3] == [
        "Bo: 1 × sieve, odd",
        "A round never counts less than 0 for Bo",
        "Bo scores 0 points in this round",
        "Cleo: 2 × whiskey, even",
        "Cleo: 1 × knife, odd",
        "Cleo scores 1 point in this round",
    ]
    assert over[-3] == "Round 2 is over"
    assert over[-2:] == [f"{name} shares the win with 8 points: nothing breaks a tie" for name in ("Ada", "Cleo")]
    s.points[0] = 9
    assert told(s, "take sieve whiskey", "give second 2")[-1] == "Ada wins with 9 points"


@pytest.mark.parametrize("options", [{}, {"piles": "any", "doubles": "either", "cancelled": "gone"}])
def test_events_add_up_to_the_score_after_every_action(options: dict[str, str]) -> None:
    found = set()
    for seats in claimpoker.SEATS:
        points, opening = [0] * seats, engine.start(claimpoker, seats, **options)
        for s, a, t in contract.random_game(claimpoker, opening, new_rng(seats)):
            for event in text.tell(claimpoker, s, a).events:
                found.add(event.kind)
                if "points" in event.args:
                    points[int(event.args["seat"])] += int(event.args["points"])
            assert points == engine.points(claimpoker, t)
    assert found >= {"given", "kept", "more", "less", "empty", "round", "scored", "next"}


@pytest.mark.parametrize("options", [{}, {"scoring": "text"}, {"piles": "any", "cancelled": "gone"}])
def test_what_the_kinds_are_worth_adds_up_to_what_a_round_counts(options: dict[str, str]) -> None:
    found = set()
    for seed in range(12):
        seats = claimpoker.SEATS[seed % 3]
        for s, a, t in contract.random_game(claimpoker, engine.start(claimpoker, seats, **options), new_rng(seed)):
            line = text.tell(claimpoker, s, a)
            found |= {event.kind for event in line.events}
            worth = [0] * seats
            for event in line.events:
                worth[int(event.args.get("seat", 0))] += int(event.args.get("worth", 0))
            if t.round > s.round or t.turn == OVER:
                assert worth == [t.points[x] - s.points[x] for x in range(seats)]
            else:
                assert not any("worth" in event.args for event in line.events)
    assert found >= {"counted", "adjusted", "below"}


def test_events_tell_where_prospectors_go_and_that_nobody_falls_below_nothing() -> None:
    s = taking(1, 3, 0, 0, 0, 0, round=1)
    s.held[0], s.held[2] = cards("knife3+knife2"), cards("pickaxe3+plus")
    over = told(s, "take sieve whiskey", "give first 2", "reject")
    assert "Cleo: 4 × pickaxe, even (prospectors +1)" in over
    assert "A round never counts less than 0 for Ada" in over


def test_the_board_is_told_what_to_ask_for() -> None:
    s = taking(1, 3, 0, 0, 0, 0)
    assert claimpoker.drawn(s)["asks"] == {"what": "nothing"}
    s.round = 1
    assert claimpoker.drawn(s)["asks"] == {"what": "minus"}
    for held, what, n in (("sieve1", "more", "2"), ("sieve2", "less", "2"), ("knife1", "same", "0")):
        s.held[0] = cards(held)
        t = play(claimpoker, s, "take sieve whiskey", "give first 0")
        assert claimpoker.drawn(t)["asks"] == {"what": what, "card": "sieve1", "n": n}, held


def test_a_deck_is_a_pile_with_its_share_of_the_ten() -> None:
    s = engine.start(claimpoker, 3)
    ten = (6, 0), (6, 6)
    assert [NAMES[thing] if isinstance(thing, int) else thing for thing in rules.deck(s, 0)] == [
        *("sieve1", "sieve1", "sieve2", "sieve2", "sieve3", "sieve3", "sieve-rifle"),
        *ten,
    ]
    assert [thing for pile in range(6) for thing in rules.deck(s, pile) if isinstance(thing, tuple)] == [
        *ten, (6, 1), (6, 7), (6, 2), (6, 8), (6, 3), (6, 9), (6, 4), (6, 5)
    ]  # fmt: skip
    assert Counter(rules.deck(s, 6)) == Counter(LOOK[card] for card in range(52) if TEN >> card & 1)
    s = play(claimpoker, taking(1, 3, 0, 0, 0, 0), "take sieve whiskey", "give second 2")
    assert rules.source(s) == (claimpoker.DECKS, 8, 0) and (claimpoker.DECKS + 6, 6) in rules.deck(s, s.round * 13)
    assert rules.source(play(claimpoker, s, "turn sieve1", "take sieve whiskey")) == (claimpoker.DECKS + 1, 8, 0)


def test_each_double_is_thrown_for_by_itself() -> None:
    s = engine.start(claimpoker, 3, doubles="either")
    for number in range(6):
        source = rules.source(s)
        assert tuple(source) == (7 + number, 0, claimpoker.PLACE)
        assert rules.deck(s, source.deck) == [a - source.first for a in engine.legal(claimpoker, s)]
        s = engine.after(claimpoker, s, engine.legal(claimpoker, s)[0])


def found_in_piles(options: dict[str, Any], number: int) -> dict[tuple[int, int], list[str]]:
    """One deal, played in one of many ways: what was found in each pile of each round, from the top on."""
    table, rng = Table(claimpoker, seed=2026, **options), new_rng(number)
    while not table.is_over:
        legal = table.legal()
        table.act(legal[below(rng, len(legal))])
    found: dict[tuple[int, int], list[str]] = defaultdict(list)
    for s, a in zip(table.positions, table.log, strict=False):
        if s.turn == CHANCE and not s.unplaced:
            found[s.round, claimpoker.due_pile(s)].append(claimpoker.OUTCOMES.name(a))
    return found


@pytest.mark.parametrize("options", [{}, {"piles": "any", "doubles": "either"}])
def test_every_pile_is_the_same_whoever_takes_from_it_and_when(options: dict[str, Any]) -> None:
    first = found_in_piles(options, 0)
    for number in range(1, 5):
        for key, other in found_in_piles(options, number).items():
            n = min(len(other), len(first[key]))
            assert n > 3 and other[:n] == first[key][:n]
    for seed in range(3):
        assert len({tuple(found_in_piles(options, seed)[round_, pile]) for round_ in (0, 1) for pile in range(6)}) == 12


def test_an_ending_counts_the_cards_that_can_still_be_taken() -> None:
    """Of two piles with 1 and 9 cards, one turn takes two; with `piles=any` all ten may be taken."""
    s = taking(1, 9, 0, 0, 0, 0, round=1)
    s.seats = 4
    assert ending.solve(any_two(s)) is None and sum(s.left) > ending.FROM[4]
