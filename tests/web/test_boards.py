"""What boards and the log say of a position: it comes from the rules, in the words of the page."""

from collections.abc import Callable

from playwright.sync_api import expect
from support.catalogues import catalogue
from support.local_server import Server
from support.positions import find, last_of, sit
from support.visiting import Visit

from motherlode.game import Record
from motherlode.games import GAMES
from motherlode.games.china_gold import rules as china_gold
from motherlode.games.china_gold.showing import drawn, finishes
from motherlode.games.claimpoker import rules as claimpoker
from motherlode.games.claimpoker.showing import cards_to_give
from motherlode.games.gold_hunting import rules as gold_hunting


def test_china_gold_previews_what_a_dig_finishes(server: Server, visit: Callable[..., Visit]) -> None:
    def both(s: Record) -> list[int]:
        """The digs of a single site that finish an area of each seat."""
        finished = drawn(s)["finishes"]
        assert isinstance(finished, dict)
        return [a for a, ends in finished.items() if a < china_gold.LINE and {end["seat"] for end in ends} == {0, 1}]

    ada = visit()
    played = find(GAMES["china_gold"], lambda s: bool(s.turn == 0 and s.throw == 1 and both(s)))
    sit(ada, played)
    s = last_of(played)
    site = both(s)[0] - china_gold.DIG
    ada.page.locator(f"[data-site='{site}']").click()
    plan = ada.page.locator(".plan")
    for end in finishes(s, china_gold.DIG + site):
        kind, letter = ("mountain", end["area"]) if end["seat"] == 0 else ("river", str(end["area"]).lower())
        expect(plan).to_contain_text(
            f"Finishes {kind} {letter}: {['Ada', 'Greedy bot'][int(str(end['seat']))]} +{end['gold']}."
        )


def test_claimpoker_says_which_card_is_given(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    played = find(GAMES["claimpoker"], lambda s: s.turn == 0 and s.phase == claimpoker.GIVING)
    sit(ada, played)
    first, second = cards_to_give(last_of(played)).values()
    known = catalogue("claimpoker")
    ada.page.locator("details.words summary").click()
    choices = ada.page.locator("details.words button")
    expect(choices.first).to_have_text(f"give {known[f'word.{first}']} to Greedy bot 1")
    expect(choices.last).to_have_text(f"give {known[f'word.{second}']} to Greedy bot 2")
    choices.last.click()
    given = f"Ada gives {known[f'word.{second}']} to Greedy bot 2"
    expect(ada.page.locator("#panel li").filter(has_text=given)).to_have_count(1)


def test_gold_hunting_tells_a_newcomer_the_last_lift(server: Server, visit: Callable[..., Visit]) -> None:
    def has_lifted(s: Record) -> bool:
        return bool(s.turn == 0 and s.phase == gold_hunting.MINING and sum(s.left) < 15 and s.shown[gold_hunting.PIECE])

    ada = visit()
    played = find(GAMES["gold_hunting"], has_lifted)
    sit(ada, played)
    lifted = ada.page.locator(".happened .event")
    expect(lifted).to_have_count(1)
    expect(lifted).to_contain_text(f"It is a {last_of(played).shown[gold_hunting.PIECE]}.")
