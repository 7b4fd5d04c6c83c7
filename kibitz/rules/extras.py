"""Extras: everything a game can provide besides its rules, found by one convention.

An extra is looked up as, in this order,

1. an attribute of the class of rules: `board = MyBoard`;
2. a name in the module that defines the class: `class Board(kibitz.Board)` or `BOTS = {…}` in `my_game.py`
   (classes and functions only if they are defined there, not imported);
3. for rules in a package, the same name in another module of the package: `BOTS` in `bots.py`.

| extra | attribute | name in a module | module in the package |
| --- | --- | --- | --- |
| names and words for moves, the board as text and as a scene | `board` | `Board` | `board.py` |
| the game's own bots | `bots` | `BOTS` | `bots.py` |
| named levels of opponents for people to choose from | `levels` | `LEVELS` | `bots.py` |
| sections of a tournament report | `report_sections` | `report_sections` | `report.py` |
| layouts of exported logs | `layouts` | `LAYOUTS` | `layouts.py` |
| the features of a position, for learning | `features` | `FEATURES` | `features.py` |
| how its moves can be renumbered, as in a mirror | `symmetries` | `symmetries` | `symmetries.py` |
| a numbering of all positions, for solvers | `position_index` | `position_index` | `index.py` |
| the exact odds in a position, for display | `forecast` | `forecast` | `forecast.py` |
| the file of a network that plays the game | `network` | `NETWORK` | `bots.py` |
| the file of its puzzles | `puzzles` | `PUZZLES` | `board.py` |
| what turns the values of its `best` into chances to win | `chance_scale` | `CHANCE_SCALE` | `bots.py` |
| whether a position that somebody typed is possible | `position_error` | `position_error` | `positions.py` |
| how a position is set up by hand | `editor` | `Editor` | `editor.py` |

An extra that is a function takes the game as its first argument, so a method of the class works too:
`def forecast(self, …)`. Mappings (bots, levels, layouts, features) may be functions of the game if they depend on the
variant; so may the names of files (kibitz/rules/shipped_files.py). Extras are never compiled with the rules and do not
affect their identity.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from kibitz.errors import RulesError


class Extra(NamedTuple):
    """Where to look for an extra; the key of EXTRAS is the name of its attribute."""

    name: str  # in a module
    module: str  # in the package of the rules


EXTRAS: Mapping[str, Extra] = {
    "board": Extra("Board", "board"),
    "bots": Extra("BOTS", "bots"),
    "levels": Extra("LEVELS", "bots"),
    "report_sections": Extra("report_sections", "report"),
    "layouts": Extra("LAYOUTS", "layouts"),
    "features": Extra("FEATURES", "features"),
    "symmetries": Extra("symmetries", "symmetries"),
    "position_index": Extra("position_index", "index"),
    "forecast": Extra("forecast", "forecast"),
    "network": Extra("NETWORK", "bots"),
    "puzzles": Extra("PUZZLES", "board"),
    "chance_scale": Extra("CHANCE_SCALE", "bots"),
    "position_error": Extra("position_error", "positions"),
    "editor": Extra("Editor", "editor"),
}


def find_extra(game: Any, extra: str) -> Any:
    """A game's extra of that name, or None; functions are already bound to the game."""
    where = EXTRAS[extra]
    if (own := getattr(type(game), extra, None)) is not None:
        found = getattr(game, extra) if callable(own) and not isinstance(own, type) else own
    else:
        found = _in_modules(type(game), where)
        if callable(found) and not isinstance(found, type):
            found = functools.partial(found, game)
    return found


def find_mapping(game: Any, extra: str) -> Mapping[str, Any]:
    """An extra that is a mapping, or a function of the game that returns one; empty if the game has none."""
    found = find_extra(game, extra)
    mapping = found() if callable(found) else found
    if mapping is not None and not isinstance(mapping, Mapping):
        kind = type(mapping).__name__
        raise RulesError(f"{type(game).__name__}: {extra} (or {EXTRAS[extra].name}) must be a mapping, not {kind}.")
    return mapping or {}


def _in_modules(cls: type, where: Extra) -> Any:
    module = sys.modules.get(cls.__module__)
    found = getattr(module, where.name, None)
    if callable(found) and found.__module__ != cls.__module__:
        found = None
    if found is None and (package := getattr(module, "__package__", None)):
        beside = f"{package}.{where.module}"
        if importlib.util.find_spec(beside) is not None:
            found = getattr(importlib.import_module(beside), where.name, None)
    return found
