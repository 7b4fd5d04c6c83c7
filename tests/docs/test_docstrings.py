"""Everything that users import is documented with an example, and every example is right.

Public is what the reference lists: everything in `kibitz.__all__`, and what the pages tell people to import.
"""

import ast
import doctest
import functools
import importlib
import inspect
import re
import types

import pytest
from doc_pages import PAGES, PYTHON, ROOT
from make_site import REFERENCE

import kibitz

PUBLIC = [name for names in REFERENCE.values() for name in names]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def resolved(name):
    """The object of a dotted name."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        return functools.reduce(getattr, parts[length:], found)
    raise AssertionError(name)


def function_of(member):
    """The function behind a method, a property or a compiled function; None if it is something else."""
    for attribute in ("__func__", "fget", "func", "py_func"):
        member = getattr(member, attribute, member)
    return member if inspect.isfunction(member) else None


def members(owner):
    """The public functions of a class or a module, with their names; classes of a module, too."""
    for name, member in vars(owner).items():
        if name.startswith("_"):
            continue
        if isinstance(owner, types.ModuleType) and inspect.isclass(member) and member.__module__ == owner.__name__:
            yield name, member
        elif (function := function_of(member)) is not None and function.__module__ == owner_module(owner):
            yield name, function


def owner_module(owner):
    return owner.__name__ if isinstance(owner, types.ModuleType) else owner.__module__


def documented():
    """Every public thing: its name, itself, and what it belongs to, if anything."""
    for name in PUBLIC:
        thing = resolved(name)
        if isinstance(thing, int):  # a constant
            continue
        yield name, thing, None
        if isinstance(thing, type | types.ModuleType):
            for member, function in members(thing):
                yield f"{name}.{member}", function, thing
                if inspect.isclass(function):
                    for inner, method in members(function):
                        yield f"{name}.{member}.{inner}", method, function


DOCUMENTED = list(documented())


def example_in(thing):
    """The code of the examples of a docstring."""
    return "".join(example.source for example in doctest.DocTestParser().get_examples(inspect.getdoc(thing) or ""))


def test_the_reference_lists_all_public_names():
    assert {f"kibitz.{name}" for name in kibitz.__all__} <= {*PUBLIC}


def test_the_reference_lists_what_the_pages_import():
    imported = set()
    for block in (block for page in PAGES for block in page.blocks if block.language == PYTHON and not block.excerpt):
        for node in ast.walk(ast.parse(block.text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("kibitz."):
                imported |= {f"{node.module}.{alias.name}" for alias in node.names}
    modules = {name for name in imported if isinstance(resolved(name), types.ModuleType)}
    assert len(imported - modules) > 10
    assert imported - modules <= {*PUBLIC}


@pytest.mark.parametrize(("name", "thing", "owner"), DOCUMENTED, ids=[name for name, *_ in DOCUMENTED])
def test_everything_public_has_a_docstring_and_an_example(name, thing, owner):
    """A method may be shown in the example of its class, a function in that of its module."""
    words = thing.__doc__ or ""
    assert words, f"{name} has no docstring"
    assert not words.startswith(f"{name.rpartition('.')[2]}("), f"{name} has no docstring but that of a dataclass"
    shown = rf"\b{name.rpartition('.')[2]}\b"
    assert example_in(thing) or re.search(shown, example_in(owner)), f"{name} has no example"


EXAMPLES = [(name, thing) for name, thing, _ in DOCUMENTED if example_in(thing)]


@pytest.mark.parametrize(("name", "thing"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_an_example_shows_what_it_says(name, thing, tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    wrong = []
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(thing), {}, name, None, None)
    doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=wrong.append)
    assert not wrong, "".join(wrong)
