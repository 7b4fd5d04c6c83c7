"""Records: how they are laid out, and how plain Python reads, refuses and writes them."""

import contextlib
import copy
import pickle

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import kibitz
from kibitz.errors import KibitzError, RulesError
from kibitz.rules.contract import OVER, game
from kibitz.rules.engine import Engine
from kibitz.state import Cells, State, layout, public_words

FIELDS = [("turn", "i1"), ("round", "i2"), ("_work", "i4", 3), ("hand", "u8"), ("grid", "i1", (2, 3)), ("worth", "f8")]


def fresh(fields=FIELDS):
    return State(np.zeros(1, layout(fields))[0])


# ------------------------------------------------------------------ layout


def test_fields_are_aligned_and_named_in_the_order_of_memory():
    dtype = layout(FIELDS)
    offsets = [dtype.fields[name][1] for name in dtype.names]
    assert offsets == sorted(offsets)
    for kind, offset, *_ in dtype.fields.values():
        assert offset % kind.alignment == 0
    assert dtype.itemsize % 8 == 0


def test_scratch_fields_come_after_whole_words_of_public_ones():
    dtype = layout(FIELDS)
    assert dtype.fields["_work"][1] == 8 * public_words(dtype)
    assert {name: shape for name, _, shape in ((n, None, dtype[n].shape) for n in dtype.names)}["grid"] == (2, 3)


@pytest.mark.parametrize("name", ["two words", "__dunder", "class", "1st", "", 7, "copy", "record", "to_text"])
def test_a_name_that_rules_could_not_read_is_refused(name):
    with pytest.raises(RulesError, match=r"Toy\.fields: .* is not a valid field name"):
        layout([("turn", "i1"), (name, "i1")], "Toy")


@pytest.mark.parametrize("kind", ["u1", "u4", "f4", "i3", "bool", "O"])
def test_a_kind_that_compiled_code_reads_otherwise_is_refused(kind):
    with pytest.raises(RulesError, match="must be one of f8, i1, i2, i4, i8, u8"):
        layout([("turn", "i1"), ("x", kind)])


def test_a_field_given_twice_is_refused():
    with pytest.raises(RulesError, match="twice"):
        layout([("turn", "i1"), ("x", "i1"), ("x", "i2")])


def test_fields_that_return_nothing_are_refused():
    with pytest.raises(RulesError, match=r"Toy\.fields: must return a list .* not None"):
        layout(None, "Toy")


def test_a_shape_that_is_none_is_refused():
    with pytest.raises(RulesError, match="shape"):
        layout([("turn", "i1"), ("x", "i1", -2)])


@pytest.mark.parametrize("fields", [[("x", "i1")], [("turn", "i2")], [("turn", "i1", 2)]])
def test_a_record_must_say_whose_turn_it_is(fields):
    with pytest.raises(RulesError, match="turn"):
        layout(fields)


@game
class Mixed:
    """Fields listed narrow first, a scratch field between them, one with the name of a method of NumPy's."""

    players = 2
    actions = 1
    max_moves = 1
    max_plies = 1

    def fields(self):
        return FIELDS

    def start(self, s):
        s.round = 300
        s.grid[1, 2] = -5
        s.hand = 7
        s.worth = 0.5
        s._work[2] = 70000

    def moves(self, s, out):
        out[0] = 0
        return 1

    def play(self, s, move):
        s.round += s.grid[1][2]
        s.turn = OVER

    def payoff(self, s, out):
        out[:] = s.worth


@pytest.mark.parametrize("plain", [True, False])
def test_rules_read_every_kind_of_field_compiled_and_plain(plain):
    with kibitz.plain() if plain else pytest.MonkeyPatch.context():
        engine = Engine(Mixed())
        state = engine.start()
        engine.play(state, 0)
    assert state.round == 295
    assert state.grid.tolist() == [[0, 0, 0], [0, 0, -5]]
    assert (state.hand, state.worth, state.turn, state._work[2]) == (7, 0.5, OVER, 70000)


# ------------------------------------------------------------------ reading and writing


def test_fields_are_read_as_python_numbers():
    state = fresh()
    assert type(state.turn) is int
    assert type(state.worth) is float
    assert type(state.grid[0, 1]) is int
    assert type(state.grid[1][2]) is int
    assert [list(row) for row in state.grid] == [[0, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    ("name", "value"), [("turn", 128), ("turn", -129), ("round", 40_000), ("hand", -1), ("hand", 1 << 64)]
)
def test_a_number_that_does_not_fit_raises(name, value):
    state = fresh()
    with pytest.raises(OverflowError, match=f"{value} does not fit in the field '{name}'"):
        setattr(state, name, value)
    assert state == fresh()


def test_a_number_that_does_not_fit_into_a_cell_raises():
    state = fresh()
    with pytest.raises(OverflowError, match="grid"):
        state.grid[0, 0] = 200
    with pytest.raises(OverflowError, match="grid"):
        state.grid[0] = [1, 2, 300]
    with pytest.raises(OverflowError, match="grid"):
        state.grid[:] = -1000
    assert state == fresh()


def test_the_limits_themselves_fit():
    state = fresh()
    state.hand = (1 << 64) - 1
    state.turn = -128
    assert (state.hand, state.turn) == ((1 << 64) - 1, -128)


def test_a_fraction_does_not_become_an_integer():
    state = fresh()
    with pytest.raises(TypeError, match=r"'round' holds integers, not 1\.5"):
        state.round = 1.5
    with pytest.raises(TypeError, match="'grid' holds integers"):
        state.grid[0] = [0.5, 1, 2]


def test_an_unknown_field_raises_and_names_those_there_are():
    state = fresh()
    with pytest.raises(AttributeError, match=r"no field 'hnad'; its fields are .*hand"):
        _ = state.hnad
    with pytest.raises(AttributeError, match="no field 'hnad'"):
        state.hnad = 1


def test_a_field_may_be_called_round():
    state = fresh()
    state.round = 3
    state.round += 1
    assert state.round == 4


def test_an_index_beyond_a_field_raises():
    with pytest.raises(IndexError):
        _ = fresh().grid[2, 0]


def test_an_array_as_a_whole_is_neither_true_nor_false():
    with pytest.raises(ValueError, match=r"'grid' is an array.* use \.any\(\) or \.all\(\)"):
        bool(fresh().grid == 0)


def test_a_row_can_be_copied_from_another():
    state = fresh()
    state.grid[0] = [1, 2, 3]
    state.grid[1] = state.grid[0]
    assert state.grid.tolist() == [[1, 2, 3], [1, 2, 3]]
    assert np.asarray(state.grid).shape == state.grid.shape == (2, 3)


def test_cells_of_records_are_states():
    cells = Cells(np.zeros(2, layout(FIELDS)))
    cells[0].round = 5
    cells[1] = cells[0]
    cells[0].round = 6
    assert [cell.round for cell in cells] == [6, 5]


# ------------------------------------------------------------------ arrays


@game
class Arrays:
    """Move m writes what the m-th group of operations on arrays gives; compiled and plain code must agree."""

    players = 1
    actions = max_moves = 5
    max_plies = 5

    def fields(self):
        return [
            ("turn", "i1"),
            ("tab", "i1", 4),
            ("other", "i2", 4),
            ("grid", "i1", (2, 3)),
            ("worth", "f8", 4),
            ("numbers", "i8", 24),
            ("_work", "i4", 4),
        ]

    def start(self, s):
        s.turn = 0

    def moves(self, s, out):
        out[0] = 0
        return 1

    def play(self, s, move):
        n = s.numbers
        n.fill(0)
        if move == 0:
            n[0], n[1], n[2], n[3] = s.tab.sum(), s.tab.max(), s.tab.min(), s.tab.argmax()
            n[4], n[5], n[6], n[7] = s.tab.any(), s.tab.all(), len(s.tab), s.tab.size
            n[8], n[9], n[10] = 3 in s.tab, 2 in s.grid, s.tab.argmin()
            s.worth[0] = s.worth.mean()
        elif move == 1:
            n[0], n[1] = (s.tab == s.other).sum(), (s.tab != 3).any()
            n[2], n[3], n[4] = (s.tab < 2).sum(), (s.tab >= s.tab[0]).all(), (s.other > s.tab).sum()
            n[5:9] = s.tab * 1000 + s.other - 1
            n[9:13] = -s.tab
            n[13:17] = ~s.tab & 7 | s.other ^ 5
            n[17:21] = s.other // 3 + s.other % 3 + (s.tab << 2)
        elif move == 2:
            n[0], n[1], n[2] = s.grid[1, 2], s.grid[1][0], s.grid[0].sum()
            n[3:6] = s.grid[1]
            n[6:8] = s.grid[:, 1]
            n[8] = len(s.grid)
            i = 9
            for row in s.grid:
                n[i] = row.max()
                i += 1
            for value in s.tab[1:3]:
                n[i] = value
                i += 1
            n[i] = s.grid[1:, :2].sum()
        elif move == 3:
            kept = s.tab.copy()
            s.tab[1:] = s.tab[:3].copy()
            s.tab[s.tab == 2] = 5
            s._work[:] = 70000
            s._work += kept
            n[:4] = s._work
            n[4:8] = kept
            s.grid[0] = s.grid[1]
            s.grid[1].fill(4)
            s.other += 1
            s.other[1:3] *= 2
        else:
            s.worth *= 0.5
            s.worth[:] = 1.0 - s.worth
            s.worth[1] = (s.worth > 0.25).sum()

    def payoff(self, s, out):
        out[0] = 1.0


ARRAYS = Arrays()


@given(
    move=st.integers(0, 4),
    tab=st.lists(st.integers(-60, 60), min_size=4, max_size=4),
    other=st.lists(st.integers(-1000, 1000), min_size=4, max_size=4),
    grid=st.lists(st.integers(0, 5), min_size=6, max_size=6),
)
@settings(max_examples=60, deadline=None)
def test_operations_on_arrays_give_the_same_compiled_and_plain(move, tab, other, grid):
    afterwards = []
    for context in (kibitz.plain(), contextlib.nullcontext()):
        with context:
            engine = Engine(ARRAYS)
            state = engine.start()
            state.tab[:], state.other[:], state.grid[:] = tab, other, np.reshape(grid, (2, 3))
            state.worth[:] = np.array(tab) / 7
            engine.play(state, move)
            afterwards.append(state)
    assert afterwards[0] == afterwards[1]


def test_an_operation_that_compiled_code_would_wrap_around_raises():
    state = fresh()
    state.grid[:] = 100
    with pytest.raises(OverflowError, match="200 does not fit in the field 'grid'"):
        _ = state.grid + state.grid
    with pytest.raises(OverflowError, match="grid"):
        state.grid += 100
    with pytest.raises(OverflowError, match="grid"):
        state.grid.fill(200)
    assert (state.grid + 100).max() == 200  # a plain number is an i8, in compiled code too
    assert state.grid.tolist() == [[100] * 3] * 2


def test_arrays_give_python_numbers():
    state = fresh()
    assert type(state.grid.sum()) is int
    assert type(state.grid.any()) is bool
    assert type(state.grid.mean()) is float
    assert type((state.grid == 0)[0, 0]) is bool
    assert state.grid.shape == (2, 3)
    assert state.grid.nonzero()[0].tolist() == []


def test_a_numpy_array_goes_with_an_array_on_either_side():
    state = fresh()
    state.grid[:] = 2
    assert (np.array([1, 2, 3]) * state.grid).tolist() == (state.grid * np.array([1, 2, 3])).tolist() == [[2, 4, 6]] * 2
    assert np.sum(state.grid) == np.max(state.grid) * 6 == 12


def test_an_array_does_not_go_with_a_list():
    with pytest.raises(
        TypeError, match=r"'grid' is an array, which goes with a number or another array, not with \[0, 0, 0\]"
    ):
        _ = fresh().grid == [0, 0, 0]


# ------------------------------------------------------------------ copies, equality, text


def test_a_copy_is_a_memory_of_its_own():
    state = fresh()
    state.round = 1
    state._work[0] = 9
    other = state.copy()
    other.round = 2
    other.grid[0, 0] = 5
    assert (state.round, state.grid[0, 0], other._work[0]) == (1, 0, 9)
    assert not np.shares_memory(other.record, state.record)


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda state: pickle.loads(pickle.dumps(state))])
def test_a_pickled_or_copied_state_is_a_memory_of_its_own(twin):
    state = fresh()
    state.round = 7
    state._work[1] = 3
    other = twin(state)
    assert other == state
    assert other._work[1] == 3
    other.round = 8
    other.grid[0, 0] = 1
    assert (state.round, state.grid[0, 0]) == (7, 0)


def test_scratch_does_not_count_for_equality():
    one, other = fresh(), fresh()
    one._work[1] = 5
    assert one == other
    other.grid[1, 1] = 1
    assert one != other


def test_states_of_different_games_are_not_equal():
    assert fresh() != fresh([("turn", "i1")])
    assert fresh() != 0


def test_a_state_cannot_be_a_key():
    with pytest.raises(TypeError):
        hash(fresh())


def test_without_scratch_keeps_the_position_only():
    state = fresh()
    state.hand = 1 << 63
    state._work[0] = 5
    clean = state.without_scratch()
    assert clean == state
    assert clean._work.tolist() == [0, 0, 0]
    assert state._work[0] == 5


def test_text_reads_back():
    state = fresh()
    state.hand = (1 << 64) - 1
    state.grid[1] = [1, -2, 3]
    state.worth = 0.1
    state.turn = OVER
    state._work[0] = 5
    text = state.to_text()
    back = State.from_text(text, state.record.dtype)
    assert back == state
    assert back._work[0] == 0
    assert "_work" not in text
    assert "\n" not in text
    assert text in repr(state)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"turn":0', '"turn":300'),
        ('"turn":0', '"turn":0.5'),
        ('"turn":0', '"turn":"x"'),
        ('"turn":0', '"turn":[0]'),
        ('"turn":0', '"turns":0'),
        ('"grid":[[0,0,0],[0,0,0]]', '"grid":[0,0,0]'),
        ('"grid":[[0,0,0],[0,0,0]]', '"grid":[[0,0],[0,0,0]]'),
        ('"hand":0', '"hand":-1'),
        ('"worth":0.0', '"worth":"much"'),
        ("{", "["),
    ],
)
def test_text_that_is_no_position_of_the_game_is_refused(old, new):
    text = fresh().to_text()
    assert old in text
    with pytest.raises(KibitzError):
        State.from_text(text.replace(old, new), layout(FIELDS))
