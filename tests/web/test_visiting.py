"""What the tests in a browser rely on: a browser that is used again knows nothing, and axe sees what it looks at."""

from collections.abc import Callable
from typing import Any

import pytest
from support.access import check_access
from support.local_server import Server
from support.visiting import Contexts, Visit

OWN: dict[str, Any] = {"viewport": {"width": 1111, "height": 777}}  # no other test has this browser
LEFT_BEHIND = "() => [localStorage.adas, sessionStorage.adas, window.adas, document.querySelector('h1:hover')].join('')"


def test_who_comes_next_finds_nothing_of_who_was_there(contexts: Contexts, server: Server) -> None:
    ada = Visit(contexts, server, **OWN)
    ada.ask("/api/guests", name="Ada")
    ada.page.evaluate("localStorage.adas = sessionStorage.adas = window.adas = 'Ada'")
    ada.page.hover("h1")
    assert "Ada" in ada.page.evaluate(LEFT_BEHIND) and "HTML" in ada.page.evaluate(LEFT_BEHIND)
    [token] = ada.context.cookies()
    ada.page.route("**/api/games", lambda route: route.abort())
    ada.page.set_viewport_size({"width": 400, "height": 400})
    ada.context.new_page()
    ada.context.set_offline(True)
    assert ada.leave() == []

    bo = Visit(contexts, server, **OWN)
    assert bo.page is ada.page and bo.context.pages == [bo.page]
    bo.page.locator(".game").first.wait_for()
    assert bo.page.evaluate(LEFT_BEHIND) == ""
    assert token["value"] not in {cookie["value"] for cookie in bo.context.cookies()}
    assert bo.page.evaluate("[innerWidth, innerHeight]") == [1111, 777]
    assert bo.leave() == []


def test_axe_sees_a_page_that_is_otherwise_not_painted(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    ada.page.locator(".game").first.wait_for()
    check_access(ada.page)
    ada.page.locator(".game button").first.evaluate("one => one.style.cssText = 'color: #eee; background: #fff'")
    with pytest.raises(AssertionError, match="color-contrast"):
        check_access(ada.page)
    assert ada.page.evaluate("getComputedStyle(document.documentElement).opacity") == "0"
