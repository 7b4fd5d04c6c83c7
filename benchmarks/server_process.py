"""A web server in a process of its own, for benchmarks and pictures."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any


def start_server(*options: str, **settings: Any) -> tuple[subprocess.Popen[str], str]:
    """Run `kibitz serve` with some options, Popen with some settings; the process, and its address once it is up."""
    command = [sys.executable, "-m", "kibitz", "serve", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **settings)
    assert process.stdout is not None
    address = next(word for line in process.stdout for word in line.split() if word.startswith("http"))
    return process, address.rstrip("/")


def port_of(address: str) -> int:
    """The port in the address of a server."""
    return int(address.rpartition(":")[2])


@contextlib.contextmanager
def serving(*options: str, **settings: Any) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server with tables of its own, on any free port; it ends afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        process, address = start_server("--port", "0", "--data", folder, *options, **settings)
        try:
            yield process, address
        finally:
            process.terminate()
            process.wait()
