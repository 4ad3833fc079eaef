"""One sees and hears what happens: at a pace one chooses, skipped, once more; summaries, sounds and a real end."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect
from support.local_server import Server
from support.positions import ending, find, last_of, phases, sit
from support.visiting import SINGLE_DEAL, Visit, make_table

from motherlode import engine
from motherlode.game import OVER, Record
from motherlode.games import GAMES
from motherlode.games.goldmine import rules

goldmine = GAMES["goldmine"]
SLOWLY = "localStorage['motherlode.preferences'] = JSON.stringify({pace: %d, volume: %d})"
LISTEN = """() => {
  window.heard = [];
  window.peaks = [];
  addEventListener("motherlode:sound", (event) => window.heard.push(event.detail));
  const start = AudioBufferSourceNode.prototype.start;
  AudioBufferSourceNode.prototype.start = function (...args) {
    const loudest = (most, sample) => Math.max(most, Math.abs(sample));
    if (this.context instanceof AudioContext) window.peaks.push(this.buffer.getChannelData(0).reduce(loudest, 0));
    return start.apply(this, args);
  };
}"""
# Skip whatever is shown, also what comes later, until the deal is over.
SKIP_ALL = """async () => {
  while (!document.querySelector(".go-on")) {
    dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
    await new Promise(requestAnimationFrame);
  }
}"""


def prefer(ada: Visit, pace: int, volume: int = 0) -> None:
    ada.page.evaluate(SLOWLY % (pace, volume))
    ada.page.reload()


def ends_a_deal(s: Record) -> bool:
    """Seat 0 plays the last card of a deal, not of the match."""
    if s.turn != 0:
        return False
    after = [engine.after(goldmine, s, a) for a in engine.legal(goldmine, s)]
    return all(t.deal > s.deal and t.turn != OVER for t in after)


def test_actions_are_followed_skipped_and_seen_again(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    prefer(ada, 100_000)  # so slow that only skipping goes on
    ada.play_now("Goldmine")
    page = ada.page
    playing = page.locator("[data-playing=true]")
    for _ in range(10):
        if not playing.count():
            ada.click_something()
            page.wait_for_selector("[data-sent=false]")
        if playing.count():
            break
    expect(playing).to_be_visible()
    shown = page.locator(".happened").inner_text()
    assert shown
    page.keyboard.press("Escape")
    expect(playing).to_have_count(0)
    ada.wait_for("true")
    page.get_by_role("button", name="What happened?").click()
    expect(playing).to_be_visible()
    expect(page.locator("[data-mine=true]")).to_have_count(0)  # nothing can be done in the past
    page.get_by_role("button", name="Skip").click()
    expect(page.locator("[data-mine=true]")).to_be_visible()


def test_acting_does_not_wait_for_what_is_shown(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    prefer(ada, 100_000)
    ada.play_now("Goldmine")
    at, acted_while_playing = ada.at(), 0
    while ada.at() < at + 8:
        ada.page.wait_for_selector("[data-sent=false]")
        page = ada.page.locator("[data-table]")
        if page.get_attribute("data-mine") == "false":  # what the other did before its last action still waits
            ada.page.keyboard.press("Escape")
        else:
            acted_while_playing += page.get_attribute("data-playing") == "true"
            assert ada.click_something()
    assert acted_while_playing


def test_a_deal_ends_with_a_summary(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit(only_once=True)
    ada.page.clock.install()
    sit(ada, find(goldmine, ends_a_deal))
    ada.do()
    go_on = ada.page.locator(".go-on")
    expect(go_on).to_be_visible()
    ada.page.clock.fast_forward(60_000)  # no clock runs: it waits for as long as one likes
    expect(go_on).to_be_visible()
    expect(ada.page.locator("#summary")).to_contain_text("Deal 1")
    taken = [int(points) for points in ada.page.locator(".sheets li b").all_inner_texts()]
    assert sum(taken) == 27  # all the gold of a deal
    go_on.click()
    expect(go_on).to_have_count(0)
    expect(ada.page.locator("[data-board]")).to_contain_text("deal 2")


def test_points_change_when_the_gold_arrives(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit(reduced_motion="no-preference")
    prefer(ada, 20_000)  # so slow that only skipping goes on
    sit(ada, find(goldmine, lambda s: bool(s.turn == 0 and s.phase == rules.ANSWER and s.trick == 1)))
    page = ada.page
    points, shown = page.locator("[data-board] .points b"), page.locator(".stage .points b")
    before = points.all_inner_texts()
    ada.do()
    expect(shown).to_have_count(2)
    assert sorted(shown.all_inner_texts()) == sorted(before)
    page.keyboard.press("Escape")
    expect(shown).to_have_count(0)
    expect(page.locator(".changing")).to_have_count(0)
    assert points.all_inner_texts() != before


def test_the_last_card_of_a_deal_is_not_seen_twice(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit(reduced_motion="no-preference")
    prefer(ada, 20_000)
    sit(ada, find(goldmine, ends_a_deal))
    ada.page.locator("[data-spot=hand-0] button").click()
    expect(ada.page.locator(".stage li")).to_have_count(1)
    expect(ada.page.locator("[data-spot=hand-0] li")).to_be_hidden()
    ada.page.evaluate(SKIP_ALL)
    ada.page.locator(".go-on").click()
    expect(ada.page.locator("[data-spot=hand-0] li")).to_have_count(6)


def test_a_look_sounds_of_no_gold(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    prefer(ada, 1, volume=50)
    sit(ada, find(goldmine, lambda s: bool(s.turn == 0 and s.phase == rules.ACT and s.left & rules.LOOKING)))
    ada.page.evaluate(LISTEN)
    ada.page.locator("[data-spot^=gold-]").last.click()
    ada.page.wait_for_function("() => window.heard.includes('card')")
    assert "coins" not in ada.page.evaluate("window.heard")


@pytest.mark.parametrize("game", GAMES)
def test_every_point_is_explained_at_the_end(server: Server, visit: Callable[..., Visit], game: str) -> None:
    played = phases(GAMES[game])["end"]
    position = last_of(played)
    ada = visit()
    sit(ada, played, seat=position.turn, open_memory=True)
    ada.do(ending(GAMES[game], position) or 0)
    outcome = ada.page.locator(".outcome")
    expect(outcome).to_be_visible()
    assert re.search(r"\b(won|lost|drawn)\b", outcome.get_attribute("class") or "")
    outcome.locator("summary").click()
    points = [int(re.sub(r"\D", "", text)) for text in outcome.locator("ol").first.locator("strong").all_inner_texts()]
    expect(outcome.locator(".sum")).to_have_count(len(points))  # the sheet is asked for when it is opened
    sums = [int(re.sub(r"\D", "", text)) for text in outcome.locator(".sum").all_inner_texts()]
    assert sorted(points) == sorted(sums)
    outcome.get_by_role("button", name="See the board").click()
    expect(outcome).to_have_count(0)
    ada.page.get_by_role("button", name="The result").click()
    expect(outcome).to_be_visible()


def test_sounds(server: Server, visit: Callable[..., Visit]) -> None:
    """They are made when the first one is wanted, none is louder than can be played, and they can be turned off."""
    ada = visit()
    prefer(ada, 1, volume=50)
    ada.page.evaluate(LISTEN)
    requested: list[str] = []
    ada.page.on("request", lambda request: requested.append(request.url))
    assert not any("sounds-" in url for url in ada.requests)
    make_table(ada, "Goldmine", {1: "Greedy bot"}, options=SINGLE_DEAL)
    ada.play_on(100)
    ada.page.wait_for_function("() => window.peaks.length > 3")
    heard, peaks = (list[Any](ada.page.evaluate(f"window.{what}")) for what in ("heard", "peaks"))
    assert {"turn", "card", "coins"} <= set(heard) and {"won", "lost"} & set(heard)
    assert all(0.01 < peak <= 1 for peak in peaks)
    assert sum("sounds-" in url for url in requested) == 1


def test_no_sounds(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    prefer(ada, 1, volume=0)
    ada.page.evaluate(LISTEN)
    make_table(ada, "Goldmine", {1: "Greedy bot"}, options=SINGLE_DEAL)
    ada.play_on(100)
    assert ada.page.evaluate("window.heard") == [] and not any("sounds-" in url for url in ada.requests)
