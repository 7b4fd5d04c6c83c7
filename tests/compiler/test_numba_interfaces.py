"""numba's private interfaces that kibitz relies on, one test each: if numba changes one, its test says what breaks.

And what `import kibitz` changes in numba for everybody else: nothing.
"""

import inspect
import itertools
import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from numba import njit, types
from numba.core import bytecode, cgutils, compiler, errors, ir, registry, sigutils
from numba.core.caching import _Cache
from numba.core.compiler_machinery import AnalysisPass
from numba.core.environment import lookup_environment
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.typed_passes import AnnotateTypes
from numba.core.typing.templates import AttributeTemplate
from numba.core.typing.typeof import Purpose, typeof_impl
from numba.extending import intrinsic
from numba.np import arrayobj

from kibitz.compiler import compiled, numbers, records
from kibitz.compiler.code_library import ENVIRONMENT, OuterLibrary
from kibitz.compiler.compilation import compilation
from kibitz.compiler.dispatcher import Compiled
from kibitz.rules.registry import game_names

pytestmark = pytest.mark.usefixtures("empty_cache")


@njit
def twice(x):
    return 2 * x


def parameters(function):
    return list(inspect.signature(function).parameters)


def overload_of(function, *args):
    function(*args)
    return next(iter(function.overloads.values()))


# ------------------------------------------------------------------ dispatchers


def test_a_dispatcher_takes_a_pipeline():
    """Without it, the pass that drops reference counts (reference_counts.py) never runs."""
    assert {"py_func", "targetoptions", "pipeline_class"} <= set(parameters(registry.CPUDispatcher.__init__))


def test_a_dispatcher_compiles_the_implementation_that_its_compiler_returns():
    """Compiled replaces it, so that cached code does not import the module of a game that may be gone."""
    assert parameters(twice._compiler._get_implementation) == ["args", "kws"]
    assert twice._compiler._get_implementation((), {}) is twice.py_func


def test_a_dispatcher_asks_its_cache_before_it_compiles_and_passes_it_the_result():
    """The cache by content (dispatcher.py) depends on these two calls."""
    asked = []

    class Notes(_Cache):
        cache_path = ""
        enable = disable = flush = lambda self: None

        def load_overload(self, sig, target_context):
            asked.append("load")

        def save_overload(self, sig, data):
            asked.append("save")

    function = njit(lambda x: x + 1)
    function._cache = Notes()
    assert function(1) == 2
    assert asked == ["load", "save"]


def test_an_overload_has_an_entry_point_that_is_called_like_the_function():
    """Compiled.bind returns it, to avoid the dispatch on types at every call."""
    assert overload_of(twice, 21).entry_point(21) == 42


def test_a_dispatcher_knows_whether_it_is_compiling():
    """Compiled always returns False, because recursive functions crash when numba loads them from a cache."""
    assert isinstance(inspect.getattr_static(registry.CPUDispatcher, "is_compiling"), property)


def test_literal_arguments_are_requested_by_an_exception():
    """Compiled lets it through: it is how numba asks for another round, not a failure."""
    assert issubclass(errors.ForceLiteralArg, Exception)


def test_signatures_are_normalised_to_arguments_and_a_result():
    """Both are part of the cache key."""
    assert sigutils.normalize_signature((types.int64,)) == ((types.int64,), None)
    assert sigutils.normalize_signature(types.int64(types.int64)) == ((types.int64,), types.int64)


def test_a_dispatcher_has_its_function_and_options():
    """Both are part of digests (digest.py)."""
    assert twice.py_func(4) == 8
    assert isinstance(twice.targetoptions, dict)


def test_an_intrinsic_has_its_definition():
    """Digests (digest.py) of intrinsics are made from it."""

    @intrinsic
    def nothing(typing_context):
        return types.void(), lambda *args: None

    assert nothing._defn.__name__ == "nothing"


# ------------------------------------------------------------------ machine code on disk


def test_machine_code_can_be_serialised_and_rebuilt():
    """The disk cache stores what `_reduce` returns and loads it with `_rebuild`."""
    result = overload_of(twice, 21)
    rebuilt = compiler.CompileResult._rebuild(result.target_context, *result._reduce())
    assert rebuilt.entry_point(5) == 10
    assert isinstance(dumps(result._reduce()), bytes)


def test_machine_code_says_whether_it_contains_addresses_of_this_process():
    """Such code must never be cached."""
    large = np.zeros(1 << 18)
    holds = njit(lambda i: large[i])
    assert overload_of(holds, 3).library.has_dynamic_globals
    assert not overload_of(twice, 21).library.has_dynamic_globals
    assert not overload_of(twice, 21).lifted


def test_the_kind_of_processor_is_part_of_the_target():
    """It is part of the cache key, so that code for one processor is not run on another."""
    assert all(isinstance(word, str) for word in twice.targetctx.codegen().magic_tuple())


def test_the_runtime_can_be_initialised_on_its_own():
    """Loading from the cache does only that, and skips the rest of numba's setup for compiling."""
    rtsys.initialize(twice.targetctx)


def test_functions_are_numbered_by_a_counter():
    """It starts at a random number; otherwise the linker would mix up functions compiled by different processes."""
    assert isinstance(bytecode.FunctionIdentity._unique_ids, itertools.count)
    assert next(bytecode.FunctionIdentity._unique_ids) > 1 << 32


# ------------------------------------------------------------------ types


def test_the_type_of_a_global_can_be_chosen():
    """Plain functions that compiled code calls become dispatchers this way."""
    assert Purpose.constant is not Purpose.argument
    assert callable(typeof_impl.register)


def test_attributes_of_a_type_are_resolved_by_name():
    """rules_type.py resolves `game.columns` and `game.moves` in one place."""
    assert parameters(AttributeTemplate.resolve) == ["self", "value", "attr"]
    assert "generic_resolve" in inspect.getsource(AttributeTemplate._resolve)


# ------------------------------------------------------------------ passes


def test_the_default_passes_can_be_extended():
    """reference_counts.py adds one after the types are annotated."""
    assert parameters(compiler.DefaultPassBuilder.define_nopython_pipeline) == ["state", "name"]
    assert issubclass(AnnotateTypes, AnalysisPass)


def test_a_target_can_disable_reference_counts():
    """The pass does that to functions that only borrow arrays."""
    assert not twice.targetctx.subtarget(enable_nrt=False).enable_nrt


def test_a_type_says_whether_it_is_reference_counted():
    manager = twice.targetctx.data_model_manager
    assert manager[types.float64[:]].contains_nrt_meminfo()
    assert not manager[types.int64].contains_nrt_meminfo()


def test_functions_consist_of_assignments_and_stores():
    """The pass inspects these; it would miss any other kind of statement that stores an array."""

    def kinds(statement):
        return {statement.__name__}.union(*map(kinds, statement.__subclasses__()))

    stores = {kind for kind in kinds(ir.Stmt) if kind.startswith(("Set", "Store", "StaticSet", "Assign"))}
    assert stores == {
        "Assign",
        "SetAttr",
        "SetItem",
        "StaticSetItem",
        "StoreMap",
    }  # the last makes a dict, which counts


def test_numbas_own_parts_for_storing_records_exist():
    """record_copies.py is built on these, and leaves functions outside kibitz to `setitem_array`."""
    assert parameters(arrayobj.setitem_array) == ["context", "builder", "sig", "args"]
    assert parameters(arrayobj.normalize_indices) == ["context", "builder", "index_types", "indices"]
    assert {"boundscheck", "index_types", "indices"} <= set(parameters(arrayobj.basic_indexing))
    assert parameters(arrayobj.make_array) == ["array_type"]


# ------------------------------------------------------------------ everybody else's numba

PAIR = np.dtype([("a", "i8"), ("b", "f8")])


def test_functions_outside_kibitz_still_cannot_call_plain_functions():
    def helper(x):
        return x + 1

    with pytest.raises(numba.TypingError, match="helper"):
        njit(lambda x: helper(x))(1)
    assert compiled(lambda x: helper(x))(1) == 2


def test_functions_outside_kibitz_copy_records_as_numba_does(monkeypatch, tmp_path):
    """And kibitz's own as one piece of memory, without anybody having imported record_copies.py by name."""
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path))  # what is loaded from a cache is not compiled
    ways = []
    by_numba, at_once = arrayobj.setitem_array, cgutils.raw_memmove
    copies = sys.modules["kibitz.compiler.record_copies"]
    monkeypatch.setattr(copies, "setitem_array", lambda *args: ways.append("numba") or by_numba(*args))
    monkeypatch.setattr(cgutils, "raw_memmove", lambda *args, **kws: ways.append("memmove") or at_once(*args, **kws))

    def copy(array):
        array[1] = array[0]

    theirs, ours = np.zeros(2, PAIR), records(2, PAIR)
    theirs[0] = ours[0] = (7, 0.5)
    compiled(copy)(ours)
    assert ways == ["memmove"]
    njit(copy)(theirs)
    assert ways == ["memmove", "numba"]
    assert theirs[1] == ours[1] == np.array((7, 0.5), PAIR)


def test_functions_outside_kibitz_keep_their_own_dispatchers():
    assert not compilation.is_running
    assert not isinstance(twice, Compiled)
    assert njit(lambda x: twice(x) + 1)(3) == 7


def test_importing_kibitz_does_not_change_numbas_settings():
    program = (
        "import numba; before = {k: v for k, v in vars(numba.config).items() if k.isupper()}\n"
        "import kibitz, kibitz.cli\n"
        "after = {k: v for k, v in vars(numba.config).items() if k.isupper()}\n"
        "assert before == after, [k for k in after if before.get(k) != after[k]]\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


# ------------------------------------------------------------------ reference counts, on and off

PLAY = """
import hashlib, sys
import kibitz
from kibitz.compiler import stats
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream

for name in sys.argv[1:]:
    game = kibitz.game(name)
    digest = hashlib.sha256()
    for number in range(3):
        table, dice = kibitz.Table(game, number), Stream(number, "dice")
        while not table.over:
            view = table.view(table.turn)
            digest.update(view.state.public_bytes())
            table.play(dice.choice(view.moves))
        digest.update(repr((table.history, table.payoff(), table.score())).encode())
    print(name, digest.hexdigest())
print("compiled", stats.compiled, "loaded", stats.loaded, file=sys.stderr)
"""


@pytest.mark.slow
def test_games_play_the_same_with_and_without_reference_counts():
    """KIBITZ_REFCOUNTS=1 compiles everything as numba itself does."""
    names = game_names() if os.environ.get("KIBITZ_SOAK") else ["connect_four", "ur"]
    games = [{"mexican_train": "mexican_train:players=2,highest=6"}.get(name, name) for name in names]
    printed = []
    for switch in ("0", "1"):
        environment = {**os.environ, "KIBITZ_REFCOUNTS": switch}
        run = subprocess.run(
            [sys.executable, "-c", PLAY, *games], env=environment, capture_output=True, text=True, check=True
        )
        printed.append(run.stdout)
    assert printed[0] == printed[1]
    assert len(printed[0].splitlines()) == len(games)


def test_reference_counts_are_part_of_the_key(monkeypatch):
    """Code compiled with the switch on must not be loaded with it off."""

    def total(array):
        return array[0] + array[1]

    keys = []
    monkeypatch.setattr("kibitz.compiler.disk_cache.load", lambda key: keys.append(key))
    monkeypatch.setattr("kibitz.compiler.disk_cache.save", lambda key, payload: None)
    for switch in ("0", "1"):
        monkeypatch.setenv("KIBITZ_REFCOUNTS", switch)
        Compiled(total)(numbers(2, "f8"))
    assert len(set(keys)) == 2


# ------------------------------------------------------------------ libraries of code


def test_lowering_uses_a_library_that_is_there_already():
    """Otherwise ChooseLibrary (code_library.py) has no effect, and inner functions get machine code again."""
    twice_compiled = compiled(twice.py_func)
    assert isinstance(overload_of(twice_compiled, 1).library, OuterLibrary)


def test_a_result_is_reduced_to_nine_parts_in_a_known_order():
    """`rebuilt_inner` (code_library.py) takes them apart to load inner functions from the cache."""
    assert parameters(compiler.CompileResult._rebuild)[:5] == [
        "target_context",
        "libdata",
        "fndesc",
        "env",
        "signature",
    ]
    assert len(parameters(compiler.CompileResult._rebuild)) == len(overload_of(twice, 1)._reduce()) + 1 == 10


def test_environments_are_found_by_the_names_of_their_symbols():
    """Machine code of a caller points to the environments of inner functions, which only this finds."""
    overload = overload_of(twice, 1)
    name = overload.target_context.get_env_name(overload.fndesc)
    assert name.startswith(ENVIRONMENT)
    assert lookup_environment(name) is overload.environment


def test_a_dispatcher_compiles_what_its_call_template_names():
    """Compiled widens integers there, so that inner functions are compiled once for all widths."""
    template, _, args, kws = twice.get_call_template((types.int64,), {})
    assert (args, kws) == ((types.int64,), {})
    assert all(signature.args == (types.int64,) for signature in template.cases)
