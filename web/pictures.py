"""Make the pictures of the parlour in docs/: `python3 dev.py pictures`.

Each shows a table in the middle of a game with a fixed seed, so that it changes only when the pages do.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser

from motherlode import Table, bots, text
from motherlode.server.browsers import chromium, server

ROOT = Path(__file__).resolve().parent.parent

LARGEST = 200 * 1024  # bytes of one picture


@dataclass(frozen=True)
class Picture:
    file: str
    game: str
    seed: int
    after: int  # this many actions, as soon as it is the turn of this seat
    seat: int
    width: int
    height: int
    theme: str


PICTURES = (
    Picture("parlour.jpg", "goldmine", 0, 37, 0, 1280, 880, "light"),
    Picture("parlour-phone.jpg", "china_gold", 3, 20, 0, 390, 844, "dark"),
)


def take(browser: Browser, url: str, picture: Picture) -> None:
    table = Table(picture.game, seed=picture.seed)
    while table.at < picture.after or table.turn != picture.seat:
        table.play(*[bots.make("greedy")] * table.seats, actions=1)
    context = browser.new_context(
        viewport={"width": picture.width, "height": picture.height},
        locale="en-GB",
        color_scheme="dark" if picture.theme == "dark" else "light",
        reduced_motion="reduce",
    )
    context.request.post(f"{url}/api/guests", data={"name": "Ada"})
    seats = [{"player": "me" if seat == picture.seat else "greedy"} for seat in range(table.seats)]
    wanted = {"game": picture.game, "seats": seats, "record": text.write_record(table.record()), "hints": True}
    made = context.request.post(f"{url}/api/tables", data=wanted)
    if not made.ok:
        sys.exit(f"{picture.file}: {made.text()}")
    context.add_init_script("localStorage['motherlode.known'] = '1'")
    page = context.new_page()
    page.goto(f"{url}/table/{made.json()['id']}")
    page.wait_for_selector("[data-mine=true] [data-board] > div")
    page.evaluate("document.fonts.ready")
    page.mouse.move(0, 0)
    path = ROOT / "docs" / picture.file
    page.screenshot(path=path, type="jpeg", quality=90, animations="disabled")
    context.close()
    if path.stat().st_size > LARGEST:
        sys.exit(f"docs/{picture.file} has {path.stat().st_size:,} bytes, more than {LARGEST:,}")
    print(f"docs/{picture.file}: {path.stat().st_size:,} bytes")


def main() -> None:
    with chromium() as browser, server() as url:
        for picture in PICTURES:
            take(browser, url, picture)


if __name__ == "__main__":
    main()
