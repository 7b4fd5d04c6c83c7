"""The secret of a tournament, in the folder of its log.

While the tournament can go on, the secret is in a file that only its owner can read, because resuming needs it; at the
end it is published in the log's index. From the start, the index holds a commitment, a hash of the tournament's
description, its identity (identity.py) and its secret, so that a change of any of them is noticed.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from kibitz.errors import KibitzError
from kibitz.rules.rng import as_secret

SECRET_FILE = ".secret"


def commitment(tournament: dict[str, Any], identity: Any, secret: str | None) -> str:
    """A hash of a tournament's description, of its identity and of its secret; it reveals nothing about the secret."""
    text = json.dumps([tournament, identity, secret], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=32).hexdigest()


def keep_secret(folder: Path, secret: str) -> None:
    """Write a secret to a file that only its owner can read."""
    delete_secret(folder)  # of a tournament that died before its log began
    file = os.open(folder / SECRET_FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(file, "w") as opened:
        opened.write(f"{secret}\n")
        opened.flush()
        os.fsync(file)


def kept_secret(folder: Path) -> str | None:
    """The secret that is kept in a folder; None if there is none."""
    path = folder / SECRET_FILE
    try:
        return as_secret(path.read_text().strip())
    except FileNotFoundError:
        return None
    except (KibitzError, OSError, UnicodeDecodeError):
        raise KibitzError(f"{path} is damaged or not readable, but holds the secret of the tournament.") from None


def delete_secret(folder: Path) -> None:
    (folder / SECRET_FILE).unlink(missing_ok=True)
