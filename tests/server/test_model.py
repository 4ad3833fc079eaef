"""Many clients at once against a model (Hypothesis): what the model says is what is stored and shown."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule
from support import local_server
from support.local_server import Server, Visitor
from websockets.exceptions import ConnectionClosed

from motherlode import engine, text
from motherlode.engine import Refusal
from motherlode.server.live_table import LiveTable
from motherlode.server.schema import LOG
from motherlode.table import Table

EXAMPLES = 400  # of the long run
TABLES: tuple[tuple[str, dict[str, int]], ...] = (("goldmine", {"target": 0}), ("china_gold", {}))
OFF = st.sampled_from([0, 0, 0, 0, -1, 1, 50])  # how far an action is from the place in the log where it belongs


class Parlour(RuleBasedStateMachine):
    """Three visitors at two tables with any number of pages; what the model says is what is stored and shown."""

    server: Server
    tally: Counter[str]  # what was done
    pages = Bundle("pages")

    @initialize(target=pages)
    def open_tables(self) -> Any:
        self.visitors = [Visitor(self.server, name) for name in ("Ada", "Bob", "Eve")]
        self.owners: list[list[int]] = []
        self.keys: list[str] = []
        self.models: list[Table] = []
        self.last: dict[int, dict[str, Any]] = {}
        self.open_pages: list[Any] = []
        for number, (game, options) in enumerate(TABLES):
            card = self.visitors[0].make(game, "me", "link", options=options)
            self.visitors[1].take(card["id"], 1, code=card["links"][0]["code"])
            table = self.server.parlour.tables[card["id"]]
            played = text.Played(table.game, 2, table.core.options, list(table.core.log))
            self.models.append(Table.replay(played, chance=table.core.chance.copy()))
            self.keys.append(card["id"])
            self.owners.append([0, 1])
            assert number == len(self.keys) - 1
        return multiple(*(self.open(number, seat) for number in range(2) for seat in range(2)))

    def open(self, number: int, seat: int) -> Any:
        page = self.visitors[self.owners[number][seat]].open(self.keys[number], seat)
        entry = (page, number, seat, self.owners[number][seat])
        self.open_pages.append(entry)
        return entry

    def is_lost(self, entry: Any) -> bool:
        page, number, seat, owner = entry
        return bool(page.is_closed or self.owners[number][seat] != owner)

    @rule(target=pages, number=st.integers(0, 1), seat=st.integers(0, 1))
    def open_another_tab(self, number: int, seat: int) -> Any:
        return self.open(number, seat)

    @rule(entry=pages, off=OFF, pick=st.integers(0, 80), is_legal=st.booleans())
    def act(self, entry: Any, off: int, pick: int, is_legal: bool) -> None:
        if self.is_lost(entry):
            return
        _, number, seat, _ = entry
        model = self.models[number]
        legal = model_legal(model)
        action = legal[pick % len(legal)] if is_legal and legal and model.turn == seat else pick
        self.send(entry, {"do": "act", "at": max(0, model.at + off), "action": action})
        self.last[number] = {"do": "act", "at": max(0, model.at + off), "action": action}

    @rule(number=st.integers(0, 1), tab=st.integers(0, 3), pick=st.integers(0, 80), off=OFF)
    def play_on(self, number: int, tab: int, pick: int, off: int) -> None:
        """Whoever's turn it is acts, from any of its pages, one of which may be behind."""
        model = self.models[number]
        legal = model_legal(model)
        mine = [entry for entry in self.open_pages if entry[1:3] == (number, model.turn)]
        if mine and legal:
            self.last[number] = {"do": "act", "at": max(0, model.at + off), "action": legal[pick % len(legal)]}
            self.send(mine[tab % len(mine)], self.last[number])

    @rule(entry=pages)
    def replay_what_another_sent(self, entry: Any) -> None:
        if not self.is_lost(entry) and entry[1] in self.last:
            self.send(entry, self.last[entry[1]])

    def send(self, entry: Any, message: dict[str, Any]) -> None:
        page, number, seat, _ = entry
        model, before = self.models[number], self.models[number].at
        try:
            if message["action"] >= len(model.game.ACTIONS):
                raise Refusal("no such action")
            model.act(message["action"], seat=seat, at=message["at"])
        except Refusal:
            assert page.ask(**message)["is"] == "no"
            self.tally["refused"] += 1
        else:
            page.send(**message)
            page.wait("table", lambda table: table["at"] == model.at)
            assert model.at > before
            self.tally["acted"] += 1

    @rule(entry=pages, malformed=st.sampled_from(["", "{}", "[1]", '{"do":"act"}', '{"do":"why","action":-1}']))
    def babble(self, entry: Any, malformed: str) -> None:
        if not self.is_lost(entry):
            entry[0].socket.send(malformed)
            entry[0].wait("no")
            self.tally["refused"] += 1

    @rule(number=st.integers(0, 1), seat=st.integers(0, 1), who=st.integers(0, 2))
    def act_by_http(self, number: int, seat: int, who: int) -> None:
        model = self.models[number]
        if self.owners[number][seat] == who and model.turn == seat:
            return  # that would be no abuse
        body = {"seat": seat, "at": model.at, "action": (model_legal(model) or [0])[0]}
        answer = self.visitors[who].http.post(f"/api/tables/{self.keys[number]}/act", json=body)
        assert answer.status_code == (409 if self.owners[number][seat] == who else 403)
        self.tally["refused"] += 1

    @rule(target=pages, number=st.integers(0, 1), seat=st.integers(0, 1), to=st.integers(0, 2))
    def hand_over(self, number: int, seat: int, to: int) -> Any:
        if self.owners[number][seat] == to:
            return multiple()
        path = f"/api/tables/{self.keys[number]}/seats/{seat}"
        thief = next(who for who in range(3) if who != self.owners[number][seat])
        assert self.visitors[thief].http.post(f"{path}/link").status_code == 403
        link = self.visitors[self.owners[number][seat]].post(f"{path}/link")
        if to in self.owners[number]:  # one guest, one seat
            assert self.visitors[to].http.post(f"{path}/take", json={"code": link["code"]}).status_code == 403
            return multiple()
        self.visitors[to].post(f"{path}/take", code=link["code"])
        self.owners[number][seat] = to
        for entry in self.open_pages:
            if entry[1:3] == (number, seat) and not entry[0].is_closed:
                with pytest.raises(ConnectionClosed, match="no longer yours"):
                    entry[0].wait("never")
                entry[0].close()
        self.open_pages = [entry for entry in self.open_pages if not entry[0].is_closed]
        self.tally["handed over"] += 1
        return self.open(number, seat)

    @rule(entry=pages)
    def close(self, entry: Any) -> None:
        entry[0].close()
        self.open_pages = [entry for entry in self.open_pages if not entry[0].is_closed]

    @invariant()
    def what_is_stored_is_the_model(self) -> None:
        for key, model in zip(getattr(self, "keys", []), getattr(self, "models", []), strict=True):
            assert self.server.parlour.tables[key].core.log == model.log

    def teardown(self) -> None:
        try:
            self.check_all()
        finally:
            for visitor in getattr(self, "visitors", []):
                visitor.close()

    def check_all(self) -> None:
        """What is on the disk is the model, and every page that is still open is in step."""
        engine = sa.create_engine(self.server.parlour.settings.database)
        stored = []
        with engine.connect() as connection:
            for key in self.keys:
                asked = sa.select(LOG.c.action).where(LOG.c.sitting == key).order_by(LOG.c.at)
                stored.append(list(connection.scalars(asked)))
        engine.dispose()
        assert stored == [model.log for model in self.models]
        for page, number, _, _ in self.open_pages:
            page.send(do="ping")
            page.wait("pong")
            assert page.table["at"] == self.models[number].at


def model_legal(model: Table) -> list[int]:
    return [] if model.is_over else engine.legal(model.game, model.view(model.turn))


def run_machine(server: Server, examples: int, steps: int, phases: Sequence[Phase] = tuple(Phase)) -> Counter[str]:
    machine = type("Parlour", (Parlour,), {"server": server, "tally": Counter()})
    checks = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    machine.TestCase.settings = settings(  # type: ignore[attr-defined]
        max_examples=examples, stateful_step_count=steps, suppress_health_check=checks, print_blob=False, phases=phases
    )
    machine.TestCase().runTest()  # type: ignore[attr-defined]
    tally: Counter[str] = machine.tally  # type: ignore[attr-defined]
    return tally


def test_many_clients_against_a_model(server: Server) -> None:
    tally = run_machine(server, 12, 25)
    assert tally["acted"] and tally["refused"] and tally["handed over"]


def test_a_server_that_takes_stale_actions_is_caught(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    real = LiveTable.act

    async def act(table: LiveTable, seat: int, at: int, action: int, guest: str | None = None) -> None:
        await real(table, seat, table.told_count(seat), action, guest)

    monkeypatch.setattr(LiveTable, "act", act)
    monkeypatch.setattr(local_server, "PATIENCE", 0.5)  # for the refusal that does not come
    with pytest.raises((AssertionError, TimeoutError, Flaky)):
        run_machine(server, 400, 25, [Phase.generate])  # the first that shows it is the last


@pytest.mark.soak
def test_many_clients_against_a_model_for_long(server: Server) -> None:
    tally = run_machine(server, EXAMPLES, 60)
    done = ", ".join(f"{count:,} {what}" for what, count in sorted(tally.items()))
    print(f"\n{EXAMPLES:,} games of many clients against the model: {done}; 0 differences")
