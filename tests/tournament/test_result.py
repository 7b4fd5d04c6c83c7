"""The result of a tournament as values, as a table, as JSON, as data frames, as a picture and in a notebook."""

import dataclasses
import io
import json
import math
import sys

import polars
import pytest
from rich.console import Console
from toys import Centipede, Chips, ChipsAsShares, DiceRace, HighCard

import kibitz
from kibitz import KibitzError
from kibitz.tournament.plot import _short
from kibitz.tournament.standings import labels
from kibitz.tournament.tally import Tally

BOTS = """
class Raises:
    def choose(self, view):
        raise ValueError("[no] idea")
"""


@pytest.fixture(scope="module")
def match():
    return kibitz.arena("connect_four", ["random", "greedy"], games=200, seed=1)


def shown(result, width=100):
    console = Console(width=width, file=io.StringIO())
    console.print(result)
    return console.file.getvalue()


def test_the_best_bot_comes_first(match):
    assert [standing.bot for standing in match.ranking] == ["greedy", "random"]
    best = match.ranking[0]
    assert 0.9 < best.share.low < best.share.share < best.share.high <= 1
    assert best.rating.rating == pytest.approx(-match.ranking[1].rating.rating)
    assert match.pair(1, 0) == best.share


def test_a_bot_that_is_listed_twice_is_numbered():
    assert labels(["random", "greedy", "random", "random"]) == ["random", "greedy", "random #2", "random #3"]


def test_the_json_document_has_the_promised_keys(match):
    document = json.loads(match.to_json())
    assert {"game", "games", "seconds", "plies_mean", "standings", "seats"} <= document.keys()
    assert (document["game"], document["games"]) == ("connect_four", 200)
    assert document["plies_mean"] == sum(int(length) * n for length, n in document["lengths"].items()) / 200
    for standing in document["standings"]:
        assert {"bot", "games", "share", "low", "high", "score_mean", "faults"} <= standing.keys()
        assert isinstance(standing["faults"], int)
        assert standing["low"] <= standing["share"] <= standing["high"]
    assert [seat["seat"] for seat in document["seats"]] == [0, 1]
    assert all({"seat", "share", "low", "high"} <= seat.keys() for seat in document["seats"])


def test_decisions_are_counted_without_chance():
    result = kibitz.arena(DiceRace(), ["random", "random"], games=50, seed=1)
    assert result.plies_mean == result.tally.bots.choices.sum() / 50


def test_a_result_prints_as_its_table(match):
    text = str(match)
    assert text == repr(match)
    assert "greedy" in text
    assert "95 % interval" in text
    assert "Yellow" in text
    assert "200 games" in text


def test_a_round_robin_shows_the_share_of_every_pair():
    text = shown(kibitz.arena("connect_four", ["random", "random", "greedy"], games=60, seed=0))
    assert "Row against column" in text
    assert "random #2" in text


def test_a_table_of_three_has_ratings_and_scores_but_no_pairs():
    text = shown(kibitz.arena(HighCard(), ["random", "random", "random"], games=30, seed=0))
    assert "Rating" in text
    assert "Score" in text
    assert "Row against column" not in text


def test_faults_are_named_in_the_table_and_brackets_are_shown(tmp_path):
    (tmp_path / "odd.py").write_text(BOTS)
    result = kibitz.arena("connect_four", ["random", f"{tmp_path}/odd.py:Raises"], games=4, seed=0)
    text = shown(result, width=200)
    assert "4 exception" in text
    assert "ValueError in line 4: [no] idea" in text
    document = result.summary()
    assert document["standings"][1]["fault_kinds"] == {"exception": 4}
    assert [fault["game"] for fault in document["faults"]] == [0, 1, 2, 3]


def test_the_sequential_test_is_shown():
    result = kibitz.arena("connect_four", ["greedy", "random"], games=500, sprt="elo0=0,elo1=100", seed=0)
    assert "greedy is 100 rather than 0 Elo stronger (H1; LLR" in shown(result)
    document = result.summary()["sprt"]
    assert document["decision"] == "accept H1"
    assert document["llr"] >= document["bounds"][1] == pytest.approx(2.944, abs=1e-3)


def test_an_undecided_test_says_so():
    result = kibitz.arena("connect_four", ["random", "random"], games=4, sprt="elo0=0,elo1=5", seed=0)
    assert "Undecided whether random is 0 or 5 Elo stronger" in shown(result)


def test_the_table_fits_a_narrow_terminal():
    result = kibitz.arena(HighCard(), ["random", "random", "random"], games=3000, seed=0)
    lines = shown(result, width=80).splitlines()
    assert max(map(len, lines)) <= 80
    assert sum("random" in line and "±" in line and line.count("%") == 3 for line in lines) == 3


def test_a_bot_that_has_not_played_has_no_share():
    result = kibitz.arena("connect_four", ["greedy", "random", "random"], games=2, seed=0)
    last = result.ranking[-1]
    assert (last.bot, last.games) == ("random #2", 0)
    assert math.isnan(last.share.share)
    assert json.loads(result.to_json())["standings"][-1]["share"] is None
    assert "–" in shown(result)


def test_the_standings_are_a_data_frame(match):
    frame = match.standings()
    assert frame["bot"].to_list() == ["greedy", "random"]
    assert {"games", "share", "low", "high", "rating", "score_mean", "move_ms", "faults"} <= set(frame.columns)
    assert frame["share"].sum() == pytest.approx(1)


def test_the_games_are_a_data_frame(match):
    frame = match.games()
    assert frame["game"].to_list() == list(range(match.played))
    by_bot = frame.explode("seats", "payoff").group_by("seats").agg(polars.col("payoff").mean())
    shares = {standing.bot: standing.share.share for standing in match.ranking}
    assert dict(by_bot.iter_rows()) == pytest.approx(shares)


def test_the_games_of_a_log_come_from_the_log_with_their_moves(tmp_path):
    options = {"games": 20, "seed": 1}
    logged = kibitz.arena("connect_four", ["greedy", "random"], log=tmp_path / "log", **options)
    with_moves, without = logged.games(), kibitz.arena("connect_four", ["greedy", "random"], **options).games()
    assert with_moves["moves"].list.len().to_list() == without["decisions"].list.sum().to_list()
    assert with_moves.drop("seconds", "turns", "moves").equals(without.drop("seconds", "turns", "moves"))
    assert with_moves.schema == without.schema


def test_the_games_of_a_test_that_ended_early_are_those_counted():
    result = kibitz.arena("connect_four", ["greedy", "random"], games=2000, seed=1, sprt="elo0=0,elo1=50")
    assert result.decision
    assert result.games().height == result.played < 2000


def test_very_many_games_are_not_kept(monkeypatch):
    monkeypatch.setattr("kibitz.tournament.tournament.KEPT_GAMES", 10)
    result = kibitz.arena("connect_four", ["random", "random"], games=12)
    with pytest.raises(KibitzError, match="The 12 games of this tournament were not kept"):
        result.games()


def test_frames_become_those_of_pandas(match):
    assert list(match.standings().to_pandas()["bot"]) == ["greedy", "random"]


@pytest.mark.parametrize("frame", ["standings", "games"])
def test_without_polars_a_sentence_says_what_to_install(match, monkeypatch, frame):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(KibitzError, match=r"kibitz\[frames\]"):
        getattr(match, frame)()


# ------------------------------------------------------------------ in a notebook


def test_a_plot_shows_every_bot_with_its_interval(match):
    svg = match.plot().svg()
    assert svg.count("<circle") == 2
    for standing in match.ranking:
        assert standing.bot in svg
        assert f"{standing.share.share:.1%}" in svg


def test_a_plot_of_long_names_cuts_them_in_the_middle():
    svg = kibitz.arena("connect_four", [f"alphabeta:depth=1,table={n}" for n in (10, 11)], games=2).plot().svg()
    assert ">alphabeta:depth=1,table=10<" in svg
    assert _short("folder/" * 9 + "file.py:MyBot") == "folder/folder/f…er/file.py:MyBot"


def test_nothing_is_plotted_before_the_first_game(match):
    empty = dataclasses.replace(match, tally=Tally(match.schedule, match.game))
    with pytest.raises(KibitzError, match="nothing to plot"):
        empty.plot()


def test_a_notebook_shows_the_tables_of_the_terminal(match):
    html = match._repr_html_()
    for cell in ("Bot", "95 % interval", "greedy", "random", "Red", "Yellow", f"{match.ranking[0].share.share:.1%}"):
        assert f">{cell}<" in html
    assert html.count("<img") == 4  # a bar for each bot and each seat
    assert "200 games" in html


def test_nothing_from_outside_is_markup_in_a_notebook(match):
    named = dataclasses.replace(match, specs=("<script>alert(1)</script>", "a&b"))
    for html in (named._repr_html_(), named.plot().svg()):
        assert "<script" not in html
        assert "a&amp;b" in html


# ------------------------------------------------------------------ utilities


@pytest.fixture(scope="module")
def betting():
    with kibitz.plain():
        return kibitz.arena(Chips(seed=3), ["random", "greedy"], games=60, seed=1)


def test_standings_show_the_mean_utility_and_how_it_is_rated(betting):
    text = shown(betting)
    assert "Utility" in text
    assert "Share" not in text
    assert "%" not in text.replace("95 % interval", "")
    assert "Utility is the mean per game, from −3 to +3." in text
    assert "a utility u counts as (u + 3) / 6 of a win." in " ".join(text.split())
    mean = betting.utility(betting.ranking[0].share)
    assert f"{mean.share:+.2f}".replace("-", "−") in text


def test_utilities_are_counted_like_the_shares_they_stand_for(betting):
    with kibitz.plain():
        shares = kibitz.arena(ChipsAsShares(seed=3), ["random", "greedy"], games=60, seed=1)
    assert betting.ranking[0].share == shares.ranking[0].share
    assert betting.ratings == shares.ratings
    assert betting.utility(betting.seats[0]).share == pytest.approx(6 * shares.seats[0].share - 3)


def test_the_document_has_utilities_beside_the_shares(betting, match):
    for standing in json.loads(betting.to_json())["standings"]:
        assert standing["utility"] == pytest.approx(6 * standing["share"] - 3)
        assert standing["utility_low"] <= standing["utility"] <= standing["utility_high"]
    assert "utility" not in match.summary()["standings"][0]


def test_where_both_can_win_bots_are_rated_by_who_got_more():
    with kibitz.plain():
        result = kibitz.arena(Centipede(), ["random", "mc:sims=20"], games=10, seed=1)
        with pytest.raises(KibitzError, match="needs a constant-sum game"):
            kibitz.arena(Centipede(), ["random", "mc:sims=20"], games=10, sprt="elo0=0,elo1=10")
    assert result.tally.orders.total() == 5  # groups of two games
    assert "Ratings count who got more than whom." in " ".join(shown(result).split())
    shares = [standing.share.share for standing in result.ranking]
    assert sum(shares) != pytest.approx(1)


@pytest.mark.parametrize("width", [60, 70, 80, 120])
def test_a_narrow_terminal_shows_the_names_of_the_bots(width):
    with kibitz.plain():
        result = kibitz.arena(HighCard(), ["mc:sims=1", "random"], games=6, seed=1)
    lines = shown(result, width).splitlines()
    assert all(len(line) <= width for line in lines)
    assert any("mc:sims=1 " in line for line in lines)
    assert any("random " in line for line in lines)
    assert ("Time/move" in lines[0]) == (width > 60)
