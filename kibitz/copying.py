"""Records copied as one piece of memory: how `states[1] = states[0]` becomes machine code.

numba itself loads and stores a record byte by byte, which for a record of a thousand bytes takes half a microsecond.
"""

from __future__ import annotations

import operator
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_builtin
from numba.np.arrayobj import basic_indexing, make_array, normalize_indices


@lower_builtin(operator.setitem, types.Array, types.Integer, types.Record)  # type: ignore[untyped-decorator]
def copy_record(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Put a record into an array of such records. Both may be the same place."""
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
