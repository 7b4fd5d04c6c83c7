"""Compiles `states[1] = states[0]` to a single copy of memory.

numba itself loads and stores a record byte by byte, which takes half a microsecond for a record of a thousand bytes.
Functions that kibitz does not compile are unaffected.
"""

from __future__ import annotations

import operator
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_builtin
from numba.np.arrayobj import basic_indexing, make_array, normalize_indices, setitem_array

from kibitz.compiler.compilation import compilation


def copy_record(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Copy a record into an array of such records. Source and target may be the same."""
    if not compilation.is_running:
        return setitem_array(context, builder, signature, args)
    kind, index_kind, record_kind = signature.args
    array, index, record = args
    place = make_array(kind)(context, builder, array)
    kinds, indices = normalize_indices(context, builder, (index_kind,), (index,))
    pointer, _, _ = basic_indexing(
        context, builder, kind, place, kinds, indices, boundscheck=context.enable_boundscheck
    )
    record = context.cast(builder, record, record_kind, kind.dtype)
    size = context.get_constant(types.intp, kind.dtype.size)
    cgutils.raw_memmove(builder, pointer, record, size, itemsize=1, align=1)
    return context.get_dummy_value()


def install() -> None:
    """Have numba use it. Without this, copying a large record takes forty times as long."""
    lower_builtin(operator.setitem, types.Array, types.Integer, types.Record)(copy_record)
