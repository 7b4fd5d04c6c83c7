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
    "separo": (
        "analyse separo --moves '"
        "8,8-7,7-7,6 0,8-1,7-2,7 0,0-1,1-1,2 8,0-7,1-7,2 1,2-2,3-2,4 2,7-3,8-4,8 2,4-1,5-0,5 7,2-6,3-5,3 "
        "2,3-3,2-3,1 7,1-6,0-5,0 1,2-0,3-0,4 2,7-3,6-4,6 7,6-6,5-6,4 4,8-5,7-5,6 3,1-2,0-1,0 5,6-4,5-4,4 "
        "7,6-8,5-8,4 5,0-4,1-4,2 7,7-6,8-5,8 4,6-5,5-5,4 5,8-4,7-3,7 4,2-3,3-3,4 6,4-7,3-8,3 3,4-2,5-2,6 "
        "3,7-2,8-1,8 5,5-6,6-6,7 1,8-0,7-0,6 3,3-2,2-2,1 1,0-0,1-0,2 2,5-1,4-1,3'",
        "",
    ),
    "camelup": (
        "odds camelup --seed 12 --moves '"
        "mirage 3 loser c_1 roll loser c_1 leg c_4 roll leg c_2 leg c_4 leg c_3 roll leg c_1 leg c_1 oasis 5 roll "
        "leg c_3 leg c_3 winner c_3 roll leg c_2 leg c_3 leg c_3 mirage 5'",
        "",
    ),
    "mexican_train": (
        "analyse mexican_train --seed 5 --moves '"
        "draw 3|12 train 0 6|12 train 1 8|12 train 2 10|12 train 3 3|10 train 0 1|12 sauce 1|8 sauce 5|10 train 3 "
        "1|10 train 0 5|8 sauce 5|7 sauce 0|5 train 3 4|7 sauce 3|4 sauce 3|3 sauce draw pass 3|9 sauce'",
        "",
    ),
    "hexplode": ("play hexplode:side=3 --vs sentry --seed 1", "tile_0_0\ntile_0_0\ntile_0_0\n"),
    "arena": ("arena connect_four uct:sims=400 uct:sims=100 mc:sims=400 --games 240 --seed 1", ""),
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
