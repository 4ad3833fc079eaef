"""The API as a page: its requests from OpenAPI, the socket's messages from `wire`. Plain HTML without scripts."""

import json
from html import escape
from typing import Any

from pydantic import BaseModel

from motherlode.server import typescript, wire

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Motherlode: the API</title>
<h1>Motherlode: the API</h1>
<p>For programs: <a href="/api/openapi.json">openapi.json</a>. Send <code>Authorization: Bearer TOKEN</code>.</p>
<h2>Requests</h2>{requests}
<h2>The socket: <code>/api/tables/{{id}}/socket?seat=N</code></h2>
<h3>What you send</h3>{sent}<h3>What you get</h3>{got}
<h2>Types</h2>{types}</html>"""


def body(operation: dict[str, Any]) -> str:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    return name_of(content["schema"]) if content else ""


def name_of(schema: dict[str, Any]) -> str:
    try:
        return typescript.type_of(schema)
    except KeyError:
        return "text"


def request(method: str, path: str, operation: dict[str, Any]) -> str:
    parameters = ", ".join(p["name"] for p in operation.get("parameters", []) if p["in"] == "query")
    replies = [r for status, r in operation["responses"].items() if status.startswith("2")]
    content = next(iter(replies[0].get("content", {}).values()), None) if replies else None
    answer = name_of(content["schema"]) if content and content.get("schema") else "nothing"
    description = operation.get("description") or operation.get("summary", "")
    asks = f"; asks for <code>{escape(body(operation))}</code>" if body(operation) else ""
    query = f"; <code>?{escape(parameters)}</code>" if parameters else ""
    return (
        f"<li><code>{method.upper()} {escape(path)}</code>{query}{asks}; "
        f"answers <code>{escape(answer)}</code>. {escape(description)}</li>"
    )


def messages(models: tuple[type[BaseModel], ...]) -> str:
    parts = []
    for model in models:
        schema = model.model_json_schema(mode="serialization" if issubclass(model, wire.Outgoing) else "validation")
        written = typescript.interface(model.__name__, schema, is_reply=issubclass(model, wire.Outgoing))
        parts.append(f"<pre>{escape(written)}</pre>")
    return "".join(parts)


def api_page(openapi: dict[str, Any]) -> str:
    requests = "".join(
        request(method, path, operation)
        for path, methods in openapi["paths"].items()
        for method, operation in methods.items()
    )
    types = "".join(
        f"<details><summary>{escape(name)}</summary><pre>{escape(json.dumps(schema, indent=1))}</pre></details>"
        for name, schema in sorted(openapi["components"]["schemas"].items())
    )
    return PAGE.format(
        requests=f"<ul>{requests}</ul>",
        sent=messages(wire.SOCKET_REQUESTS),
        got=messages(wire.SOCKET_REPLIES),
        types=types,
    )
