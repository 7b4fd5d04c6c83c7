"""Many tables of a toy game with chance, hidden information and three players."""

from toys import HighCard

import kibitz

RULES = HighCard()
TABLES = 5


def new_env(**options):
    return kibitz.VectorEnv(RULES, **{"tables": TABLES, "seed": 3, **options})


def random_game(seed, number):
    """A game between random bots at a Table: the moves of the players, and the payoff."""
    table = kibitz.Table(RULES, seed, number=number)
    bot, moves = kibitz.bot("random", RULES), []
    while not table.over:
        moves.append((table.turn, bot.choose(table.view(table.turn))))
        table.play(moves[-1][1])
    return moves, table.payoff()
