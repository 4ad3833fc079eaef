"""Quick reactions: keys that every page says in its own language, and nothing that chat would not allow."""

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from support.local_server import Page, Server, Visitor, serving

from motherlode.server import wire
from motherlode.server.chat import REACTIONS

WORDS = Path(__file__).parents[2] / "web/src/words"


def sit(ada: Visitor, bob: Visitor, **more: Any) -> tuple[str, Page, Page]:
    card = ada.make("goldmine", "me", "link", **more)
    bob.take(card["id"], 1, code=card["links"][0]["code"])
    return card["id"], ada.open(card["id"], 0), bob.open(card["id"], 1)


def reacted(page: Page) -> list[str | None]:
    """What a page has been told by now, and not been asked for before."""
    page.send(do="ping")
    found: list[str | None] = []
    while (message := page.take())["is"] != "pong":
        found += [line["reaction"] for line in message.get("lines", [])]
    return found


def test_every_reaction_has_words_in_every_language() -> None:
    assert set(get_args(wire.Reaction)) == set(REACTIONS)
    for language in ("en", "fr"):
        words = json.loads((WORDS / f"friends.{language}.json").read_text("utf-8"))
        assert all(words[f"react.{key}"] for key in REACTIONS)


def test_a_reaction_is_a_line_of_chat_with_a_key(ada: Visitor, bob: Visitor) -> None:
    table, one, two = sit(ada, bob)
    two.send(do="react", what="well_played")
    line = one.wait("chat")["lines"][0]
    assert (line["seat"], line["reaction"], line["text"]) == (1, "well_played", "Well played!")
    with ada.open(table, 0) as again:
        assert again.wait("chat")["lines"][0]["reaction"] == "well_played"
    no = two.ask(do="react", what="<b>you lose</b>")
    assert no["is"] == "no" and no["do"] == "react"
    two.send(do="chat", text="well_played")
    assert one.wait("chat")["lines"][0]["reaction"] is None


def test_it_is_muted_delayed_and_kept_apart_as_chat_is(
    server: Server, ada: Visitor, bob: Visitor, eve: Visitor
) -> None:
    table, one, two = sit(ada, bob, delay=60)
    with eve.open(table) as watching:
        two.send(do="react", what="oops")
        one.wait("chat")
        watching.send(do="react", what="hello")
        assert reacted(watching) == ["hello"] and reacted(one) == []
        server.move_clock(60)
        assert reacted(watching) == ["oops"]
        one.send(do="mute", who=one.table["players"][1]["who"])
        one.wait("table", lambda message: bool(message["muted"]))
        assert "muted you here" in two.ask(do="react", what="oops")["no"]
    _, one, _ = sit(ada, bob, chat=False)
    assert one.ask(do="react", what="oops")["no"] == "this table has no chat"


@pytest.mark.parametrize("do", [{"do": "react", "what": "hurry_up"}, {"do": "chat", "text": "hurry up"}])
def test_reactions_and_lines_share_one_limit(tmp_path: Path, do: dict[str, str]) -> None:
    with serving(f"sqlite:///{tmp_path}/parlour.db", chats=(3, 60.0)) as server, Visitor(server) as ada:
        page = ada.open(ada.make("goldmine", "me", "random")["id"], 0)
        for _ in range(3):
            page.send(do="react", what="hurry_up")
        answer = page.ask(**do)
        assert answer["is"] == "no" and "too many chats" in answer["no"]
        server.move_clock(60)
        page.send(**do)
        page.wait("chat")
