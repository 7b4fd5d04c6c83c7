"""Search algorithms for any game; each bot is in the module of its name, and `random` in `playout`.

`uct` is for games without hidden information, `alphabeta` for two players without chance, `expectimax` for two players
with chance, `maxn`, `paranoid` and `brs` for many players, `ismcts` and `pimc` for hidden information. `mc` plays every
game, and `greedy` every game with an evaluation. The other modules are parts of these searches.
"""
