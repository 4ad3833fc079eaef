"""Every request that a server takes, generated from what it says of itself.

Over HTTP these are the operations of the OpenAPI document, and the pages beside it; over a socket the messages of
`wire.SOCKET_REQUESTS`. What fills their parameters is named in `FILLERS`, by the parameter or by its model and field;
numbers, truth values and choices fill themselves. A request that nobody has said how to fill is an `Unfillable`. None
of them acts for the seat that asks: what is asked may be asked at any time.
"""

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.routing import Route, WebSocketRoute

from motherlode import puzzles
from motherlode.game import Game
from motherlode.puzzles import Puzzle
from motherlode.server import wire
from motherlode.server.listener import PUBLIC

SOCKET = "/api/tables/{table}/socket"
ADMIN = "/api/admin/"
DOCUMENTS: dict[tuple[str, ...], dict[str, Any]] = {}
NO_CODE = "A" * 22  # the code of no link and of no guest
HASH = "5a" * 32  # of no bytes that anybody knows
NO_LINK = "5a" * 48  # of no chain
NO_ONE = "5a" * 8  # the pseudonym of nobody
FAR = 10_000  # actions: a place that no game has come to


class Unfillable(AssertionError):
    """A request has something that `FILLERS` does not know."""


class Scene(NamedTuple):
    """What requests are filled with: a table as whoever asks sees it."""

    table: str
    game: Game
    options: dict[str, Any]
    seats: int
    seat: int  # PUBLIC: whoever asks has none
    name: str
    at: int
    legal: list[int]
    waiting: bool
    head: str = ""  # the last link of the chain that whoever asks was shown
    people: tuple[str, ...] = ()  # the pseudonyms of those who have seats
    guest: str = NO_CODE  # the id of whoever asks

    def some_seats(self) -> list[int]:
        """My own, the next one's, and one that there is not."""
        mine = max(0, self.seat)
        return [mine, (mine + 1) % self.seats, self.seats]

    def illegal(self) -> list[int]:
        actions = [a for a in range(len(self.game.ACTIONS)) if a not in self.legal]
        return [actions[0], actions[len(actions) // 2], actions[-1], len(self.game.ACTIONS)]


class Request(NamedTuple):
    method: str
    path: str
    query: dict[str, Any]
    body: dict[str, Any] | None

    def __str__(self) -> str:
        return f"{self.method} {self.path}?{urlencode(self.query)} {json.dumps(self.body)}"


def some_puzzle(scene: Scene) -> Puzzle:
    return puzzles.some_of(scene.game)[0]


Filler = Callable[[Scene], list[Any]]
FILLERS: dict[str, Filler] = {
    "table": lambda scene: [scene.table],
    "seat": Scene.some_seats,
    "at": lambda scene: [scene.at, scene.at + 1, 0],
    "since": lambda scene: [0, scene.at],
    "after": lambda scene: [0, scene.at],
    "action": Scene.illegal,
    "Why.action": lambda scene: [*scene.legal[:2], *scene.illegal()],
    "text": lambda scene: ["hello"],
    "who": lambda scene: [*scene.people, NO_ONE],
    "guest": lambda scene: [scene.guest],
    "reason": lambda scene: ["because"],
    "Sanction.seconds": lambda scene: [60],
    "language": lambda scene: ["en"],
    "code": lambda scene: [NO_CODE] if scene.waiting else [NO_CODE, None],  # without one, an open seat is taken
    "Recover.code": lambda scene: [NO_CODE],
    "Take.commitment": lambda scene: [HASH],
    "Undo.commitment": lambda scene: [HASH],
    "Undo.at": lambda scene: [scene.at + FAR],
    "Resign.at": lambda scene: [scene.at + FAR],
    "OpenShare.share": lambda scene: [HASH],
    "Seen.seals": lambda scene: [1, 2],
    "Seen.link": lambda scene: [scene.head, NO_LINK],
    "game": lambda scene: [scene.game.NAME],
    "/api/games/{name}.name": lambda scene: [scene.game.NAME],
    "/api/guests/me/games.after": lambda scene: [f"1.0~{scene.table}"],
    "/api/guests/me/games.bot": lambda scene: ["search:50"],
    "/api/guests/me/games.person": lambda scene: [scene.name],
    "/api/games/{name}/lesson.name": lambda scene: [scene.game.NAME],
    "/learn/{name}.name": lambda scene: [scene.game.NAME],
    "/rules/{name}.name": lambda scene: [scene.game.NAME],
    "/table/{name}.name": lambda scene: [scene.table],
    "/review/{name}.name": lambda scene: [scene.table],
    "/api/guests/me/mistakes.kind": lambda scene: [scene.game.ACTIONS.kinds[0].verb],
    "Try.action": lambda scene: [*scene.legal[:1], *scene.illegal()],
    "/table/{name}/text.name": lambda scene: [scene.table],
    "/puzzles/{name}.name": lambda scene: [scene.game.NAME],
    "puzzle": lambda scene: [some_puzzle(scene).id],
    "/api/puzzles/day.date": lambda scene: ["1970-01-02", "2970-01-02"],
    "/api/puzzles/{game}/next.after": lambda scene: [some_puzzle(scene).id],
    "PuzzleTry.action": lambda scene: [*some_puzzle(scene).values, len(scene.game.ACTIONS)],
    "/api/admin/guests.name": lambda scene: [scene.name],
    "NewGuest.name": lambda scene: [scene.name],
    "NewTable.seats": lambda scene: [[{"player": "me"}] * scene.seats],
    "NewTable.options": lambda scene: [scene.options],
    "NewTable.record": lambda scene: [None],
    "NewTable.at": lambda scene: [None],
    "NewRecord.record": lambda scene: ["motherlode record"],
}


def from_schema(schema: dict[str, Any]) -> list[Any]:
    """Values that a schema gives by itself, if it does."""
    schema = next((kind for kind in schema.get("anyOf", []) if kind.get("type") != "null"), schema)
    if "const" in schema or "enum" in schema:
        return list(schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "boolean":
        return [True, False]
    if schema.get("type") == "integer":
        return sorted({int(schema[end]) for end in ("minimum", "maximum") if end in schema} or {0})
    return []


def values(owner: str, name: str, schema: dict[str, Any], scene: Scene) -> list[Any]:
    fill = FILLERS.get(f"{owner}.{name}") or FILLERS.get(name)
    found = fill(scene) if fill else from_schema(schema)
    if not found:
        raise Unfillable(
            f"nobody has said what {name!r} of {owner} may be: add it to FILLERS in {__name__}, with values that may "
            "be asked at any time"
        )
    return found


def has_filler(owner: str, name: str) -> bool:
    return f"{owner}.{name}" in FILLERS or name in FILLERS


def one_by_one(choices: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """The first value of each; then every other value of one, beside the first ones of the others."""
    first = {name: listed[0] for name, listed in choices.items()}
    yield first
    for name, listed in choices.items():
        for value in listed[1:]:
            yield {**first, name: value}


def bodies(owner: str, schema: dict[str, Any], scene: Scene, *, is_varied: bool) -> Iterator[dict[str, Any]]:
    """Fields that are required or have a filler always; the others, where variety is wanted, one at a time."""
    fields = schema.get("properties", {})
    always = [name for name in fields if name in schema.get("required", []) or has_filler(owner, name)]
    choices = {name: values(owner, name, fields[name], scene) for name in always}
    plain = {name: listed[0] for name, listed in choices.items()}
    for body in one_by_one(choices):
        yield {name: value for name, value in body.items() if value is not None}
        if not is_varied:
            return
    for name in fields:
        if name not in always:
            for value in values(owner, name, fields[name], scene):
                yield {**plain, name: value}


def queries(path: str, parameters: list[dict[str, Any]], scene: Scene) -> Iterator[dict[str, Any]]:
    """Without anything, and with each value of each parameter; `seat` beside every other."""
    choices = {p["name"]: values(path, p["name"], p["schema"], scene) for p in parameters if p["in"] == "query"}
    required = {p["name"]: choices[p["name"]][0] for p in parameters if p["in"] == "query" and p.get("required")}
    seats: list[dict[str, Any]] = [{}]
    if "seat" in choices:
        schema = next(p["schema"] for p in parameters if p["name"] == "seat")
        seats += [{"seat": seat} for seat in sorted({*choices.pop("seat"), *from_schema(schema)[:1]})]
    for seat in seats:
        yield {**required, **seat}
        if not seat or seat["seat"] == scene.seat or (scene.seat == PUBLIC and seat["seat"] == 0):
            for name, listed in choices.items():
                for value in listed:
                    yield {**required, **seat, name: value}


def http_requests(app: FastAPI, scene: Scene, *, is_admin: bool = False) -> Iterator[Request]:
    """Every operation of the document, and every page beside it. Whoever does not run the server asks each operation
    of its administration in one way: it is refused before the rest is looked at."""
    document = document_of(app)
    models = document["components"]["schemas"]
    documented = set()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            documented.add((method.upper(), path))
            parameters = operation.get("parameters", [])
            content = operation.get("requestBody", {}).get("content", {})
            asked: list[dict[str, Any] | None] = [None]
            if content:
                name = content["application/json"]["schema"]["$ref"].rpartition("/")[2]
                asked = list(bodies(name, models[name], scene, is_varied="{table}" in path))
            if path.startswith(ADMIN) and not is_admin:
                asked, parameters = asked[:1], [p for p in parameters if p["in"] == "path"]
            in_path = {p["name"]: values(path, p["name"], p["schema"], scene) for p in parameters if p["in"] == "path"}
            for k, filled in enumerate(one_by_one(in_path)):
                for query in queries(path, parameters, scene):
                    for body in asked if k == 0 else asked[:1]:
                        yield Request(method.upper(), path.format(**filled), query, body)
    for route in app.routes:
        if isinstance(route, Route | APIRoute):
            for method in sorted((route.methods or set()) - {"HEAD"}):
                if (method, route.path) not in documented:
                    page = {name: values(route.path, name, {}, scene)[0] for name in route.param_convertors}
                    yield Request(method, route.path.format(**page), {}, None)
        elif isinstance(route, WebSocketRoute) and route.path != SOCKET:
            raise Unfillable(f"nobody listens to the socket {route.path}: say in {__name__} what it is to be asked")


def socket_requests(scene: Scene) -> Iterator[dict[str, Any]]:
    """Every message that a page may send."""
    for model in wire.SOCKET_REQUESTS:
        if model is wire.Leave and scene.waiting:
            continue  # the seat would be open again, and not the asker's any more
        do, schema = message_schema(model)
        for body in bodies(model.__name__, schema, scene, is_varied=True):
            yield {"do": do, **body}


@cache
def message_schema(model: type[BaseModel]) -> tuple[str, dict[str, Any]]:
    """What a message does, and a schema of the rest of it."""
    schema = model.model_json_schema()
    do = schema["properties"].pop("do")["const"]
    schema["required"].remove("do")
    return do, schema


def document_of(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, which takes a second to make; applications with the same routes have the same."""
    routes = tuple(getattr(route, "path", "") for route in app.routes)
    if routes not in DOCUMENTS:
        DOCUMENTS[routes] = app.openapi()
    return DOCUMENTS[routes]


def reply_kinds() -> set[str]:
    """What a socket's messages to a page can be."""
    return {model.model_fields["is_"].default for model in wire.SOCKET_REPLIES}
