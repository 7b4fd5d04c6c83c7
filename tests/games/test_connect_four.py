"""Connect Four's rules against slow, obvious versions of themselves, on boards of every shape."""

import hypothesis.strategies as st
import pytest
from hypothesis import assume, given, settings

import kibitz
from kibitz.games.connect_four.rules import ConnectFour
from kibitz.rules.engine import Engine

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
USUAL = ConnectFour()

boards = st.builds(
    lambda columns, rows: ConnectFour(columns=columns, rows=1 + rows % (62 // columns - 1)),
    st.integers(1, 31),
    st.integers(0, 60),
)


def lines(game):
    """Every line of four cells, as lists of (column, row)."""
    for column in range(game.columns):
        for row in range(game.rows):
            for dx, dy in DIRECTIONS:
                line = [(column + i * dx, row + i * dy) for i in range(4)]
                if all(0 <= x < game.columns and 0 <= y < game.rows for x, y in line):
                    yield line


def bits(game, cells):
    return sum(1 << game.bit(column, row) for column, row in cells)


def cells_of(game):
    return [(column, row) for column in range(game.columns) for row in range(game.rows)]


@st.composite
def cell_sets(draw):
    """A board and some of its cells, often in rows."""
    game = draw(boards)
    cells = draw(st.sets(st.sampled_from(cells_of(game))))
    every_line = list(lines(game))
    if every_line:
        for line in draw(st.lists(st.sampled_from(every_line), max_size=2)):
            cells |= set(line[: draw(st.integers(3, 4))])
    return game, cells


@st.composite
def games(draw, rules=boards):
    """A table some random moves into a game. Best drawn in plain mode: otherwise every board has to be compiled."""
    table = kibitz.Table(draw(rules))
    for choice in draw(st.lists(st.integers(0, 30), max_size=62)):
        if table.over:
            break
        table.play(table.moves[choice % len(table.moves)])
    return table


def heights(table):
    game, state = table.game, table.state
    filled = state.discs[0] | state.discs[1]
    return [sum(filled >> game.bit(column, row) & 1 for row in range(game.rows)) for column in range(game.columns)]


@given(cell_sets())
def test_a_line_is_four_cells_in_a_row(drawn):
    game, cells = drawn
    assert game.has_line(bits(game, cells)) == any(set(line) <= cells for line in lines(game))


@given(cell_sets())
def test_lines_are_counted_one_by_one(drawn):
    game, cells = drawn
    assert game.count_lines(bits(game, cells)) == sum(set(line) <= cells for line in lines(game))


@given(cell_sets())
def test_a_cell_completes_a_line_when_the_other_three_are_there(drawn):
    game, cells = drawn
    completing = {cell for line in lines(game) for cell in line if set(line) - {cell} <= cells}
    assert game.completing(bits(game, cells)) & game.cells == bits(game, completing)


@given(boards)
def test_the_board_is_all_its_cells(game):
    assert game.cells == bits(game, cells_of(game))
    assert game.bottom == bits(game, [(column, 0) for column in range(game.columns)])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_disc_falls_on_those_below(data):
    with kibitz.plain():
        table = data.draw(games())
        assume(not table.over)
        before, state, mover = heights(table), table.state, table.turn
        column = data.draw(st.sampled_from(table.moves))
        table.play(column)
        fallen = table.state.discs[mover] ^ state.discs[mover]
    assert fallen == 1 << table.game.bit(column, before[column])
    assert table.state.discs[1 - mover] == state.discs[1 - mover]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_full_column_takes_no_disc(data):
    with kibitz.plain():
        table = data.draw(games())
        assume(not table.over)
        open_columns = [column for column, height in enumerate(heights(table)) if height < table.game.rows]
        assert table.moves == open_columns


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_game_ends_with_a_line_or_a_full_board(data):
    with kibitz.plain():
        table = data.draw(games())
        game, state = table.game, table.state
        owned = [{cell for cell in cells_of(game) if state.discs[p] >> game.bit(*cell) & 1} for p in range(2)]
        winners = [p for p in range(2) if any(set(line) <= owned[p] for line in lines(game))]
        full = len(owned[0] | owned[1]) == game.columns * game.rows
        assert not owned[0] & owned[1]
        assert table.over == bool(winners or full)
        if table.over:
            shares = [0.5, 0.5] if not winners else [float(p == winners[0]) for p in range(2)]
            assert table.payoff() == shares


def test_four_in_a_column_win():
    table = kibitz.Table(USUAL)
    for move in (3, 0, 3, 0, 3, 0, 3):
        assert not table.over
        table.play(move)
    assert table.payoff() == [1.0, 0.0]


def test_a_full_board_without_a_line_is_a_draw():
    with kibitz.plain():
        table = kibitz.Table(ConnectFour(columns=3, rows=3))
        for move in (0, 0, 0, 1, 1, 1, 2, 2, 2):
            table.play(move)
        assert table.payoff() == [0.5, 0.5]


@pytest.mark.parametrize(("columns", "rows"), [(0, 6), (7, 0), (-7, -6), (8, 7), (62, 1)])
def test_boards_of_no_or_too_many_cells_are_refused(columns, rows):
    with pytest.raises(kibitz.SpecError, match=r"columns × \(rows \+ 1\)"):
        ConnectFour(columns=columns, rows=rows)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_evaluations_are_shares_of_the_win(data):
    with kibitz.plain():
        table = data.draw(games())
        shares = Engine(table.game).evaluate(table.state)
    assert sum(shares) == 1.0
    assert all(0.0 < share < 1.0 for share in shares)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_mirror_image_is_worth_the_same(data):
    with kibitz.plain():
        table = data.draw(games())
        mirrored = kibitz.Table(table.game)
        for ply in table.history:
            mirrored.play(table.game.columns - 1 - ply.move)
        engine = Engine(table.game)
        assert engine.evaluate(table.state) == engine.evaluate(mirrored.state)


def test_a_cell_that_completes_a_line_is_worth_more_than_one_that_does_not():
    def worth(moves):
        table = kibitz.Table(USUAL)
        for move in moves:
            table.play(move)
        return Engine(USUAL).evaluate(table.state)[0]

    assert worth([1, 6, 2, 6, 3, 0]) > worth([1, 6, 2, 6, 5, 0])


@settings(max_examples=40, deadline=None)
@given(games(st.just(USUAL)))
def test_plain_and_compiled_rules_agree(table):
    engine = Engine(USUAL)
    with kibitz.plain():
        slow, replayed = Engine(USUAL), kibitz.Table(USUAL)
        for ply in table.history:
            replayed.play(ply.move)
        assert replayed.state == table.state
        assert replayed.moves == table.moves
        assert slow.evaluate(table.state) == engine.evaluate(table.state)
