"""Turns specs into games and games into specs."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from kibitz.errors import KibitzError, SpecError
from kibitz.rules.contract import REQUIRED, REQUIRED_FACTS, Game
from kibitz.rules.remedies import explained_exception
from kibitz.rules.source import defined_in, place_of_class, place_of_exception
from kibitz.rules.spec import converted, load_class, parse_spec, unknown

SHIPPED = "kibitz.games"  # one package per game; imported by name, so that nothing here depends on any of them
# Games of other libraries: a function in kibitz/adapters that finds the class of rules for the options of a spec.
LIBRARIES: Mapping[str, str] = {"openspiel": "kibitz.adapters.openspiel_rules:rules_of"}
_FOLDER = Path(__file__).parent.parent / "games"
GameLike: TypeAlias = Game | type | str  # whatever `as_game` takes


def game_names() -> list[str]:
    """The names of the games that ship with kibitz.

    Examples:
        >>> import kibitz
        >>> kibitz.game_names()
        ['camelup', 'connect_four', 'hexplode', 'mexican_train', 'separo', 'ur']
    """
    return sorted(module.name for module in pkgutil.iter_modules([str(_FOLDER)]) if module.ispkg)


def as_game(what: GameLike, **options: Any) -> Game:
    """The game that is meant: by a spec, by a class with `@kibitz.game` above it, or by a game itself."""
    if isinstance(what, Game) and not options:
        return what
    if isinstance(what, str):
        return find_game(what, **options)
    cls = what if isinstance(what, type) else type(what)
    if issubclass(cls, Game):
        same = {} if what is cls else {f.name: getattr(what, f.name) for f in dataclasses.fields(cls)}  # type: ignore[arg-type]
        return _made(cls, cls.__name__, {**same, **options})
    if what is cls or all(hasattr(cls, method) for method in REQUIRED):
        raise SpecError(f"{cls.__name__} is not a game; put @kibitz.game above the class.")
    raise SpecError(
        f"{what!r:.60} is not a game; name one, such as 'connect_four', or give a class with @kibitz.game above it."
    )


def find_game(spec: str, **options: Any) -> Game:
    """The game that a spec names: `connect_four`, `connect_four:columns=5,rows=4`, `path/file.py:MyGame`."""
    parsed = parse_spec(spec)
    cls: Any = _game_class(spec)
    defaults = _defaults(cls)
    for key in parsed.options:
        if key not in defaults and isinstance(getattr(cls, key, None), int | float):
            raise SpecError(f"{key} is a constant of {cls.__name__}; to make it an option, write {key}: int = …")
    values = converted(parsed.options, defaults, parsed.name)
    return _made(cls, spec, {**values, **options})


def _defaults(cls: Any) -> dict[str, Any]:
    return {f.name: f.default for f in dataclasses.fields(cls)}


def _made(cls: type[Game], spec: str, options: dict[str, Any]) -> Game:
    """A game of a class; its mistakes are reported under the name by which it was asked for."""
    defaults = _defaults(cls)
    for key in options:
        if key not in defaults:
            name = parse_spec(spec).name
            raise SpecError(f"{name} has no option {key!r}; it has {', '.join(defaults) or 'none'}.")
    try:
        rules = cls(**options)
        for fact in REQUIRED_FACTS:
            _check_fact(spec, rules, fact)
    except KibitzError:
        raise
    except (TypeError, ValueError) as error:
        raise SpecError(f"{spec}: {error}") from None
    except Exception as error:
        place = place_of_exception(error)
        where = f"{place.within}, {place}" if place else spec
        raise SpecError(f"{where}: {explained_exception(error)}") from error
    return rules


def _check_fact(spec: str, rules: Game, fact: str) -> None:
    value = getattr(rules, fact)
    if not isinstance(value, int) or value < 1:
        where = defined_in(type(rules), fact)
        raise SpecError(f"{spec}: {fact} must be a whole number of at least 1, not {value!r}{where}.")


def _game_class(spec: str) -> type[Game]:
    parsed = parse_spec(spec)
    if parsed.file:
        cls = load_class(*parsed.file)
        if not issubclass(cls, Game):
            place = place_of_class(cls)
            where = f" ({place})" if place else ""
            raise SpecError(f"{parsed.name} is not a game; put @kibitz.game above the class{where}.")
        cls.spec_name = parsed.name
        return cls
    if parsed.name in LIBRARIES:
        module_name, _, function = LIBRARIES[parsed.name].partition(":")
        return getattr(importlib.import_module(module_name), function)(parsed.options)
    if parsed.name not in game_names():
        names = [*game_names(), *LIBRARIES]
        raise unknown("game", parsed.name, names, "A game of your own is named by its file and class: file.py:Class.")
    module = importlib.import_module(f"{SHIPPED}.{parsed.name}.rules")
    classes = [
        v
        for v in vars(module).values()
        if isinstance(v, type) and issubclass(v, Game) and v.__module__ == module.__name__
    ]
    return classes[0]


def is_shipped(cls: type) -> bool:
    """Whether a class ships with kibitz."""
    return cls.__module__.startswith("kibitz.")


def spec_of(game: Game) -> str:
    """The spec of a game, with the options that differ from their defaults."""
    cls = type(game)
    package = cls.__module__.removeprefix(f"{SHIPPED}.")
    shipped = package != cls.__module__
    name = package.partition(".")[0] if shipped else getattr(cls, "spec_name", cls.__name__)
    options = [
        f"{f.name}={getattr(game, f.name)}"
        for f in dataclasses.fields(cls)  # type: ignore[arg-type]
        if getattr(game, f.name) != f.default
    ]
    return f"{name}:{','.join(options)}" if options else str(name)


def can_be_found(rules: Game) -> bool:
    """Whether another process can find this game by its spec; not the case for a class defined in a notebook."""
    try:
        return find_game(spec_of(rules)) == rules
    except KibitzError:
        return False
