"""The picture of a tree of brains."""

import xml.etree.ElementTree as ElementTree

from kibitz.learn.brain_tree import Node
from kibitz.learn.brain_tree_picture import MOST_SHOWN, WIDTH, picture_of

SVG = "{http://www.w3.org/2000/svg}"
SMALL = [Node(0, -1, 3, 6), Node(1, 0, 2, 3), Node(2, 0, 0, 2), Node(3, 1, 1, 2)]


def texts(picture):
    return [text.text for text in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def test_every_brain_is_drawn_with_its_number_and_its_wins_and_games():
    assert texts(picture_of(SMALL, SMALL[1], "ur")) == [
        "ur: 4 brains",
        *("0", "3/6", "1", "2/3", "2", "0/2", "3", "1/2"),
    ]


def test_brains_do_not_overlap():
    picture = ElementTree.fromstring(picture_of(SMALL, SMALL[1], "ur"))
    boxes = [group.find(f"{SVG}rect") for group in picture.iter(f"{SVG}g")]
    corners = {(float(box.get("x")) // WIDTH, float(box.get("y"))) for box in boxes}
    assert len(corners) == len(SMALL)


def test_of_many_brains_those_with_the_most_games_and_the_chosen_one_are_drawn():
    chain = [Node(i, i - 1, 1, 1000 - i) for i in range(1000)]
    shown = texts(picture_of(chain, chain[3], "ur"))
    assert shown[0] == f"ur: 1,000 brains, the {MOST_SHOWN} with the most games"
    assert len(shown) == 1 + 2 * MOST_SHOWN
    deep = texts(picture_of(chain, chain[200], "a < b"))
    assert deep[0].startswith("a < b: ")
    assert "200" in deep
