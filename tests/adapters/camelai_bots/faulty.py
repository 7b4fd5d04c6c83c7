"""Bots for the simulator CamelAI that each do one thing wrong."""

import time

from playerinterface import PlayerInterface


class Raises(PlayerInterface):
    @staticmethod
    def move(active_player, game_state):
        return game_state.camel_track[99]


class OnTheStart(PlayerInterface):
    @staticmethod
    def move(active_player, game_state):
        return 1, 1, 0


class Numbers(PlayerInterface):
    @staticmethod
    def move(active_player, game_state):
        return 0


class Lists(PlayerInterface):
    @staticmethod
    def move(active_player, game_state):
        return [0]


class Sleeps(PlayerInterface):
    @staticmethod
    def move(active_player, game_state):
        time.sleep(60)


class ChangesTheRules(PlayerInterface):
    @staticmethod
    def move(active_player, game_state):
        game_state.BOARD_SIZE = 3


class Motionless:
    pass
