"""Charts: where things are drawn, and how they are described."""

import math
import re

import pytest

from kibitz.display.axis import Axis
from kibitz.report.charts import Bar, Bins, Cell, Interval, Stack, bars, histogram, interval_plot, matrix, stacked_bars


def test_an_axis_has_round_ends_and_covers_all_values():
    axis = Axis.linear([-187.0, 12.0, 301.0])
    assert axis.ticks == (-200, -100, 0, 100, 200, 300, 400)
    assert axis.at(-200) == 0
    assert axis.at(400) == 100
    assert axis.at(100) == pytest.approx(50)


def test_an_axis_of_one_value_or_none_has_a_length():
    assert Axis.linear([3.0]).at(3.0) == pytest.approx(50)
    assert Axis.linear([math.inf, math.nan]).at(0.0) == pytest.approx(50)


def test_values_beyond_an_axis_are_drawn_at_its_end():
    axis = Axis(0, 1, (0, 1))
    assert axis.at(-5) == 0
    assert axis.at(5) == 100


def test_powers_are_equally_far_apart():
    axis = Axis.powers([0.02, 7.0])
    assert axis.ticks == pytest.approx((0.01, 0.1, 1, 10))
    assert axis.at(0.1) == pytest.approx(100 / 3)
    assert axis.at(0) == 0


def test_few_values_have_a_bin_each():
    bins = Bins.holding([9, 12, 16])
    assert (bins.width, bins.number) == (1, 8)
    assert bins.heights({9: 2, 12: 3, 16: 1}) == [2, 0, 0, 3, 0, 0, 0, 1]
    assert bins.words(3) == "12"


def test_a_bin_is_as_wide_as_the_distance_between_values():
    bins = Bins.holding([0.0, 0.5, 1.5])
    assert (bins.width, bins.number) == (0.5, 4)
    tens = Bins.holding([10, 40, 200])
    assert (tens.width, tens.number) == (10, 20)


def test_many_values_share_bins():
    counts = {float(value): 1 for value in range(1000)}
    bins = Bins.holding(counts)
    assert bins.width == 50
    assert bins.heights(counts) == [50] * 20
    assert bins.words(1) == "50 to under 100"


def test_every_value_falls_into_a_bin_wherever_it_lies():
    for values in ([0.1, 0.2, 0.3, 0.7], [-7.3, 0.0, 1e6], [1 / 3, 0.5, 1.0], [5.0], [i * 7.31 for i in range(100)]):
        bins = Bins.holding(values)
        assert sum(bins.heights(dict.fromkeys(values, 1))) == len(values)
        assert bins.number <= 42
        assert all(bins.first <= tick <= bins.first + bins.number * bins.width for tick in bins.axis.ticks)


def test_ticks_are_centred_below_bars():
    assert Bins.holding(range(7, 43)).axis.ticks == (10, 15, 20, 25, 30, 35, 40)
    assert Bins.holding([7, 9, 11, 13]).axis.ticks == (7, 9, 11, 13)


def test_bars_are_as_high_as_their_share():
    chart = histogram({1: 10, 2: 30}, "Lengths", "games", height=100, highest=1.0)
    heights = [float(height) for height in re.findall(r'<rect[^>]* height="([\d.]+)"', chart)]
    assert heights == [25, 75]
    assert "<title>Lengths</title>" in chart
    assert "<title>2: 30 games (75.0\u202f%)</title>" in chart
    assert "<desc>40 games, from 1 to 2, mean 1.75.</desc>" in chart


def test_an_interval_is_drawn_from_bound_to_bound():
    plot = interval_plot([Interval("a<b", 0.5, 0.25, 1.0, "half")], Axis(0, 1, (0, 1)), "Shares")
    assert 'x1="25.00%" x2="100.00%"' in plot
    assert 'cx="50.00%"' in plot
    assert "<title>a&lt;b: half</title>" in plot
    assert "Shares" in plot


def test_unknown_values_are_not_drawn():
    plot = interval_plot([Interval("lonely", 0.0, -math.inf, math.inf, "–")], Axis(0, 1, (0, 1)), "Ratings")
    assert "lonely" in plot
    assert "<circle" not in plot


def test_a_bar_is_as_long_as_its_value():
    assert 'width="20.00%"' in bars([Bar("x", 2, "two")], Axis(0, 10, (0, 10)), "Faults")


def test_a_matrix_names_its_rows_and_can_be_read_without_colour():
    table = matrix(
        ["one", "two"], [[None, Cell(0.75, "75.0 %", "60 – 90 %")], [Cell(0.25, "25.0 %", "10 – 40 %"), None]], "Row"
    )
    assert "75.0 %<small>60 – 90 %</small>" in table
    assert table.count("above") == 1
    assert table.count("below") == 1
    assert table.count("--heat: 28%") == 2


def test_each_row_can_have_its_own_reference():
    rows = [Interval(name, 0.5, 0.4, 0.6, "half") for name in ("a", "b")]
    plot = interval_plot(rows, Axis(0, 1, (0, 1)), "Plot", reference=[0.25, 0.75])
    dashed = re.findall('x1="([0-9.]*)%"[^>]*class="reference"', plot)
    assert dashed == ["25.00", "75.00"]


def test_stacked_bars_extend_right_of_zero_and_negative_ones_left():
    row = Stack("bot", [3, -2, 1, 0], "+2 coins")
    chart = stacked_bars([row], ["rolls", "tiles", "legs", "races"], Axis(-5, 5, (-5, 0, 5)), "Income")
    drawn = re.findall('<rect x="([0-9.]*)%" width="([0-9.]*)%"[^>]*class="kind-([0-9])"', chart)
    assert drawn == [("50.00", "30.00", "1"), ("30.00", "20.00", "2"), ("80.00", "10.00", "3")]
    assert "bot, tiles: −2.00" in chart
    assert all(kind in chart for kind in ("rolls", "legs", "races"))
