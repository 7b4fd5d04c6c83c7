"""One game in progress: moves checked, views redacted, separate streams for chance and seats, undo and replay."""

import dataclasses
import itertools
import pickle

import numpy as np
import pytest
from toys import CARDS, DECK, HIDDEN, NO_BID, UNKNOWN, CardBoard, DiceRace, HighCard, Nim, SampledDiceRace

import kibitz
from kibitz import CHANCE, NOBODY, OVER, IllegalMove, KibitzError, Ply, Record, RulesError, State, Table
from kibitz.rules.contract import game
from kibitz.rules.rng import Stream

TOYS = [Nim(), DiceRace(), SampledDiceRace(), HighCard()]


def play_on(table, seed=0, plies=10**6):
    """Play random moves until the game is over."""
    stream = Stream(seed, "moves")
    for _ in range(plies):
        if table.over:
            break
        table.play(stream.choice(table.moves))
    return table


def situation(table):
    views = [table.view(player) for player in (*range(table.game.players), NOBODY)]
    return table.state.to_text(), table.history, [(v.state.to_text(), v.history, v.moves) for v in views]


# ------------------------------------------------------------------ playing


def test_a_game_can_be_played_in_a_few_lines():
    table = Table(kibitz.game("connect_four"), seed=1)
    assert table.turn == 0
    assert table.moves == [0, 1, 2, 3, 4, 5, 6]
    assert table.name(3) == "4"
    assert table.parse(" 4 ") == 3
    for column in (3, 2, 3, 2, 3, 2, 3):
        assert not table.over
        table.play(column)
    assert table.over
    assert table.turn == OVER
    assert table.payoff() == [1.0, 0.0]
    assert table.score() == [1.0, 0.0]
    assert table.moves == []
    assert "○" in table.text()
    assert table.record().over


def test_a_table_takes_the_spec_of_a_game():
    assert Table("connect_four:columns=5").moves == [0, 1, 2, 3, 4]


def test_a_table_takes_the_class_of_a_game():
    assert Table(Nim).game == Nim()


def test_a_table_without_a_seed_gets_a_fresh_one_that_repeats_it(monkeypatch):
    monkeypatch.setattr("kibitz.rules.rng.fresh_seed", lambda: 77)
    table = play_on(Table(DiceRace()))
    assert table.seed == table.record().seed == 77
    assert play_on(Table(DiceRace(), table.seed)).history == table.history


def test_a_move_is_played_by_its_name_or_its_number():
    table = Table(Nim())
    table.play("take 2")
    table.play(0)
    assert table.history_names == ["take 2", "take 1"]
    assert (table.moves, table.names) == ([0, 1, 2], ["take 1", "take 2", "take 3"])
    with pytest.raises(IllegalMove, match="'take 4' is not a legal move; legal moves: take 1, take 2, take 3"):
        table.play("take 4")


def test_an_illegal_number_is_answered_with_the_legal_ones():
    table = Table(Nim())
    for wrong in (3, -1, 1.0, None, True):
        with pytest.raises(
            IllegalMove, match=rf"{wrong} is not a legal move; legal moves: 0 \(take 1\), 1 \(take 2\), "
        ):
            table.play(wrong)
    assert not table.history


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda table: table.parse(1), "A move is parsed from its name, a text, not from 1"),
        (lambda table: table.view(0).parse(None), "A move is parsed from its name"),
        (lambda table: table.view("red"), "There is no player 'red'; players count from 0 to 1"),
        (lambda table: table.view(None), "There is no player None"),
        (lambda table: Table.replay("game.json"), "A game is replayed from a Record; Record.from_json reads one"),
        (lambda table: Record.from_json("{}"), "it lacks game, seed, number"),
        (lambda table: Table(table.game, position="e4"), r"not a valid position .*State.to_text\(\) write one"),
    ],
)
def test_an_argument_of_the_wrong_type_is_a_sentence(call, words):
    with pytest.raises(KibitzError, match=words):
        call(Table(Nim()))


def test_moves_and_names_are_the_same_at_a_table_and_in_a_view():
    table = Table(Nim(heap=2))
    view = table.view(0)
    assert (view.moves, view.names) == (table.moves, table.names) == ([0, 1], ["take 1", "take 2"])


def test_a_table_starts_from_a_position_or_its_text():
    position = play_on(Table(Nim()), plies=3).state
    assert Table(Nim(), position=position.to_text()).state == Table(Nim(), position=position).state == position
    for wrong in ("nonsense", 3):
        with pytest.raises(KibitzError, match="position"):
            Table(Nim(), position=wrong)


def test_the_repr_of_a_table_says_how_the_game_stands():
    table = Table(Nim(heap=5), seed=3)
    assert repr(table) == "<Table of Nim:heap=5, seed 3, ply 0, player 1 to move>"
    table.play("take 3")
    assert repr(table) == "<Table of Nim:heap=5, seed 3, ply 1, player 2 to move, played: take 3>"
    table.play("take 2")
    assert "payoff [0.0, 1.0], played: take 3, take 2" in repr(table)
    assert repr(table.record()) == "<Record of Nim:heap=5, seed 3, game 0, 2 plies, payoff [0.0, 1.0]>"


def test_the_repr_of_a_view_shows_only_what_the_viewer_may_see():
    table = Table(HighCard(), seed=1)
    view, hidden = table.view(table.turn), table.view(NOBODY)
    assert "legal moves: bid none" in repr(view)
    assert "for a spectator" in repr(hidden)
    assert "not to move" in repr(hidden)
    assert "deal" not in repr(view) + repr(hidden)


def test_reprs_stay_short():
    table = play_on(Table("mexican_train", seed=1), plies=30)
    for shown in (table, table.view(table.turn), table.state, table.record()):
        assert len(repr(shown)) < 600


def test_names_are_parsed_whatever_their_case_and_spaces():
    table = Table(Nim())
    assert table.parse("  TAKE   2 ") == 1


def test_a_name_that_is_not_a_legal_move_is_refused_with_the_legal_ones():
    table = Table(Nim(heap=2))
    with pytest.raises(IllegalMove, match=r"'take 3' is not a legal move; legal moves: take 1, take 2"):
        table.parse("take 3")


@pytest.mark.parametrize("move", [3, -1, 10**30, True, 1.0, "1", None])
def test_an_illegal_move_is_refused_and_changes_nothing(move):
    table = play_on(Table(Nim()), plies=3)
    before = situation(table)
    with pytest.raises(IllegalMove):
        table.play(move)
    assert situation(table) == before


def test_a_numpy_integer_is_a_move():
    table = Table(Nim())
    table.play(np.int64(2))
    assert table.history == (Ply(0, 2),)


def test_a_wrong_player_is_refused_and_changes_nothing():
    table = Table("connect_four")
    before = situation(table)
    with pytest.raises(IllegalMove, match="It is not Yellow's turn but Red's"):
        table.play(0, player=1)
    assert situation(table) == before
    table.play(0, player=0)
    assert table.turn == 1


def test_a_player_cannot_play_for_chance():
    table = Table(DiceRace(), deal=False)
    table.play(1)
    assert table.turn == CHANCE
    with pytest.raises(IllegalMove, match="It is not player 1's turn but chance's"):
        table.play(2, player=0)
    table.play(2, player=CHANCE)
    assert table.state.at.tolist() == [2, 0]


def test_a_move_after_the_end_is_refused_and_changes_nothing():
    table = play_on(Table(Nim()))
    before = situation(table)
    with pytest.raises(IllegalMove, match="The game is over"):
        table.play(0)
    assert situation(table) == before


def test_a_rule_that_raises_leaves_the_table_as_it_was():
    @game
    class Overflowing(Nim):
        def play(self, s, move):
            s.left -= move + 1
            s.winner = 1000

    with kibitz.plain():
        table = Table(Overflowing())
        before = situation(table)
        with pytest.raises(RulesError, match=r"Overflowing\.play, test_table\.py line \d+: 1000 does not fit"):
            table.play(0)
        assert situation(table) == before


def test_there_is_no_payoff_before_the_end():
    table = Table(Nim())
    with pytest.raises(KibitzError, match="no payoff before"):
        table.payoff()
    with pytest.raises(KibitzError, match="no score before"):
        table.score()


def test_a_game_with_a_score_has_one_during_play():
    table = Table(DiceRace())
    table.play(0)
    assert table.score() == [2.0, 0.0]


def test_what_a_table_returns_is_a_copy():
    table = Table(Nim())
    table.state.left = 1
    table.moves.clear()
    assert table.state.left == 21
    assert table.moves == [0, 1, 2]


# ------------------------------------------------------------------ chance


@pytest.mark.parametrize("toy", TOYS, ids=repr)
def test_the_same_seed_and_moves_give_the_same_game(toy):
    assert play_on(Table(toy, seed=5)).record() == play_on(Table(toy, seed=5)).record()


@pytest.mark.parametrize("toy", TOYS, ids=repr)
def test_compiled_and_plain_give_the_same_game(toy):
    compiled = play_on(Table(toy, seed=5)).record()
    with kibitz.plain():
        assert play_on(Table(toy, seed=5)).record() == compiled


@pytest.mark.parametrize("other", [{"seed": 6}, {"seed": "5"}, {"number": 1}])
def test_another_seed_or_number_deals_differently(other):
    def deals(**series):
        return [ply.move for ply in Table(HighCard(), **series).history]

    assert deals(**{"seed": 5} | other) != deals(seed=5)


def test_without_dealing_chance_outcomes_have_to_be_played():
    table = Table(HighCard(), deal=False)
    assert table.turn == CHANCE
    assert table.moves == list(range(CARDS))
    table.play(table.parse("deal 4"))
    assert table.moves == [0, 1, 2, 3, 5, 6]
    assert table.history == (Ply(CHANCE, 4),)


def test_what_bots_draw_does_not_change_the_dice():
    def dice(greedy):
        table = Table(DiceRace(goal=40), seed=8)
        while not table.over:
            for player in range(2):
                table.view(player).rng.randbytes(8 * greedy)
            table.play(1)
        return [ply.move for ply in table.history if ply.turn == CHANCE]

    assert dice(0) == dice(1) == dice(50)


def test_a_seats_stream_does_not_predict_the_dice():
    """Neither the numbers a bot is given, nor streams made from them, are those that chance draws from."""
    table = Table(DiceRace(goal=100), seed=8)
    stream = table.view(0).rng
    assert {stream.getstate()[0], stream.getstate()[1]}.isdisjoint(table._chance.getstate())
    guesses = hits = 0
    while not table.over:
        state = table.state
        guess = table._engine.draw(play_of(table, state, 1), table.view(0).rng)
        table.play(1)
        outcome = next(ply.move for ply in reversed(table.history) if ply.turn == CHANCE)
        guesses += 1
        hits += guess == outcome
    assert hits < guesses / 2


def play_of(table, state, move):
    table._engine.play(state, move)
    return state


def test_each_seat_has_its_own_continuing_stream():
    table = Table(Nim(), seed=3)
    first = [table.view(player).rng.random() for player in (0, 1)]
    again = [table.view(player).rng.random() for player in (0, 1)]
    assert len({*first, *again}) == 4
    assert Table(Nim(), seed=3).view(1).rng.random() == first[1]


# ------------------------------------------------------------------ views


def test_a_view_shows_what_its_player_may_know():
    table = play_on(Table(HighCard(), seed=2), plies=2)
    truth = table.state
    for player in range(3):
        view = table.view(player)
        assert view.player == player
        for card in range(CARDS):
            own = truth.where[card] == player
            assert view.state.where[card] == (player if own else UNKNOWN)
        for other in range(3):
            hidden = other != player and truth.bid[other] != NO_BID
            assert view.state.bid[other] == (HIDDEN if hidden else truth.bid[other])
        assert view.state.hand.tolist() == truth.hand.tolist()
        assert view.moves == (table.moves if player == table.turn else [])


def test_a_spectator_sees_no_hand():
    view = Table(HighCard()).view(NOBODY)
    assert set(view.state.where) == {UNKNOWN}
    assert view.moves == []
    assert view.history == ()


def test_a_history_contains_what_its_player_saw():
    table = play_on(Table(HighCard(), seed=2))
    for player in range(3):
        seen = table.view(player).history
        deals = [ply.move for ply in seen if ply.turn == CHANCE]
        assert deals == [ply.move for ply in table.history[player:6:3]]
        bids = [ply for ply in seen if ply.move >= CARDS]
        assert [ply.turn for ply in bids] == [player]
        played = [ply for ply in seen if ply.turn != CHANCE and ply.move < CARDS]
        assert played == list(table.history[9:])


def test_all_see_everything_in_a_game_that_hides_nothing():
    table = play_on(Table(DiceRace(), seed=2))
    assert all(table.view(player).history == table.history for player in (0, 1, NOBODY))


def test_a_viewer_sees_plies_by_name_as_far_as_it_saw_them():
    table = Table(HighCard(), seed=2)
    for _ in range(8):
        table.play(table.moves[0])
        for viewer in (0, 1, 2, NOBODY):
            plies = table.plies_seen(viewer)
            assert [(ply.turn, ply.move) for ply in plies] == list(table.view(viewer).history)
            true = dict(enumerate(table.history_names))
            bids = [ply for ply in plies if ply.turn != viewer and table.history[ply.ply].move != ply.move]
            assert all(ply.name == true[ply.ply] for ply in plies if ply not in bids)
    table.undo()
    assert len(table.plies_seen(NOBODY)) == len(table.view(NOBODY).history)


def test_a_view_has_the_names_of_its_history_if_asked():
    table = Table(Nim(), seed=1)
    table.play("take 2")
    assert table.view(1).history_names == ()
    assert table.view(1, named=True).history_names == ("take 2",)


def test_since_begins_with_the_players_own_last_move():
    table = Table(DiceRace(goal=30), seed=2)
    assert table.view(0).since == ()
    for move in (0, 1, 1):
        table.play(move)
    since = table.view(1).since
    assert since == table.history[1:]
    assert since[0] == Ply(1, 1)
    assert table.view(0).since[0] == Ply(0, 1)


def test_a_view_is_an_independent_copy():
    table = Table(Nim())
    view = table.view(0)
    assert not np.shares_memory(view.state.record, table._state.record)
    view.state.left = 1
    view.moves.clear()
    assert table.state.left == 21
    assert table.moves == table.view(0).moves == [0, 1, 2]


def test_a_view_contains_no_scratch_fields():
    @game
    class Scribbling(HighCard):
        def play(self, s, move):
            HighCard.play(self, s, move)
            s._pool[:] = s.where  # scratch space that would reveal the hands

    with kibitz.plain():
        table = Table(Scribbling(), seed=2)
        assert any(table._state._pool)
        assert not any(table.view(0).state._pool)


def test_a_view_can_be_sent_to_another_process():
    view = Table(HighCard(), seed=2).view(0)
    state, stream = pickle.loads(pickle.dumps((view.state, view.rng)))
    assert state == view.state
    assert stream.random() == view.rng.random()


def test_a_view_names_and_parses_its_moves():
    view = Table(HighCard()).view(0)
    assert view.names == ["bid none", "bid some"]
    assert view.parse("BID some") == CARDS + 1
    assert "where" in view.text()
    with pytest.raises(IllegalMove):
        view.parse("deal 1")


def test_a_view_tells_the_time():
    assert Table(Nim()).view(0).time is None
    assert Table(Nim()).view(0, time=1.5).time == 1.5


@pytest.mark.parametrize("player", [-1, 2, -2])
def test_there_is_no_view_for_a_player_who_does_not_exist(player):
    with pytest.raises(KibitzError, match=f"There is no player {player}; players count from 0 to 1"):
        Table(Nim()).view(player)


def test_the_board_shows_a_viewer_no_move_it_did_not_see():
    class Telling(CardBoard):
        def text(self, game, s, last=None):
            return f"last: {last}"

    @game
    class Shown(HighCard):
        board = Telling

    with kibitz.plain():
        table = Table(Shown())
        table.play(CARDS)
        assert table.text() == table.text(0) == f"last: {CARDS}"
        assert table.text(1) == table.text(NOBODY) == "last: None"


def test_text_shows_a_viewer_what_it_may_know():
    table = Table(HighCard(), seed=2)
    assert f"{UNKNOWN}" in table.text(0).partition("\n")[0]
    assert f"{UNKNOWN}" not in table.text().partition("\n")[0]


def test_every_hidden_hand_is_redealt_as_often_as_it_is_likely():
    """A view's redeals against brute force: all deals that fit what the player saw, each equally often."""
    table = Table(HighCard(), seed=4)
    view = table.view(1)
    own = {card for card in range(CARDS) if view.state.where[card] == 1}
    rest = sorted(set(range(CARDS)) - own)
    wanted = set()
    for owners in set(itertools.permutations([0, 0, 2, 2, DECK])):
        where = [1] * CARDS
        for card, owner in zip(rest, owners, strict=True):
            where[card] = owner
        wanted.add(tuple(where))
    counts = dict.fromkeys(wanted, 0)
    stream = Stream("redeal")
    for _ in range(100 * len(wanted)):
        state = view.state.copy()
        table._engine.redeal(state, 1, stream)
        counts[tuple(state.where)] += 1  # a KeyError for a deal that does not fit
    assert len(wanted) == 30
    assert sum((count - 100) ** 2 / 100 for count in counts.values()) < 30 + 6 * 60**0.5


# ------------------------------------------------------------------ undo


@pytest.mark.parametrize("toy", TOYS, ids=repr)
def test_undo_goes_back_move_by_move_to_the_opening(toy):
    table = Table(toy, seed=6)
    stream, before = Stream("undo"), []
    while not table.over:
        before.append(situation(table))
        table.play(stream.choice(table.moves))
    while before:
        table.undo()
        assert situation(table) == before.pop()
    with pytest.raises(KibitzError, match="no move to take back"):
        table.undo()


def test_after_an_undo_chance_outcomes_stay_the_same():
    table = Table(DiceRace(goal=40), seed=6)
    for _ in range(4):
        table.play(1)
    history = table.history
    table.undo()
    table.undo()
    table.play(1)
    table.play(1)
    assert table.history == history


def test_a_table_works_on_where_the_mode_is_another_one():
    with kibitz.plain():
        plain = Table(HighCard(), seed=6)
    compiled = Table(HighCard(), seed=6)
    play_on(plain, plies=5)
    with kibitz.plain():
        play_on(compiled, plies=5)
        compiled.undo()
    plain.undo()
    assert situation(plain) == situation(compiled)


def test_without_dealing_undo_takes_back_single_plies():
    table = Table(DiceRace(), deal=False)
    table.play(1)
    table.play(3)
    table.undo()
    assert table.turn == CHANCE
    table.undo()
    assert table.turn == 0


# ------------------------------------------------------------------ records


@pytest.mark.parametrize("toy", TOYS, ids=repr)
def test_a_record_replays_bit_for_bit(toy):
    table = play_on(Table(toy, seed=7, number=3, seats=["a", "b"]))
    record = Record.from_json(table.record().to_json())
    assert record == table.record()
    again = Table.replay(record, toy)
    assert again.record() == record
    assert again.state.public_bytes() == table.state.public_bytes()
    assert [again.view(p).history for p in range(toy.players)] == [table.view(p).history for p in range(toy.players)]


def test_a_record_finds_its_game_by_its_spec():
    table = play_on(Table("connect_four:columns=5,rows=4", seed=7))
    again = Table.replay(table.record())
    assert again.game == table.game
    assert again.state == table.state


def test_a_record_of_a_game_in_progress_has_no_payoff():
    record = play_on(Table(Nim()), plies=2).record()
    assert not record.over
    assert record.payoff == record.score == ()
    assert Table.replay(record, Nim()).record() == record


def test_a_record_has_the_names_of_moves_and_outcomes():
    table = Table(HighCard(), deal=False)
    for name in ("deal 3", "deal 0", "deal 6", "deal 1", "deal 2", "deal 5", "bid none"):
        table.play(table.parse(name))
    assert table.record().names == ("deal 3", "deal 0", "deal 6", "deal 1", "deal 2", "deal 5", "bid none")


def test_a_record_that_breaks_the_rules_does_not_replay():
    record = Record("Nim", 0, 0, 0, (), turns=(0, 1), moves=(2, 7), names=(), over=False, payoff=(), score=())
    with pytest.raises(IllegalMove):
        Table.replay(record, Nim())
    wrong = Record("Nim", 0, 0, 0, (), turns=(0, 0), moves=(2, 1), names=(), over=False, payoff=(), score=())
    with pytest.raises(IllegalMove, match="In ply 2 it is not the turn of 0"):
        Table.replay(wrong, Nim())


@pytest.mark.parametrize("text", ["", "[]", "7", "{}", '{"game": "Nim"}', '{"nonsense": 1}'])
def test_text_that_is_not_a_record_is_refused(text):
    with pytest.raises(KibitzError, match="not a valid record of a game"):
        Record.from_json(text)


# ------------------------------------------------------------------ positions


def test_a_table_starts_from_a_position_and_its_record_says_so():
    position = State.from_text('{"left":5,"turn":1,"winner":0}', Nim().dtype)
    table = play_on(Table(Nim(), position=position))
    assert table.history[0].turn == 1
    record = Record.from_json(table.record().to_json())
    again = Table.replay(record, Nim())
    assert again.state == table.state
    assert again.record() == record
    assert position.left == 5
    while table.history:
        table.undo()
    assert table.state == position


def test_a_position_of_another_game_is_refused():
    with pytest.raises(KibitzError, match="not one of Nim"):
        Table(Nim(), position=Table(DiceRace()).state)


def test_a_game_that_does_not_end_when_promised_is_stopped():
    class Lasting(Nim):
        max_plies = 3

    table = Table(game(Lasting)(heap=9), seed=8)
    for _ in range(3):
        table.play(0)
    with pytest.raises(RulesError, match=r"did not end within max_plies = 3 plies .*with seed 8; raise max_plies if"):
        table.play(0)
    assert len(table.history) == 3


def test_a_position_without_a_legal_move_is_the_rules_fault():
    position = State.from_text('{"left":0,"turn":1,"winner":0}', Nim().dtype)
    with pytest.raises(RulesError, match=r'Nim\.moves: finds no legal move in \{"left":0'):
        Table(Nim(), position=position).view(1)


# ------------------------------------------------------------------ snapshots


def streams(table):
    return table.snapshot().chance, [table.view(player).rng.getstate() for player in range(table.game.players)]


def restored(table, **changes):
    return Table.restore(dataclasses.replace(table.snapshot(), **changes), table.game)


@pytest.mark.parametrize("toy", TOYS)
@pytest.mark.parametrize("plies", [0, 1, 4, 10**6])
def test_a_restored_table_is_the_same_and_goes_on_in_the_same_way(toy, plies):
    table = play_on(Table(toy, seed=5, number=3, luck=1, seats=("a", "b")), plies=plies)
    for player in range(toy.players):
        table.view(player).rng.random()  # as a bot would
    copy = restored(table)
    assert situation(copy) == situation(table)
    assert streams(copy) == streams(table) != streams(Table(toy, seed=5, number=3, luck=1))
    assert (copy.snapshot(), copy.record()) == (table.snapshot(), table.record())
    assert situation(play_on(copy, seed=2)) == situation(play_on(table, seed=2))


def test_a_table_is_restored_after_an_undo_and_chance_falls_as_before():
    table = Table(DiceRace(), seed=1)
    for move in (1, 1, 1):
        table.play(move)
    rolled = table.history
    table.undo()
    copy = restored(table)
    copy.play(1)
    assert copy.history == rolled


def test_a_table_where_nobody_deals_is_restored():
    table = Table(DiceRace(), deal=False)
    for move in (1, 3):
        table.play(move)
    copy = restored(table)
    assert copy.history == table.history
    copy.play(1)
    assert copy.turn == CHANCE


def test_a_table_that_began_elsewhere_is_restored():
    table = Table(Nim(), position=play_on(Table(Nim()), plies=3).state)
    table.play(0)
    assert situation(restored(table)) == situation(table)


def test_a_snapshot_finds_its_game_by_its_spec():
    table = play_on(Table("connect_four:columns=5", seed=1), plies=4)
    assert situation(Table.restore(table.snapshot())) == situation(table)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seed": 2}, "is a different one"),
        ({"luck": 2}, "is a different one"),
        ({"plies": ((0, 1), (-1, 99))}, "ply 2 is a different one"),
        ({"plies": ((0, 7),)}, "ply 1: 7 is not a legal move"),
        ({"plies": ((1, 1),)}, "ply 1: It is not player 2's turn but player 1's"),
        ({"plies": ()}, "the stream of chance stands elsewhere"),
        ({"chance": (1, 2, None)}, "the stream of chance stands elsewhere"),
        ({"streams": ((1, 2, None),)}, "1 streams for 2 players"),
        ({"streams": ((1, 2, None), (0, 0, None))}, "no random stream can stand at"),
        ({"streams": ((1, 2, None), (2**64, 0, None))}, "no random stream can stand at"),
        ({"streams": ((1, 2, None), (-1, 0, None))}, "no random stream can stand at"),
    ],
)
def test_a_snapshot_that_the_rules_do_not_lead_to_is_refused(changes, words):
    table = Table(DiceRace(), seed=4)
    table.play(1)
    with pytest.raises(KibitzError, match=f"cannot be restored; the rules have changed .*{words}.*[.]$"):
        restored(table, **changes)


# ------------------------------------------------------------------ secrets


def test_records_and_snapshots_keep_the_secret():
    with kibitz.plain():
        table = Table(DiceRace(), 5, secret="ab" * 16)
        while not table.over:
            if table.state.at[0] > 4:
                restored = Table.restore(table.snapshot(), table.game)
                assert (restored.history, restored.secret) == (table.history, table.secret)
            table.play("roll")
        record = table.record()
        assert Record.from_json(record.to_json()) == record
        assert Table.replay(record, table.game).state == table.state
        without = dataclasses.replace(record, secret=None)  # not published yet: a record holds the outcomes of chance
        assert Table.replay(without, table.game).state == table.state
        again = Table(DiceRace(), record.seed, secret=record.secret)
        while not again.over:
            again.play("roll")
        assert again.history == table.history


def test_undo_brings_the_same_chance_with_a_secret():
    with kibitz.plain():
        table = Table(DiceRace(), 5, secret="ab" * 16)
        table.play("roll")
        before = table.history
        table.undo()
        table.play("roll")
        assert table.history == before
