"""Bots that forget: from perfect memory down to sight, at a steady rate, and the same every time."""

import pytest

from motherlode import Table, bots, engine
from motherlode.bots import memory
from motherlode.game import CHANCE, UNSEEN, Game, new_rng
from motherlode.games import GAMES
from motherlode.table import Ask, Told

mount_goldrush = GAMES["mount_goldrush"]

MEMORY_GAMES = [game for game in GAMES.values() if game.recalled_places is not None]
GAME = pytest.mark.parametrize("game", MEMORY_GAMES, ids=lambda game: game.NAME)


def asks(game: Game, seats: int, decisions: int) -> list[Ask]:
    """What a random game asks its players."""
    table, random = Table(game, seats, seed=seats), bots.make("random")
    asked: list[Ask] = []
    while not table.is_over and len(asked) < decisions:
        asked.append(table.ask()._replace(log=list(table.told(table.turn))))
        table.act(random(asked[-1], table.rng))
    return asked


def test_the_games_in_which_something_can_be_forgotten_say_what_is_seen() -> None:
    forgetful = set()
    for game in GAMES.values():
        for ask in asks(game, game.SEATS[0], 60):
            sight = engine.copy(ask.view)
            game.forget(sight, ask.seat, 0)
            if bytes(sight) != bytes(ask.view):
                forgetful.add(game.NAME)
    assert forgetful == {game.NAME for game in MEMORY_GAMES} == {"mount_goldrush", "blue_creek", "goldmine"}


@GAME
def test_100_is_perfect_memory_and_0_is_sight(game: Game) -> None:
    for ask in asks(game, game.SEATS[-1], 60):
        assert bytes(memory.remembered_view(ask, 100)) == bytes(ask.view)
        sight = engine.copy(ask.view)
        game.forget(sight, ask.seat, 0)
        assert bytes(memory.remembered_view(ask, 0)) == bytes(sight)


def turned(*places: int) -> list[Told]:
    """A log in which these cards of Mount Goldrush were turned."""
    log = []
    for place in places:
        log += [Told(0, place, bytes(3)), Told(CHANCE, 0, bytes(3))]
    return log


def kept(recall: int, log: list[Told], seat: int = 0) -> int:
    return memory.remembered_places(Ask(mount_goldrush, seat, mount_goldrush.RECORD(), [], log), recall)


def test_each_sight_fades_at_the_rate_of_the_recall() -> None:
    """After k more cards, recall^k of the places are still known: the documented curve."""
    for recall, after in [(90, 5), (90, 20), (70, 2), (97, 40)]:
        known = total = 0
        for number in range(40):
            order = [(number + 7 * i) % 64 for i in range(64)]
            bits = kept(recall, turned(*order), number)
            known += bits >> order[63 - after] & 1
            total += 1
        expected = (recall / 100) ** after
        assert abs(known / total - expected) < 3 * (expected * (1 - expected) / total) ** 0.5


def test_what_is_forgotten_stays_forgotten_until_it_is_seen_again() -> None:
    order = [5 * i % 64 for i in range(64)]
    was = [kept(85, turned(*order[: n + 1])) for n in range(64)]
    for n in range(1, 64):
        assert was[n] & ~was[n - 1] & ~(1 << order[n]) == 0
    assert all(was[n] >> order[n] & 1 for n in range(64))
    gone = next(place for place in order if not was[63] >> place & 1)
    assert kept(85, turned(*order, gone)) >> gone & 1


def test_two_seats_forget_different_things_and_each_the_same_every_time() -> None:
    log = turned(*range(40))
    assert kept(90, log, 0) == kept(90, log, 0) != kept(90, log, 1)


def test_a_forgetful_bot_knows_less_than_its_view() -> None:
    seen: list[int] = []

    def player(ask: Ask, rng: object) -> int:
        seen.append(sum(card != UNSEEN for card in ask.view.card))
        return ask.legal[0]

    last = asks(mount_goldrush, 2, 40)[-1]
    for recall in (100, 90, 0):
        memory.bot(player, recall)(last, new_rng(1))
    assert seen[0] > seen[1] > seen[2]
