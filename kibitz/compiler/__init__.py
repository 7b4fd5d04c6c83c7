"""Compiles plain Python to machine code. The only package that knows about numba.

`modes` says whether code runs compiled, compiled with bounds checks, or as plain Python, and allocates the arrays that
compiled code works on. `dispatcher` implements `@compiled`; `compilation` knows what is being compiled, and has the
clock that does not count it. `rules_type` gives every game its own numba type. `digest` and `disk_cache` cache machine
code by the content it was compiled from. `code_library` generates no machine code for inner functions;
`reference_counts` and `record_copies` remove two costs that numba adds; `atomics` is for threads that share arrays;
`record_reads` and `bit_writes` are for code that describes any game's positions.

The package relies on private interfaces of numba, so it works with the releases it was tested with, and no others;
tests/compiler/test_numba_interfaces.py has a test for each of these interfaces. numba's behaviour outside kibitz is
unchanged: everything registered here is active only while kibitz compiles. The one exception is numba's counter of
functions, which starts at a random number.
"""

from kibitz.compiler.compilation import is_loading_only, loading_only, running_time
from kibitz.compiler.dispatcher import compiled, stats
from kibitz.compiler.modes import (
    as_buffer,
    bounds_checked,
    is_plain,
    mode,
    native,
    numbers,
    plain,
    records,
    running_in,
    unrolled,
)

__all__ = [
    "as_buffer",
    "bounds_checked",
    "compiled",
    "is_loading_only",
    "is_plain",
    "loading_only",
    "mode",
    "native",
    "numbers",
    "plain",
    "records",
    "running_in",
    "running_time",
    "stats",
    "unrolled",
]
