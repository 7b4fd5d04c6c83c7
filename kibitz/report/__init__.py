"""The report of a tournament: an HTML page made from its log.

`findings` evaluates the log, and `report` writes the page. Its parts are `sections`, built with `charts` and `page`.
"""
