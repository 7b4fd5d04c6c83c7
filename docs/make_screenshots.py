"""Make the pictures of terminal screens in docs/images: `.venv/bin/python docs/make_screenshots.py`."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

IMAGES = Path(__file__).parent / "images"
WIDTH = 80
SCREENS = {  # picture: command line, what is typed
    "play": ("play connect_four --vs uct:sims=20000 --seed 7", "4\nhint\n3\n"),
    "analyse": ('analyse connect_four --moves "4 4 4 4 3" --bot uct:sims=100000', ""),
    "ur": (
        """analyse ur --position '{"at":[58,2316],"hand":[0,0],"roll":2,"mover":1,"turn":1}'""",
        "",
    ),
    "arena": ("arena connect_four uct:sims=400 uct:sims=100 mc:sims=400 --games 240", ""),
}


def screen(arguments: str, typed: str) -> str:
    """What a command prints on a terminal with colours."""
    terminal = {"FORCE_COLOR": "1", "COLORTERM": "truecolor", "TERM": "xterm-256color", "COLUMNS": str(WIDTH)}
    command = [sys.executable, "-m", "kibitz", *shlex.split(arguments)]
    shown = subprocess.run(
        command, input=typed, env={**os.environ, **terminal}, check=True, text=True, capture_output=True
    )
    return shown.stdout


def main() -> None:
    for name, (arguments, typed) in SCREENS.items():
        console = Console(record=True, width=WIDTH, file=open(os.devnull, "w"), highlight=False, emoji=False)  # noqa: SIM115
        console.print(Text.from_markup(f"[bold green]$[/] [bold]kibitz {arguments}[/]"))
        console.print(Text.from_ansi(screen(arguments, typed).rstrip()))
        console.save_svg(str(IMAGES / f"{name}.svg"), title="kibitz")


if __name__ == "__main__":
    main()
