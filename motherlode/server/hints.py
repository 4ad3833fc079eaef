"""*What would you do?* A hint is thought about from what its seat is shown now, and from nothing else.

A person in a game of memory is shown what lies open: so the hint remembers no more than that. The past is not handed
out at all. Its random numbers come from nowhere near the table. One who asks again is told the same again.
"""

import secrets

from motherlode import engine
from motherlode.bots.hint import say
from motherlode.engine import Refusal
from motherlode.server import messages, wire
from motherlode.server.bot_workers import SEARCH, Died, Failed
from motherlode.server.live_table import LiveTable
from motherlode.table import Ask, NotYourTurn, Stale


def question(sitting: LiveTable, seat: int, guest: str) -> tuple[Ask, int]:
    """What is to be thought about, and the table's `at` for this seat; refused where there is nothing to ask."""
    if not sitting.facts.hints:
        raise Refusal("this table gives no hints: whoever makes a table decides")
    chair = sitting.check_owner(seat, guest)
    if sitting.is_waiting:
        raise NotYourTurn("the game has not begun: not all seats are taken")
    if sitting.is_over:
        raise NotYourTurn("the game is over")
    if chair.bot is not None:
        raise NotYourTurn(f"the bot {chair.bot} plays for you: return to your seat first")
    s, at = messages.position(sitting, seat)
    if s.turn != seat:
        raise NotYourTurn("a hint is for your own turn: wait for it")
    view = engine.view(sitting.game, s, seat, sight=not sitting.has_memory(seat))
    return Ask(sitting.game, seat, view, engine.legal(sitting.game, s), []), at


async def hint(sitting: LiveTable, seat: int, guest: str) -> wire.HintMessage:
    ask, at = question(sitting, seat, guest)
    parlour, key = sitting.parlour, (at, bytes(ask.view))
    kept = sitting.hints.get(seat)
    if kept and kept[0] == key and (not kept[1].plain or parlour.bot_workers.is_warming(SEARCH, ask.game)):
        return kept[1]
    if guest in parlour.hints:
        raise Refusal("a hint of yours is being thought about: wait for it")
    parlour.hints.add(guest)
    try:
        suggestions, plain = await parlour.bot_workers.suggest(ask, secrets.randbits(63))
    except (Died, Failed):
        raise Refusal("no hint could be found; ask again") from None
    finally:
        parlour.hints.discard(guest)
    try:
        is_same = question(sitting, seat, guest)[1] == at
    except Refusal:
        is_same = False
    if not is_same:
        raise Stale("the table moved on while the hint was thought about: look again")
    found = [wire.Suggestion(action=a, words=words, win=win) for a, words, win in suggestions]
    message = wire.HintMessage(at=at, suggestions=found, words=say(suggestions), plain=plain)
    sitting.hints[seat] = key, message
    return message
