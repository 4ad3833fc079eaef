"""ChinaGold's board: on a phone one looks closer before one chooses; tablets add up; what an area brought is kept."""

from collections.abc import Callable

from playwright.sync_api import expect
from support.local_server import Server
from support.positions import find, last_of, sit
from support.visiting import PHONE, Visit

from motherlode import engine, lessons, text
from motherlode.game import Record
from motherlode.games import GAMES
from motherlode.games.china_gold import rules

china_gold = GAMES["china_gold"]
FINGER = 40  # pixels
APART = """(sites) => {
  const [first, second] = sites.slice(0, 2).map((one) => one.getBoundingClientRect());
  return second.left - first.left;
}"""


WATCH_SAID = """() => {
  window.said = [];
  const seen = ({ addedNodes }) => addedNodes.forEach((one) => window.said.push(one.textContent));
  new MutationObserver((all) => all.forEach(seen)).observe(document.querySelector(".stage"), { childList: true });
}"""
AT_REST = """async () => {
  const top = () => document.querySelector(".planning").getBoundingClientRect().top;
  for (let same = 0, before = NaN; same < 6; before = top()) {
    await new Promise(requestAnimationFrame);
    same = top() === before ? same + 1 : 0;
  }
}"""


def test_a_phone_looks_closer_and_then_chooses(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit(viewport=PHONE, has_touch=True)
    played = find(china_gold, lambda s: bool(s.turn == 0 and s.throw == 3))
    sit(ada, played)
    page, sites, cells = ada.page, ada.page.locator("[data-site]"), ada.page.locator(".cells button")
    expect(cells).to_have_count(9)
    assert all(min(box["width"], box["height"]) >= FINGER for one in cells.all() if (box := one.bounding_box()))
    assert sites.evaluate_all(APART) < FINGER
    expect(page.locator("[data-site][role=button]")).to_have_count(0)  # too small to be pressed
    cells.nth(4).tap()
    expect(cells).to_have_count(0)
    assert sites.evaluate_all(APART) >= FINGER
    page.locator("[data-site].legal.down").nth(20).tap()
    page.evaluate(AT_REST)  # the plan is scrolled into view: who taps meanwhile only stops that
    page.locator(".choosing .offered:not(.anchor)").first.tap()
    before = len(played.actions)
    page.locator(".plan button.main").tap()
    ada.page.wait_for_function("at => document.querySelector('[data-table]').dataset.at > at", arg=before)
    action = server.parlour.tables[ada.table()].core.log[before]
    assert rules.LINE <= action < rules.REBURY
    expect(cells).to_have_count(9)  # the whole board again


def test_the_tablets_show_how_the_throw_came_about(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    played = find(china_gold, lambda s: bool(s.turn == 0 and s.throw == 4 and s.stage == 1))
    sit(ada, played)
    faces = [str(face) for face in china_gold.drawn(last_of(played))["faces"]]
    expect(ada.page.locator(".tablets")).to_have_attribute("aria-label", f"Thrown: {' + '.join(faces)} = 4")
    expect(ada.page.locator(".tablets .face")).to_have_text(faces)


def test_what_an_area_brought_stays_in_the_list(server: Server, visit: Callable[..., Visit]) -> None:
    def own(s: Record) -> list[tuple[int, dict[str, object]]]:
        found = china_gold.drawn(s)["finishes"].items()
        return [(a, end) for a, ends in found for end in ends if end["seat"] == 0 and end["gold"]]

    ada = visit()
    ada.page.evaluate("localStorage['motherlode.preferences'] = JSON.stringify({pace: 1, volume: 0})")
    ada.page.reload()
    played = find(china_gold, lambda s: bool(s.turn == 0 and own(s)))
    sit(ada, played)
    ada.page.evaluate(WATCH_SAID)
    s = last_of(played)
    action, end = own(s)[0]
    ada.do(engine.legal(china_gold, s).index(action))
    area = ada.page.locator(f"[data-spot=areas-mountain] [data-area='{end['area']}']")
    expect(area).to_contain_text(f"+{end['gold']}")
    ada.page.wait_for_function("words => window.said.includes(words)", arg=f"+{end['gold']}")  # over the board, too
    expect(ada.page.locator("[data-spot=gold-0]")).to_contain_text(str(s.gold[0] + int(str(end["gold"]))))


def test_what_an_area_brought_is_known_later(server: Server, visit: Callable[..., Visit]) -> None:
    """In a lesson that is taken up again, after a reload, and in a replay."""
    ada = visit()
    page = ada.page
    area = page.locator("[data-spot=areas-mountain] [data-area=A]")
    page.evaluate("localStorage['motherlode.lesson.china_gold'] = '9'")
    ada.turn_to("/learn/china_gold")
    expect(area).to_contain_text("+4")
    page.evaluate("localStorage['motherlode.lesson.china_gold'] = '21'")
    page.reload()
    expect(area).to_contain_text("+4")
    page.locator(".prompt .next").click()
    page.locator(".prompt .go").click()
    page.wait_for_selector("[data-table] [data-board] > div")
    page.reload()
    expect(area).to_contain_text("+4")
    lesson = lessons.load(china_gold)
    assert lesson
    ada.turn_to("/#record")
    page.locator("input[type=file]").set_input_files(
        {"name": "lesson.txt", "mimeType": "text/plain", "buffer": text.write_record(lesson.played).encode()}
    )
    expect(page.get_by_label("View")).to_be_visible()
    page.keyboard.press("End")
    expect(area).to_contain_text("+4")


def test_everything_that_happens_has_a_spot(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    sit(ada, find(china_gold, lambda s: bool(s.turn == 0)))
    wanted = {f"site-{site}" for site in range(rules.MARKERS)} | {f"tablet-{i}" for i in range(3)} | {"sum", "throw"}
    for seat in range(2):
        wanted |= {f"area-{seat}-{name}" for name in rules.CALLED[seat]} | {f"gold-{seat}", f"player-{seat}"}
    found = ada.page.locator("[data-spot]").evaluate_all("all => all.map((one) => one.dataset.spot)")
    assert wanted <= set(found) and len(found) == len(set(found))
