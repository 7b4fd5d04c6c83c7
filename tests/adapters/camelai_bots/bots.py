"""Bots for the simulator CamelAI."""

import random

from actionids import MOVE_CAMEL_ACTION_ID, ROUND_BET_ACTION_ID
from camelup import get_valid_moves
from playerinterface import PlayerInterface


class RandomBot(PlayerInterface):
    """Draws the kind of action first, then the action."""

    @staticmethod
    def move(active_player, game_state):
        valid_moves = get_valid_moves(g=game_state, player=active_player)
        kind = random.choice(sorted({move[0] for move in valid_moves}))
        return random.choice([move for move in valid_moves if move[0] == kind])


class LeaderBot(PlayerInterface):
    """Takes a leg tile of the leading camel, or rolls; it also changes its state, as bots do."""

    @staticmethod
    def move(active_player, game_state):
        leader = [stack[-1] for stack in game_state.camel_track if stack][-1]
        taken = [camel for camel, _ in game_state.round_bets].count(leader)
        game_state.camel_track.clear()
        game_state.player_money_values[active_player] = 1000
        if taken < len(game_state.FIRST_PLACE_ROUND_PAYOUT):
            return ROUND_BET_ACTION_ID, leader
        return (MOVE_CAMEL_ACTION_ID,)


class AheadBot(PlayerInterface):
    """Simulates a few races, importing late, and bets on the camel that won most of them."""

    @staticmethod
    def move(active_player, game_state):
        import copy

        import camelup

        wins = dict.fromkeys(game_state.CAMELS, 0)
        for _ in range(5):
            ahead = copy.deepcopy(game_state)
            while ahead.active_game:
                camelup.move_camel(ahead, active_player)
            wins[camelup.find_camel_in_nth_place(ahead, 1)] += 1
        move = 3, "win", max(wins, key=wins.get)
        return move if move in camelup.get_valid_moves(game_state, active_player) else (0,)


class NeverRolls(PlayerInterface):
    """Moves its tile back and forth for as long as it can."""

    @staticmethod
    def move(active_player, game_state):
        valid_moves = get_valid_moves(game_state, active_player)
        return valid_moves[1] if len(valid_moves) > 1 else valid_moves[0]
