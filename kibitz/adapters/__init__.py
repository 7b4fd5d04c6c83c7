"""Adapters between kibitz and other projects: for bots written for them, which play here unchanged, and for libraries.

Bots in files are `name:path/file.py:which` (camelai.py, hexplode_algo.py). Their adapter is a Bot, in a file of its
own, with two options: `path`, the file, and `which`, the bot in it. It translates the View into what such bots expect,
and their replies into moves; a reply that is not a legal move is returned as it is. `move_seconds` is their time limit
per move. Like every bot that does not ship with kibitz, they run in processes of their own. The table of adapters is in
kibitz/players/roster.py.

Libraries need not be installed. The games of kibitz are environments for reinforcement learning: pettingzoo.py,
gymnasium.py and gymnasium_vector.py, with what they share in spaces.py and rendering.py (`kibitz[rl]`). openspiel.py
shows them to OpenSpiel; openspiel_rules.py brings its games here, and openspiel_mcts.py its search
(`kibitz[openspiel]`).
"""
