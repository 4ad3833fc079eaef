"""What boards and the log say of a position: it comes from the rules, in the words of the page."""

import re
from collections.abc import Callable

from playwright.sync_api import expect
from support.catalogues import catalogue
from support.local_server import Server
from support.positions import find, last_of, phases, sit
from support.visiting import Visit, repeat_without_news, unfold

from motherlode import engine
from motherlode.game import Record
from motherlode.games import GAMES
from motherlode.games.china_gold import rules as china_gold
from motherlode.games.china_gold.events import finishes
from motherlode.games.china_gold.showing import drawn
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
        kind = ("mountain", "river")[int(str(end["seat"]))]
        gain = f"{['You', 'Greedy bot'][int(str(end['seat']))]} +{end['gold']}" if end["gold"] else "no gold left in it"
        expect(plan).to_contain_text(f"Finishes {kind} {end['area']}: {gain}")


RIVERS = "all => all.map((one) => one.getAttribute('d')).join()"


def test_china_gold_boards_are_chosen_by_their_pictures(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit(locale="fr-FR")
    ada.turn_to("/#make/china_gold")
    unfold(ada.page)
    choice = ada.page.get_by_role("radiogroup", name="Plateau : comment les rivières couvrent les montagnes")
    radios = choice.get_by_role("radio")
    expect(radios).to_have_count(5)
    expect(choice.locator(".drawing svg")).to_have_count(5)
    drawn = [str(one.locator(".rivers .water").evaluate_all(RIVERS)) for one in choice.locator(".drawing").all()]
    assert len(set(drawn)) == 5
    for name in ("Vallée", "Gorge", "Delta", "Rapides", "Cascade"):
        expect(choice.get_by_role("radio", name=name, exact=True)).to_have_count(1)
    expect(choice.get_by_role("radio", name="Vallée")).to_be_checked()
    choice.get_by_role("radio", name="Vallée").focus()
    ada.page.keyboard.press("ArrowRight")
    choice.locator("label").filter(has_text="Delta").locator("svg").click()
    expect(choice.get_by_role("radio", name="Delta")).to_be_checked()
    ada.page.get_by_role("button", name="Créer la table").click()
    ada.wait_for("true")
    rivers = ada.page.locator("[data-board] .rivers .water")
    expect(rivers).to_have_count(17)
    assert rivers.evaluate_all(RIVERS) == drawn[2]


def test_china_gold_marks_every_row_and_column_at_the_edge(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    sit(ada, find(GAMES["china_gold"], lambda s: bool(s.turn == 0)))
    middles = """all => all.map((one) => {
      const { left, top, width, height } = one.getBoundingClientRect();
      return [left + width / 2, top + height / 2];
    })"""
    sites = dict(zip(china_gold.SITES, ada.page.locator("[data-site] .hit").evaluate_all(middles), strict=True))
    names = ada.page.locator(".marks text").all_text_contents()
    marks = list(zip(names, ada.page.locator(".marks text").evaluate_all(middles), strict=True))
    step = sites["a2"][0] - sites["a1"][0]

    def near(x: float, y: float) -> list[str]:
        return [name for name, (left, top) in marks if abs(left - x) < step / 3 and abs(top - y) < step / 3]

    for row, areas in zip(china_gold.ROWS, china_gold.MOUNTAINS, strict=True):
        (left, y), (right, _) = sites[f"{row}1"], sites[f"{row}{len(areas)}"]
        assert near(left - step, y) == [row] and near(right + step, y) == [str(len(areas))]
    for column in range(1, 7):
        for row, way in (("a", -1), ("k", 1)):
            x, y = sites[f"{row}{column}"]
            assert near(x, y + way * step) == [str(column)]
    assert len(marks) == 2 * 11 + 2 * 6
    rivers = ada.page.locator(".labels.river text").all_text_contents()
    assert sorted(rivers) == sorted(china_gold.CALLED[1])  # numbers, for letters are rows and mountains


def test_china_gold_tells_what_came_of_a_dig(server: Server, visit: Callable[..., Visit]) -> None:
    """In the log, of one's own digs too."""
    ada = visit()
    played = find(GAMES["china_gold"], lambda s: bool(s.turn == 0 and s.throw == 1 and drawn(s)["finishes"]))
    sit(ada, played)
    s = last_of(played)
    finished = drawn(s)["finishes"]
    assert isinstance(finished, dict)
    dig, (end, *_) = next(iter(finished.items()))
    ada.do(engine.legal(GAMES["china_gold"], s).index(dig))
    kind, who = ("Mountain", "River")[end["seat"]], ("Ada", "Greedy bot")[end["seat"]]
    told = f"{kind} {end['area']} is finished"
    expect(ada.page.locator("#panel li").filter(has_text=told)).to_contain_text(f"{told}: {end['gold']} gold for {who}")


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
    given = f"Greedy bot 2 gets {known[f'word.{second}']}"
    expect(ada.page.locator("#panel li").filter(has_text=given)).to_have_count(1)


def test_gold_hunting_tells_a_newcomer_the_last_lift(server: Server, visit: Callable[..., Visit]) -> None:
    def has_lifted(s: Record) -> bool:
        return bool(s.turn == 0 and s.phase == gold_hunting.MINING and sum(s.left) < 15 and s.shown[gold_hunting.PIECE])

    ada = visit()
    played = find(GAMES["gold_hunting"], has_lifted)
    sit(ada, played)
    lifted = ada.page.locator(".happened .event")
    expect(lifted).to_have_count(1)
    expect(lifted).to_contain_text(f"(it is a {last_of(played).shown[gold_hunting.PIECE]}")


def test_gold_hunting_takes_or_leaves_the_piece_of_a_break_down(server: Server, visit: Callable[..., Visit]) -> None:
    """What comes next stays to be seen, though a message without news is drawn together with it."""
    ada = visit(only_once=True)
    ada.page.add_init_script("localStorage['motherlode.preferences'] = JSON.stringify({pace: 200})")
    ada.page.route_web_socket(re.compile("/socket"), repeat_without_news)
    played = phases(GAMES["gold_hunting"])[str(gold_hunting.TAKING)]
    sit(ada, played)
    size = last_of(played).lifted
    happened = ada.page.locator(".happened .event")
    expect(happened.last).to_contain_text("Break-down: a wrong call")
    expect(ada.page.get_by_role("button", name=f"Take the {size}")).to_be_visible()
    ada.page.get_by_role("button", name=f"Leave the {size}").click()
    expect(ada.page.locator("#panel li").filter(has_text="Ada leaves the piece")).to_have_count(1)
    expect(happened.filter(has_text="Greedy bot calls")).to_have_count(1)


def test_a_screen_reader_is_told_what_happened_since_ones_own_action(
    server: Server, visit: Callable[..., Visit]
) -> None:
    """What others do, what chance decides and what comes of it; not the whole log when the page is opened again."""
    ada = visit()
    sit(ada, find(GAMES["china_gold"], lambda s: bool(s.turn == 0)))
    told = ada.page.locator(".unseen[aria-live]")
    for _ in range(2):
        at = ada.at()
        ada.do(0)
        ada.page.wait_for_function("at => document.querySelector('[data-table]').dataset.at > at", arg=at)
        ada.wait_for("true")
    theirs = r"Greedy bot [^.]+\.(?:(?!Thrown).)*"
    since = re.compile(rf"^(?:(?!Thrown).)*Thrown: \d\. {theirs} Thrown: \d\. Your turn\. Finish your")
    ada.page.reload()
    expect(told).to_have_text(since)
