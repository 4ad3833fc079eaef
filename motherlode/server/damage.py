"""What the database says of a table, and no table can have stored."""

from motherlode import bots, engine, text
from motherlode.engine import Refusal
from motherlode.server.live_table import LiveTable
from motherlode.server.refusals import BrokenLog
from motherlode.server.schema import StoredTable


def check_stored(stored: StoredTable) -> None:
    """Before its log is replayed. One of a game, or of rules, that this server does not know is refused as that."""
    facts, chairs, rows, *_ = stored
    game = text.find_game(facts.game)
    rules = text.check_rules(game, str(facts.rules))
    try:
        engine.check_seats(game, len(chairs))
        engine.check_options(game, facts.options, rules)
        for chair in chairs:
            if chair.bot and facts.ended is None:
                bots.BotSpec.parse(chair.bot, game)
            if chair.takes not in (None, "link", "anyone"):
                raise BrokenLog(f"table {facts.id}: seat {chair.seat} cannot be taken in this way")
    except (Refusal, TypeError, AttributeError) as no:
        raise BrokenLog(f"table {facts.id}: {no}") from None
    if facts.begun is None and len(rows) > facts.given:
        raise BrokenLog(f"table {facts.id}: it has a log and has not begun")


def check_loaded(table: LiveTable) -> None:
    """After its log was replayed, as far as there is no gap in it."""
    if table.facts.ended is not None and not table.is_over and not table.is_closed:
        raise BrokenLog(f"table {table.id}: it has ended, but its log has not, and nobody has resigned")
    decides_early, at = table.game.decides_early, table.core.at
    for seat, rows in table.early.items():
        for n, row in enumerate(rows):
            found = decides_early and decides_early(table.core.position, seat, [early.action for early in rows[:n]])
            if not found or row.at != at + found[1] + n:
                raise BrokenLog(f"table {table.id}: action {at} of its log is missing")
