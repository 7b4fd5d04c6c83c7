"""Specs: `name`, or `name:key=value,key=value`. The name can be `path/file.py:Class`, prefixed with `adapter:` if the
bot in the file was written for another project. A value with commas, such as the spec of another bot, stands in
parentheses: `mc:by=(name:key=value,key=value)`. `cmd:PROGRAM ARGS` is a program in any language; everything after the
colon is its command line, so it has no options.
"""

from __future__ import annotations

import difflib
import importlib.util
import math
import re
import shlex
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from kibitz.errors import KibitzError, SpecError
from kibitz.rules.source import place_of_exception

COMMAND = "cmd:"
ADAPTED = re.compile(r"([a-z][a-z0-9-]+):.*\.py:")  # at least two letters: one letter is a drive on Windows
HIGHEST = 2**63 - 1  # the range of numbers in compiled code
TRUE, FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


@dataclass(frozen=True)
class Spec:
    """A parsed spec: `connect_four:columns=5` → name, options."""

    name: str
    options: Mapping[str, str]

    @property
    def command(self) -> tuple[str, ...]:
        """The program and its arguments of a `cmd:PROGRAM ARGS` spec; otherwise empty."""
        return tuple(shlex.split(self.name.removeprefix(COMMAND))) if self.name.startswith(COMMAND) else ()

    @property
    def adapter(self) -> str:
        """The project that the bot in an `adapter:path/file.py:which` spec was written for; otherwise ""."""
        found = None if self.command else ADAPTED.match(self.name)
        return found[1] if found else ""

    @property
    def file(self) -> tuple[Path, str] | None:
        """The file and class of a `path/file.py:Class` spec, with or without an adapter."""
        if self.command:
            return None
        name = self.name.removeprefix(f"{self.adapter}:")
        path, separator, cls = name.rpartition(":")
        return (Path(path), cls) if separator and path.endswith(".py") else None


def parse_spec(text: str) -> Spec:
    """Parse a spec; the values of options remain strings."""
    text = text.strip()
    if text.startswith(COMMAND):
        return _parse_command(text)
    head, separator, tail = text.partition(".py:")
    if separator:
        cls, _, options = tail.partition(":")
        name = f"{head}.py:{cls}"
    else:
        name, _, options = text.partition(":")
    if not name or text.endswith(":"):
        raise SpecError(f"{text!r} is not a valid spec; write name or name:key=value,key=value.")
    if name.endswith(".py"):
        raise SpecError(f"{text!r} is a file; add the name of the class, as in {name}:MyClass.")
    if options and "=" not in options and Path(f"{name}.py").is_file():
        raise SpecError(f"{text!r} lacks the ending of the file; write {name}.py:{options}.")
    return Spec(name, parse_options(options, text))


def _parse_command(text: str) -> Spec:
    try:
        words = shlex.split(text.removeprefix(COMMAND))
    except ValueError as error:  # a quotation mark is missing
        raise SpecError(f"{text!r} is not a valid command line: {str(error)[:1].lower()}{str(error)[1:]}.") from None
    if not words or not words[0]:
        raise SpecError(f"{text!r} names no program; write 'cmd:PROGRAM ARGS', as in 'cmd:./bot --depth 3'.")
    return Spec(text, {})


def parse_options(options: str, text: str) -> dict[str, str]:
    """Parse `key=value,key=value`, which is part of `text`."""
    parsed: dict[str, str] = {}
    for part in _separated(options, text) if options else ():
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if value.startswith("(") and value.endswith(")"):
            value = value[1:-1].strip()
        if not equals or not key or not value:
            raise SpecError(f"{part!r} in {text!r} is not of the form key=value.")
        if key in parsed:
            raise SpecError(f"{key} is given twice in {text!r}.")
        parsed[key] = value
    return parsed


def _separated(options: str, text: str) -> list[str]:
    """Split options at the commas outside parentheses."""
    parts, depth = [""], 0
    for sign in options:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            break
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    if depth:
        raise SpecError(f"The parentheses in {text!r} do not match.")
    return parts


def option_text(key: str, value: Any) -> str:
    """An option as it is written in a spec."""
    return f"{key}=({value})" if "," in str(value) else f"{key}={value}"


def converted(options: Mapping[str, str], defaults: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """The options converted to the types of their defaults; a SpecError lists the valid ones if one is unknown."""
    values = {}
    for key, text in options.items():
        if key not in defaults:
            known = f"; it has {', '.join(defaults)}" if defaults else "; it has none"
            raise SpecError(f"{owner} has no option {key!r}{known}.")
        values[key] = _convert(key, text, defaults[key], owner)
    return values


def _convert(key: str, text: str, default: Any, owner: str) -> Any:
    kind = type(default)
    try:
        if kind is bool:
            if text.lower() not in TRUE + FALSE:
                raise ValueError
            return text.lower() in TRUE
        value = kind(text)
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError
    except ValueError:
        wanted = {bool: "yes or no", int: "a whole number", float: "a number"}.get(kind, kind.__name__)
        raise SpecError(f"{owner}: {key} must be {wanted}, not {text!r}.") from None
    if isinstance(value, int) and abs(value) > HIGHEST:
        raise SpecError(f"{owner}: {key} must be a whole number that fits in 64 bits, not {text!r}.")
    return value


def whole_number(value: Any, name: str, least: int, most: int | None = None) -> int:
    """A number given from Python as an int; NumPy's integers will do. `name` begins the error's sentence."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < least:
        raise KibitzError(f"{name} must be a whole number of at least {least}, not {value!r}.")
    if most is not None and value > most:
        raise KibitzError(f"{name} must be at most {most:,}, not {value:,}.")
    return int(value)


def unknown(what: str, name: str, known: Iterable[str], otherwise: str = "") -> SpecError:
    """The error for an unknown name; it suggests the closest known one, or lists them all and says what else to try."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, 1)
    hint = f" Did you mean {close[0]}?" if close else f" Available: {', '.join(names)}. {otherwise}".rstrip()
    return SpecError(f"There is no {what} {name!r}.{hint}")


_FILES: dict[Path, tuple[int, ModuleType]] = {}


def load_class(path: Path, name: str) -> Any:
    """Load a class from a file; the file can import modules from its own folder."""
    module = load_file(path)
    if not isinstance(getattr(module, name, None), type):
        classes = [k for k, v in vars(module).items() if isinstance(v, type) and v.__module__ == module.__name__]
        raise unknown(f"class in {path} called", name, classes)
    return getattr(module, name)


def load_file(path: Path) -> ModuleType:
    """Load a file as a module; it is loaded again only if it has changed."""
    if not path.is_file():
        raise SpecError(f"There is no file {path}.")
    full = path.resolve()
    changed = full.stat().st_mtime_ns
    if full not in _FILES or _FILES[full][0] != changed:
        _FILES[full] = changed, _load_file(full)
    return _FILES[full][1]


def _load_file(path: Path) -> ModuleType:
    name = path.stem
    while name in sys.modules:  # never replace another module
        name += "_"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        if isinstance(error, SyntaxError):
            source = f"\n    {error.text.strip()}" if error.text else ""
            raise SpecError(f"{path.name} line {error.lineno}: {error.msg}.{source}") from None
        if isinstance(error, KibitzError):
            known = path.name in str(error)  # with the line
            raise SpecError(f"{error}" if known else f"{path.name}: {error}") from error
        place = place_of_exception(error)
        source = place.quoted if place else ""
        raise SpecError(f"{place or path.name}: {type(error).__name__}: {error}.{source}") from error
    return module
