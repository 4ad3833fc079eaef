"""Who is let in to `motherlode admin`, where it finds its token, and what the command refuses."""

import os
import re
import stat
import tempfile
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.administrator import Administrator
from support.command_line import Run
from support.local_server import Server, Visitor, serving, settings_for

from motherlode.server.admin import Administration
from motherlode.server.admin_token import make_token, remove_token
from motherlode.server.rate_limit import RateLimit

# The token


def test_only_its_owner_can_read_the_token(tmp_path: Path) -> None:
    settings, file = settings_for(f"sqlite:///{tmp_path}/parlour.db"), tmp_path / "parlour.db.admin-token"
    file.write_text("an old one, that everybody can read")
    file.chmod(0o644)
    token = make_token(settings)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 or os.name == "nt"
    assert token and token == file.read_text().strip() and len(token) >= 43 and make_token(settings) != token
    remove_token(settings, token)
    assert file.exists(), "it is another server's now"
    remove_token(settings, file.read_text().strip())
    assert not list(tmp_path.iterdir())


def test_a_token_of_ones_own_is_not_written(tmp_path: Path) -> None:
    settings = settings_for(f"sqlite:///{tmp_path}/parlour.db", admin_token="of-my-own-choosing-123456")
    assert make_token(settings) == settings.admin_token and not list(tmp_path.iterdir())
    assert settings.admin_token not in repr(settings)


def test_without_a_token_nobody_is_let_in(
    server: Server, host: Administrator, ada: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on PostgreSQL without the setting, or where it could not be written."""
    monkeypatch.setattr(server.app.state.administration, "token", None)
    for given in ("Bearer", "Bearer None", f"Bearer {host.token}"):
        assert ada.http.get("/api/admin/tables", headers={"authorization": given}).status_code == 401
    assert make_token(settings_for("postgresql://host/name")) is None


def test_a_folder_without_room_for_the_token_is_no_obstacle(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "mkstemp", full)
    administration = Administration(server.parlour, server.app.state.limits["guests"])
    administration.open()
    assert administration.token is None


def attacks(host: Administrator, ada: Visitor) -> dict[str, dict[str, Any]]:
    bearer = {"authorization": f"Bearer {host.token}"}
    return {
        "nothing": {},
        "an empty token": {"headers": {"authorization": "Bearer"}},
        "a wrong token": {"headers": {"authorization": f"Bearer {host.token[:-1]}"}},
        "a longer token": {"headers": {"authorization": f"Bearer {host.token}x"}},
        "a guest's token": {"headers": {"authorization": ada.http.headers["authorization"]}},
        "the token in another scheme": {"headers": {"authorization": f"Basic {host.token}"}},
        "the token in a cookie": {"headers": {"cookie": f"motherlode={host.token}"}},
        "the token in the address": {"params": {"token": host.token}},
        "a page of the server's own": {"headers": {**bearer, "origin": host.server.url}},
        "another page": {"headers": {**bearer, "origin": "https://elsewhere.example"}},
        "an empty origin": {"headers": {**bearer, "origin": ""}},
    }


def operations(server: Server) -> list[tuple[str, str]]:
    paths = server.app.openapi()["paths"]
    return [(m, re.sub(r"{\w+}", "x" * 22, p)) for p in paths if p.startswith("/api/admin") for m in paths[p]]


def test_nobody_else_is_let_in(server: Server, host: Administrator, ada: Visitor) -> None:
    """Whatever is asked and whether it exists: the same words for everybody."""
    key, asked = ada.make("goldmine", "me", "random")["id"], operations(server)
    assert len(asked) >= 15
    answers = set()
    with httpx.Client(base_url=server.url, verify=False) as stranger:
        for method, path in [*asked, ("get", f"/api/admin/tables/{key}"), ("delete", f"/api/admin/tables/{key}")]:
            for how in attacks(host, ada).values():
                answer = stranger.request(method, path, **how)
                if answer.status_code == 403:  # a foreign Origin, and not to read: refused before
                    assert "origin" in how["headers"]
                    continue
                answers.add((answer.status_code, answer.text))
        malformed = stranger.post(f"/api/admin/tables/{key}/close", content="{", headers={"origin": server.url})
        answers.add((malformed.status_code, malformed.text))
    assert len(answers) == 1 and answers.pop()[0] == 401
    assert host.sees("table", key)["state"] == "running"


def test_guessing_is_slow_and_locks_nobody_out(
    server: Server, host: Administrator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        server.app.state.administration, "attempts", RateLimit("guests", (10, 60.0), server.parlour.now)
    )
    with httpx.Client(base_url=server.url, verify=False) as stranger:
        tried = [stranger.get("/api/admin/tables").status_code for _ in range(12)]
    assert tried == [401] * 10 + [429] * 2
    assert host.http.get("/tables").status_code == 200


# The command line


def test_it_works_without_settings_on_the_same_machine(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The token is found beside the user's own database."""
    database = tmp_path / "data" / "motherlode" / "parlour.db"
    assert "there is no token in" in run("admin", "tables").err
    with serving(f"sqlite:///{database}") as server:
        monkeypatch.setenv("MOTHERLODE_SERVER", server.url)
        assert run("admin", "tables").out == "none\n"
        monkeypatch.setenv("MOTHERLODE_ADMIN_TOKEN", "that-of-another-server")
        assert "does not take this token" in run("admin", "tables").err


def test_commands_that_cannot_be(
    host: Administrator, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for time in ("2", "h", "0h", "-2h", "2 hours", "1e3h"):
        assert "as in 30m, 2h, 7d or 4w" in host.is_refused("ban", "x" * 22, "--for", time)
    assert "less than or equal" in host.is_refused("ban", "x" * 22, "--for", "999999w")
    assert "--state takes waiting, running, over or closed" in host.is_refused("tables", "--state", "all")
    assert host.is_refused("guest", "x" * 22) == host.is_refused("export", "x" * 22) == "there is no such guest"
    for key in ("../guests", "x" * 21, ""):
        assert "`motherlode admin tables` lists them" in host.is_refused("close", key, "--yes")
    assert "at most 200" in host.is_refused("close", "x" * 22, "--yes", "--reason", "x" * 201)
    for address, said in (
        ("http://parlour.example", "could read the token"),
        ("http://192.0.2.7:8000", "could read the token"),
        ("parlour", "--server takes an address"),
        ("ftp://parlour.example", "--server takes an address"),
        ("http://127.0.0.1:1", "no server answers at http://127.0.0.1:1"),
    ):
        ran = run("admin", "--server", address, "--token-file", host.file, "tables")
        assert ran.status == 2 and said in ran.err, ran
    ran = run("admin", "--server", host.server.url, "--token-file", tmp_path, "tables")
    assert ran.status == 2 and "cannot be read" in ran.err
    monkeypatch.setenv("MOTHERLODE_DATABASE", "postgresql://host/name")
    assert "MOTHERLODE_ADMIN_TOKEN" in run("admin", "tables").err


def test_the_token_passes_no_proxy(host: Administrator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    host.does("tables")
