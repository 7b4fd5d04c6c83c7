"""The command line: one module per family of commands; `app` combines them and turns errors into messages."""

from kibitz.cli.app import main

__all__ = ["main"]
