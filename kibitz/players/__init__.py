"""Players: what a bot is, how a spec becomes a bot, and how a bot is asked for a move.

`bot` and `compiled_player` are the base classes of bots, `options` declares their options, and `limit` says how long
they may search. `roster` turns specs into bots; `levels` names opponents for people to choose from. `turns` asks a bot
for its move. Bots that do not ship with kibitz are asked in separate processes (`process_bot`): those from Python files
by `isolation` (`guest` is the other end), programs in any language by `command`. `warm_up` plays games that do not
count, so that everything is compiled before any clock starts.
"""
