"""The guided first games, played through by touch and keyboard (and in the long run by mouse); left and taken up again;
a wrong press.
"""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from support.access import check_access
from support.layout import WIDTHS
from support.local_server import Server
from support.visiting import PHONE, Visit

from motherlode import lessons
from motherlode.games import GAMES

PRESSES = 150
ON_A_PHONE = {"viewport": PHONE, "locale": "fr-CA"}
HINTED = "[data-board] .hinted"

# The middle of what the ring marks, once the page waits for it; or the button that goes on.
WAITED_FOR = """async () => {
  for (;;) {
    const lesson = document.querySelector("[data-lesson][data-playing=false]");
    const next = document.querySelector(".prompt .next");
    if (lesson && next) return { what: "next" };
    if (lesson && document.querySelector(".prompt .go")) return { what: "end" };
    const marked = document.querySelector("[data-board] .hinted");
    if (lesson?.dataset.mine === "true" && marked) {
      const button = "button, [role=button]";
      const one = marked.closest(button) ?? marked.querySelector(button) ?? marked;
      one.scrollIntoView({ block: "center", behavior: "instant" });
      await new Promise(requestAnimationFrame);
      const { left, top, width, height } = one.getBoundingClientRect();
      const point = { x: left + width / 2, y: top + height / 2 };
      const hit = document.elementFromPoint(point.x, point.y);
      if (!hit || !one.contains(hit)) return { what: "covered", by: hit?.outerHTML.slice(0, 200) };
      return { what: "press", ...point };
    }
    await new Promise(requestAnimationFrame);
  }
}"""

# What the prompt consists of, and whether something is ringed or marked.
KIND = """() => {
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  const parts = shown(".prompt *").map((one) => `${one.tagName} ${one.className}`);
  const marked = [".ringed", "[data-board] .hinted"].filter((selector) => shown(selector).length);
  return [...new Set([...parts, ...marked])].sort().join();
}"""


def press(ada: Visit, by: str) -> bool:
    """What the lesson waits for; False if it is over."""
    found = ada.page.evaluate(WAITED_FOR)
    assert found["what"] != "covered", found
    if found["what"] == "end":
        return False
    if found["what"] == "next":
        button = ada.page.locator(".prompt .next")
        if by == "keyboard":
            button.press("Enter")
        else:
            button.tap() if by == "touch" else button.click()
    elif by == "keyboard":
        marked = ada.page.locator(HINTED).first
        button = (
            marked if marked.evaluate("one => one.tabIndex >= 0") else marked.locator("button, [role=button]").first
        )
        button.focus()
        ada.page.keyboard.press("Enter")
    elif by == "touch":
        ada.page.touchscreen.tap(found["x"], found["y"])
    else:
        ada.page.mouse.click(found["x"], found["y"])
    return True


@pytest.mark.parametrize("by", ["touch", "keyboard", pytest.param("mouse", marks=pytest.mark.soak)])
@pytest.mark.parametrize("game", GAMES)
def test_a_lesson(server: Server, visit: Callable[..., Visit], game: str, by: str) -> None:
    """To its end, and on from there at a table."""
    found = lessons.load(GAMES[game])
    assert found
    ada = visit(at=f"/learn/{game}", has_touch=by == "touch", **(ON_A_PHONE if by == "touch" else {}))
    page = ada.page
    steps: set[str] = set()
    kinds: set[str] = set()
    for _ in range(PRESSES):
        step = page.locator("[data-lesson]").get_attribute("data-step") or ""
        if step not in steps:
            steps.add(step)
            look_closely(ada, found.steps[int(step) - 1])
            kind = page.evaluate(KIND)
            if by == "keyboard" and kind not in kinds:  # one of each kind is enough for axe
                check_access(page)
            kinds.add(kind)
        if not press(ada, by):
            break
    else:
        pytest.fail("the lesson does not end")
    assert len(steps) == len(found.steps)
    if by == "touch":  # the last step has the most buttons
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": PHONE["height"]})
            look_closely(ada, found.steps[-1])
            assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    page.locator(".prompt .go").click()
    page.wait_for_selector("[data-table] [data-board] > div")


def look_closely(ada: Visit, step: lessons.Step) -> None:
    """At one step: what is to be looked at is there, and its sentence can be read without scrolling."""
    page = ada.page
    page.wait_for_selector("[data-lesson][data-playing=false]")
    if step.ring:
        expect(page.locator(f'[data-spot="{step.ring}"]').first).to_have_class(re.compile("ringed"))
    expect(page.locator(".ringed")).to_have_count(int(bool(step.ring)))
    say = page.locator(".prompt .say")
    assert say.evaluate("one => one.scrollHeight <= one.clientHeight + 1"), f"too long: {say.inner_text()}"


def test_a_lesson_is_left_and_taken_up_again(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit(at="/learn/goldmine")
    for _ in range(4):
        press(ada, "mouse")
    ada.page.wait_for_selector("[data-lesson][data-playing=false]")
    place = ada.page.locator("[data-lesson]").get_attribute("data-place")
    ada.page.locator(".prompt a", has_text="Leave").click()
    expect(ada.page.locator(".game").first).to_be_visible()
    ada.page.goto(f"{server.url}/learn/goldmine")
    expect(ada.page.locator("[data-lesson]")).to_have_attribute("data-place", place or "")


def test_what_was_said_can_be_read_again(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit(at="/learn/goldmine")
    lesson, back = ada.page.locator("[data-lesson]"), ada.page.get_by_role("button", name="Back")
    expect(lesson).to_have_attribute("data-step", "1")
    expect(back).to_have_count(0)
    said = []
    for step in range(1, 6):
        expect(lesson).to_have_attribute("data-step", str(step))
        ada.page.wait_for_selector("[data-lesson][data-playing=false]")
        said.append((lesson.get_attribute("data-place"), ada.page.locator(".say").inner_text()))
        press(ada, "mouse")
    ada.page.wait_for_selector("[data-lesson][data-playing=false][data-step='6']")
    for step in range(5, 0, -1):
        back.click()
        expect(lesson).to_have_attribute("data-step", str(step))
        assert (lesson.get_attribute("data-place"), ada.page.locator(".say").inner_text()) == said[step - 1]


def test_a_wrong_press_is_gently_refused(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit(at="/learn/goldmine")
    while ada.page.evaluate(WAITED_FOR)["what"] == "next":
        press(ada, "mouse")
    before = ada.page.locator("[data-lesson]").get_attribute("data-place")
    ada.page.locator("[data-board] button:not(.hinted)").first.click(force=True)
    expect(ada.page.locator(".prompt .wrong")).to_contain_text("one thing at a time")
    expect(ada.page.locator("[data-lesson]")).to_have_attribute("data-place", before or "")


def test_a_game_without_a_lesson(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    ada.allowed = ["404", "400"]
    ada.page.goto(f"{server.url}/learn/no_such_game")
    expect(ada.page.locator("main")).to_contain_text("there is no game")
