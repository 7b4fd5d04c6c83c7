"""Bots for the original Hexplode server that each do one thing wrong."""

import time

from hexplode import algo_player


@algo_player(name="Raises", description="")
def raises(board, game_id, player_id):
    return board["tile_99_99"]


@algo_player(name="Robs", description="Plays its opponent's tile, if it can.")
def robs(board, game_id, player_id):
    taken = [tile for tile, there in board.items() if there["player"] == 1 - player_id]
    return (taken or list(board))[0]


@algo_player(name="Numbers", description="Answers with a number.")
def numbers(board, game_id, player_id):
    return 3


@algo_player(name="Sleeps", description="")
def sleeps(board, game_id, player_id):
    time.sleep(60)


@algo_player(name="Grumbles", description="Plays well, but cannot bear the end.")
def grumbles(board, game_id, player_id):
    return next(tile for tile, there in board.items() if there["player"] in (None, player_id))


@grumbles.on_game_over
def grumble(board, game_id, player_id, winner_id):
    raise RuntimeError("unfair")
