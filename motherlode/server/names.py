"""What people write: names and chat without anything invisible, and names that nobody can take for another's.

`clean` keeps what can be seen: NFC, one space between words, no controls, no marks of direction, no private or
unassigned characters, no tags, at most three marks on a letter. Joiners stay only where writing needs them: in emoji,
between Arabic letters, after a virama.

`key` is the same for names that look alike: the skeleton of Unicode Technical Standard 39, without case, accents,
spaces, punctuation and what stands in brackets at the end. Where several players of a table have the same key, each is
shown with the number of the seat: Anna (1), Anna (3).
"""

import re
from collections import Counter
from functools import cache, lru_cache
from unicodedata import bidirectional, category, combining, normalize

from pydantic_core import PydanticCustomError

from motherlode.bots import BOTS
from motherlode.bots.levels import NAMES as LEVELS

LONGEST = 40
MOST_MARKS = 3  # on one letter; Hebrew has as many
NOBODY = "?"  # shown for a stored name that has nothing to show
ZWNJ, ZWJ, TEXT_STYLE, EMOJI_STYLE, KEYCAP = "\u200c\u200d\ufe0e\ufe0f\u20e3"
# Characters that show nothing although their category says otherwise: fillers, blanks, stand-ins, selectors.
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc\ufffd\U0001d159\U00016fe4") | frozenset(
    map(chr, [*range(0x180B, 0x1810), *range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0)])
)
SPACES = "\t\n\v\f\r\x85"
# What the server and its pages call others: bots in English and in French, chance, seats.
RESERVED = (
    *BOTS, *LEVELS, "bot", "robot", "random bot", "greedy bot", "thinking bot", "foreman", "gold baron",
    "robot aléatoire", "robot avide", "robot réfléchi", "novice", "orpailleur", "mineur", "prospecteur",
    "contremaître", "baron de l'or", "chance", "le hasard", "seat", "place", "server", "serveur", "motherlode",
    "spectator", "spectateur", "open seat", "place libre", "open to anyone", "ouverte à tous", "for a friend",
    "pour un ami", "you", "vous", "légende",
)  # fmt: skip


def is_kept(char: str) -> bool:
    kind = category(char)
    if char in (ZWNJ, ZWJ, KEYCAP):
        return True
    return char not in BLANK and kind[0] != "C" and kind != "Me"


def fits(char: str, last: str, following: str, marks: int) -> bool:
    """Whether a character that depends on its neighbours belongs where it is."""
    if char == ZWJ and category(following or " ") == "So":
        return category(last) in ("So", "Sk") or last == EMOJI_STYLE
    if char in (ZWNJ, ZWJ):
        is_arabic = bidirectional(last) == "AL" and bidirectional(following or " ") == "AL"
        return combining(last) == 9 or (char == ZWNJ and is_arabic)
    if char in (TEXT_STYLE, EMOJI_STYLE):
        return category(last)[0] in "SP" or last.isdigit()
    if char == KEYCAP:
        return last == EMOJI_STYLE or last.isdigit()
    return last != " " and marks < MOST_MARKS


@lru_cache(maxsize=4096)
def clean(text: str) -> str:
    """The text with nothing invisible in it; what is left may be empty."""
    seen = [" " if char in SPACES or category(char)[0] == "Z" else char for char in normalize("NFC", text)]
    seen = [char for char in seen if is_kept(char)]
    kept, marks = [" "], 0
    for n, char in enumerate(seen):
        if category(char) == "Mn" or char in (ZWNJ, ZWJ, KEYCAP):
            if fits(char, kept[-1], "".join(seen[n + 1 : n + 2]), marks):
                kept.append(char)
                marks += 1
        elif char != " " or kept[-1] != " ":
            kept.append(char)
            marks = 0
    return normalize("NFC", "".join(kept)).strip()


def shown(name: str) -> str:
    """A stored name as it is shown."""
    return clean(name) or NOBODY


def read_name(text: str) -> str:
    """The name that somebody chooses, cleaned; refused where it could be taken for something else."""
    name = clean(text)
    no = ""
    if not any(category(char)[0] in "LNS" for char in name):
        no = "a name needs a letter, a number or an emoji"
    elif len(name) > LONGEST:
        no = f"a name has at most {LONGEST} characters"
    elif "," in name:
        no = "a name has no comma: records put them between the players"
    elif is_reserved(name):
        no = "bots, chance and seats are called that here: choose another name"
    if no:
        raise PydanticCustomError("name", no)
    return name


# Names that look alike


@cache
def prototypes() -> dict[int, str]:
    """What each character is drawn like, as Unicode's confusables.txt has it."""
    from confusable_homoglyphs.confusables import confusables_data  # a megabyte, read when names are first compared

    alike = {char: [one["c"].strip("\u200e") for one in others] for char, others in confusables_data.items()}
    found: dict[int, str] = {}
    for char, others in alike.items():
        if len(char) == 1 and len(others) == 1:  # a prototype lists all that are drawn like it
            (other,) = others
            if len(other) > 1 or len(alike.get(other, [])) > 1 or other < char:
                found[ord(char)] = other
    return found


def skeleton(text: str) -> str:
    return normalize("NFD", normalize("NFD", text).translate(prototypes()))


@lru_cache(maxsize=4096)
def key(name: str) -> str:
    """Equal for names that can be taken for each other."""
    looks = name
    for _ in range(3):  # what one step leaves another may change
        looks = normalize("NFKC", skeleton(looks)).casefold()
    looks = re.sub(r"(\s*\([^()]*\)?)+\s*$", "", looks) or looks
    letters = "".join(char for char in normalize("NFD", looks) if category(char)[0] in "LNS").replace("i", "l")
    return letters or looks


@cache
def reserved_keys() -> frozenset[str]:
    return frozenset(map(key, RESERVED))


def is_reserved(name: str) -> bool:
    """Whether it could be taken for a bot (`search:400+exact`), chance or a seat (`seat 0`)."""
    word = re.split(r"[:+@#(]", normalize("NFKC", name))[0].strip().rstrip("0123456789 ")
    return key(name) in reserved_keys() or key(word) in reserved_keys()


@lru_cache(maxsize=4096)
def at_table(names: tuple[str | None, ...]) -> tuple[str | None, ...]:
    """The players' names as a table shows them, by seat; None: nobody, or a bot.

    All who could be taken for each other get their seat's number, so that it does not matter who came first.
    """
    people = [None if name is None else shown(name) for name in names]
    count = Counter(key(name) for name in people if name is not None)
    return tuple(
        f"{name} ({seat + 1})" if name is not None and (count[key(name)] > 1 or is_reserved(name)) else name
        for seat, name in enumerate(people)
    )
