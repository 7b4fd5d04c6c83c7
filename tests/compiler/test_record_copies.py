"""Records are copied whole, in compiled code as in plain Python."""

import numpy as np
import pytest

from kibitz.compiler import bounds_checked, compiled

WIDE = np.dtype([("cells", "i2", (8, 13)), ("bits", "u8"), ("turn", "i1"), ("_work", "i1", 90)], align=True)


@compiled
def copy(states, source, target):
    states[target] = states[source]


@compiled
def copy_and_change(states):
    states[1] = states[0]
    states[1].cells[7, 12] = -1
    return states[0].cells[7, 12]


def filled(count):
    states = np.zeros(count, WIDE)
    states.view("u1")[:] = np.arange(states.nbytes, dtype="u4") % 251
    return states


def test_a_copy_has_every_byte_of_the_record_and_touches_no_other():
    states, before = filled(3), filled(3)
    copy(states, 2, 1)
    assert states[1].tobytes() == before[2].tobytes()
    assert states[0].tobytes() == before[0].tobytes() and states[2].tobytes() == before[2].tobytes()


def test_a_negative_index_counts_from_the_end():
    states, before = filled(3), filled(3)
    copy(states, -3, -1)
    assert states[2].tobytes() == before[0].tobytes()


def test_a_record_can_be_copied_to_its_own_place():
    states, before = filled(2), filled(2)
    copy(states, 1, 1)
    assert (states == before).all()


def test_a_copy_is_independent():
    states = filled(2)
    assert copy_and_change(states) == filled(2)[0]["cells"][7, 12]
    assert states[1]["cells"][7, 12] == -1


def test_an_index_out_of_range_is_refused_if_bounds_are_checked():
    with bounds_checked(), pytest.raises(IndexError):
        copy(filled(2), 0, 2)
