"""A PostgreSQL server of one's own, from the programs that Debian installs. It refuses to run as root."""

import contextlib
import itertools
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

UNPRIVILEGED = "nobody"
PATIENCE = 300  # seconds; only a failure takes that long
MISSING = "PostgreSQL is not installed; on Debian: apt-get install postgresql"


def programs():
    """The folder with PostgreSQL's programs, the newest version's; None if it is not installed."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    return max(found, key=lambda folder: float(folder.parent.name), default=None)


class Postgres:
    """A running server."""

    def __init__(self, folder):
        self._folder = folder
        self._numbers = itertools.count(1)

    def new_database(self):
        """The address of an empty database."""
        name = f"kibitz{next(self._numbers)}"
        self._run("createdb", name)
        return f"postgresql://kibitz@/{name}?host={self._folder}"

    def run_query(self, query, address="postgresql://kibitz@/postgres?"):
        """Run a query in a database, at first the one that is always there."""
        name = address.removeprefix("postgresql://kibitz@/").partition("?")[0]
        self._run("psql", "-q", "-o", os.devnull, "-d", name, "-c", query)

    def is_ready(self):
        command = [programs() / "pg_isready", "-q", "-h", self._folder]
        return subprocess.run(command, check=False).returncode == 0

    def _run(self, program, *arguments):
        subprocess.run([programs() / program, "-h", self._folder, "-U", "kibitz", *arguments], check=True)


@contextlib.contextmanager
def running_postgres():
    """A server with its data in a folder that is removed afterwards."""
    folder = tempfile.mkdtemp(prefix="kibitz-postgres-")
    other = {} if os.getuid() else {"user": UNPRIVILEGED, "group": "nogroup", "extra_groups": []}
    if not os.getuid():
        shutil.chown(folder, UNPRIVILEGED)
    data = f"{folder}/data"
    try:
        initdb = [programs() / "initdb", "-D", data, "-U", "kibitz", "-A", "trust", "--no-sync", "--no-instructions"]
        subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL, cwd="/", **other)
        server = [programs() / "postgres", "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"]
        process = subprocess.Popen(
            [*server, "-c", "logging_collector=off"], stderr=subprocess.DEVNULL, cwd="/", **other
        )
        try:
            postgres, deadline = Postgres(folder), time.monotonic() + PATIENCE
            while not postgres.is_ready():
                assert process.poll() is None, "PostgreSQL has ended."
                assert time.monotonic() < deadline, "PostgreSQL does not start."
                time.sleep(0.05)
            yield postgres
        finally:
            process.send_signal(2)  # a fast shutdown
            process.wait(timeout=PATIENCE)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
