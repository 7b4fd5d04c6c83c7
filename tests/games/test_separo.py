"""SEPARO's rules against reference games, and on every size against a slow, obvious version of themselves."""

import json
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import kibitz
from kibitz.games.separo.board import points_of
from kibitz.games.separo.rules import Separo
from kibitz.rules.contract import OVER
from kibitz.rules.engine import Engine
from kibitz.rules.perft import perft

USUAL = Separo()
REFERENCE = Path(__file__).parent.parent / "reference" / "separo.jsonl"
GAMES = [json.loads(line) for line in REFERENCE.read_text().splitlines()]


class SlowSeparo:
    """The rules in the words of the rule book: stones and roots in dictionaries, areas by flood fill."""

    def __init__(self, size):
        self.size, last = size, size - 1
        self.stones = {(0, 0): 0, (last, last): 0, (0, last): 1, (last, 0): 1}
        self.roots = [set(), set()]  # of each player: pairs of points, in both directions

    def on_board(self, point):
        return all(0 <= coordinate < self.size for coordinate in point)

    def is_sharp(self, player, at, to):
        """Whether a root from one point to another makes a sharp angle with one that is there."""
        new = to[0] - at[0], to[1] - at[1]
        directions = [(b[0] - a[0], b[1] - a[1]) for a, b in self.roots[player] if a == at]
        return any(new[0] * dx + new[1] * dy > 0 for dx, dy in directions)

    def legal(self, player):
        moves = set()
        for p1, owner in self.stones.items():
            if owner != player:
                continue
            for dx, dy in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                p2 = p1[0] + dx, p1[1] + dy
                for p3 in ((p2[0] + dx, p2[1]), (p2[0], p2[1] + dy)):
                    free = self.on_board(p3) and p2 not in self.stones and self.stones.get(p3, player) == player
                    if free and not self.is_sharp(player, p1, p2) and not self.is_sharp(player, p3, p2):
                        moves.add((p1, p2, p3))
        return moves

    def play(self, player, p1, p2, p3):
        self.stones[p2] = self.stones[p3] = player
        self.roots[player] |= {(p1, p2), (p2, p1), (p2, p3), (p3, p2)}

    def regions(self, player):
        """The areas of more than four triangles, each square being cut into the triangles N, E, S and W."""
        squares = [(x, y) for x in range(self.size - 1) for y in range(self.size - 1)]
        unseen = {(*square, side) for square in squares for side in "NESW"}
        regions = 0
        while unseen:
            area, queue = 0, [unseen.pop()]
            while queue:
                area += 1
                found = unseen.intersection(self.neighbours(player, *queue.pop()))
                unseen -= found
                queue.extend(found)
            regions += area > 4
        return regions

    def neighbours(self, player, x, y, side):
        roots = self.roots[player]
        backslash = ((x, y), (x + 1, y + 1)) in roots
        slash = ((x + 1, y), (x, y + 1)) in roots
        for pair, is_cut in (("NW", backslash), ("SE", backslash), ("NE", slash), ("SW", slash)):
            if side in pair and not is_cut:
                yield x, y, pair.replace(side, "")
        dx, dy, opposite, edge = {
            "N": (0, -1, "S", ((x, y), (x + 1, y))),
            "S": (0, 1, "N", ((x, y + 1), (x + 1, y + 1))),
            "W": (-1, 0, "E", ((x, y), (x, y + 1))),
            "E": (1, 0, "W", ((x + 1, y), (x + 1, y + 1))),
        }[side]
        if edge not in roots:
            yield x + dx, y + dy, opposite


def number_of(game, x1, y1, x2, y2, x3, y3):
    """The move through three points."""
    return 8 * (y1 * game.size + x1) + 2 * ((x2 > x1) + 2 * (y2 > y1)) + (x3 == x2)


def pass_of(game):
    return game.actions - 1


def is_pass(table, move):
    return move == pass_of(table.game)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"game {game['game']}")
def test_reference_games_are_reproduced_ply_by_ply(game):
    engine = Engine(USUAL)
    state = engine.start()
    for points, legal, scores in zip(game["moves"], game["n_legal"], game["scores_after"], strict=True):
        move = pass_of(USUAL) if points is None else number_of(USUAL, *points)
        moves = engine.moves(state)
        assert move in moves
        assert moves == [pass_of(USUAL)] if legal == 0 else len(moves) == legal
        engine.play(state, move)
        assert engine.score(state) == scores
    assert state.turn == OVER
    assert engine.score(state) == [game["red"], game["blue"]]


@pytest.mark.parametrize(("depth", "count"), list(enumerate([4, 16, 96, 568, 4564, 35240], 1)))
def test_perft_matches_the_known_counts(depth, count):
    assert perft(USUAL, depth) == count


def assert_agrees_with_the_slow_rules(game, choices):
    """Play a game by a list of choices, comparing moves and regions at every ply."""
    slow, table = SlowSeparo(game.size), kibitz.Table(game)
    for choice in choices:
        if table.over:
            break
        player, moves = table.turn, table.moves
        expected = slow.legal(player) or {()}
        assert {tuple(points_of(game, move)) for move in moves} == expected
        assert len(moves) == len(expected) <= game.max_moves
        move = moves[choice % len(moves)]
        if not is_pass(table, move):
            slow.play(player, *points_of(game, move))
        table.play(move)
        assert table.score() == [slow.regions(0), slow.regions(1)]
    assert table.over == (not slow.legal(0) and not slow.legal(1))
    return table


@pytest.mark.parametrize("size", range(5, 20))
def test_every_size_follows_the_slow_rules_to_the_end(size):
    stream = kibitz.rules.rng.Stream(7, size)
    with kibitz.plain():
        game = Separo(size)
        table = assert_agrees_with_the_slow_rules(game, [stream.randrange(1 << 20) for _ in range(game.max_plies)])
    assert table.over


@settings(max_examples=60, deadline=None)
@given(st.integers(5, 8), st.lists(st.integers(0, 40), max_size=60))
def test_any_moves_follow_the_slow_rules(size, choices):
    with kibitz.plain():
        assert_agrees_with_the_slow_rules(Separo(size), choices)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 40), max_size=60))
def test_compiled_rules_follow_the_slow_rules(choices):
    table = assert_agrees_with_the_slow_rules(USUAL, choices)
    with kibitz.plain():
        replayed = kibitz.Table(USUAL)
        for ply in table.history:
            replayed.play(ply.move)
        assert replayed.state == table.state


def test_more_regions_win_and_as_many_are_a_draw():
    engine = Engine(USUAL)
    for game in GAMES:
        state = engine.start()
        for points in game["moves"]:
            engine.play(state, pass_of(USUAL) if points is None else number_of(USUAL, *points))
        lead = game["red"] - game["blue"]
        assert engine.payoff(state) == ([0.5, 0.5] if lead == 0 else [float(lead > 0), float(lead < 0)])


def test_who_cannot_move_passes_until_the_end():
    for game in GAMES:
        passed = [False, False]
        for ply, points in enumerate(game["moves"]):
            assert points is None or not passed[ply % 2]
            passed[ply % 2] = points is None
        assert game["moves"][-1] is not None, "no passes once both cannot move"


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 40), max_size=30), st.lists(st.integers(0, 40), min_size=4, max_size=4))
def test_the_order_of_moves_does_not_change_the_key(choices, more):
    """Red's and Blue's next two moves, where they can be exchanged."""
    engine = Engine(USUAL)
    state = engine.start()
    for choice in choices:
        if state.turn == OVER:
            return
        engine.play(state, engine.moves(state)[choice % len(engine.moves(state))])
    played, forth = [], state.copy()
    for choice in more:
        if forth.turn == OVER:
            return
        played.append(engine.moves(forth)[choice % len(engine.moves(forth))])
        engine.play(forth, played[-1])
    back = state.copy()
    for move in (played[2], played[1], played[0], played[3]):
        if back.turn == OVER or move not in engine.moves(back):
            return
        engine.play(back, move)
    assert back.points.tolist() == forth.points.tolist()
    with kibitz.plain():
        assert USUAL.key(back) == USUAL.key(forth)
        assert USUAL.key(state) != USUAL.key(forth)


def test_different_positions_have_different_keys():
    engine, positions = Engine(USUAL), {}
    for game in GAMES:
        state = engine.start()
        for points in game["moves"]:
            position = state.points.tolist(), state.turn
            assert positions.setdefault(USUAL.key(state), position) == position
            engine.play(state, pass_of(USUAL) if points is None else number_of(USUAL, *points))
    assert len(positions) > 3000


def test_random_games_match_the_known_statistics():
    result = kibitz.arena("separo", ["random", "random"], games=20_000, seed=1, workers=1)
    assert result.plies_mean == pytest.approx(31.5 + 2.6, abs=0.1)
    assert result.seats[0].share == pytest.approx(0.472 + 0.166 / 2, abs=0.015)
    for standing in result.ranking:  # each bot was red as often as blue
        assert standing.score_mean == pytest.approx((6.14 + 5.81) / 2, abs=0.05)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 40), max_size=45))
def test_a_move_is_urgent_when_it_ends_at_the_frame_or_an_own_stone(choices):
    table = kibitz.Table(USUAL)
    for choice in choices:
        if table.over:
            break
        table.play(table.moves[choice % len(table.moves)])
    s = table.state
    for move in table.moves:
        if is_pass(table, move):
            assert USUAL.urgency(s, move) == 0
        else:
            x, y = points_of(USUAL, move)[2]
            assert USUAL.urgency(s, move) == (s.points[9 * y + x] != 0 or not {x, y}.isdisjoint({0, 8}))


def test_regions_and_moves_left_speak_for_a_player():
    engine = Engine(USUAL)
    for game in GAMES[:20]:
        state = engine.start()
        for points in game["moves"][:-1]:
            engine.play(state, pass_of(USUAL) if points is None else number_of(USUAL, *points))
            shares = engine.evaluate(state)
            assert sum(shares) == 1.0
            (red, blue), options = engine.score(state), state.options
            if red > blue and options[0] > options[1] and state.turn == 0:
                assert shares[0] > 0.5
            if red < blue and options[0] < options[1] and state.turn == 1:
                assert shares[0] < 0.5


@pytest.mark.parametrize("bot", ["best", "uct-tuned", "naive", "uct-classic"])
def test_its_bots_play(bot):
    table = kibitz.Table(USUAL, seed=1)
    for move in [number_of(USUAL, *points) for points in GAMES[0]["moves"][:28]]:
        table.play(move)
    report = kibitz.bot(f"{bot}:sims=300", USUAL).analyse(table.view(0))
    assert {ranked.move for ranked in report.moves} == set(table.moves)


def test_on_a_small_board_best_searches_to_the_end():
    game = Separo(5)
    with kibitz.plain():
        report = kibitz.bot("best", game).analyse(kibitz.Table(game).view(0))
    assert [(ranked.value, ranked.exact) for ranked in report.moves] == [(0.5, True)] * 4


@pytest.mark.parametrize("size", [4, 20, -9])
def test_other_sizes_are_refused(size):
    with pytest.raises(kibitz.SpecError, match="size from 5 to 19"):
        Separo(size)


def test_a_move_is_named_by_its_three_points():
    table = kibitz.Table(USUAL)
    assert sorted(table.name(move) for move in table.moves) == [
        "0,0-1,1-1,2",
        "0,0-1,1-2,1",
        "8,8-7,7-6,7",
        "8,8-7,7-7,6",
    ]
    assert table.board.name(USUAL, table.state, pass_of(USUAL)) == "pass"
