"""Does everything fit on a phone's screen? Measured in the page's own typeface and in a wide one.

The wide typeface is the page's own, enlarged, so that it is equally wide on every machine, whatever fonts that has.
"""

import pytest

from support.visiting import ROOT, Visit

WIDTHS = (320, 360, 390)
HEIGHT = 740
WIDER, WIDER_BOLD = 1.3, 1.4  # than the typeface: so wide is DejaVu Sans, the widest of the usual fallbacks
LONG_NAME = "WilhelminaBartholomeaOfPovertyGulchTheIV"  # as long as the server allows, with no place to break
assert len(LONG_NAME) == 40

FACE = f"""
@font-face {{ font-family: Wide; src: url(/wide.woff2); font-weight: 300 500; size-adjust: {WIDER:.0%} }}
@font-face {{ font-family: Wide; src: url(/wide.woff2); font-weight: 501 800; size-adjust: {WIDER_BOLD:.0%} }}
.wide * {{ font-family: Wide !important }}
"""
BRING = """css => {
  document.head.append(Object.assign(document.createElement("style"), { textContent: css }));
  return Promise.all([400, 700].map((weight) => document.fonts.load(`${weight} 16px Wide`)));
}"""
WEAR = "isWide => { document.documentElement.classList.toggle('wide', isWide) }"

# Text must be on the screen, inside its button and card, and not cut off; boxes must be on the screen. What scrolls by
# itself or ends in an ellipsis may be longer; the inside of a drawing is measured by its text. In the page's own
# typeface no word is broken, unless it is very long.
MEASURE = r"""(isWide) => {
  document.documentElement.classList.toggle("wide", isWide);
  const screen = document.documentElement.clientWidth, bad = new Set(), near = 1;
  const name = (one) => {
    const words = (one.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 40);
    const classes = (one.getAttribute("class") ?? "").replace(/ ?svelte-\S+/g, "");
    return `${one.tagName.toLowerCase()}.${classes} "${words}"`;
  };
  const scrolls = (one) => /auto|scroll/.test(getComputedStyle(one).overflowX);
  const isSeen = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest(".unseen");
  const fits = (inner, outer) => inner.left >= outer.left - near && inner.right <= outer.right + near;
  const said = (inner, outer) => {
    const [left, right, whole] = [inner.left, inner.right, outer.right].map((x) => Math.round(x - outer.left));
    return `${left}…${right} of ${whole}`;
  };
  const page = { left: 0, right: screen };
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > screen) bad.add(`the page is ${scrollWidth} wide`);
  for (const one of document.querySelectorAll("body *")) {
    if (one.closest("svg") !== (one.tagName === "svg" ? one : null) || !isSeen(one)) continue;
    const box = one.getBoundingClientRect();
    let over = one.parentElement;
    while (over && !scrolls(over)) over = over.parentElement;
    if (box.width && box.height && !over && !fits(box, page)) bad.add(`box ${name(one)}: ${said(box, page)}`);
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (texts.nextNode()) {
    const text = texts.currentNode, own = text.parentElement;
    if (!text.data.trim() || !isSeen(own) || own.closest("script, style, option")) continue;
    range.selectNodeContents(text);
    const lines = [...range.getClientRects()];
    const words = lines.length > 1 && !isWide ? text.data.matchAll(/[\p{L}\d]+/gu) : [];
    for (const { 0: word, index } of words) {
      if (word.length > 14) continue;
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const tops = new Set([...range.getClientRects()].map((line) => Math.round(line.top)));
      if (tops.size > 1) bad.add(`"${word}" is broken in ${name(own)}`);
    }
    for (let over = own; over; over = over.parentElement) {
      const style = getComputedStyle(over);
      if (scrolls(over) || style.textOverflow === "ellipsis") break;
      const holds = style.overflowX !== "visible" || over.matches("button, .button, .card, dialog, svg");
      const outer = over === document.body ? page : over.getBoundingClientRect();
      if (!holds && over !== document.body) continue;
      if (over.tagName === "svg" && over.getScreenCTM().b) continue; // a card that lies across
      const out = lines.find((line) => !fits(line, outer));
      if (out) bad.add(`text "${text.data.trim().slice(0, 40)}" in ${name(over)}: ${said(out, outer)}`);
    }
  }
  document.documentElement.classList.remove("wide");
  return [...bad].slice(0, 8);
}"""
SETTLE = """async (width) => {
  const wide = () => document.documentElement.scrollWidth;
  for (let same = 0, before = 0; same < 3 || innerWidth !== width; before = wide()) {
    await new Promise(requestAnimationFrame);
    same = wide() === before ? same + 1 : 0;
  }
}"""

WIDE = "() => document.documentElement.scrollWidth"

# A new table of these has the most seats, and a number to type; its lists show their longest lines.
NEW_TABLES = ("claimpoker", "gold_hunting")
CHOOSE_LONGEST = """() => {
  for (const list of document.querySelectorAll("form select")) {
    list.value = [...list.options].toSorted((a, b) => b.text.length - a.text.length)[0].value;
    list.dispatchEvent(new Event("change", { bubbles: true }));
  }
  document.querySelectorAll("form details").forEach((one) => (one.open = true));
}"""

WIDTH = """(one) => {
  const text = document.createRange();
  text.selectNodeContents(one);
  return text.getBoundingClientRect().width;
}"""


def arrive(ada: Visit) -> None:
    """Be a guest with a long name, at a page that can change its typeface."""
    [typeface] = (ROOT / "motherlode" / "web" / "assets").glob("faustina-latin-wght-normal-*.woff2")
    ada.page.route("**/wide.woff2", lambda route: route.fulfill(path=typeface))
    be_known(ada)
    ada.page.evaluate(BRING, FACE)
    own = width_of(ada)
    ada.page.evaluate(WEAR, True)
    assert width_of(ada) > own * (WIDER_BOLD - 0.05), "the wide typeface is not there"
    ada.page.evaluate(WEAR, False)


def be_known(ada: Visit) -> None:
    """A guest with a long name, who has been here before."""
    ada.ask("/api/guests", name=LONG_NAME)
    ada.page.evaluate("localStorage['motherlode.known'] = '1'")
    ada.page.reload()


def width_of(ada: Visit) -> float:
    """How wide the lobby's heading is."""
    found: float = ada.page.locator("main h1").evaluate(WIDTH)
    return found


class Faults(list[str]):
    """What did not fit."""

    def look(
        self, ada: Visit, place: str, faces: tuple[str, ...] = ("own", "wide"), widths: tuple[int, ...] = WIDTHS
    ) -> None:
        """At the page as it is now: at the first width in all these typefaces, at the others in the first one."""
        for width in widths:
            ada.page.set_viewport_size({"width": width, "height": HEIGHT})
            ada.page.evaluate(SETTLE, width)
            for face in faces if width == widths[0] else faces[:1]:
                found = ada.page.evaluate(MEASURE, face == "wide")
                self += [f"{place}, {width} px, {face} typeface: {fault}" for fault in found]

    def check(self) -> None:
        told = "\n".join(self)
        self.clear()
        if told:
            pytest.fail(told, pytrace=False)
