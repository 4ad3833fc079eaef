"""Mount Goldrush: cards on every screen, what came of a turn, what must be remembered, and the end of a game."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect
from support.local_server import Server
from support.positions import sit, walk
from support.visiting import Visit

from motherlode import engine, text
from motherlode.game import Record
from motherlode.games import GAMES
from motherlode.games.mount_goldrush.rules import RUSH

game = GAMES["mount_goldrush"]
PHONE, SCREENS = (390, 844), [(1280, 720), (1440, 900), (2560, 1440), (820, 1180), (390, 844), (320, 640)]
TOUCH = 40  # pixels

# Of every card its box, in the order of the places, and the size it has apart from its tilt; once nothing moves.
CARDS = """async () => {
  const look = () => [...document.querySelectorAll(".place")].map((one) => {
    const { left, top, right, bottom } = one.getBoundingClientRect();
    return { left, top, right, bottom, width: one.offsetWidth, height: one.offsetHeight };
  });
  for (let before = null, now = null, still = 0; ; before = now) {
    await new Promise(requestAnimationFrame);
    now = look();
    still = JSON.stringify(now) === JSON.stringify(before) ? still + 1 : 0;
    if (still === 3) return now;
  }
}"""

SKIP_TO_MY_TURN = """() => {
  dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
  return document.querySelector("[data-mine=true][data-playing=false]");
}"""


def played(*words: str, **options: str) -> text.Played:
    """A game for two with these actions and cards."""
    chosen = engine.check_options(game, options)
    s, actions = engine.start(game, 2, **chosen), list[int]()
    for one in words:
        actions.append(text.read_action(game, s, one))
        s = engine.after(game, s, actions[-1])
    return text.Played(game, 2, chosen, actions)


def turns(*cards: str) -> text.Played:
    """The first places are turned one after the other, and hold these cards."""
    return played(*[word for place, card in enumerate(cards) for word in (f"turn {place}", f"card {card}")])


SEEN = turns("B2", "$3", "R4", "G4")  # too weak; equal: seat 0 may turn any of them again


def click(ada: Visit, place: int) -> None:
    at = ada.at()
    ada.page.locator(f"[data-place='{place}']").click()
    ada.page.wait_for_selector(f"[data-table]:not([data-at='{at}'])")


@pytest.mark.parametrize("layout", ["scattered", "grid"])
def test_cards_are_large_and_lie_apart_on_every_screen(
    server: Server, visit: Callable[..., Visit], layout: str
) -> None:
    ada = visit()
    sit(ada, played(layout=layout))
    for width, height in SCREENS:
        ada.page.set_viewport_size({"width": width, "height": height})
        cards: list[dict[str, float]] = ada.page.evaluate(CARDS)
        assert len(cards) == 64
        for place, one in enumerate(cards):
            where = f"{width} x {height}, place {place}"
            assert one["left"] >= 0 and one["right"] <= width and one["bottom"] <= height, where  # all in one view
            assert not any(overlap(one, other) for other in cards[:place]), where
            # The same row and column on every screen.
            assert place % 8 == 0 or middle(cards[place - 1], "left", "right") < middle(one, "left", "right"), where
            assert place < 8 or middle(cards[place - 8], "top", "bottom") < middle(one, "top", "bottom"), where
        if (width, height) == PHONE:
            assert min(min(one["width"], one["height"]) for one in cards) >= TOUCH
        assert sum(one["width"] * one["height"] for one in cards) > 0.25 * board_area(ada)


def overlap(a: dict[str, float], b: dict[str, float]) -> bool:
    return (
        min(a["right"], b["right"]) - max(a["left"], b["left"])
        > 1
        < min(a["bottom"], b["bottom"]) - max(a["top"], b["top"])
    )


def middle(box: dict[str, float], one: str, other: str) -> float:
    return (box[one] + box[other]) / 2


def board_area(ada: Visit) -> float:
    box = ada.page.locator("[data-board]").bounding_box()
    assert box
    return float(box["width"] * box["height"])


@pytest.mark.parametrize(
    ("places", "said"),
    [((3, 1), "3 gold for Ada"), ((2, 0), "4 beats 2"), ((0, 1), "2 is too weak for 3"), ((2, 3), "Equally strong")],
)
def test_what_came_of_a_turn_is_shown(
    server: Server, visit: Callable[..., Visit], places: tuple[int, int], said: str
) -> None:
    ada = visit(reduced_motion="no-preference")
    ada.page.evaluate("localStorage['motherlode.preferences'] = JSON.stringify({pace: 3000, volume: 0})")
    ada.page.reload()
    sit(ada, SEEN)
    for place in places:
        click(ada, place)
    expect(ada.page.locator(".verdict")).to_contain_text(said)
    expect(ada.page.locator(".stage .said")).to_contain_text(said)
    if "gold for" in said:
        expect(ada.page.locator(".stage svg").first).to_be_visible()  # the gold on its way
        expect(ada.page.locator("[data-spot=player-0] .gold")).to_contain_text("3")


def test_the_gold_rush_is_announced(server: Server, visit: Callable[..., Visit]) -> None:
    """With cards that were seen before, so that the same card begins it in every game."""
    ada = visit(reduced_motion="no-preference")
    ada.page.evaluate("localStorage['motherlode.preferences'] = JSON.stringify({pace: 3000, volume: 0})")
    ada.page.reload()

    def begins(s: Record, action: int) -> bool:
        return bool(s.phase != RUSH and engine.after(game, s, action).phase == RUSH)

    positions = ((s, record) for s, record in walk(game, 100) if s.turn == 0)
    found = ((a, record) for s, record in positions for a in engine.legal(game, s) if begins(s, a))
    action, record = next(found)
    sit(ada, record)
    click(ada, action)
    expect(ada.page.locator(".stage .said", has_text="Gold Rush")).to_be_visible()


def test_the_prompt_says_what_to_look_for(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    for place, want in ((1, "a miner of 3 or more"), (3, "find gold of 4 or less"), (2, "would go to Greedy bot")):
        sit(ada, SEEN)
        click(ada, place)
        expect(ada.page.locator(".want")).to_contain_text(want)


def test_nothing_says_again_what_was_turned_back(server: Server, visit: Callable[..., Visit]) -> None:
    """The cards of the last turn are in sight; those of the one before are told by nothing on the page."""
    ada = visit()
    sit(ada, SEEN)
    everything: Any = ada.page.evaluate("""() => {
      const names = [...document.querySelectorAll("[aria-label], [title], [alt]")];
      return [document.body.textContent, ...names.flatMap((one) => [one.ariaLabel, one.title, one.alt])].join(" ")
    }""")
    assert "red 4" in everything and "green 4" in everything
    assert "blue 2" not in everything and "gold 3" not in everything
    assert ada.page.locator(".side.face").count() == 2


def test_what_happened_tells_of_the_last_turn_alone(server: Server, visit: Callable[..., Visit]) -> None:
    """Those before it are for the players to remember."""
    ada = visit()
    ada.page.evaluate("localStorage['motherlode.preferences'] = JSON.stringify({pace: 100000, volume: 0})")
    ada.page.reload()
    sit(ada, text.Played(game, 3, engine.check_options(game, {}), []))
    for place in (0, 1):
        click(ada, place)
    ada.page.wait_for_function(SKIP_TO_MY_TURN)
    ada.page.get_by_role("button", name="What happened?").click()
    expect(ada.page.locator("[data-playing=true] .happened")).to_contain_text("Greedy bot 2")


def test_a_card_is_named_by_row_and_column(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    sit(ada, SEEN)
    label = ada.page.locator("[data-place='51']").get_attribute("aria-label")
    assert label == "Row 7, column 4: face down"
    ada.page.locator("details.words summary").click()
    expect(ada.page.locator("details.words")).to_contain_text("turn the card in row 7, column 4")


def test_an_empty_place_says_why_in_a_plain_sentence(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    sit(ada, turns("B3", "$3", "R4", "G4"))
    empty = ada.page.locator("[data-place='0']")
    expect(empty).to_have_attribute("aria-disabled", "true")
    empty.click(force=True)
    expect(ada.page.locator(".over")).to_contain_text("choose one that lies face down")


@pytest.mark.parametrize("is_open", [False, True])
def test_a_game_of_a_series_ends_with_a_summary(server: Server, visit: Callable[..., Visit], is_open: bool) -> None:
    """The points of the game; how they arose, if this page was told of all of it."""
    last = next(
        found for s, found in walk(game, 20, 2, series="on") if s.turn == 0 and s.game == 0 and game.left(s) == 1
    )
    ada = visit()
    sit(ada, last, open_memory=is_open)
    ada.do()
    expect(ada.page.locator("#summary")).to_have_text("Game 1 of the series")
    expect(ada.page.locator(".cover")).to_contain_text("gold in it")
    expect(ada.page.locator(".cover .sheets")).to_have_count(1 if is_open else 0)
    ada.page.locator(".go-on").click()
    expect(ada.page.locator("[data-board]")).to_contain_text("Game 2 of 2")
