"""The token of `motherlode admin`: a setting, or a file beside the SQLite database that only its owner may read."""

import contextlib
import os
import secrets
import tempfile
from pathlib import Path

from motherlode.server.settings import Settings
from motherlode.server.storage import is_postgresql, read_address


def token_file(database: str) -> Path | None:
    """Where a server on this database keeps its token; a PostgreSQL has no place that all its servers can read."""
    name = read_address(database).database
    return None if is_postgresql(database) or not name else Path(f"{name}.admin-token")


def make_token(settings: Settings) -> str | None:
    """The token of a server that starts. None: it has no administration."""
    if settings.admin_token:
        return settings.admin_token
    file, token = token_file(settings.database), secrets.token_urlsafe(32)
    if file is None:
        return None
    handle, written = tempfile.mkstemp(dir=file.parent, prefix=file.name)  # only its owner may read it
    with os.fdopen(handle, "w") as out:
        out.write(token + "\n")
    Path(written).replace(file)
    return token


def remove_token(settings: Settings, token: str) -> None:
    """The server stops: its token opens nothing any more."""
    file = None if settings.admin_token else token_file(settings.database)
    with contextlib.suppress(OSError):
        if file and file.read_text().strip() == token:
            file.unlink()
