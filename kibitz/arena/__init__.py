"""Tournaments: bots play many games, seats rotate, and the result says how sure it is.

The pieces, in the order in which they work: `schedule` says who sits where in which game; `match` plays games at a
Table, `compiled_match` in compiled code; `workers` has them played on all cores; `tally` counts, `statistics`,
`ratings` and `sprt` estimate, `result` sums up, and `standings` shows it. `tournament` puts them together: its function
`arena` is what `kibitz.arena(…)` calls.
"""
