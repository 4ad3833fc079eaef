"""A screen of text as an image, the same on every machine: drawn with the bitmap font that comes with Pillow."""

from functools import cache
from typing import Any

import numpy as np

from motherlode.engine import Refusal

COLUMNS, LINES = 100, 24  # of the smallest image, so that all of a game's are of one size; a larger text gets more
ZOOM = 2
MARGIN = 1  # characters
PAPER, INK = (250, 246, 235), (40, 34, 28)


@cache
def font() -> Any:
    try:
        from PIL import ImageFont
    except ImportError:
        raise Refusal("an image of the table needs Pillow: pip install motherlode[pettingzoo]") from None
    return ImageFont.load_default_imagefont()


def draw(screen: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """An array of height × width × red, green and blue."""
    letters = font()
    from PIL import Image, ImageDraw

    lines = [line.encode("latin-1", "replace").decode("latin-1") for line in screen.splitlines()]
    left, top, right, bottom = letters.getbbox("M")
    width, height = right - left, bottom - top
    columns = max([COLUMNS, *map(len, lines)]) + 2 * MARGIN
    image = Image.new("L", (columns * width, (max(LINES, len(lines)) + 2 * MARGIN) * height))
    pen = ImageDraw.Draw(image)
    for n, line in enumerate(lines):
        pen.text((MARGIN * width, (n + MARGIN) * height), line, fill=255, font=letters)
    is_ink = (np.asarray(image) > 0).repeat(ZOOM, axis=0).repeat(ZOOM, axis=1)
    return np.array((PAPER, INK), np.uint8)[is_ink.astype(np.uint8)]
