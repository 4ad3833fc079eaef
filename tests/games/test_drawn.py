"""What `drawn` tells a board: it agrees with the rules, and a view alone decides it."""

import json
from collections.abc import Iterator
from itertools import product

import pytest

from motherlode import contract, engine
from motherlode.game import HIDDEN, OVER, Game, Record, new_rng
from motherlode.games import GAMES
from motherlode.games.china_gold.events import called, line_of
from motherlode.games.china_gold.showing import is_down

GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def positions(game: Game, games: int = 2, **options: object) -> Iterator[tuple[Record, int, Record]]:
    """Every step of some random games with every number of players."""
    for seats, number in product(game.SEATS, range(games)):
        yield from contract.random_game(game, engine.start(game, seats, **options), new_rng(number, seats))


@GAME
def test_a_view_is_drawn_as_plain_json_and_reading_it_changes_nothing(game: Game) -> None:
    for step, (_, _, t) in enumerate(positions(game, 1)):
        for seat in range(-1, t.seats if step % 5 == 0 else -1):
            for sight in (False, True):
                view = engine.view(game, t, seat, sight=sight)
                before = bytes(view)
                assert json.dumps(game.drawn(view)) == json.dumps(game.drawn(view))
                assert bytes(view) == before


@pytest.mark.parametrize("scoring", ["both", "winner"])
def test_goldmine_is_drawn_as_it_is_played(scoring: str) -> None:
    game = GAMES["goldmine"]
    for s, a, t in positions(game, 4, target=50, scoring=scoring):
        drawn = game.drawn(s)
        assert [sum(taken) + before for taken, before in zip(drawn["taken"], drawn["before"], strict=True)] == list(
            s.points
        )
        if s.trump >= 0:
            led = next(card for card in range(18) if card // 6 != s.trump // 6)
            others = [card for card in range(18) if card // 6 != led // 6]
            assert [card for card in others if game.beats(card, led, s.trump)] == drawn["trumps"]
        assert drawn["gone"] == [(s.played[x] | s.thrown[x]).bit_count() for x in range(2)]
        if s.phase == game.LEAD:
            assert s.turn == drawn["leader"]
        if s.turn >= 0:
            verb = game.ACTIONS.read(a)[0].verb
            assert verb in ("look", drawn["use"])
        if t.turn == OVER or t.trick > s.trick:
            assert game.drawn(t)["last"] == {"seat": t.won[1] >> s.trick & 1, "value": t.gold[s.trick]}
        if s.phase == game.DRAW:
            assert game.drawn(t)["deck"] == drawn["deck"] - 1


@pytest.mark.parametrize("overlay", GAMES["china_gold"].OVERLAYS)
def test_china_gold_foretells_what_a_dig_finishes(overlay: str) -> None:
    game = GAMES["china_gold"]
    for step, (s, _, _) in enumerate(contract.random_game(game, engine.start(game, 2, overlay=overlay), new_rng(1))):
        drawn = game.drawn(s)
        if s.turn < 0:
            assert drawn["finishes"] == {}
        if s.turn < 0 or step % 5:
            continue
        for a in engine.legal(game, s):
            t, found = engine.after(game, s, a), drawn["finishes"].get(a, [])
            gains = [sum(end["gold"] for end in found if end["seat"] == x) for x in range(2)]
            assert gains == [t.gold[x] - s.gold[x] for x in range(2)]
            done = [(x, called(x, letter)) for x in range(2) for letter in closed(t, x) - closed(s, x)]
            assert sorted(done) == sorted((end["seat"], end["area"]) for end in found)
            if a < game.REBURY:
                assert len(line_of(s, a)) == (1 if a < game.LINE else max(drawn["lengths"]))


def closed(s: Record, seat: int) -> set[str]:
    """The areas of a seat without a face-down marker."""
    game = GAMES["china_gold"]
    letters = game.MAPS[0 if seat == 0 else 1 + s.overlay]
    return set(letters) - {letter for site, letter in enumerate(letters) if is_down(s, site)}


@pytest.mark.parametrize("accident", [0, 2])
def test_gold_hunting_tells_the_builder_where_pieces_may_go(accident: int) -> None:
    """A whole range can be drafted from the table of one view: it allows what the rules allow at every step."""
    game, rng, drafts = GAMES["gold_hunting"], new_rng(5), 0
    for s, _, _ in positions(game, 6, accident=accident):
        is_building = s.phase in (game.BUILDING, game.REBUILDING)
        for seat in (-1, 0, 1):
            table = game.drawn(engine.view(game, s, seat))["sites"]
            assert (table is not None) == (is_building and seat == s.turn)
        if not is_building:
            continue
        table, t, drafts = game.drawn(engine.view(game, s, s.turn))["sites"], engine.copy(s), drafts + 1
        while (t.phase, t.turn) == (s.phase, s.turn):
            legal = engine.legal(game, t)
            piles = {(one - game.PLACE) % 4 for one in legal}
            allowed = table[game.pieces(t.unbuilt, t.turn)][game.standing(t, t.turn)]
            assert piles == {pile for pile in range(4) if allowed >> pile & 1}
            t = engine.after(game, t, legal[game.below(rng, len(legal))])
    assert drafts > 20


def test_gold_hunting_tells_who_builds_behind_a_screen() -> None:
    game = GAMES["gold_hunting"]
    for s, _, _ in positions(game, 4, accident=3):
        for seat in range(-1, 2):
            view = engine.view(game, s, seat)
            for x in range(2):
                if x != seat:
                    assert game.drawn(view)["screens"][x] == (view.unbuilt[3 * x] == HIDDEN)


def test_blue_creek_counts_gold_only_where_all_of_it_is_known() -> None:
    game = GAMES["blue_creek"]
    unknown = 0
    for _, _, t in positions(game, 3):
        for seat in range(-1, t.seats):
            for sight in (False, True):
                view = engine.view(game, t, seat, sight=sight)
                drawn = game.drawn(view)
                for x in range(t.seats):
                    owned = [card for card in range(16) if game.owned(t, x) >> card & 1]
                    assert drawn["owned"][x] in (owned, None)
                    assert drawn["gold"][x] in (game.points_of(game.owned(t, x)), None)
                    assert x != seat or drawn["owned"][x] == owned
                    unknown += drawn["owned"][x] is None
    assert unknown


def test_blue_creek_ticks_what_is_found_until_the_gold_is_won() -> None:
    game = GAMES["blue_creek"]
    wins = 0
    for s, a, t in positions(game, 6):
        if s.phase != game.SEARCH:
            continue
        drawn = game.drawn(engine.view(game, s, s.turn, sight=True))
        place = drawn["search"]
        found = drawn["found"][place]
        needs = game.FACTS["gold"][s.river[place]]["needs"]
        card = s.card[a - game.REVEAL]
        assert len(found) == len(needs) and not all(found)
        is_won = found.count(False) == 1 and card in [
            need for need, is_found in zip(needs, found, strict=True) if not is_found
        ]
        assert (t.won[s.mover] != s.won[s.mover]) == is_won
        wins += is_won
    assert wins > 20


def test_mount_goldrush_tells_what_became_of_the_cards() -> None:
    game = GAMES["mount_goldrush"]
    fates = set()
    for s, _, t in positions(game, 2):
        drawn = game.drawn(t)
        assert drawn["gold"] == [game.gold_of(t, x) for x in range(t.seats)]
        assert drawn["left"] == 64 - sum(t.gone) - sum(t.golds)
        if t.mover == s.mover or t.game != s.game:
            continue
        assert len(drawn["turned"]) == game.drawn(s)["turns"]
        left = sum(t.gone) - sum(s.gone)
        told = [one["fate"] for one in drawn["turned"]]
        assert told.count("left") == left and told.count("got") == sum(t.golds) - sum(s.golds)
        fates |= set(told)
    assert fates == {"lies", "got", "left"}


def test_mount_goldrush_does_not_count_gold_that_is_forgotten() -> None:
    game = GAMES["mount_goldrush"]
    unknown = 0
    for _, _, t in positions(game, 1):
        for seat in range(t.seats):
            gold = game.drawn(engine.view(game, t, seat, sight=True))["gold"]
            assert all(gold[x] in (game.gold_of(t, x), None) for x in range(t.seats)) and gold[seat] is not None
            unknown += gold.count(None)
    assert unknown


def test_claimpoker_names_the_card_a_gift_stands_for() -> None:
    game = GAMES["claimpoker"]
    for s, a, t in positions(game, 1):
        named = game.drawn(s)["stands_for"]["which"]
        if s.turn < 0 or s.phase != game.GIVING:
            assert named == {} or s.turn < 0
            continue
        args = game.ACTIONS.read(a)[1]
        look = game.NAMES.index(named[("first", "second")[args[0]]])
        if t.round == s.round and t.phase != game.ANSWERING:
            assert game.count(t.held[args[1]] & game.ALIKE[look]) == game.count(s.held[args[1]] & game.ALIKE[look]) + 1


def test_claimpoker_names_the_tops_that_two_piles_stand_for() -> None:
    game = GAMES["claimpoker"]
    for s, a, t in positions(game, 1):
        named = game.drawn(s)["stands_for"]["piles"]
        if s.turn < 0 or s.phase != game.TAKING:
            assert named == {}
            continue
        assert len(named) == len([one for one in engine.legal(game, s) if one < game.GIVE])
        pair = game.ACTIONS.read(a)[0].args[0].words[game.ACTIONS.read(a)[1][0]]
        for name, look in zip(named[pair].split(), game.drawn(t)["taken"], strict=True):
            assert name == ("unseen" if look < 0 else game.NAMES[look])


def test_blue_creek_asks_for_what_is_still_missing() -> None:
    game, asked = GAMES["blue_creek"], set()
    for s, _, _ in positions(game, 6, dealing="chosen"):
        drawn = game.drawn(engine.view(game, s, s.turn, sight=True))
        asks = dict(drawn["asks"])
        what = asks.pop("what", None)
        if s.phase == game.SEARCH:
            needed = game.FACTS["gold"][s.river[s.sought]]["needs"]
            found = drawn["found"][s.sought]
            missing = [game.EQUIPMENT[n] for n, is_found in zip(needed, found, strict=True) if not is_found]
            assert list(asks.values()) in ([f"a-{tool}" for tool in missing], [str(len(missing))])
            assert what == (f"tools{len(missing)}" if "n" not in asks else "bottles")
        elif s.phase == game.SWAPPING and what:
            own = [game.EQUIPMENT[s.card[slot]] for slot in game.FACTS["slots"][s.turn] if s.up >> slot & 1]
            assert (what, asks) == ("tool", {"tool": f"the-{own[0]}"}) and len(own) == 1
        elif s.phase == game.GIVING:
            assert (what, asks) == ("next", {"seat": str(s.sought)})
        else:
            assert what is None
        asked.add(what)
    assert asked == {None, "tools1", "tools2", "tools3", "bottles", "tool", "next"}
