"""The page of a new table: what it asks for, and that it fits, which `test_other_browsers` measures in others too."""

from collections.abc import Callable

from playwright.sync_api import expect
from support.layout import CHOOSE_LONGEST, NEW_TABLES, Faults, arrive
from support.local_server import Server
from support.visiting import Visit, unfold


def test_it_is_no_wider_than_a_phone(server: Server, visit: Callable[..., Visit]) -> None:
    """Though the names of some players in the lists are long."""
    ada, faults = visit(has_touch=True), Faults()
    arrive(ada)
    for game in NEW_TABLES:
        ada.turn_to(f"/#make/{game}")
        expect(ada.page.locator(f"form[data-game={game}] option[value=me]").first).to_be_attached()
        ada.page.evaluate(CHOOSE_LONGEST)
        faults.look(ada, f"new table: {game}")
    faults.check()


def test_all_other_seats_are_filled_by_one_press(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    ada.turn_to("/#make/claimpoker")
    seats = [ada.page.get_by_label(f"Player in seat {n}") for n in (1, 2, 3)]
    for name, player in (("Around this screen", "me"), ("With friends, by a link", "link"), ("Against bots", "panner")):
        ada.page.get_by_role("button", name=name).click()
        expect(ada.page.get_by_role("button", name=name)).to_have_attribute("aria-pressed", "true")
        assert [seat.input_value() for seat in seats] == ["me", player, player]
    expect(ada.page.get_by_text("Rules as usual")).to_be_visible()
    unfold(ada.page)
    ada.page.get_by_label("Turned up at the start").select_option(index=1)
    expect(ada.page.get_by_text("Rules changed")).to_be_visible()


def test_one_of_many_numbers_is_typed(server: Server, visit: Callable[..., Visit]) -> None:
    """Gold Hunting's accidents: none, or after one lift in 2 to 100."""
    ada = visit()
    ada.turn_to("/#make/gold_hunting")
    page = ada.page
    unfold(page)
    accidents = page.get_by_label("Lifts per accident, on average", exact=True)
    expect(accidents.locator("option")).to_have_text(["no accidents", "a number from 2 to 100"])
    accidents.select_option("a number from 2 to 100")
    number = page.get_by_label("Lifts per accident, on average: a number from 2 to 100")
    expect(number).to_have_value("2")
    create = page.get_by_role("button", name="Create the table")
    for typed, refusal in (
        ("250", "250 is not possible here. Give a whole number from 2 to 100."),
        ("1", "1 is not possible here. Give a whole number from 2 to 100."),
        ("2.5", "2.5 is not possible here. Give a whole number from 2 to 100."),
        ("often", "often is not possible here. Give a whole number from 2 to 100."),
        (" ", "Give a whole number from 2 to 100."),
    ):
        number.fill(typed)
        create.click()
        expect(page.get_by_role("alert").filter(has_text="Give")).to_have_text(refusal)
        expect(number).to_be_focused()
        expect(number).to_have_attribute("aria-invalid", "true")
    page.locator("form > details > summary").first.click()  # folded again: what is refused is shown all the same
    create.click()
    expect(number).to_be_focused()
    number.fill("7")
    expect(page.get_by_role("alert").filter(has_text="Give")).to_have_count(0)
    create.click()
    table = server.parlour.tables[ada.table()]
    assert table.core.options["accident"] == 7


def test_what_was_typed_is_forgotten_with_the_list(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    ada.turn_to("/#make/gold_hunting")
    unfold(ada.page)
    accidents = ada.page.get_by_label("Lifts per accident, on average", exact=True)
    accidents.select_option("a number from 2 to 100")
    ada.page.get_by_label("a number from 2 to 100").fill("x")
    accidents.select_option("no accidents")
    ada.page.get_by_role("button", name="Create the table").click()
    assert server.parlour.tables[ada.table()].core.options["accident"] == 0
