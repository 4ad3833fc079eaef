"""The page's own typeface: small, licensed, loaded from this server, and not needed."""

import re
from collections.abc import Callable

from playwright.sync_api import expect
from support.layout import Faults
from support.local_server import Server
from support.visiting import ROOT, Visit

from motherlode.games import GAMES

BUILT = ROOT / "motherlode" / "web" / "assets"
BUDGET = 60 * 1024
LOADED = "[...document.fonts].filter((face) => face.status === 'loaded').map((face) => face.family)"


def test_all_faces_together_are_small() -> None:
    faces = list(BUILT.glob("*.woff2"))
    assert len(faces) == 2  # upright and italic, each of every weight
    assert sum(face.stat().st_size for face in faces) <= BUDGET


def test_the_licence_lies_beside_them() -> None:
    assert "SIL OPEN FONT LICENSE Version 1.1" in (BUILT / "faustina-LICENSE.txt").read_text("utf-8")


def test_the_upright_face_is_preloaded() -> None:
    links = re.findall(r"<link[^>]*preload[^>]*>", (ROOT / "motherlode" / "web" / "index.html").read_text("utf-8"))
    assert any("wght-normal" in link and 'as="font"' in link for link in links)


def test_nothing_names_another_typeface() -> None:
    for path in (ROOT / "web" / "src").rglob("*"):
        if path.suffix in (".svelte", ".css") and path.name != "typeface.css":
            found = re.findall(r"font-family[=:]\s*\"?([^;\">]*)", path.read_text("utf-8"))
            assert set(found) <= {"var(--font)", "inherit"}, path


def test_it_is_loaded_and_used(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    expect(ada.page.locator(".game")).to_have_count(len(GAMES))
    ada.page.evaluate("document.fonts.ready")
    assert "Faustina" in ada.page.evaluate(LOADED)


def test_without_it_a_font_of_the_system_stands_in(server: Server, visit: Callable[..., Visit]) -> None:
    ada = visit()
    ada.allowed = ["ERR_FAILED"]
    ada.page.route("**/*.woff2", lambda route: route.abort())
    ada.page.reload()
    expect(ada.page.locator(".game")).to_have_count(len(GAMES))
    ada.page.evaluate("document.fonts.ready")
    assert "Faustina" not in ada.page.evaluate(LOADED)
    faults = Faults()
    faults.look(ada, "lobby", ("own",))
    ada.page.get_by_role("button", name="Play now: Goldmine").click()
    ada.wait_for("true")
    faults.look(ada, "goldmine", ("own",))
    faults.check()
