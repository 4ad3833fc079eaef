"""The lobby's tiles, my games and my record, as a person uses them, in both languages."""

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from support.catalogues import catalogue
from support.histories import add_history, add_win
from support.local_server import Server
from support.positions import ending, find, last_of
from support.visiting import DESK, PHONE, Visit

from motherlode import engine, text
from motherlode.bots import levels
from motherlode.game import Record
from motherlode.games import GAMES

START = "goldmine"  # the game to begin with


def tile(page: Page, game: str) -> Locator:
    return page.locator(f".game[data-game={game}]")


def guest_of(ada: Visit) -> str:
    return str(ada.page.evaluate("fetch('/api/guests/me').then((answer) => answer.json())")["id"])


# What is in focus says so; the body, which has the focus while a page arrives, says everything.
FOCUSED = """(() => {
  const one = document.activeElement;
  return one === document.body ? "" : one.innerText || one.ariaLabel || "";
})()"""


def become(ada: Visit, name: str = "Ada") -> str:
    ada.ask("/api/guests", name=name)
    ada.page.evaluate("localStorage['motherlode.known'] = '1'")
    return guest_of(ada)


def bots_at(ada: Visit, server: Server) -> list[str | None]:
    return [chair.bot for chair in server.parlour.tables[ada.table()].chairs]


# The lobby


def test_a_first_timer_begins_with_one_game_and_the_weakest_bot(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    marks = ada.page.get_by_text("Start here")
    expect(marks).to_have_count(1)
    expect(tile(ada.page, START).get_by_text("Start here")).to_be_visible()
    assert ada.page.locator(".game").first.get_attribute("data-game") == START
    for game in GAMES:
        expect(tile(ada.page, game).get_by_role("combobox")).to_have_value(levels.names(GAMES[game])[0])
    ada.play_now("Goldmine")
    assert bots_at(ada, server) == [None, "greenhorn"]


def test_later_the_next_level_is_chosen_and_another_can_be(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    guest = become(ada)
    for level in ("greenhorn", "digger"):
        add_win(server, guest, "goldmine", level)
    for level in levels.NAMES:
        add_win(server, guest, "claimpoker", level)
    ada.page.reload()
    chosen = tile(ada.page, "goldmine").get_by_role("combobox")
    expect(chosen).to_have_value("prospector")
    expect(tile(ada.page, "goldmine")).to_contain_text("You have beaten Digger: this one comes next.")
    expect(tile(ada.page, "claimpoker").get_by_role("combobox")).to_have_value("baron")
    expect(tile(ada.page, "claimpoker")).to_contain_text("You have beaten them all.")
    expect(tile(ada.page, "china_gold").get_by_role("combobox")).to_have_value("greenhorn")
    expect(ada.page.get_by_text("Start here")).to_have_count(0)
    chosen.select_option(label="Panner · mild")
    ada.play_now("Goldmine")
    assert bots_at(ada, server) == [None, "panner"]


def test_whoever_has_beaten_a_level_is_offered_the_next(server: Server, visit: Callable[..., Visit]) -> None:
    """A game that the next action ends, won; then it is played against the level above."""
    ada, game = visit(), GAMES["goldmine"]
    guest = become(ada)
    add_win(server, guest, "goldmine", "greenhorn")

    def wins(s: Record) -> bool:
        end = ending(game, s)
        after = None if end is None else engine.after(game, s, engine.legal(game, s)[end])
        return s.turn == 0 and after is not None and engine.winners(game, after) == [0]

    won = find(game, wins)
    chairs = [{"player": "me"}, {"player": "greenhorn"}]
    table = ada.ask("/api/tables", game="goldmine", seats=chairs, record=text.write_record(won))["id"]
    ada.page.goto(f"{server.url}/table/{table}")
    ada.wait_for("true")
    ada.do(ending(game, last_of(won)) or 0)
    ada.page.get_by_role("button", name="Next: Panner").click()
    expect(ada.page.locator("[data-table]")).not_to_have_attribute("data-table", table)
    ada.wait_for("true")
    assert bots_at(ada, server) == [None, "panner"]


def test_strength_in_a_word_and_the_figures_behind_a_click(visit: Callable[..., Visit]) -> None:
    ada = visit()
    expect(ada.page.locator(".game option[value=greenhorn]")).to_have_count(len(GAMES))
    words = {game: tile(ada.page, game).locator("option").all_inner_texts() for game in GAMES}
    assert words["china_gold"] == [
        "Greenhorn · gentle",
        "Panner · mild",
        "Digger · steady",
        "Foreman · sharp",
        "Gold baron · fierce",
    ]
    assert words["goldmine"][-3:] == ["Foreman · fierce", "Gold baron · fierce", "Legend · fierce"]
    goldmine = tile(ada.page, "goldmine")
    expect(goldmine.get_by_text("Beats the panner")).to_have_count(0)
    goldmine.get_by_role("combobox").select_option("digger")
    goldmine.get_by_text("How strong?").click()
    expect(goldmine.get_by_text(re.compile(r"Beats the panner in \d+% of \d+ games"))).to_be_visible()


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_game_says_for_whom_it_is(visit: Callable[..., Visit], language: str) -> None:
    ada = visit(locale=f"{language}-CA")
    for game in GAMES:
        expect(tile(ada.page, game)).to_contain_text(str(catalogue(game, language)["for"]))
    assert [game for game in GAMES if "start" in catalogue(game, language)] == [START]


def test_the_lobby_shows_the_latest_games_and_what_waits_for_me(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    become(ada)
    tables = [
        ada.ask("/api/tables", game="goldmine", seats=[{"player": "me"}, {"player": "link"}])["id"] for _ in "1234"
    ]
    ada.page.reload()
    mine = ada.page.locator("section", has=ada.page.locator("#mine"))
    expect(mine.locator("li")).to_have_count(3)
    expect(ada.page.get_by_text("Your turn")).to_have_count(0)
    expect(mine.get_by_role("link", name="All my games (4 unfinished)")).to_be_visible()
    server.move_clock(1)  # the latest is the one made last
    ada.ask("/api/tables", game="china_gold", seats=[{"player": "me"}, {"player": "me"}], seating="given")
    ada.page.reload()
    ada.page.get_by_role("link", name="Continue: ChinaGold", exact=True).click()
    ada.page.wait_for_url("**/table/*")
    assert ada.page.url.rpartition("/")[2] not in tables


# My games


@pytest.mark.parametrize(("size", "language"), [(DESK, "en"), (PHONE, "fr")])
def test_my_games_by_keyboard(server: Server, visit: Callable[..., Visit], size: dict[str, int], language: str) -> None:
    words = catalogue("own", language)
    ada = visit(viewport=size, locale=f"{language}-FR")
    guest = become(ada)
    waiting = ada.ask("/api/tables", game="claimpoker", seats=[{"player": who} for who in ("me", "panner", "anyone")])
    add_history(server, guest, of_each=4)
    ada.page.reload()
    page = ada.page

    def tab_to(name: str) -> None:
        for _ in range(120):
            page.keyboard.press("Tab")
            if name in page.evaluate(FOCUSED):
                return
        pytest.fail(f"{name} cannot be reached")

    tab_to("My games" if language == "en" else "Mes parties")
    page.keyboard.press("Enter")
    running, over = (page.locator("section", has=page.locator(f"#{name}")) for name in ("running", "over"))
    expect(running.locator("li")).to_have_count(1)
    expect(running).to_contain_text(str(words["waiting"]))
    expect(over.locator("li")).to_have_count(20)
    tab_to(str(words["more"]))
    page.keyboard.press("Enter")
    expect(over.locator("li")).to_have_count(24)
    game, opponent, result = (page.get_by_role("combobox").nth(n) for n in range(3))
    result.focus()
    page.keyboard.type(str(words["won"])[:3])
    expect(running).to_have_count(0)
    expect(over.locator("li")).to_have_count(8)
    expect(over.locator("li.won")).to_have_count(8)
    assert waiting["id"] not in page.content()
    opponent.select_option(value="bot=digger")
    expect(over.locator("li")).not_to_have_count(8)
    page.get_by_role("button", name=str(words["filter.clear"])).press("Enter")
    game.select_option(value="goldmine")
    expect(over.locator("li")).to_have_count(4)
    expect(running).to_contain_text(str(words["none.filtered"]))


def test_continue_replay_and_play_again(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    become(ada)
    seats = [{"player": "random"}, {"player": "me"}]
    table = ada.ask("/api/tables", game="goldmine", seats=seats, options={"target": 0}, hints=True)["id"]
    ada.page.reload()
    ada.turn_to("/games")
    ada.page.get_by_role("link", name="Continue: Goldmine, Random bot, Ada").click()
    ada.play_on(60)
    ada.turn_to("/games")
    page = ada.page
    row = page.locator("li", has_text="Goldmine")
    live = server.parlour.tables[table]
    points = engine.points(live.game, live.core.position)
    expect(row).to_contain_text(re.compile(rf"Random bot\s*{points[0]}.*Ada\s*{points[1]}", re.DOTALL))
    row.get_by_role("link", name="Replay").click()
    expect(page.locator("input[type=range]")).to_be_visible()
    ada.turn_to("/games")
    page.get_by_role("button", name="Play again: Goldmine, Random bot, Ada").click()
    page.wait_for_selector(f"[data-table]:not([data-table='{table}'])")
    new = server.parlour.tables[ada.table()]
    assert [chair.bot for chair in new.chairs] == ["random", None]
    assert new.core.options["target"] == 0 and new.settings.hints and new.facts.given == 0


def test_who_has_no_games_is_led_to_them(visit: Callable[..., Visit]) -> None:
    ada = visit()
    for address in ("/games", "/my-record"):
        ada.turn_to(address)
        ada.page.get_by_role("link", name="Choose a game").click()
        expect(ada.page.locator(".game").first).to_be_visible()
    expect(ada.page.locator("nav")).to_have_count(0)


# My record


@pytest.mark.parametrize(("size", "language"), [(DESK, "en"), (PHONE, "fr")])
def test_my_record_is_shown_taken_along_and_deleted(
    server: Server, visit: Callable[..., Visit], size: dict[str, int], language: str
) -> None:
    words = catalogue("own", language)
    ada = visit(viewport=size, locale=f"{language}-FR")
    guest = become(ada)
    ada.ask("/api/tables", game="goldmine", seats=[{"player": "me"}, {"player": "link"}])
    add_history(server, guest)
    ada.page.reload()
    ada.turn_to("/my-record")
    page = ada.page
    known = page.evaluate("fetch('/api/guests/me/record').then((answer) => answer.json())")
    expect(page.locator(".figures")).to_be_visible()
    figures = page.locator(".figures dd").all_inner_texts()
    assert figures[:2] == [str(known["played"]), str(known["won"])] and figures[-1] == str(known["longest"])
    for game in known["games"]:
        card = page.locator(f"li[data-game={game['game']}]")
        expect(card.locator(".levels li")).to_have_count(len(game["levels"]))
        said = card.get_by_role("img").last.get_attribute("aria-label") or ""
        assert said.endswith(", ".join(str(words[result]) for result in game["recent"]))
        for line, level in zip(card.locator(".levels li > p:first-child").all(), game["levels"], strict=True):
            expect(line).to_contain_text(re.compile(rf"\b{level['won']}\b.*\b{level['played']}\b"))
        bars = card.locator(".levels svg .won")
        shares = [float(bar.get_attribute("width") or 0) for bar in bars.all()]
        assert shares == pytest.approx([100 * level["won"] / level["played"] for level in game["levels"]])
    with page.expect_download() as taken:
        page.get_by_role("link", name=str(words["csv"])).click()
    lines = list(csv.DictReader(io.StringIO(Path(taken.value.path()).read_text("utf-8"))))
    assert len(lines) == known["played"] and taken.value.suggested_filename == "motherlode-record.csv"
    page.get_by_role("button", name=str(words["delete"])).press("Enter")
    page.get_by_role("button", name=str(words["delete.not"])).press("Enter")
    expect(page.locator(".figures")).to_be_visible()
    page.get_by_role("button", name=str(words["delete"])).press("Enter")
    page.get_by_role("dialog").get_by_role("button", name=str(words["delete"])).press("Enter")
    expect(page.get_by_text(str(words["record.none"]))).to_be_visible()
    assert page.evaluate("fetch('/api/guests/me/record').then((answer) => answer.json())")["played"] == 0
    ada.turn_to("/games")
    expect(page.locator("li.card")).to_have_count(1 + len(GAMES))


# Addresses that are no page, and names


@pytest.mark.parametrize("language", ["en", "fr"])
def test_an_address_that_is_no_page(visit: Callable[..., Visit], language: str) -> None:
    ada = visit(locale=f"{language}-CA")
    ada.allowed = ["404"]
    words = catalogue("own", language)
    answer = ada.page.goto(f"{ada.parlour.url}/gold/mine")
    assert answer and answer.status == 404
    expect(ada.page.get_by_role("heading", name=str(words["nowhere"]))).to_be_visible()
    expect(ada.page.get_by_text("/gold/mine")).to_be_visible()
    ada.page.get_by_role("link", name=str(words["nowhere.home"])).click()
    expect(ada.page.locator(".game").first).to_be_visible()


def test_a_record_calls_bots_what_the_table_called_them(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    become(ada)
    table = ada.ask("/api/tables", game="claimpoker", seats=[{"player": "random"}] * 3)["id"]
    ada.turn_to(f"/table/{table}")
    ada.play_on(5)  # a spectator goes on after each round
    names = ada.page.locator("aside bdi").all_inner_texts()[:3]
    assert names == ["Random bot 1", "Random bot 2", "Random bot 3"]
    record = ada.context.request.get(f"{ada.parlour.url}/api/tables/{table}/record").text()
    assert "random" in record and "Random bot" not in record
    ada.turn_to("/#record")
    ada.page.locator("input[type=file]").set_input_files(
        {"name": "r.txt", "mimeType": "text/plain", "buffer": record.encode()}
    )
    views = ada.page.get_by_label("View").locator("option")
    expect(views.nth(1)).to_have_text("as Random bot 1 sees it")
    assert views.all_inner_texts()[1:4] == [f"as {name} sees it" for name in names]


def test_french_turns_are_told_without_an_article() -> None:
    """“À Robot avide de jouer” is no French."""
    words = catalogue("table", "fr")
    assert words["turn"] == "Au tour de {name}"
    assert not [key for key, sentence in words.items() if "à {name} de jouer" in str(sentence).lower()]
