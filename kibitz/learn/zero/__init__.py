"""Self-play networks: a small network learns any game by playing itself, in compiled code.

`network` is the network and `network_file` its file; `evaluator` shows it positions. `puct` and `information_sets` are
the tree searches guided by it, for games without and with hidden information; `guided_search` is either, `ranking` what
they found, and `zero` the bot that plays by them. `self_play` plays games to learn from, `noisy_search` chooses their
moves, `episodes` keeps them, and `examples` is what they teach; `gradient` learns from it. `training` is the loop of
all that, `checkpoint` what it keeps on disk.

Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go through self-play", 2018;
Wu, "Accelerating self-play learning in Go", 2019.
"""
