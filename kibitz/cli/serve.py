"""`kibitz serve`: start the web server."""

from __future__ import annotations

import ipaddress
import socket
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.screen import SandboxOption, screen
from kibitz.errors import KibitzError
from kibitz.sandbox.levels import AUTO

LONGEST_MESSAGE = 65_536  # bytes; a longer message ends the connection
GOODBYE_SECONDS = 2


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
        Path | None, typer.Option(metavar="FOLDER", help="Keep the tables in this folder; by default, in your own.")
    ] = None,
    database: Annotated[
        str | None, typer.Option(metavar="URL", help="Keep the tables in PostgreSQL: postgresql://user@host/database.")
    ] = None,
    sandbox: SandboxOption = AUTO,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Start the web server: play any game against any bot in the browser.

    Press Ctrl-C to stop it. Tables are kept: after a restart, every game goes on where it was.

    Examples: `kibitz serve --open`, `kibitz serve --bot 'My bot=file.py:MyBot' --log runs/first`
    """
    try:
        import uvicorn

        from kibitz.web.catalogue import Catalogue
        from kibitz.web.database import default_folder, open_folder, open_postgresql
        from kibitz.web.server import Server, make_app
    except ImportError:
        raise KibitzError('The web server needs more packages; install them with: pip install "kibitz[web]"') from None
    catalogue = Catalogue(games or (), dict(_named(bot) for bot in bots or ()), logs or (), sandbox)
    if data is not None and database is not None:
        raise KibitzError("Tables are kept either in a folder (--data) or in PostgreSQL (--database), not in both.")
    if not _is_loopback(host):
        screen.print(f"With --host {host}, everyone who can reach this machine can play here and keep it busy.")
    listener = _listen(host, port)
    store = open_folder(data or default_folder()) if database is None else open_postgresql(database)
    address = f"http://{_shown(host)}:{listener.getsockname()[1]}/"
    config = uvicorn.Config(
        make_app(Server(catalogue, store, pace=pace, hosts=_own_names(host, hosts or ()))),
        log_level="critical",  # the application reports errors itself
        ws_max_size=LONGEST_MESSAGE,
        timeout_graceful_shutdown=GOODBYE_SECONDS,
    )
    screen.print(f"kibitz is running at [bold]{address}[/]  [dim](press Ctrl-C to stop)[/]")
    if open_page:
        webbrowser.open(address)
    try:
        uvicorn.Server(config).run(sockets=[listener])
    except KeyboardInterrupt:
        screen.print("Goodbye.")


def _own_names(host: str, allowed: Sequence[str]) -> list[str]:
    """The names by which browsers may call the server, beside localhost and any address."""
    return [host, *allowed] if host not in ("0.0.0.0", "::") else [socket.gethostname(), *allowed]


def _named(text: str) -> tuple[str, str]:
    """A bot's name and spec."""
    name, equals, spec = (part.strip() for part in text.partition("="))
    if not equals or not name or not spec:
        raise KibitzError(f"--bot needs a name and a spec, as in 'My bot=file.py:MyBot', not {text!r}.")
    return name, spec


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # allow a port that was in use a moment ago
    try:
        listener.bind((host, port))
        listener.listen()  # now, so that a browser that connects before the server is up has to wait
    except OSError as error:
        listener.close()
        raise KibitzError(
            f"Cannot listen on port {port} of {host} ({error.strerror}); choose another with --port."
        ) from None
    return listener


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
