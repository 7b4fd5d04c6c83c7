"""`kibitz serve`: the web page."""

from __future__ import annotations

import socket
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.screen import screen
from kibitz.errors import KibitzError

LONGEST_MESSAGE = 65_536  # bytes; longer ones end the connection
GOODBYE_SECONDS = 2


def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to listen; 0: any port that is free.")] = 8000,
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 lets other machines in.")] = "127.0.0.1",
    bots: Annotated[
        list[str] | None, typer.Option("--bot", metavar="NAME=SPEC", help="A bot to offer by name, also from a file.")
    ] = None,
    games: Annotated[
        list[str] | None, typer.Option("--game", metavar="FILE.py:CLASS", help="A game of your own to offer.")
    ] = None,
    logs: Annotated[
        list[Path] | None, typer.Option("--log", metavar="DIR", help="A log whose games can be opened.")
    ] = None,
    pace: Annotated[
        float, typer.Option(min=0, help="Bots wait this much longer or shorter between moves; 0: not at all.")
    ] = 1.0,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Start the web page: play any game against any bot in the browser.

    Ctrl-C ends it.

    Examples: `kibitz serve --open`, `kibitz serve --bot 'My bot=file.py:MyBot' --log runs/first`
    """
    try:
        import uvicorn

        from kibitz.web.app import House, make_app
        from kibitz.web.catalogue import Catalogue
    except ImportError:
        raise KibitzError('The web page needs more packages; run pip install "kibitz[web]".') from None
    catalogue = Catalogue(games or (), dict(_named(bot) for bot in bots or ()), logs or ())
    listener = _listen(host, port)
    address = f"http://{_shown(host)}:{listener.getsockname()[1]}/"
    config = uvicorn.Config(
        make_app(House(catalogue, pace=pace)),
        log_level="critical",  # what goes wrong, the application itself says
        ws_max_size=LONGEST_MESSAGE,
        timeout_graceful_shutdown=GOODBYE_SECONDS,
    )
    screen.print(f"kibitz is at [bold]{address}[/]  [dim](Ctrl-C ends it)[/]")
    if open_page:
        webbrowser.open(address)
    try:
        uvicorn.Server(config).run(sockets=[listener])
    except KeyboardInterrupt:
        screen.print("Goodbye.")


def _named(text: str) -> tuple[str, str]:
    """A bot's name and spec."""
    name, equals, spec = (part.strip() for part in text.partition("="))
    if not equals or not name or not spec:
        raise KibitzError(f"--bot takes a name and a spec, as in 'My bot=file.py:MyBot', not {text!r}.")
    return name, spec


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port that was in use a moment ago is free
    try:
        listener.bind((host, port))
        listener.listen()  # now: who comes before the server is up, waits
    except OSError as error:
        listener.close()
        raise KibitzError(
            f"Port {port} of {host} cannot be used ({error.strerror}); choose another with --port."
        ) from None
    return listener


def _shown(host: str) -> str:
    """The address as a browser on this machine takes it."""
    if host in ("0.0.0.0", "::"):
        return "localhost"
    return f"[{host}]" if ":" in host else host
