"""The server's log: one JSON object per line, on stderr.

Lines never contain tokens, seeds, moves or positions, nor the part of an address after the question mark. An unexpected
error is logged with its traceback, in one line as well.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, TextIO

from kibitz.notices import Notice
from kibitz.web.limits import Allowance, Rate

FLOOD = Rate(2_000, 200)  # lines
LONGEST_TEXT = 500  # characters of anything that comes from outside
LONGEST_TRACEBACK = 20_000

log = logging.getLogger("kibitz.web")


def note(event: str, level: int = logging.INFO, **facts: Any) -> None:
    """Log an event with facts about it, each in a field of its own."""
    log.log(level, event, extra={"facts": facts})


def note_notice(notice: Notice, text: str) -> None:
    """Log what people at a terminal would be told while they wait."""
    if notice is Notice.COMPILING:
        note("compiling", what=text)
    elif notice is Notice.WORKING:
        note("working", what=text)


class JsonLines(logging.Formatter):
    """A record of the log as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": _short(record.getMessage()),
            **{name: _short(fact) for name, fact in getattr(record, "facts", {}).items()},
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            line["traceback"] = self.formatException(record.exc_info)[-LONGEST_TRACEBACK:]
        return json.dumps(line, ensure_ascii=True)


def _short(fact: Any) -> Any:
    return fact[:LONGEST_TEXT] if isinstance(fact, str) else fact


class NoFlood(logging.Filter):
    """Lets only so many lines through, and says how many were left out."""

    def __init__(self, rate: Rate = FLOOD) -> None:
        super().__init__()
        self._allowance = Allowance(rate)
        self._left_out = 0

    def filter(self, record: logging.LogRecord) -> bool:
        if self._allowance.wait() > 0:
            self._left_out += 1
            return False
        if self._left_out:
            record.facts = {**getattr(record, "facts", {}), "lines_left_out_before": self._left_out}
            self._left_out = 0
        return True


def write_log(level: str, stream: TextIO | None = None) -> logging.Handler:
    """Write what the server logs from this level on, and warnings of libraries, as JSON lines."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    handler.addFilter(NoFlood())
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    log.setLevel(level.upper())
    return handler
