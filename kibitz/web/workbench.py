"""Everything that looking at a variant, compiling it or solving it may need, imported once for all processes of the
workshop: they are forked from one that has imported this."""

import contextlib
import importlib
import pkgutil

import kibitz.games
import kibitz.web.variants
from kibitz.players.roster import GENERIC, TRAINED

for _name in (
    *(module.name for module in pkgutil.walk_packages(kibitz.games.__path__, "kibitz.games.")),
    *(path.partition(":")[0] for path in (*GENERIC.values(), *(trained.path for trained in TRAINED.values()))),
):
    with contextlib.suppress(ImportError):  # of a library that is not installed
        importlib.import_module(_name)
