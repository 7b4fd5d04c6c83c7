"""The command line: one module per family of commands; `app` combines them and turns errors into messages."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kibitz.version import VERSION


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; `--version` is answered before anything is imported."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given[:1] == ["--version"]:
        print(f"kibitz {VERSION}")
        sys.exit()
    from kibitz.cli.app import run

    run(given)


__all__ = ["main"]
