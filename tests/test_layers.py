"""The architecture, asserted: imports point one way, and no name means two things. See docs/architecture.md."""

import ast
import importlib
import inspect
import pkgutil
import types
from collections import defaultdict
from pathlib import Path

import pytest

import kibitz

ROOT = Path(kibitz.__file__).parent
# From the bottom up. A package may import those in the rows before its own, and modules of its own.
LAYERS = (
    {"allocator", "errors", "version", "notices"},
    {"sandbox"},
    {"state"},
    {"compiler"},
    {"cluster"},
    {"rules"},
    {"display"},
    {"table"},
    {"players"},
    {"search"},
    {"solve"},
    {"records"},
    {"tournament"},
    {"report"},
    {"learn"},
    {"environments"},
    {"games"},
    {"analysis", "testing", "adapters"},
    {"web"},
    {"cli"},
)
LEVEL = {package: level for level, packages in enumerate(LAYERS) for package in packages}
MODULES = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT or path.stem in LEVEL)


def imported_by(path):
    """Every module of kibitz that a file imports, also late, inside functions; not for the type checker alone."""
    tree = ast.parse(path.read_text())
    for_types = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in for_types:
            continue
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            if node.module == "kibitz":
                yield from (f"kibitz.{alias.name}" for alias in node.names)
            elif node.module and node.module.startswith("kibitz."):
                yield node.module
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "kibitz")


def package_of(path):
    return path.relative_to(ROOT).with_suffix("").parts[0]


def test_every_package_has_its_place():
    there = {path.stem if path.is_file() else path.name for path in ROOT.iterdir() if path.suffix in ("", ".py")}
    assert there - {"__init__", "__main__", "__pycache__"} == set(LEVEL)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path):
    own = package_of(path)
    for name in imported_by(path):
        package = name.split(".")[1] if "." in name else ""
        if package == own or package not in LEVEL:  # its own, or one of the public names of `kibitz`
            continue
        assert LEVEL[package] < LEVEL[own], f"{own} imports {name}, which lies above it or beside it"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_public_package_is_imported_by_what_lies_on_top_of_it_only(path):
    """`import kibitz` needs players; what `kibitz` itself imports must not need `kibitz`."""
    if LEVEL[package_of(path)] <= LEVEL["players"]:
        tops = {name for name in imported_by(path) if name == "kibitz" or name.split(".")[1] not in LEVEL}
        assert not tops


def test_no_modules_import_each_other_in_a_circle():
    names = {".".join(["kibitz", *path.relative_to(ROOT).with_suffix("").parts]): path for path in MODULES}
    names = {name.removesuffix(".__init__"): path for name, path in names.items()}
    imports = {name: {other for other in imported_by(path) if other in names} - {name} for name, path in names.items()}
    for name in names:  # a module's own package is imported before it; what that re-exports is no circle of its own
        imports[name].discard(name.rpartition(".")[0])
    done, path = set(), []

    def visit(name):
        assert name not in path, " → ".join([*path[path.index(name) :], name])
        if name in done:
            return
        path.append(name)
        for other in sorted(imports[name]):
            visit(other)
        path.pop()
        done.add(name)

    for name in sorted(names):
        visit(name)


# ------------------------------------------------------------------ names


def all_modules():
    found = [importlib.import_module("kibitz")]
    for info in pkgutil.walk_packages(kibitz.__path__, "kibitz."):
        if info.name != "kibitz.__main__":
            found.append(importlib.import_module(info.name))
    return found


def test_no_module_is_shadowed_by_another_thing_of_its_name():
    """`import kibitz.rules.perft as p` must give the module."""
    for module in all_modules():
        parent, _, name = module.__name__.rpartition(".")
        if parent:
            there = getattr(importlib.import_module(parent), name)
            assert isinstance(there, types.ModuleType), f"{module.__name__} is shadowed by {there!r}"


def test_no_two_classes_share_a_name():
    """But for boards and editors, and for what several games call by the same word of their rule books."""
    classes = defaultdict(set)
    for module in all_modules():
        for name, value in vars(module).items():
            if inspect.isclass(value) and value.__module__ == module.__name__ and not name.startswith("_"):
                classes[name].add(module.__name__)
    shared = {name: where for name, where in classes.items() if len(where) > 1 and name not in ("Board", "Editor")}
    assert not shared


def test_only_the_cache_of_compiled_code_unpickles_files():
    """Unpickling runs whatever the file says; the cache authenticates its files first."""
    using = {str(path.relative_to(ROOT)) for path in ROOT.rglob("*.py") if "pickle." in path.read_text()}
    assert using == {"compiler/dispatcher.py"}
