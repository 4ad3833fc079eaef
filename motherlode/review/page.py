"""A review as one page of HTML that needs nothing else: no scripts, light and dark, on screen and on paper."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from motherlode.game import Game
from motherlode.review.telling import COSTLIEST, Teller

WIDE, HIGH, LEFT, BELOW = 640, 200, 40, 24  # of the curve; what the numbers beside it and below it take
STYLE = """
:root { color-scheme: light dark; --text: #1d1a16; --page: #fdfbf7; --line: #cfc6b8; --known: #8a5a00; --open: #1f5fa8 }
@media (prefers-color-scheme: dark) {
  :root { --text: #efe9df; --page: #1b1916; --line: #57503f; --known: #f0b949; --open: #8fbdf2 }
}
@media print { :root { --text: #000; --page: #fff; --line: #999; --known: #8a5a00; --open: #1f5fa8 } }
body { max-width: 46rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--text);
  background: var(--page) }
h1, h2, h3 { line-height: 1.2; break-after: avoid }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
.wide { overflow-x: auto }
th, td { padding: 0.2rem 0.6rem; border-bottom: 1px solid var(--line); text-align: right }
th:first-child, td:first-child { text-align: left }
tr, li, figure { break-inside: avoid }
figure { margin: 1rem 0 }
svg { width: 100%; height: auto }
svg text { font-size: 12px; fill: var(--text) }
.axis { stroke: var(--line) }
.known, .open { fill: none; stroke-width: 2 }
.known { stroke: var(--known) }
.open { stroke: var(--open); stroke-dasharray: 5 4 }
.key { display: inline-block; width: 2em; margin-right: 0.4em; border-top: 2px solid var(--known);
  vertical-align: middle }
.key.dashed { border-top: 2px dashed var(--open) }
"""


def page(game: Game, review: dict[str, Any], language: str = "en") -> str:
    """The page of a review."""
    return "\n".join(lines(Teller(game, review, language))) + "\n"


def lines(teller: Teller) -> Iterator[str]:
    title = escape(teller.title())
    yield "<!doctype html>"
    yield f'<html lang="{teller.language}">'
    yield '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{title}</title><style>{STYLE}</style></head>"
    yield f"<body><main><h1>{title}</h1>"
    yield f"<h2>{escape(teller.say('parts'))}</h2><p>{escape(teller.say('parts.note'))}</p>"
    for what in ("wins", "points"):
        yield from table(teller.parts(what), caption=teller.say(f"parts.{what}"))
    for seat in teller.review["seats"]:
        yield from of_seat(teller, seat)
    yield f"<p>{escape(teller.note())}</p><p>{escape(teller.judge())}</p>"
    yield "</main></body></html>"


def of_seat(teller: Teller, seat: dict[str, Any]) -> Iterator[str]:
    name = teller.names[seat["seat"]]
    yield f"<section><h2>{escape(name)}</h2><p>{escape(teller.error(seat))}</p>"
    told = seat["mistakes"][:COSTLIEST]
    if told:
        yield "<ol>"
        for one in told:
            yield f"<li><p>{escape(teller.mistake(one))}</p>"
            reasons = [f"<li>{escape(reason)}</li>" for reason in teller.reasons(one)]
            yield f"<ul>{''.join(reasons)}</ul></li>" if reasons else "</li>"
        yield "</ol>"
    elif seat["decisions"]:
        yield f"<p>{escape(teller.say('mistakes.none'))}</p>"
    more = teller.more(seat)
    if more:
        yield f"<p>{escape(more)}</p>"
    yield f"<h3>{escape(teller.say('curve', name=name))}</h3>"
    yield from figure(teller, seat)
    yield f"<details><summary>{escape(teller.say('curve.table'))}</summary>"
    yield from table(curve_rows(teller, seat))
    yield "</details></section>"


def curve_rows(teller: Teller, seat: dict[str, Any]) -> list[list[str]]:
    name = teller.names[seat["seat"]]
    head = [teller.say("curve.at"), teller.say("curve.known", name=name), teller.say("curve.open")]
    points = seat["curve"]
    return [head, *([str(one["at"]), teller.share(one["known"]), teller.share(one["open"])] for one in points)]


def table(rows: Sequence[Sequence[str]], caption: str = "") -> Iterator[str]:
    yield '<div class="wide" tabindex="0"><table>'
    if caption:
        yield f"<caption>{escape(caption)}</caption>"
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in rows[0])
    yield f"<thead><tr>{head}</tr></thead><tbody>"
    for first, *others in rows[1:]:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in others)
        yield f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>'
    yield "</tbody></table></div>"


def figure(teller: Teller, seat: dict[str, Any]) -> Iterator[str]:
    """The curve as a drawing, with what it shows in words."""
    points, name = seat["curve"], teller.names[seat["seat"]]
    last = max(1, points[-1]["at"])

    def path(key: str) -> str:
        places = (f"{x(one['at'], last):.1f},{y(one[key]):.1f}" for one in points)
        return f'<polyline class="{key}" points="{" ".join(places)}"/>'

    words = escape(teller.curve(seat), quote=True)
    yield f'<figure><svg viewBox="0 0 {WIDE} {HIGH + BELOW}" role="img" aria-label="{words}">'
    for share in (0.0, 0.5, 1.0):
        yield f'<line class="axis" x1="{LEFT}" x2="{WIDE}" y1="{y(share):.1f}" y2="{y(share):.1f}"/>'
        yield f'<text x="0" y="{y(share) + 4:.1f}">{escape(teller.share(share))}</text>'
    for at in (points[0]["at"], points[-1]["at"]):
        anchor = "start" if at == points[0]["at"] else "end"
        yield f'<text x="{x(at, last):.1f}" y="{HIGH + BELOW - 4}" text-anchor="{anchor}">{at}</text>'
    yield f"{path('open')}{path('known')}</svg>"
    known, everything = escape(teller.say("curve.known", name=name)), escape(teller.say("curve.open"))
    yield f'<figcaption><span class="key"></span>{known} · <span class="key dashed"></span>{everything}</figcaption>'
    yield "</figure>"


def x(at: int, last: int) -> float:
    return LEFT + (WIDE - LEFT) * at / last


def y(share: float) -> float:
    return 8 + (HIGH - 16) * (1 - share)
