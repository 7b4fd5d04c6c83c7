"""A bot for the original Hexplode server: fills the corners first. It changes the board it is given, as many do."""

from hexplode import algo_player

seen = {}  # by game


@algo_player(name="Corners", description="Plays the tile with the fewest neighbours.")
def corners(board, game_id, player_id):
    seen[game_id]["moves"] += 1
    open_tiles = [tile for tile in board if board[tile]["player"] in (None, player_id)]
    for tile in board.values():
        tile["counters"], tile["player"] = 99, 1 - player_id
    return min(open_tiles, key=lambda tile: len(board[tile]["neighbours"]))


@corners.on_start_game
def begin(game_id, player_id, boardsize, opponent_id):
    assert opponent_id == 1 - player_id
    seen[game_id] = {"side": boardsize, "moves": 0}


@corners.on_game_over
def end(board, game_id, player_id, winner_id):
    seen[game_id]["won"] = winner_id == player_id
    print(f"game over: {'won' if winner_id == player_id else 'lost'} after {seen[game_id]['moves']} moves")


@algo_player(name="Plain", description="Has no hooks.")
def plain(board, game_id, player_id):
    return next(tile for tile, there in board.items() if there["player"] in (None, player_id))
