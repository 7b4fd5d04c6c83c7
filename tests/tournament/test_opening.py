"""Random openings: the same in all rotations of the seats and with every executor, and part of the record."""

from dataclasses import replace

import numpy as np
import pytest
from logged_games import equal
from toys import DiceRace, HighCard

import kibitz
from kibitz.players.roster import resolve_all
from kibitz.players.seating import Terms
from kibitz.records.log import Log
from kibitz.tournament import tournament
from kibitz.tournament.compiled_match import CompiledMatch
from kibitz.tournament.match import Match
from kibitz.tournament.schedule import Schedule

FOUR = "connect_four:columns=4,rows=4"


def played(tmp_path, **options):
    """The games of a small tournament, by way of its log."""
    arguments = {"game": FOUR, "bots": ["alphabeta:depth=1", "mc:sims=4"], "games": 20, "seed": 3, "opening": 4}
    result = kibitz.arena(**{**arguments, **options}, workers=1, log=tmp_path / "log")
    return result, Log(tmp_path / "log").games()


def openings(games, moves):
    return [tuple(played[:moves]) for played in games.moves]


def test_all_rotations_of_a_line_up_share_their_opening(tmp_path):
    _, games = played(tmp_path)
    found = openings(games, 4)
    assert found[::2] == found[1::2]
    assert len(set(found)) > 5


def test_unpaired_games_have_their_own_openings(tmp_path):
    _, games = played(tmp_path, paired=False)
    assert len(set(openings(games, 4))) > 15


def test_the_bots_are_asked_only_after_the_opening(tmp_path):
    _, games = played(tmp_path)
    assert [len(moves) - 4 for moves in games.moves] == games.choices.sum(axis=1).tolist()


@pytest.mark.parametrize("rules", [kibitz.game(FOUR), DiceRace(), HighCard()], ids=["none", "chance", "hidden"])
def test_compiled_matches_have_the_same_openings_as_tables(rules):
    specs, schedule, numbers = ["random"] * 2, Schedule(rules.players, 2, 20), np.arange(20)
    where = numbers, schedule.group(numbers), schedule.seats(numbers)
    compiled, at_tables = (
        match.play(*where, keep_moves=True)
        for match in (
            CompiledMatch(rules, resolve_all(specs, rules), 4, 3),
            Match(rules, resolve_all(specs, rules), 4, Terms(), 3),
        )
    )
    assert equal(without_time(compiled), without_time(at_tables))


def test_an_opening_longer_than_the_game_ends_with_it(tmp_path):
    result, games = played(tmp_path, opening=100)
    assert games.choices.sum() == 0
    assert result.played == 20


def test_a_logged_game_replays_with_its_opening(tmp_path):
    _, games = played(tmp_path)
    for turns, moves in zip(games.turns, games.moves, strict=True):
        table = kibitz.Table(FOUR)
        for turn, move in zip(turns.tolist(), moves.tolist(), strict=True):
            table.play(move, turn)
        assert table.over


def test_a_resumed_tournament_continues_with_the_same_openings(tmp_path, monkeypatch):
    whole, _ = played(tmp_path)
    arguments = {"game": FOUR, "bots": ["alphabeta:depth=1", "mc:sims=4"], "games": 20, "seed": 3, "workers": 1}

    def interrupt(result):
        raise KeyboardInterrupt

    monkeypatch.setattr(tournament, "SHOW_SECONDS", 0.0)
    part = kibitz.arena(**arguments, opening=4, log=tmp_path / "part", progress=interrupt)
    assert part.interrupted
    assert part.played < 20
    resumed = kibitz.arena(**arguments, opening=4, log=tmp_path / "part", resume=True)
    assert resumed.tally.lengths == whole.tally.lengths
    assert equal(without_time(Log(tmp_path / "part").games()), without_time(Log(tmp_path / "log").games()))
    with pytest.raises(kibitz.KibitzError, match=r"\(opening: 4, not 6\)"):
        kibitz.arena(**arguments, opening=6, log=tmp_path / "part", resume=True)


def without_time(games):
    return replace(games, seconds=games.seconds * 0)


def test_a_negative_number_of_opening_moves_is_refused():
    with pytest.raises(kibitz.KibitzError, match="must be a whole number of at least 0, not -1"):
        kibitz.arena(FOUR, ["random", "random"], opening=-1, seed=0)


def test_the_result_says_how_its_games_began(tmp_path):
    result, _ = played(tmp_path)
    assert "Every game began with 4 random moves." in str(result)
    assert result.summary()["opening"] == 4
