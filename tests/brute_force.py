"""The searches for many players, straight from their definitions: recursion over everything, and nothing left out."""

from kibitz.rules.contract import CHANCE, OVER
from kibitz.rules.engine import Engine


def after(engine, state, move):
    child = state.copy()
    engine.play(child, move)
    return child


def leaf(engine, state):
    """Each player's share, or normalized utility, at the end of the game or at the horizon."""
    players, total = engine.game.players, engine.game.normalized_sum
    if state.turn == OVER:
        return engine.normalized_payoff(state)
    if not type(engine.game).defines("evaluate"):
        return [0.5 if total is None else total / players] * players
    guesses = engine.evaluate(state)
    if total is None:
        return guesses
    return [min(total * g / sum(guesses), 1) if sum(guesses) else total / players for g in guesses]


def average(engine, state, value):
    """The expectation of a vector where chance acts."""
    worths = [(odds, value(after(engine, state, outcome))) for outcome, odds in engine.outcomes(state)]
    return [sum(odds * worth[i] for odds, worth in worths) for i in range(engine.game.players)]


def maxn(engine, state, depth, hero):
    """The vector of shares when each takes the most; of equals, what leaves the hero least, then the lowest number."""
    if state.turn == OVER or depth == 0:
        return leaf(engine, state)
    if state.turn == CHANCE:
        return average(engine, state, lambda child: maxn(engine, child, depth, hero))
    found = [(maxn(engine, after(engine, state, move), depth - 1, hero), move) for move in engine.moves(state)]
    return min(found, key=lambda each: (-each[0][state.turn], each[0][hero], each[1]))[0]


def paranoid(engine, state, depth, hero):
    """The hero's share, in a vector of its own, when all others want it low."""
    if state.turn == OVER or depth == 0:
        return leaf(engine, state)
    if state.turn == CHANCE:
        return average(engine, state, lambda child: paranoid(engine, child, depth, hero))
    found = [paranoid(engine, after(engine, state, move), depth - 1, hero) for move in engine.moves(state)]
    return (max if state.turn == hero else min)(found, key=lambda shares: shares[hero])


def brs(engine, state, depth, hero, replier=None):
    """The hero's share when after each own move one of the others answers, and the rest pass where they can."""
    if replier is not None and state.turn >= 0 and state.turn not in (hero, replier) and engine.game.players > 2:
        state = state.copy()
        engine.reply(state, hero)
    if state.turn == OVER or depth == 0:
        return leaf(engine, state)
    if state.turn == CHANCE:
        return average(engine, state, lambda child: brs(engine, child, depth, hero, replier))
    if state.turn == hero:
        found = [brs(engine, after(engine, state, move), depth - 1, hero) for move in engine.moves(state)]
        return max(found, key=lambda shares: shares[hero])
    movers = [state]
    if replier is None:
        for player in range(engine.game.players):
            handed = state.copy()
            if player not in (hero, state.turn) and engine.reply(handed, player):
                movers.append(handed)
    found = []
    for mover in movers:
        for move in engine.moves(mover):
            found.append(brs(engine, after(engine, mover, move), depth - 1, hero, mover.turn))
    return min(found, key=lambda shares: shares[hero])


def worths(search, game, state, depth):
    """What each legal move is worth to the player to move, by one of the searches above."""
    engine, hero = Engine(game), state.turn
    return {move: search(engine, after(engine, state, move), depth - 1, hero)[hero] for move in engine.moves(state)}
