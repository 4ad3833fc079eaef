"""Names and chat: over every character there is nothing invisible comes through, and nobody looks like another."""

import json
import random
import sys
from pathlib import Path
from unicodedata import category, combining, normalize

import pytest
import sqlalchemy as sa
from pydantic import ValidationError
from support.local_server import Server, Visitor

from motherlode.bots import BOTS
from motherlode.bots.levels import NAMES as LEVELS
from motherlode.server import names, wire

WORDS = Path(__file__).parents[2] / "web" / "src" / "words"
EVERY = [chr(n) for n in range(sys.maxunicode + 1) if n % 500 == 0 or category(chr(n)) not in ("Cn", "Co", "Cs")]
JOINERS = names.ZWJ + names.ZWNJ + names.TEXT_STYLE + names.EMOJI_STYLE
KEPT = [
    "Ada Löw", "Zoë", "Nguyễn Thị Ánh", "Ελένη", "Жанна", "محمد", "می\u200cخواهم", "שָׁלוֹם", "ศักดิ์สิทธิ์", "क्\u200dष",
    "田中さん", "김민준", "👩\u200d💻", "👍🏽", "❤\ufe0f", "1\ufe0f\u20e3", "🏳\ufe0f\u200d🌈", "👩🏽\u200d🚒",
    "O'Brien-Ng", "Jean-Luc 2", "🇫🇷",
]  # fmt: skip


def test_over_every_character_only_what_can_be_seen_comes_through() -> None:
    """Each by itself, between letters, doubled, and at both ends; the categories are Unicode's own."""
    for char in EVERY:
        cleaned = names.clean.__wrapped__(f"{char}a{char}{char}b{char}")
        for one in cleaned:
            kind = category(one)
            assert kind[0] != "C" and kind not in ("Zl", "Zp", "Me") and one not in names.BLANK, (ascii(char), cleaned)
            assert kind != "Zs" or one == " ", ascii(char)
        assert cleaned == normalize("NFC", cleaned) == " ".join(cleaned.split()), ascii(char)
        if category(char)[0] in "LN" and char not in names.BLANK:
            assert normalize("NFC", f"{char}a") in cleaned, ascii(char)  # and whatever can be seen stays


@pytest.mark.parametrize("name", KEPT)
def test_what_people_are_called_stays(name: str) -> None:
    assert names.clean(name) == normalize("NFC", name) == names.read_name(name)


def test_nothing_piles_up_or_changes_when_it_is_cleaned_again() -> None:
    rng = random.Random(7)
    odd = [char for char in EVERY if category(char) in ("Mn", "Me", "Cf", "Cc", "Zs", "So", "Sk")] + [*JOINERS] * 200
    for _ in range(3000):
        text = "".join(rng.choice("abkçשक م1#" if rng.random() < 0.3 else odd) for _ in range(rng.randint(1, 30)))
        cleaned = names.clean.__wrapped__(text)
        assert names.clean.__wrapped__(cleaned) == cleaned, ascii(text)
        pile = 0
        for char in cleaned:
            pile = pile + 1 if category(char) == "Mn" else 0
            assert pile <= names.MOST_MARKS, ascii(text)


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "\u202e",
        "\u200b\u200b",
        "\u3164",
        "\u2800",
        "a,b",
        "...",
        "x" * 41,
        "\u0958" * 40,
        "\U000e0041",
        "\x00",
    ],
)
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(ValidationError):
        wire.NewGuest(name=name)


def test_names_of_bots_and_of_the_server_are_taken() -> None:
    """As the server and the pages say them, in both languages, however they are drawn."""
    said = [str(word) for language in ("en", "fr") for key, word in words(language) if key.startswith("bot.")]
    said += [*BOTS, *LEVELS, "seat 0", "Seat 7", "search:400+exact@90", "Greedy bot", "Thinking bot 100", "Chance"]
    said += [
        "ＧＲＥＥＤＹ",
        "gr\u0435edy",
        "Gree\u200bdy",
        "s\u0435at 1",
        "R\u0430ndom",
        "Greedy (you)",
        "b0t",
    ]
    assert len(said) > 30
    for name in said:
        with pytest.raises(ValidationError, match="choose another name"):
            wire.NewGuest(name=name)
    for language in ("en", "fr"):
        newcomer = dict(words(language))["newcomer"]
        assert names.read_name(str(newcomer)) == newcomer


def words(language: str) -> list[tuple[str, object]]:
    return list(json.loads((WORDS / f"lobby.{language}.json").read_text("utf-8")).items())


@pytest.mark.parametrize(
    "other",
    [
        "anna", "ANNA", "Аnna", "Ann\u0430", "Anna.", "A n n a", "Änna", "Anna (1)", "Anna ❨２❩", "𝐀𝐧𝐧𝐚", "ᗅnna",
        "Anna\u02bc", "Anna (", "Anna (1) (2)",
    ],
)  # fmt: skip
def test_names_that_look_alike_get_their_seats_numbers(other: str) -> None:
    other = names.read_name(other)
    for mine, theirs in ((0, 1), (1, 0), (0, 3), (3, 1)):
        table: list[str | None] = ["Bo", None, "Cleo", "Dan"]
        table[mine], table[theirs] = "Anna", other
        shown = names.at_table(tuple(table))
        assert shown[mine] == f"Anna ({mine + 1})" and shown[theirs] == f"{other} ({theirs + 1})"


def test_every_character_that_is_drawn_like_another_is_noticed() -> None:
    """Over all of Unicode's confusables: a name with one of them has the key of the name without."""
    for code, drawn in names.prototypes().items():
        char = chr(code)
        if category(char)[0] not in "LN" or names.clean(char) != char or normalize("NFD", char) != char:
            continue
        assert names.key(f"Bo{char}b") == names.key(f"Bo{drawn}b"), ascii(char)
    for one, two in (("Ian", "lan"), ("Modern", "Modem"), ("Bo", "B0"), ("Al", "A1")):
        assert names.key(one) == names.key(two)
    assert len({names.key(name) for name in KEPT}) == len(KEPT)  # and what differs, differs


# At a table


def players(visitor: Visitor, key: str) -> list[str]:
    return [player["name"] for player in visitor.get(f"/api/tables/{key}")["players"]]


def test_a_second_anna_may_play_and_is_told_apart(server: Server) -> None:
    with Visitor(server, "Anna") as anna, Visitor(server, "Аnna") as double, Visitor(server, "Bo") as bo:
        key = anna.make("claimpoker", "me", "anyone", "anyone")["id"]
        double.take(key, 1)
        with anna.open(key, 0) as page, double.open(key, 1) as other:
            assert players(bo, key)[:2] == ["Anna (1)", "Аnna (2)"]
            other.send(do="chat", text="I am Anna")
            assert page.wait("chat")["lines"][0]["name"] == "Аnna (2)"
            bo.take(key, 2)
            with bo.open(key, 2) as third:  # renaming in mid-game tells everybody at once
                assert bo.http.patch("/api/guests/me", json={"name": " ANNA\u200b "}).json()["name"] == "ANNA"
                page.wait("table", lambda table: table["players"][2]["name"] == "ANNA (3)")
                third.send(do="chat", text="No, I am")
                line = page.wait("chat")["lines"][0]
                assert (line["name"], line["text"], line["seat"]) == ("ANNA (3)", "No, I am", 2)
            assert double.http.patch("/api/guests/me", json={"name": "Dan"}).status_code == 200
            page.wait("table", lambda table: table["players"][1]["name"] == "Dan")
        assert anna.http.patch("/api/guests/me", json={"name": "greedy"}).status_code == 422


def test_what_was_stored_before_is_shown_cleaned(server: Server) -> None:
    with Visitor(server, "Ada") as ada:
        engine = sa.create_engine(server.parlour.settings.database)
        with engine.begin() as db:
            stored = {"name": "\u202eadA\u200b", "id": ada.keys["id"]}
            db.execute(sa.text("UPDATE guest SET name = :name WHERE id = :id"), stored)
        engine.dispose()
        assert ada.get("/api/guests/me")["name"] == "adA"
        key = ada.make("goldmine", "me", "random")["id"]
        del server.parlour.tables[key]
        assert players(ada, key) == ["adA", "random"]


def test_a_line_of_chat_shows_what_it_says(server: Server) -> None:
    with Visitor(server, "Ada") as ada, ada.open(ada.make("goldmine", "me", "anyone")["id"], 0) as page:
        page.send(
            do="chat", text="e\u0301t\u00e9 \u202e\u2066 live \u200b\n ok" + "z\u0300\u0301\u0302\u0303\u0304" * 3
        )
        said = page.wait("chat")["lines"][0]["text"]
        assert said == "\u00e9t\u00e9 live ok" + "z\u0300\u0301\u0302" * 3
        assert page.ask(do="chat", text="\u202e\u200b \u3164")["no"] == "the message is empty"
        assert combining(said[-1])
