"""Metrics for Prometheus, and logs as lines of JSON. Neither contains a token, a secret, a name or an address."""

import json
import logging
import os
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from motherlode.server.parlour import Parlour

PLAIN = set(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


class Metrics:
    def __init__(self, parlour: "Parlour") -> None:
        self.registry = CollectorRegistry()
        self.actions = Counter("motherlode_actions", "actions stored", registry=self.registry)
        self.refusals = Counter("motherlode_refusals", "requests refused", ["why"], registry=self.registry)
        self.dropped = Counter(
            "motherlode_sockets_dropped", "sockets dropped because they did not read", registry=self.registry
        )
        self.requests = Histogram("motherlode_request_seconds", "time of a request", registry=self.registry)
        gauges = {
            "motherlode_tables": ("tables in memory", lambda: len(parlour.tables)),
            "motherlode_sockets": (
                "open sockets",
                lambda: sum(len(t.presence.listeners) for t in parlour.tables.values()),
            ),
            "motherlode_questions": (
                "questions to bots, and for hints, that wait for a worker",
                lambda: len(parlour.bot_workers.waiting),
            ),
            "motherlode_thinking_core_seconds": (
                "core time that bots and hints have taken",
                lambda: parlour.bot_workers.core_seconds,
            ),
            "motherlode_commits": ("transactions committed", lambda: parlour.storage.commits),
            "motherlode_commit_seconds": ("time spent on them", lambda: parlour.storage.commit_seconds),
            "motherlode_writes_waiting": ("writes that wait for a commit", parlour.storage.jobs.qsize),
            "motherlode_process": ("which of several processes answers: its number", os.getpid),
        }
        for name, (meaning, value) in gauges.items():
            Gauge(name, meaning, registry=self.registry).set_function(value)

    def text(self) -> bytes:
        return generate_latest(self.registry)


class JsonLines(logging.Formatter):
    """One JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        line = {"time": self.formatTime(record), "level": record.levelname.lower(), "message": record.getMessage()}
        line |= {key: value for key, value in vars(record).items() if key not in PLAIN}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def set_up_logs(level: str = "INFO") -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    for name, least in (("motherlode", level), ("uvicorn", "WARNING")):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.setLevel(least)
        logger.propagate = False
