"""What is kept of games: one game as a Record, a tournament as a log that is written, read, replayed and reported.

`record` is one game, `log` the folder of a tournament (its pieces: `journal`, `columns`, `files`), `replay` plays
recorded games again, `export` makes one file or a table of all plies of them, `report` a page (its pieces: `findings`,
`sections`, `charts`, `page`). A log needs pyarrow, which is imported when the first log is opened.
"""
