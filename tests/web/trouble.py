"""Bots that do not do what bots should."""


class Trouble:
    def choose(self, view):
        raise ValueError("I have no idea")


class Cheat:
    def choose(self, view):
        return 99
