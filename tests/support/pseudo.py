"""A language that only tests speak: every English sentence between marks, and 40 % longer.

What a page shows or says without the marks bypasses the catalogues. The language chunk of the pages is answered by a
module that imports the real one and changes its sentences, so nothing of this is in the pages.
"""

import re

from playwright.sync_api import Page, Route

CHUNK = re.compile(r"/assets/(\w+\.)?en-[\w-]+\.js$")  # the language, and the words that some pages bring
MODULE = r"""
import real from "URL?real";
const longer = (text) => {
  const more = Math.ceil(text.replace(/\{\w+\}/g, "").length * 0.4);
  return `⟦${text}${" oooo".repeat(Math.ceil(more / 5)).slice(0, more)}⟧`;
};
const each = (all, change) => Object.fromEntries(Object.entries(all).map(([key, value]) => [key, change(value)]));
const change = (said) => (typeof said === "string" ? longer(said) : each(said, change));
export default change(real);
"""

# Texts, labels, titles, alternatives and placeholders in which words remain once everything marked is taken out: apart
# from names, dates as the browser writes them, the text of the rules, what people type, and single letters (a pile is
# called A).
FIND = r"""(names) => {
  const found = new Set();
  const remains = (said) => {
    let rest = said;
    for (let before = ""; before !== rest; ) [before, rest] = [rest, rest.replace(/⟦[^⟦⟧]*⟧/g, " ")];
    for (const name of names) rest = rest.replaceAll(name, " ");
    rest = rest.replace(/\b[A-Z]{2,3}-\d+(\.\d+)?(: .*)?/s, " "); // a clause of the rules, and its text
    return /\p{L}{2,}/u.test(rest);
  };
  const check = (said, where) => {
    if (remains(said)) found.add(`${where} says "${said.trim().replace(/\s+/g, " ").slice(0, 80)}"`);
  };
  const kind = (one) => {
    const classes = (one.getAttribute("class") ?? "").replace(/ ?svelte-\S+/g, "");
    return `${one.tagName.toLowerCase()}.${classes}`;
  };
  const day = ({ dateTime }) => {
    const more = dateTime.includes("T") ? { timeStyle: "short" } : { timeZone: "UTC" };
    return new Intl.DateTimeFormat("en-IE", { dateStyle: "long", ...more }).format(new Date(dateTime));
  };
  const own = ".sheet, [id^=why-] p, .credit, pre, code, script, style";
  if (!document.body.innerText.includes("⟦")) found.add("nothing is marked");
  check(document.title, "the title");
  for (const one of document.querySelectorAll("body *")) {
    if (one.closest(own)) continue;
    for (const name of ["aria-label", "aria-valuetext", "aria-description", "title", "alt", "placeholder"])
      if (one.hasAttribute(name)) check(one.getAttribute(name), `${name} of ${kind(one)}`);
    if (!one.checkVisibility() && !one.closest("option")) continue;
    const around = one.matches("b, strong, em, i, a") ? one.parentElement : one; // a part of a sentence
    if (one.matches("time") && one.textContent === day(one)) continue;
    for (const node of around.childNodes)
      if (node.nodeType === Node.TEXT_NODE && remains(around.textContent)) check(node.data, kind(one));
  }
  return [...found].slice(0, 12);
}"""


def speak(page: Page) -> None:
    def answer(route: Route) -> None:
        route.fulfill(content_type="text/javascript", body=MODULE.replace("URL", route.request.url))

    page.route(CHUNK, answer)


def untranslated(page: Page, *names: str) -> list[str]:
    longest_first = sorted({*names, "Motherlode"}, key=len, reverse=True)  # "Ada (1)" before "Ada"
    found: list[str] = page.evaluate(FIND, longest_first)
    return found
