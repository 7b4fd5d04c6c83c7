"""Everything that kibitz itself compiles can be cached on disk."""

import importlib
import pkgutil

import pytest

import kibitz
from kibitz.compiler.digest import digest, is_local
from kibitz.compiler.dispatcher import Compiled

PACKAGES = ("rules", "table", "search", "solve", "learn", "tournament", "games")
MODULES = [
    module.name
    for package in PACKAGES
    for module in pkgutil.walk_packages([f"{kibitz.__path__[0]}/{package}"], f"kibitz.{package}.")
    if not module.ispkg
]


def compiled_in(module):
    return [value for value in vars(importlib.import_module(module)).values() if isinstance(value, Compiled)]


def test_there_is_something_to_test():
    assert sum(bool(compiled_in(module)) for module in MODULES) > 30


@pytest.mark.parametrize("module", MODULES)
def test_no_compiled_function_of_kibitz_has_a_local_digest(module):
    assert not [f.py_func.__name__ for f in compiled_in(module) if is_local(digest(f))]
