"""A parlour as a program at home sees it: its requests, the guest it knows us as, and our part in the shuffle.

docs/api.md describes all of it. What is kept (tokens, and what was seen of a table) lies in the user's data folder,
readable for its owner alone.
"""

import hashlib
import json
import os
import re
import secrets
import tempfile
import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import platformdirs
from websockets.sync.client import ClientConnection, connect

from motherlode.engine import Refusal

NEWCOMER = "Newcomer"  # whoever has given no name
PATIENCE = 30.0  # seconds for an answer
WRITTEN = "the link of a table is written http://HOST:PORT/table/ID, and an invitation http://HOST:PORT/table/ID#seat=…"
SEALS = ("place", "commitment", "commitments", "mine", "opened", "shares")


class Refused(Refusal):
    """The parlour's own words, and its status."""

    def __init__(self, words: str, status: int) -> None:
        super().__init__(words)
        self.status = status

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.status)


def is_link(what: str) -> bool:
    return what.lower().startswith(("http://", "https://"))


def data_folder() -> Path:
    return Path(platformdirs.user_data_dir("motherlode"))


def write_private(path: Path, content: str) -> None:
    """Write a file that only its owner can read; an existing one is replaced as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    number, half = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # it has mode 0600
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(content)
        Path(half).replace(path)
    except BaseException:
        Path(half).unlink(missing_ok=True)
        raise


def read_private(path: Path) -> dict[str, Any]:
    """What was kept, or nothing if there is nothing, or nothing that can be read."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


class Parlour:
    """One table's parlour, by the table's link."""

    def __init__(self, link: str) -> None:
        parts = urlsplit(link.strip())
        found = re.fullmatch(r"/table/([\w-]{1,64})(?:/text)?/?", parts.path)
        if not parts.netloc or not found or "@" in parts.netloc:
            raise Refusal(f"{link[:200]} is not the link of a table: {WRITTEN}")
        self.server = f"{parts.scheme.lower()}://{parts.netloc.lower()}"
        self.table = found[1]
        invited = re.fullmatch(r"seat=(\d)&code=([\w-]{1,64})", parts.fragment)
        self.seat: int | None = int(invited[1]) if invited else None
        self.code: str | None = invited[2] if invited else None
        self.is_to_watch = parts.fragment == "watch"
        self.token = ""

    @property
    def link(self) -> str:
        """The table's own, for whoever has a seat there."""
        return f"{self.server}/table/{self.table}"

    # Requests

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> bytes:
        """A request; a refusal is raised in the parlour's own words."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server + path, data, method=method)
        request.add_header("Content-Type", "application/json")
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                content: bytes = answer.read()
                return content
        except urllib.error.HTTPError as error:
            raise Refused(words_of_refusal(error.read(), error.code), error.code) from None
        except (OSError, HTTPException) as error:
            why = getattr(error, "reason", error)
            raise Refused(f"no parlour answers at {self.server}: {why}", 0) from None

    def get(self, path: str) -> Any:
        return read_json(self.ask("GET", path), self.server)

    def post(self, path: str, **body: Any) -> Any:
        return read_json(self.ask("POST", path, body), self.server)

    def at_table(self, path: str = "") -> str:
        return f"/api/tables/{self.table}{path}"

    def open(self, seat: int | None, since: int) -> ClientConnection:
        """A socket at the table, from a seat or as a spectator, that also describes the position."""
        query = f"?described=1&since={since}" + ("" if seat is None else f"&seat={seat}")
        address = self.server.replace("http", "ws", 1) + self.at_table("/socket") + query
        headers = {"Authorization": f"Bearer {self.token}"}
        return connect(address, additional_headers=headers, open_timeout=PATIENCE, max_size=None)

    # Who we are

    def be_guest(self, name: str | None) -> str:
        """The guest that this parlour knows us as, made if there is none yet, renamed if asked; its name."""
        path = data_folder() / "guests.json"
        kept = read_private(path)
        self.token = str(kept.get(self.server, {}).get("token", ""))
        if self.token:
            try:
                known = str(self.get("/api/guests/me")["name"])
            except Refused as no:
                if no.status != 401:
                    raise
                self.token = ""
            else:
                if name and name != known:
                    known = str(read_json(self.ask("PATCH", "/api/guests/me", {"name": name}), self.server)["name"])
                return known
        keys = self.post("/api/guests", name=name or NEWCOMER)
        self.token = str(keys["token"])
        write_private(path, json.dumps({**kept, self.server: {"token": self.token, "recovery": keys["recovery"]}}))
        return str(keys["name"])


def words_of_refusal(body: bytes, status: int) -> str:
    """What a parlour says; whoever answers otherwise is none."""
    try:
        return str(json.loads(body)["no"])
    except (ValueError, KeyError, TypeError):
        return f"that is no parlour of Motherlode: it answers with status {status}"


def read_json(body: bytes, server: str) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        raise Refusal(f"{server} is no parlour of Motherlode: its answer is not JSON") from None


class Part:
    """Our part in the shuffle, and what we saw of the table: `motherlode verify --seen` reads it."""

    def __init__(self, parlour: Parlour, seat: int | None) -> None:
        self.parlour, self.seat = parlour, seat
        self.path = data_folder() / "seen" / f"{parlour.table}.{'watch' if seat is None else seat}.json"
        kept = read_private(self.path)
        self.given, self.seen = kept.get("given", 0), kept.get("seen", [])

    def last_head(self) -> dict[str, Any] | None:
        return next((entry for entry in reversed(self.seen) if "link" in entry), None)

    def entry(self, seal: dict[str, Any]) -> dict[str, Any]:
        """What was seen of a seal."""
        known = next((one for one in self.seen if one.get("commitment") == seal["commitment"]), None)
        if known is None:
            known = dict(zip(SEALS, (seal["place"], seal["commitment"], [], None, False, None), strict=True))
            self.seen.append(known)
        return known

    def note(self, message: dict[str, Any]) -> None:
        """Keep what a message shows: hashes before anybody opens their bytes, then the bytes, and the log's chain."""
        was = json.dumps(self.seen)
        if not self.seen:
            self.given = message["given"]
        seal, entry = message["seal"], self.entry(message["seal"])
        if seal["stage"] == "open" and not entry["commitments"]:
            entry["commitments"] = seal["commitments"]
        if seal["shares"] and not entry["shares"]:
            entry["shares"] = seal["shares"]
        head, last = message["head"], self.last_head()
        if head and head["link"] != (last or {}).get("link"):
            self.seen.append(head)
        if json.dumps(self.seen) != was:
            self.keep()

    def take(self, message: dict[str, Any]) -> None:
        """Commit to bytes, or open them, if it is time. Whoever is too late is left out, and the record says so."""
        if self.seat is None:
            return
        seal, entry = message["seal"], self.entry(message["seal"])
        path = self.parlour.at_table(f"/seats/{self.seat}")
        try:
            if seal["stage"] == "commit" and seal["commitments"][self.seat] is None:
                if not entry["mine"] or entry["opened"]:
                    entry["mine"] = secrets.token_hex(32)
                entry["opened"] = False
                self.keep()
                self.parlour.post(f"{path}/take", commitment=hash_of(entry["mine"]))
            elif seal["stage"] == "open" and self.seat in seal["awaited"] and self.has_committed(seal, entry):
                self.parlour.post(f"{path}/open", share=entry["mine"])
                entry["opened"] = True
                self.keep()
        except Refusal:
            pass  # the next message tries again, if there is still time

    def has_committed(self, seal: dict[str, Any], entry: dict[str, Any]) -> bool:
        return bool(entry["mine"]) and seal["commitments"][self.seat] == hash_of(entry["mine"])

    def written(self) -> str:
        return json.dumps({"table": self.parlour.table, "seat": self.seat, "given": self.given, "seen": self.seen})

    def keep(self) -> None:
        write_private(self.path, self.written())


def hash_of(share: str) -> str:
    """The hash that commits to bytes in hex."""
    return hashlib.sha256(bytes.fromhex(share)).hexdigest()
