"""*What would you do?* A hint is computed from what its seat is shown now, and from nothing else.

In a memory game a person is shown what lies open, so a hint remembers no more than that, and it is given no log. Its
random numbers have nothing to do with the table's. Whoever asks again is told the same again.
"""

import secrets

from motherlode import engine
from motherlode.bots.hint import judge, say
from motherlode.engine import Refusal
from motherlode.server import messages, wire
from motherlode.server.bot_workers import Cleared, Died, Failed, Overran
from motherlode.server.fair_queue import Asker
from motherlode.server.live_table import LiveTable
from motherlode.table import Ask, NotYourTurn, Stale


def question(table: LiveTable, seat: int, guest: str) -> tuple[Ask, int]:
    """What a hint is computed from, and the table's `at` for this seat; refused where there is nothing to ask."""
    if not table.settings.hints:
        raise Refusal("this table gives no hints: whoever makes a table decides that")
    chair = table.seating.check_owner(seat, guest)
    table.check_begun()
    if table.is_over:
        raise NotYourTurn("the game is over")
    if chair.bot is not None:
        raise NotYourTurn("a bot plays for you: return to your seat first")
    s, at = messages.position(table, seat)
    if s.turn != seat:
        raise NotYourTurn("a hint is for your own turn: wait for it")
    view = engine.view(table.game, s, seat, sight=not table.has_perfect_memory(seat))
    return Ask(table.game, seat, view, engine.legal(table.game, s), []), at


async def hint(table: LiveTable, seat: int, guest: str) -> wire.HintMessage:
    ask, at = question(table, seat, guest)
    parlour, key = table.parlour, (at, bytes(ask.view))
    last = table.hints.get(seat)
    if last and last[0] == key and (not last[1].plain or parlour.bot_workers.is_cold(judge(ask.game), ask.game)):
        return last[1]
    if guest in parlour.waiting_for_hints:
        raise Refusal("you have asked for a hint already: wait for it")
    parlour.waiting_for_hints.add(guest)
    try:
        suggestions, plain = await parlour.bot_workers.suggest(ask, secrets.randbits(63), asker=Asker(guest, table.id))
    except (Cleared, Died, Failed, Overran):
        raise Refusal("no hint could be found; ask again") from None
    finally:
        parlour.waiting_for_hints.discard(guest)
    try:
        is_same = question(table, seat, guest)[1] == at
    except Refusal:
        is_same = False
    if not is_same:
        raise Stale("the table moved on before the hint was found: look again")
    found = [wire.Suggestion(action=a, words=words, win=win) for a, words, win in suggestions]
    message = wire.HintMessage(at=at, suggestions=found, words=say(suggestions), plain=plain)
    table.hints[seat] = key, message
    return message
