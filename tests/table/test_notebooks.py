"""Tables and views in a notebook: pictures, words, and nothing that a viewer must not see."""

import base64
import html
import re

import pytest
from toys import HighCard, Nim

import kibitz
from kibitz import NOBODY, Table
from kibitz.rules.engine import Engine
from kibitz.rules.rng import Stream


def svg_in(page):
    """The picture on a page."""
    (content,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    return base64.b64decode(content).decode()


def play_some(table, plies):
    for _ in range(plies):
        table.play(table.view(table.turn).rng.choice(table.moves))
    return table


def test_a_table_is_a_picture_with_a_line_of_words():
    table = Table("connect_four", seed=1)
    table.play("4")
    page = table._repr_html_()
    assert svg_in(page) == table.picture().svg()
    assert "a red disc" in svg_in(page)
    assert "connect_four, 1 ply: Yellow to move." in page


def test_a_finished_table_says_who_won():
    table = Table("connect_four")
    for name in ["1", "2", "1", "2", "1", "2", "1"]:
        table.play(name)
    assert "connect_four, 7 plies: Red wins." in table._repr_html_()


def test_a_game_without_a_scene_is_shown_as_text():
    table = Table(Nim(heap=5))
    assert table.picture() is None
    assert f"<pre>{table.text()}</pre>" in table._repr_html_()
    assert table.view(0).picture() is None
    assert f"<pre>{table.view(0).text()}</pre>" in table.view(0)._repr_html_()


@pytest.mark.parametrize("spec", ["mexican_train", "camelup"])
def test_a_viewer_sees_the_same_whatever_is_hidden(spec):
    """Everything that a viewer must not know is dealt again, which changes neither picture nor words."""
    table = play_some(Table(spec, seed=5), plies=12)
    engine, changed = Engine(table.game), False
    for viewer in (*range(table.game.players), NOBODY):
        for redealt in range(3):
            state = table.view(viewer).state
            engine.redeal(state, viewer, Stream("redeal", redealt))
            other = Table(table.game, seed=5, position=state)
            changed |= other.state != table.state
            assert other.view(viewer).picture().svg() == _unmarked(table, viewer).svg()
            assert svg_in(other.view(viewer)._repr_html_()) == other.picture(viewer).svg()
    assert changed  # otherwise nothing was hidden


def _unmarked(table, viewer):
    """The position as a viewer sees it, without the last move, which a table that starts there does not know."""
    return Table(table.game, position=table.state).picture(viewer)


def test_the_text_of_a_view_hides_what_the_table_shows():
    table = Table(HighCard(), seed=1)
    assert table.view(0).text() in html.unescape(table.view(0)._repr_html_())
    assert table.text() not in table.view(0)._repr_html_()


def test_a_picture_is_saved_as_svg(tmp_path):
    picture = Table("ur", seed=1).picture()
    assert picture.save(tmp_path / "ur.svg").read_text() == picture.svg()
    assert picture.save(tmp_path / "ur.svg", night=True).read_text() == picture.svg(night=True) != picture.svg()
    assert repr(picture) == "<Picture: a position of ur>"
    with pytest.raises(kibitz.KibitzError, match=r"saved as SVG, in a file such as ur\.svg, not .*ur\.png"):
        picture.save(tmp_path / "ur.png")
    with pytest.raises(kibitz.KibitzError, match="Cannot write"):
        picture.save(tmp_path / "nowhere" / "ur.svg")


def test_what_a_game_says_is_never_markup():
    class Rude(kibitz.Board):
        seats = ("<img src=x onerror=alert(1)>", "two")

        def text(self, game, s, last=None):
            return "<script>alert(1)</script>"

    class RudeNim(Nim):
        board = Rude

    table = Table(kibitz.game(RudeNim)())
    for page in (table._repr_html_(), table.view(0)._repr_html_()):
        assert "<script" not in page
        assert "<img" not in page
