"""A compiler pass that drops reference counting from functions that only borrow arrays.

numba increments a reference count atomically whenever an array is taken out of a tuple or a record. In rules and
searches, which work on arrays that Python allocated and keeps alive, that can take a third of the time. A function
does not need it if every array in it is an argument, part of an argument, or a constant, and it returns no array: the
caller keeps them alive. All other functions count references as usual. Both kinds can call each other.

Set KIBITZ_REFCOUNTS=1 in the environment to make all functions count references.
"""

from __future__ import annotations

import os
from typing import Any

from numba import types
from numba.core import compiler, ir
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import AnnotateTypes

from kibitz.compiler.code_library import ChooseLibrary


def is_elided() -> bool:
    """Whether functions that only borrow arrays are compiled without reference counts."""
    return os.environ.get("KIBITZ_REFCOUNTS", "0") in ("", "0")


@register_pass(mutates_CFG=False, analysis_only=True)
class _CountIfNeeded(AnalysisPass):
    _name = "count_references_if_needed"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        if is_elided() and only_borrows(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return False


class Pipeline(compiler.CompilerBase):
    """numba's own passes, plus this one before code generation."""

    def define_pipelines(self) -> list[Any]:
        stages = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        stages.add_pass_after(_CountIfNeeded, AnnotateTypes)
        stages.add_pass_after(ChooseLibrary, AnnotateTypes)
        stages.finalize()
        return [stages]


def only_borrows(state: Any) -> bool:
    """Whether a function, with its types inferred, holds no arrays except arguments, parts of them and constants."""

    def is_counted(kind: types.Type) -> bool:
        return bool(state.targetctx.data_model_manager[kind].contains_nrt_meminfo())

    def kind(variable: ir.Var) -> types.Type:
        return state.typemap[variable.name]

    if state.func_ir.is_generator or is_counted(state.return_type):
        return False
    for block in state.func_ir.blocks.values():
        for statement in block.body:
            if isinstance(statement, ir.Assign):
                made = isinstance(statement.value, ir.Expr) and not is_part(statement.value, kind)
                if made and is_counted(kind(statement.target)):
                    return False
            elif isinstance(statement, ir.SetItem | ir.StaticSetItem | ir.SetAttr) and is_counted(
                kind(statement.value)
            ):
                return False
    return True


def is_part(made: ir.Expr, kind: Any) -> bool:
    """Whether an expression only groups its operands or takes a part of one, without creating anything new."""
    if made.op in ("cast", "exhaust_iter", "build_tuple"):
        return True
    if made.op == "getattr":
        return not isinstance(kind(made.value), types.Array)
    if made.op in ("getitem", "static_getitem"):
        whole = kind(made.value)
        if isinstance(whole, types.BaseTuple):
            return True
        index = kind(made.index if made.op == "getitem" else made.index_var)
        steps = index if isinstance(index, types.BaseTuple) else [index]
        basic = all(isinstance(step, types.Integer | types.SliceType) for step in steps)
        return isinstance(whole, types.Array) and basic
    return False
