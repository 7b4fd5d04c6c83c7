"""What the games of a tournament depend on besides its settings: kibitz, the rules and the files of games and bots.

It is written into the log, and a tournament can only be resumed if nothing of it has changed: otherwise the log would
mix games that cannot be reproduced together. Of a file in Python, the modules and packages in its own folder that it
imports count, too, and those that they import. What a bot reads otherwise, such as weights that it opens itself, is not
known here; a file that an option of a bot that ships with kibitz names is.
"""

from __future__ import annotations

import hashlib
import inspect
import platform
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kibitz import notices
from kibitz.compiler.digest import is_local
from kibitz.errors import KibitzError
from kibitz.players.options import FILE, options_in
from kibitz.players.roster import Entrant
from kibitz.rules.contract import Game
from kibitz.rules.registry import spec_of
from kibitz.rules.shipped_network import shipped_network
from kibitz.rules.source import sources_of
from kibitz.rules.spec import parse_spec
from kibitz.version import VERSION

IDENTITY = "identity"  # the key in the index of a log


def identity_of(game: Game, entrants: Sequence[Entrant]) -> dict[str, Any]:
    """The identity of a tournament, in JSON-compatible values."""
    own = parse_spec(spec_of(game)).file
    files = {*sources_of(own[0]), *_network_of(game, own[0])} if own else set()
    for entrant in entrants:
        files.update(_files_of(entrant))
    rules = game.content
    identity: dict[str, Any] = {
        "rules": None if is_local(rules) else rules,  # a digest of their code
        "files": {path.as_posix(): _hash_of(path) for path in sorted(files)},
    }
    if classes := {entrant.spec: _source_of(entrant) for entrant in entrants if entrant.is_given}:
        identity["classes"] = classes
    return identity


def _network_of(game: Game, rules: Path) -> Iterator[Path]:
    """The network that ships with a game in a file, named relative to the current folder if the game is."""
    network, folder = shipped_network(game), rules.parent.resolve()
    if network and network.is_file():
        yield rules.parent / network.relative_to(folder) if network.is_relative_to(folder) else network


def _files_of(entrant: Entrant) -> Iterator[Path]:
    """The files that a bot depends on."""
    if entrant.parsed.file:
        yield from sources_of(entrant.parsed.file[0])
    for key, option in options_in(entrant.cls).items() if entrant.cls else ():
        value = entrant.options.get(key)
        if value and option.names == FILE and Path(value).is_file():
            yield Path(value)
    for nested in entrant.nested:
        yield from _files_of(nested)


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _source_of(entrant: Entrant) -> str | None:
    """The hash of the text of a class in this program; None if there is no text."""
    assert entrant.cls is not None
    try:
        return hashlib.sha256(inspect.getsource(entrant.cls).encode()).hexdigest()
    except (OSError, TypeError):
        return None


# ------------------------------------------------------------------ in the index of a log


def check_identity(folder: Path, index: Mapping[str, Any], identity: Mapping[str, Any]) -> None:
    """Raise an error if the tournament in a log depends on something that has changed since it began."""
    begun = index.get(IDENTITY)
    if begun is None:
        notices.tell(
            f"The log {folder} is from an earlier version of kibitz; if bots or rules have changed since, "
            "that goes unnoticed."
        )
        return
    for kind in ("files", "classes"):
        theirs, ours = begun.get(kind, {}), identity.get(kind, {})
        for name in {**theirs, **ours}:
            if theirs.get(name) != ours.get(name):
                raise _changed(folder, name if kind == "files" else f"The class of {name}")
    versions = index.get("versions", {})
    if versions.get("kibitz") != VERSION:
        raise KibitzError(
            f"The tournament in {folder} began with kibitz {versions.get('kibitz')}, whose bots may play differently; "
            "resume it with that version, or begin a new log."
        )
    same_python = versions.get("python", "").split(".")[:2] == platform.python_version().split(".")[:2]
    if begun.get("rules") != identity.get("rules") and same_python:  # the digest covers what Python made of the code
        raise _changed(folder, f"The code of {index['tournament']['game']}")


def _changed(folder: Path, what: str) -> KibitzError:
    return KibitzError(
        f"{what} has changed since the tournament in {folder} began; undo that to resume it, or begin a new log."
    )
