"""The report of a tournament: what it contains, what it omits, and that nothing in it can do harm."""

import html
import importlib
import re
from dataclasses import astuple
from html.parser import HTMLParser

import pytest
from logged_games import CONNECT_FOUR, HIGH_CARD, TOYS, as_games, play, tournament

import kibitz
from kibitz.errors import KibitzError
from kibitz.records.export import merge
from kibitz.records.games import Outcome, forfeit
from kibitz.records.log import Log, LogWriter
from kibitz.report.report import report_of, result_of, write_report
from kibitz.tournament.tournament import arena

VOID = {"meta", "wbr"}
NIM = f"{TOYS}:Nim"
EVIL = "<script src=http://evil.example/x.js>alert('1')</script> & \"<b onclick=x>\""


def write(folder, what, change=None):
    what = {**what, "paired": True}
    games = as_games(play(what))
    if change:
        change(games)
    with LogWriter(folder, what) as log:
        log.write(games)
    return folder


def page_of(folder, **options):
    return write_report(folder, **options).read_text(encoding="utf-8")


def titles(page):
    return [html.unescape(title) for title in re.findall("<h2>(.*?)</h2>", page)]


def text_of(page):
    """What a reader sees."""
    return html.unescape(re.sub("<[^>]*>", "", page.partition("</head>")[2]))


class Structure(HTMLParser):
    """Follows the elements of a page."""

    def __init__(self, page):
        super().__init__()
        self.open, self.faults, self.tags, self.attributes = [], [], set(), []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes += attributes
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)


def assert_sound(page):
    structure = Structure(page)
    assert structure.faults == []
    assert structure.open == []
    assert "script" not in structure.tags
    names = {name for name, _ in structure.attributes}
    assert not [name for name in names if name.startswith("on")]
    assert all(value.startswith("#") for name, value in structure.attributes if name in ("href", "src", "xlink:href"))
    assert "nan%" not in page
    ids = [value for name, value in structure.attributes if name == "id"]
    assert len(ids) == len(set(ids))


@pytest.fixture
def duel(tmp_path):
    return write(tmp_path / "log", tournament(bots=("random", "greedy")))


def test_a_game_for_two_has_a_page_with_every_section(tmp_path):
    with kibitz.plain():
        arena(NIM, ["random", "mc:sims=2", "mc:sims=3"], games=18, seed=3, workers=1, log=tmp_path / "log")
    page = page_of(tmp_path / "log")
    assert_sound(page)
    assert titles(page) == [
        "Standings",
        "Pair by pair",
        "Ratings",
        "Seats",
        "Length of games",
        "Time per move",
        "How it was played",
    ]
    for spec in ("random", "mc:sims=2", "mc:sims=3"):
        assert text_of(page).count(spec) >= 6
    assert "18games" in text_of(page).replace(" ", "")
    assert f"kibitz arena {NIM} random mc:sims=2 mc:sims=3 --games 18 --seed 3" in text_of(page)


def test_a_table_of_three_has_scores_but_no_pairs(tmp_path):
    write(tmp_path / "log", tournament(HIGH_CARD, ("random", "greedy", "mc:sims=5"), games=12))
    page = page_of(tmp_path / "log")
    assert_sound(page)
    assert "Scores" in titles(page)
    assert "Pair by pair" not in titles(page)
    assert page.count("<figure>") == 3
    assert "player 3" in text_of(page)


def test_a_game_without_a_score_shows_none(duel):
    page = page_of(duel)
    assert_sound(page)
    assert "Scores" not in titles(page)
    assert ">Score<" not in page


def test_the_result_is_the_same_as_that_of_the_arena(tmp_path):
    with kibitz.plain():
        played = arena(HIGH_CARD, ["random"] * 4, games=25, seed=3, workers=1, log=tmp_path / "log")
    read = result_of(Log(tmp_path / "log"))
    ours, theirs = read.summary(), played.summary()
    del ours["seconds"], theirs["seconds"]
    assert ours == theirs
    assert read.seconds == pytest.approx(Log(tmp_path / "log").games().seconds.sum())


def test_groups_are_not_split_when_the_log_is_read_in_pieces(tmp_path, monkeypatch):
    with kibitz.plain():
        arena(HIGH_CARD, ["random"] * 4, games=25, seed=3, workers=1, log=tmp_path / "log")
    at_once = result_of(Log(tmp_path / "log"))
    monkeypatch.setattr("kibitz.records.log.READ_AT_ONCE", 4)
    in_pieces = result_of(Log(tmp_path / "log"))
    assert in_pieces.tally.orders == at_once.tally.orders
    for ours, theirs in zip(in_pieces.seats, at_once.seats, strict=True):
        assert astuple(ours) == pytest.approx(astuple(theirs))


def test_a_log_without_moves_has_all_sections_but_those_of_the_game(tmp_path):
    pages = []
    for keep_moves in (True, False):
        folder = tmp_path / str(keep_moves)
        arena(CONNECT_FOUR, ["random", "greedy"], games=20, seed=3, workers=1, log=folder, keep_moves=keep_moves)
        pages.append(page_of(folder))
    assert [title for title in titles(pages[0]) if title != "Openings"] == titles(pages[1])
    assert "Openings" in titles(pages[0])


def test_the_progress_of_reading_is_told(duel, monkeypatch):
    monkeypatch.setattr("kibitz.records.log.READ_AT_ONCE", 2)
    told = []
    write_report(duel, progress=lambda done, total: told.append((done, total)))
    total = len(Log(duel).games())
    assert len(told) > 1
    assert told == sorted(told)
    assert told[-1] == (total, total)


def test_faults_are_listed_by_bot_and_kind_with_examples(tmp_path):
    def change(games):
        for row, kind in ((1, Outcome.TIMEOUT), (2, Outcome.EXCEPTION), (5, Outcome.EXCEPTION)):
            games.fault_seat[row] = 0
            forfeit(kibitz.game(CONNECT_FOUR), games, row, kind, f"it {kind.words}ed")

    write(tmp_path / "log", tournament(bots=("random", "greedy")), change)
    page = page_of(tmp_path / "log")
    assert_sound(page)
    assert "Faults" in titles(page)
    assert "greedy, timeout1 of 8 games" in text_of(page).replace("greedy, timeout: 1 of 8 games", "")
    assert "it exceptioned" in text_of(page)
    assert f"kibitz replay {tmp_path / 'log'} --game N" in text_of(page)


def test_without_faults_there_is_no_section_on_them(duel):
    assert "Faults" not in titles(page_of(duel))


def test_only_the_most_frequent_of_many_messages_are_shown(tmp_path):
    def change(games):
        for row in range(8):
            games.fault_seat[row] = row % 2
            forfeit(kibitz.game(CONNECT_FOUR), games, row, Outcome.EXCEPTION, f"message {row}" + "!" * 5000)

    write(tmp_path / "log", tournament(bots=("random", "greedy")), change)
    page = page_of(tmp_path / "log")
    assert len(re.findall("<q>message", page)) == 3
    assert "5others" in text_of(page)
    assert "!" * 500 not in page


def test_messages_of_bots_do_not_become_html(tmp_path):
    def change(games):
        games.fault_seat[0] = 0
        forfeit(kibitz.game(CONNECT_FOUR), games, 0, Outcome.EXCEPTION, EVIL)

    folder = write(tmp_path / "<i>log", tournament(bots=("random", f"bots/{EVIL}.py:Bot")), change)
    page = page_of(folder, out=tmp_path / "report.html")
    assert_sound(page)
    assert EVIL in text_of(page)
    assert "<script" not in page
    assert not {"b", "i"} & Structure(page).tags


def test_the_page_needs_no_network(duel):
    page = page_of(duel)
    assert "http" not in page.replace('http-equiv="Content-Security-Policy"', "")
    assert "url(" not in page
    assert "@import" not in page
    assert "default-src 'none'" in page


def test_the_same_log_gives_the_same_page(duel):
    assert page_of(duel) == page_of(duel)


def test_an_unfinished_tournament_says_so(tmp_path):
    what = {**tournament(games=8), "paired": True}
    with LogWriter(tmp_path / "log", what) as log:
        log.write(as_games(play(what)).rows([0, 1, 4]))
    page = page_of(tmp_path / "log")
    assert "The log contains 3 of the 8 scheduled games." in text_of(page)
    assert "Games3 of 8" in text_of(page)


def test_a_time_limit_is_pointed_out(tmp_path):
    write(tmp_path / "log", tournament(bots=("random", "mc:ms=5")))
    assert "A bot has a time limit" in text_of(page_of(tmp_path / "log"))


def test_the_secret_is_shown_and_part_of_the_command_once_it_is_published(tmp_path):
    secret, what = "ab" * 16, {**tournament(games=2), "paired": True}
    with LogWriter(tmp_path / "log", what, secret=secret) as log:
        log.write(as_games(play(what)))
        page = write_report(tmp_path / "log").read_text()
        assert secret not in page
        assert "published when the tournament is over, which can then be reproduced" in page
        assert "kibitz arena" not in page
        log.publish_secret()
    assert f"--seed 1 --secret {secret}" in write_report(tmp_path / "log").read_text()
    assert Log(merge(tmp_path / "log")).secret == secret


def test_a_tournament_with_a_text_as_seed_is_reproduced_from_python(tmp_path):
    write(tmp_path / "log", tournament(seed="night", games=2))
    page = text_of(page_of(tmp_path / "log"))
    assert f"arena('{CONNECT_FOUR}', ['random', 'random'], games=2, seed='night', format='round-robin'" in page


def test_bots_that_were_timed_together_have_no_individual_times(tmp_path):
    write(tmp_path / "log", tournament(bots=("random", "greedy")))  # 0.25 s per decision of any bot
    assert "a decision took 250\u202fms on average" in text_of(page_of(tmp_path / "log"))

    def change(games):
        games.seconds[:, 0] *= 2

    write(tmp_path / "other", tournament(bots=("random", "greedy")), change)
    assert "(mean " in text_of(page_of(tmp_path / "other"))


@pytest.fixture
def game_with_a_section(tmp_path, monkeypatch):
    package = tmp_path / "pocket_nim"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "rules.py").write_text(
        "import kibitz\nfrom toys import Nim\n\n\n@kibitz.game\nclass PocketNim(Nim):\n    heap: int = 5\n"
    )
    (package / "report.py").write_text(
        "from kibitz.report.report import Section\n\n\n"
        "def report_sections(game, log):\n"
        "    games = log.games()\n"
        "    first = sum(int(moves[0]) + 1 for moves in games.moves) / len(games)\n"
        "    return [Section('Openings & heaps', f'<p>Of {game.heap}, <em>{first:.2f}</em> were taken.</p>')]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("pocket_nim.rules").PocketNim()
    for name in ("pocket_nim", "pocket_nim.rules", "pocket_nim.report"):
        monkeypatch.delitem(importlib.sys.modules, name, raising=False)


def test_a_game_can_add_its_own_section(tmp_path, game_with_a_section):
    folder = write(tmp_path / "log", tournament(f"{NIM}:heap=5", games=4))
    page = page_of(folder, game=game_with_a_section)
    assert_sound(page)
    assert titles(page)[-2:] == ["Openings & heaps", "How it was played"]
    first = sum(1 + int(moves[0]) for moves in Log(folder).games().moves) / 4
    assert f"<p>Of 5, <em>{first:.2f}</em> were taken.</p>" in page


def test_a_merged_log_gives_the_same_standings(duel):
    from kibitz.records.export import merge

    assert result_of(Log(merge(duel))).ranking == result_of(Log(duel)).ranking


def test_a_report_overwrites_only_an_older_report(duel, tmp_path):
    path = write_report(duel)
    assert path == tmp_path / "log.html"
    assert write_report(duel) == path
    path.write_text("<p>A page of mine</p>")
    with pytest.raises(KibitzError, match="already exists and is not a report"):
        write_report(duel)
    assert path.read_text() == "<p>A page of mine</p>"
    with pytest.raises(KibitzError, match="already exists and is not a report"):
        write_report(duel, tmp_path)


def test_a_missing_folder_is_created(duel, tmp_path):
    path = tmp_path / "here" / "and there" / "report.html"
    assert write_report(duel, path) == path
    assert path.exists()


def test_a_path_that_cannot_be_written_is_reported_in_one_sentence(duel, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(KibitzError, match="Cannot write"):
        write_report(duel, tmp_path / "file" / "report.html")


def test_a_log_without_finished_games_is_refused(tmp_path):
    LogWriter(tmp_path / "log", {**tournament(), "paired": True}).close()
    with pytest.raises(KibitzError, match=r"No game of the log .* is finished yet"):
        write_report(tmp_path / "log")
    assert not (tmp_path / "log.html").exists()


def test_a_log_without_a_tournament_is_refused(tmp_path):
    LogWriter(tmp_path / "log", {"game": CONNECT_FOUR, "bots": ["random"], "seed": 1}).close()
    with pytest.raises(KibitzError, match="it lacks games, format, paired"):
        write_report(tmp_path / "log")


def test_a_damaged_log_is_named(duel):
    part = duel / "games-000001.parquet"
    part.write_bytes(part.read_bytes()[:200])
    with pytest.raises(KibitzError, match=r"games-000001\.parquet is damaged or incomplete"):
        write_report(duel)


def test_a_report_of_a_game_with_utilities_shows_these(tmp_path):
    with kibitz.plain():
        arena(f"{TOYS}:Chips:seed=3", ["random", "greedy", "uct:sims=5"], games=12, log=tmp_path / "log")
    page = page_of(tmp_path / "log")
    assert "Utility is the mean per game, from −3 to +3." in page
    assert "Utility is 0.00 if all bots are equally strong" in page
    assert "The mean utility that each seat takes" in page
    assert "came first with a mean utility of " in page
    assert "share of the win" not in page


def test_a_notebook_shows_a_report_in_a_frame_that_runs_nothing(duel):
    page = report_of(duel)
    assert html.escape(page.html) in page._repr_html_()
    assert 'sandbox=""' in page._repr_html_()
    assert page.html == write_report(duel).read_text()
    assert repr(page) == f"<ReportPage: {page.title}>"
