"""Is a page for everybody? What axe says of it, and whether it fits the screen."""

from typing import Any

from playwright.sync_api import Page

from support.visiting import ROOT

AXE = (ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")

# What still moves or changes its colour has not come to what it will be. The page is painted only meanwhile.
VIOLATIONS = """async (options) => {
  const ends = (one) => one.playState === "running" && Number.isFinite(one.effect.getComputedTiming().endTime);
  const moving = () => document.getAnimations().filter(ends);
  const unpainted = [...document.adoptedStyleSheets];
  document.adoptedStyleSheets = [];
  await new Promise(requestAnimationFrame);
  for (let now = moving(); now.length; now = moving()) await Promise.allSettled(now.map((one) => one.finished));
  const { violations } = await axe.run({ resultTypes: ["violations"], ...options });
  document.adoptedStyleSheets = unpainted;
  return violations;
}"""


def check_access(page: Page) -> None:
    """No violation by axe, nothing wider than the screen."""
    check(page, {})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "wider than the screen"


def check_contrast(page: Page) -> None:
    """Only whether everything can be told from what is behind it."""
    check(page, {"runOnly": ["color-contrast"]})


def check(page: Page, options: dict[str, Any]) -> None:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found: list[dict[str, Any]] = page.evaluate(VIOLATIONS, options)
    bad = [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]
    assert not bad, f"{page.url}: {bad}"
