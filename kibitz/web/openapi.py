"""The description of the HTTP API in /openapi.json.

Bodies are read by hand (requests.py), so that forms on other sites cannot post them; here they are described all the
same, and so is every error that an endpoint may answer with.
"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, TypeAdapter

from kibitz.version import VERSION
from kibitz.web.answers import Refusal

COMPONENTS = "#/components/schemas/{model}"
RETRY_AFTER = {"Retry-After": {"description": "Seconds to wait.", "required": True, "schema": {"type": "integer"}}}
ERRORS: dict[int, dict[str, Any]] = {
    403: {"description": "This is not yours."},
    404: {"description": "There is no such table."},
    405: {"description": "There is no such method here; `Allow` has those that there are."},
    421: {"description": "The server does not answer to the name it was called by."},
    422: {"description": "The request is malformed, or asks for something impossible."},
    429: {"description": "You are asking for too much at once.", "headers": RETRY_AFTER},
    503: {"description": "The server is busy.", "headers": RETRY_AFTER},
}
WORDS = """Board games against people and bots. Moves are made over a socket, `/ws/ID`: see docs/socket-protocol.md.

Programs send `Authorization: Bearer TOKEN`, with a random token of their own of 32 to 64 letters, digits, `-` and `_`;
browsers are given a cookie instead."""


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The errors that an endpoint may answer with; any may be called by a wrong name."""
    return {status: {"model": Refusal, **ERRORS[status]} for status in (421, *statuses)}


def takes(*models: type[BaseModel]) -> dict[str, Any]:
    """The description of a body: one of these models."""
    schemas = [TypeAdapter(model).json_schema(ref_template=COMPONENTS) for model in models]
    schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def describe(app: FastAPI) -> None:
    """Have an application describe itself."""
    described: dict[str, Any] = {}

    def openapi() -> dict[str, Any]:
        if not described:
            described.update(get_openapi(title="kibitz", version=VERSION, description=WORDS, routes=app.routes))
            _gather_definitions(described)
            _say_that_errors_are_json(described)
        return described

    app.openapi = openapi  # type: ignore[method-assign]


def _say_that_errors_are_json(document: dict[str, Any]) -> None:
    """Errors are JSON, whatever else an endpoint answers."""
    for operations in document["paths"].values():
        for operation in operations.values():
            for status, answer in operation["responses"].items():
                if status != "200":
                    (schema,) = answer["content"].values()
                    answer["content"] = {"application/json": schema}


def _gather_definitions(document: dict[str, Any]) -> None:
    """Move what the schemas of bodies define themselves to where the document looks for it."""
    components = document["components"]["schemas"]
    for operations in document["paths"].values():
        for operation in operations.values():
            for content in operation.get("requestBody", {}).get("content", {}).values():
                for schema in (content["schema"], *content["schema"].get("anyOf", [])):
                    components.update(schema.pop("$defs", {}))
