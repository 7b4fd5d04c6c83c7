"""Bots for Man AHL's Hexplode server. They play here unchanged, by the adapter `hexplode-algo`.

kibitz arena hexplode hexplode-algo:examples/hexplode_algo.py:Corners hugger random --games 30

`hexplode` is the server's module; kibitz provides it. `board` maps each tile to its counters, player and neighbours.
"""

from hexplode import algo_player


def open_tiles(board, player_id):
    return [tile for tile, content in board.items() if content["player"] in (None, player_id)]


@algo_player(name="Corners", description="Plays the tile with the fewest neighbours.")
def corners(board, game_id, player_id):
    return min(open_tiles(board, player_id), key=lambda tile: len(board[tile]["neighbours"]))


@algo_player(name="Fullest", description="Plays the tile that is closest to hexploding.")
def fullest(board, game_id, player_id):
    def missing(tile):
        return len(board[tile]["neighbours"]) - (board[tile]["counters"] or 0)

    return min(open_tiles(board, player_id), key=missing)
