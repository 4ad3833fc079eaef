"""Every documented setting works from the environment alone, and a bad value is refused in one sentence."""

import os
import re
import signal
import sqlite3
from dataclasses import fields
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from support.command_line import Run
from support.local_server import PATIENCE
from support.server_process import Process, free_port
from typer.testing import CliRunner

from motherlode import cli
from motherlode.engine import Refusal
from motherlode.server import processes, serve
from motherlode.server.settings import Settings, environment_names, own_database, read, variable

DOCUMENT = Path(__file__).parents[2] / "docs" / "server.md"

RATES = (
    *("sockets", "messages", "chats", "spectator_chats", "requests"),
    *("guests", "tables", "uploads", "replays", "reviews", "tries"),
)

# For every setting a value that is not its default: as text, and as read.
OTHERS: dict[str, tuple[str, Any]] = {
    "database": ("sqlite:///{folder}/other.db", "sqlite:///{folder}/other.db"),
    "bots": ("3", 3) if Settings.bots != 3 else ("4", 4),
    "pace": ("0", 0.0),
    "strongest_bot": ("77", 77),
    "thinking_time": ("0.5", 0.5),
    "substitute": ("random", "random"),
    "gone_after": ("0", 0.0),
    "seal_wait": ("0", 0.0),
    "wait": ("1.5", 1.5),
    "slow_client": ("7", 7.0),
    "tables_in_memory": ("5", 5),
    "busy_tables": ("8", 8),
    "busy_tables_per_address": ("4", 4),
    "chat_lines": ("6", 6),
    "spectator_lines": ("7", 7),
    "store_timeout": ("0.5", 0.5),
    "heartbeat": ("0.25", 0.25),
    "lease_retry": ("9", 9.0),
    "connections": ("50", 50),
    "connections_per_address": ("5", 5),
    "head_timeout": ("2.5", 2.5),
    "body_timeout": ("3", 3.0),
    "largest_head": ("2000", 2000),
    "largest_body": ("1000", 1000),
    "largest_record": ("3000", 3000),
    "records_at_once": ("2", 2),
    "largest_message": ("100", 100),
    **dict.fromkeys(RATES, ("3/60", (3, 60.0))),
    "reviews_waiting": ("7", 7),
    "visitors_per_address": ("2", 2),
    "proxies": ("192.0.2.1 2001:db8::/32", (ip_network("192.0.2.1/32"), ip_network("2001:db8::/32"))),
    "hosts": ("A.example b.example", ("a.example", "b.example")),
    "origins": ("https://a.example http://b.example:8080", ("https://a.example", "http://b.example:8080")),
    "metrics_token": ("a-horse-that-counts-to-ten", "a-horse-that-counts-to-ten"),
    "secure_cookie": ("1", True),
    "retention": ("90", 90.0),
    "admin_token": ("correct-horse-battery-staple", "correct-horse-battery-staple"),
}
BAD: dict[str, list[str]] = {
    "database": ["parlour.db", "mysql://host/name", "sqlite://", " "],
    "bots": ["0", "-1", "many", "1.5", ""],
    "pace": ["-1", "nan", "inf", "fast"],
    "strongest_bot": ["0", "x"],
    "thinking_time": ["0", "-1", "long"],
    "substitute": ["nobody", "cmd:true", "py:os:abort", "search:999999", " "],
    "gone_after": ["-1", "soon"],
    "seal_wait": ["-1", "never"],
    "wait": ["0", "nan"],
    "slow_client": ["0", "-3"],
    "tables_in_memory": ["0", "all"],
    "busy_tables": ["0", "1.5"],
    "busy_tables_per_address": ["0", "x"],
    "chat_lines": ["0", "x"],
    "spectator_lines": ["0", "x"],
    "store_timeout": ["0", "x"],
    "heartbeat": ["0", "x"],
    "lease_retry": ["0", "x"],
    "connections": ["0", "x"],
    "connections_per_address": ["0", "x"],
    "head_timeout": ["0", "x"],
    "body_timeout": ["0", "x"],
    "largest_head": ["0", "x"],
    "largest_body": ["0", "1k"],
    "largest_record": ["0", "x"],
    "records_at_once": ["0", "x"],
    "largest_message": ["0", "x"],
    **{name: ["many", "0/60", "10", "10/0", "10/nan", "-1/5"] for name in RATES},
    "reviews_waiting": ["0", "all"],
    "visitors_per_address": ["0", "x"],
    "proxies": ["localhost", "1.2.3", "10.0.0.1/8"],
    "hosts": ["https://a.example", "a.example:80", "a b/c", "*.example"],
    "origins": ["a.example", "https://", "https://a.example/path"],
    "metrics_token": ["", "short", "a token with spaces in it"],
    "secure_cookie": ["yes", "true", "2"],
    "retention": ["-1", "nan", "forever"],
    "admin_token": [" ", "short", "a token with spaces in it", "naïve-tokens-are-not-it"],
}


class Served(Exception):
    """The program has come to the point where it would serve."""


@pytest.fixture(autouse=True)
def nothing_is_served_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def create(settings: Settings) -> FastAPI:
        raise Served(settings)

    monkeypatch.setattr(serve, "create_app", create)


@pytest.fixture
def settings_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The settings that `motherlode serve` would serve with; or what it says and its exit status."""
    monkeypatch.setattr(serve, "set_up_logs", lambda level: None)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for name in environment_names():
        monkeypatch.delenv(variable(name), raising=False)

    def settings() -> Settings:
        done = CliRunner().invoke(cli.app, ["serve", "--port", str(free_port())])
        assert isinstance(done.exception, Served), done.exception
        found = done.exception.args[0]
        assert isinstance(found, Settings)
        return found

    return settings


def test_every_setting_is_documented_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]*?) \|", DOCUMENT.read_text("utf-8"), re.MULTILINE))
    defaults = Settings()
    assert list(rows) == environment_names() == list(OTHERS) == list(BAD)
    for name, written in rows.items():
        if name not in ("database", "bots", "proxies", "hosts", "origins", "metrics_token", "admin_token"):
            assert read(name, written, getattr(defaults, name)) == getattr(defaults, name), name


def test_only_the_clock_is_not_a_setting_of_the_environment() -> None:
    assert {entry.name for entry in fields(Settings)} - set(environment_names()) == {"clock"}


@pytest.mark.parametrize("name", environment_names())
def test_a_setting_works_from_the_environment_alone(
    settings_of: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    written, value = OTHERS[name]
    if name == "database":
        written = value = written.format(folder=tmp_path)
    assert getattr(settings_of(), name) == getattr(Settings(), name) != value
    monkeypatch.setenv(variable(name), written)
    assert getattr(settings_of(), name) == value


@pytest.mark.parametrize(("name", "written"), [(name, written) for name in BAD for written in BAD[name]])
def test_a_bad_value_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch, name: str, written: str) -> None:
    monkeypatch.setenv(variable(name), written)
    ran = run("serve", "--port", free_port())
    (line,) = ran.err.splitlines()
    assert ran.status == 2 and line.startswith("motherlode: "), line


def test_the_environment_names_the_database_of_the_real_program(tmp_path: Path) -> None:
    file = tmp_path / "named.db"
    with Process(None, MOTHERLODE_DATABASE=f"sqlite:///{file}", XDG_DATA_HOME=str(tmp_path)) as process:
        with process.visitor("Ada") as ada:
            assert ada.get("/ready")["status"] == "ok"
        assert file.exists() and not (tmp_path / "motherlode").exists()


def test_the_option_goes_before_the_environment(tmp_path: Path) -> None:
    one, two = tmp_path / "one.db", tmp_path / "two.db"
    with Process(f"sqlite:///{one}", MOTHERLODE_DATABASE=f"sqlite:///{two}"):
        assert one.exists() and not two.exists()


def test_without_a_name_the_database_is_in_the_users_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert Settings.from_environment().database == own_database()


# A database that cannot be used


@pytest.mark.parametrize(
    ("database", "workers"),
    [
        ("postgresql://nobody@127.0.0.1:1/none", "1"),
        ("postgresql://nobody@127.0.0.1:1/none", "2"),
        ("postgresql://nobody@/none?host=/nowhere", "1"),
        ("sqlite:////proc/none/x.db", "1"),
    ],
)
def test_an_unreachable_database_is_one_sentence(run: Run, database: str, workers: str) -> None:
    ran = run("serve", "--port", free_port(), "--database", database, "--workers", workers)
    (line,) = ran.err.splitlines()
    assert ran.status == 2 and ran.out == ""
    assert line.startswith("motherlode: the database ") and " cannot be used: " in line


def test_a_database_of_a_newer_version_is_one_sentence(run: Run, tmp_path: Path) -> None:
    database = tmp_path / "parlour.db"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        connection.execute("INSERT INTO alembic_version VALUES ('9999')")
    connection.close()
    ran = run("serve", "--port", free_port(), "--database", f"sqlite:///{database}")
    assert (
        ran.status == 2
        and ran.err == "motherlode: the database cannot be used: a newer version of Motherlode made it\n"
    )


# Signals and priorities


def test_a_signal_to_the_whole_process_group_is_a_quiet_stop(tmp_path: Path) -> None:
    """As a terminal or a service manager sends it: to the bot workers as well, even to one that has just started."""
    with Process(f"sqlite:///{tmp_path}/parlour.db") as process:
        os.killpg(process.child.pid, signal.SIGTERM)
        assert process.child.wait(PATIENCE) == 0
        assert process.child.stdout is not None
        said = [*process.said, *process.child.stdout]
    assert not [line for line in said if '"level": "info"' not in line and "Motherlode is at" not in line]


def test_a_system_without_priorities_is_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "nice")
    monkeypatch.delattr(signal, "pthread_sigmask")
    processes.lower_priority()
    with processes.stop_signals_held():
        pass


def test_settings_from_code_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTHERLODE_TABLES", "3/60")
    assert Settings.from_environment(database="sqlite://").tables == (3, 60.0)
    assert Settings.from_environment(tables=(4, 5.0)).tables == (4, 5.0)
    monkeypatch.setenv("MOTHERLODE_TABLES", "many")
    with pytest.raises(Refusal, match="MOTHERLODE_TABLES is 'many'; a correct value would be 60/3600"):
        Settings.from_environment()
