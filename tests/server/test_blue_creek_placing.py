"""Gold Rush at Blue Creek: at a table of four everybody places the tool at the same time (BC-2.1)."""

from itertools import permutations

import pytest
from support.local_server import Server, Visitor

from motherlode.games import GAMES

blue_creek = GAMES["blue_creek"]
RIGHT = {0, 2}  # who lays the tool on the right


@pytest.mark.parametrize("order", [*permutations(range(4))][::5], ids=str)
def test_all_place_in_any_order(server: Server, ada: Visitor, order: tuple[int, ...]) -> None:
    table = ada.make("blue_creek", "me", "me", "me", "me")["id"]
    core = server.parlour.tables[table].core
    pages = [ada.open(table, seat) for seat in range(4)]
    for placed, seat in enumerate(order):
        page = pages[seat]
        assert page.table["view"]["turn"] == seat  # it is asked, whoever has decided
        page.send(do="act", at=page.table["at"], action=page.table["legal"][seat in RIGHT]["action"])
        if placed < 3:
            done = page.wait("table", lambda told: not told["legal"])
            slots = done["view"]["card"][2 * seat : 2 * seat + 2]
            assert (slots[0] == blue_creek.WHISKEY) == (seat in RIGHT)
            assert done["view"]["phase"] == blue_creek.PLACING
    for seat, page in enumerate(pages):
        page.wait("table", lambda told: told["view"]["phase"] == blue_creek.CHOOSE)
        assert (core.position.card[2 * seat] == blue_creek.WHISKEY) == (seat in RIGHT)
        page.close()
