"""ChinaGold clause by clause: test_3_2_… is for CG-3.2, test_worked_1 for the first worked position of its sheet."""

import cmath
import re
from collections import Counter
from itertools import pairwise, product

import pytest
from support.catalogues import catalogue
from support.play import names, play, position, why

from motherlode import contract, engine, sentences, sheet, text
from motherlode.game import CHANCE, OVER, Record, adopt, below, new_rng
from motherlode.games.china_gold import rules, showing
from motherlode.games.china_gold.events import tablets
from motherlode.games.china_gold.rules import (
    BOARDS,
    CALLED,
    LENGTH,
    MAPS,
    MOUNTAINS,
    NORTH_SITES,
    OVERLAYS,
    OVERLAYS_1,
    SITES,
    SOUTH_SITES,
)
from motherlode.table import Table

china_gold = adopt(rules, "china_gold", showing)

# The hexagon once more, as points of the plane: x to the right, y down, sites at distance 1.
POINTS = {
    f"{'abcdefghijk'[r]}{i + 1}": complex(i - (n - 1) / 2, (r - 5) * 3**0.5 / 2)
    for r, n in enumerate((6, 7, 8, 9, 10, 11, 10, 9, 8, 7, 6))
    for i in range(n)
}
CLOCKWISE = cmath.exp(1j * cmath.pi / 3)
WAYS = {"right": 1, "down-right": CLOCKWISE, "down-left": CLOCKWISE**2}


def site_at(point: complex) -> str | None:
    return next((site for site, z in POINTS.items() if abs(z - point) < 0.1), None)


LINES = {
    (f"dig {site} {way}", k): frozenset(map(str, line))
    for site, z in POINTS.items()
    for way, step in WAYS.items()
    for k in range(2, 6)
    if None not in (line := [site_at(z + i * step) for i in range(k)])
}


def write_sites(sites: set[str], half: tuple[str, ...]) -> str:
    return "+".join(site for site in half if site in sites) or "."


def at(down: str, lying: str = "", *, turn: int | str = 0, active: int | None = None, **fields: object) -> Record:
    """A position as text: these sites face down (* for all others) and these open; what is missing, seat 0 has."""
    open_sites = set(lying.split())
    down_sites = set(SITES) - open_sites if down == "*" else set(down.split())
    parts = {
        "turn": turn,
        "seats": 2,
        "active": turn if active is None else active,
        "stage": 1,
        "throw": 1,
        "north_down": write_sites(down_sites, NORTH_SITES),
        "south_down": write_sites(down_sites, SOUTH_SITES),
        "north_open": write_sites(open_sites, NORTH_SITES),
        "south_open": write_sites(open_sites, SOUTH_SITES),
        "gold": f"{91 - len(open_sites) - len(down_sites)},0",
        **fields,
    }
    return position("china_gold " + " ".join(f"{key}={value}" for key, value in parts.items()))[1]


def sites(s: Record, which: str) -> set[str]:
    """The sites that are `down` or `open`."""
    values = getattr(s, f"north_{which}"), getattr(s, f"south_{which}")
    halves = NORTH_SITES, SOUTH_SITES
    return {
        site for value, half in zip(values, halves, strict=True) for i, site in enumerate(half) if value >> i & 1 == 1
    }


def digs(s: Record) -> list[str]:
    return [name for name in names(china_gold, s) if name.startswith("dig")]


def area_sites(letters: list[str]) -> dict[str, set[str]]:
    areas: dict[str, set[str]] = {}
    for site, letter in zip(SITES, letters, strict=True):
        areas.setdefault(letter, set()).add(site)
    return areas


def lay_on_the_plane(overlay: str) -> list[str]:
    """The river map of an overlay, worked out with points instead of rows and columns."""
    letters = {}
    for (_, z), letter in zip(POINTS.items(), "".join(MOUNTAINS), strict=True):
        laid = (-z.conjugate() if overlay[0] == "m" else z) * CLOCKWISE ** int(overlay[1])
        letters[site_at(laid)] = letter
    return [letters[site] for site in SITES]


def test_1_1_a_hexagon_of_91_sites_with_lines_in_three_directions() -> None:
    assert tuple(POINTS) == SITES and len(SITES) == 91
    for k in range(2, 6):
        s = play(china_gold, engine.start(china_gold), f"throw {k}")
        assert set(names(china_gold, s)) == {name for name, length in LINES if length == k}


def test_1_2_seventeen_areas_each_of_3_to_8() -> None:
    for letters in MAPS:
        areas = area_sites(letters)
        assert len(areas) == 17 and set().union(*areas.values()) == set(SITES)
        assert all(3 <= len(area) <= 8 for area in areas.values())


def test_1_2_every_area_hangs_together() -> None:
    for area in area_sites(MAPS[0]).values():
        reached = {min(area)}
        for _ in area:
            reached |= {x for x in area for y in reached if abs(POINTS[x] - POINTS[y]) < 1.1}
        assert reached == area


def test_1_3_the_map_has_the_sizes_of_the_sheet() -> None:
    assert [len(row) for row in MOUNTAINS] == [6, 7, 8, 9, 10, 11, 10, 9, 8, 7, 6]
    by_size: dict[int, str] = {}
    for letter, area in sorted(area_sites(MAPS[0]).items()):
        by_size[len(area)] = by_size.get(len(area), "") + letter
    assert by_size == {3: "FN", 4: "ABPQ", 5: "CGMO", 6: "DL", 7: "HIK", 8: "EJ"}


def test_1_3_the_rivers_are_the_mountains_with_every_row_reversed() -> None:
    assert MAPS[1] == list("".join(row[::-1] for row in MOUNTAINS))


def test_1_3_no_area_is_straight_and_a_mountain_and_a_river_share_at_most_two() -> None:
    for turn in (1, CLOCKWISE, CLOCKWISE**2):  # on a line along a direction all points turn to the same height
        for area in area_sites(MAPS[0]).values():
            assert len({round((POINTS[x] * turn).imag, 6) for x in area}) > 1
    assert max(Counter(zip(MAPS[0], MAPS[1], strict=True)).values()) == 2


def test_1_3_the_map_is_its_own_half_turn() -> None:
    areas = {frozenset(area) for area in area_sites(MAPS[0]).values()}
    assert {frozenset(site_at(-POINTS[x]) for x in area) for area in areas} == areas


def test_1_4_five_boards_and_the_valley_by_default() -> None:
    assert OVERLAYS == tuple(BOARDS) == ("valley", "gorge", "delta", "rapids", "cascade")
    assert engine.options_of(china_gold, engine.start(china_gold)) == {"overlay": "valley"}
    with pytest.raises(
        engine.Refusal, match=r"CG-1\.4: overlay can be valley, gorge, delta, rapids, cascade, not 'r3'"
    ):
        engine.start(china_gold, overlay="r3")


@pytest.mark.parametrize(("overlay", "way"), [*BOARDS.items(), *((name, name) for name in OVERLAYS_1)])
def test_1_4_mirrored_left_right_then_turned_clockwise(overlay: str, way: str) -> None:
    assert MAPS[1 + engine.start(china_gold, overlay=overlay).overlay] == lay_on_the_plane(way)


# The twelve ways to lay a hexagon on itself, as moves of points.
SYMMETRIES = {
    f"{kind}{k}": lambda z, kind=kind, k=k: (-z.conjugate() if kind == "m" else z) * CLOCKWISE**k
    for kind in "mr"
    for k in range(6)
}
Map = frozenset[frozenset[str]]  # the areas


def map_of(letters: list[str]) -> Map:
    return frozenset(map(frozenset, area_sites(letters).values()))


def moved(areas: Map, way: str) -> Map:
    return frozenset(frozenset(str(site_at(SYMMETRIES[way](POINTS[x]))) for x in area) for area in areas)


def test_1_4_the_twelve_ways_make_five_boards() -> None:
    mountains = map_of(MAPS[0])
    rivers = {way: moved(mountains, way) for way in SYMMETRIES}
    assert rivers["r0"] == rivers["r3"] == mountains
    same = {way: {other for other in rivers if rivers[other] == rivers[way]} for way in BOARDS.values()}
    assert same == {
        f"{x}{k}": {f"{x}{k}", f"{x}{k + 3}"} for x, k in (*(("m", k) for k in range(3)), ("r", 1), ("r", 2))
    }
    assert set().union(*same.values()) == set(OVERLAYS_1) == set(SYMMETRIES) - {"r0", "r3"}


def test_1_4_no_two_boards_are_alike_and_exchanging_the_maps_exchanges_two() -> None:
    mountains = map_of(MAPS[0])
    boards = {board: (mountains, map_of(MAPS[1 + i])) for i, board in enumerate(BOARDS)}
    alike, exchanged = set(), set()
    for a, b, way in product(boards, boards, SYMMETRIES):
        laid = moved(boards[a][0], way), moved(boards[a][1], way)
        if laid == boards[b]:
            alike.add((a, b))
        if laid[::-1] == boards[b]:
            exchanged.add((a, b))
    assert alike == {(board, board) for board in BOARDS}
    assert exchanged == {("valley",) * 2, ("gorge",) * 2, ("delta",) * 2, ("rapids", "cascade"), ("cascade", "rapids")}


@pytest.mark.parametrize("overlay", [*OVERLAYS, *OVERLAYS_1])
def test_1_4_the_overlay_decides_what_seat_1_carries_off(overlay: str) -> None:
    for river in area_sites(lay_on_the_plane(BOARDS.get(overlay, overlay))).values():
        last, *lying = sorted(river)
        s = play(china_gold, at("*", " ".join(lying), turn=1, overlay=overlay), f"dig {last}")
        assert list(s.gold) == [0, len(river)] and sites(s, "open") == set()


def test_1_4_new_tables_are_offered_the_five_boards() -> None:
    assert {str(options["overlay"]) for _, options in contract.tables(china_gold)} == set(OVERLAYS)


@pytest.mark.parametrize("overlay", OVERLAYS_1)
def test_1_4_positions_and_records_of_version_1_keep_their_overlay(overlay: str) -> None:
    game, s = position(f"china_gold/1 turn=0 seats=2 overlay={overlay} stage=4 north_down=a1")
    assert MAPS[1 + s.overlay] == lay_on_the_plane(overlay)
    line = text.write_position(game, s)
    assert line.startswith("china_gold/2 ") and f"overlay={overlay}" in line
    assert f"overlay {overlay}" in game.show(s)
    table = Table(china_gold, seed=3, overlay=overlay)
    while not table.is_over:
        table.act(table.legal()[-1 if table.at < 60 else 0])
    written = text.write_record(table.record()).replace("rules: 2\n", "rules: 1\n")
    played = text.read_record(written)
    assert f"\noverlay: {overlay}\n" in written and text.write_record(played) == written
    assert bytes(engine.replay(china_gold, played.start(), played.actions)) == bytes(table.position)


def test_1_5_91_markers_face_down_and_three_tablets() -> None:
    s = engine.start(china_gold)
    assert (sites(s, "down"), sites(s, "open"), list(s.gold)) == (set(SITES), set(), [0, 0])
    assert names(china_gold, s) == [f"throw {k}" for k in range(1, 6)]


@pytest.mark.parametrize(
    ("stage", "tablets"), [(1, [(0, 1), (0, 2), (1, 2)]), (2, [(0, 2), (1, 2)]), (3, [(0, 1), (1, 2)])]
)
def test_2_1_the_tablets_in_use_are_added_up(stage: int, tablets: list[tuple[int, int]]) -> None:
    thrown = Counter({0: 1})
    for sides in tablets:
        thrown = Counter(total + side for total in thrown.elements() for side in sides)
    s = at("*", turn="chance", active=0, stage=stage, throw=0)
    assert names(china_gold, s) == [f"throw {k}" for k in sorted(thrown)]
    odds = [china_gold.odds(s, a) for a in engine.legal(china_gold, s)]
    assert [x * thrown[1] for x in odds] == [thrown[k] for k in sorted(thrown)] and odds[0] == 1


def test_2_1_the_same_deal_throws_the_same_whatever_is_dug() -> None:
    def thrown(seed: int, choose: int) -> dict[tuple[int, int], int]:
        """By how many throws came before and by stage."""
        table, found = Table(china_gold, seed=seed), {}
        while not table.is_over:
            s = table.position
            if s.throw:
                assert s.throws == sum(position.turn == CHANCE for position in table.positions)
                found[int(s.throws), int(s.stage)] = int(s.throw)
            table.act(table.legal()[choose % len(table.legal())])
        return found

    first, second, other = thrown(1, 0), thrown(1, 100), thrown(2, 0)
    shared = first.keys() & second.keys()
    assert len(shared) > 10 and all(first[at] == second[at] for at in shared)
    assert any(first[at] != other[at] for at in first.keys() & other.keys())
    assert len(set(first.values())) == 5


def test_2_1_throws_in_other_stages_are_drawn_from_other_tablets() -> None:
    sources = {
        rules.source(at("*", turn="chance", active=0, stage=stage, throw=0, throws=throws))
        for stage in (1, 2, 3)
        for throws in range(6)
    }
    assert len({source.deck for source in sources}) == 18
    contract.check_source(china_gold)


def test_2_2_exactly_k_side_by_side_with_no_gap_and_no_open_marker_between() -> None:
    s = at("a1 a2 a3 a5 a6 c1", "a4", throw=3)
    assert digs(s) == ["dig a1 right"]
    assert why(china_gold, s, "dig a2 right") == "CG-2.2"  # a4 is open
    assert why(china_gold, s, "dig a1") == "CG-2.2"
    assert why(china_gold, s, "dig a5 right") == "CG-2.2"  # would leave the board
    t = play(china_gold, s, "dig a1 right")
    assert not sites(t, "down") & {"a1", "a2", "a3"}
    s = at("a1 a2 a3 a5 a6 c1", throw=2)
    assert digs(s) == ["dig a1 right", "dig a2 right", "dig a5 right"]  # no gap
    assert why(china_gold, at("a1 a2 a3 a4", throw=1), "dig a1 right") == "CG-2.2"


def test_2_2_lines_are_found_wherever_markers_lie() -> None:
    rng = new_rng(7)
    for _ in range(60):
        fill = 1 + below(rng, 9)
        down = {site for site in SITES if below(rng, 10) < fill} | {"a1", "a2"}
        for k in range(2, 6):
            s = at(" ".join(down), throw=k)
            assert set(digs(s)) == {name for (name, length), line in LINES.items() if length == k and line <= down}
        assert digs(at(" ".join(down))) == [f"dig {site}" for site in SITES if site in down]


@pytest.mark.parametrize(("name", "k"), [("dig f4 right", 5), ("dig b7 down-left", 5), ("dig d3 down-right", 4)])
def test_2_2_a_dig_turns_the_markers_of_its_line(name: str, k: int) -> None:
    s = at("*", throw=k)
    t = play(china_gold, s, name)
    assert sites(t, "open") == LINES[name, k] and sites(t, "down") == set(SITES) - LINES[name, k]


def test_2_3_any_open_marker_may_be_reburied_instead() -> None:
    s = at("*", "a1 f6 f7 k6", throw=4)
    assert names(china_gold, s)[-4:] == ["rebury a1", "rebury f6", "rebury f7", "rebury k6"]
    assert why(china_gold, s, "rebury a2") == "CG-2.3"
    t = play(china_gold, s, "rebury f7")
    assert sites(t, "open") == {"a1", "f6", "k6"} and "f7" in sites(t, "down") and list(t.reburied) == [1, 0]


def test_2_4_seat_0_starts_and_turns_alternate() -> None:
    s = engine.start(china_gold)
    assert (s.turn, s.active) == (CHANCE, 0)
    s = play(china_gold, s, "throw 2")
    assert s.turn == 0
    s = play(china_gold, s, "dig a1 right")
    assert (s.turn, s.active, s.throw) == (CHANCE, 1, 0)
    s = play(china_gold, s, "throw 5")
    assert s.turn == 1
    s = play(china_gold, s, "rebury a1")
    assert (s.turn, s.active) == (CHANCE, 0)


def test_3_1_an_area_is_finished_by_its_last_face_down_marker() -> None:
    s = play(china_gold, at("*", "b5"), "dig c5")
    assert list(s.gold) == [0, 0] and sites(s, "open") == {"b5", "c5"}  # d6 of mountain F is still face down
    others = " ".join(set(SITES) - {"b5", "c5", "d6"})
    s = play(china_gold, at(f"{others} d6", "b5"), "dig d6")  # c5 was carried off before: it is not face down
    assert list(s.gold) == [1 + 2, 0]


def test_3_1_one_dig_may_finish_several_areas() -> None:
    mountains = area_sites(MAPS[0])
    lying = " ".join((mountains["C"] | mountains["B"]) - {"a4", "a5"})
    s = play(china_gold, at("*", lying, throw=2), "dig a4 right")
    assert list(s.gold) == [9, 0]


def test_3_2_the_one_whose_turn_it_is_collects_first() -> None:
    mountain, river = area_sites(MAPS[0])["B"], area_sites(MAPS[1])["B"]
    assert mountain & river == {"b4"}
    lying = " ".join((mountain | river) - {"b4"})
    assert list(play(china_gold, at("*", lying, turn=0), "dig b4").gold) == [4, 3]
    assert list(play(china_gold, at("*", lying, turn=1), "dig b4").gold) == [3, 4]


def test_3_2_all_own_areas_come_before_any_of_the_others() -> None:
    mountain, river = area_sites(MAPS[0])["B"], area_sites(MAPS[1])["B"]
    assert (mountain, river) == ({"a4", "b4", "c3", "c4"}, {"a3", "b4", "c5", "c6"})
    # a3 finishes the river and a4 the mountain; b4 is in both
    lying = "b4 c3 c4 c5 c6"
    assert list(play(china_gold, at("*", lying, turn=0, throw=2), "dig a3 right").gold) == [4, 3]
    assert list(play(china_gold, at("*", lying, turn=1, throw=2), "dig a3 right").gold) == [3, 4]


def test_3_3_reburying_finishes_nothing_and_puts_off_the_end_of_an_area() -> None:
    s = play(china_gold, at("*", "b5 c5"), "rebury b5")
    assert list(s.gold) == [0, 0] and sites(s, "open") == {"c5"}
    s = play(china_gold, s, "throw 1", "dig d6")
    assert list(s.gold) == [0, 0] and sites(s, "open") == {"c5", "d6"}


@pytest.mark.parametrize(
    ("stage", "down", "then"),
    [
        (1, "a1 a2 a3 a4 a5 k1 k2 k3 k4 k5", 1),  # two fives
        (1, "f1 f2 f3 f4 f5 b7 c7 d7 e7 f7", 1),  # in two directions
        (1, "a1 b2 c3 d4 e5 k1 k2 k3 k4", 2),  # one five
        (1, "k1 k2 k3 k4", 3),  # one four, two threes
        (1, "k1 k2 k3 a1 a2 a3", 3),  # two threes
        (1, "k1 k2 k3 a1 a2", 4),  # one three
        (1, "k1", 4),
        (2, "k1 k2 k3 k4 a1 a2 a3 a4", 2),
        (2, "k1 k2 k3 k4 a1 a2 a3", 3),
        (3, "k1 k2 k3 a1 a2", 4),
        (3, "k1 k2 k3 a1 a2 a3", 3),
    ],
)
def test_4_1_stages_end_when_at_most_one_placement_is_left(stage: int, down: str, then: int) -> None:
    s = play(china_gold, at(f"{down} f9", stage=stage), "dig f9")
    assert s.stage == then and s.turn == (CHANCE if then < 4 else 1)


def test_4_1_placements_are_counted_at_the_beginning_of_the_turn_only() -> None:
    s = at("a1 a2 a3 a4 a5 a6", throw=5)
    assert s.stage == 1 and digs(s) == ["dig a1 right", "dig a2 right"]
    s = play(china_gold, at("*", throw=1), "dig f6")
    assert s.stage == 1 and names(china_gold, s)[-1] == "throw 5"


def test_4_2_in_stage_4_one_or_two_are_dug_and_nothing_is_thrown_or_reburied() -> None:
    s = play(china_gold, at("a1 a2 a3 k1 k3 f9", "k2", stage=3), "dig f9")
    assert (s.stage, s.turn, s.throw) == (4, 1, 0)
    assert names(china_gold, s) == [f"dig {x}" for x in ("a1", "a2", "a3", "k1", "k3", "a1 right", "a2 right")]
    assert why(china_gold, s, "rebury k2") == "CG-4.2" and why(china_gold, s, "dig k1 right") == "CG-2.2"
    t = play(china_gold, s, "dig a2 right")
    assert (t.turn, t.throw) == (0, 0) and sites(t, "down") == {"a1", "k1", "k3"}
    assert sites(play(china_gold, s, "dig a2"), "down") == {"a1", "a3", "k1", "k3"}


def test_4_3_stages_never_go_back() -> None:
    s = play(china_gold, at("a1 a2 a3 a4 k1 k2 k3 k4", "a5 k5", stage=2), "rebury a5", "throw 1", "rebury k5")
    assert s.stage == 2  # though there are two fives
    for seed in range(3):
        for s, _, t in contract.random_game(china_gold, engine.start(china_gold), new_rng(seed)):
            assert t.stage >= s.stage


def test_4_4_a_dig_is_always_possible_and_finished_areas_are_bare() -> None:
    areas = [area for letters in MAPS[:2] for area in area_sites(letters).values()]
    for seed in range(3):
        for s, _, t in contract.random_game(china_gold, engine.start(china_gold), new_rng(seed)):
            if s.turn >= 0:
                assert digs(s)
            down, lying = sites(t, "down"), sites(t, "open")
            assert all(area & down or not area & lying for area in areas)


def test_5_1_an_empty_board_ends_the_game_and_more_gold_wins() -> None:
    s = play(china_gold, at("a1", stage=4, throw=0, gold="45,45"), "dig a1")
    assert s.turn == OVER and list(s.gold) == [46, 45] and engine.winners(china_gold, s) == [0]
    assert engine.legal(china_gold, s) == [] and china_gold.why(s, 0) == "CG-5.1"
    s = play(china_gold, at("a1", turn=1, stage=4, throw=0, gold="45,45"), "dig a1")
    assert engine.winners(china_gold, s) == [1] and engine.points(china_gold, s) == [45, 46]
    assert engine.utility(china_gold, s) == [-1.0, 1.0]


def test_5_2_a_seat_reburies_at_most_45_times() -> None:
    s = at("*", "a1 k6", reburied="44,45")
    t = play(china_gold, s, "rebury a1")
    assert list(t.reburied) == [45, 45]
    for seat in range(2):
        s = at("*", "a1 k6", turn=seat, reburied="45,45")
        assert not any(name.startswith("rebury") for name in names(china_gold, s))
        assert why(china_gold, s, "rebury a1") == "CG-5.2"


@pytest.mark.parametrize(
    ("reburied", "left"), [("35,36", [None, 9]), ("44,45", [1, 0]), ("36,0", [9, None]), ("0,0", [None, None])]
)
def test_5_2_reburials_left_are_shown_when_fewer_than_ten(reburied: str, left: list[int | None]) -> None:
    for turn, stage in ((0, 1), ("chance", 3)):
        s = at("*", "a1", turn=turn, active=0, stage=stage, throw=0 if turn == "chance" else 1, reburied=reburied)
        assert china_gold.drawn(s)["reburials"] == left
        notes = [line.partition(" gold")[2].strip() for line in china_gold.show(s).splitlines()[-2:]]
        assert notes == ["" if n is None else f"{n} reburial{'s' * (n != 1)} left" for n in left]
    s = at("a1", stage=4, throw=0, reburied=reburied)  # CG-4.2: nobody may
    assert china_gold.drawn(s)["reburials"] == [None, None] and "reburial" not in china_gold.show(s)
    t = play(china_gold, s, "dig a1")
    assert china_gold.drawn(t)["reburials"] == [None, None] and "reburial" not in china_gold.show(t)


def test_5_2_the_longest_game_has_as_many_decisions_as_the_bound() -> None:
    s, decisions = engine.start(china_gold), 0
    while s.turn != OVER and decisions <= LENGTH:
        if s.turn == CHANCE:
            s = play(china_gold, s, "throw 1")
        options = names(china_gold, s)
        s = play(china_gold, s, options[-1] if options[-1].startswith("rebury") else options[0])
        decisions += 1
    assert s.turn == OVER and list(s.reburied) == [45, 45] and decisions == LENGTH == 271


def test_worked_1_placements_on_the_full_board() -> None:
    opening = engine.start(china_gold)
    placements = [len(names(china_gold, play(china_gold, opening, f"throw {k}"))) for k in range(1, 6)]
    assert placements == [91, 240, 207, 174, 141]


@pytest.mark.parametrize(
    ("down", "stage"), [("a1 a2 a3 a4 a5 a6", 1), ("a1 a2 a3 a4 a5", 2), ("a1 a2 a3 a4", 3), ("a1 a2 a3", 4)]
)
def test_worked_2_stages_of_a_lone_row(down: str, stage: int) -> None:
    assert play(china_gold, at(f"{down} k1"), "dig k1").stage == stage


def test_worked_3_a_fresh_board_and_a_three() -> None:
    s = play(china_gold, engine.start(china_gold), "throw 3")
    assert sites(play(china_gold, s, "dig f5 right"), "open") == {"f5", "f6", "f7"}
    assert not any(name.startswith("rebury") for name in names(china_gold, s))
    s = at("*", "f6", throw=3)
    assert why(china_gold, s, "dig f5 right") == "CG-2.2"  # f5 f7 f8 are no line of three, f5 f6 are two


@pytest.mark.parametrize(
    ("way", "line"),
    [
        ("down-right", "a1 b2 c3 d4 e5 f6 g6 h6 i6 j6 k6"),
        ("down-left", "a6 b6 c6 d6 e6 f6 g5 h4 i3 j2 k1"),
    ],
)
def test_worked_4_lines_through_the_centre(way: str, line: str) -> None:
    for a, b in pairwise(line.split()):
        s = play(china_gold, at("*", throw=2), f"dig {a} {way}")
        assert sites(s, "open") == {a, b}
    first, *_, last = line.split()
    assert why(china_gold, at("*", throw=2), f"dig {last} {way}") == "CG-2.2"
    assert sites(play(china_gold, at("*", throw=5), f"dig {first} {way}"), "open") == set(line.split()[:5])


def test_worked_5_mountain_f_dug_by_seat_1() -> None:
    s = play(china_gold, at("*", "b5 c5", turn=1), "dig d6")
    assert list(s.gold) == [3, 0]


@pytest.mark.parametrize(("seat", "gold"), [(0, [4, 3]), (1, [2, 5])])
def test_worked_6_a_mountain_and_a_river_at_once(seat: int, gold: list[int]) -> None:
    s = play(china_gold, at("*", "a3 b3 b1 b2 c1", turn=seat, throw=2), "dig a1 right")
    assert list(s.gold) == gold and sites(s, "open") == set()


def told(s: Record, action: str) -> list[str]:
    """What is told to have come of an action."""
    line = text.tell(china_gold, s, text.read_action(china_gold, s, action), -1)
    return [sentences.event(china_gold, event, ["Ada", "Ben"]) for event in line.events]


def test_2_2_a_line_is_told_with_its_length_and_its_end() -> None:
    assert told(at("*", throw=3), "dig f2 down-right") == ["3 stones are turned over, from f2 to h2"]
    assert told(at("*", throw=5), "dig b7 down-left") == ["5 stones are turned over, from b7 to f7"]
    assert told(at("*"), "dig f2") == []  # the dig says it all
    s = at("a1 a2 a3 k1 k3", "k2", stage=4, throw=0)
    assert told(s, "dig a2 right")[0] == "2 stones are turned over, from a2 to a3"
    assert told(engine.start(china_gold), "throw 3") == []


def test_2_3_a_reburial_is_told_with_its_areas() -> None:
    s = at("*", "b1 f6", turn=1)
    assert told(s, "rebury b1") == ["Mountain D and river 3 have one more stone to dig"]
    s = at("*", "b1 f6", overlay="rapids")
    river = CALLED[1][sorted(set(MAPS[4])).index(MAPS[4][SITES.index("b1")])]
    assert told(s, "rebury b1") == [f"Mountain D and river {river} have one more stone to dig"] and river != "3"


def test_3_1_a_finished_area_is_told_with_its_gold_and_whose_it_is() -> None:
    for seat in (0, 1):  # worked position 5: it does not matter who dug
        assert told(at("*", "b5 c5", turn=seat), "dig d6") == ["Mountain F is finished: 3 gold for Ada"]
    rivers = area_sites(MAPS[1])
    last, *lying = sorted(rivers["Q"])
    assert told(at("*", " ".join(lying)), f"dig {last}") == ["River 17 is finished: 4 gold for Ben"]
    others = " ".join(set(SITES) - {"b5", "c5", "d6"})
    assert told(at(f"{others} d6"), "dig d6") == ["Mountain F is finished: 1 gold for Ada"]


def test_3_2_gold_is_told_in_the_order_it_is_carried_off() -> None:
    line = "2 stones are turned over, from a1 to a2"
    mountain, river = "Mountain A is finished: {} gold for Ada", "River 3 is finished: {} gold for Ben"
    lying = "a3 b3 b1 b2 c1"  # worked position 6
    assert told(at("*", lying, throw=2), "dig a1 right") == [line, mountain.format(4), river.format(3)]
    assert told(at("*", lying, turn=1, throw=2), "dig a1 right") == [line, river.format(5), mountain.format(2)]


def test_3_2_an_area_that_ends_without_gold_is_told_without_a_gain() -> None:
    mountain, river = area_sites(MAPS[0])["B"], area_sites(MAPS[1])["B"]
    assert mountain & river == {"b4"}
    others = " ".join(set(SITES) - (mountain | river))
    for seat, news in enumerate(
        ("River 2 is finished, with no gold left for Ben", "Mountain B is finished, with no gold left for Ada")
    ):
        events = told(at(f"{others} b4", turn=seat), "dig b4")
        assert len(events) == 2 and events[1] == news


@pytest.mark.parametrize(
    ("stage", "down", "news"),
    [
        (1, "a1 b2 c3 d4 e5 k1 k2 k3 k4", ["Tablet 0/1 is put away", "Stage 2: 1 to 4 in line from now on"]),
        (
            2,
            "k1 k2 k3 k4",
            ["Tablet 0/2 is put away", "Tablet 0/1 is used again", "Stage 3: 1 to 3 in line from now on"],
        ),
        (1, "k1 k2 k3 k4", ["Tablet 0/2 is put away", "Stage 3: 1 to 3 in line from now on"]),
        (3, "k1 k2 k3", ["Tablet 0/1 is put away", "Tablet 1/2 is put away", "The last stage"]),
        (2, "k1 k2 k3", ["Tablet 0/2 is put away", "Tablet 1/2 is put away", "The last stage"]),
        (1, "k1", ["Tablet 0/1 is put away", "Tablet 0/2 is put away", "Tablet 1/2 is put away", "The last stage"]),
        (1, "a1 a2 a3 a4 a5 a6", []),
        (4, "a1 a2", []),
    ],
)
def test_4_1_a_new_stage_is_told_with_its_tablets(stage: int, down: str, news: list[str]) -> None:
    events = told(at(f"{down} f9", stage=stage, throw=0 if stage == 4 else 1), "dig f9")
    about_stages = [
        event.partition(":")[0] if "last" in event else event for event in events if "finished" not in event
    ]
    assert about_stages == news


def test_4_2_the_last_stage_is_told_with_what_may_be_done() -> None:
    assert told(at("k1 k2 k3 f9", stage=3), "dig f9")[-1] == (
        "The last stage: nothing is thrown, dig one stone or two side by side, nothing is buried again"
    )


def test_5_1_the_end_is_told_with_the_winner() -> None:
    for turn, news in enumerate(("Ada wins with 46 gold, Ben has 45", "Ben wins with 46 gold, Ada has 45")):
        events = told(at("a1", turn=turn, stage=4, throw=0, gold="45,45"), "dig a1")
        assert events[-1] == f"The board is empty: {news}"


def test_5_2_the_last_reburials_are_told() -> None:
    news = {
        34: None,
        35: "Ben may bury gold 9 more times",
        43: "Ben may bury gold 1 more time",
        44: "Ben may not bury gold any more",
    }
    for times, said in news.items():
        events = told(at("*", "a1 f6", turn=1, reburied=f"44,{times}"), "rebury a1")
        assert events[1:] == ([said] if said else [])


@pytest.mark.parametrize("overlay", [*OVERLAYS, "m3", "r5"])
def test_events_add_up_to_the_score_after_every_action(overlay: str) -> None:
    gold, kinds = [0, 0], Counter[str]()
    for seed in range(4):
        gold = [0, 0]
        for s, a, t in contract.random_game(china_gold, engine.start(china_gold, overlay=overlay), new_rng(seed)):
            for event in china_gold.events(s, a, t):
                kinds[event.kind] += 1
                if "points" in event.args:
                    assert int(event.args["points"]) > 0
                    gold[int(event.args["seat"])] += int(event.args["points"])
            assert gold == list(t.gold)
    assert {"line", "mountain", "river", "reburied", "put_away", "stage", "last_stage", "end"} <= kinds.keys()
    finished = [kinds[kind] for kind in ("mountain", "empty_mountain", "river", "empty_river")]
    assert finished[0] + finished[1] == finished[2] + finished[3] == 4 * 17


def test_everything_is_open() -> None:
    rng = new_rng(0)
    for s, a, _ in contract.random_game(china_gold, engine.start(china_gold, overlay="cascade"), new_rng(4)):
        for seat in (-1, 0, 1):
            v = engine.view(china_gold, s, seat, sight=True)
            china_gold.guess(v, seat, rng)
            assert bytes(v) == bytes(s) and china_gold.told(s, a, seat) == a


def test_the_sum_is_91_markers_and_can_fail() -> None:
    contract.check_sums(china_gold, at("*", "a1 k6"))
    with pytest.raises(contract.Broken, match="markers over board and players: 92"):
        contract.check_sums(china_gold, at("*", gold="1,0"))
    with pytest.raises(contract.Broken, match="both face down and open: 1"):
        contract.check_sums(china_gold, at(" ".join(SITES[:45]), SITES[0], gold="45,0"))


def test_a_screen_names_every_site_and_its_areas() -> None:
    s = at("*", "a3 b3 f11", throw=3)
    screen = china_gold.show(s).splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in screen[3:14]}
    for row, areas in zip("abcdefghijk", MOUNTAINS, strict=True):
        *cells, length = rows[row]
        names = [
            f"{mountain}~{' ABCDEFGHIJKLMNOPQ'.index(river)}"
            for mountain, river in zip(areas, areas[::-1], strict=True)
        ]
        assert [cell.rstrip("*") for cell in cells] == names and length == str(len(areas))
    assert [row + str(i) for row in rows for i, cell in enumerate(rows[row], 1) if "*" in cell] == ["a3", "b3", "f11"]
    assert screen[0].endswith("seat 0 digs 3 in line, or reburies one")
    others = " ".join(set(SITES) - {"a3", "b3"})
    row = china_gold.show(at(others, "b3")).splitlines()[3]
    assert row.split() == ["a", "A~3", "A~3", ".", "B~1", "C~1", "C~1", "6"]
    assert screen[16:20] == [
        "mountains A   B   C   D   E   F   G   H   I   J   K   L   M   N   O   P   Q",
        "          2+2 4   5   6   8   3   5   7   7   8   7   5+1 5   3   5   4   4",
        "rivers    ~1  ~2  ~3  ~4  ~5  ~6  ~7  ~8  ~9  ~10 ~11 ~12 ~13 ~14 ~15 ~16 ~17",
        "          4   3+1 5   5+1 8   2+1 5   7   7   8   7   6   5   3   5   4   4",
    ]


def test_a_letter_or_a_number_means_one_thing() -> None:
    """Rows have small letters, mountains capital ones, rivers numbers; a site is a letter with a number."""
    rows, mountains, rivers = {site[0] for site in SITES}, set(CALLED[0]), set(CALLED[1])
    assert not rows & mountains and all(river.isdigit() for river in rivers)
    assert len(mountains) == len(rivers) == 17
    for cell in re.findall(r"\S+~\S+", china_gold.show(at("*", "a3 f11"))):
        assert re.fullmatch(r"[A-Q]~1?\d\*?", cell) or cell in ("river", "~1:"), cell


def test_a_screen_fits() -> None:
    screens = [china_gold.show(engine.start(china_gold, overlay="gorge"))]
    for _, _, t in contract.random_game(china_gold, engine.start(china_gold), new_rng(1)):
        screens.append(china_gold.show(t))
    assert max(len(line) for screen in screens for line in screen.splitlines()) <= 80
    assert max(len(screen.splitlines()) for screen in screens) <= 24
    assert screens[0].startswith("ChinaGold, overlay gorge, stage 1: seat 0 throws 0/1 0/2 1/2")
    assert "the board is empty" in screens[-1] and any("digs one or two" in screen for screen in screens)


def test_positions_read_back() -> None:
    line = text.write_position(china_gold, at("a1 k6", "f6 f7", stage=3, overlay="cascade"))
    assert "north_down=a1 south_down=k6 north_open=f6 south_open=f7" in line and "overlay=cascade" in line
    assert text.write_position(china_gold, position(line)[1]) == line


@pytest.mark.parametrize("stage", [1, 2, 3])
def test_the_tablets_drawn_add_up_to_the_throw(stage: int) -> None:
    """Chance decides the sum alone; where two ways make it, both are seen."""
    used = [tuple(map(int, tablet.split("/"))) for tablet in tablets(stage)]
    seen = set()
    for thrown, throws in product(range(1, 7 - stage), (1, 2)):
        faces = china_gold.drawn(at("*", stage=stage, throw=thrown, throws=throws))["faces"]
        shown = [face for face in faces if face is not None]
        assert sum(shown) == thrown and all(face in sides for face, sides in zip(shown, used, strict=True))
        assert [face is not None for face in faces] == [tablet in tablets(stage) for tablet in china_gold.TABLETS]
        seen.add(tuple(shown))
    assert seen == set(product(*used))
    assert china_gold.drawn(at("*", turn="chance", active=0, stage=stage, throw=0))["faces"] == [None] * 3


@pytest.mark.parametrize(
    ("down", "stage", "longest"),
    [("*", 1, (5, 141)), ("a1 a2 a3 a4 a5 a6", 1, (5, 2)), ("*", 2, (4, 174)), ("k1 k2 k3 k4 k5", 3, (3, 3))],
)
def test_4_1_the_lines_on_which_the_stage_depends_are_counted(down: str, stage: int, longest: tuple[int, int]) -> None:
    drawn = china_gold.drawn(at(down, stage=stage))["longest"]
    assert (drawn["length"], drawn["left"]) == longest  # worked positions 1 and 2
    assert china_gold.drawn(at("a1 a2", stage=4, throw=0))["longest"] is None


def test_what_is_asked_says_whose_areas_and_how() -> None:
    assert china_gold.drawn(at("*", throw=3))["asks"] == {"what": "mountains", "n": "3"}
    assert china_gold.drawn(at("*", "a1", turn=1, throw=2))["asks"] == {"what": "rivers.rebury", "n": "2"}
    assert china_gold.drawn(at("*", "a1", throw=2, reburied="45,0"))["asks"] == {"what": "mountains", "n": "2"}
    assert china_gold.drawn(at("a1 a2", "a3", turn=1, stage=4, throw=0))["asks"] == {"what": "rivers.last"}
    assert china_gold.drawn(at("*", turn="chance", active=0, throw=0))["asks"] is None


def test_facts_tell_a_drawing_where_lines_run_and_which_tablets_are_thrown() -> None:
    facts = china_gold.FACTS
    line = [SITES.index("a1")]
    while (following := facts["next"][1][line[-1]]) >= 0:
        line.append(following)
    assert " ".join(SITES[site] for site in line) == "a1 b2 c3 d4 e5 f6 g6 h6 i6 j6 k6"  # worked position 4
    assert [sum(site >= 0 for site in way) for way in facts["next"]] == [80, 80, 80]  # 240 pairs, worked position 1
    assert [[facts["tablets"][i] for i in used] for used in facts["in_use"]] == [
        ["0/1", "0/2", "1/2"],
        ["0/2", "1/2"],
        ["0/1", "1/2"],
        [],
    ]
    assert facts["mountains"] == "".join(MOUNTAINS)
    assert facts["rivers"][0] == "".join(row[::-1] for row in MOUNTAINS)  # CG-1.3


def test_in_french_there_is_one_word_for_a_site_and_one_for_an_area() -> None:
    """Those of the printed rules, on the page, in the log and in the sheet alike; names of arguments stay."""
    said = [str(sentence) for sentence in catalogue("china_gold", "fr").values()]
    for words in (*said, sheet.read(china_gold, "fr")):
        assert not re.search(r"\b(sites?|zones?)\b", re.sub(r"\{\w+\}|`[^`]*`", "", words)), words
    assert any("région" in words for words in said) and any("secteur" in words for words in said)


def test_minutes_are_those_of_the_print() -> None:
    assert {catalogue("china_gold", language)["minutes"] for language in sentences.LANGUAGES} == {"30"}
