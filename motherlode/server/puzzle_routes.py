"""The routes of the puzzles. Whoever is no guest can solve them too; only a guest's first tries are rated."""

import re
from datetime import UTC, date, datetime
from typing import Annotated

from fastapi import FastAPI, Query, Request
from starlette.concurrency import run_in_threadpool

from motherlode import puzzles, text
from motherlode.engine import Refusal
from motherlode.games import GAMES
from motherlode.puzzles import Puzzle
from motherlode.server import puzzle_ratings, puzzle_wire
from motherlode.server.addresses import address
from motherlode.server.guest_requests import AnyGuest, charge_entries
from motherlode.server.parlour import Parlour
from motherlode.server.puzzle_ratings import Outcome, Rating, Tried
from motherlode.server.rate_limit import RateLimit
from motherlode.server.refusals import Conflict, NoPuzzle
from motherlode.server.schema import Guest

Day = Annotated[str | None, Query(max_length=40, pattern=r"^[^\x00]*$")]
Id = Annotated[str | None, Query(max_length=80, pattern=r"^[^\x00]*$")]


def read_day(written: str | None, today: date) -> date:
    """A day up to today; without one, today."""
    if written is None:
        return today
    try:
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", written):
            raise ValueError
        day = date.fromisoformat(written)
    except ValueError:
        raise Refusal(f"`date` is a day such as {today}, not {written!r}") from None
    if day > today:
        raise Refusal(f"the puzzle of {day} is not out yet: today, in UTC, is {today}")
    return day


def find_puzzle(key: str) -> Puzzle:
    try:
        return puzzles.find(key)
    except Refusal as no:
        raise NoPuzzle(str(no)) from None


def add_puzzles(app: FastAPI, parlour: Parlour, limits: dict[str, RateLimit]) -> None:
    async def read_tries(guest: Guest | None, listed: list[Puzzle]) -> dict[str, Tried]:
        if guest is None:
            return {}
        return await parlour.storage.read(lambda db: puzzle_ratings.read_tries(db, guest.id, listed))

    async def read_solver(guest: Guest | None) -> dict[str, Rating]:
        if guest is None:
            return {}
        return await parlour.storage.read(lambda db: puzzle_ratings.read_solver(db, guest.id))

    async def sheet(request: Request, guest: Guest | None, puzzle: Puzzle) -> puzzle_wire.PuzzleSheet:
        tried = (await read_tries(guest, [puzzle])).get(puzzle.id)
        charge_entries(limits["requests"], request, guest, len(puzzle.actions))
        return await run_in_threadpool(puzzle_wire.sheet, puzzle, tried and tried.solved)

    @app.get("/api/puzzles")
    async def list_puzzles(guest: AnyGuest) -> puzzle_wire.PuzzleGames:
        """The games that have puzzles, and how you do at them."""
        listed = {name: puzzles.of(game) for name, game in GAMES.items()}
        tried = await read_tries(guest, [puzzle for found in listed.values() for puzzle in found])
        mine = await read_solver(guest)
        return puzzle_wire.PuzzleGames(
            games=[
                puzzle_wire.PuzzleGame(
                    game=name,
                    title=GAMES[name].TITLE,
                    puzzles=len(found),
                    tried=sum(puzzle.id in tried for puzzle in found),
                    mine=puzzle_wire.rating_card(mine[name]) if name in mine else None,
                )
                for name, found in listed.items()
                if found
            ]
        )

    @app.get("/api/puzzles/day")
    async def show_puzzle_of_the_day(request: Request, guest: AnyGuest, date: Day = None) -> puzzle_wire.PuzzleOfTheDay:
        """The puzzle of a day in UTC, the same everywhere; without `date`, of today."""
        day = read_day(date, datetime.fromtimestamp(parlour.now(), UTC).date())
        _, puzzle = puzzles.of_the_day(day)
        return puzzle_wire.PuzzleOfTheDay(date=day.isoformat(), puzzle=await sheet(request, guest, puzzle))

    @app.get("/api/puzzles/{game}/next")
    async def show_next_puzzle(
        request: Request, game: str, guest: AnyGuest, after: Id = None
    ) -> puzzle_wire.PuzzleSheet:
        """A puzzle of a game that suits you and that you have not tried yet; or, if nothing is known of you, the one
        that comes `after` another in order of difficulty."""
        listed = puzzles.some_of(text.find_game(game))
        if guest is None:
            return await sheet(request, guest, puzzle_ratings.following(listed, after))
        ratings = await parlour.storage.read(lambda db: puzzle_ratings.read_ratings(db, listed))
        mine, tried = (await read_solver(guest)).get(game), await read_tries(guest, listed)
        return await sheet(request, guest, puzzle_ratings.choose(listed, ratings, mine, tried))

    @app.get("/api/puzzles/{puzzle}")
    async def show_puzzle(request: Request, puzzle: str, guest: AnyGuest) -> puzzle_wire.PuzzleSheet:
        """A puzzle as its seat knows it. The answer is told to a try."""
        return await sheet(request, guest, find_puzzle(puzzle))

    @app.post("/api/puzzles/{puzzle}/try")
    async def try_puzzle(
        puzzle: str, tried: puzzle_wire.PuzzleTry, guest: AnyGuest, request: Request
    ) -> puzzle_wire.PuzzleVerdict:
        """Answer a puzzle, and be told what is right and why. A guest's first try at it counts for the ratings."""
        limits["tries"].take(guest.id if guest else address(request), address(request))
        found = find_puzzle(puzzle)
        judged = await run_in_threadpool(puzzles.try_answer, found, tried.action)
        if guest is None:
            ratings = await parlour.storage.read(lambda db: puzzle_ratings.read_ratings(db, [found]))
            outcome = Outcome(ratings[found.id])
        else:
            outcome = await store(guest, found, tried.action)
        return await run_in_threadpool(puzzle_wire.verdict, found, judged, tried.action, *outcome)

    async def store(guest: Guest, puzzle: Puzzle, action: int) -> Outcome:
        made, outcomes = parlour.now(), list[Outcome]()

        async def write() -> None:
            await parlour.guests.write(
                guest, lambda db: outcomes.append(puzzle_ratings.store_try(db, guest.id, puzzle, action, made))
            )

        try:
            await write()
        except Conflict:  # another process has rated this puzzle, or this guest, for the first time
            await write()
        return outcomes[-1]
