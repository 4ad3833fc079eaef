"""Decks shuffled from a seed or a secret: exactly uniform, whatever is given, and whatever the order of play."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import permutations, product

import pytest
from support import two_piles
from support.two_piles import GAME

from motherlode import bots, contract, engine, proof, text
from motherlode.game import CHANCE, Bits, Game, Record, Source, Thing, below, new_rng
from motherlode.games import GAMES
from motherlode.shuffles import Shuffles, seeded, shuffle
from motherlode.table import Table

SECRET = bytes(range(32))
SOURCED = pytest.mark.parametrize("game", [game for game in GAMES.values() if game.source], ids=lambda game: game.NAME)


def test_a_shuffle_is_exactly_uniform() -> None:
    numbers = product(*(range(4 - step) for step in range(3)))
    orders = [tuple(shuffle(4, lambda step, _, chosen=chosen: chosen[step])) for chosen in numbers]  # type: ignore[misc]
    assert sorted(orders) == sorted(permutations(range(4)))
    assert shuffle(1, lambda *_: 1 / 0) == [0] and shuffle(0, lambda *_: 1 / 0) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("order", [partial(seeded, 5, 0), partial(proof.order, SECRET)], ids=["seed", "secret"])
def test_every_deck_is_shuffled_by_itself(order: partial[list[int]]) -> None:
    assert order(0, 64) == order(0, 64) != order(1, 64) and sorted(order(1, 64)) == list(range(64))
    seen = Counter(tuple(order(deck, 3)) for deck in range(600))
    assert contract.far_off(seen, dict.fromkeys(permutations(range(3)), 1.0)) < contract.SURE


def test_a_seed_and_its_streams_shuffle_differently() -> None:
    orders = [seeded(number, stream, 0, 30) for number in range(10) for stream in range(10)]
    assert len({tuple(order) for order in orders}) == 100


def decks_in_every_order(*decks: list[Thing]) -> Iterator[Shuffles]:
    for orders in product(*(permutations(range(len(things))) for things in decks)):
        shuffles = Shuffles(GAME, lambda number, _, orders=orders: list(orders[number]))  # type: ignore[misc]
        for number, things in enumerate(decks):
            shuffles.add(number, things)
        yield shuffles


def rest(shuffles: Shuffles, deck: int, positions: list[int]) -> tuple[int, ...]:
    return tuple(shuffles.thing(deck, position) for position in positions)


@pytest.mark.parametrize("given", [(0,), (1,), (0, 0), (1, 0), (0, 1), (2, 1, 0)])
def test_what_is_given_leaves_the_rest_exactly_uniform(given: tuple[int, ...]) -> None:
    things: list[Thing] = [0, 0, 0, 1, 1, 2]
    left = [*things]
    for thing in given:
        left.remove(thing)
    wanted, seen = Counter(permutations(left)), Counter[tuple[int, ...]]()
    for shuffles in decks_in_every_order(things):
        for position, thing in zip((4, 0, 2), given, strict=False):
            shuffles.put(0, position, thing)
        assert rest(shuffles, 0, [4, 0, 2][: len(given)]) == given
        seen[rest(shuffles, 0, [p for p in range(6) if p not in [4, 0, 2][: len(given)]])] += 1
    assert {order: times / seen.total() for order, times in seen.items()} == {
        order: times / wanted.total() for order, times in wanted.items()
    }


@pytest.mark.parametrize("given", [(7,), (8,), (5,), (7, 5), (7, 7), (8, 7)])
def test_what_is_given_through_references_leaves_the_rest_exactly_uniform(given: tuple[int, ...]) -> None:
    """Deck 0 refers to two positions of deck 2, deck 1 to the third: seen together, as a table would."""
    decks: list[list[Thing]] = [[5, (2, 0), (2, 1)], [6, (2, 2)], [7, 7, 8]]

    def cards(shuffles: Shuffles) -> tuple[int, ...]:
        return rest(shuffles, 0, [0, 1, 2]) + rest(shuffles, 1, [0, 1])

    wanted, seen = Counter[tuple[int, ...]](), Counter[tuple[int, ...]]()
    for shuffles in decks_in_every_order(*decks):
        if cards(shuffles)[: len(given)] == given:
            wanted[cards(shuffles)] += 1
    for shuffles in decks_in_every_order(*decks):
        for position, thing in enumerate(given):
            shuffles.put(0, position, thing)
        seen[cards(shuffles)] += 1
    assert {order: times / seen.total() for order, times in seen.items()} == pytest.approx(
        {order: times / wanted.total() for order, times in wanted.items()}
    )


def test_what_lies_there_anyway_changes_nothing() -> None:
    decks: list[list[Thing]] = [[5, (2, 0), (2, 1)], [6, (2, 2)], [7, 7, 8]]
    for shuffles in decks_in_every_order(*decks):
        before = rest(shuffles, 0, [0, 1, 2]), rest(shuffles, 1, [0, 1])
        for deck, position in ((0, 1), (1, 0), (0, 2), (1, 1), (0, 0)):
            shuffles.put(deck, position, before[deck][position])
            assert (rest(shuffles, 0, [0, 1, 2]), rest(shuffles, 1, [0, 1])) == before


def test_a_copy_draws_ahead() -> None:
    s = engine.after(GAME, engine.start(GAME), 0)
    shuffles = Shuffles(GAME, partial(seeded, 1, 0))
    ahead = shuffles.copy()
    ahead.fix(s, 5)
    assert ahead.outcome(s) == 5 and not shuffles.decks
    shuffles.fix(s, shuffles.outcome(s))
    later = shuffles.copy()
    later.put(0, 1, 5)
    assert 1 not in shuffles.decks[0].fixed and not shuffles.decks[2].fixed >= later.decks[2].fixed


def test_what_cannot_be_is_refused() -> None:
    s = engine.after(GAME, engine.start(GAME), 0)
    shuffles = Shuffles(GAME, partial(seeded, 1, 0))
    with pytest.raises(ValueError, match="no 3 is left for position 0 of deck 0"):
        shuffles.fix(s, 3)
    shuffles.fix(s, 1)
    with pytest.raises(ValueError, match="position 0 of deck 0 is drawn twice"):
        shuffles.fix(s, 0)


# Tables


def play(table: Table, *piles: int) -> list[str]:
    for pile in piles:
        table.act(pile)
    return text.write_record(table.record()).partition("\n\n")[2].split("\n")


def cards(table: Table) -> dict[tuple[int, int], int]:
    """What was turned up, by pile and height."""
    pairs = zip(table.positions, table.log, strict=False)
    return {(s.pile, s.turned[s.pile]): a for s, a in pairs if s.turn == CHANCE}


def test_whoever_turns_a_card_up_first_finds_the_same() -> None:
    deals = set()
    for seed in range(20):
        one, two, three = (Table(GAME, seed=seed) for _ in range(3))
        play(one, 0, 0, 0, 0, 0, 1, 1, 1)
        play(two, 1, 0, 1, 0, 1, 0, 0, 0)
        play(three, 0, 1)
        assert cards(one) == cards(two) == cards(one) | cards(three)
        deals.add(tuple(sorted(cards(one).items())))
    assert len(deals) > 15


def test_players_random_numbers_do_not_disturb_the_deal() -> None:
    one, two = Table(GAME, seed=3), Table(GAME, seed=3)
    one.play(*[bots.make("random", GAME)] * 2)
    for _ in range(10):
        below(two.rng, 7)
    two.play(*[bots.make("random", GAME)] * 2)
    assert one.log != two.log and cards(one) == cards(two)
    assert cards(Table(GAME, seed=3, stream=1)) == {}


def test_undo_leaves_the_deal_as_it_lies() -> None:
    table, same = Table(GAME, seed=8), Table(GAME, seed=8)
    play(table, 0, 0, 1)
    play(same, 0, 0, 1, 1, 1, 0, 0, 0)
    for _ in range(3):
        table.undo()
    play(table, 1, 1, 1, 0, 0, 0, 0, 0)
    assert table.is_over and cards(table) == cards(same)


def test_what_was_given_and_is_taken_back_counts_no_longer() -> None:
    half, whole = Table(GAME, seed=8), Table(GAME, seed=9)
    play(half, 0, 1, 0)
    play(whole, 0, 1, 0, 1, 0, 1, 0, 0)
    table = Table.resume(half.record(), seed=9)
    for _ in range(3):
        table.undo()
    play(table, 0, 1, 0, 1, 0, 1, 0, 0)
    assert cards(table) == cards(whole) != cards(whole) | cards(half)


def test_a_record_goes_on_with_the_deal_of_its_seed() -> None:
    whole = Table(GAME, seed=8)
    play(whole, 0, 1, 0, 1, 0, 1, 0, 0)
    half = Table(GAME, seed=8)
    play(half, 0, 1, 0)
    same, other = Table.resume(half.record(), seed=8), Table.resume(half.record(), seed=9)
    for table in (same, other):
        play(table, 1, 0, 1, 0, 0)
        assert table.is_over
    assert same.log == whole.log != other.log and other.log[:6] == whole.log[:6]
    assert Counter(cards(other).values()) == Counter(cards(whole).values())


def test_a_game_without_a_source_draws_as_before() -> None:
    plain = with_source(source=None, deck=None)
    table, rng = Table(plain, seed=4), new_rng(4)
    table.act(0)
    ahead = table.chance.copy()
    assert table.log[1] == engine.draw(plain, table.positions[1], rng)
    table.act(1)
    assert table.log[3] == ahead.outcome(table.positions[3], 3) == engine.draw(plain, table.positions[3], rng)


def test_the_card_at_place_12_is_the_same_whoever_turns_it_first() -> None:
    game = GAMES["mount_goldrush"]
    found = []
    for secret in (bytes(32), SECRET):
        for before in ([], ["turn 3", "turn 60"], ["turn 7", "turn 3", "turn 40"], ["turn 5"]):
            played = text.Played(game, 3, engine.check_options(game, {}), [])
            for table in (
                Table.replay(played, chance=proof.chance(game, secret, text.DECKS)),
                Table(game, 3, seed=int.from_bytes(secret[:4])),
            ):
                for action in [*before, "turn 12"]:
                    table.act(action)
                found.append(text.name(game, table.positions[-2], table.log[-1]))
    assert [len(set(found[at : at + 8 : 2])) for at in (0, 1, 8, 9)] == [1, 1, 1, 1] and len(set(found)) > 1


# Proofs


def proved(*piles: int, given: int = 0) -> text.Played:
    """A whole game dealt by a secret; its first actions come from another."""
    first = Table(GAME, seed=2)
    play(first, *piles)
    played = text.Played(GAME, 2, {}, first.log[:given], seals=(text.Seal(given, proof.commit(SECRET), SECRET.hex()),))
    table = Table.replay(played, chance=proof.chance(GAME, SECRET, "decks"))
    play(table, *piles[given // 2 :])
    played = played._replace(actions=table.log, given=given, drawn="decks")
    return played._replace(chain=proof.chain(played).hex())


@pytest.mark.parametrize("given", [0, 2, 6])
def test_a_proof_by_decks_is_checked(given: int) -> None:
    played = proved(0, 1, 0, 1, 0, 1, 0, 0, given=given)
    assert proof.verify(played)[:3] == (True, True, True)
    s = played.start()
    for at, a in enumerate(played.actions):
        others = [b for b in engine.legal(GAME, s) if b != a] if s.turn == CHANCE and at >= given else []
        for other in others:
            changed = played._replace(actions=[*played.actions[:at], other, *played.actions[at + 1 :]])
            assert proof.wrong_outcome(changed) == at
        GAME.apply(s, a)
    otherwise = played._replace(drawn="")
    assert proof.verify(otherwise).chance is False and proof.verify(otherwise).chain is False


def test_proofs_by_decks_agree_whatever_the_order_of_play() -> None:
    one, two = proved(0, 0, 0, 0, 0, 1, 1, 1), proved(1, 0, 1, 0, 1, 0, 0, 0)
    assert cards(Table.resume(one)) == cards(Table.resume(two))


@SOURCED
def test_records_say_how_they_were_drawn(game: Game) -> None:
    table = Table(game, seed=1)
    played = table.record()._replace(drawn="decks")
    written = text.write_record(played)
    assert "\ndrawn: decks\n" in written and text.read_record(written) == played
    assert "drawn" not in text.write_record(table.record())
    with pytest.raises(engine.Refusal, match="'drawn: lots'"):
        text.read_record(written.replace("drawn: decks", "drawn: lots"))


# The contract's check


def with_source(**changes: object) -> Game:
    """The little game with some of its functions replaced."""
    game = Game(GAME.__name__)
    vars(game).update(vars(GAME))
    vars(game).update(changes)
    return game


def test_the_little_game_keeps_the_contract() -> None:
    contract.check_source(GAME, games=20)
    assert GAME.source is not None


def repeat(s: Record) -> Source:
    return Source(s.pile, min(s.turned[s.pile], 1))


def overrun(s: Record) -> Source:
    return Source(s.pile, s.turned[s.pile] + 1)


def one_deck(s: Record) -> Source:
    return Source(0, s.turned[0] + s.turned[1])


def deck_by_time(s: Record) -> Source:
    return Source(s.turned[0] + s.turned[1], 0)


def one_too_many(s: Record, number: int) -> list[Thing]:
    return [*two_piles.deck(s, number), *([2] if number == 1 else [])]


def another(s: Record, number: int) -> list[Thing]:
    return [5, 5, 4] if number == two_piles.SPECIALS else two_piles.deck(s, number)


def chained(s: Record, number: int) -> list[Thing]:
    return [(3, 0), (3, 1), (3, 2)] if number == two_piles.SPECIALS else two_piles.deck(s, min(number, 2))


def changing(s: Record) -> Source:
    s.shown[0] = 1
    return two_piles.source(s)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"source": repeat}, "no position is drawn twice"),
        ({"source": overrun}, "is outside its deck of"),
        ({"source": one_deck, "deck": None}, "what may still lie there is what odds weighs"),
        ({"source": deck_by_time, "deck": None}, "the same lies in deck 0 whatever was played"),
        ({"source": changing}, "source changes nothing"),
        ({"deck": one_too_many}, "what may still lie there is what odds weighs"),
        ({"deck": another}, "what may still lie there is what odds weighs"),
        ({"deck": chained}, "refers to a reference"),
        ({"deck": None}, "what may still lie there is what odds weighs"),
    ],
)
def test_a_faulty_source_is_caught(changes: dict[str, object], said: str) -> None:
    with pytest.raises(contract.Broken, match=re.escape(said)):
        contract.check_source(with_source(**changes), games=5)


def test_a_faulty_shuffle_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies there must not depend on the play, and what is given must not lead to anything else."""
    real = Shuffles.thing

    def by_time(shuffles: Shuffles, deck: int, position: int) -> int:
        fixed = sum(len(other.fixed) for other in shuffles.decks.values())
        own = shuffles.decks[deck]
        if position not in own.fixed and fixed % 2 and position + 1 < len(own.order):
            return real(shuffles, deck, max(p for p in range(len(own.order)) if p not in own.fixed))
        return real(shuffles, deck, position)

    monkeypatch.setattr(Shuffles, "thing", by_time)
    with pytest.raises(contract.Broken, match="is the same whatever was played"):
        contract.check_source(GAME, games=5)


def test_a_biased_shuffle_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a deck is shuffled in every way, and by chi-square."""

    def lowest_place(shuffles: Shuffles, deck: int, position: int, thing: int) -> None:
        """Of equal things it takes the first one that lies there, not the one with the lowest label."""
        own = shuffles.decks[deck]
        other = next(p for p in range(len(own.order)) if p not in own.fixed and own.at(p) == thing)
        own.exchange(position, own.order[other])
        own.fixed.add(position)

    def legal(s: Record, bits: Bits) -> int:
        if s.turn == CHANCE:
            bits[0] = sum(1 << card for card in range(len(two_piles.CARDS)) if s.unseen[card])
            return bits[0].bit_count()
        return two_piles.legal(s, bits)

    flat = with_source(source=one_deck, deck=None, legal=legal, odds=lambda s, a: s.unseen[a])
    contract.check_source(flat)
    dealt = contract.deal(flat, engine.start(flat), 0, 0)
    contract.check_every_shuffle(flat, dealt, 1)
    monkeypatch.setattr(Shuffles, "put", lowest_place)
    with pytest.raises(contract.Broken, match="is drawn by its odds, whatever was given before"):
        contract.check_every_shuffle(flat, dealt, 1)
    monkeypatch.setattr(contract, "seeded", lambda *_: [7, *range(7)])
    with pytest.raises(contract.Broken, match="what is drawn from decks follows odds"):
        contract.check_source(flat)
