"""Functions that only borrow arrays count no references; all others count as numba does, and nothing leaks."""

import sys
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

from kibitz.compiler import compiled
from kibitz.compiler.reference_counts import Pipeline


class Pair(NamedTuple):
    first: Any
    second: Any


def total(pair, rows):
    found = 0.0
    for row in range(rows):
        found += pair.first[row % len(pair.first)] + pair.second[1:][0]
    return found


def ones(count):
    return np.ones(count)


def chosen(pair, which):
    return pair.first if which else pair.second


def swapped(pair):
    return pair.second, pair.first


def sum_of_made(count):
    return ones(count).sum() + np.zeros(count).sum()


def first_of_chosen(pair, which):
    return chosen(pair, which)[0]


def difference(pair):
    second, first = swapped(pair)
    return (first - second)[0]


def picked(pair, which):
    return pair.first[np.array([which])][0]


def kept_in_a_list(pair):
    found = [pair.first]
    found[0] = pair.second
    return found[0][0]


def sorted_copy(pair):
    copy = pair.first.copy()
    copy.sort()
    pair.second[:] = copy[: len(pair.second)]
    return copy[0]


def iterated(pair):
    found = 0.0
    for value in pair.first:
        found += value
    for row in pair.first.reshape((1, -1)):
        found += row[0]
    return found


def machine_code_of(function, *args):
    with_stage = numba.njit(pipeline_class=Pipeline)(function)
    with_stage(*args)
    (code,) = with_stage.inspect_llvm().values()
    return code


@pytest.fixture(autouse=True)
def counted_memory():
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


@pytest.fixture
def pair():
    return Pair(np.array([3.0, 1.0, 2.0]), np.array([5.0, 4.0]))


def test_a_function_that_only_borrows_arrays_counts_no_references(pair):
    assert "NRT_incref" not in machine_code_of(total, pair, 5)


def test_a_function_that_makes_an_array_counts_references():
    assert "NRT_MemInfo_alloc" in machine_code_of(ones, 3)


@pytest.mark.parametrize(
    ("function", "rest", "result"),
    [
        (total, (4,), 3 + 1 + 2 + 3 + 4 * 4.0),
        (first_of_chosen, (True,), 3.0),
        (difference, (), -2.0),
        (picked, (2,), 2.0),
        (kept_in_a_list, (), 5.0),
        (sorted_copy, (), 1.0),
        (iterated, (), 9.0),
    ],
)
def test_every_way_to_hold_an_array_releases_it_again(pair, function, rest, result):
    call = compiled(function)
    if function is difference:
        pair = Pair(pair.first, pair.first + 2)
    assert call(pair, *rest) == result
    before, references = rtsys.get_allocation_stats(), [sys.getrefcount(array) for array in pair]
    for _ in range(100):
        call(pair, *rest)
    after = rtsys.get_allocation_stats()
    assert after.alloc - before.alloc == after.free - before.free
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free
    assert [sys.getrefcount(array) for array in pair] == references


def test_arrays_made_inside_are_freed():
    call = compiled(sum_of_made)
    assert call(7) == 7
    before = rtsys.get_allocation_stats()
    for _ in range(100):
        call(7)
    after = rtsys.get_allocation_stats()
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free == 200


def test_an_array_can_be_returned_to_python(pair):
    handed = [compiled(chosen)(pair, which) for which in (True, False)]
    made = compiled(ones)(4)
    first = pair.first.copy()
    del pair
    assert np.array_equal(handed[0], first)
    assert made.sum() == 4
