"""A PostgreSQL of the tests' own. Where it is not installed the tests that need it fail."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg

from motherlode.server import temporary_postgres


class Running(str):
    """The address of a server that a test may stop, and start again."""

    start: Callable[[], None]
    stop: Callable[[], None]


@contextmanager
def running() -> Iterator[Running]:
    """The address of a server; append a database's name."""
    with temporary_postgres.running(is_safe=False) as server:
        running = Running(server.address)
        running.start, running.stop = server.start, server.stop
        yield running


def new_database(address: str, name: str) -> str:
    with psycopg.connect(address.format(name="postgres"), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return address.format(name=name)
