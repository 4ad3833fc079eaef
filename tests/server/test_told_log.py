"""The log as data: what the wire says of an action is what a seat was told, and its English says the same."""

import pytest
from support.local_server import Visitor

from motherlode import contract, engine, text
from motherlode.game import HIDDEN, Actions, Game, new_rng
from motherlode.games import GAMES
from motherlode.server import told_logs, wire
from motherlode.server.listener import PUBLIC


def told_to_all(game: Game, number: int) -> list[tuple[int, wire.Did, str]]:
    """Every action of a random game as every seat is told it: the true action, the entry, its words."""
    found: list[tuple[int, wire.Did, str]] = []
    opening = engine.start(game, game.SEATS[-1])
    for at, (s, a, t) in enumerate(contract.random_game(game, opening, new_rng(number))):
        seats = range(PUBLIC, s.seats)
        found += [(a, told_logs.tell(game, at, s, a, t, seat), text.tell(game, s, a, seat).words) for seat in seats]
    return found


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_an_entry_says_in_data_what_it_says_in_words(game: Game) -> None:
    kinds, hidden = set(), 0
    for number in range(2):
        for a, did, words in told_to_all(game, number):
            table: Actions = game.ACTIONS if did.actor >= 0 else game.OUTCOMES
            assert did.words == words
            assert did.words.startswith(" ".join([did.verb, *did.args.values()]))
            assert ("(" in did.words) == (did.turned_up is not None)
            if did.action is None:
                hidden += 1
                assert did.args == {} and did.words.startswith(f"{did.verb} ?")
            else:
                assert did.action == a and did.args == table.args(a)
            if did.turned_up:
                kinds.add(did.turned_up.kind)
                assert all(word in did.words for name, word in did.turned_up.args.items() if name != "place")
    is_ever_shown = any(field.name == "shown" and field.high for field in game.FIELDS)
    assert bool(kinds) == is_ever_shown and all(kind.isidentifier() for kind in kinds)
    steps = contract.random_game(game, engine.start(game), new_rng(0))
    assert bool(hidden) == any(game.told(s, a, PUBLIC) == HIDDEN for s, a, _ in steps)


@pytest.mark.parametrize(("name", "verb"), [("goldmine", "look"), ("blue_creek", "swap")])
def test_only_those_who_saw_it_are_told_what_was_turned_up(name: str, verb: str) -> None:
    game, secrets = GAMES[name], 0
    for at, (s, a, t) in enumerate(contract.random_game(game, engine.start(game, game.SEATS[-1]), new_rng(3))):
        everything = told_logs.tell(game, at, s, a, t, None)
        for seat in range(PUBLIC, s.seats):
            did = told_logs.tell(game, at, s, a, t, seat)
            is_shown = bool(engine.view(game, t, seat).shown[2])
            assert did.turned_up == (everything.turned_up if is_shown else None)
            secrets += did.verb == verb and everything.turned_up is not None and not is_shown
    assert secrets, "nothing was turned up in secret: nothing was tested"


def test_the_log_of_a_table_is_data(ada: Visitor) -> None:
    key = ada.make("goldmine", "me", "greedy")["id"]
    did = ada.get(f"/api/tables/{key}/log", seat=0)["did"]
    trump, mine = did[0], next(entry for entry in did if entry["verb"] == "deal" and entry["action"] is not None)
    assert trump["verb"] == "trump" and trump["words"] == f"trump {trump['args']['card']}" and trump["actor"] == -1
    assert mine["words"] == f"deal {mine['args']['card']}" and mine["turned_up"] is None
    theirs = next(entry for entry in did if entry["action"] is None)
    assert theirs["verb"] == "deal" and theirs["args"] == {} and theirs["words"] == "deal ?"
