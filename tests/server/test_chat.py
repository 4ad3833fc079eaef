"""The chat: players and spectators apart, who is told what and when, and how much anybody may write."""

from typing import Any

import pytest
from support.local_server import Page, Server, Visitor, play_out, serving


def sit(ada: Visitor, bob: Visitor, **more: Any) -> tuple[str, Page, Page]:
    card = ada.make("goldmine", "me", "link", options={"target": 0}, **more)
    bob.take(card["id"], 1, code=card["links"][0]["code"])
    return card["id"], ada.open(card["id"], 0), bob.open(card["id"], 1)


def heard(page: Page) -> list[str]:
    """What a page has been told of the chat by now, and not been asked for before."""
    page.send(do="ping")
    lines: list[str] = []
    while (message := page.take())["is"] != "pong":
        lines += [line["text"] for line in message.get("lines", [])]
    return lines


def say(page: Page, text: str) -> None:
    page.send(do="chat", text=text)
    page.wait("chat", lambda message: message["lines"][-1]["text"] == text)


def test_players_do_not_hear_spectators_while_the_game_runs(ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    """Neither at their seats nor by looking on, nor when they come again; afterwards they do."""
    table, one, two = sit(ada, bob)
    with eve.open(table) as watching, ada.open(table) as looking_on:
        say(watching, "Bob holds the ace")
        say(one, "good luck")
        assert [heard(page) for page in (one, two, looking_on)] == [[], ["good luck"], ["good luck"]]
        with ada.open(table, 0) as again:
            assert heard(again) == ["good luck"]
        assert heard(watching) == ["good luck"]
        with eve.open(table) as again:
            assert heard(again) == ["Bob holds the ace", "good luck"]
        play_out([one, two])
        assert [heard(page) for page in (one, two, looking_on)] == [["Bob holds the ace"]] * 3
        with ada.open(table, 0) as again:
            assert heard(again) == ["Bob holds the ace", "good luck"]


def test_before_the_game_everybody_hears_everybody(ada: Visitor, eve: Visitor) -> None:
    card = ada.make("goldmine", "me", "anyone")
    with ada.open(card["id"], 0) as one, eve.open(card["id"]) as watching:
        say(watching, "may I join?")
        line = one.wait("chat")["lines"][0]
        assert (line["seat"], line["name"], line["text"]) == (None, "Eve", "may I join?") and line["who"]


@pytest.mark.parametrize("delay", [0, 60])
def test_spectators_hear_players_as_late_as_they_see_them(
    server: Server, ada: Visitor, bob: Visitor, eve: Visitor, delay: int
) -> None:
    table, one, two = sit(ada, bob, delay=delay)
    with eve.open(table) as watching, bob.open(table) as looking_on:
        say(one, "I have drawn the ace")
        say(looking_on, "so have I")  # a player who looks on is a player
        assert one.wait("chat")["lines"][0]["seat"] == 1
        said = ["I have drawn the ace", "so have I"]
        assert heard(two) == said
        if delay:
            server.move_clock(delay - 1)
            assert heard(watching) == []
            with eve.open(table) as again:
                assert heard(again) == []
                server.move_clock(1)
                assert again.wait("chat")["lines"][0]["text"] == said[0]
        assert heard(watching) == said


def test_a_table_read_again_tells_late_lines_late(database: str, server: Server, ada: Visitor, eve: Visitor) -> None:
    table = ada.make("goldmine", "me", "random", delay=60, watch=True)["id"]
    with ada.open(table, 0) as one:
        say(one, "psst")
    del server.parlour.tables[table]
    with eve.open(table) as watching:
        assert heard(watching) == []
        server.move_clock(60)
        assert watching.wait("chat")["lines"][0]["text"] == "psst"


def test_nobody_speaks_under_anothers_name(ada: Visitor, server: Server, bob: Visitor) -> None:
    table, one, _two = sit(ada, bob)
    with Visitor(server, "Аdа") as false, Visitor(server, "ADA") as third, Visitor(server, "Cleo") as cleo:
        page, other, last = (visitor.open(table) for visitor in (false, third, cleo))
        say(page, "I am Ada")
        say(other, "I am Ada, too")
        say(page, "No")
        say(last, "I am not")
        say(one, "hello")
        lines = cleo.open(table).wait("chat")["lines"]
    assert [(line["name"], line["seat"]) for line in lines] == [
        ("Аdа (b)", None), ("ADA (c)", None), ("Аdа (b)", None), ("Cleo", None), ("Ada", 0),
    ]  # fmt: skip


def test_a_line_stays_its_speakers_when_the_seat_changes_hands(ada: Visitor, bob: Visitor, eve: Visitor) -> None:
    table, one, two = sit(ada, bob)
    say(two, "from Bob")
    code = bob.http.post(f"/api/tables/{table}/seats/1/link").json()["code"]
    eve.take(table, 1, code=code)
    with eve.open(table, 1) as page:
        line = page.wait("chat")["lines"][0]
        assert (line["name"], line["seat"]) == ("Bob", 1)
        assert line["who"] != page.table["players"][1]["who"]
    one.close()


def test_spectators_may_write_less(tmp_path: Any) -> None:
    """In time, each of them, and all together; the players' lines are not pushed out."""
    limits = {"spectator_chats": (2, 60.0), "spectator_lines": 30, "chat_lines": 5}
    with (
        serving(f"sqlite:///{tmp_path}/parlour.db", **limits) as server,
        Visitor(server, "Ada") as ada,
        Visitor(server, "Eve") as eve,
    ):
        table = ada.make("goldmine", "me", "anyone")["id"]
        with ada.open(table, 0) as one, eve.open(table) as watching:
            for n in range(8):
                say(one, f"line {n}")
            for n in range(3):
                say(watching, f"noise {n}")
                server.move_clock(30)
            assert "a spectator may write 3 lines at a table" in watching.ask(do="chat", text="more")["no"]
            assert "a spectator may write" in watching.ask(do="chat", text="more")["no"]
            assert watching.ask(do="chat", text="more")["no"].startswith("too many spectator_chats: at most 2 per 60 s")
            for n in range(9):
                with Visitor(server, f"Crowd {n}") as one_more, one_more.open(table) as page:
                    for k in range(3):
                        say(page, f"more {n} {k}")
                        server.move_clock(30)
            with Visitor(server, "Late") as late, late.open(table) as page:
                assert "is full: it has room for 30 lines" in page.ask(do="chat", text="hello")["no"]
            say(one, "still here")
            with ada.open(table, 0) as again:
                lines = again.wait("chat")["lines"]
        mine = [line["text"] for line in lines if line["seat"] == 0]
        assert mine == ["line 4", "line 5", "line 6", "line 7", "still here"]
        assert sum(line["seat"] is None for line in lines) == 5
