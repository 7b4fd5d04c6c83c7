"""Puzzles: those that ship are still what the rules say, and new ones are found where somebody missed the best move."""

import pytest
from toys import Nim

import kibitz
from kibitz.analysis.puzzles import (
    Finder,
    play_game,
    read_puzzles,
    searcher,
    shipped_puzzles,
    write_puzzles,
)
from kibitz.errors import KibitzError
from kibitz.rules.registry import find_game, game_names
from kibitz.rules.rng import Stream

FEWEST = 12
NIM = Finder(Nim(heap=9), ("random",), "alphabeta:depth=1", "alphabeta:depth=9", 0.5)


@pytest.mark.parametrize("name", game_names())
def test_every_game_ships_puzzles_that_its_rules_still_lead_to(name):
    """A changed rule is noticed here: `kibitz puzzles` then finds new ones."""
    puzzles = shipped_puzzles(find_game(name))
    assert len(puzzles) >= FEWEST
    assert len({puzzle.moves for puzzle in puzzles}) == len(puzzles)
    for puzzle in puzzles:
        table = puzzle.set_up(find_game(puzzle.game))
        assert table.turn >= 0
        assert puzzle.best.value > puzzle.candidates[1].value
        assert puzzle.played != puzzle.best.name
        assert puzzle.candidate(puzzle.played).name == puzzle.played


def test_the_puzzles_of_ur_are_solved_by_the_perfect_player():
    game = find_game("ur")
    perfect = searcher("perfect", game)
    for puzzle in shipped_puzzles(game):
        report = perfect.analyse((table := puzzle.set_up(game)).view(table.turn))
        assert report.view.name(report.best.move) == puzzle.best.name
        assert report.value == pytest.approx(puzzle.best.value, abs=1e-4)


def test_a_mistake_that_the_strong_search_confirms_is_a_puzzle():
    found = NIM.find(games=20, seed=1, most=5)
    assert len(found) == 5
    for puzzle in found:
        left = 9 - sum(int(name.removeprefix("take ")) for name in puzzle.moves)
        assert puzzle.best.name == f"take {left % 4}"  # a multiple of four is left for the other
        assert puzzle.best.exact
        assert puzzle.best.line[0] == puzzle.best.name
        assert puzzle.played != puzzle.best.name
    assert NIM.find(games=20, seed=1, most=5) == found
    assert NIM.find(games=20, seed=2, most=5) != found


def test_without_a_clear_best_move_there_is_no_puzzle():
    lost = Finder(Nim(heap=8), ("random",), "alphabeta:depth=9", "alphabeta:depth=9", 0.5)
    record = play_game(lost.game, lost.players, seed=1, number=0)
    first = kibitz.Record(**{**vars(record), "turns": record.turns[:1], "moves": record.moves[:1]})
    assert lost.in_game(first, Stream("luck")) == []


def test_bots_that_do_not_search_cannot_judge():
    with pytest.raises(KibitzError, match="random cannot judge moves"):
        searcher("random", Nim())


def test_puzzles_are_written_and_read(tmp_path):
    file, puzzles = tmp_path / "puzzles.json", tuple(NIM.find(games=9, seed=1, most=3))
    write_puzzles(file, NIM.game, "kibitz puzzles …", puzzles)
    assert read_puzzles(file) == puzzles


@pytest.mark.parametrize("text", ["", "[]", '{"format": 2}', '{"format": 1, "game": "ur", "puzzles": [{}]}'])
def test_what_is_no_file_of_puzzles_is_refused(tmp_path, text):
    file = tmp_path / "puzzles.json"
    file.write_text(text)
    with pytest.raises(KibitzError, match="puzzles"):
        read_puzzles(file)
    with pytest.raises(KibitzError, match="No such file"):
        read_puzzles(tmp_path / "nothing.json")


def test_a_changed_rule_is_noticed():
    puzzle = NIM.find(games=9, seed=1, most=1)[0]
    with pytest.raises(KibitzError, match=r"A puzzle of .* current rules"):
        puzzle.set_up(Nim(heap=1))
