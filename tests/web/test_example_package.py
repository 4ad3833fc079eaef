"""The example package in the browser: installed with pip, found by the server, played by clicking."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from support import example_game
from support.access import check_access
from support.server_process import Process
from support.visiting import DESK, PHONE, Contexts, Visit

TITLE = "The Night Coach"
CLICKS = 20  # a game has two decisions for the shipper and one for the outlaw


@pytest.fixture(scope="module")
def process(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    database = tmp_path_factory.mktemp("parlour") / "parlour.db"
    with Process(f"sqlite:///{database}", **example_game.environment(installed)) as running:
        yield running


@pytest.mark.parametrize(
    "look",
    [{"viewport": DESK}, {"viewport": PHONE, "has_touch": True, "is_mobile": True}],
    ids=["desk", "phone"],
)
def test_a_whole_game_by_clicking(contexts: Contexts, process: Process, look: dict[str, Any]) -> None:
    ada = Visit(contexts, process, **look)  # type: ignore[arg-type]
    page = ada.page
    ada.play_now(TITLE)
    expect(page.locator("pre")).to_contain_text(re.compile(r"bag (\?|\d) oz"))
    check_access(page)
    ada.play_on(CLICKS)
    expect(page.locator(".outcome h2")).to_contain_text("wins")
    expect(page.locator("pre")).to_contain_text(re.compile(r"bag \d oz   place (coach|mule)"))
    check_access(page)
    page.get_by_role("button", name="See the board").last.click()
    page.get_by_role("tab", name="Rules").click()
    expect(page.locator(".sheet")).to_contain_text("NC-4.2")
    page.get_by_role("tab", name="Shuffle").click()
    page.get_by_role("button", name="Check it here").click()
    expect(page.locator("[role=tabpanel] [role=status] .good")).to_have_count(5)
    assert not ada.leave()
