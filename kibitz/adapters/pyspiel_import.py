"""OpenSpiel's Python module, which is called pyspiel and need not be installed."""

from __future__ import annotations

import importlib.util
from typing import Any

from kibitz.errors import KibitzError

MISSING = 'OpenSpiel is missing; install it with: pip install "kibitz[openspiel]"'


def is_installed() -> bool:
    """Whether OpenSpiel is installed."""
    return importlib.util.find_spec("pyspiel") is not None


def import_pyspiel() -> Any:
    """The module pyspiel; an error says how to install it."""
    try:
        import pyspiel
    except ImportError:
        raise KibitzError(MISSING) from None
    return pyspiel
