"""Logs of tournaments: writing, reading, resuming and exporting them.

`games` holds finished games as columns, and `log` is the folder of a tournament (built on `journal`, `columns` and
`files`). `export` turns a log into a single file or a table of plies. A log needs pyarrow, which is imported when the
first log is opened.
"""
