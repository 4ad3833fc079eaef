"""The messages of `wire` and the tables of this package's games as TypeScript.

python -m motherlode.server.typescript > web/src/wire.ts
"""

import json
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from motherlode.game import Actions, Game
from motherlode.games import GAMES
from motherlode.server import puzzle_wire, review_wire, wire
from motherlode.server.messages import has_board


def type_of(schema: dict[str, Any]) -> str:
    """A JSON schema as a TypeScript type."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(type_of(option) for option in schema["anyOf"]))
    kind = schema.get("type")
    if kind == "array":
        if "prefixItems" in schema:
            return f"[{', '.join(map(type_of, schema['prefixItems']))}]"
        inner = type_of(schema["items"])
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if kind == "object":
        values = schema["additionalProperties"]
        return f"Record<string, {'unknown' if values is True else type_of(values)}>"
    return {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}[
        str(kind)
    ]


def interface(name: str, schema: dict[str, Any], *, is_reply: bool) -> str:
    """A message as an interface. Replies have every field; in requests those with a default are optional."""
    doc = schema.get("description", "").split("\n")[0]
    lines = [f"/** {doc} */"] if doc else []
    lines.append(f"export interface {name} {{")
    for key, value in schema.get("properties", {}).items():
        optional = "" if is_reply or key in schema.get("required", []) else "?"
        lines.append(f"  {key}{optional}: {type_of(value)};")
    return "\n".join([*lines, "}"])


def camel(name: str) -> str:
    return "".join(part.title() for part in name.split("_"))


def kinds(actions: Actions) -> list[dict[str, Any]]:
    return [
        {"verb": kind.verb, "first": first, "clause": kind.clause}
        | {"args": [{"name": arg.name, "words": list(arg.words)} for arg in kind.args]}
        for kind, first in zip(actions.kinds, actions.first, strict=True)
    ]


def game_types(game: Game) -> str:
    """The type of a game's view, and its tables: the words of its fields, actions, outcomes, FACTS, and whether there
    is anything to remember in it."""
    title = camel(game.NAME)
    lines = [f"/** A view of {game.TITLE}; blanks are -1 (unseen) and -2 (hidden). */", f"export interface {title} {{"]
    for field in game.FIELDS:
        lines.append(f"  /** {field.meaning} */")
        lines.append(f"  {field.name}: number{'[]' if field.length else ''};")
    lines.append("}")
    words = {field.name: list(field.words) for field in game.FIELDS if field.words}
    tables: dict[str, Any] = {"words": words, "actions": kinds(game.ACTIONS), "outcomes": kinds(game.OUTCOMES)}
    tables["memory"] = game.recalled_places is not None
    if game.FACTS:
        tables["facts"] = game.FACTS
    lines.append(f"export const {game.NAME.upper()} = {json.dumps(tables, ensure_ascii=False)} as const;")
    return "\n".join(lines)


def every(model: type[BaseModel]) -> set[type[BaseModel]]:
    """The model and all that are made from it."""
    return {model}.union(*(every(one) for one in model.__subclasses__()))


def generate() -> str:
    models = (*wire.SOCKET_REQUESTS, *wire.SOCKET_REPLIES, *wire.BODIES, *review_wire.BODIES, *puzzle_wire.BODIES)
    modes = [(m, "serialization" if issubclass(m, wire.Outgoing) else "validation") for m in models]
    _, schema = models_json_schema(modes)  # type: ignore[arg-type]
    parts = ["// Written by `python -m motherlode.server.typescript`: do not edit."]
    replies = {model.__name__ for model in every(wire.Outgoing)}
    for name, definition in sorted(schema["$defs"].items()):
        parts.append(interface(name, definition, is_reply=name in replies))
    parts.append("export type Request = " + " | ".join(model.__name__ for model in wire.SOCKET_REQUESTS) + ";")
    parts.append("export type Reply = " + " | ".join(model.__name__ for model in wire.SOCKET_REPLIES) + ";")
    games = [game for game in GAMES.values() if has_board(game)]
    parts += [game_types(game) for game in games]
    views = "; ".join(f"{game.NAME}: {camel(game.NAME)}" for game in games)
    parts.append(f"export interface Views {{ {views} }}")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    print(generate(), end="")
