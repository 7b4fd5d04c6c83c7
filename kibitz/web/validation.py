"""Checking JSON from outside: exactly the expected fields, of exactly the expected types, or one clear sentence."""

from __future__ import annotations

from pydantic import ConfigDict, ValidationError

STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


def in_words(error: ValidationError) -> str:
    """The first thing that is wrong, as a sentence that begins with the field."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"] if not str(part)[:1].isupper())
    return f"{where}: {first['msg']}." if where else f"{first['msg']}."
