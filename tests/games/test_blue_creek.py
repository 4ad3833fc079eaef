"""Gold Rush at Blue Creek clause by clause: test_3_4_… is for BC-3.4, test_worked_1 for its sheet's first position."""

from collections import Counter
from functools import partial
from itertools import islice, permutations, product

import pytest
from support.play import names, play, position, why

from motherlode import bots, contract, engine, text
from motherlode.bots import hint, search
from motherlode.game import CHANCE, HIDDEN, OVER, UNSEEN, Bits, Record, Rng, adopt, below, count, new_rng, rule
from motherlode.games.blue_creek import rules, showing
from motherlode.games.blue_creek.rules import (
    BOTTLES,
    CHOOSE,
    EMPTY,
    EQUIPMENT,
    GIVING,
    GOLD,
    NEEDED,
    NONE,
    PLACING,
    RIVER,
    ROBBING,
    SEARCH,
    SWAPPING,
    TOOLS,
    WHISKEY,
    WORTH,
    owned,
    unseen_empties,
)
from motherlode.shuffles import Shuffles, seeded
from motherlode.table import Ask

blue_creek = adopt(rules, "blue_creek", showing)

# Three players before the first turn. Slots: sieve whiskey | whiskey pickaxe | shovel whiskey | whiskey knife (aside).
DEALT = {
    "turn": "0",
    "seats": "3",
    "phase": "choose",
    "pile": "36",
    "river": "-,-,-,-,-,-,-,-,-,-",
    "concealed": "0+1+2+3+4+5+6+7+8+9",
    "unseen": "+".join(GOLD),
    "card": "sieve,whiskey,whiskey,pickaxe,shovel,whiskey,whiskey,knife",
    "came": "0,1,2,3,4,5,6,7",
    "seen": "0+1,2+3,4+5,.",
    "first": "0+1+2+3+4+5",
    "robbed": "-,-,-",
}
OLD = {"empties": "marked", "placing": "chance"}  # as games of version 1 were played
ALL_EMPTY = {"river": "empty," * 9 + "empty", "concealed": "."}
ALL_REVEALED = {"revealed": "0+1+2+3+4+5+6+7"}


def at(*actions: str, **changes: str) -> Record:
    """The position after these actions from the one above, changed so."""
    line = "blue_creek " + " ".join(f"{key}={value}" for key, value in (DEALT | changes).items())
    return play(blue_creek, position(line)[1], *actions)


def owning(*hands: str, pile: int, **changes: str) -> Record:
    """Before a turn of seat 0, when the players own these cards (`rest`: all others), and all is revealed."""
    given = [card for hand in hands for card in hand.split()]
    rest = [card for card in GOLD if card not in given]
    sets = ["+".join(rest if hand == "rest" else hand.split()) or "." for hand in hands]
    sets += ["."] * (4 - len(sets))
    mine = [len(word.split("+")) if word != "." else 0 for word in sets]
    unseen = "." if "rest" in hands else "+".join(rest)
    fields = {
        "seats": str(len(hands)),
        "pile": str(pile),
        "gone": str(46 - 10 - pile - sum(mine)),
        "won": ",".join(sets),
        "held": ",".join(map(str, mine)),
        "unseen": unseen,
    }
    return at(**fields | ALL_REVEALED | changes)


def after(s: Record, *actions: str) -> Record:
    return play(blue_creek, s, *actions)


def offered(s: Record) -> list[str]:
    return names(blue_creek, s)


def kinds(s: Record) -> set[str]:
    return {name.split()[0] for name in offered(s)}


def slots(mask: int) -> list[int]:
    return [slot for slot in range(16) if mask >> slot & 1]


def gold_of(s: Record, seat: int) -> list[str]:
    return [GOLD[card] for card in slots(owned(s, seat))]


def equipment(s: Record) -> str:
    return " ".join(EQUIPMENT[card] if card >= 0 else "?" for card in s.card)


def see(s: Record, seat: int, *, sight: bool = False) -> Record:
    return engine.view(blue_creek, s, seat, sight=sight)


def test_1_1_four_prospectors_and_those_who_stand_aside_never_act() -> None:
    for s, _, _ in contract.random_game(blue_creek, engine.start(blue_creek, 2), new_rng(0)):
        assert s.turn < 2
        if s.phase == SEARCH and s.up == s.poured == 0:
            assert len(offered(s)) == 8


def test_1_2_eight_equipment_cards() -> None:
    s = play(blue_creek, engine.start(blue_creek, 2, **OLD), *(f"deal {tool} left" for tool in TOOLS))
    assert sorted(equipment(s).split()) == sorted([*TOOLS, *["whiskey"] * 4])


def test_1_3_forty_six_river_cards() -> None:
    s = at("turn 0")
    odds = {text.name(blue_creek, s, a): blue_creek.odds(s, a) for a in engine.legal(blue_creek, s)}
    assert odds == {"river empty": 30} | {f"river {card}": 1 for card in GOLD}
    assert sum(odds.values()) == 46 and sum(map(bool, NEEDED)) == 12 and sum(map(bool, BOTTLES)) == 4


def test_1_4_nugget_cards() -> None:
    nuggets = [card for card in range(16) if NEEDED[card]]
    assert len({NEEDED[card] for card in nuggets}) == 12
    assert all(WORTH[card] == count(NEEDED[card]) for card in nuggets) and sum(WORTH[card] for card in nuggets) == 24
    assert [sum(NEEDED[card] >> tool & 1 for card in nuggets) for tool in range(4)] == [6] * 4
    assert {"sieve-pickaxe", "pickaxe-shovel", "shovel-knife", "sieve-knife"} <= set(GOLD)


def test_1_5_tooth_cards() -> None:
    assert [BOTTLES[card] for card in range(16) if BOTTLES[card]] == [1, 2, 2, 3]
    assert all(WORTH[card] == BOTTLES[card] for card in range(16) if BOTTLES[card]) and sum(WORTH) == 32


def test_2_1_a_tool_and_a_whiskey_each_seen_by_their_player_alone() -> None:
    s = engine.start(blue_creek, 2, placing="chance")
    assert offered(s) == [f"deal {tool} {side}" for tool in TOOLS for side in ("left", "right")]
    assert [blue_creek.told(s, 0, seat) for seat in (-1, 0, 1)] == [HIDDEN, 0, HIDDEN]
    s = after(s, "deal knife right")
    assert "deal knife left" not in offered(s) and blue_creek.told(s, 0, 1) == 0
    s = after(s, "deal sieve left", "deal shovel left")
    assert [blue_creek.told(s, 2, seat) for seat in (-1, 0, 1)] == [HIDDEN] * 3
    s = after(s, "deal pickaxe right")
    assert equipment(s) == "whiskey knife sieve whiskey shovel whiskey whiskey pickaxe"
    assert equipment(see(s, 0)) == "whiskey knife ? ? ? ? ? ?"
    assert equipment(see(s, 1)) == "? ? sieve whiskey ? ? ? ?"
    assert equipment(see(s, -1)) == NOTHING
    assert (s.turn, s.phase) == (0, CHOOSE)


def placing(seats: int = 3) -> Record:
    """The tools are dealt, and seat 0 is to place its own."""
    s = play(blue_creek, engine.start(blue_creek, seats), *(f"tool {tool}" for tool in TOOLS[:seats]))
    return play(blue_creek, s, *(f"deal {tool} right" for tool in TOOLS[seats:]))


def test_2_1_players_place_their_two_cards_in_secret_and_chance_those_aside() -> None:
    s = engine.start(blue_creek, 3)
    assert offered(s) == [f"tool {tool}" for tool in TOOLS]
    assert [text.tell(blue_creek, s, text.read_action(blue_creek, s, "tool knife"), seat).words for seat in (0, 1)] == [
        "tool knife",
        "tool ?",
    ]
    s = after(s, "tool sieve", "tool pickaxe", "tool shovel")
    assert offered(s) == ["deal knife left", "deal knife right"]
    s = after(s, "deal knife right")
    for seat in range(3):
        assert (s.phase, s.turn, offered(s)) == (PLACING, seat, ["place left", "place right"])
        assert why(blue_creek, s, "turn 0") == "BC-2.1"
        for a in engine.legal(blue_creek, s):
            assert [blue_creek.told(s, a, x) == a for x in range(-1, 3)] == [x == seat for x in range(-1, 3)]
        others = [bytes(see(after(s, f"place {side}"), 3 - seat if seat else 1)) for side in ("left", "right")]
        assert others[0] == others[1]
        s = after(s, "place right" if seat == 1 else "place left")
    assert equipment(s) == "sieve whiskey whiskey pickaxe shovel whiskey whiskey knife"
    assert [equipment(see(s, seat)) for seat in (-1, 1)] == [NOTHING, "? ? whiskey pickaxe ? ? ? ?"]
    assert sight(s, 2) == "? ? ? ? shovel whiskey ? ?"
    assert (s.turn, s.phase) == (0, CHOOSE) and why(blue_creek, s, "place left") == "BC-2.1"


def test_2_1_all_may_place_at_the_same_time() -> None:
    s = placing()
    right = text.read_action(blue_creek, s, "place right")
    assert blue_creek.decides_early is not None
    assert [blue_creek.decides_early(s, seat, []) is None for seat in range(3)] == [True, False, False]
    early, before = blue_creek.decides_early(s, 2, []) or (s, 0)
    assert (early.turn, before, offered(early)) == (2, 2, ["place left", "place right"])
    decided, _ = blue_creek.decides_early(s, 2, [right]) or (s, 0)
    assert decided.turn == 0 and equipment(see(decided, 2)) == "? ? ? ? whiskey shovel ? ?"
    assert bytes(see(decided, 1)) == bytes(see(s, 1)) and equipment(s).split()[4] == "shovel"
    assert blue_creek.decides_early(after(s, "place left"), 1, []) is None
    assert blue_creek.decides_early(at(), 2, []) is None


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_2_1_no_side_is_likelier_than_the_other(seats: int) -> None:
    opening = engine.start(blue_creek, seats)
    log = [a for _, a, _ in contract.random_game(blue_creek, opening, new_rng(seats))][: 4 + seats]
    for actions in (3, 5, 4 + seats):
        assert all(contract.check_guess(blue_creek, opening, log[:actions], seat) > 1 for seat in range(-1, seats))
    assert contract.check_guess(blue_creek, opening, log, 0) == 48


def test_2_2_ten_concealed_river_cards_and_a_pile_of_36() -> None:
    s = engine.start(blue_creek, 3)
    assert list(s.river) == [UNSEEN] * 10 and s.pile == 36
    assert offered(at()) == [f"turn {place}" for place in range(10)] + ["doubt"]


def test_3_1_gold_is_searched_for_at_once() -> None:
    s = at("turn 3", "river sieve")
    assert s.turn == 0 and kinds(s) == {"reveal"} and why(blue_creek, s, "turn 4") == "BC-4.1"
    s = after(s, "reveal 1")
    assert "turn 3" not in offered(s) and why(blue_creek, s, "turn 3") == "BC-3.1"


def test_3_1_a_turned_empty_card_may_be_turned_again_and_the_turn_ends() -> None:
    s = at("turn 3", "river empty")
    assert (s.turn, s.river[3], s.stale) == (1, EMPTY, 0)
    assert offered(s) == [f"turn {place}" for place in range(10)] + ["doubt"]
    again = after(s, "turn 3")
    assert (again.turn, again.phase, again.stale, again.concealed) == (2, CHOOSE, 1, s.concealed)
    for seat in (-1, 0, 1, 2):
        assert list(see(again, seat).shown)[:3] == [8 + 3, EMPTY, 127]
        assert text.tell(blue_creek, s, text.read_action(blue_creek, s, "turn 3"), seat).words == "turn 3 (empty)"
    assert after(again, "turn 4", "river empty").stale == 0
    assert list(after(again, "turn 4").shown)[:3] == [0, 0, 0]


def test_3_1_marked_a_turned_empty_card_cannot_be_turned_again() -> None:
    s = at("turn 3", "river empty", empties="marked")
    assert (s.turn, s.river[3]) == (1, EMPTY)
    assert offered(s) == [f"turn {place}" for place in range(10) if place != 3] + ["doubt"]
    assert why(blue_creek, s, "turn 3") == "BC-3.1"
    assert see(s, 0, sight=True).river[3] == EMPTY


def test_3_1_a_place_without_a_card_cannot_be_turned() -> None:
    s = owning("tooth", "sieve", "", pile=0, river="-,empty," + "none," * 7 + "none", concealed="0", gone="29")
    assert offered(s) == ["turn 0", "turn 1", "doubt"] and why(blue_creek, s, "turn 2") == "BC-3.1"


def test_3_1_the_useful_turns_are_of_cards_not_known_to_be_empty() -> None:
    def useful(s: Record, *, sight: bool = False) -> list[str]:
        return [text.name(blue_creek, s, a) for a in engine.useful(blue_creek, see(s, s.turn, sight=sight))]

    s = at("turn 3", "river empty", "turn 5", "river sieve", "reveal 1")
    assert useful(s) == [f"turn {place}" for place in (0, 1, 2, 4, 6, 7, 8, 9)] + ["try 5"]
    assert useful(s, sight=True) == offered(s)
    assert useful(at(**ALL_EMPTY)) == ["doubt"] and len(offered(at(**ALL_EMPTY))) == 11
    assert useful(at("turn 3", "river sieve")) == [f"reveal {slot}" for slot in range(8)]


def test_3_2_open_gold_can_be_tried() -> None:
    s = at("turn 3", "river knife", "reveal 1")
    assert s.turn == 1 and "try 3" in offered(s) and why(blue_creek, s, "try 4") == "BC-3.2"
    assert kinds(after(s, "try 3")) == {"reveal"} and after(s, "try 3").turn == 1


def test_3_3_doubt_only_while_no_gold_lies_open() -> None:
    assert "doubt" in offered(at()) and "doubt" in offered(at("turn 3", "river empty"))
    s = at("turn 3", "river knife", "reveal 1")
    assert "doubt" not in offered(s) and why(blue_creek, s, "doubt") == "BC-3.3"


def test_3_4_one_gold_card_a_turn() -> None:
    s = at("turn 3", "river knife", "reveal 1", "try 3", "reveal 7")
    assert s.turn == 2 and s.phase == CHOOSE and gold_of(s, 1) == ["knife"]


def test_4_1_any_concealed_card_may_be_revealed_and_nobody_stops() -> None:
    s = at("turn 0", "river sieve-pickaxe-shovel")
    assert offered(s) == [f"reveal {slot}" for slot in range(8)]  # the own and those aside included
    assert why(blue_creek, s, "stop") == "BC-4.1"
    s = after(s, "reveal 4")
    assert s.turn == 0 and offered(s) == [f"reveal {slot}" for slot in range(8) if slot != 4]
    assert why(blue_creek, s, "reveal 4") == "BC-4.1"
    assert list(s.shown)[:3] == [4, TOOLS.index("shovel"), 127]
    assert why(blue_creek, at(), "reveal 4") == "BC-4.1"


@pytest.mark.parametrize("wrong", ["reveal 1", "reveal 7"])
def test_4_2_all_tools_of_a_nugget_card_win_it_and_anything_else_fails(wrong: str) -> None:
    s = at("turn 0", "river sieve-pickaxe", "reveal 3", "reveal 0")
    assert (s.turn, gold_of(s, 0)) == (1, ["sieve-pickaxe"])
    s = at("turn 0", "river sieve-pickaxe", "reveal 3", wrong)
    assert s.phase != SEARCH and gold_of(s, 0) == [] and GOLD[s.river[0]] == "sieve-pickaxe"


def test_4_3_an_open_tool_counts_as_found() -> None:
    s = at("turn 0", "river sieve-pickaxe", "reveal 3", "reveal 1")  # the pickaxe lies open
    won = after(s, "turn 1", "river pickaxe")
    assert (won.turn, gold_of(won, 1), won.shown[2]) == (2, ["pickaxe"], 0)
    s = after(s, "turn 1", "river sieve", "reveal 1", "turn 2", "river pickaxe-shovel", "reveal 4")
    assert (s.turn, gold_of(s, 2)) == (0, ["pickaxe-shovel"])


def test_4_3_a_try_for_which_all_lies_open_wins_at_once() -> None:
    s = at("turn 0", "river sieve-pickaxe", "reveal 1", "turn 1", "river sieve-pickaxe-shovel", "reveal 0", "reveal 3")
    s = after(s, "reveal 1", "try 0")
    assert (s.turn, gold_of(s, 2)) == (0, ["sieve-pickaxe"])


def test_4_4_teeth_take_as_many_whiskeys_as_bottles() -> None:
    s = at("turn 0", "river teeth-3", "reveal 1", "reveal 2")
    assert (s.turn, s.phase, count(s.poured)) == (0, SEARCH, 2)
    assert gold_of(after(s, "reveal 5"), 0) == ["teeth-3"]
    assert after(s, "reveal 4").phase == SWAPPING
    assert gold_of(at("turn 0", "river tooth", "reveal 6"), 0) == ["tooth"]


def test_4_4_open_tools_do_not_help_with_teeth() -> None:
    s = at("turn 0", "river tooth", "reveal 0", "stop", "try 0")
    assert s.phase == SEARCH and gold_of(after(s, "reveal 1"), 1) == ["tooth"]


def test_4_5_a_won_card_is_replaced_and_its_tools_turned_face_down() -> None:
    s = at("turn 0", "river sieve-knife", "reveal 0", "reveal 3", "stop", "stop")  # sieve and pickaxe
    assert s.turn == 1 and slots(s.up) == [0, 3]
    s = after(s, "try 0", "reveal 7")
    assert slots(s.up) == [3]  # the pickaxe was not on it
    assert (s.pile, s.river[0], s.turn, s.held[1]) == (35, UNSEEN, 2, 1) and "turn 0" in offered(s)


def test_4_5_without_a_pile_the_place_stays_bare() -> None:
    s = owning("tooth teeth-2a teeth-2b", "teeth-3 shovel knife", "", pile=0)
    s = after(s, "turn 4", "river sieve", "reveal 0")
    assert s.river[4] == NONE and "turn 4" not in offered(s) and why(blue_creek, s, "turn 4") == "BC-3.1"


def test_4_5_whiskeys_go_down_too() -> None:
    assert at("turn 0", "river teeth-2a", "reveal 1", "reveal 2").poured == 0


def test_4_5_option_stay_leaves_the_tools_open() -> None:
    s = at("turn 0", "river sieve-knife", "reveal 0", "reveal 7", tools="stay")
    assert slots(s.up) == [0, 7] and s.held[0] == 1
    s = after(s, "turn 0", "river sieve")
    assert gold_of(s, 1) == ["sieve"] and slots(s.up) == [0, 7]
    assert after(s, "turn 0", "river tooth", "reveal 1").poured == 0


def test_4_6_after_a_failed_search_gold_and_tools_stay_open() -> None:
    s = at("turn 0", "river teeth-2a", "reveal 1", "reveal 0")
    assert (s.poured, slots(s.up), slots(s.open), s.pile) == (0, [0], [0], 36)
    s = at("turn 0", "river sieve-knife", "reveal 0", "reveal 1")
    assert (s.poured, slots(s.up), s.turn) == (0, [0], 1)


def test_5_1_a_swapping_round_follows_a_tool_but_no_whiskey() -> None:
    assert at("turn 0", "river knife", "reveal 0").phase == SWAPPING
    s = at("turn 0", "river sieve-knife", "reveal 0", "reveal 1")
    assert (s.phase, s.turn) == (CHOOSE, 1) and why(blue_creek, s, "stop") == "BC-5.1"
    assert why(blue_creek, s, "swap left 3") == "BC-5.1"


def test_5_2_the_owner_begins_and_it_goes_round_once() -> None:
    s = at("turn 0", "river sieve-pickaxe-shovel", "reveal 0", "reveal 3", "reveal 7")  # the knife stands aside
    assert (s.phase, s.turn, s.rest) == (SWAPPING, 0, 3)
    s = after(s, "stop")
    assert (s.phase, s.turn) == (SWAPPING, 1)
    assert (after(s, "stop").phase, after(s, "stop").turn) == (CHOOSE, 1)  # seat 2 has nothing to give
    s = after(at("turn 0", "river sieve-pickaxe", "reveal 0", "reveal 4"), "stop")
    assert (s.phase, s.turn) == (SWAPPING, 0)  # from seat 2 on to seat 0
    assert after(s, "stop").turn == 1


def test_5_2_a_tool_that_stands_aside_makes_the_mover_begin() -> None:
    s = at("turn 0", "river sieve", "reveal 7")
    assert (s.phase, s.turn) == (CHOOSE, 1)  # nobody has an open tool
    s = at("turn 0", "river sieve-pickaxe-shovel", "reveal 0", "reveal 3", "reveal 7", turn="1", mover="1")
    assert (s.phase, s.turn) == (SWAPPING, 1)
    s = after(s, "stop")
    assert (s.phase, s.turn) == (SWAPPING, 0) and after(s, "stop").turn == 2


def test_5_3_an_open_tool_is_given_for_a_concealed_card() -> None:
    s = at("turn 0", "river sieve-pickaxe", "reveal 0", "reveal 4")
    assert s.turn == 2 and offered(s) == [f"swap left {slot}" for slot in (1, 2, 3, 6, 7)] + ["stop"]
    assert why(blue_creek, s, "swap left 0") == "BC-5.3"  # open
    assert why(blue_creek, s, "swap left 5") == "BC-5.3"  # the own
    assert why(blue_creek, s, "swap right 1") == "BC-5.3"  # nothing open there
    s = after(s, "swap left 7")
    assert equipment(s) == "sieve whiskey whiskey pickaxe knife whiskey whiskey shovel"
    assert slots(s.up) == [0] and s.turn == 0
    assert list(see(s, 2).shown)[:3] == [4, TOOLS.index("knife"), 4]
    assert list(see(s, 0).shown)[:3] == [0, 0, 0]
    assert "swap left 4" in offered(s)  # it lies face down again


def test_5_3_several_swaps_are_possible() -> None:
    s = at(
        *("turn 0", "river sieve-pickaxe-shovel", "reveal 0", "reveal 4", "reveal 7"),
        card="sieve,knife,whiskey,whiskey,shovel,whiskey,whiskey,pickaxe",
        came="0,7,2,3,4,5,6,1",
    )
    assert gold_of(s, 0) == ["sieve-pickaxe-shovel"]
    s = at("turn 0", "river sieve", "reveal 1", card="sieve,knife,whiskey,whiskey,shovel,whiskey,whiskey,pickaxe")
    s = after(s, "stop", "turn 1", "river teeth-3", "reveal 0")
    assert s.turn == 0 and slots(s.up) == [0, 1]
    s = after(s, "swap right 2")
    assert (s.phase, s.turn) == (SWAPPING, 0) and "swap right 3" not in offered(s)
    s = after(s, "swap left 2")  # the same slot again
    assert (s.phase, s.turn) == (CHOOSE, 2) and equipment(s).startswith("knife whiskey sieve ")


def test_5_4_everybody_sees_the_slots_and_the_receiver_alone_the_card() -> None:
    s = at("turn 0", "river pickaxe", "reveal 0", "swap left 2")
    assert [list(see(s, seat).came) for seat in (-1, 0, 1, 2)] == [[2, 1, 0, 3, 4, 5, 6, 7]] * 4
    assert equipment(see(s, 0)) == "whiskey whiskey sieve ? ? ? ? ?"
    assert equipment(see(s, 1)) == "whiskey ? sieve pickaxe ? ? ? ?"  # it was seat 1's own
    assert equipment(see(s, 2)) == "? ? sieve ? shovel whiskey ? ?"
    assert equipment(see(s, -1)) == "? ? sieve ? ? ? ? ?"
    assert all(blue_creek.told(s, a, seat) == a for a in engine.legal(blue_creek, s) for seat in (-1, 0, 1, 2))


def test_6_1_a_right_doubt_robs_an_opponent_who_owns_gold() -> None:
    s = after(owning("tooth", "sieve knife", "", pile=26, **ALL_EMPTY), "doubt")
    assert (s.phase, s.turn, offered(s)) == (ROBBING, 0, ["rob 1"])
    assert why(blue_creek, s, "rob 2") == why(blue_creek, s, "rob 0") == why(blue_creek, s, "doubt") == "BC-6.1"
    s = after(s, "rob 1")
    assert s.turn == CHANCE and offered(s) == ["robbed sieve", "robbed knife"]
    assert [blue_creek.told(s, 30, seat) for seat in (-1, 0, 1, 2)] == [HIDDEN, 30, 30, HIDDEN]
    s = after(s, "robbed knife")
    assert gold_of(s, 0) == ["knife", "tooth"] and gold_of(s, 1) == ["sieve"] and list(s.held) == [2, 1, 0, 0]
    assert [see(s, seat).robbed[0] for seat in (-1, 0, 1, 2)] == [HIDDEN, 3, 3, HIDDEN]


def test_6_1_what_was_robbed_can_be_robbed_again() -> None:
    s = after(owning("", "sieve", "", pile=26, **ALL_EMPTY), "doubt", "rob 1", "robbed sieve", "doubt")
    s = after(s, *["river empty"] * 10)
    assert offered(s) == ["rob 0"]
    s = after(s, "rob 0", "robbed sieve")
    assert [gold_of(s, seat) for seat in range(3)] == [[], ["sieve"], []] and s.robberies == 2


def test_6_1_concealed_cards_are_uncovered_in_place_order() -> None:
    s = at("turn 3", "river empty", "doubt")
    for place in (0, 1, 2, 4):
        assert s.turn == CHANCE and s.river[place] == UNSEEN
        s = after(s, "river empty")
        assert s.river[place] == EMPTY


def test_6_1_a_wrong_doubt_deals_the_gold_to_the_others() -> None:
    s = at("turn 9", "river empty", "doubt", "river knife", *["river empty"] * 3, "river tooth", *["river empty"] * 4)
    assert [gold_of(s, seat) for seat in range(3)] == [["tooth"], [], ["knife"]] and s.turn == 2
    s = at("doubt", *(f"river {card}" for card in GOLD[:10]), seats="2", seen="0+1,2+3,.,.", first="0+1+2+3")
    assert gold_of(s, 1) == list(GOLD[:10]) and gold_of(s, 0) == []


def giving(*actions: str, **changes: str) -> Record:
    """Seat 0 of three has doubted, and there is a knife at place 0, a sieve at 2 and a shovel at 3."""
    cards = ["knife", "empty", "sieve", "shovel", *["empty"] * 6]
    return at("doubt", *(f"river {card}" for card in cards), *actions, dealing="chosen", **changes)


def test_6_1_the_doubter_may_name_the_place_whose_card_goes_next() -> None:
    s = giving()
    assert (s.phase, s.turn, offered(s)) == (GIVING, 0, ["give 0", "give 2", "give 3"])
    assert why(blue_creek, s, "give 1") == why(blue_creek, s, "turn 1") == "BC-6.1"
    s = after(s, "give 3")
    assert (s.turn, offered(s), gold_of(s, 1)) == (0, ["give 0", "give 2"], ["shovel"])
    s = after(s, "give 2")  # and seat 1 gets the last one
    assert [gold_of(s, seat) for seat in range(3)] == [[], ["shovel", "knife"], ["sieve"]]
    assert (s.turn, s.phase, s.pile, s.gone) == (1, CHOOSE, 26, 7)
    assert why(blue_creek, s, "give 1") == "BC-6.1"


def test_6_1_the_doubter_is_skipped() -> None:
    s = giving(turn="1", mover="1")
    assert s.sought == 2 and after(s, "give 0").sought == 0
    s = after(s, "give 0", "give 2")
    assert [gold_of(s, seat) for seat in range(3)] == [["sieve"], [], ["shovel", "knife"]]


def test_6_1_with_one_opponent_or_one_card_nobody_is_asked() -> None:
    s = giving(seats="2", seen="0+1,2+3,.,.", first="0+1+2+3")
    assert s.phase == CHOOSE and gold_of(s, 1) == ["sieve", "shovel", "knife"]
    s = at("doubt", "river knife", *["river empty"] * 9, dealing="chosen")
    assert s.phase == CHOOSE and gold_of(s, 1) == ["knife"]


def test_6_2_the_river_is_renewed() -> None:
    s = at("doubt", "river knife", *["river empty"] * 9)
    assert (s.pile, s.gone, list(s.river), s.turn) == (26, 9, [UNSEEN] * 10, 1)
    s = after(owning("tooth", "sieve", "", pile=4, **ALL_EMPTY), "doubt", "rob 1", "robbed sieve")
    assert (s.pile, list(s.river)) == (0, [UNSEEN] * 4 + [NONE] * 6)
    assert offered(s) == [f"turn {place}" for place in range(4)] + ["doubt"]


def test_7_1_it_ends_when_all_gold_is_owned() -> None:
    s = owning("tooth", "teeth-3", "rest", pile=20, unseen="sieve")
    s.won[2] &= ~1
    s.held[2] -= 1
    won = after(s, "turn 0", "river sieve", "reveal 0")
    assert won.turn == OVER and engine.legal(blue_creek, won) == [] and blue_creek.why(won, 0) == "BC-7.1"
    dealt = after(s, "doubt", "river empty", "river sieve", *["river empty"] * 8)
    assert dealt.turn == OVER and gold_of(dealt, 1) == ["sieve", "teeth-3"]


def test_7_2_points_are_nuggets_and_teeth_and_bottles_break_ties() -> None:
    s = owning("sieve sieve-pickaxe teeth-2a", "pickaxe-shovel teeth-3", "", pile=20)
    assert engine.points(blue_creek, s) == [5, 5, 0] and blue_creek.winners(s) == 0b010
    assert blue_creek.winners(owning("sieve teeth-2a", "teeth-3", "knife", pile=20)) == 0b010
    assert blue_creek.winners(owning("sieve teeth-2a", "knife teeth-2b", "knife", pile=20)) == 0b011
    assert blue_creek.winners(owning("sieve-pickaxe", "tooth", "", pile=20)) == 0b001


def test_7_3_a_hundred_turns_without_progress_end_it() -> None:
    s = at("turn 0", "river knife", "reveal 1")
    for turns in range(100):
        assert (s.turn, s.stale) == ((turns + 1) % 3, turns)
        s = after(s, "try 0", "reveal 1")
    assert s.turn == OVER and blue_creek.why(s, 0) == "BC-7.3" and engine.winners(blue_creek, s) == [0, 1, 2]


def test_7_3_the_last_swapping_round_is_still_held() -> None:
    s = at("turn 0", "river knife", "reveal 1", "try 0", "reveal 1")
    s.stale = 99
    s = after(s, "try 0", "reveal 0")
    assert (s.phase, s.turn) == (SWAPPING, 0) and after(s, "stop").turn == OVER


def test_7_3_a_card_turned_again_is_no_progress() -> None:
    s = at("turn 0", "river empty")
    for turns in range(100):
        assert (s.turn, s.stale) == ((turns + 1) % 3, turns)
        s = after(s, "turn 0")
    assert s.turn == OVER and blue_creek.why(s, 0) == "BC-7.3" and list(s.shown)[:3] == [8, EMPTY, 127]


@pytest.mark.parametrize("progress", [("turn 1", "river empty"), ("turn 1", "river sieve", "reveal 1")])
def test_7_3_a_turned_card_is_progress(progress: tuple[str, ...]) -> None:
    s = at("turn 0", "river knife", "reveal 1", "try 0", "reveal 1")
    s.stale = 99
    s = after(s, *progress)
    assert (s.phase, s.stale) == (CHOOSE, 0)


def test_7_3_a_card_won_and_a_doubt_are_progress() -> None:
    s = at("turn 0", "river knife", "reveal 1", "try 0", "reveal 1")
    s.stale = 99
    s = after(s, "try 0", "reveal 7")
    assert (s.phase, s.stale) == (CHOOSE, 0)
    s.stale = 99
    assert after(s, "doubt", *["river empty"] * 10).stale == 0


def test_worked_1_a_sieve() -> None:
    s = at("turn 5", "river sieve", "reveal 0")
    assert (s.pile, s.up, s.turn, engine.points(blue_creek, s)) == (35, 0, 1, [1, 0, 0])


def test_worked_2_the_next_player_needs_the_shovel_alone() -> None:
    s = at("turn 5", "river pickaxe-shovel", "reveal 3", "reveal 1")
    assert (slots(s.up), s.phase, s.turn) == ([3], CHOOSE, 1)
    s = after(s, "try 5", "reveal 4")
    assert engine.points(blue_creek, s) == [0, 2, 0]


def test_worked_3_a_wrong_tool_stays_open_and_its_owner_begins_the_round() -> None:
    s = at("turn 5", "river sieve", "reveal 3")
    assert (slots(s.up), s.phase, s.turn) == ([3], SWAPPING, 1)


def test_worked_4_two_teeth() -> None:
    s = at("turn 5", "river teeth-2a", "reveal 1", "reveal 5")
    assert engine.points(blue_creek, s) == [2, 0, 0]
    s = at("turn 5", "river teeth-2a", "reveal 1", "reveal 3", card=DEALT["card"].replace("pickaxe", "knife", 1))
    assert (s.poured, slots(s.up), s.phase, s.held[0]) == (0, [3], SWAPPING, 0)


def test_worked_5_a_right_doubt() -> None:
    s = at("doubt", *["river empty"] * 10)
    assert (s.pile, s.turn, s.robberies) == (26, 1, 0)  # nobody has any
    s = at("turn 0", "river sieve", "reveal 0", "turn 1", "river empty", turn="1", mover="1")
    assert (s.pile, s.turn, gold_of(s, 1)) == (35, 0, ["sieve"])
    s = after(s, "doubt", *["river empty"] * 9, "rob 1", "robbed sieve")
    assert (s.pile, gold_of(s, 0), gold_of(s, 1)) == (25, ["sieve"], [])
    contract.check_sums(blue_creek, s)


def test_worked_6_a_wrong_doubt() -> None:
    s = at("doubt", "river knife", "river empty", "river sieve", "river shovel", *["river empty"] * 6)
    assert [gold_of(s, seat) for seat in range(3)] == [[], ["shovel", "knife"], ["sieve"]]
    s = giving("give 2", "give 0")
    assert [gold_of(s, seat) for seat in range(3)] == [[], ["sieve", "shovel"], ["knife"]]


def test_worked_8_an_empty_card_is_turned_again() -> None:
    s = after(at("turn 3", "river empty"), "turn 3")
    assert (s.turn, s.phase, s.river[3], s.shown[2]) == (2, CHOOSE, EMPTY, 127)


def test_worked_7_all_gold_and_a_tie() -> None:
    for number in range(3):
        *_, (_, _, s) = contract.random_game(blue_creek, engine.start(blue_creek, 3, **OLD), new_rng(number))
        assert sum(engine.points(blue_creek, s)) == 32
    three = "sieve-pickaxe-shovel pickaxe-shovel-knife sieve-knife sieve teeth-3"
    two = "sieve-shovel-knife sieve-pickaxe-knife sieve-pickaxe pickaxe-shovel teeth-2a"
    s = owning(three, two, pile=20)
    assert engine.points(blue_creek, s) == [12, 12] and blue_creek.winners(s) == 0b01
    assert blue_creek.winners(owning(two, three, pile=20)) == 0b10


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("options", [{}, {"tools": "stay", "dealing": "chosen"}, OLD], ids=["", "other", "old"])
def test_sets_and_places_agree(seats: int, options: dict[str, str]) -> None:
    for number in range(3):
        for _, _, s in contract.random_game(blue_creek, engine.start(blue_creek, seats, **options), new_rng(number)):
            assert slots(s.concealed) == [place for place in range(10) if s.river[place] == UNSEEN]
            assert slots(s.open) == [place for place in range(10) if 0 <= s.river[place] < EMPTY]
            assert all(0 <= s.card[slot] < WHISKEY for slot in slots(s.up))
            assert all(s.card[slot] == WHISKEY for slot in slots(s.poured))
            assert [count(owned(s, x)) for x in range(seats)] == list(s.held)[:seats]
            assert sorted(s.came) == list(range(8)) and s.robberies <= s.gone // 10
            assert (
                s.pile == 0 or s.phase == GIVING or NONE not in list(s.river)
            )  # so a right doubt takes ten empty cards: LENGTH


# The same deal


def test_a_river_card_is_the_same_whoever_turns_it_and_whenever() -> None:
    found: dict[int, set[int]] = {}
    for number in range(6):
        chance, rng = Shuffles(blue_creek, partial(seeded, 7, 0)), new_rng(number)
        s = engine.start(blue_creek, 3)
        while s.turn != OVER and sum(s.order) < 200:
            if s.turn == CHANCE:
                a = chance.outcome(s)
                chance.fix(s, a)
                if s.phase == RIVER:
                    found.setdefault(s.order[s.sought], set()).add(a)
            else:
                options = engine.useful(blue_creek, s)
                a = options[below(rng, len(options))]
            s = engine.after(blue_creek, s, a)
    assert len(found) > 20 and all(len(cards) == 1 for cards in found.values())


def test_the_card_laid_on_an_empty_place_is_the_next_of_the_pile() -> None:
    s = engine.replay(blue_creek, placing(), [text.read_action(blue_creek, placing(), "place left")] * 3)
    assert list(s.order) == list(range(10))
    s = after(s, "turn 4", "river sieve", "reveal 0", "turn 2", "river pickaxe", "reveal 2")
    assert list(s.order) == [0, 1, 11, 3, 10, 5, 6, 7, 8, 9] and s.pile == 34
    s = after(s, "doubt", "river tooth", *["river empty"] * 9)
    assert list(s.order) == list(range(12, 22))
    assert [blue_creek.source(after(s, f"turn {place}"))[:2] for place in (0, 9)] == [(0, 12), (0, 21)]  # type: ignore[misc]


# Knowledge: guess is exact


def arrangements() -> list[list[int]]:
    """The 384 first arrangements."""
    found = []
    for tools, sides in product(permutations(range(4)), product((0, 1), repeat=4)):
        cards = [WHISKEY] * 8
        for prospector in range(4):
            cards[2 * prospector + sides[prospector]] = tools[prospector]
        found.append(cards)
    return found


def known_slots(s: Record, seat: int) -> list[int]:
    return slots(s.revealed | (s.seen[seat] if seat >= 0 else 0))


def check_equipment(s: Record, seat: int, number: int) -> int:
    """Compare guesses with all first arrangements that agree with the cards this seat has seen."""
    possible = []
    for first in arrangements():
        now = [first[s.came[slot]] for slot in range(8)]
        if all(now[slot] == s.card[slot] for slot in known_slots(s, seat)):
            possible.append(tuple(now))
    rng = new_rng(number, 9)

    def sample() -> tuple[int, ...]:
        w = see(s, seat)
        blue_creek.guess(w, seat, rng)
        return tuple(w.card)

    contract.check_sample(sample, dict.fromkeys(possible, 1.0), f"seat {seat}'s equipment", blue_creek, s)
    return len(possible)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_guess_of_the_deal_is_exact(seats: int) -> None:
    opening = engine.start(blue_creek, seats, **OLD)
    log = [a for _, a, _ in contract.random_game(blue_creek, opening, new_rng(seats))][:4]
    assert [contract.check_guess(blue_creek, opening, log, seat) for seat in range(-1, seats)] == [384] + [48] * seats
    assert [contract.check_guess(blue_creek, opening, log[:2], seat) for seat in (-1, 0, 1)] == [48, 6, 6]


@pytest.mark.parametrize(("seats", "number", "actions"), [(2, 39, 18), (3, 8, 22), (4, 24, 26)])
def test_guess_is_exact_over_all_pasts_with_swaps(seats: int, number: int, actions: int) -> None:
    opening = engine.start(blue_creek, seats, **OLD)
    log = [a for _, a, _ in contract.random_game(blue_creek, opening, new_rng(number))][:actions]
    assert sum(came != slot for slot, came in enumerate(engine.replay(blue_creek, opening, log).came)) >= 4
    assert all(contract.check_guess(blue_creek, opening, log, seat) > 1 for seat in range(-1, seats))


@pytest.mark.parametrize(("seats", "number"), [(3, 8), (3, 27), (4, 37)])
def test_guess_is_exact_over_all_pasts_of_a_game_with_robberies(seats: int, number: int) -> None:
    opening = engine.start(blue_creek, seats, **OLD)
    *log, _ = [a for _, a, _ in contract.random_game(blue_creek, opening, new_rng(number))]
    assert engine.replay(blue_creek, opening, log).robberies == 2
    assert max(contract.check_guess(blue_creek, opening, log, seat) for seat in range(seats)) > 3


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_guess_of_equipment_is_exact_through_swaps(seats: int) -> None:
    checked = 0
    for number in range(8):
        game = contract.random_game(blue_creek, engine.start(blue_creek, seats), new_rng(number))
        for n, (s, _, _) in enumerate(islice(game, 60)):
            if n % 4 == 0 and list(s.came) != list(range(8)):
                checked += sum(check_equipment(s, seat, n) > 1 for seat in range(-1, seats))
    assert checked > 10


def test_guess_follows_a_card_through_swaps() -> None:
    s = at("turn 0", "river pickaxe", "reveal 0", "swap left 6")  # seat 0's sieve for the whiskey of prospector 3
    assert check_equipment(s, 0, 1) == 6 * 4  # prospector 3's tool is in slot 7, the other two may lie either way
    assert check_equipment(s, 1, 2) == 2 * 1 * 4  # seat 0's other card is a whiskey; two tools, sides of 2 and 3
    assert check_equipment(s, -1, 3) == 6 * 8


Event = tuple[int, int, str]  # (robber, victim, card), or (winner, -1, card)

# Before: seat 0 owns sieve and tooth, 1 pickaxe, knife and teeth-3, 2 shovel and teeth-2a, 3 teeth-2b.
HANDS = ("sieve tooth", "pickaxe knife teeth-3", "shovel teeth-2a", "teeth-2b")
ROBBERIES: dict[str, list[Event]] = {
    "one": [(0, 1, "knife")],
    "back and forth": [(0, 1, "knife"), (1, 0, "knife"), (0, 1, "knife")],
    "a chain": [(0, 1, "knife"), (2, 0, "knife"), (3, 2, "knife")],
    "a chain that ends elsewhere": [(0, 1, "knife"), (2, 0, "knife"), (3, 2, "shovel")],
    "a card won between": [(0, 1, "knife"), (1, -1, "sieve-knife"), (2, 1, "sieve-knife"), (3, 0, "sieve")],
    "a known one between": [(0, 1, "knife"), (2, 0, "knife"), (1, 0, "tooth")],
    "one's own card comes back": [(1, 0, "tooth"), (2, 1, "tooth"), (0, 2, "tooth")],
    "from two sides": [(0, 1, "pickaxe"), (2, 1, "knife"), (3, 1, "teeth-3")],
}


def rob_through(events: list[Event]) -> tuple[Record, list[int]]:
    """An opening with gold in the hands above, all equipment revealed, and a log in which these events happen."""
    first = str(events[0][0])
    opening = owning(*HANDS, pile=28, turn=first, mover=first, **ALL_EMPTY)
    s, log = engine.copy(opening), []

    def do(*actions: str) -> None:
        nonlocal s
        for action in actions:
            log.append(text.read_action(blue_creek, s, action))
            s = play(blue_creek, s, action)

    for robber, victim, card in events:
        while s.mover != robber:
            do(f"turn {slots(s.concealed)[0]}", "river empty")
        if victim < 0:
            do(f"turn {slots(s.concealed)[0]}", f"river {card}", "reveal 0", "reveal 7")
        else:
            do("doubt", *["river empty"] * count(s.concealed), f"rob {victim}", f"robbed {card}")
    return opening, log


def pasts(events: list[Event], seat: int) -> set[tuple[str, ...]]:
    """What may have been robbed, each time, as far as this seat knows, by trying everything."""
    possible = set()
    for guessed in product(GOLD, repeat=sum(victim >= 0 for _, victim, _ in events)):
        hands, cards = [set(hand.split()) for hand in HANDS], list(guessed)
        for who, victim, card in events:
            if victim < 0:
                hands[who].add(card)
                continue
            robbed = cards.pop(0)
            if robbed not in hands[victim] or (seat in (who, victim) and robbed != card):
                break
            hands[victim].remove(robbed)
            hands[who].add(robbed)
        else:
            possible.add(guessed)
    return possible


@pytest.mark.parametrize("events", ROBBERIES.values(), ids=ROBBERIES)
def test_guess_of_robberies_is_exact(events: list[Event]) -> None:
    opening, log = rob_through(events)
    s = engine.replay(blue_creek, opening, log)
    for seat in range(-1, 4):
        possible = pasts(events, seat)
        assert contract.check_guess(blue_creek, opening, log, seat) == len(possible)
        rng = new_rng(seat + 1, 5)

        def sample(seat: int = seat, rng: Rng = rng) -> tuple[str, ...]:
            w = see(s, seat)
            blue_creek.guess(w, seat, rng)
            return tuple(GOLD[card] for card in w.robbed if card >= 0)

        contract.check_sample(sample, dict.fromkeys(possible, 1.0), "robberies", blue_creek, s)


def test_a_robber_learns_where_a_card_was() -> None:
    opening, log = rob_through(ROBBERIES["a chain"])
    v = see(engine.replay(blue_creek, opening, log), 3)
    assert [v.robbed[0], v.robbed[1]] == [HIDDEN, HIDDEN]
    for number in range(5):
        w = engine.copy(v)
        blue_creek.guess(w, 3, new_rng(number))
        assert [GOLD[card] for card in w.robbed] == ["knife"] * 3  # only so could it come to seat 2


def test_what_was_robbed_is_shown_when_it_is_over() -> None:
    s = owning("tooth", "sieve knife", "rest", pile=20, unseen="shovel", **ALL_EMPTY)
    s.won[2] &= ~(1 << GOLD.index("shovel"))
    s.held[2] -= 1
    s = after(s, "doubt", "rob 1", "robbed knife", "turn 0", "river shovel")
    assert list(s.shown)[3:] == [0, 0, 0] and see(s, 2).robbed[0] == HIDDEN
    s = after(s, "reveal 4")
    assert s.turn == OVER
    for seat in (-1, 0, 1, 2):
        for sight in (False, True):
            v = see(s, seat, sight=sight)
            assert GOLD[v.robbed[0]] == "knife" and v.shown[3] == GOLD.index("knife") + 1
            assert engine.points(blue_creek, v) == engine.points(blue_creek, s)


# Events


def came_of(s: Record, action: str, seat: int | None = None) -> list[str]:
    """The events of an action as a seat is told them, each in one line."""
    line = text.tell(blue_creek, s, text.read_action(blue_creek, s, action), seat)
    return [" ".join([event.kind, *event.args.values()]) for event in line.events]


def test_a_search_that_succeeds_or_fails_and_why() -> None:
    s = at("turn 0", "river sieve-pickaxe", "reveal 0")
    for seat in (None, -1, 0, 1, 2):
        assert came_of(s, "reveal 3", seat) == ["won 0 sieve-pickaxe 2"]
        assert came_of(s, "reveal 1", seat) == ["whiskey 0"]
        assert came_of(s, "reveal 4", seat) == ["wrong 0 shovel", "swapping 2"]
    assert came_of(at("turn 0", "river sieve"), "reveal 7") == ["wrong 0 knife"]  # nobody has a tool to swap
    assert came_of(at("turn 0"), "river sieve") == came_of(at(), "turn 0") == came_of(s, "reveal 3", 1)[1:] == []
    s = at("turn 0", "river sieve-pickaxe", "reveal 3", "reveal 1", "turn 1")
    assert came_of(s, "river pickaxe") == ["won 1 pickaxe 1"]  # BC-4.3
    assert came_of(at("turn 3", "river empty"), "turn 3") == []


def test_a_doubt_that_is_right_or_wrong() -> None:
    s = at("doubt", *["river empty"] * 9)
    assert came_of(s, "river empty") == ["right 0", "spared", "renewed 10"]
    assert came_of(s, "river teeth-3") == ["mistaken 0 1", "dealt 1 teeth-3 3", "renewed 10"]
    s = at("doubt", "river teeth-2a", "river sieve-knife", *["river empty"] * 7)
    assert came_of(s, "river knife") == [
        "mistaken 0 3",
        "dealt 1 teeth-2a 2",
        "dealt 2 sieve-knife 2",
        "dealt 1 knife 1",
        "renewed 10",
    ]
    s = owning("tooth", "sieve knife", "", pile=26, **ALL_EMPTY)
    assert came_of(s, "doubt") == ["right 0"]
    assert came_of(owning("tooth", "", "", pile=26, **ALL_EMPTY), "doubt") == ["right 0", "spared", "renewed 10"]


def test_gold_that_the_doubter_deals() -> None:
    s = at("doubt", "river knife", "river empty", "river sieve", *["river empty"] * 6, dealing="chosen")
    assert came_of(s, "river shovel") == ["mistaken 0 3"]
    assert came_of(giving(), "give 3", 2) == ["dealt 1 shovel 1"]
    assert came_of(giving("give 3"), "give 0", 1) == ["dealt 2 knife 1", "dealt 1 sieve 1", "renewed 10"]


def test_a_robbery_is_told_to_those_who_know_and_to_the_others_at_the_end() -> None:
    s = owning("tooth", "sieve-knife knife", "rest", pile=20, unseen="shovel", **ALL_EMPTY)
    s.won[2] &= ~(1 << GOLD.index("shovel"))
    s.held[2] -= 1
    s = after(s, "doubt", "rob 1")
    assert [came_of(s, "robbed sieve-knife", seat) for seat in (None, 0, 1)] == [
        ["gained 0 1 sieve-knife 2", "lost 1 0 sieve-knife -2", "renewed 10"]
    ] * 3
    assert [came_of(s, "robbed sieve-knife", seat) for seat in (-1, 2)] == [["renewed 10"]] * 2
    s = after(s, "robbed sieve-knife", "turn 0", "river shovel")
    told = ["won 1 shovel 1", "over"]
    assert [came_of(s, "reveal 4", seat) for seat in (None, 0, 1)] == [told] * 3
    revealed = ["revealed 0 1 sieve-knife 2", "lost 1 0 sieve-knife -2"]
    assert [came_of(s, "reveal 4", seat) for seat in (-1, 2)] == [[told[0], *revealed, told[1]]] * 2
    s.stale = 100  # a last turn that brought nothing
    assert [came_of(s, "reveal 5", seat) for seat in (-1, 2)] == [["whiskey 1", *revealed, "guard 100"]] * 2


def test_the_end_and_how_a_tie_was_broken() -> None:
    s = at("turn 0", "river empty")
    s.stale = 99
    assert came_of(s, "turn 0") == ["guard 100", "shared 0 0"]
    s = owning("sieve teeth-2a", "teeth-3", "knife", pile=20, river="empty" + ",-" * 9, concealed="1+2+3+4+5+6+7+8+9")
    s.stale = 99
    assert came_of(s, "turn 0") == ["guard 100", "bottles 1 3 3 2"]
    assert came_of(owning("tooth", "knife", "", pile=20), "doubt") == []


# Sight: what `forget` leaves


NOTHING = "? ? ? ? ? ? ? ?"


def sight(s: Record, seat: int) -> str:
    return equipment(see(s, seat, sight=True))


def test_the_first_two_cards_are_in_sight_until_the_own_first_turn() -> None:
    s = at()
    assert sight(s, 0) == "sieve whiskey ? ? ? ? ? ?"
    s = after(s, "turn 0", "river empty")
    assert sight(s, 0) == NOTHING and sight(s, 1) == "? ? whiskey pickaxe ? ? ? ?"
    s = after(s, "turn 1", "river empty")
    assert sight(s, 1) == NOTHING and sight(s, 2) == "? ? ? ? shovel whiskey ? ?"
    assert equipment(see(s, 1)) == "? ? whiskey pickaxe ? ? ? ?"  # and known for ever


def test_a_first_card_swapped_away_is_out_of_sight() -> None:
    s = at("turn 0", "river pickaxe", "reveal 0", "swap left 2")
    assert sight(s, 1) == "? ? sieve pickaxe ? ? ? ?"  # the sieve was revealed just now
    s = after(s, "turn 1", "river empty")
    assert sight(s, 1) == NOTHING


def test_what_was_revealed_or_received_is_in_sight_until_the_next_turn() -> None:
    s = at("turn 0", "river sieve-pickaxe", "reveal 0", "reveal 4", "swap left 7", "stop")
    assert (s.phase, s.turn) == (CHOOSE, 1)
    assert sight(s, 0) == "sieve ? ? ? ? ? ? shovel"
    assert sight(s, 2) == "sieve ? ? ? knife whiskey ? shovel"
    assert sight(s, -1) == sight(s, 0)
    s = after(s, "turn 1", "river empty")
    assert sight(s, 0) == sight(s, -1) == "sieve ? ? ? ? ? ? ?"  # open
    assert sight(s, 2) == "sieve ? ? ? ? whiskey ? ?"


def test_a_received_card_taken_away_again_is_out_of_sight() -> None:
    s = at("turn 0", "river pickaxe", "reveal 0", "stop", seen="0+1,2+3,0+4+5,.")  # seat 2 once saw the sieve
    s = after(s, "turn 1", "river tooth", "reveal 4", "swap left 7")
    assert sight(s, 2) == "sieve ? ? ? knife whiskey ? shovel"
    s = after(s, "swap left 4")
    assert sight(s, 2) == "? ? ? ? ? whiskey ? shovel" and sight(s, 0) == "knife ? ? ? ? ? ? shovel"


def test_a_whiskey_that_failed_a_search_is_in_sight_until_the_next_turn() -> None:
    s = at("turn 0", "river sieve", "reveal 6")
    assert sight(s, -1) == "? ? ? ? ? ? whiskey ?"
    assert sight(after(s, "try 0"), -1) == NOTHING


def test_swaps_and_others_gold_are_not_in_sight_but_how_many_cards_they_own() -> None:
    s = owning("tooth", "sieve knife", "shovel", pile=24, **ALL_EMPTY)
    s = after(s, "doubt", "rob 1", "robbed knife", "turn 0", "river pickaxe", "reveal 0", "swap left 3")
    v = see(s, 2, sight=True)
    assert gold_of(v, 2) == ["shovel"] and gold_of(v, 0) == gold_of(v, 1) == [] and list(v.held) == [2, 1, 1, 0]
    assert v.robberies == 0 and list(v.robber) == list(v.victim) == list(v.then) == [0, 0, 0]
    assert list(v.came) == [HIDDEN] * 8
    assert gold_of(see(s, 0, sight=True), 0) == ["knife", "tooth"]
    assert {"sieve", "tooth", "knife"} <= {GOLD[card] for card in slots(v.unseen)}
    assert not {"pickaxe", "shovel"} & {GOLD[card] for card in slots(v.unseen)}


def test_places_can_be_kept_one_by_one() -> None:
    s = at("turn 0", "river pickaxe", "reveal 0", "swap left 7", "turn 1", "river empty", "turn 2", "river tooth")
    s = after(s, "reveal 5")
    v = see(s, 0)
    blue_creek.forget(v, 0, 1 << 0 | 1 << 4)
    assert equipment(v) == "knife ? ? ? ? whiskey ? ?"  # slot 4 it never knew, slot 5 is in sight
    assert v.held[2] == 1 and gold_of(v, 2) == []
    v = see(s, 0)
    blue_creek.forget(v, 0, 1 << 8)
    assert gold_of(v, 2) == ["tooth"] and equipment(v) == "? ? ? ? ? whiskey ? ?"


def test_a_card_seen_to_be_empty_looks_like_any_other() -> None:
    turned, never = at("turn 3", "river empty"), at("turn 4", "river empty")
    for seat in range(-1, 3):
        assert see(turned, seat).river[3] == EMPTY and see(never, seat).river[3] == UNSEEN
        shut = [see(s, seat, sight=True) for s in (turned, never)]
        for v in shut:
            assert slots(v.concealed) == list(range(10)) and list(v.river) == list(v.order) == [UNSEEN] * 10
        assert bytes(shut[0]) == bytes(shut[1])
    assert see(turned, 1, sight=True).pile == 36 and offered(see(turned, 1, sight=True)) == offered(turned)


def test_which_cards_were_laid_later_is_not_in_sight_and_before_that_there_is_nothing_to_forget() -> None:
    s = placing()
    assert list(s.order) == list(range(10))
    for actions in ([], ["place left"] * 3):
        s = after(s, *actions)
        assert all(bytes(see(s, seat)) == bytes(see(s, seat, sight=True)) for seat in range(-1, 3))
    s = after(s, "turn 3", "river sieve", f"reveal {list(s.card).index(TOOLS.index('sieve'))}")
    assert s.order[3] == see(s, 0).order[3] == 10 and list(see(s, 0, sight=True).order) == [UNSEEN] * 10


def test_places_of_the_river_are_kept_one_by_one() -> None:
    s = at("turn 3", "river empty", "turn 5", "river empty", "turn 7", "river sieve", "reveal 1")
    v = see(s, 0)
    blue_creek.forget(v, 0, 1 << (9 + 5))
    assert [place for place in range(10) if v.river[place] == EMPTY] == [5]
    assert slots(v.concealed) == [0, 1, 2, 3, 4, 6, 8, 9] and slots(v.open) == [7]
    v = see(s, 0)
    blue_creek.forget(v, 0, -1)
    assert bytes(v) == bytes(see(s, 0))


def test_an_uncovered_river_is_in_sight() -> None:
    s = after(owning("tooth", "sieve knife", "", pile=26, **ALL_EMPTY), "doubt")
    assert s.phase == ROBBING and list(see(s, 2, sight=True).river) == [EMPTY] * 10
    assert list(see(giving(), 1, sight=True).river)[:3] == [3, EMPTY, 0]
    over = owning("tooth", "teeth-3", "rest", pile=20, unseen=".", turn="over", phase="end", **ALL_EMPTY)
    assert list(see(over, 2, sight=True).river) == [EMPTY] * 10


def test_a_turn_of_a_river_card_brings_its_place_to_mind() -> None:
    for words in ("turn 3", "try 3"):
        a = text.read_action(blue_creek, at(), words)
        assert blue_creek.recalled_places is not None
        assert blue_creek.recalled_places(2, a, b"", 0) == (1 << (9 + 3) if words == "turn 3" else 0)


def test_of_a_forgotten_river_fruitless_turns_make_it_likelier_that_a_card_was_turned() -> None:
    s = at("turn 3", "river empty", "turn 5", "river empty", "turn 4", "river empty")
    v, rng = see(s, 0, sight=True), new_rng(3)

    def turned(stale: int, kept: Record = v) -> list[int]:
        w = engine.copy(kept)
        w.stale = stale
        blue_creek.guess(w, 0, rng)
        contract.check_sums(blue_creek, w)
        return [place for place in range(10) if w.river[place] == EMPTY]

    assert turned(0) == [] and turned(9, see(s, 0)) == [3, 4, 5]
    for stale, share in ((1, 1 / 3), (2, 1 / 2), (8, 4 / 5)):
        assert abs(sum(len(turned(stale)) for _ in range(300)) / 3000 - share) < 0.04
    assert turned(9, see(at("turn 3", "river empty", empties="marked"), 0, sight=True)) == [3]


@pytest.mark.parametrize("empties", [0, 1, 2])
def test_no_more_empty_cards_are_guessed_than_are_left(empties: int) -> None:
    w = see(at("turn 3", "river empty"), 0, sight=True)
    w.pile, w.stale = count(w.unseen) - count(w.concealed) + empties, 90
    assert w.pile >= 0 and unseen_empties(w) == empties
    blue_creek.guess(w, 0, new_rng(4))
    assert list(w.river).count(EMPTY) == empties and unseen_empties(w) == 0


def test_a_search_that_remembers_nothing_still_answers_after_many_fruitless_turns() -> None:
    s = at("turn 3", "river empty", "turn 3")
    s.stale = 90
    v = see(s, s.turn, sight=True)
    found = search.search(Ask(blue_creek, s.turn, v, engine.legal(blue_creek, v), []), new_rng(1), 60, plain=True)
    assert len(found) == 11 and text.name(blue_creek, s, found[0].action) == "doubt"


def test_guess_of_what_was_forgotten_without_swaps_keeps_the_pairs() -> None:
    s = at("turn 0", "river sieve", "reveal 2", "turn 1", "river empty")
    v, rng = see(s, -1, sight=True), new_rng(7)
    for _ in range(50):
        w = engine.copy(v)
        blue_creek.guess(w, -1, rng)
        assert all((w.card[2 * p] == WHISKEY) != (w.card[2 * p + 1] == WHISKEY) for p in range(4))


def test_guess_of_what_was_forgotten_after_swaps_is_even() -> None:
    s = at("turn 0", "river pickaxe", "reveal 0", "swap left 7", "turn 1", "river empty")
    v, rng = see(s, 0), new_rng(8)
    blue_creek.forget(v, 0, 0b10000011)  # knife, whiskey and the sieve in slot 7 are kept
    possible = set(permutations(["pickaxe", "shovel", "whiskey", "whiskey", "whiskey"]))

    def sample() -> tuple[str, ...]:
        w = engine.copy(v)
        blue_creek.guess(w, 0, rng)
        first, second, *others, last = equipment(w).split()
        assert (first, second, last) == ("knife", "whiskey", "sieve")
        return tuple(others)

    contract.check_sample(sample, dict.fromkeys(possible, 1.0), "forgotten equipment", blue_creek, s)


def test_guess_of_forgotten_gold_is_even() -> None:
    s = owning("sieve tooth", "pickaxe", "knife shovel", pile=3)
    s.unseen &= 0b111 << 13  # but for seven cards all gold is left aside here
    v, rng = see(s, 0, sight=True), new_rng(9)
    v.unseen &= s.unseen | s.won[1] | s.won[2]
    others = [GOLD[card] for card in slots(v.unseen)]

    def sample() -> tuple[str, frozenset[str]]:
        w = engine.copy(v)
        blue_creek.guess(w, 0, rng)
        assert gold_of(w, 0) == ["sieve", "tooth"]
        return gold_of(w, 1)[0], frozenset(gold_of(w, 2))

    possible = Counter((a, frozenset((b, c))) for a, b, c in permutations(others, 3))
    assert len(possible) == 6 * 10
    contract.check_sample(sample, {key: float(n) for key, n in possible.items()}, "forgotten gold", blue_creek, s)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_any_memory_can_be_guessed_from(seats: int) -> None:
    rng = new_rng(seats)
    game = contract.random_game(blue_creek, engine.start(blue_creek, seats), new_rng(seats, 4))
    for n, (s, _, _) in enumerate(islice(game, 250)):
        seat, kept = n % (seats + 1) - 1, n * 2654435761 >> 7 & 0b111_1111_1111_1111_1111
        v = see(s, seat)
        blue_creek.forget(v, seat, kept)
        contract.check_bounds(blue_creek, v)
        assert all(w in (b, HIDDEN) for w, b in zip(v.card, see(s, seat).card, strict=True))
        assert seat < 0 or owned(v, seat) == owned(s, seat)
        blue_creek.guess(v, seat, rng)
        contract.check_bounds(blue_creek, v)
        contract.check_sums(blue_creek, v)
        assert list(v.held) == list(s.held) and v.pile == s.pile
        engine.playout(blue_creek, v, rng)
        contract.check_sums(blue_creek, v)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_screen_fits_and_words_hidden_things_as_hidden(seats: int) -> None:
    for _, _, s in contract.random_game(blue_creek, engine.start(blue_creek, seats), new_rng(seats, 2)):
        for seat in (-1, max(0, s.turn)):
            for only_sight in (False, True):
                v = see(s, seat, sight=only_sight)
                lines = blue_creek.show(v).splitlines()
                assert len(lines) <= 24 and max(map(len, lines)) <= 100
                shown = sum(f"({card})" in line for line in lines for card in TOOLS)
                assert shown == 0 or any(0 <= card < WHISKEY for card in v.card)
    assert "it is over" in lines[0]


def test_the_screen_names_no_robbed_card_to_others() -> None:
    opening, log = rob_through(ROBBERIES["one"])
    s = engine.replay(blue_creek, opening, log)
    assert "seat 0 robbed seat 1 of knife" in blue_creek.show(see(s, 1))
    assert "seat 0 robbed seat 1 of one of its cards" in blue_creek.show(see(s, 2))
    assert "seat 0 robbed" not in blue_creek.show(see(s, 2, sight=True))


def test_facts_tell_a_drawing_what_is_on_the_gold_cards() -> None:
    gold = blue_creek.FACTS["gold"]
    needs = [[blue_creek.EQUIPMENT[thing] for thing in card["needs"]] for card in gold]
    assert ["-".join(things) for things in needs[:12]] == list(blue_creek.GOLD[:12])
    assert needs[12:] == [["whiskey"] * n for n in (1, 2, 2, 3)]  # BC-1.5
    assert [card["what"] for card in gold] == ["nugget"] * 12 + ["tooth"] * 4
    assert all(card["worth"] == len(card["needs"]) for card in gold)


# Bots


@pytest.mark.parametrize("name", ["random", "greedy:3", "search:20", "search:20@50", "baron"])
def test_bots_place_their_tools_at_random(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (bots.greedy, bots.search):
        monkeypatch.setattr(kind, "bot", lambda *_, **__: lambda ask, rng: ask.legal[0])  # whatever they would prefer
    s = placing()
    ask = Ask(blue_creek, 0, see(s, 0), engine.legal(blue_creek, s), [])
    player, rng = bots.make(name), new_rng(1)
    contract.check_sample(lambda: player(ask, rng), dict.fromkeys(ask.legal, 1.0), "a side", blue_creek, s)


def test_a_hint_says_that_the_sides_are_equal() -> None:
    s = placing()
    ask = Ask(blue_creek, 0, see(s, 0), engine.legal(blue_creek, s), [])
    assert hint.say(hint.suggest(ask, new_rng(1), 30, plain=True)).startswith("It makes little difference: place left")


@pytest.mark.parametrize("name", ["greedy:3", "search:40"])
def test_bots_turn_no_card_that_they_know_to_be_empty(name: str) -> None:
    s = at("turn 3", "river empty", "turn 5", "river empty", "turn 7", "river teeth-3", "reveal 0", "stop")
    player, turned = bots.make(name, plain=True), set()
    for number in range(40):
        ask = Ask(blue_creek, s.turn, see(s, s.turn), engine.legal(blue_creek, s), [])
        turned.add(text.name(blue_creek, s, player(ask, new_rng(number))))
    assert len(turned) > 1 and not turned & {"turn 3", "turn 5"} and {"turn 3", "turn 5"} < {*offered(s)}
    s = at(**ALL_EMPTY)
    ask = Ask(blue_creek, 0, see(s, 0), engine.legal(blue_creek, s), [])
    assert text.name(blue_creek, s, player(ask, new_rng(0))) == "doubt"


def test_useful_actions_that_are_not_legal_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    s = at("turn 3", "river sieve", "reveal 1")
    contract.check_legal(blue_creek, s, 0)

    @rule
    def all_places(s: Record, bits: Bits) -> int:
        bits[0] = rules.ALL_PLACES
        return count(bits[0])

    monkeypatch.setattr(blue_creek, "useful", all_places)
    with pytest.raises(contract.Broken, match="some of the legal actions are useful, and no others"):
        contract.check_legal(blue_creek, s, 0)
