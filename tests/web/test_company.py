"""Who else is at a table: names that look alike, two chats, hiding, muting, removing, substitutes, signing out."""

import os
import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, WebSocketRoute, expect
from support.access import check_access
from support.local_server import Server
from support.visiting import PHONE, Visit, make_table, unfold

SHOTS = os.environ.get("MOTHERLODE_SHOTS")
SIZES = {"desk": (1440, 900), "laptop": (1280, 800), "phone": (390, 844)}


def shoot(page: Page, name: str) -> None:
    """Pictures for whoever wants to look, at three sizes."""
    if SHOTS:
        before = page.viewport_size
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            page.screenshot(path=Path(SHOTS) / f"{name}-{size}.png", full_page=True)
        assert before
        page.set_viewport_size(before)


def sit(ada: Visit, bo: Visit, name: str) -> None:
    make_table(ada, "Goldmine", {1: "A friend, by a link"}, seat_0="Ada")
    link = ada.page.get_by_label("Link to seat 2").input_value()
    bo.page.goto(link)
    bo.page.get_by_label("Your name at the table").fill(name)


def say(visit: Visit, text: str) -> None:
    visit.page.get_by_role("tab", name="Chat").click()
    visit.page.get_by_label("Write a message").fill(text)
    visit.page.get_by_role("button", name="Send").click()


def test_company(server: Server, visit: Callable[..., Visit]) -> None:
    ada, bo, eve = visit(), visit(viewport=PHONE), visit()
    sit(ada, bo, "\u202eАda\u200b")  # Cyrillic, turned round, with something invisible in it
    expect(bo.page.get_by_text("If somebody is gone or out of time, Greedy bot plays for them.")).to_be_visible()
    bo.page.get_by_role("button", name="Sit down").click()
    players = ada.page.locator("aside section li")
    expect(players.first).to_contain_text("Ada (1) (you)")
    expect(players.nth(1)).to_contain_text("Аda (2)")
    # A spectator's line reaches no player while the game runs.
    eve.page.get_by_role("button", name="Your name and preferences").click()
    eve.page.get_by_label("Your name at the table").fill("Eve")
    save = eve.page.get_by_role("button", name="Save")
    save.click()
    expect(save).to_be_hidden()  # the name is stored
    eve.page.goto(f"{server.url}/table/{ada.table()}")
    say(eve, "Hello, \u202eplayers")
    expect(eve.page.get_by_role("tabpanel").get_by_role("listitem")).to_contain_text(["Hello, players"])
    say(bo, "I am Ada")
    ada.page.get_by_role("tab", name="Chat").click()
    said = ada.page.get_by_role("tabpanel").get_by_role("listitem")
    expect(said).to_have_count(1)
    expect(said).to_contain_text("Аda (2)")
    ada.page.get_by_role("button", name="Spectators (0)").click()
    expect(ada.page.get_by_text("While the game runs")).to_be_visible()
    eve.page.get_by_role("button", name="Players (1)").click()
    expect(eve.page.get_by_role("tabpanel").get_by_role("listitem")).to_contain_text(["I am Ada"])
    shoot(eve.page, "spectator")
    # Hide one person's lines; mute them; remove them.
    ada.page.get_by_role("button", name="Players (1)").click()
    ada.page.get_by_text("Other people here").click()
    hide = ada.page.get_by_role("button", name="Hide messages Аda (2)")
    hide.click()
    expect(hide).to_have_attribute("aria-pressed", "true")
    expect(ada.page.get_by_role("button", name="Players (0)")).to_be_visible()
    hide.click()
    ada.page.get_by_role("button", name="Mute for all Аda (2)").click()
    expect(players.nth(1)).to_contain_text("muted")
    check_access(ada.page)
    say(bo, "still here")
    expect(bo.page.get_by_text("whoever made this table has muted you here")).to_be_visible()
    check_access(bo.page)
    expect(bo.page.get_by_role("button", name="Remove")).to_have_count(0)  # not the maker
    remove = ada.page.get_by_role("button", name="Remove Аda (2)")
    remove.focus()
    ada.page.keyboard.press("Enter")
    expect(ada.page.get_by_text("The substitute plays on in this seat.")).to_be_visible()
    check_access(ada.page)
    shoot(ada.page, "maker")
    ada.page.keyboard.press("Enter")  # the button that confirms has the focus
    expect(players.nth(1)).to_contain_text("Greedy bot plays for them")
    expect(bo.page.get_by_role("alert")).to_contain_text("sent you away")
    # Everybody may hide the chat altogether.
    ada.page.get_by_role("button", name="Your name and preferences").click()
    ada.page.get_by_label("Show the chat at tables").uncheck()
    shoot(ada.page, "preferences")
    ada.page.keyboard.press("Escape")
    expect(ada.page.get_by_role("tab", name="Chat")).to_have_count(0)


def test_the_substitute_and_a_shared_screen(server: Server, visit: Callable[..., Visit]) -> None:
    ada, bo = visit(), visit(viewport=PHONE, locale="fr-FR")
    options = {"Substitute": "Random bot"}
    chairs = {1: "A person here", 2: "Anyone"}
    make_table(ada, "Claimpoker", chairs, 3, options=options, seat_0="Ada", seat_1="Al")
    expect(ada.page.locator("aside").get_by_text("Random bot plays for them.")).to_be_visible()
    expect(ada.page.locator("aside section li").first).to_contain_text("shares a screen")
    bo.page.reload()
    row = bo.page.locator("#open + ul li").filter(has=bo.page.locator(f"a[href$='{ada.table()}']"))
    expect(row).to_contain_text("Ada (1)")
    expect(row).to_contain_text("écran partagé")
    check_access(bo.page)
    bo.page.goto(f"{server.url}/table/{ada.table()}")
    expect(bo.page.get_by_text("plusieurs personnes partagent un écran")).to_be_visible()
    expect(bo.page.locator("form").get_by_text("Robot aléatoire")).to_be_visible()
    shoot(bo.page, "before-sitting")
    check_access(bo.page)


def test_a_seat_is_offered_together_with_its_table(server: Server, visit: Callable[..., Visit]) -> None:
    """On a slow line the page would else have neither its heading nor what the seat is for."""
    ada, bo = visit(), visit(only_once=True)
    make_table(ada, "Claimpoker", {1: "Anyone", 2: "Anyone"}, 3)
    held: list[tuple[WebSocketRoute, str | bytes]] = []

    def hold_back(page: WebSocketRoute) -> None:
        page.connect_to_server().on_message(lambda message: held.append((page, message)))

    bo.page.route_web_socket(re.compile("/socket"), hold_back)
    bo.page.goto(f"{server.url}/table/{ada.table()}")
    expect(bo.page).to_have_title("Claimpoker")
    while not held:
        bo.page.evaluate("0")
    offer = bo.page.get_by_text("A seat is open to anyone.")
    expect(offer).to_have_count(0)
    for page, message in held:
        page.send(message)
    expect(offer).to_be_visible()
    check_access(bo.page)


def test_signing_out_ends_the_open_table(server: Server, visit: Callable[..., Visit]) -> None:
    """In another tab of the same browser, too; the code brings one back."""
    ada = visit()
    ada.play_now("Goldmine")
    tab = ada.context.new_page()
    tab.goto(server.url)
    ada.page.get_by_role("button", name="Your name and preferences").click()
    ada.page.get_by_text("Use another device").click()
    code = ada.page.locator("dialog code").inner_text()
    ada.page.keyboard.press("Escape")
    tab.get_by_role("button", name="Your name and preferences").click()
    tab.get_by_text("Use another device").click()
    expect(tab.get_by_text("With your recovery code you can come back")).to_be_visible()
    tab.get_by_role("button", name="Forget me on this device").click()
    expect(ada.page.get_by_role("alert")).to_contain_text("You are signed out here")
    shoot(ada.page, "signed-out")
    tab.get_by_role("button", name="Your name and preferences").click()
    tab.get_by_text("Use another device").click()
    tab.get_by_label("Recovery code").fill(code)
    tab.get_by_role("button", name="Recover").click()
    expect(tab.get_by_role("link", name="Continue: Goldmine", exact=True)).to_be_visible()


def test_whoever_wants_to_be_deleted_is(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit(viewport={"width": 320, "height": 640})
    ada.play_now("Goldmine")
    table = ada.page.url.rpartition("/")[2].partition("#")[0]
    ada.page.get_by_role("button", name="Your name and preferences").click()
    ada.page.get_by_text("Use another device").click()
    code = ada.page.locator("dialog code").inner_text()
    ada.page.get_by_label("Also delete everything that is stored about me").check()
    assert ada.page.evaluate("document.documentElement.scrollWidth") <= 320
    shoot(ada.page, "deleting")
    with ada.page.expect_response("**/api/guests/me") as answer:
        ada.page.get_by_role("button", name="Forget me on this device").click()
    assert (answer.value.request.method, answer.value.status) == ("DELETE", 204)
    assert ada.page.request.post(f"{server.url}/api/guests/recover", data={"code": code}).status == 400
    assert ada.page.request.get(f"{server.url}/api/tables/{table}").status == 404


def test_a_new_table_by_its_page(visit: Callable[..., Visit], server: Server) -> None:
    ada = visit()
    ada.page.get_by_role("link", name="Play with friends …: Goldmine", exact=True).click()
    unfold(ada.page)
    choice = ada.page.get_by_label("Substitute")
    expect(choice).to_have_value("")
    assert choice.locator("option").count() > 5
    shoot(ada.page, "make")
    check_access(ada.page)
