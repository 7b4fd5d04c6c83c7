"""`kibitz games` and `kibitz bots`: list games and bots."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping, Sequence
from typing import Any

from rich.padding import Padding

from kibitz.cli.screen import GameArgument, JsonOption, print_json, screen, words
from kibitz.display.wording import about
from kibitz.players.options import Option
from kibitz.players.roster import bots_for, options_of
from kibitz.rules.contract import Game
from kibitz.rules.registry import find_game, game_names, spec_of


def games(json: JsonOption = False) -> None:
    """List the games and their variants.

    Choose a variant in the game's spec: `kibitz play connect_four:columns=9,rows=5`
    """
    rows = [_facts(name, find_game(name)) for name in game_names()]
    if json:
        return print_json({"games": rows})
    for row in rows:
        players = f"{row['players']} player" + "s" * (row["players"] > 1)
        nature = [word for word in ("chance", "hidden information") if row[word.partition(" ")[0]]]
        _print_entry(row["game"], row["about"], [players, *nature], row["variants"])
    return None


def _facts(name: str, game: Game) -> dict[str, Any]:
    return {
        "game": name,
        "players": game.players,
        "chance": game.has_chance,
        "hidden": game.has_hidden_information,
        "variants": {f.name: _as_in_specs(f.default) for f in dataclasses.fields(game)},  # type: ignore[arg-type]
        "about": about(game),
    }


def _as_in_specs(value: Any) -> Any:
    return str(value) if isinstance(value, enum.Enum) else value


def bots(game: GameArgument, json: JsonOption = False) -> None:
    """List the bots that can play a game, and their options.

    Set options in the bot's spec: `kibitz play connect_four --vs uct:ms=500,c=1.2`
    """
    rules = find_game(game)
    listed = [(name, line, options_of(name, rules)) for name, line in bots_for(rules).items()]
    if json:
        rows = [
            {"bot": name, "about": line, "options": {key: option.default for key, option in options.items()}}
            for name, line, options in listed
        ]
        return print_json({"game": spec_of(rules), "bots": rows})
    for name, line, options in listed:
        _print_entry(name, line, [], _defaults(options))
    return None


def _defaults(options: Mapping[str, Option]) -> dict[str, Any]:
    """The defaults to print: `sims=1000 unless ms is given`, and no `ms=0` beside it."""
    replaced = {other for option in options.values() for other in option.unless}
    return {
        key: f"{option.default} unless {' or '.join(option.unless)} is given" if option.unless else option.default
        for key, option in options.items()
        if key not in replaced
    }


def _print_entry(name: str, about: str, traits: Sequence[str], options: Mapping[str, Any]) -> None:
    """Print an entry of a list: its name, description and options."""
    screen.print(words(name, "bold cyan"))
    screen.print(Padding(words(about), (0, 0, 0, 2), expand=False))
    shown = [*traits, ", ".join(f"{key}={_yes_or_no(value)}" for key, value in options.items())]
    screen.print(Padding(words(" · ".join(filter(None, shown)), "dim"), (0, 0, 0, 2), expand=False))


def _yes_or_no(value: Any) -> Any:
    return ("no", "yes")[value] if isinstance(value, bool) else value
