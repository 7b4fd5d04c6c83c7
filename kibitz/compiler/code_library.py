"""The libraries that LLVM's code goes into, one per compiled function.

A function that only compiled code calls needs no machine code of its own: its callers take over its LLVM code, to
inline it, and generate machine code for all of it. So the library of such a function ends with optimised LLVM code,
which saves about a fifth of the time it takes to compile a search.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import compile_result
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.environment import lookup_environment

_ENVIRONMENT = "_ZN08NumbaEnv"  # how the symbols begin that point to numba's environments


class OuterLibrary(JITCodeLibrary):
    """The library of a function that Python calls, with the code of all functions that it calls."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self._environments: list[Any] = []  # kept alive, because machine code points to them

    def _optimize_functions(self, ll_module: Any) -> None:
        """Run the function passes on the functions defined here; numba also sets them up for every declaration."""
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)

    def _finalize_specific(self) -> None:
        super()._finalize_specific()
        for variable in self._final_module.global_variables:
            if variable.name.startswith(_ENVIRONMENT) and (environment := lookup_environment(variable.name)):
                self._environments.append(environment)
                self._codegen.set_env(variable.name, environment)


class InnerLibrary(OuterLibrary):
    """The library of a function that only compiled code calls: LLVM code, but no machine code."""

    @property
    def codegen(self) -> Any:
        return _NoMachineCode

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0

    def serialize_using_object_code(self) -> Any:
        return self.serialize_using_bitcode()


class _NoMachineCode:
    """Stands in for the code generator where numba would tell machine code about its environment."""

    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        pass


def library_class(inner: bool) -> type[OuterLibrary]:
    """The kind of library for a function that only compiled code calls, or for one that Python calls."""
    return InnerLibrary if inner else OuterLibrary


def rebuilt_inner(target_context: Any, library: Any, fndesc: Any, env: Any, signature: Any, *more: Any) -> Any:
    """The counterpart of numba's `CompileResult._rebuild` for a function in an InnerLibrary."""
    objectmode, lifted, annotation, reload_init, referenced_envs = more
    for prepare in reload_init:
        prepare()
    name, _, bitcode = library
    found = InnerLibrary(target_context.codegen(), name)
    found._final_module = llvm.parse_bitcode(bitcode)
    found._finalize_final_module()
    return compile_result(
        target_context=target_context,
        typing_context=target_context.typing_context,
        library=found,
        environment=env,
        entry_point=target_context.get_executable(found, fndesc, env),
        fndesc=fndesc,
        type_annotation=annotation,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        reload_init=reload_init,
        referenced_envs=referenced_envs,
    )


@register_pass(mutates_CFG=False, analysis_only=True)
class ChooseLibrary(AnalysisPass):
    """Creates the library before numba does."""

    _name = "choose_library"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        inner = state.flags.no_cpython_wrapper
        state.library = library_class(inner)(state.targetctx.codegen(), state.func_id.func_qualname)
        if not inner:
            state.library.enable_object_caching()
        return False
