"""Checking JSON from outside: exactly the expected fields, of exactly the expected types, or one clear sentence."""

from __future__ import annotations

from fastapi.exceptions import RequestValidationError
from pydantic import ConfigDict, ValidationError

LONGEST = 300  # characters; names of fields, and some messages, repeat what was sent
STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


def in_words(error: ValidationError | RequestValidationError) -> str:
    """The first thing that is wrong, as a sentence that begins with the field."""
    first = error.errors()[0]
    places = [str(part) for part in first["loc"] if not str(part)[:1].isupper()]
    where = ".".join(places[1:] if isinstance(error, RequestValidationError) else places)  # not that it is in the query
    words = first["msg"] if len(first["msg"]) <= LONGEST else f"{first['msg'][:LONGEST]} …"
    return f"{where[:LONGEST]}: {words}." if where else f"{words}."
