"""The ladders of the page come from recorded tournaments, whose commands are told."""

import math
import shlex

from kibitz.players.roster import resolve
from kibitz.rules.registry import find_game, game_names
from kibitz.web.ladders import ladders


def test_every_game_has_a_ladder(client):
    shown = client.http.get("/api/ladders").json()["ladders"]
    assert sorted(ladder["game"].partition(":")[0] for ladder in shown) == sorted(game_names())


def test_the_commands_play_what_is_shown():
    for ladder in ladders().ladders:
        program, command, game, *rest = shlex.split(ladder.command)
        assert (program, command, game) == ("kibitz", "arena", ladder.game)
        bots = rest[: rest.index("--games")]
        assert sorted(bots) == sorted(rung.bot for rung in ladder.standings)
        assert int(rest[rest.index("--games") + 1]) == ladder.games
        assert ladder.games * find_game(game).players == sum(rung.games for rung in ladder.standings)


def test_all_rungs_are_bots_that_ship_with_kibitz_from_strong_to_weak():
    for ladder in ladders().ladders:
        assert len(ladder.standings) > 10
        shares = [rung.share for rung in ladder.standings]
        assert shares == sorted(shares, reverse=True)
        for rung in ladder.standings:
            assert resolve(rung.bot, find_game(ladder.game)).is_shipped
            assert math.isfinite(rung.low)
            assert rung.low < rung.rating < rung.high
