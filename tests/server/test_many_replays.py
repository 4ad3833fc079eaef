"""Replays cost the server more than anything else that a visitor asks for: nobody slows the others down with them."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from support.local_server import Visitor, serving

from motherlode.server import messages


def test_replays_are_made_one_after_the_other_and_not_too_often(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    making, most = 0, 0
    lock, replay = threading.Lock(), messages.replay

    def count(*asked: Any, **more: Any) -> Any:
        nonlocal making, most
        with lock:
            making += 1
            most = max(most, making)
        try:
            return replay(*asked, **more)
        finally:
            with lock:
                making -= 1

    monkeypatch.setattr(messages, "replay", count)
    with serving(database, replays=(20, 60.0)) as server, Visitor(server, "Ada") as ada:
        table = ada.make("goldmine", "random", "random", options={"target": 0})["id"]
        while not ada.get(f"/api/tables/{table}/now", after=1000)["result"]:
            pass
        record = ada.http.get(f"/api/tables/{table}/record").text
        asked = [
            lambda: ada.http.get(f"/api/tables/{table}/replay"),
            lambda: ada.http.post("/api/records", json={"record": record}),
        ]
        with ThreadPoolExecutor(8) as pool:
            answers = [answer.status_code for answer in pool.map(lambda k: asked[k % 2](), range(40))]
        assert answers == 40 * [200] and most == 1
        refused = ada.http.get(f"/api/tables/{table}/replay")
        assert refused.status_code == 429 and "too many replays" in refused.json()["no"]
