"""Evaluates moves: a judge that searches positions, and the review of a whole game."""
