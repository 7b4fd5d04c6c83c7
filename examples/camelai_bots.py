"""Bots for CamelAI, the Python simulator of Camel Up. They play here unchanged, by the adapter `camelai`.

kibitz arena camelup:rules=camelai camelai:examples/camelai_bots.py:FavouriteBot ev-race leader random --games 40

`camelup`, `actionids` and `playerinterface` are modules of the simulator; kibitz provides them.
"""

import random

from actionids import MOVE_CAMEL_ACTION_ID, ROUND_BET_ACTION_ID
from camelup import get_valid_moves
from playerinterface import PlayerInterface


class RandomBot(PlayerInterface):
    """Draws the kind of action first, then the action."""

    @staticmethod
    def move(active_player, game_state):
        actions = get_valid_moves(game_state, active_player)
        kind = random.choice(sorted({action[0] for action in actions}))
        return random.choice([action for action in actions if action[0] == kind])


class FavouriteBot(PlayerInterface):
    """Takes the first betting tile of the leading camel, and otherwise rolls."""

    @staticmethod
    def move(active_player, game_state):
        tops = [stack[-1] for stack in game_state.camel_track if stack]  # of camels on a square, the top one leads
        leader = tops[-1]
        taken = [camel for camel, owner in game_state.round_bets]
        return (MOVE_CAMEL_ACTION_ID,) if leader in taken else (ROUND_BET_ACTION_ID, leader)
