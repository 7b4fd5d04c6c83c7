"""Adapters for other projects: for bots written for them, which play here unchanged, and for whole libraries.

Bots in files are `name:path/file.py:which`. Their adapter is a Bot, in a file of its own, with two options: `path`, the
file, and `which`, the bot in it. It translates the View into what such bots expect, and their replies into moves; a
reply that is not a legal move is returned as it is. `move_seconds` is their time limit per move. Like every bot that
does not ship with kibitz, they run in processes of their own. The table of adapters is in kibitz/players/roster.py.

OpenSpiel is a library, which need not be installed. `openspiel` shows it the games of kibitz; `openspiel_rules` brings
its games here, and `openspiel_mcts` its search.
"""
