"""`kibitz serve`: start the web server."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import socket
import webbrowser
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from kibitz import notices
from kibitz.cli.screen import SandboxOption, progress_bar, screen
from kibitz.errors import KibitzError
from kibitz.sandbox.levels import AUTO

SECRET_VARIABLE = "KIBITZ_OPERATOR_SECRET"
PUBLIC = (
    "With --host {host}, everyone who can reach this machine can play here and keep it busy, and whoever knows the "
    "link of a table can watch it. Nothing is encrypted: on the internet, put a reverse proxy with HTTPS in front."
)


class LogLevel(StrEnum):
    """From which level on the server logs."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0: any free port.")] = 8000,
    host: Annotated[
        str, typer.Option(help="The address to listen on; 0.0.0.0 allows access from other machines.")
    ] = "127.0.0.1",
    hosts: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="A further name by which browsers may call this server."),
    ] = None,
    bots: Annotated[
        list[str] | None, typer.Option("--bot", metavar="NAME=SPEC", help="Also offer this bot, even from a file.")
    ] = None,
    games: Annotated[
        list[str] | None,
        typer.Option("--game", metavar="FILE.py:CLASS", help="Also offer this game, or openspiel:name=…"),
    ] = None,
    logs: Annotated[
        list[Path] | None, typer.Option("--log", metavar="DIR", help="Offer the games of this log for replay.")
    ] = None,
    pace: Annotated[
        float, typer.Option(min=0, max=100, help="A factor for the minimum time of a bot's turn; 0: no minimum.")
    ] = 1.0,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Keep tables and tournaments in this folder; by default, in your own."),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Keep tables in PostgreSQL instead: postgresql://user@host/database."),
    ] = None,
    sandbox: SandboxOption = AUTO,
    log_level: Annotated[
        LogLevel, typer.Option(help="What to log to stderr, as JSON lines; info has a line for every request.")
    ] = LogLevel.WARNING,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Start the web server: play any game against any bot in the browser.

    Press Ctrl-C to stop it. Tables are kept: after a restart, every game goes on where it was.

    Other machines can connect if you choose a --host. Everyone who can reach it can play then, and whoever knows the
    secret that is shown at the start can do more; KIBITZ_OPERATOR_SECRET sets it to one of your own.

    Examples: `kibitz serve --open`, `kibitz serve --bot 'My bot=file.py:MyBot' --log runs/first`
    """
    try:
        import uvicorn

        from kibitz.allocator import give_back_large_arrays
        from kibitz.web.app import make_app
        from kibitz.web.catalogue import Catalogue
        from kibitz.web.database import default_folder, open_folder, open_postgresql
        from kibitz.web.listening import Listening, open_listener
        from kibitz.web.log_lines import note_notice, write_log
        from kibitz.web.server import Server
        from kibitz.web.tournaments import Tournaments
    except ImportError:
        raise KibitzError('The web server needs more packages; install them with: pip install "kibitz[web]"') from None
    catalogue = Catalogue(games or (), dict(_named(bot) for bot in bots or ()), logs or (), sandbox)
    is_public = not _is_loopback(host)
    if is_public:
        screen.print(PUBLIC.format(host=host))
    secret = _operator_secret(is_public)
    give_back_large_arrays()
    write_log(log_level.value)
    notices.listener = note_notice
    listener = open_listener(host, port, is_shared=database is not None)
    folder = data or default_folder()
    store = open_folder(folder) if database is None else open_postgresql(database)
    tournaments = Tournaments(catalogue, folder / "tournaments")
    address = f"http://{_shown(host)}:{listener.getsockname()[1]}/"
    names = _own_names(host, hosts or ())
    server = Server(catalogue, store, pace=pace, hosts=names, secret=secret, tournaments=tournaments)
    screen.print(f"kibitz is running at [bold]{address}[/]  [dim](press Ctrl-C to stop)[/]")
    if is_public and SECRET_VARIABLE not in os.environ:
        screen.print(f"Your secret as the operator, for {address}operator, is shown only now: [bold]{secret}[/]")
    if open_page:
        webbrowser.open(address)
    bar = PreparationBar()
    server.precompiler.progress = bar.show
    try:
        uvicorn.Server(Listening(make_app(server))).run(sockets=[listener])
    except KeyboardInterrupt:
        screen.print("Goodbye.")
    finally:
        bar.close()


class PreparationBar:
    """A progress bar that shows how much of what the server offers is ready, until everything is."""

    def __init__(self) -> None:
        self._bar = contextlib.ExitStack()
        self._step: Callable[[int, int | None], None] | None = None

    def show(self, done: int, total: int) -> None:
        """So many of the rules and bots are ready."""
        if done == total:
            self.close()
            return
        self._step = self._step or self._bar.enter_context(progress_bar("Preparing the games"))
        self._step(done, total)

    def close(self) -> None:
        """Take it away."""
        self._bar.close()


def _operator_secret(is_public: bool) -> str | None:
    """The secret of whoever runs the server: their own, or a new one if others can connect."""
    from kibitz.web.access import TOKEN, new_token

    chosen = os.environ.get(SECRET_VARIABLE)
    if chosen is None:
        return new_token() if is_public else None
    if not TOKEN.fullmatch(chosen):
        raise KibitzError(f"{SECRET_VARIABLE} needs 32 to 64 random letters, digits, - and _.")
    return chosen


def _own_names(host: str, allowed: Sequence[str]) -> list[str]:
    """The names by which browsers may call the server, beside localhost and any address."""
    return [host, *allowed] if host not in ("0.0.0.0", "::") else [socket.gethostname(), *allowed]


def _named(text: str) -> tuple[str, str]:
    """A bot's name and spec."""
    name, equals, spec = (part.strip() for part in text.partition("="))
    if not equals or not name or not spec:
        raise KibitzError(f"--bot needs a name and a spec, as in 'My bot=file.py:MyBot', not {text!r}.")
    return name, spec


def _is_loopback(host: str) -> bool:
    """Whether only this machine itself can connect."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _shown(host: str) -> str:
    """The address for a browser on this machine."""
    if host in ("0.0.0.0", "::"):
        return "localhost"
    return f"[{host}]" if ":" in host else host
