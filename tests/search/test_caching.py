"""Everything that kibitz itself compiles can be kept on disk."""

import importlib
import pkgutil

import pytest

import kibitz.search
from kibitz.compiled import Compiled
from kibitz.content import digest, is_local

SEARCHES = [f"kibitz.search.{module.name}" for module in pkgutil.iter_modules(kibitz.search.__path__)]


@pytest.mark.parametrize(
    "module", [*SEARCHES, "kibitz.rng", "kibitz.sets", "kibitz.perft", "kibitz.arena.compiled_match"]
)
def test_compiled_functions_of_kibitz_have_a_digest_that_holds_everywhere(module):
    functions = [value for value in vars(importlib.import_module(module)).values() if isinstance(value, Compiled)]
    assert not [f.py_func.__name__ for f in functions if is_local(digest(f))]
