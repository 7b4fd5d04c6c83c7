"""Errors in words for people."""

from __future__ import annotations

import logging

from kibitz.errors import KibitzError

log = logging.getLogger("kibitz.web")


def sentence(error: BaseException) -> str:
    """An error in words. Of one that kibitz did not expect, people learn the type; the log has the rest."""
    if isinstance(error, KibitzError):
        return str(error)
    log.error("Something went wrong.", exc_info=error)
    return apology(error)


def apology(error: BaseException) -> str:
    """What people are told about an internal error: only its type, because its text may be confidential."""
    return f"Something went wrong on the server ({type(error).__name__})."
