"""A server whose disk fails to sync every commit from when the file named by UNSYNCED_WHEN exists."""

import os
import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

from motherlode import cli

REAL: Any = SQLiteDialect_pysqlite.do_commit


def do_commit(dialect: Any, connection: Any) -> None:
    if Path(os.environ["UNSYNCED_WHEN"]).exists():
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode, error.sqlite_errorname = sqlite3.SQLITE_IOERR_FSYNC, "SQLITE_IOERR_FSYNC"
        raise error
    REAL(dialect, connection)


if __name__ == "__main__":
    setattr(SQLiteDialect_pysqlite, "do_commit", do_commit)  # noqa: B010 - the type checker would refuse the assignment
    cli.main()
