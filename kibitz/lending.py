"""A stage of numba's compiler: functions that make no arrays do not count references to those they are lent.

numba counts a reference whenever an array is taken out of a tuple or a record, with an atomic addition; in rules and
searches, which work on arrays that Python made and keeps, that can be a third of the time. A function needs none of it
when every array in it is an argument, a part of one or a constant, and it returns none: the caller keeps them alive.
Any other function counts as numba always does. Both kinds call each other as they like.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import compiler, ir
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import AnnotateTypes


@register_pass(mutates_CFG=False, analysis_only=True)
class _CountIfNeeded(AnalysisPass):
    _name = "count_references_if_needed"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        if only_borrows(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return False


class Pipeline(compiler.CompilerBase):
    """numba's own stages, with this one before machine code is made."""

    def define_pipelines(self) -> list[Any]:
        stages = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        stages.add_pass_after(_CountIfNeeded, AnnotateTypes)
        stages.finalize()
        return [stages]


def only_borrows(state: Any) -> bool:
    """Whether a function, its types inferred, holds no array but arguments, parts of them and constants."""

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
    """Whether an expression only groups what it is made of, or takes a part of it, without making anything new."""
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
