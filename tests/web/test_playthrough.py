"""One game from its opening to its ending: events, phases and endings."""

import pytest
from toys import DiceRace, HighCard, Nim

from kibitz.errors import IllegalMove, KibitzError, RulesError
from kibitz.table import Table
from kibitz.web.endings import Ending, EndingKind
from kibitz.web.events import Closed, Failed, Moved, Resigned, TookBack
from kibitz.web.playthrough import Phase, Playthrough


def played(*events, game=None):
    play = Playthrough(Table(game or Nim(heap=7), seed=1))
    for event in events:
        play.apply(event)
    return play


WIN = (Moved(0, 2), Moved(1, 2), Moved(0, 0))


def test_a_game_is_being_prepared_until_it_has_a_table():
    play = Playthrough()
    assert play.phase is Phase.PREPARING
    with pytest.raises(KibitzError, match="not ready yet"):
        play.apply(Moved(0, 0))
    play.table = Table(Nim())
    assert play.phase is Phase.PLAYING


def test_a_game_that_cannot_begin_is_over():
    play = Playthrough()
    play.apply(Failed(None, "No rules."))
    assert (play.phase, play.ending) == (Phase.OVER, Ending(EndingKind.FAULT, None, "No rules."))


def test_events_are_carried_out_and_remembered():
    play = played(Moved(0, 0), Moved(1, 1), TookBack(1), Moved(1, 2))
    assert play.table.history == ((0, 0), (1, 2))
    assert play.events == (Moved(0, 0), Moved(1, 1), TookBack(1), Moved(1, 2))
    assert (play.phase, play.ending) == (Phase.PLAYING, None)


@pytest.mark.parametrize(
    "event", [Moved(0, 9), Moved(1, 0), Moved(-1, 0), TookBack(1), TookBack(5), Resigned(2), Resigned(-1)]
)
def test_an_event_that_is_refused_changes_nothing(event):
    play = played()
    with pytest.raises(IllegalMove):
        play.apply(event)
    assert (play.events, play.table.history, play.ending) == ((), (), None)


def test_a_move_after_which_chance_fails_changes_nothing(monkeypatch):
    play = played(Moved(0, 0), game=DiceRace())

    def fail(state, stream):
        raise RulesError("DiceRace.chances: broken.")

    monkeypatch.setattr(play.table._engine, "draw", fail)
    with pytest.raises(RulesError):
        play.apply(Moved(1, 1))
    assert (play.events, play.table.history) == ((Moved(0, 0),), ((0, 0),))


def test_several_moves_are_taken_back_together_with_what_chance_did():
    play = played(Moved(0, 1), Moved(1, 1), Moved(0, 0), game=DiceRace(goal=40))
    assert len(play.table.history) == 5
    play.apply(TookBack(2))
    assert [ply.turn for ply in play.table.history] == [0, -1]


@pytest.mark.parametrize(
    ("events", "kind", "payoff"),
    [
        (WIN, EndingKind.PLAYED_OUT, [1.0, 0.0]),
        ((*WIN, Closed()), EndingKind.CLOSED, [1.0, 0.0]),
        ((Moved(0, 2), Closed()), EndingKind.CLOSED, None),
        ((Moved(0, 2), Resigned(0)), EndingKind.RESIGNED, [0.0, 1.0]),
        ((Moved(0, 2), Failed(1, "It crashed.")), EndingKind.FAULT, None),
    ],
)
def test_every_ending_has_its_payoff(events, kind, payoff):
    play = played(*events)
    assert (play.phase, play.ending.kind) == (Phase.OVER, kind)
    assert play.ending.payoff(play.table.game, play.table) == payoff


def test_when_one_of_several_resigns_the_others_share_the_win():
    play = played(Resigned(1), game=HighCard())
    assert play.ending.payoff(play.table.game, play.table) == [0.5, 0.0, 0.5]


@pytest.mark.parametrize("last", [Resigned(0), Failed(1, "It crashed."), Closed(), Moved(1, 3)])
@pytest.mark.parametrize("event", [Moved(1, 0), Resigned(1), Failed(1, "Again."), Closed(), TookBack(1)])
def test_what_may_happen_after_the_end(last, event):
    play = played(Moved(0, 2), last) if not isinstance(last, Moved) else played(*WIN)
    may_go_on = isinstance(event, TookBack) and play.ending.kind in (EndingKind.FAULT, EndingKind.PLAYED_OUT)
    may_be_closed = isinstance(event, Closed) and play.ending.kind is EndingKind.PLAYED_OUT
    if may_go_on or may_be_closed:
        play.apply(event)
        assert (play.ending is None) == may_go_on
    else:
        ending, events = play.ending, play.events
        with pytest.raises(IllegalMove, match="The game is over"):
            play.apply(event)
        assert (play.ending, play.events) == (ending, events)


def test_a_record_is_a_game_that_is_closed():
    table = Table(DiceRace(), seed=2)
    while not table.over:
        table.play(1)
    play = Playthrough.of_record(table.record(), DiceRace())
    assert play.table.history == table.history
    assert play.events == (*[Moved(*ply) for ply in table.history], Closed())
    assert play.ending.payoff(play.table.game, play.table) == table.payoff()
