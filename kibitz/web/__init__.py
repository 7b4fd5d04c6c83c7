"""The web page: a server that owns the tables, and a page that draws any game. `kibitz serve` starts it."""
