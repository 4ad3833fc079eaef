"""Whoever runs the server of a test: the command line and plain requests, with its token."""

import json
import tempfile
from pathlib import Path
from typing import Any

import httpx
from websockets.exceptions import ConnectionClosed

from support.command_line import Ran, Run
from support.local_server import PATIENCE, Page, Server


class Administrator:
    def __init__(self, server: Server, run: Run) -> None:
        self.server, self.run = server, run
        self.token = server.app.state.administration.token
        self.http = httpx.Client(base_url=f"{server.url}/api/admin", timeout=PATIENCE, verify=False)
        self.http.headers["authorization"] = f"Bearer {self.token}"
        self.file = Path(tempfile.mkdtemp()) / "token"
        self.file.write_text(f"{self.token}\n")

    def command(self, *words: object, stdin: str = "") -> Ran:
        return self.run("admin", "--server", self.server.url, "--token-file", self.file, *words, stdin=stdin)

    def does(self, *words: object) -> str:
        """A command that succeeds; what it prints."""
        ran = self.command(*words)
        assert ran.status == 0 and ran.err == "", ran
        return ran.out

    def sees(self, *words: object) -> Any:
        """A command that succeeds; its JSON."""
        return json.loads(self.does(*words, *(() if words[0] == "export" else ("--json",))))

    def is_refused(self, *words: object) -> str:
        ran = self.command(*words)
        (line,) = ran.err.splitlines()
        assert ran.status == 2 and ran.out == "" and line.startswith("motherlode: "), ran
        return line.removeprefix("motherlode: ")


def reason_of_close(page: Page) -> str:
    """Why the server closes a page, whatever it says before."""
    try:
        while True:
            page.take()
    except ConnectionClosed as closed:
        return closed.rcvd.reason if closed.rcvd else ""
