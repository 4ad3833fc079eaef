"""Finished games to review, and judges that are quick: what the server does with a review needs no strong bot."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from motherlode import engine, text
from motherlode.game import OVER
from motherlode.review import review
from motherlode.server.reviews import Reviewed, Reviews
from support.local_server import PATIENCE, Server, Visitor, play_out
from support.visiting import Visit

LONG = 5 * PATIENCE  # for a real judge, to whom everything else goes first
SHORT = {"target": 0}  # options of Goldmine: a single deal


def finished(ada: Visitor, *players: str, **more: Any) -> str:
    """A game of Goldmine that was played to its end; its id."""
    chairs = players or ("me", "random")
    key = str(ada.make("goldmine", *chairs, options=SHORT, **more)["id"])
    play_out([ada.open(key, seat) for seat, player in enumerate(chairs) if player == "me"])
    return key


def short_review(played: text.Played, mistakes: int = 3) -> dict[str, Any]:
    """A review in which every decision with a choice cost something: it adds up, and says nothing true."""
    game = played.game
    positions = played.positions()
    winners = text.winners(game, positions[-1], played.resigned)
    seats = []
    for seat in range(played.seats):
        decided = [at for at, s in enumerate(positions) if s.turn == seat and len(engine.legal(game, s)) > 1]
        won, start = (1 / len(winners) if seat in winners else 0.0), 1 / played.seats
        parts = {"start": start, "deal": 0.1, "chance": -0.2, "own": 0.05, "others": won - start + 0.05}
        found = []
        for number, at in enumerate(decided[:mistakes]):
            action, loss = played.actions[at], 0.2 - 0.05 * number
            best = next(a for a in engine.legal(game, positions[at]) if a != action)
            what = {"action": action, "words": game.ACTIONS.name(action), "best": best}
            what |= {"kind": game.ACTIONS.read(action)[0].verb, "best_words": game.ACTIONS.name(best)}
            reason = {"kind": "event", "event": {"kind": "gold", "args": {"seat": "0"}, "words": "gold for seat 0"}}
            what |= {"reasons": [{**reason, "best": 0.8, "chosen": 0.3}], "remember": number == 0}
            chances = {"chance": 0.4, "best_chance": 0.4 + loss, "loss": loss, "interval": [loss - 0.01, loss + 0.01]}
            found.append({"at": at, "seat": seat, **what, **chances})
        curve = [{"at": at, "known": 0.5, "open": 0.6} for at, s in enumerate(positions) if s.turn >= 0]
        curve.append({"at": len(played.actions), "known": won, "open": won})
        judged = {"decisions": len(decided), "error": 0.02, "error_interval": [0.01, 0.03], "rating": None}
        points = {**parts, "result": won - start, "scored": 1}
        sums = {**parts, "result": won - start, "won": won, "points": points}
        seats.append({"seat": seat, **sums, "curve": curve, **judged, "mistakes": found})
    judge = {"values": "none", "search": "none", "worlds": 0}
    head = {"version": review.VERSION, "game": game.NAME, "players": list(played.players)}
    return {**head, "length": len(played.actions), "judge": judge, "seats": seats}


class QuickJudge:
    """Instead of the processes of a server: counts what is reviewed, and may be held up."""

    def __init__(self, server: Server, judge: Callable[[text.Played], dict[str, Any]] = short_review) -> None:
        self.reviewed: list[str] = []
        self.judge = judge
        self.go_on = threading.Event()
        self.go_on.set()
        self.reviews: Reviews = server.app.state.reviews
        self.reviews.run = self.run

    async def run(self, record: str) -> Reviewed:
        self.reviewed.append(record)
        await asyncio.to_thread(self.go_on.wait)
        return Reviewed(self.judge(text.read_record(record)), "", 0.01)


def until_reviewed(visitor: Visitor, key: str) -> dict[str, Any]:
    """Ask for the review, wait until the server has done with the game, and ask again."""
    reviews: Reviews = visitor.server.app.state.reviews

    async def wait() -> None:
        while key in reviews.asked:
            await asyncio.sleep(0.01)

    while True:
        answer = visitor.http.post(f"/api/tables/{key}/review")
        assert answer.status_code in (200, 202), answer.text
        state: dict[str, Any] = answer.json()
        if state["state"] != "working":
            return state
        asyncio.run_coroutine_threadsafe(wait(), visitor.server.loop).result(LONG)


def play_by_requests(ada: Visit, key: str) -> None:
    """A game against bots to its end, without its page."""
    while True:
        now = ada.context.request.get(f"{ada.parlour.url}/api/tables/{key}/now?seat=0&after=9999").json()
        if now["turn"] == OVER:
            return
        if now["legal"]:
            ada.ask(f"/api/tables/{key}/act", seat=0, at=now["at"], action=now["legal"][0]["action"])
