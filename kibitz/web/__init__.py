"""The web server and its page, on which any game can be played. `kibitz serve` starts it."""
