"""Nothing in the page or its traffic that the seat may not know.

Two tables are played through two games that look alike to seat 0 and to spectators but differ in what is hidden
(`twins`). Both sit at real pages: all the frames of their sockets, all answers of the API and the whole page, with
its labels and titles, must be equal after every action. A leak planted in the server must be caught in all three.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Response, expect
from support.local_server import Server, Visitor
from support.lookalike_games import Pair, search
from support.scripted_chance import SCRIPTS, inject
from support.visiting import Visit

from motherlode import engine
from motherlode.game import CHANCE, Game, fields_of, new_rng
from motherlode.games import GAMES
from motherlode.server import messages
from motherlode.server.chat import pseudonym
from motherlode.server.clicking import PATIENCE
from motherlode.server.listener import PUBLIC
from motherlode.server.live_table import LiveTable

LENGTHS = {"gold_hunting": 24, "goldmine": 18, "blue_creek": 14}  # actions of the two games, chance's included …
LENGTH = 8  # … where all that was decided lies open
OPTIONS: dict[str, dict[str, Any]] = {"gold_hunting": {"heights": "hidden"}}
# What has to differ between the two games. In the three others only the secret is hidden, and what is still to come.
HIDDEN_THINGS = {
    "goldmine": {"hand", "gold"},
    "gold_hunting": {"pile", "height", "marker"},
    "blue_creek": {"card"},
}

# The page when it shows this place of the log and who is here (told a moment later), and nothing in it changes now.
WHOLE_PAGE = """async ({at, patience}) => {
  const frame = () => new Promise(requestAnimationFrame);
  const says = (selector, words) => document.querySelector(selector)?.textContent.trim() === words;
  const isHere = () => document.querySelector(`[data-at='${at}'][data-sent=false] [data-board] > div`)
    && says(".watchers", "1 spectator") && says(".standing", "here");
  const typed = () => [...document.querySelectorAll("input")].map((one) => one.value);
  const whole = () => document.documentElement.outerHTML + typed();
  const deadline = performance.now() + patience;
  while (performance.now() < deadline) {
    const before = whole();
    for (let i = 0; i < 3; i++) await frame();
    if (isHere() && whole() === before) return before;
  }
  throw new Error(`the page does not come to rest at ${at}`);
}"""


@pytest.fixture(autouse=True)
def injected_chance(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    inject(monkeypatch)
    yield
    SCRIPTS.clear()


class Watched:
    """A page of which everything is kept: what it was sent, and what it shows."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self.frames: list[str] = []
        self.responses: list[Response] = []
        self.shown: list[str] = []
        visit.page.on(
            "websocket", lambda socket: socket.on("framereceived", lambda data: self.frames.append(str(data)))
        )
        visit.page.on("response", lambda response: self.responses.append(response))  # noqa: PLW0108

    def look(self, at: int) -> None:
        self.shown.append(self.visit.page.evaluate(WHOLE_PAGE, {"at": at, "patience": PATIENCE}))

    def kept(self, sitting: LiveTable) -> dict[str, list[str]]:
        """Without what is random for every table. Equal messages in a row may have been sent as one."""
        secret = sitting.facts.seal.secret.hex()
        asked = [one for one in self.responses if f"/api/tables/{sitting.id}" in one.url]
        answers = sorted(f"{one.url} {one.status} {one.text()}" for one in asked)
        frames = [frame for frame in self.frames if json.loads(frame)["is"] == "table"]
        frames = [frame for frame, before in zip(frames, ["", *frames], strict=False) if frame != before]
        everything = {"frames": frames, "answers": answers, "page": self.shown}
        for name, all_kept in everything.items():
            assert all_kept and not any(secret in kept for kept in all_kept), f"the secret, in {name}"
            all_kept[:] = [
                kept.replace(sitting.id, "<table>").replace(sitting.facts.seal.commitment, "<commitment>")
                for kept in all_kept
            ]
            for chair in sitting.chairs:
                person = pseudonym(sitting.id, chair.guest or "")
                all_kept[:] = [kept.replace(person, f"<person {chair.seat}>") for kept in all_kept]
            all_kept[:] = [re.sub(r'"link":"[0-9a-f]{96}"', '"link":"<link>"', kept) for kept in all_kept]
        self.shown[:] = map(renumbered, self.shown)
        return everything


def renumbered(page: str) -> str:
    """With the numbers Svelte gives components, which count on from page to page, from 0 in the order they appear."""
    numbers: dict[str, str] = {}
    return re.sub(r"""(?<=["#])c\d+(?=[-")])""", lambda found: numbers.setdefault(found[0], f"c{len(numbers)}"), page)


def differing_fields(game: Game, log: list[Pair]) -> set[str]:
    s = w = engine.start(game, game.SEATS[0], **OPTIONS.get(game.NAME, {}))
    found: set[str] = set()
    for pair in log:
        s, w = engine.after(game, s, pair.one), engine.after(game, w, pair.two)
        one, two = fields_of(game, s), fields_of(game, w)
        found |= {name for name in one if one[name] != two[name]}
    return found


def twins_of(game: Game) -> list[Pair]:
    """Two games that look alike to seat 0, and so to everybody who watches."""
    length = LENGTHS.get(game.NAME, LENGTH)
    opening = engine.start(game, game.SEATS[0], **OPTIONS.get(game.NAME, {}))
    for seed in range(50):
        _, log = search(game, opening, 0, new_rng(seed), length)
        if len(log) > length - 6 and differing_fields(game, log) >= HIDDEN_THINGS.get(game.NAME, set()):
            return log
    raise AssertionError("no such games")


@pytest.fixture(scope="module")
def others(server: Server) -> Iterator[list[Visitor]]:
    visitors = [Visitor(server, f"Other {x}") for x in range(3)]
    yield visitors
    for visitor in visitors:
        visitor.close()


def play(
    others: list[Visitor], visit: Callable[..., Visit], game: Game, log: list[Pair], world: int
) -> list[dict[str, Any]]:
    """One of the two games; what seat 0 and a spectator have got of it."""
    server, seats = others[0].server, game.SEATS[0]
    card = others[0].make(game.NAME, *["anyone"] * seats, options=OPTIONS.get(game.NAME, {}))
    SCRIPTS[card["id"]] = {at: pair[1 + world] for at, pair in enumerate(log) if pair.actor == CHANCE}
    sitting = server.parlour.tables[card["id"]]
    ada, eve = Watched(visit()), Watched(visit())
    for one in (ada, eve):
        one.visit.turn_to(f"/table/{card['id']}")
        one.visit.table()
    with ada.visit.page.expect_response(lambda answer: "commitment" in (answer.request.post_data or "")):  # to bytes
        ada.visit.page.get_by_role("button", name="Sit down").click()
    expect(ada.visit.page.get_by_text("(you)")).to_be_visible()
    names = ["Guest", *(f"Other {x}" for x in range(1, seats))]
    for x in range(1, seats):
        for one in (ada, eve):
            expect(one.visit.page.locator("aside section > ul").get_by_text(names[x - 1])).to_be_visible()
            one.frames.clear()  # who came when is not what this is about
            one.responses.clear()
        others[x].take(card["id"], x)

    def look() -> None:
        for one, seat in ((ada, 0), (eve, PUBLIC)):
            one.look(sitting.at_for(seat))

    at = 0
    while True:
        look()
        while at < len(log) and log[at].actor == CHANCE:  # decided when the game began, or with the action before
            at += 1
        if at == len(log):
            break
        seat, action = log[at].actor, log[at][1 + world]
        if seat == 0:
            s, _ = messages.position(sitting, 0)
            ada.visit.do(engine.legal(game, s).index(action))
        else:
            others[seat].post(f"/api/tables/{card['id']}/act", seat=seat, at=at, action=action)
        at += 1
    for one in (ada, eve):
        one.visit.page.reload()
    look()
    return [one.kept(sitting) for one in (ada, eve)]


def compare(others: list[Visitor], visit: Callable[..., Visit], game: Game, log: list[Pair]) -> dict[str, str]:
    """In what the two games differ for seat 0 or for a spectator, each from the first letter that differs."""
    one, two = (play(others, visit, game, log, world) for world in range(2))
    found = {}
    for left, right in zip(one, two, strict=True):
        for name in left:
            all_left, all_right = "\n".join(left[name]), "\n".join(right[name])
            if all_left != all_right:
                pairs = enumerate(zip(all_left, all_right, strict=False))
                same = next((at for at, (x, y) in pairs if x != y), min(len(all_left), len(all_right)))
                found[name] = f"… {all_left[same - 200 : same + 100]} … and … {all_right[same - 20 : same + 100]} …"
    return found


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_two_worlds_alike_are_one_page(others: list[Visitor], visit: Callable[..., Visit], game: Game) -> None:
    assert compare(others, visit, game, twins_of(game)) == {}


def test_a_planted_leak_is_caught(
    monkeypatch: pytest.MonkeyPatch, server: Server, others: list[Visitor], visit: Callable[..., Visit]
) -> None:
    """Who knows what is hidden shows it in a name, which goes everywhere."""
    game = GAMES["goldmine"]
    log = twins_of(game)[:14]
    real = messages.players

    def leaky(parlour: Any, game: Any, chairs: Any, **more: Any) -> Any:
        told = real(parlour, game, chairs, **more)
        found = next((one for one in server.parlour.tables.values() if one.chairs is chairs), None)
        if found is not None and len(told) > 1:
            told[1].name += f" {found.core.position.hand[1]}"
        return told

    monkeypatch.setattr(messages, "players", leaky)
    assert set(compare(others, visit, game, log)) == {"frames", "answers", "page"}
