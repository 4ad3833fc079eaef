"""Events: what came of an action, found from what one observer knows."""

import pytest

from motherlode import contract, engine, sentences, text
from motherlode.game import HIDDEN, NUMBER, Arg, Event, Game, Kind, Record, new_rng
from motherlode.games import GAMES

goldmine = GAMES["goldmine"]
TRICK = Kind("trick", (Arg("seat", ("0", "1")), Arg("points", NUMBER)), "GM-3.7")


def taken(before: Record, told: int, after: Record) -> list[Event]:
    """Goldmine's gold, counted: what the points of each seat have grown by."""
    gains = [after.points[x] - before.points[x] for x in range(2)]
    return [Event("trick", {"seat": str(x), "points": str(gain)}) for x, gain in enumerate(gains) if gain]


@pytest.fixture
def game(monkeypatch: pytest.MonkeyPatch) -> Game:
    monkeypatch.setattr(goldmine, "EVENTS", (TRICK,))
    monkeypatch.setattr(goldmine, "events", taken)
    return goldmine


def check(game: Game) -> None:
    contract.check_data(game)
    contract.check_play(game, 2, {"target": 0}, 0)
    contract.check_secrets(game, 2, {"target": 0}, 0)


def test_events_that_add_up(game: Game) -> None:
    check(game)


@pytest.mark.parametrize(
    ("event", "promise"),
    [
        (Event("trick", {"seat": "0", "points": "1"}), "add up to"),
        (Event("trick", {"seat": "2", "points": "1"}), "seat of an event trick cannot be '2'"),
        (Event("trick", {"seat": "0", "points": "many"}), "points of an event trick cannot be 'many'"),
        (Event("trick", {"seat": "0"}), "an event trick has seat, points"),
        (Event("windfall", {}), "'windfall' is one of the game's EVENTS"),
    ],
)
def test_wrong_events_are_found(game: Game, monkeypatch: pytest.MonkeyPatch, event: Event, promise: str) -> None:
    monkeypatch.setattr(game, "events", lambda *told: [*taken(*told), event])
    with pytest.raises(contract.Broken, match=promise):
        check(game)


def test_a_hidden_action_that_changes_nothing_has_no_events(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = Event("trick", {"seat": "0", "points": "0"})
    building = GAMES["gold_hunting"]
    monkeypatch.setattr(building, "EVENTS", (TRICK,))
    monkeypatch.setattr(building, "events", lambda s, told, t: [nothing] * (told == HIDDEN))
    s, a, t = first_placed(building)
    tally, line = contract.Tally(building, engine.start(building), 1), text.tell(building, s, a, 1)
    with pytest.raises(contract.Broken, match="neither sees nor is told"):
        tally.add(s, a, t, line)


def first_placed(game: Game) -> tuple[Record, int, Record]:
    """The first piece that seat 0 places behind the screen."""
    return next(step for step in contract.random_game(game, engine.start(game), new_rng(0)) if step[0].turn == 0)


def test_a_leak_in_an_event_is_found(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever tells events from the true position tells what is hidden."""

    def describe_truth(game: Game, s: Record, told: int, t: Record, seat: int | None) -> text.Line:
        gold = sum(place * max(0, value) for place, value in enumerate(t.gold))
        return honest(game, s, told, t, seat)._replace(events=[Event("trick", {"seat": "0", "points": str(gold)})])

    honest = text.describe
    monkeypatch.setattr(text, "describe", describe_truth)
    with pytest.raises(contract.Broken, match="what it was neither told nor shown"):
        contract.check_secrets(game, 2, {"target": 0}, 0)


def test_sentences_take_names_and_plurals(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {
        "event.trick": {"one": "{seat} takes {points} nugget at {place}", "other": "{seat} takes {points} nuggets"},
        "event.robbed": "{seat} loses {points} gold to {other}, the {own_card}",
        "event.pile": "Rien ne reste de la pile de {seat}, dit {other}",
        "number.place": "{n}",
        "word.H7": "7 of hearts",
    }
    monkeypatch.setattr(sentences, "read", lambda game, language: said)
    names = ["Ada", "Bob"]

    def say(kind: str, language: str = "en", first: int = 1, **args: str) -> str:
        return sentences.event(goldmine, Event(kind, args), names, language, first)

    assert say("trick", seat="0", points="1", place="4") == "Ada takes 1 nugget at 5"
    assert say("trick", first=0, seat="0", points="1", place="4") == "Ada takes 1 nugget at 4"  # as in "look 4"
    assert say("trick", seat="1", points="0") == "Bob takes 0 nuggets"
    assert say("trick", "fr", seat="1", points="0", place="0") == "Bob takes 0 nugget at 1"
    assert say("robbed", seat="1", other="0", points="-3", own_card="H7") == "Bob loses 3 gold to Ada, the 7 of hearts"
    assert say("pile", "fr", seat="0", other="1") == "Rien ne reste de la pile d'Ada, dit Bob"
    assert say("pile", "fr", seat="1", other="0") == "Rien ne reste de la pile de Bob, dit Ada"
    assert say("pile", seat="0", other="1") == "Rien ne reste de la pile de Ada, dit Bob"  # that is for French only
    assert say("unheard", seat="1", points="-3") == "unheard Bob 3"


def test_players_of_one_name_are_told_apart() -> None:
    assert sentences.seat_names(2) == ["seat 0", "seat 1"]
    assert sentences.seat_names(2, ["greedy", "greedy"]) == ["seat 0 (greedy)", "seat 1 (greedy)"]
    assert sentences.seat_names(2, ["greedy"]) == ["seat 0 (greedy)", "seat 1"]


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_sentences_are_in_every_language(game: Game) -> None:
    for language in sentences.LANGUAGES:
        assert sentences.path(game, language).exists()
