"""What a game is: the contract of its rules, and everything that depends only on the rules.

`contract` defines what a game's author writes, and `@game`; `utilities` what a game can pay; `extras` what it can
provide besides its rules; `spec` and `registry` turn a text such as `connect_four:columns=5` into a game. `engine`
calls the rules from Python, `rng` and `sets` are for use in rules, and `perft` counts move sequences. Mistakes in rules
are explained by `diagnostics` (rules that do not compile) and `remedies` (exceptions), with the help of `source`, which
reads the rules' own text.
"""

from kibitz.rules import diagnostics, rng, sets

__all__ = ["rng", "sets"]
diagnostics.install()
