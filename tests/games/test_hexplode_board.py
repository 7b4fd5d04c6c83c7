"""Hexplode in the terminal."""

import kibitz


def table_after(moves, spec="hexplode:side=2"):
    table = kibitz.Table(spec)
    for name in moves.split():
        table.play(table.parse(name))
    return table


def test_tiles_show_counters_room_and_the_last_move():
    assert table_after("tile_0_0 tile_1_1 tile_0_0 tile_2_1").text().splitlines() == [
        "         _______",
        " _______╱  ···  ╲_______",
        "╱  ●●!  ╲____b3_╱  ···  ╲",
        "╲____a2_╱ ○·····╲____c2_╱",
        "╱  ···  ╲____b2_╱▸ ○··  ╲",
        "╲____a1_╱  ···  ╲____c1_╱",
        "        ╲____b1_╱",
    ]


def test_the_log_says_which_tile_is_damaged():
    table = kibitz.Table("hexplode:side=2,damage=0.5", deal=False)
    said = []
    for units in (3, 0, 1):
        said.append(table.say(units))
        table.play(units)
    assert said == ["damage 3 on a2", "no damage on a1", "damage 1 on b3"]


def test_damage_is_shown_until_it_is_repaired():
    table = kibitz.Table("hexplode:side=2,damage=0.5", deal=False)
    for units in (3, 0, 0, 0, 0, 0, 0):
        assert table.name(units) == f"damage {units}"
        table.play(units)
    assert "╱  ▒▒▒  ╲" in table.text()
    for move in (0, 1, 0, 1, 0):
        table.play(move)
    assert "▒" not in table.text()


def test_the_largest_board_has_straight_columns():
    with kibitz.plain():
        lines = kibitz.Table("hexplode:side=12").text().splitlines()
    assert len(lines) == 47
    assert max(map(len, lines)) == 23 * 8 + 1
    assert lines[0].strip() == "_______"


def test_colours_tell_whose_counters_they_are():
    markup = table_after("tile_0_0 tile_1_1").markup()
    assert "[bold #ff6b6b]●" in markup
    assert "[bold #5fb3ff]○" in markup
