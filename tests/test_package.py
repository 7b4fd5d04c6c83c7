"""What `import kibitz` alone gives: names that are imported when they are first used."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import kibitz
from kibitz.tournament import tournament


def test_import_kibitz_does_not_import_the_compiler():
    loaded = "import sys, kibitz; print('numba' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_every_public_name_is_found_and_listed():
    for name in kibitz.__all__:
        assert getattr(kibitz, name) is not None
        assert name in dir(kibitz)


def test_the_type_checker_sees_the_names_that_are_there():
    tree = ast.parse(Path(kibitz.__file__).read_text())
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {(alias.asname, node.module) for node in block.body for alias in node.names if alias.asname}
    assert seen == set(kibitz._MODULE_OF.items())


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'kibitz' has no attribute 'chess'"):
        _ = kibitz.chess
    with pytest.raises(ImportError):
        importlib.import_module("kibitz.chess")


def test_a_helper_that_does_not_compile_is_explained_before_any_rules_are_imported():
    program = (
        "import kibitz\n"
        "@kibitz.compiled\n"
        "def helper(x):\n    return x.colour\n"
        "try:\n    helper(1)\n"
        "except Exception as error:\n    print(type(error).__name__)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "RulesError"


def test_submodules_work_after_importing_kibitz_alone():
    program = (
        "import kibitz, sys\n"
        "assert not {'kibitz.tournament', 'kibitz.testing', 'kibitz.solve', 'kibitz.learn'} & set(sys.modules)\n"
        "assert {'arena', 'solve', 'testing'} <= set(dir(kibitz))\n"
        "kibitz.sets.add, kibitz.rng.below, kibitz.rules.engine.Engine\n"
        "kibitz.testing.check_game, kibitz.solve.solve, kibitz.learn.train, kibitz.arena\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_arena_shows_its_real_signature():
    assert inspect.signature(kibitz.arena) == inspect.signature(tournament.arena)
    assert "workers" in inspect.signature(kibitz.arena).parameters
