"""A table that whoever runs the server closes, and then deletes, while a page is open there."""

from collections.abc import Callable

import httpx
from playwright.sync_api import expect
from support.local_server import Server
from support.visiting import Visit, make_table

from motherlode.server.clicking import OFFERED


def test_a_page_says_that_its_table_was_closed_and_deleted(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    make_table(ada, "Goldmine", {1: "Greedy bot"})
    ada.wait_for("true")
    key, token = ada.table(), server.app.state.administration.token
    with httpx.Client(base_url=f"{server.url}/api/admin", verify=False) as host:
        host.headers["authorization"] = f"Bearer {token}"
        assert host.post(f"/tables/{key}/close", json={}).status_code == 204
        expect(ada.page.get_by_role("heading", name="The game was ended early")).to_be_visible()
        expect(ada.page.get_by_role("status").get_by_text("Nobody can act any more")).to_be_visible()
        expect(ada.page.locator(OFFERED)).to_have_count(0)
        assert host.delete(f"/tables/{key}").status_code == 204
        expect(ada.page.get_by_role("alert").get_by_text("This table was deleted.")).to_be_visible()
