"""The review of a finished game: its shape, its sums, a planted blunder, and how it is told."""

import json
import re
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.brief_reviews import be_brief
from support.command_line import Run

from motherlode import bots, engine, sentences, text
from motherlode.bots import guided, network, policy
from motherlode.engine import Refusal
from motherlode.game import Game, Record, TurnedUp, new_rng
from motherlode.games import GAMES
from motherlode.lab import bench_reviews
from motherlode.review import mistakes, page, reasons, telling
from motherlode.review.review import FEWEST, RATINGS, error_of, rating, review
from motherlode.table import Table

GOLDMINE = GAMES["goldmine"]
TABLES = [(game, seats) for game in GAMES.values() for seats in game.SEATS]
PARTS = ("deal", "chance", "own", "others")


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    be_brief(monkeypatch)


def random_game(game: Game, seats: int, seed: int, **options: Any) -> text.Played:
    table = Table(game, seats, seed=seed, **options)
    table.play(*[bots.make("random")] * seats)
    table.players = [f"<{seat}>" for seat in range(seats)]
    return table.record()


@pytest.mark.parametrize(("game", "seats"), TABLES, ids=[f"{game.NAME}-{seats}" for game, seats in TABLES])
def test_every_review_has_this_shape_and_adds_up(brief: None, game: Game, seats: int) -> None:
    played = random_game(game, seats, seed=seats)
    found = review(played, seconds=1000, plain=True)
    assert json.loads(json.dumps(found)) == found
    assert found["version"] == 1 and found["game"] == game.NAME and found["players"] == played.players
    assert found["length"] == len(played.actions) and found["judge"].keys() == {"values", "search", "worlds"}
    end = engine.replay(game, played.start(), played.actions)
    assert [seat["seat"] for seat in found["seats"]] == list(range(seats))
    assert sum(seat["won"] for seat in found["seats"]) == pytest.approx(1)
    for seat in found["seats"]:
        for cells, final in ((seat, seat["won"]), (seat["points"], seat["points"]["scored"])):
            assert sum(cells[part] for part in PARTS) == pytest.approx(cells["result"], abs=1e-9)
            assert cells["start"] + cells["result"] == pytest.approx(final, abs=1e-9)
        assert seat["points"]["scored"] == engine.points(game, end)[seat["seat"]]
        check_curve(played, seat)
        check_mistakes(played, seat)
    for language in sentences.LANGUAGES:
        told = telling.plain(game, found, language)
        assert not re.search(r"\{\w+\}", told.replace("{", "", 0)) and len(told.splitlines()) > 10
        read_page(page.page(game, found, language))


def check_curve(played: text.Played, seat: dict[str, Any]) -> None:
    positions = [played.start()]
    for a in played.actions:
        positions.append(engine.after(played.game, positions[-1], a))
    decisions = [at for at, s in enumerate(positions) if s.turn >= 0]
    assert [one["at"] for one in seat["curve"]] == [*decisions, len(played.actions)]
    assert all(0 <= one["known"] <= 1 and 0 <= one["open"] <= 1 for one in seat["curve"])
    assert seat["curve"][-1]["known"] == seat["curve"][-1]["open"] == seat["won"]


def check_mistakes(played: text.Played, seat: dict[str, Any]) -> None:
    keys = {
        "at", "seat", "kind", "action", "words", "best", "best_words", "chance", "best_chance", "loss", "interval",
        "remember", "reasons", "stands_for",
    }  # fmt: skip
    losses = [one["loss"] for one in seat["mistakes"]]
    assert losses == sorted(losses, reverse=True) and len(losses) <= seat["decisions"]
    for one in seat["mistakes"]:
        assert one.keys() == keys and one["seat"] == seat["seat"]
        low, high = one["interval"]
        assert 0 < low <= one["loss"] <= high and one["loss"] >= mistakes.MATTERS
        assert one["best_chance"] - one["chance"] == pytest.approx(one["loss"])
        assert one["action"] == played.actions[one["at"]] != one["best"]
        assert one["words"].startswith(one["kind"]) and len(one["reasons"]) <= reasons.MOST
        for reason in one["reasons"]:
            assert set(reason) in (
                {"kind", "event", "best", "chosen"},
                {"kind", "thing", "best", "chosen", "seen_at"},
            )


class Page(HTMLParser):
    """Notes which elements are open, what is said, and what a page would fetch or run."""

    EMPTY = ("meta", "polyline", "line", "br", "!doctype")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.said: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value) for name, value in attrs]
        assert tag != "script"
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def read_page(written: str) -> Page:
    """A page that is whole, runs and fetches nothing, and says its drawings in words."""
    found = Page()
    found.feed(written)
    found.close()
    assert not found.open and "<!doctype html>" in written
    names = {name for _, name, _ in found.attributes}
    assert not names & {"src", "href", "onclick", "style"} and "url(" not in written
    drawings = [value for tag, name, value in found.attributes if (tag, name) == ("svg", "aria-label")]
    assert drawings and all(value and "{" not in value for value in drawings)
    assert not re.search(r"\{\w+\}", " ".join(found.said[found.said.index(found.said[-1]) :]))
    return found


# A planted blunder


def with_blunder(seed: int = 14) -> tuple[text.Played, int, int]:
    """A game in which seat 0 once did the worst thing it could, where that mattered most; the place and the action."""
    net, rng = network.of(GOLDMINE), new_rng(5)
    player = policy.Policy(GOLDMINE, net)
    table = Table(GOLDMINE, seed=seed, target=0)
    most, place, worst = 0.0, -1, -1
    while not table.is_over:
        ask = table.ask()
        useful = engine.useful(GOLDMINE, ask.view)
        if ask.seat == 0 and len(useful) > 1 and not GOLDMINE.blind(ask.view):
            tree = guided.Tree(ask, net, 1 << 14, new_rng(1), plain=False, among=useful)
            tree.grow(200 * len(useful))
            wins = {one.action: one.win / one.tries for one in tree.root()}
            gap = max(wins.values()) - min(wins.values())
            if gap > most:
                most, place, worst = gap, table.at, min(wins, key=lambda a: wins[a])
        table.act(player(ask, rng))
    blundered = Table.resume(table.record()._replace(actions=table.log[:place]), seed=seed)
    blundered.act(worst)
    blundered.play(player, player)
    blundered.players = ["Ada", "<Bob & Co>"]
    return blundered.record(), place, worst


@pytest.fixture(scope="module")
def blunder() -> tuple[text.Played, int, int]:
    return with_blunder()


def test_a_planted_blunder_is_found_and_told_with_reasons(blunder: tuple[text.Played, int, int]) -> None:
    played, place, worst = blunder
    (seat,) = review(played, seconds=2, seats=[0])["seats"]
    assert place in [one["at"] for one in seat["mistakes"][:2]]
    one = next(one for one in seat["mistakes"] if one["at"] == place)
    assert one["action"] == worst and one["loss"] > 0.05 and one["reasons"]
    found = review(played, seconds=2, seats=[0])
    assert found["seats"] == [seat]  # it is the same again
    for language in sentences.LANGUAGES:
        teller = telling.Teller(GOLDMINE, found, language)
        told = telling.plain(GOLDMINE, found, language)
        assert teller.mistake(one) in told and all(sentence in told for sentence in teller.reasons(one))
        for action in (one["action"], one["best"]):
            assert sentences.choice(GOLDMINE, action, ["Ada", "<Bob & Co>"], language) in teller.mistake(one)
        assert "Ada" in told and "<Bob & Co>" not in page.page(GOLDMINE, found, language)


def test_one_who_plays_better_than_the_judge_makes_no_mistake(
    blunder: tuple[text.Played, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was chosen is what the search would do: nothing is lost, however much searches differ."""
    played, _, _ = blunder
    chosen = dict(enumerate(played.actions))
    monkeypatch.setattr(mistakes, "best_action", lambda decision, *_, **__: chosen[decision.at])
    (seat,) = review(played, seconds=0.1, seats=[1])["seats"]
    assert seat["mistakes"] == [] and seat["error"] == 0 and seat["error_interval"] == [0, 0]
    assert seat["rating"] == "flawless"


def test_where_any_plan_would_be_a_tell_there_are_no_mistakes(
    blunder: tuple[text.Played, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GOLDMINE, "blind", lambda view: True)
    (seat,) = review(blunder[0], seconds=0.1, seats=[0])["seats"]
    assert seat["mistakes"] == [] and seat["decisions"] == 0
    assert seat["error"] is seat["error_interval"] is seat["rating"] is None
    for language in sentences.LANGUAGES:
        found = review(blunder[0], seconds=0.1, seats=[0])
        assert telling.Teller(GOLDMINE, found, language).error(seat) in page.page(GOLDMINE, found, language)


# What is said


def test_ratings_say_nothing_of_few_decisions() -> None:
    assert rating(None, 0) is None and rating(0.0, FEWEST - 1) is None
    assert [rating(most, FEWEST) for _, most in RATINGS] == [word for word, _ in RATINGS]
    assert rating(0.0, FEWEST) == RATINGS[0][0]


def loss_of(number: float) -> mistakes.Loss:
    decision: Any = None
    return mistakes.Loss(decision, 0, number, 0.0, number, number)


def test_an_error_rate_says_how_sure_it_is() -> None:
    assert error_of([]) == (None, None)
    few, many = [loss_of(0.0), loss_of(0.2)] * 5, [loss_of(0.0), loss_of(0.2)] * 100
    for losses in (few, many):
        error, interval = error_of(losses)
        assert error == pytest.approx(0.1) and interval is not None and interval[0] < 0.1 < interval[1]
    widths = [high - low for _, (low, high) in map(error_of, (few, many))]  # type: ignore[misc]
    assert widths[0] > 3 * widths[1]
    assert error_of([loss_of(-0.1)] * 9) == (0.0, [0.0, 0.0])  # nobody loses less than nothing


def test_both_languages_have_the_same_sentences() -> None:
    english, french = (telling.words(language) for language in sentences.LANGUAGES)
    assert english.keys() == french.keys()
    for key in english:
        assert holes(english[key]) == holes(french[key]), key
    assert {f"rating.{word}" for word, _ in RATINGS} == {key for key in english if key.startswith("rating.")}


def holes(sentence: sentences.Sentence) -> set[str]:
    forms = [sentence] if isinstance(sentence, str) else list(sentence.values())
    return {hole for form in forms for hole in re.findall(r"\{(\w+)\}", form)}


# Very long games


@given(items=st.lists(st.integers(), max_size=300), part=st.floats(0, 2))
def test_decisions_are_left_out_evenly(items: list[int], part: float) -> None:
    """Of every stretch of a game the same part, but for one; all, if there is time for all."""
    kept = mistakes.spread(list(enumerate(items)), part)
    assert kept == sorted(kept) and (part < 1 or len(kept) == len(items))
    for middle in range(len(items)):
        before = sum(place < middle for place, _ in kept)
        assert abs(before - min(1, part) * middle) <= 1


def test_a_very_long_game_is_thinned_out(brief: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not only its beginning is judged, whatever the clock says, and it is judged alike the next time."""
    monkeypatch.setattr(mistakes, "GUARD", 1000)
    game = GAMES["china_gold"]
    played = random_game(game, 2, seed=1)
    asked = mistakes.decisions(game, played.positions(), played.actions, 0)
    seconds = 2 * mistakes.FEWEST * mistakes.TREES * len(asked) / 10 / mistakes.PLAIN_PACE
    losses, _ = mistakes.judge(asked, seconds, 0, plain=True)
    judged = [loss.decision.at for loss in losses]
    assert len(asked) / 20 < len(judged) < len(asked) / 2
    assert min(judged) < asked[len(asked) // 3].at and max(judged) > asked[2 * len(asked) // 3].at
    assert mistakes.judge(asked, seconds, 0, plain=True)[0] == losses


def test_the_longest_games_are_measured(run: Run, brief: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_reviews, "review", partial(review, plain=True))
    monkeypatch.setattr(bench_reviews, "GAMES_EACH", 1)
    (row,) = json.loads(run("bench", "reviews", "--games", "gold_hunting", "--json").out)
    assert row["entries"] > 80 and row["options"]["heights"] == "hidden"
    assert 0 < row["judged"] <= row["decisions"] < row["entries"] and row["seconds"] > 0
    assert "| gold_hunting | 2 |" in run("bench", "reviews", "--games", "gold_hunting").out


# Reasons


def reasons_of(
    monkeypatch: pytest.MonkeyPatch, best: list[reasons.Line], chosen: list[reasons.Line], game: Game = GOLDMINE,
    pair: list[int] | None = None,
) -> list[Any]:  # fmt: skip
    """The reasons that are told if these lines follow from the two actions, in turn."""
    following = iter([*best, *chosen])
    monkeypatch.setattr(reasons, "line", lambda *_: next(following))
    table = Table(game, seed=1)
    first, last = pair or engine.legal(game, table.position)[:2]
    decision = mistakes.Decision(table.at, table.ask(), last)
    return reasons.of_mistake(decision, first, 0, table.positions, table.log, plain=True)


def test_the_same_event_is_told_of_one_player(monkeypatch: pytest.MonkeyPatch) -> None:
    """That one of two takes the gold says why the other does not."""
    gold = [("gold", (("seat", str(seat)), ("points", "5"), ("trick", "2"))) for seat in range(2)]
    other = ("gold", (("seat", "1"), ("points", "3"), ("trick", "2")))
    best = [reasons.Line({gold[0], other}, None)] * 27 + [reasons.Line({gold[1], other}, None)] * 3
    chosen = [reasons.Line({gold[1]}, None)] * 30
    told = reasons_of(monkeypatch, best, chosen)
    assert [(one["event"]["args"]["points"], one["best"], one["chosen"]) for one in told] == [
        ("3", 1, 0),
        ("5", 0.9, 0),
    ]


def test_finds_are_compared_where_both_actions_find_something(monkeypatch: pytest.MonkeyPatch) -> None:
    """That an action which looks at nothing shows nothing is no reason."""
    piece = [reasons.Line(set(), TurnedUp("piece", {"piece": str(n)}, f"a {n}")) for n in (1, 2)]
    marker = reasons.Line(set(), TurnedUp("marker", {"marker": "3"}, "a marker 3"))
    nothing = reasons.Line(set(), None)
    assert not reasons_of(monkeypatch, [nothing] * 30, [piece[0]] * 30)
    assert not reasons_of(monkeypatch, [marker] * 30, [piece[0]] * 30)
    told = reasons_of(monkeypatch, [piece[0]] * 30, [piece[0]] * 6 + [piece[1]] * 24)
    assert [(one["thing"]["words"], one["best"], one["chosen"]) for one in told] == [("a 1", 1, 0.2), ("a 2", 0, 0.8)]


def test_events_that_only_one_action_can_bring_count_if_they_bring_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only whoever looks at a card sees it."""
    seen, other = (("seen", (("seat", "0"), ("value", str(n)))) for n in (4, 5))
    points = ("rush", (("seat", "0"), ("points", "2")))
    nothing = [reasons.Line(set(), None)] * 30
    assert not reasons_of(monkeypatch, nothing, [reasons.Line({seen}, None)] * 30)
    assert [one["chosen"] for one in reasons_of(monkeypatch, nothing, [reasons.Line({points}, None)] * 30)] == [1]
    some = [reasons.Line({other}, None)] * 30
    assert len(reasons_of(monkeypatch, some, [reasons.Line({seen}, None)] * 30)) == 2


def test_what_an_action_says_itself_is_no_find(monkeypatch: pytest.MonkeyPatch) -> None:
    """In Gold Hunting the top of a pile is what it is, whatever is called."""
    one, two = (reasons.Line(set(), TurnedUp("piece", {"size": str(n)}, f"a {n}")) for n in (1, 2))
    game = GAMES["gold_hunting"]
    calls = [a for a in game.ACTIONS if game.ACTIONS.read(a)[0].verb == "mine"][::4][:2]  # on one pile
    assert [game.ACTIONS.args(a)["size"] for a in calls] == ["1", "2"]
    lines = [one] * 15 + [two] * 15
    assert not reasons_of(monkeypatch, lines, lines, game, calls)


# In sentences


def test_what_a_seat_hears_is_what_was_found(brief: None) -> None:
    """Every number of the course of a game with its name."""
    found = review(random_game(GOLDMINE, 2, seed=3), seconds=1000, plain=True)
    seat = {"start": 0.5, "deal": 0.111, "chance": -0.222, "own": 0.333, "others": -0.444, "won": 0.0}
    found["seats"] = [found["seats"][1] | seat]
    first = telling.spoken(GOLDMINE, found, ["Ada", "Bob"])[0].replace("\u00a0", " ")
    assert first == (
        "Bob: the chance to win was 50 % at the start. With everything open, the deal changed it by +11.1 %, chance by "
        "−22.2 %, own decisions by +33.3 %, the others' decisions by −44.4 %. In the end it was 0 %."
    )


def test_a_choice_is_told_as_what_it_meant(brief: None) -> None:
    """In Claimpoker the tops of piles are taken by their names; the review tells what they were."""
    game = GAMES["claimpoker"]
    told = set()
    for seed in range(4):
        found = review(random_game(game, 3, seed=seed), seconds=1000, plain=True)
        teller = telling.Teller(game, found, people=["Ada", "Bob", "Cyd"])
        for seat in found["seats"]:
            for one in seat["mistakes"]:
                for key, words in zip(("action", "best"), teller.choices(one).values(), strict=True):
                    for arg, plain in game.ACTIONS.args(one[key]).items():
                        meant = one["stands_for"].get(arg, {}).get(plain)
                        if meant is not None:
                            known = sentences.read(game)
                            assert all(sentences.word(known, each, "") in words for each in meant.split())
                            told.add(arg)
    assert told


# Wrong inputs


def save(played: text.Played, folder: Path) -> Path:
    file = folder / "record.txt"
    file.write_text(text.write_record(played), encoding="utf-8")
    return file


def test_the_command(run: Run, tmp_path: Path, blunder: tuple[text.Played, int, int]) -> None:
    file = save(blunder[0], tmp_path)
    ran = run("review", file, "--seat", 0, "--seconds", 1)
    assert ran.status == 0 and "Where the results came from" in ran.out and "instead of" in ran.out
    as_json = json.loads(run("review", file, "--seat", 0, "--seconds", 1, "--json").out)
    assert as_json["seats"] == review(text.read_record(file.read_text()), seconds=1, seats=[0])["seats"]
    written = tmp_path / "review.html"
    ran = run("review", file, "--seat", 0, "--seconds", 1, "--html", written, "--language", "fr")
    assert ran.status == 0 and str(written) in ran.out
    said = " ".join(read_page(written.read_text(encoding="utf-8")).said)
    assert "D'où viennent les résultats" in said and "place 0 (Ada)" in said


def test_wrong_inputs_are_refused(run: Run, tmp_path: Path, blunder: tuple[text.Played, int, int]) -> None:
    played = blunder[0]
    file = save(played, tmp_path)
    for seat in (-1, 2):
        ran = run("review", file, "--seat", seat)
        assert ran.status == 2 and f"the record has seats 0 to 1, not {seat}" in ran.err
    assert "in en or fr, not in 'de'" in run("review", file, "--language", "de").err
    ran = run("review", tmp_path / "nothing.txt")
    assert ran.status == 2 and "nothing.txt cannot be read" in ran.err
    running = played._replace(actions=played.actions[:-1])
    ran = run("review", save(running, tmp_path))
    assert ran.status == 2 and "the game is not over: a running game is never reviewed" in ran.err
    with pytest.raises(Refusal, match="resigned"):
        review(running._replace(resigned=(1,)))
    with pytest.raises(Refusal, match="seats 0 to 1, not 7"):
        review(played, seats=[7])


def test_a_find_is_told_in_the_words_of_the_log(blunder: tuple[text.Played, int, int]) -> None:
    found = review(blunder[0], seconds=0.1, seats=[])
    thing = TurnedUp("card", {"place": "3", "kind": "R3"}, "card R3")._asdict()
    assert telling.Teller(GAMES["mount_goldrush"], found, "fr").thing(thing) == "c'est rouge 3"
    unknown = TurnedUp("nugget", {}, "a nugget")._asdict()
    assert telling.Teller(GOLDMINE, found, "fr").thing(unknown) == "a nugget"


def test_a_record_of_a_seat_that_is_asked_for_alone_is_judged_alike(brief: None) -> None:
    played = random_game(GAMES["mount_goldrush"], 3, seed=4)
    whole = review(played, seconds=1000, plain=True)["seats"]
    for seat in range(3):
        assert review(played, seconds=1000, seats=[seat], plain=True)["seats"] == [whole[seat]]


def positions_of(played: text.Played) -> list[Record]:
    positions = [played.start()]
    for a in played.actions:
        positions.append(engine.after(played.game, positions[-1], a))
    return positions
