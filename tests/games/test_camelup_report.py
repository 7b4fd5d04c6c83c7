"""Camel Up's own sections of a report, and the history of games that they are made of."""

import dataclasses
import re

import numpy as np
import pytest
from logged_games import as_games, play, tournament

import kibitz
from kibitz.games.camelup.log_sums import LogSums
from kibitz.games.camelup.race_history import FORGIVEN, LEG_BETS, LEGS, RACE_BETS, ROLLS, TILES, race_history_of
from kibitz.games.camelup.report import report_sections
from kibitz.games.camelup.rules import CamelUp, RuleSet
from kibitz.games.camelup.start_odds import exact_leaders, exact_odds
from kibitz.records.games import Outcome
from kibitz.records.log import Log, LogWriter

OFFICIAL, CAMELAI, SECOND = (CamelUp(rules=rules) for rules in RuleSet)
LINE_UP = [f"c_{camel} starts on {square}" for camel, square in enumerate((0, 0, 1, 2, 2))]  # c_4 is ahead


def moves_of(game, *names):
    """The moves and outcomes of a game that begins with these and continues with rolls."""
    table = kibitz.Table(game, deal=False)
    for name in (*LINE_UP, *names):
        table.play(table.parse(name))
    while not table.over:
        table.play(table.moves[0])
    return table, np.array([ply.move for ply in table.history], "i4")


def logged(folder, game=CAMELAI, games=8, change=None):
    """A log of games played at random."""
    spec = kibitz.rules.registry.spec_of(game)
    what = {**tournament(spec, [f"mc:sims={n}" for n in range(1, game.players + 1)], games=games), "paired": True}
    found = as_games(play(what))
    if change:
        change(found)
    with LogWriter(folder, what) as log:
        log.write(found)
    return Log(folder)


# ------------------------------------------------------------------ the history


@pytest.mark.parametrize("game", [OFFICIAL, CAMELAI, SECOND], ids=str)
def test_income_adds_up_to_the_coins_of_every_player(game):
    tables = play(tournament(kibitz.rules.registry.spec_of(game), ["random"] * 4, games=40))
    history = race_history_of(game, [np.array([ply.move for ply in table.history], "i4") for table in tables])
    coins = kibitz.Table(game).score()
    for table, income in zip(tables, history.income, strict=True):
        assert (income.sum(axis=1) + coins).tolist() == table.score()
    if game is CAMELAI:
        assert not history.income[:, :, FORGIVEN].any()
    else:
        assert (history.income[:, :, FORGIVEN] >= 0).all()


@pytest.mark.parametrize("game", [OFFICIAL, SECOND], ids=str)
def test_compiled_and_interpreted_accounts_agree(game):
    tables = play(tournament(kibitz.rules.registry.spec_of(game), ["random"] * 4, games=3))
    moves = [np.array([ply.move for ply in table.history], "i4") for table in tables]
    compiled = race_history_of(game, moves)
    with kibitz.plain():
        interpreted = race_history_of(game, moves)
    for ours, theirs in zip(compiled, interpreted, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_rolls_and_hits_of_tiles_are_paid_apart():
    first = ("oasis 3", "roll", "c_4 moves 1", "roll", "c_3 moves 2")
    _, moves = moves_of(CAMELAI, *first)
    income = race_history_of(CAMELAI, [moves[: len(LINE_UP) + len(first)]]).income[0]
    assert income[:, TILES].tolist() == [1, 0, 0, 0]
    assert income[:, ROLLS].tolist() == [0, 1, 1, 0]
    assert not income[:, [LEG_BETS, RACE_BETS, FORGIVEN]].any()


def test_leg_tiles_are_paid_by_the_places_when_the_leg_ends():
    bets = ("leg c_4", "leg c_4", "leg c_3", "leg c_0")
    rolls = [name for roll in ("c_4 moves 3", "c_3 moves 2", "c_2 moves 1", "c_0 moves 1") for name in ("roll", roll)]
    table, moves = moves_of(CAMELAI, *bets, *rolls, "roll", "c_1 moves 1")
    history = race_history_of(CAMELAI, [moves])
    assert history.income[0, :, LEG_BETS].tolist() == [5, 3, 1, -1]
    assert history.place[0, 0].tolist() == [4, 3, 2, 1, 0]
    assert history.square[0, 0].tolist() == [0, 0, 1, 2, 2]
    assert history.place[0, 1].tolist() == [4, 2, 3, 1, 0]
    assert history.square[0, 1].tolist() == [1, 2, 2, 4, 5]
    assert history.legs[0] == min(table.state.leg, LEGS)


def test_race_cards_are_recorded_with_leg_owner_and_pay():
    rolls = [name for camel in range(5) for name in ("roll", f"c_{camel} moves 1")]
    table, moves = moves_of(CAMELAI, "winner c_4", *rolls, "loser c_4", "winner c_0")
    history, state = race_history_of(CAMELAI, [moves]), table.state
    assert history.cards[0].tolist() == [2, 1]
    assert history.laid[0, 0, :2].tolist() == [1, 2]
    assert history.owner[0, 0, :2].tolist() == [0, 3]
    winner, last = CAMELAI.leader(state), CAMELAI.last(state)
    assert history.paid[0, 0, :2].tolist() == [8 if winner == 4 else -1, 8 if winner == 0 else -1]
    assert history.paid[0, 1, 0] == (8 if last == 4 else -1)
    assert history.final[0, winner] == 0
    assert history.final[0, last] == 4


# ------------------------------------------------------------------ the start


def test_exact_odds_of_the_start_are_the_known_ones():
    odds = exact_odds(CAMELAI)
    assert [round(100 * share, 1) for share in odds[0]] == pytest.approx([21.6, 20.9, 20.4, 19.6, 17.5], abs=0.1)
    assert [round(100 * share, 1) for share in odds[4]] == pytest.approx([15.7, 17.3, 18.5, 20.5, 28.0], abs=0.1)
    assert sum(odds[0]) == pytest.approx(1)


def test_the_first_starter_leads_after_a_leg_with_the_known_frequency():
    leads = exact_leaders(CAMELAI)
    assert (100 * leads[0], 100 * leads[-1]) == pytest.approx((27.1, 10.9), abs=0.05)
    assert sum(leads) == pytest.approx(1)


def test_races_without_tiles_come_to_the_exact_odds(tmp_path):
    kibitz.arena(CAMELAI, ["roll"] * 4, games=8000, seed=1, paired=False, log=tmp_path / "log")
    found = LogSums.of(Log(tmp_path / "log"), CAMELAI)
    for place, exact in exact_odds(CAMELAI).items():
        for began in range(5):
            share = found.share(began, place)
            assert share.share == pytest.approx(exact[began], abs=0.02)
            assert share.low < share.share < share.high
    assert found.leading[1] / found.ended[1] == pytest.approx(exact_leaders(CAMELAI), abs=0.02)
    assert found.leading[0].tolist() == [8000, 0, 0, 0, 0]


def test_first_legs_with_crazy_camels_come_to_the_exact_odds(tmp_path):
    kibitz.arena(SECOND, ["roll"] * 4, games=8000, seed=1, paired=False, log=tmp_path / "log")
    found = LogSums.of(Log(tmp_path / "log"), SECOND)
    assert found.leading[1] / found.ended[1] == pytest.approx(exact_leaders(SECOND), abs=0.02)


def test_games_with_the_same_dice_are_one_observation(tmp_path):
    game = CamelUp(players=2, rules="camelai")
    kibitz.arena(game, ["roll", "roll"], games=200, seed=1, log=tmp_path / "log")
    games = Log(tmp_path / "log").games()
    paired, alone = LogSums(game, 2), LogSums(game, 2)
    history = race_history_of(game, games.moves)
    paired.add(games, history)
    alone.add(dataclasses.replace(games, group=np.arange(200)), history)
    assert paired.groups == 100
    assert paired.share(0, 0).share == alone.share(0, 0).share
    wide, narrow = (found.share(0, 0).high - found.share(0, 0).low for found in (paired, alone))
    assert wide == pytest.approx(narrow * 2**0.5, rel=0.05)


# ------------------------------------------------------------------ the sections


def test_a_report_covers_the_start_coins_race_bets_and_camels(tmp_path):
    log = logged(tmp_path / "log", games=24)
    parts = {section.title: section.html for section in report_sections(CAMELAI, log)}
    assert list(parts) == ["Does the start decide the race?", "Income", "Race bets", "Camels over time"]
    assert parts["Does the start decide the race?"].count(", exact ") == 2 * 10  # in words and on hovering
    assert "exact 21.6\u202f%" in parts["Does the start decide the race?"]
    assert "Debts forgiven" not in parts["Income"]
    assert all(f"mc:<wbr>sims={n}" in parts["Income"] for n in range(1, 5))
    assert "winner, leg 1" in parts["Race bets"]
    assert "After leg 1: 100% of the races" in parts["Camels over time"]
    assert "27.1\u202f%" in parts["Camels over time"]


def test_bots_are_ordered_by_what_they_gained(tmp_path):
    kibitz.arena(OFFICIAL, ["random", "leader", "roll", "random"], games=40, seed=1, log=tmp_path / "log")
    income = next(part.html for part in report_sections(OFFICIAL, Log(tmp_path / "log")) if part.title == "Income")
    totals = [float(total) for total in re.findall(r"<strong>\+([0-9.]*)</strong>", income)]
    assert len(totals) == 4
    assert totals == sorted(totals, reverse=True)
    assert "Debts forgiven" in income


def test_without_race_bets_there_is_no_section_about_them(tmp_path):
    kibitz.arena(CAMELAI, ["roll"] * 4, games=4, seed=1, log=tmp_path / "log")
    titles = [section.title for section in report_sections(CAMELAI, Log(tmp_path / "log"))]
    assert "Race bets" not in titles


def test_in_the_second_edition_only_the_odds_of_the_first_leg_are_exact(tmp_path):
    start, *_, camels = report_sections(SECOND, logged(tmp_path / "log", SECOND))
    assert "even odds" in start.html
    assert "exact" not in start.html
    for share in exact_leaders(SECOND):
        assert f"{100 * share:.1f}\u202f%" in camels.html


@pytest.mark.slow
def test_a_race_too_large_to_be_solved_is_reported_without_exact_odds(tmp_path):
    large = CamelUp(players=2, rules="camelai", camels=6)
    start, *_ = report_sections(large, logged(tmp_path / "log", large))
    assert exact_odds(large) is None
    assert "even odds" in start.html
    assert "fifth" in start.html


def test_games_that_ended_by_a_fault_do_not_count(tmp_path):
    def some(games):
        games.outcome[:7] = Outcome.TIMEOUT
        games.moves[0] = games.turns[0] = np.zeros(0, "i4")

    parts = report_sections(CAMELAI, logged(tmp_path / "some", change=some))
    assert "100.0\u202f%" in parts[0].html

    def all_of_them(games):
        games.outcome[:] = Outcome.TIMEOUT

    assert report_sections(CAMELAI, logged(tmp_path / "all", change=all_of_them)) == []
