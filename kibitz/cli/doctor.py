"""`kibitz doctor`: what this machine can do for bots that are not trusted."""

from __future__ import annotations

import os
import platform
from typing import Any

from rich.markup import escape
from rich.padding import Padding

from kibitz.cli.screen import JsonOption, print_json, screen, words
from kibitz.sandbox.levels import SandboxLevel, choose_level, promises, why_not
from kibitz.version import VERSION


def doctor(json: JsonOption = False) -> None:
    """Say which sandbox this machine gives to bots that do not ship with kibitz, and what it promises.

    Example: `kibitz doctor`
    """
    chosen = choose_level()
    if json:
        print_json(_summary(chosen))
        return
    user = "root" if os.geteuid() == 0 else "an ordinary user"
    screen.print(f"[dim]kibitz {VERSION}, Python {platform.python_version()}, {platform.system()}, as {user}[/]")
    for level in SandboxLevel:
        why = why_not(level)
        sign = "[bold green]✓[/]" if why is None else "[yellow]–[/]"
        used = "  [bold](used)[/]" if level is chosen else ""
        screen.print(f"{sign} {level}{used}" + (f"  [dim]{escape(why)}[/]" if why else ""), soft_wrap=True)
    screen.print(f"\nBots from files, and programs, play in the sandbox [bold]{chosen}[/]:")
    for kept, promise in promises(chosen):
        sign, words_for = ("[green]✓[/]", promise) if kept else ("[yellow]✗[/]", f"not promised: {promise}")
        screen.print(Padding(f"{sign} {escape(words_for)}", (0, 0, 0, 2), expand=False))
    if chosen is SandboxLevel.NONE:
        screen.print(words("Without a sandbox, a bot can do all that you can do: read it before you run it.", "yellow"))


def _summary(chosen: SandboxLevel) -> dict[str, Any]:
    return {
        "sandbox": chosen,
        "levels": {level: why_not(level) for level in SandboxLevel},
        "promises": [{"kept": kept, "promise": promise} for kept, promise in promises(chosen)],
    }
