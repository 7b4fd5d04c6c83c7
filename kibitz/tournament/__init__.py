"""Tournaments: bots play many games, seats rotate, and every result comes with a confidence interval.

The modules, in the order in which they are used: `schedule` says who sits where in which game; `match` plays games at a
Table, `compiled_match` in compiled code; `plan` describes the work and `executors` distribute it over cores; `tally`
counts; `statistics`, `ratings` and `sprt` estimate; `result` summarises; `standings` formats. `tournament` puts them
together: its function `arena` is `kibitz.arena(…)`.
"""
