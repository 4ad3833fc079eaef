"""After the game: the shuffle checked in the browser, the record downloaded, loaded, looked at, and gone on with.

One finished game of Goldmine serves all tests; each comes back to it with what the browser that played it has kept.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page, Route, expect
from support.local_server import Server, serving
from support.positions import find, last_of, sit
from support.two_piles import GAME
from support.visiting import SINGLE_DEAL, Contexts, Visit, make_table
from typer.testing import CliRunner

from motherlode import engine, proof, text
from motherlode.cli import app as cli
from motherlode.game import CHANCE, OVER, Game, Record
from motherlode.games import GAMES
from motherlode.server import messages
from motherlode.server.live_table import LiveTable
from motherlode.table import Table

CLICKS = 400


class Finished(NamedTuple):
    table: str
    kept: Any  # cookies and what the browser stored


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """It waits for the pages to take part in the shuffle."""
    with serving(f"sqlite:///{tmp_path_factory.mktemp('afterwards') / 'parlour.db'}", seal_wait=10.0) as running:
        yield running


@pytest.fixture(scope="module")
def finished(contexts: Contexts, server: Server) -> Finished:
    ada = Visit(contexts, server)
    make_table(ada, "Goldmine", {1: "Greedy bot"}, options=SINGLE_DEAL)
    table = ada.table()
    ada.play_on(CLICKS)
    kept = ada.context.storage_state()
    assert ada.leave() == []
    return Finished(table, kept)


@pytest.fixture
def back(server: Server, visit: Callable[..., Visit], finished: Finished) -> Visit:
    ada = visit(storage_state=finished.kept, only_once=True)
    ada.page.goto(f"{server.url}/table/{finished.table}")
    expect(ada.page.locator(".outcome")).to_be_visible()
    return ada


@pytest.fixture
def sitting(server: Server, finished: Finished) -> LiveTable:
    return server.parlour.tables[finished.table]


def check_shuffle(page: Page) -> list[str]:
    """What this browser finds good or bad."""
    page.get_by_role("tab", name="Shuffle").click()
    page.get_by_role("button", name="Check it here").click()
    findings = page.locator("[role=tabpanel] [role=status] :is(.good, .bad)")
    expect(findings.nth(3)).to_be_visible()
    return [re.sub(r"\s+", " ", one.inner_text()).strip() for one in findings.all()]


GOOD = [
    "Correct: The server's secret has the hash that was shown.",
    "Correct: All 24 outcomes of chance follow from the secret and the players' bytes.",
    "Correct: The log is as the server wrote it down.",
    "Correct: The hashes and bytes are those that this browser saw, and its own bytes are among them.",
    "Correct: The log is as this browser saw it, at all {n} points that it noted.",
]


def test_the_shuffle_is_checked_against_what_was_seen(back: Visit, sitting: LiveTable) -> None:
    found = check_shuffle(back.page)
    assert found[:-1] == GOOD[:-1] and re.fullmatch(GOOD[-1].format(n=r"\d\d"), found[-1]), found
    panel, seal = back.page.get_by_role("tabpanel"), sitting.facts.seal
    for shown in (seal.commitment, seal.secret.hex(), seal.closed().shares[0], "Bytes were mixed in by Guest."):
        expect(panel).to_contain_text(shown)


def test_what_was_seen_is_downloaded_and_verified(back: Visit, finished: Finished, tmp_path: Path) -> None:
    """`motherlode verify --seen` reads what the page wrote; it is wrong about every other game."""
    files = {}
    back.page.get_by_role("tab", name="Shuffle").click()
    for kind, role, name in (
        ("record", "link", "Download the record"),
        ("seen", "button", "Download what this browser saw"),
    ):
        with back.page.expect_download() as download:
            back.page.get_by_role(role, name=name).click()  # type: ignore[arg-type]
        files[kind] = download.value.path()
    done = CliRunner().invoke(cli, ["verify", str(files["record"]), "--seen", str(files["seen"])])
    assert done.exit_code == 0 and "your own bytes among them" in done.output, done.output
    heads = re.search(r"agrees with all (\d+) heads", done.output)
    assert heads and int(heads[1]) > 10
    seen = json.loads(files["seen"].read_text())
    seen["seen"][-1]["link"] = 96 * "0"
    (tmp_path / "other.json").write_text(json.dumps(seen))
    other = CliRunner().invoke(cli, ["verify", str(files["record"]), "--seen", str(tmp_path / "other.json")])
    assert other.exit_code and "the log is not as it was seen" in str(other.exception)


def other_outcome(replay: dict[str, Any]) -> None:
    proof = next(one for one in replay["proofs"] if len(one["outcomes"]) > 1)
    proof["action"] = next(action for action in proof["outcomes"] if action != proof["action"])


def other_secret(replay: dict[str, Any]) -> None:
    seal = replay["seals"][0]
    seal["secret"] = hashlib.sha256(seal["secret"].encode()).hexdigest()


def other_bytes(replay: dict[str, Any]) -> None:
    replay["seals"][0]["shares"][0] = 64 * "a"


def without_my_bytes(replay: dict[str, Any]) -> None:
    replay["seals"][0]["shares"][0] = "left out"


def no_proofs(replay: dict[str, Any]) -> None:
    replay["proofs"] = []


def other_decision(replay: dict[str, Any]) -> None:
    """What a seat decided, and a chain that fits."""
    position = next(one for one in replay["positions"] if one["turn"] == 0)
    position["next"]["action"] += 1
    key = hmac.new(bytes.fromhex(replay["seals"][0]["secret"]), b"chain", "sha256").digest()
    seal = replay["seals"][0]
    link = b""
    whole = [replay["facts"], f"seal 0 {seal['commitment']} {', '.join(seal['shares'])}"]
    whole += [f"{one['at']} {one['turn']} {one['next']['action']}" for one in replay["positions"] if one["next"]]
    for what in whole:
        link = hmac.new(key, link + what.encode(), "sha256").digest()
    replay["chain"] = link.hex()


FALSIFIED: dict[Callable[[dict[str, Any]], None], list[str]] = {
    other_outcome: ["outcomes do not follow"],
    other_secret: ["does not have the hash", "outcomes do not follow", "log was changed", "log is not as"],
    other_bytes: ["outcomes do not follow", "log was changed", "not those that", "log is not as"],
    without_my_bytes: ["outcomes do not follow", "log was changed", "not those that", "log is not as"],
    no_proofs: ["outcomes do not follow"],
    other_decision: ["The log is not as this browser saw it"],
}


def test_a_falsified_game_is_refused_by_the_browser(back: Visit) -> None:
    lies = iter(FALSIFIED)

    def lie(route: Route) -> None:
        answer = route.fetch()
        replay = answer.json()
        next(lies)(replay)
        route.fulfill(response=answer, body=json.dumps(replay))

    back.page.route(re.compile("/replay$"), lie)
    for falsify, bad in FALSIFIED.items():
        found = [one for one in check_shuffle(back.page) if one.startswith("Wrong:")]
        assert len(found) == len(bad), (falsify, found)
        assert all(words in one for words, one in zip(bad, found, strict=True)), (falsify, found)


def toy_replay(order: list[int], given: int, change: int | None) -> dict[str, Any]:
    """A game dealt by decks that refer to each other, the first actions of which were given; one outcome is changed."""
    secret = hashlib.sha256(bytes(order)).digest()
    first = Table(GAME, seed=5)
    for pile in order:
        first.act(pile)
    played = text.Played(GAME, 2, {}, first.log[:given], given=given, drawn=text.DECKS)
    played = played._replace(seals=(text.Seal(given, proof.commit(secret), secret.hex()),))
    table = Table.replay(played, chance=proof.chance(GAME, secret, text.DECKS))
    for pile in order[given // 2 :]:
        table.act(pile)
    replay = messages.replay(played._replace(actions=table.log), None).model_dump()
    if change is not None:
        chance = replay["proofs"][change]
        chance["action"] = next(a for a in chance["outcomes"] if a != chance["action"])
    return replay


def test_the_browser_checks_decks_that_refer_to_each_other(back: Visit) -> None:
    cases = list(product((0, 2, 6), (None, 3, 4), ((0, 1, 0, 1, 0, 1, 0, 0), (1, 1, 0, 0, 0, 0, 0, 1))))
    replays = iter([toy_replay([*order], given, change) for given, change, order in cases])
    back.page.route(re.compile("/replay$"), lambda route: route.fulfill(json=next(replays)))
    back.page.get_by_role("tab", name="Shuffle").click()
    panel = back.page.get_by_role("tabpanel")
    for given, change, _ in cases:
        back.page.get_by_role("button", name="Check it here").click()
        good = f"All {8 - given // 2} outcomes of chance follow from the secret and the players' bytes."
        bad = f"do not follow from the secret and the players' bytes. Their places in the log: {2 * (change or 0) + 2}"
        expect(panel).to_contain_text(good if change is None else bad)
        expect(panel).to_contain_text("Every deck was shuffled once")


def load(ada: Visit, record: Path) -> None:
    ada.page.get_by_role("link", name="Motherlode").click()
    ada.page.get_by_role("link", name="Open a record").click()
    ada.page.get_by_label("File").set_input_files(str(record))


def test_what_stands_below_the_games_waits_for_them(server: Server, visit: Callable[..., Visit]) -> None:
    """Else the link to a record would move away while it is pressed."""
    held: list[Route] = []
    waits = True

    def hold(route: Route) -> None:
        if waits:
            held.append(route)
        else:
            route.continue_()

    ada = visit()
    ada.page.route(re.compile("/api/games$"), hold)
    ada.page.goto(server.url)
    link = ada.page.get_by_role("link", name="Open a record")
    expect(ada.page.get_by_role("heading", name="Games of gold")).to_be_visible()
    expect(link).to_have_count(0)
    waits = False
    for route in held:  # the page may have asked more than once
        route.continue_()
    expect(link).to_be_visible()


def test_a_record_is_downloaded_loaded_and_refused_when_falsified(
    back: Visit, sitting: LiveTable, visit: Callable[..., Visit], tmp_path: Path
) -> None:
    with back.page.expect_download() as download:
        back.page.get_by_role("link", name="Download the record").click()
    written = download.value.path().read_text("utf-8")
    assert written.startswith("motherlode record") and sitting.facts.seal.secret.hex() in written
    stranger = visit()  # a record is all it takes
    for name, content, verdict in (
        ("true", written, "the shuffles follow from the secret, and nothing was changed"),
        ("secret", written.replace(sitting.facts.seal.secret.hex(), 64 * "a"), "This record is not valid"),
        ("chain", written.replace(sitting.links[-1].hex(), 64 * "b"), "This record is not valid"),
    ):
        record = tmp_path / f"{name}.txt"
        record.write_text(content, "utf-8")
        load(stranger, record)
        expect(stranger.page.get_by_role("heading", name="Replay: Goldmine")).to_be_visible()
        expect(stranger.page.get_by_text(verdict)).to_be_visible()
    stranger.allowed = ["400", "422"]
    lines = written.splitlines()
    (tmp_path / "short.txt").write_text("\n".join(lines[:3]) + "\nplay H99\n", "utf-8")
    load(stranger, tmp_path / "short.txt")
    expect(stranger.page.get_by_role("alert")).to_be_visible()
    expect(stranger.page.locator("[data-board]")).to_have_count(0)


def stops(sitting: LiveTable) -> list[int]:
    """Where the replay stops: not within a run of draws."""
    turns = [s.turn for s in sitting.core.positions]
    return [at for at, turn in enumerate(turns) if at == 0 or turn != CHANCE or turns[at - 1] != CHANCE]


def test_a_replay_goes_back_and_on_with_anybodys_eyes(back: Visit, sitting: LiveTable) -> None:
    page, last = back.page, len(stops(sitting)) - 1
    page.get_by_role("link", name="Replay").click()
    at = page.locator("h1 .at")
    expect(at).to_have_text(f"0 / {last}")
    page.get_by_role("button", name="End", exact=True).click()
    expect(at).to_have_text(f"{last} / {last}")
    expect(page.get_by_role("button", name="Next", exact=True)).to_be_disabled()
    expect(page.locator("p.did")).to_have_text(re.compile(r"\w+"))
    page.get_by_role("button", name="Start").click()
    page.get_by_label("Position in the game").fill("12")
    expect(at).to_have_text(f"12 / {last}")
    page.keyboard.press("ArrowRight")
    page.get_by_label("Position in the game").blur()
    page.keyboard.press("ArrowRight")
    expect(at).to_have_text(f"14 / {last}")
    page.get_by_role("button", name="Back").click()
    backs = page.get_by_text("A card, face down")
    expect(backs).to_have_count(0)  # everything open
    page.get_by_label("View").select_option(label="as Greedy bot sees it")
    expect(page.locator("[data-board] .hand").first.get_by_text("A card, face down").first).to_be_visible()
    page.get_by_label("View").select_option(label="as a spectator sees it")
    expect(page.locator("[data-board] .hand").last.get_by_text("A card, face down").first).to_be_visible()


def test_a_replay_begins_with_the_deal_and_goes_by_turns(back: Visit, sitting: LiveTable) -> None:
    """The deal is one step, which can be unfolded; keys go by steps and by turns."""
    page, turns = back.page, [s.turn for s in sitting.core.positions]
    page.get_by_role("link", name="Replay").click()
    at, did, keys = page.locator("h1 .at"), page.locator("p.did"), page.keyboard
    dealt = next(n for n, turn in enumerate(turns) if turn != CHANCE)
    assert dealt > 10
    expect(at).to_have_text(re.compile("^0 / "))
    keys.press("ArrowRight")
    expect(did).to_contain_text(f"Chance: {dealt} draws")
    expect(at).to_have_text(re.compile("^1 / "))
    gold = page.locator("[data-board]").get_by_text("Face down", exact=False)
    expect(gold).to_have_count(0)  # what was turned up in the end lay there all the time
    keys.press("Shift+ArrowRight")
    second = next(n for n, at in enumerate(stops(sitting)) if at > dealt and turns[at] not in (CHANCE, turns[dealt]))
    expect(at).to_have_text(re.compile(f"^{second} / "))
    keys.press("Shift+ArrowLeft")
    expect(at).to_have_text(re.compile("^1 / "))
    page.get_by_label("Show every card of a deal").check()
    expect(at).to_have_text(f"{dealt} / {len(turns) - 1}")
    page.get_by_role("button", name="Back").click()
    expect(did).to_contain_text("Dealt: ")
    page.get_by_label("Show every card of a deal").uncheck()
    expect(at).to_have_text(re.compile("^0 / "))
    page.locator("h1").click()
    keys.press("End")
    expect(page.get_by_role("button", name="Next turn")).to_be_disabled()
    keys.press("Home")
    expect(at).to_have_text(re.compile("^0 / "))
    keys.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    keys.press(" ")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_a_loaded_record_is_gone_on_with_against_bots(
    server: Server, back: Visit, sitting: LiveTable, tmp_path: Path
) -> None:
    with back.page.expect_download() as download:
        back.page.get_by_role("link", name="Download the record").click()
    record = tmp_path / "goldmine.txt"
    download.value.save_as(record)
    load(back, record)
    place = next(at for at in range(25, len(sitting.core.log)) if sitting.core.positions[at].turn == 1)
    expect(back.page.get_by_label("View").locator("option")).to_have_text(
        ["with everything open", "as Guest sees it", "as Greedy bot sees it", "as a spectator sees it"]
    )  # the names that the table had
    back.page.get_by_label("Position in the game").fill(str(stops(sitting).index(place)))
    back.page.get_by_label("Play on from here as").select_option(index=1)
    back.page.get_by_role("button", name="Play on from here").click()
    back.wait_for("true")
    new = server.parlour.tables[back.table()]
    assert new.id != sitting.id and new.facts.given == place
    assert new.core.log[:place] == sitting.core.log[:place]
    assert [chair.bot for chair in new.chairs] == ["greedy", None]
    assert back.at() == place
    while not any(s.turn == 0 for s in new.core.positions[place : new.core.at]):  # until the bot has acted
        back.do()
        back.wait_for("true")
    expect(back.page.locator("aside section li").nth(1)).to_contain_text("(you)")


def shared_end(game: Game, s: Record) -> int | None:
    """Which of the legal actions of seat 0 ends the game with two winners."""
    ends = [engine.after(game, s, a) for a in engine.legal(game, s)] if s.turn == 0 else []
    return next((n for n, t in enumerate(ends) if t.turn == OVER and len(engine.winners(game, t)) == 2), None)


def test_a_shared_win_is_not_put_down_to_a_tie_break(server: Server, visit: Callable[..., Visit]) -> None:
    """Claimpoker has none: what is said holds for every game, beside the game's own clause."""
    game, ada = GAMES["claimpoker"], visit()
    played = find(game, lambda s: shared_end(game, s) is not None)
    sit(ada, played)
    ada.do(shared_end(game, last_of(played)) or 0)
    outcome = ada.page.locator(".outcome")
    expect(outcome).to_contain_text(re.compile(r"\w+ and [\w ]+ share the win"))
    expect(outcome).to_contain_text(
        "no rule decides between the winners: they share the win. CP-5.2: The higher sum of both rounds wins"
    )
    expect(outcome).not_to_contain_text("tie-break")
