"""Every game on a page of text, by the keyboard and the live region alone.

A terminal sits at the same seat of the same table (`motherlode play LINK`) and types nothing: both must tell the same,
everything once and in the same order.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from playwright.sync_api import expect
from support.access import check_access
from support.local_server import Server
from support.positions import find, last_of, late
from support.text_listener import Terminal, be
from support.visiting import DESK, PHONE, Visit

from motherlode import engine, sentences, text
from motherlode.game import Game
from motherlode.games import GAMES
from motherlode.server.guest_requests import COOKIE
from motherlode.text_table import did_of_wire

LATE = 3  # decisions of seat 0 that are left
LISTEN = """() => {
  const region = document.querySelector("[role=log]");
  window.heard = [...region.children].map((line) => line.textContent);
  new MutationObserver((changes) => {
    const added = changes.flatMap((change) => [...change.addedNodes]);
    heard.push(...added.filter((node) => node.nodeType === 1).map((line) => line.textContent));
  }).observe(region, { childList: true });
}"""
FOCUSED = "document.activeElement.matches('.turn, .turn *')"
BOTS = {"en": "Greedy bot", "fr": "Robot avide"}


@pytest.fixture(autouse=True)
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda _: str(tmp_path / "data"))


def sit(ada: Visit, played: text.Played, address: str = "/text", **more: Any) -> str:
    """At a new table that goes on from there, on its page of text; seat 0 is to act."""
    ada.ask("/api/guests", name="Ada")
    chairs = [{"player": "me" if x == 0 else "greedy"} for x in range(played.seats)]
    made = ada.ask("/api/tables", game=played.game.NAME, seats=chairs, record=text.write_record(played), **more)
    table: str = made["id"]
    ada.turn_to(f"/table/{table}{address}")
    ada.page.wait_for_selector(f"[data-table='{table}'][data-mine=true]")
    return table


def token_of(ada: Visit) -> str:
    return next(str(cookie["value"]) for cookie in ada.context.cookies() if cookie["name"] == COOKIE)


def act(ada: Visit) -> None:
    """One of the choices, by the keyboard alone; what has the focus is not lost."""
    page, keys = ada.page, ada.page.keyboard
    ada.wait_for("true")
    if ada.turn() == -2:
        return
    at = ada.at()
    for _ in range(60):
        keys.press("Tab")
        if page.evaluate("document.activeElement.matches('[data-action]')"):
            break
    else:
        pytest.fail("the keyboard does not reach a choice")
    last = page.evaluate("document.activeElement.closest('ul').children.length") - 1
    for _ in range(ada.rng.randint(0, min(last, 6))):
        keys.press("ArrowDown")
    assert page.evaluate("document.activeElement.matches('[data-action]')")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    keys.press("Enter")
    page.wait_for_function(
        "at => document.querySelector('.ask') || document.querySelector('[data-at]').dataset.at !== at", arg=str(at)
    )
    if page.locator(".ask").is_visible():
        assert page.evaluate("!!document.activeElement.closest('.ask')")
        keys.press("Enter")
        page.wait_for_selector(f"[data-table]:not([data-at='{at}'])")
    assert page.evaluate(FOCUSED), "the focus was lost"


def play_to_the_end(ada: Visit) -> None:
    while ada.turn() != -2:
        act(ada)
    expect(ada.page.locator(".turn h3").last).to_be_visible()


def told_in(language: str, terminal: Terminal, game: Game, names: list[str]) -> list[str]:
    """What the terminal has told, in this language."""
    return [
        sentences.stop(line)
        for news, before in terminal.calls
        for line in sentences.tell_all(game, news, names, language, before)
    ]


def play_beside_a_terminal(server: Server, ada: Visit, played: text.Played, folder: Path, language: str) -> None:
    game = played.game
    table = sit(ada, played)
    ada.page.evaluate(LISTEN)
    be(server.url, token_of(ada))
    terminal = Terminal(f"{server.url}/table/{table}", folder)
    assert terminal.joined.seat == 0 and terminal.joined.me == "Ada"
    terminal.start()
    ada.page.wait_for_function("true")
    while not any(line.startswith("Your turn") for line in terminal.lines):
        assert not terminal.failed, terminal.failed
        terminal.over.wait(0.01)
    play_to_the_end(ada)
    printed = terminal.finish().splitlines()
    heard: list[str] = ada.page.evaluate("heard")
    end = printed.index("The game is over.") + 2
    begin = next(n for n, line in enumerate(printed) if line.startswith("Your turn"))
    said = [line for line in printed[begin:end] if not re.match(r"\d+( choices)?: ", line)]
    if language == "en":
        assert [re.sub(r"\bgreedy\b", BOTS["en"], line) for line in said] == heard
    else:
        bots = [BOTS["fr"]] * (played.seats - 1)
        told = told_in("fr", terminal, game, sentences.numbered(["Ada", *bots]))
        assert [line for line in heard if not line.startswith("À vous")][:-2] == told
        assert len(heard) == len(said)
    assert len(heard) > LATE


@pytest.mark.parametrize("name", GAMES)
def test_a_game_to_its_end(server: Server, visit: Callable[..., Visit], tmp_path: Path, name: str) -> None:
    play_beside_a_terminal(server, visit(), late(GAMES[name], LATE), tmp_path, "en")


@pytest.mark.parametrize("name", GAMES)
def test_in_french(server: Server, visit: Callable[..., Visit], tmp_path: Path, name: str) -> None:
    play_beside_a_terminal(server, visit(locale="fr-FR"), late(GAMES[name], LATE), tmp_path, "fr")


@pytest.mark.soak
@pytest.mark.parametrize("language", BOTS)
@pytest.mark.parametrize("name", GAMES)
def test_whole_games(server: Server, visit: Callable[..., Visit], tmp_path: Path, name: str, language: str) -> None:
    ada = visit(locale={"en": "en-GB", "fr": "fr-FR"}[language])
    play_beside_a_terminal(server, ada, late(GAMES[name], 10_000), tmp_path, language)


# What else is on the page


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_the_page_is_for_everybody(server: Server, visit: Callable[..., Visit], size: dict[str, int]) -> None:
    """By axe, in a light and a dark room, while one plays, is asked and advised, and at the end; in both languages."""
    ada = visit(viewport=size, color_scheme="dark" if size is PHONE else "light")
    page = ada.page
    for name in GAMES:
        sit(ada, late(GAMES[name], LATE), hints=True)
        check_access(page)
    page.get_by_role("button", name="What would you do?").click()
    expect(page.locator(".hint ol")).to_be_visible()
    check_access(page)
    ada.ask("/api/guests", name="Ada")
    sit(ada, doubting())
    page.get_by_role("button", name="doubt that gold is left").click()
    expect(page.get_by_role("alertdialog")).to_be_visible()
    check_access(page)
    sit(ada, late(GAMES["goldmine"], 1))
    play_to_the_end(ada)
    check_access(page)
    page.get_by_role("link", name="Replay").click()
    expect(page.get_by_role("heading", name="The position")).to_be_visible()
    check_access(page)
    page.get_by_role("button", name="Your name and preferences").click()
    page.get_by_label("Language").select_option("fr")
    page.keyboard.press("Escape")
    sit(ada, late(GAMES["china_gold"], LATE))
    check_access(page)


def doubting() -> text.Played:
    game = GAMES["blue_creek"]
    doubt = text.read_action(game, game.RECORD(), "doubt")
    return find(game, lambda s: s.turn == 0 and doubt in engine.legal(game, s))


def test_a_question_keeps_the_focus(server: Server, visit: Callable[..., Visit]) -> None:
    """It goes to the answer, and when that is no, back to where one was."""
    ada = visit()
    page, keys = ada.page, ada.page.keyboard
    sit(ada, doubting())
    at = ada.at()
    page.get_by_role("button", name="doubt that gold is left").focus()
    keys.press("Enter")
    expect(page.get_by_role("button", name="Do it")).to_be_focused()
    keys.press("Escape")
    expect(page.get_by_role("alertdialog")).to_have_count(0)
    assert page.evaluate(FOCUSED) and ada.at() == at
    page.get_by_role("button", name="doubt that gold is left").focus()
    keys.press("Enter")
    keys.press("Enter")
    page.wait_for_selector(f"[data-table]:not([data-at='{at}'])")
    assert page.evaluate(FOCUSED)


def test_typing_finds_a_choice(server: Server, visit: Callable[..., Visit]) -> None:
    """Words in their order leave those choices that have them; Enter does the only one that is left."""
    ada = visit()
    page, keys = ada.page, ada.page.keyboard
    game = GAMES["mount_goldrush"]
    played = late(game, 10_000)
    sit(ada, played)
    choices = page.locator("[data-action]")
    expect(choices).to_have_count(len(engine.legal(game, last_of(played))))
    page.get_by_label("Type to find a choice").focus()
    keys.type("row 3")
    expect(choices).to_have_count(8)
    expect(page.get_by_role("status").get_by_text("8 choices are left")).to_be_attached()
    at = ada.at()
    keys.press("Enter")
    keys.type(" 5")
    expect(choices).to_have_count(1)
    expect(choices).to_have_text("turn the card in row 3, column 5")
    assert ada.at() == at
    keys.press("Enter")
    page.wait_for_selector(f"[data-table]:not([data-at='{at}'])")
    expect(page.locator("section.turn")).to_contain_text("Your turn")
    assert page.evaluate(FOCUSED)
    expect(page.get_by_label("Type to find a choice")).to_have_value("")


def test_the_way_to_the_text_and_back(server: Server, visit: Callable[..., Visit]) -> None:
    """A link at the table; a setting shows every table as text, until the board is asked for."""
    ada = visit()
    page = ada.page
    ada.play_now("Goldmine")
    page.get_by_role("link", name="Play as text").click()
    page.wait_for_selector("[data-mine=true] [data-action]")
    assert page.url.endswith("/text")
    page.get_by_label("Always show tables as text").check()
    page.reload()
    page.wait_for_selector("[data-mine=true] [data-action]")
    page.get_by_role("link", name="Motherlode").click()
    ada.play_now("Goldmine")
    expect(page.locator("[data-action]").first).to_be_visible()
    assert not page.url.endswith("/text") and page.locator("[data-board]").count() == 0
    page.get_by_role("link", name="Show the board").click()
    expect(page.locator("[data-board] > div")).to_be_visible()
    page.reload()
    expect(page.locator("[data-board] > div")).to_be_visible()


def test_a_spectator_hears_what_is_public(server: Server, visit: Callable[..., Visit]) -> None:
    """The position as the public may know it, no choices, and everything that happens; nothing is drawn."""
    ada, eve = visit(), visit()
    played = late(GAMES["goldmine"], LATE)
    table = sit(ada, played, watch=True)
    eve.turn_to(f"/table/{table}/text")
    page = eve.page
    expect(page.get_by_role("heading", name="Ada's turn")).to_be_visible()
    page.evaluate(LISTEN)
    assert page.locator("[data-action], .text svg:visible, .text canvas, .text img").count() == 0
    view = engine.view(played.game, last_of(played), -1)
    said = sentences.position(played.game, played.game.describe(view), ["Ada", BOTS["en"]])
    shown = page.locator("section[aria-labelledby=position] li").all_text_contents()
    assert shown == [sentences.stop(line) for line in said] and not any("Ada holds the" in line for line in shown)
    play_to_the_end(ada)
    expect(page.get_by_role("heading", name="The game is over")).to_be_visible()
    heard = page.evaluate("heard")
    assert any(line.startswith("Ada ") for line in heard) and heard[-2] == "The game is over."
    assert not any("sees in secret: " in line or line.startswith("Your turn") for line in heard)


def test_a_replay_as_text(server: Server, visit: Callable[..., Visit]) -> None:
    """Step by step, each position in sentences, with everything open or as a seat saw it."""
    ada = visit()
    page = ada.page
    sit(ada, late(GAMES["goldmine"], 1))
    play_to_the_end(ada)
    page.get_by_role("link", name="Replay").click()
    lines = page.locator("section[aria-labelledby=position] li")
    expect(lines.first).to_be_visible()
    assert page.locator("[data-board]").count() == 0
    page.keyboard.press("End")
    last = lines.all_text_contents()
    page.keyboard.press("Home")
    expect(lines.first).to_have_text("Deal 1, trick 1 of 6.")
    assert lines.all_text_contents() != last
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    opened = lines.all_text_contents()
    assert sum("holds the" in line for line in opened) == 2
    page.get_by_label("View").select_option("0")
    expect(lines.filter(has_text="Ada holds the")).to_have_count(1)
    expect(lines.filter(has_text="holds the")).to_have_count(1)
    page.get_by_role("link", name="To the table").click()
    expect(page.get_by_role("heading", name="The game is over")).to_be_visible()


def test_a_line_that_is_cut(server: Server, visit: Callable[..., Visit]) -> None:
    """Everything is still said once, in its order."""
    ada = visit()
    ada.allowed.append("WebSocket")
    page = ada.page
    table = sit(ada, late(GAMES["claimpoker"], LATE))
    page.evaluate(LISTEN)
    act(ada)
    ada.wait_for("true")
    ada.context.set_offline(True)
    page.evaluate("dispatchEvent(new Event('offline'))")
    expect(page.get_by_role("status").get_by_text("The connection is lost")).to_be_attached()
    ada.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    page.wait_for_selector("[data-connection=open]")
    play_to_the_end(ada)
    log = ada.context.request.get(f"{server.url}/api/tables/{table}/log?seat=0").json()["did"]
    begin = next(did["at"] for did in log if did["at"] >= len(late(GAMES["claimpoker"], LATE).actions))
    heard = [line for line in page.evaluate("heard") if not line.startswith("Your turn")][:-2]
    news = [did_of_wire(did) for did in log if did["at"] >= begin]
    names = sentences.numbered(["Ada", *[BOTS["en"]] * 2])
    told = [sentences.stop(line) for line in sentences.tell_all(GAMES["claimpoker"], news, names)]
    assert heard == heard_with_piles(heard, told)


def heard_with_piles(heard: list[str], told: list[str]) -> list[str]:
    """What cards a take stands for is known where the position before it was seen."""
    return [mine if " takes " in mine else other for mine, other in zip(heard, told, strict=True)]
