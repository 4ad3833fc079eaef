"""Finished games that nobody has played: rows as the server would have stored them."""

import sqlalchemy as sa

from motherlode.bots import levels
from motherlode.games import GAMES
from motherlode.server.keys import new_id
from motherlode.server.schema import PLAYED, SCORE, SEAL, SEAT, SITTING
from support.local_server import Server

RESULTS = ("won", "drawn", "lost")


def add_history(server: Server, guest: str, of_each: int = 1) -> None:
    """A finished game of every title, each against another level, and a record with games against all of them."""
    with server.parlour.storage.engine.begin() as db:
        running = db.execute(sa.select(SITTING).order_by(SITTING.c.made.desc())).first()
        seal = db.execute(sa.select(SEAL)).first()
        assert running and seal, "copy them from a table"
        for number, (name, game) in enumerate(list(GAMES.items()) * of_each):
            key, ended = new_id(), running.made - 1000.0 * number
            result = RESULTS[number % 3]
            facts = {"id": key, "game": name, "rules": game.RULES, "options": {}, "seats": game.SEATS[-1], "actions": 0}
            facts |= {"made": ended - 500.0, "begun": ended - 400.0, "ended": ended, "rematch_of": None, "given": 0}
            db.execute(SITTING.insert().values(**{**running._mapping, **facts}))
            db.execute(SEAL.insert().values(**{**seal._mapping, "sitting": key}))
            for seat in range(game.SEATS[-1]):
                is_me, bot = seat == 0, levels.NAMES[number % 5]
                who = {"guest": guest if is_me else None, "bot": None if is_me else bot}
                db.execute(SEAT.insert().values(sitting=key, seat=seat, program=False, left=False, **who))
                theirs = {"won": "lost", "drawn": "drawn", "lost": "won"}[result] if seat == 1 else "lost"
                score = {"points": 30 - seat, "result": result if is_me else theirs}
                db.execute(SCORE.insert().values(sitting=key, seat=seat, **score))
            for place, against in enumerate([*levels.NAMES[: 1 + number % 5], "people", "search:400"]):
                counted = {"game": name, "against": against, "result": RESULTS[(number + place) % 3], "ended": ended}
                for times in range(3):
                    db.execute(PLAYED.insert().values(at_table=f"{key[:18]}{place}{times}", guest=guest, **counted))


def add_win(server: Server, guest: str, game: str, level: str) -> None:
    """One game that was won against a level."""
    won = {"at_table": new_id(), "guest": guest, "game": game, "against": level, "result": "won", "ended": 1.0}
    with server.parlour.storage.engine.begin() as db:
        db.execute(PLAYED.insert().values(**won))
