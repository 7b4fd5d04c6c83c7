"""What the shell completes after `kibitz --install-completion`: the names of games and of bots."""

from __future__ import annotations

import typer

from kibitz.errors import KibitzError


def complete_game(incomplete: str) -> list[str]:
    """The games that ship with kibitz; a file is completed by the shell itself."""
    from kibitz.rules.registry import game_names

    return [name for name in game_names() if name.startswith(incomplete)]


def complete_bot(context: typer.Context, incomplete: str) -> list[str]:
    """The bots that can play the game that was named before."""
    from kibitz.players.roster import bots_for
    from kibitz.rules.registry import find_game

    game = context.params.get("game") or next(iter(context.args), "")  # not parsed yet if an option is incomplete
    try:
        bots = bots_for(find_game(game))
    except KibitzError:
        return []
    return [name for name in bots if name.startswith(incomplete) and ":" not in name]  # not the form of a file's spec
