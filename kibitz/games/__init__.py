"""The games that ship with kibitz, one package each: `rules.py` and the game's extras (kibitz/rules/extras.py)."""
