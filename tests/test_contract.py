"""The promises of the contract, for all games and all their options."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motherlode import contract, engine
from motherlode.game import Actions, Game, Kind, Record, Rng, TurnedUp, new_rng, rule
from motherlode.games import GAMES

GAME = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def test_every_game_has_its_folder() -> None:
    folder = Path(engine.__file__).parent / "games"
    for name in GAMES:
        files = {path.name for path in (folder / name).iterdir()}
        assert {"rules.py", "events.py", "showing.py", "sheet.md", "sheet.fr.md"} <= files


@GAME
def test_the_contract_is_kept(game: Game) -> None:
    contract.check(game, games=1)


@GAME
@settings(max_examples=6)
@given(data=st.data())
def test_any_game_keeps_the_contract(game: Game, data: st.DataObject) -> None:
    """Any seat count, any value of every option, any seed."""
    options = {option.name: data.draw(st.sampled_from(option.values)) for option in game.OPTIONS}
    contract.check_play(game, data.draw(st.sampled_from(game.SEATS)), options, data.draw(st.integers(0, 2**31)))


@GAME
def test_points_are_a_zero_sum_utility(game: Game) -> None:
    for seats in game.SEATS:
        s = engine.start(game, seats)
        engine.playout(game, s, new_rng(seats))
        assert sum(engine.utility(game, s)) == pytest.approx(0)


def broken(game: Game, **changes: object) -> Game:
    """The game with some of its functions replaced."""
    changed = Game(game.__name__)
    vars(changed).update(vars(game))
    vars(changed).update(changes)
    return changed


def goldmine_with(**changes: object) -> Game:
    return broken(GAMES["goldmine"], **changes)


def test_a_broken_promise_is_caught() -> None:
    """Every check can fail: each plant breaks one promise."""
    real = GAMES["goldmine"]

    def lose_a_point(s: Record, a: int) -> None:
        real.apply(s, a)
        if s.points[0] > 5:
            s.points[0] -= 1

    def count_one_more(s: Record, bits: list[int]) -> int:
        return real.legal(s, bits) + 1

    def never_seven(s: Record, rng: Rng) -> int:
        assert real.draw is not None
        a = real.draw(s, rng)
        return a if a != real.A_GOLD + 5 or not real.unseen_gold(s) & 1 else real.A_GOLD

    def leave_bits(s: Record, bits: list[int]) -> int:
        before = bits[0]
        counted = real.legal(s, bits)
        if s.phase == real.LEAD:
            bits[0] |= before & 1
        return counted

    for plant, said in (
        (goldmine_with(apply=lose_a_point), "which should always be"),
        (goldmine_with(legal=count_one_more), "legal counts"),
        (goldmine_with(legal=leave_bits), "legal writes every word"),
        (goldmine_with(why=lambda s, a: "GM-9.9"), "names GM-9.9, which is not in the sheet"),
        (goldmine_with(LENGTH=23), "24 decisions, and LENGTH is 23"),
        (goldmine_with(winners=lambda s: 0), "somebody wins"),
        (goldmine_with(hidden=lambda s: "discard ?"), "is a verb of the game"),
        (goldmine_with(turned_up=lambda s: TurnedUp("gold", {"value": "a lot"}, "a lot")), "in words of the game's"),
    ):
        with pytest.raises(contract.Broken, match=said):
            contract.check_play(plant, 2, {"target": 0}, 1)
    with pytest.raises(contract.Broken, match="draw follows odds"):
        contract.check_draw(goldmine_with(draw=never_seven, NAME="goldmine with no seven"))


def test_broken_clues_are_caught() -> None:
    real = GAMES["claimpoker"]
    tell = real.clues
    assert tell is not None

    def leave_one(s: Record, me: int, out: list[int], at: int) -> None:
        before = out[at + 7]
        tell(s, me, out, at)
        out[at + 7] = before

    def too_many(s: Record, me: int, out: list[int], at: int) -> None:
        tell(s, me, out, at)
        out[at + 50] = 2  # odd or not

    for plant, said in ((leave_one, "clues write every column"), (too_many, "clues are in their bounds")):
        with pytest.raises(contract.Broken, match=said):
            contract.check_secrets(broken(real, clues=plant), 3, {}, 1)


Leaks = Callable[[Game, Record, int], bool]
LEAKS: list[tuple[str, str, Leaks]] = [
    ("gold_hunting", "marker", lambda game, s, a: s.phase == game.MARKERS),
    ("gold_hunting", "place", lambda game, s, a: s.phase == game.BUILDING),
    ("gold_hunting", "place", lambda game, s, a: s.phase == game.REBUILDING),
    ("goldmine", "deal", lambda game, s, a: s.phase == game.DEAL),
    ("goldmine", "draw", lambda game, s, a: s.phase == game.DRAW),
    ("goldmine", "gold", lambda game, s, a: s.phase == game.SIGHT),
    ("goldmine", "discard", lambda game, s, a: s.phase == game.ACT),
    ("goldmine", "discard", lambda game, s, a: s.phase == game.ACT and a < game.DISCARD + 6),
    ("blue_creek", "tool", lambda game, s, a: s.phase == game.DEAL),
    ("blue_creek", "place", lambda game, s, a: s.phase == game.PLACING),
    ("blue_creek", "robbed", lambda game, s, a: s.phase == game.LOOT),
]
TO_ONE = [(*LEAKS[at], to) for at in (2, 6, 8) for to in (-1, 0, 1)]


@pytest.mark.parametrize(("name", "verb", "leaks", "to"), [*((*leak, None) for leak in LEAKS), *TO_ONE])
def test_a_told_secret_is_caught(
    name: str, verb: str, leaks: Leaks, to: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told to all, or to one seat or the public alone. The check knows nothing of the game: it finds that what was told
    is not in the view."""
    game = GAMES[name]
    honest = game.told

    @rule
    def told(s: Record, a: int, seat: int) -> int:
        return a if to in (None, seat) and leaks(game, s, a) else honest(s, a, seat)

    monkeypatch.setattr(game, "told", told)
    said = f"seat {'-?[0-9]' if to is None else to} is told '{verb} .*' apart, but its view afterwards does not keep"
    with pytest.raises(contract.Broken, match=said):
        contract.check(game, games=1)


FIELDS = GAMES["goldmine"].FIELDS


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"FIELDS": FIELDS[1:]}, "FIELDS begin with turn, seats, target"),
        ({"FIELDS": (*FIELDS[:2], *FIELDS[3:])}, "FIELDS begin with turn, seats, target"),
        ({"FIELDS": [field for field in FIELDS if field.name != "shown"]}, "one of the FIELDS is shown"),
        ({"FIELDS": (*FIELDS, FIELDS[-1])}, "every field has a name of its own: points"),
        ({"SEATS": (2, 6)}, "a game has at most 5 seats"),
        ({"ACTIONS": Actions(Kind("pass", (), "GM-3.2"), Kind("pass", (), "GM-3.2"))}, "two actions are named 'pass'"),
        ({"ACTIONS": Actions(Kind("pass", (), "3.2"))}, "pass names its clause, such as XY-3.2"),
        ({"ACTIONS": Actions(Kind("pass", (), "GM-9.9"))}, "pass names GM-9.9, which is not in the sheet"),
        ({"draw": lambda s, rng: 0}, "draw is marked @rule"),
        ({"NAME": "silvermine"}, "silvermine: a game is named after its folder or file, here goldmine"),
    ],
)
def test_faulty_tables_are_caught(changes: dict[str, object], said: str) -> None:
    contract.check_data(goldmine_with())
    with pytest.raises(contract.Broken, match=re.escape(said)):
        contract.check_data(goldmine_with(**changes))
