"""Seats as an observer counts them: itself first, then the seat after it."""

from motherlode.game import rule


@rule
def absolute(nth: int, me: int, seats: int) -> int:
    """The seat that is the nth from `me`; places of seats that are not taken stay where they are."""
    if nth >= seats:
        return nth
    return nth + me - seats if nth + me >= seats else nth + me


@rule
def relative(seat: int, me: int, seats: int) -> int:
    """How many seats after `me` a seat is."""
    if seat >= seats:
        return seat
    return seat - me + seats if seat < me else seat - me
