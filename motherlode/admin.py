"""`motherlode admin`: looks after a running server, over HTTP.

It shows the server's admin token, and on the machine of a SQLite server finds it by itself: in the setting
`admin_token`, or in the file that the server has written beside its database.
"""

import json
import re
import urllib.error
import urllib.request
from datetime import datetime
from functools import partial
from ipaddress import ip_address
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode, urlsplit

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid
from typer.core import TyperCommand

from motherlode.engine import Refusal

HERE = "http://127.0.0.1:8000"
PATIENCE = 60.0  # seconds until a server that does not answer is given up
WIDEST = 2000  # columns: an id that is cut off is of no use
UNITS = {"m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}
ID = re.compile(r"[A-Za-z0-9_-]{22}")
STATES = ("waiting", "running", "over", "closed")

app = typer.Typer(help="Look after a running server: its tables, its guests, and what its bots compute.")


class Server(NamedTuple):
    address: str
    token_file: Path | None

    def ask(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """What the server answers; a refusal is raised with its words."""
        given = {name: value for name, value in query.items() if value is not None}
        request = urllib.request.Request(
            f"{self.address}/api/admin{path}" + (f"?{urlencode(given)}" if given else ""),
            None if body is None else json.dumps(body).encode(),
            {"authorization": f"Bearer {find_token(self.token_file)}", "content-type": "application/json"},
            method=method,
        )
        is_secret = self.address.startswith("https:")  # only then may the token pass a proxy
        proxies = urllib.request.ProxyHandler(None if is_secret else {})
        opener = urllib.request.build_opener(NoRedirects, proxies)
        try:
            with opener.open(request, timeout=PATIENCE) as answer:
                return json.loads(answer.read() or "null")
        except urllib.error.HTTPError as error:
            raise Refusal(self.explain(error)) from None
        except (OSError, ValueError) as error:
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            where = "name another with --server URL" if self.address == HERE else "is the address right?"
            raise Refusal(f"no server answers at {self.address} ({reason}): {where}") from None

    def explain(self, error: urllib.error.HTTPError) -> str:
        try:
            said = json.loads(error.read())["no"]
        except (ValueError, KeyError, TypeError, OSError):
            return f"{self.address} is not a server of Motherlode: it answers {error.code}"
        if error.code != 401:
            return str(said)
        return (
            f"{self.address} does not take this token: it runs with another database or token; "
            "see --server, --token-file and MOTHERLODE_ADMIN_TOKEN"
        )


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A token is for one server only."""

    def redirect_request(self, *_: Any) -> None:
        return None


def find_token(file: Path | None) -> str:
    """The token: from the file given, from the environment, or from beside the database."""
    if file is None:
        from motherlode.server.admin_token import token_file
        from motherlode.server.settings import Settings

        settings = Settings.from_environment()
        if settings.admin_token:
            return settings.admin_token
        file = token_file(settings.database)
    if file is None:
        raise Refusal(
            "servers on PostgreSQL have no administration until they and you are given MOTHERLODE_ADMIN_TOKEN"
        )
    try:
        token = file.read_text("utf-8").strip()
    except FileNotFoundError:
        raise Refusal(
            f"there is no token in {file}: a server writes it there while it runs; for one elsewhere give "
            "--token-file FILE or MOTHERLODE_ADMIN_TOKEN, and for another database MOTHERLODE_DATABASE"
        ) from None
    except (OSError, ValueError) as error:
        raise Refusal(f"the token in {file} cannot be read: {error}") from None
    if not token or not token.isascii() or not token.isprintable():
        raise Refusal(f"{file} does not hold a token: a line of letters, digits and signs")
    return token


def check_address(address: str) -> str:
    """A token travels encrypted, or not at all."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Refusal(f"--server takes an address such as {HERE} or https://parlour.example, not {address!r}")
    try:
        is_here = ip_address(parts.hostname).is_loopback
    except ValueError:
        is_here = parts.hostname == "localhost"
    if parts.scheme == "http" and not is_here:
        raise Refusal(f"everybody on the way to {address} could read the token: use https, or a tunnel (ssh -L)")
    return address.rstrip("/")


class IdCommand(TyperCommand):
    """Takes ids that begin with a hyphen, as some do, without mistaking them for options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ids = [
            arg
            for before, arg in pairwise(["", *args])
            if arg.startswith("-") and ID.fullmatch(arg) and before not in ("--guest", "--table", "--reason")
        ]
        return super().parse_args(ctx, [*(arg for arg in args if arg not in ids), *(["--", *ids] if ids else [])])


command = partial(app.command, cls=IdCommand)


@app.callback()
def choose_server(
    context: typer.Context,
    server: Annotated[str, typer.Option(metavar="URL", envvar="MOTHERLODE_SERVER", help="where it is")] = HERE,
    token_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="its admin token; by default MOTHERLODE_ADMIN_TOKEN, or found")
    ] = None,
) -> None:
    context.obj = Server(check_address(server), token_file)


# What the commands share

TableId = Annotated[str, typer.Argument(metavar="TABLE", help="a table's id")]
GuestId = Annotated[str, typer.Argument(metavar="GUEST", help="a guest's id")]
For = Annotated[str, typer.Option("--for", metavar="TIME", help="how long: 30m, 2h, 7d or 4w")]
Reason = Annotated[str, typer.Option(metavar="TEXT", help="why; kept in the log")]
Yes = Annotated[bool, typer.Option("--yes", help="do not ask")]
Most = Annotated[int, typer.Option(min=1, max=10_000, help="list at most this many")]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON instead of a table")]


def read_time(written: str) -> int:
    """Seconds."""
    match = re.fullmatch(r"(\d{1,6})([mhdw])", written.strip())
    if not match or not int(match[1]):
        raise Refusal(f"--for takes a number and m, h, d or w, as in 30m, 2h, 7d or 4w, not {written!r}")
    return int(match[1]) * UNITS[match[2]]


def must_agree(question: str, yes: bool) -> None:
    if yes:
        return
    try:
        is_agreed = typer.confirm(question, err=True)
    except typer.Abort:  # there is nobody to ask
        is_agreed = False
    if not is_agreed:
        raise Refusal("nothing was done: answer y, or say --yes")


def moment(written: str | None) -> str:
    """A time of the server's as people write it, here."""
    return f"{datetime.fromisoformat(written).astimezone():%Y-%m-%d %H:%M}" if written else "-"


def path(kind: str, key: str, *verb: str) -> str:
    if not ID.fullmatch(key):
        raise Refusal(f"{key!r} is not the id of a {kind[:-1]}: `motherlode admin {kind}` lists them")
    return "/".join(["", kind, key, *verb])


class Printer:
    """Prints what was answered, as JSON or as tables."""

    def __init__(self, context: typer.Context, as_json: bool) -> None:
        self.server: Server = context.obj
        self.as_json = as_json
        self.out = Console(highlight=False, soft_wrap=True, width=WIDEST)

    def is_json(self, answer: Any) -> bool:
        if self.as_json:
            print(json.dumps(answer, indent=1))
        return self.as_json

    def grid(self, heads: str, rows: list[list[Any]]) -> None:
        grid = Grid(box=None, pad_edge=False)
        for head in heads.split(","):
            grid.add_column(head, no_wrap=True)
        for row in rows:
            grid.add_row(*(escape(plain(str(cell))) for cell in row))
        self.out.print(grid if rows else "none")

    def facts(self, facts: dict[str, Any]) -> None:
        for name, value in facts.items():
            self.out.print(f"{name:10} {escape(plain(str(value)))}")


def plain(words: str) -> str:
    """Names and lines of chat come from strangers: nothing in them may steer a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in words)


def player(seat: dict[str, Any]) -> str:
    if seat["guest"] is None:
        return str(seat["bot"] or "(open)")
    return str(seat["name"]) + (f" ({seat['bot']} plays)" if seat["bot"] else " (left)" if seat["left"] else "")


def table_rows(tables: list[dict[str, Any]]) -> list[list[Any]]:
    return [
        [
            table["id"],
            table["game"],
            table["state"],
            moment(table["made"]),
            moment(table["ended"]),
            ", ".join(player(seat) for seat in table["players"]),
        ]
        for table in tables
    ]


TABLE_HEADS = "table,game,state,made,ended,players"


# Tables


@command("tables")
def list_tables(
    context: typer.Context,
    state: Annotated[str | None, typer.Option(help=f"only those: {', '.join(STATES)}")] = None,
    guest: Annotated[str | None, typer.Option(metavar="GUEST", help="only those where this guest sits")] = None,
    most: Most = 100,
    as_json: AsJson = False,
) -> None:
    """List tables, the newest first."""
    if state is not None and state not in STATES:
        raise Refusal(f"--state takes {', '.join(STATES[:-1])} or {STATES[-1]}, not {state!r}")
    printer = Printer(context, as_json)
    answer = printer.server.ask("GET", "/tables", state=state, guest=guest, most=most)
    if not printer.is_json(answer):
        printer.grid(TABLE_HEADS, table_rows(answer["tables"]))


@command("table")
def show_table(context: typer.Context, table: TableId, as_json: AsJson = False) -> None:
    """Show a table: nothing of it that is hidden."""
    printer = Printer(context, as_json)
    answer = printer.server.ask("GET", path("tables", table))
    if printer.is_json(answer):
        return
    settings = {name: value for name, value in answer["settings"].items() if value not in (None, False, "", 0)}
    printer.facts(
        {
            "table": answer["id"],
            "game": answer["game"] + "".join(f" {name}={value}" for name, value in answer["options"].items()),
            "state": answer["state"],
            "made": f"{moment(answer['made'])} by {answer['maker']}",
            "begun": moment(answer["begun"]),
            "ended": moment(answer["ended"]),
            "settings": ", ".join(name if value is True else f"{name} {value}" for name, value in settings.items()),
            "chat": f"{answer['chat_lines']} lines",
        }
    )
    if answer["fault"]:
        printer.facts({"fault": answer["fault"]})
    else:
        printer.facts(
            {
                "actions": f"{answer['at']} that everybody was told of, the last one {moment(answer['moved'])}",
                "watching": answer["watchers"],
            }
        )
    present = answer["present"] or [False] * len(answer["players"])
    rows = [
        [seat["seat"], player(seat), seat["guest"] or "-", "yes" if present[seat["seat"]] else "no"]
        for seat in answer["players"]
    ]
    printer.grid("seat,player,guest,is there", rows)


@command()
def close(context: typer.Context, table: TableId, reason: Reason = "", yes: Yes = False) -> None:
    """End a game unfinished: nobody can act any more. What each seat was told stays readable."""
    must_agree(f"End the game at table {table} for good?", yes)
    context.obj.ask("POST", path("tables", table, "close"), {"reason": reason})
    print(f"table {table} is closed")


@command()
def delete_table(context: typer.Context, table: TableId, reason: Reason = "", yes: Yes = False) -> None:
    """Delete a table with its log and its chat."""
    must_agree(f"Delete table {table}, its log and its chat for good?", yes)
    context.obj.ask("DELETE", path("tables", table), reason=reason)
    print(f"table {table} is deleted")


# Guests


def guest_rows(guests: list[dict[str, Any]]) -> list[list[Any]]:
    return [
        [
            guest["id"],
            guest["name"],
            moment(guest["made"]),
            guest["tables"],
            moment(guest["banned"]),
            moment(guest["muted"]),
        ]
        for guest in guests
    ]


GUEST_HEADS = "guest,name,made,tables,banned until,muted until"


@command("guests")
def list_guests(
    context: typer.Context,
    name: Annotated[str | None, typer.Option(help="only those whose name contains this")] = None,
    most: Most = 100,
    as_json: AsJson = False,
) -> None:
    """List guests, the newest first."""
    printer = Printer(context, as_json)
    answer = printer.server.ask("GET", "/guests", name=name, most=most)
    if not printer.is_json(answer):
        printer.grid(GUEST_HEADS, guest_rows(answer["guests"]))


@command("guest")
def show_guest(context: typer.Context, guest: GuestId, as_json: AsJson = False) -> None:
    """Show a guest and its tables."""
    printer = Printer(context, as_json)
    answer = printer.server.ask("GET", path("guests", guest))
    if printer.is_json(answer):
        return
    printer.grid(GUEST_HEADS, guest_rows([answer]))
    if answer["ban_reason"]:
        printer.facts({"reason": answer["ban_reason"]})
    if answer["at_tables"]:
        printer.grid(TABLE_HEADS, table_rows(answer["at_tables"]))


@command()
def mute(context: typer.Context, guest: GuestId, time: For, reason: Reason = "") -> None:
    """Let a guest chat nowhere for a while."""
    context.obj.ask("POST", path("guests", guest, "mute"), {"seconds": read_time(time), "reason": reason})
    print(f"guest {guest} is muted for {time}")


@command()
def unmute(context: typer.Context, guest: GuestId, reason: Reason = "") -> None:
    """Let a guest chat again."""
    context.obj.ask("DELETE", path("guests", guest, "mute"), reason=reason)
    print(f"guest {guest} may chat")


@command()
def ban(
    context: typer.Context,
    guest: GuestId,
    time: For,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="why; the guest is told, and it is kept in the log")] = "",
) -> None:
    """Refuse a guest everything for a while. Others may give its seats to bots."""
    context.obj.ask("POST", path("guests", guest, "ban"), {"seconds": read_time(time), "reason": reason})
    print(f"guest {guest} is banned for {time}")


@command()
def unban(context: typer.Context, guest: GuestId, reason: Reason = "") -> None:
    """Let a guest in again."""
    context.obj.ask("DELETE", path("guests", guest, "ban"), reason=reason)
    print(f"guest {guest} may come again")


@command()
def export(context: typer.Context, guest: GuestId) -> None:
    """Print everything stored that belongs to a guest, as JSON."""
    print(json.dumps(context.obj.ask("GET", path("guests", guest, "export")), indent=1))


@command()
def delete_guest(context: typer.Context, guest: GuestId, reason: Reason = "", yes: Yes = False) -> None:
    """Delete a guest, what it said, and its games without other people; those with others stay, without its name."""
    must_agree(f"Delete guest {guest} for good?", yes)
    answer = context.obj.ask("DELETE", path("guests", guest), reason=reason)
    deleted, kept = answer["tables_deleted"], answer["tables_kept"]
    print(f"guest {guest} is deleted; tables of its own deleted: {deleted}, tables with others kept: {kept}")


# What the bots compute, and what was done


@command()
def queue(
    context: typer.Context,
    clear: Annotated[bool, typer.Option("--clear", help="drop what waits")] = False,
    guest: Annotated[str | None, typer.Option(metavar="GUEST", help="drop only what this guest asked for")] = None,
    table: Annotated[str | None, typer.Option(metavar="TABLE", help="drop only what this table asked for")] = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Show which bots and hints are computed or wait for it, or drop what waits."""
    printer = Printer(context, as_json)
    if clear:
        must_agree("Drop what waits? Bots ask again after a while, and people are told to.", yes)
        answer = printer.server.ask("DELETE", "/queue", guest=guest, table=table)
        if not printer.is_json(answer):
            print(f"questions dropped: {answer['cleared']}")
        return
    if guest or table:
        raise Refusal("--guest and --table say what to drop: add --clear")
    answer = printer.server.ask("GET", "/queue")
    if printer.is_json(answer):
        return
    rows = [
        [
            "computed" if asked["is_working"] else "waits",
            f"{asked['seconds']:.0f} s",
            asked["bot"] or "hint",
            asked["game"],
            asked["table"],
            asked["guest"],
        ]
        for asked in answer["questions"]
    ]
    printer.grid("state,for,bot,game,table,guest", rows)
    if answer["processes"] > 1:
        print(f"in process {answer['process']}, one of {answer['processes']}: ask again for another")


@command("log")
def show_log(context: typer.Context, most: Most = 100, as_json: AsJson = False) -> None:
    """Show what was done with these commands, the latest first."""
    printer = Printer(context, as_json)
    answer = printer.server.ask("GET", "/log", most=most)
    if not printer.is_json(answer):
        rows = [[moment(one["made"]), one["what"], one["whom"] or "-", one["reason"]] for one in answer["entries"]]
        printer.grid("when,what,whom,reason", rows)
