"""Bots in Python, by name: `py:my_bot:choose` is the function `choose(ask, rng)` of the module `my_bot`.

The current folder counts, as with `python -m`. Reading such a name imports nothing; making the bot does. A function
that fails, or answers what is not legal, ends the run: whoever wrote it is told where, and nothing is played on.
"""

import importlib
import operator
import sys
import traceback
from pathlib import Path

from motherlode import engine, text
from motherlode.engine import Refusal
from motherlode.game import Rng
from motherlode.table import Ask, Bot

EXAMPLE = "py:my_bot:choose"
LISTED = 24  # legal actions that are named
OURS = (__file__, importlib.__file__, "<frozen importlib")  # where a traceback passes before it is theirs


class FunctionFailed(Refusal):
    """What is wrong with a function; `trace` is the traceback of what it raised."""

    def __init__(self, message: str, trace: str = "") -> None:  # with this default it can be pickled
        super().__init__(message)
        self.trace = trace


def split(name: str) -> tuple[str, str]:
    """The module and the function; nothing is imported."""
    module, _, function = name.partition(":")
    if not (all(part.isidentifier() for part in module.split(".")) and function.isidentifier()):
        raise Refusal(f"a function is written py:MODULE:FUNCTION, as in {EXAMPLE}, not {'py:' + name!r}")
    return module, function


def load(name: str) -> Bot:
    """The function itself. This runs the code of its module: never hand it what a stranger sent."""
    module_name, function = split(name)
    here = str(Path.cwd())
    if "" not in sys.path and here not in sys.path:
        sys.path.insert(0, here)
    importlib.invalidate_caches()
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and f"{module_name}.".startswith(f"{error.name}."):
            raise Refusal(f"py:{name}: there is no module {error.name!r}, in the current folder or installed") from None
        raise FunctionFailed(f"py:{name}: importing {module_name} failed: {in_words(error)}", trace(error)) from error
    where = f"the module {module_name} ({getattr(module, '__file__', None) or 'built in'})"
    try:
        found: Bot = getattr(module, function)
    except AttributeError:
        raise Refusal(f"py:{name}: {where} has no {function!r}") from None
    if isinstance(found, type) or not callable(found):
        kind = "a class: name an instance of it" if isinstance(found, type) else "no function"
        raise Refusal(f"py:{name}: {function!r} in {where} is {kind}; a bot is called with (ask, rng)")
    return found


def bot(name: str) -> Bot:
    """The function, with its answers checked."""
    function = load(name)

    def choose(ask: Ask, rng: Rng) -> int:
        given = ask._replace(view=engine.copy(ask.view), legal=list(ask.legal), log=list(ask.log))  # its own to change
        try:
            answer = function(given, rng)
        except (Exception, SystemExit) as error:
            raise FunctionFailed(
                f"py:{name} failed {where(ask)}: {in_words(error)}; {what(ask)}", trace(error)
            ) from error
        try:
            a = None if isinstance(answer, bool) else operator.index(answer)
        except TypeError:
            a = None
        if a not in ask.legal:
            raise FunctionFailed(
                f"py:{name} answered {shown(answer)} {where(ask)}, which is no legal action; {what(ask)}"
            )
        return a

    return choose


def where(ask: Ask) -> str:
    return f"in seat {ask.seat} of {ask.game.NAME} at action {len(ask.log)}"


def what(ask: Ask) -> str:
    """What it was asked: the view as text, and the legal actions."""
    named = [f"{a} {text.name(ask.game, ask.view, a)!r}" for a in ask.legal[:LISTED]]
    more = f" and {len(ask.legal) - LISTED} more" if len(ask.legal) > LISTED else ""
    return f"its view: {text.write_position(ask.game, ask.view)}; legal: {', '.join(named)}{more}"


def shown(answer: object) -> str:
    """The beginning of an answer, whatever it is."""
    try:
        return " ".join(repr(answer).split())[:60]
    except Exception:  # noqa: BLE001 - it is their `__repr__`, or a number too long to be written
        return f"something of type {type(answer).__name__}"


def in_words(error: BaseException) -> str:
    """An exception in one line."""
    return " ".join("".join(traceback.format_exception_only(error)).split())


def trace(error: BaseException) -> str:
    """The traceback, from the code of the function or its module on."""
    own = error.__traceback__
    while own and own.tb_frame.f_code.co_filename.startswith(OURS):
        own = own.tb_next
    return "".join(traceback.format_exception(type(error), error, own))
