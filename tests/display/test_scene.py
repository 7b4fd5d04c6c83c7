"""Scenes: their JSON form and marks, and what the scenes of every shipped game must satisfy."""

import itertools
import json
import random
from pathlib import Path

import pytest

import kibitz
from kibitz.display.scene import Piece, Scene, circle, line, polygon, rect, text
from kibitz.display.svg import PAGE, SEATS, to_svg
from kibitz.rules.contract import NOBODY
from kibitz.rules.engine import Engine

SPECS = [
    "camelup",
    "camelup:players=2,rules=camelai,camels=3,squares=8",
    "camelup:players=8,rules=second",
    "connect_four",
    "connect_four:columns=10,rows=4",
    "hexplode",
    "hexplode:side=3,damage=0.2",
    "mexican_train:target=40",
    "mexican_train:players=8,target=20",
    "separo",
    "separo:size=5",
    "ur",
    "ur:pieces=7,rosettes=16,coins=3,safe=no",
]
TUTORIAL = f"{Path(__file__).parents[2]}/examples/chomp.py:Chomp"
DRAWN = [*SPECS, TUTORIAL]
LARGEST = 60_000  # bytes of a scene as JSON


@pytest.fixture(autouse=True)
def interpreted():
    with kibitz.plain():
        yield


def positions(spec, seed, plies=400):
    """The table in every position of a random game, with the last player's move before it."""
    table, choose, last = kibitz.Table(spec, seed), random.Random(seed), None
    while True:
        yield table, last
        if table.over or len(table.history) > plies:
            return
        last = choose.choice(table.moves)
        table.play(last)


def size_of(scene):
    return len(json.dumps(scene.document(), separators=(",", ":")))


def viewers(game):
    return (*range(game.players), NOBODY)


@pytest.mark.parametrize("spec", DRAWN)
def test_every_viewer_gets_a_scene_of_every_position(spec):
    for table, last in itertools.islice(positions(spec, 1), 0, None, 5):
        for viewer in viewers(table.game):
            scene = table.board.scene(table.game, table.view(viewer).state, viewer, last)
            names = [piece.name for piece in scene.pieces]
            assert len(set(names)) == len(names)
            assert size_of(scene) < LARGEST
            assert to_svg(scene).count("<g ") == len(scene.pieces) + sum(piece.marked for piece in scene.pieces)


@pytest.mark.parametrize("spec", DRAWN)
def test_the_end_of_a_game_is_a_scene_too(spec):
    *_, (table, last) = positions(spec, 2, plies=5000)
    assert table.over
    for viewer in viewers(table.game):
        assert table.board.scene(table.game, table.view(viewer).state, viewer, last).pieces


@pytest.mark.parametrize("spec", DRAWN)
def test_every_legal_move_is_made_by_clicks_on_labelled_pieces(spec):
    for table, last in positions(spec, 3):
        if table.over:
            break
        view = table.view(table.turn)
        scene = table.board.scene(table.game, view.state, table.turn, last)
        labelled = {piece.name for piece in scene.pieces if piece.label}
        clicks = [table.board.clicks(table.game, view.state, move) for move in table.moves]
        assert set(itertools.chain(*clicks)) <= labelled
        for one, other in itertools.permutations(filter(None, clicks), 2):
            assert one != other[: len(one)]


@pytest.mark.parametrize("spec", DRAWN)
def test_colours_are_those_of_the_page_the_seats_or_the_palette(spec):
    for table, last in itertools.islice(positions(spec, 4), 0, None, 10):
        scene = table.board.scene(table.game, table.view(NOBODY).state, NOBODY, last)
        shapes = [shape for piece in scene.pieces for shape in piece.shapes]
        paints = {shape.fill for shape in shapes} | {shape.stroke for shape in shapes}
        assert paints <= {"none", *PAGE, *SEATS, *scene.palette}


@pytest.mark.parametrize("spec", DRAWN)
def test_pieces_lie_on_the_sheet(spec):
    for table, last in itertools.islice(positions(spec, 5), 0, None, 10):
        scene = table.board.scene(table.game, table.view(NOBODY).state, NOBODY, last)
        for piece in scene.pieces:
            assert 0 <= piece.x <= scene.width, piece.name
            assert 0 <= piece.y <= scene.height, piece.name


@pytest.mark.parametrize("spec", SPECS)
def test_intermediate_scenes_have_the_same_sheet(spec):
    for table, _ in itertools.islice(positions(spec, 8), 0, None, 10):
        view = table.view(max(table.turn, 0))
        for move in view.moves[:3]:
            for step in table.board.steps(table.game, view.state, move, view.player):
                names = [piece.name for piece in step.pieces]
                assert len(set(names)) == len(names)
                assert size_of(step) < LARGEST


@pytest.mark.parametrize("spec", SPECS)
def test_effects_are_sentences(spec):
    *_, (table, _) = positions(spec, 6, plies=5000)
    engine = Engine(table.game)
    for viewer in (0, NOBODY):
        state = engine.start()
        for _, move in table.history:
            before, seen = engine.redacted(state, viewer), engine.seen(state, move, viewer)
            engine.play(state, move)
            sentences = table.board.effects(table.game, before, seen, engine.redacted(state, viewer))
            assert all(sentence.endswith(".") for sentence in sentences)


@pytest.mark.parametrize("spec", SPECS)
def test_counters_are_few_and_short(spec):
    for table, _ in itertools.islice(positions(spec, 7), 0, None, 10):
        for viewer in viewers(table.game):
            for player in range(table.game.players):
                counters = table.board.counters(table.game, table.view(viewer).state, player)
                assert all(len(f"{name} {count}") < 24 for name, count in counters.items())


@pytest.mark.parametrize("spec", SPECS)
def test_the_rules_are_explained_with_pictures(spec):
    game = kibitz.game(spec)
    lessons = kibitz.display.board.board_of(game).lessons(game)
    assert len(lessons) >= 3
    assert all(lesson.title and lesson.words.endswith(".") for lesson in lessons)
    assert sum(lesson.scene is not None for lesson in lessons) >= 3
    for lesson in lessons:
        if lesson.scene:
            assert size_of(lesson.scene) < LARGEST
            to_svg(lesson.scene)


def test_a_document_omits_default_values():
    disc = Piece("disc", 1, 2, (circle(0.5, fill="seat-0"),), marked=True)
    assert Scene(3, 4, (disc,), {"wood": ("#a86", "#532")}).document() == {
        "width": 3,
        "height": 4,
        "palette": {"wood": ["#a86", "#532"]},
        "pieces": [
            {
                "name": "disc",
                "x": 1,
                "y": 2,
                "marked": True,
                "shapes": [{"kind": "circle", "width": 1.0, "height": 1.0, "fill": "seat-0"}],
            }
        ],
    }


def test_lines_and_polygons_are_paths():
    assert line(0, 0, 1, 0.5, 0.1, stroke="ink").d == "M0,0L1,0.5"
    assert polygon([(0, 0), (1, 0), (0, 1)], fill="ink").d == "M0,0L1,0L0,1Z"


def test_a_text_is_in_ink_unless_told_otherwise():
    assert text("a", 1).fill == "ink"
    assert text("a", 1, fill="faint").fill == "faint"


def test_pieces_that_are_new_or_have_moved_are_marked():
    def scene(*places):
        return Scene(9, 9, tuple(Piece(name, x, 0, (rect(1, 1),), "a piece") for name, x in places))

    after = scene(("stays", 1), ("moves", 3), ("comes", 5)).since(scene(("stays", 1), ("moves", 2), ("goes", 4)))
    assert [piece.name for piece in after.pieces if piece.marked] == ["moves", "comes"]


def test_pieces_without_a_label_are_never_marked():
    ornament = Scene(9, 9, (Piece("ornament", 1, 1, ()),))
    assert ornament.since(Scene(9, 9, ())) == ornament


def test_a_scene_with_marks_keeps_them():
    marked = Scene(9, 9, (Piece("a", 1, 1, (), marked=True), Piece("b", 1, 1, ())))
    assert marked.since(Scene(9, 9, ())) == marked


def luminance(colour):
    """The relative luminance of a colour, as defined by WCAG."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


MARKS = {  # what has to stand out from what is behind it
    "connect_four": ["seat-0 inside", "seat-1 inside", "number plate"],
    "hexplode": ["seat-0 stone", "seat-1 stone", "glow stone"],
    "separo": ["seat-0 linen", "seat-1 linen", "mark linen"],
    "ur": ["seat-0 lapis", "seat-1 lapis", "seat-0 carnelian", "seat-0 wood", "shell bitumen", "bitumen gold"],
    "camelup": [
        "number plate",
        "letter card",
        "letter coin",
        *(f"hide camel-{i}" for i in range(7)),
        "gleam camel-black",
    ],
}


@pytest.mark.parametrize(("name", "pair"), [(name, pair) for name, pairs in MARKS.items() for pair in pairs])
@pytest.mark.parametrize("night", [False, True])
def test_marks_stand_out_from_what_is_behind_them(name, pair, night):
    table = kibitz.Table(name)
    palette = table.board.scene(table.game, table.state, NOBODY).palette
    bright, dark = sorted((luminance(palette[paint][night]) for paint in pair.split()), reverse=True)
    assert (bright + 0.05) / (dark + 0.05) >= 3
