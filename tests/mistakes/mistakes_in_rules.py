"""Mistakes that people make in rules, each with the words that its message must contain.

A mistake is made in a copy of tiny.py: the body of a method is replaced, or a line. `# <-` marks the line that the
message must name; without a mark it is that of the method's `def`.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    title: str
    method: str  # or fact, or field, as the message names it
    says: str  # what is wrong and what to do
    body: str = ""  # of the method
    before: str = ""  # code to put before the classes
    replace: tuple[str, str] = ("", "")  # a line, and what stands there instead
    cls: str = "Tiny"
    command: str = "check --games 3"  # which finds it
    at_the_table: bool = False  # whether `kibitz watch` must say it, too
    is_lineless: bool = False  # whether the message cannot name a line

    def __str__(self):
        return self.title


TABLE = "TABLE = np.zeros(3, 'i8')"

# Found by `kibitz check` in plain Python, or as soon as the file is loaded.
RULES = [
    # fields
    Mistake("a record without turn", "fields", '("turn", "i1") is required', 'return [("dealt", "i1")]'),
    Mistake("an unknown type", "fields", "must be one of f8, i1", 'return [("cards", "int", 2), ("turn", "i1")]'),
    Mistake("a field declared twice", "fields", "defined twice", 'return [("turn", "i1"), ("turn", "i1")]'),
    Mistake("fields that are no list", "fields", "must return a list such as", 'return {"turn": "i1"}'),
    Mistake(
        "a field named like a keyword", "fields", "not a valid field name", 'return [("in", "i1"), ("turn", "i1")]'
    ),
    Mistake("a field without a type", "fields", "as in", 'return [("dealt",), ("turn", "i1")]'),
    # start
    Mistake("a misspelled field", "start", "its fields are cards, staying", "s.deelt = 1  # <-", at_the_table=True),
    Mistake("a misspelled field, read", "start", "its fields are cards", "s.dealt = s.deelt  # <-", at_the_table=True),
    Mistake("a forgotten self", "start", "write self.highest", "s.dealt = highest  # <-", at_the_table=True),
    Mistake("a misspelled helper", "start", "did you mean unseen_card?", "unsen_card(s, 1, 2)  # <-"),
    Mistake("a turn that is a float", "start", "convert it with int(…)", "s.turn = -2 / 2  # <-"),
    Mistake("a turn that is nobody's", "start", "neither a player nor CHANCE nor OVER", "s.turn = 2"),
    Mistake("a turn that is text", "start", "holds integers, not 'CHANCE'", "s.turn = 'CHANCE'  # <-"),
    Mistake("too wide a number", "start", "declare the field with a wider type", "s.dealt = 200  # <-"),
    Mistake("a field of the rules changed", "start", "put what changes during a game", "self.highest = 3  # <-"),
    Mistake("a float as an index", "start", "divide with //", "s.cards[len(s.cards) / 2] = 1  # <-"),
    Mistake("a float as a count", "start", "divide with //", "for i in range(3 / 1):  # <-\n    s.cards[0] = i"),
    Mistake("an array of another shape", "start", "make the shapes equal", "s.cards[:] = np.zeros(3, 'i1')  # <-"),
    Mistake("an array in place of a number", "start", "choose one of its cells", "s.turn = s.cards  # <-"),
    Mistake("arrays compared", "start", "choose one of its cells", "s.dealt = s.cards == s.staying  # <-"),
    Mistake("an unknown method of an array", "start", "write a loop over its cells", "s.dealt = s.cards.total()  # <-"),
    Mistake("the length of the state", "start", "use its fields", "s.dealt = len(s)  # <-"),
    Mistake("the state as a list", "start", "use its fields", "s[0] = 1  # <-"),
    Mistake(
        "a division by zero",
        "start",
        "test the divisor first",
        "s.turn = CHANCE\ns.dealt = 1 // s.dealt  # <-",
        at_the_table=True,
    ),
    Mistake("a negative shift", "start", "shifts by a negative number", "s.dealt = 1 << (s.dealt - 1)  # <-"),
    Mistake(
        "a random opening",
        "start",
        "make chance a player",
        "s.dealt = np.random.randint(1)  # <-\ns.turn = CHANCE",
        at_the_table=True,
    ),
    Mistake(
        "another random opening", "start", "no random numbers", "s.dealt = random.randrange(1)  # <-", "import random"
    ),
    Mistake("a clock", "start", "must not read a clock", "s.dealt = int(time.time())  # <-", "import time"),
    Mistake(
        "a random helper",
        "start",
        "in die, ",
        "s.dealt = die()\ns.turn = CHANCE",
        "import random\ndef die():\n    return random.randint(0, 1)  # <-",
    ),
    Mistake(
        "a generator as a helper",
        "start",
        "write into an array",
        "for x in up():\n    s.dealt = x\ns.turn = CHANCE",
        "def up():  # <-\n    yield 0",
    ),
    Mistake(
        "a helper with one argument too many", "start", "takes 1 positional", "helper(s, 1)  # <-", "def helper(s): ..."
    ),
    # moves
    Mistake("no count of moves", "moves", "must return", "out[0] = FOLD", at_the_table=True),
    Mistake("a list of moves", "moves", "must return the number of entries", "return [FOLD, STAY]"),
    Mistake("moves appended", "moves", "write out[count] = move", "out.append(FOLD)  # <-\nreturn 1"),
    Mistake("moves yielded", "moves", "return the number of entries", "yield FOLD", at_the_table=True),
    Mistake(
        "more than max_moves",
        "moves",
        "more entries than max_moves = 2 allows",
        "for i in range(3):\n    out[i] = i  # <-\nreturn 3",
    ),
    Mistake("no legal move", "moves", "the number must be from 1", "return 0"),
    Mistake("a move listed twice", "moves", "is listed twice", "out[0] = FOLD\nout[1] = FOLD\nreturn 2"),
    Mistake("a move beyond actions", "moves", "is not a move number from 0 to 1", "out[0] = 2\nreturn 1"),
    # chances
    Mistake("no probabilities", "chances", "must be positive and sum to 1", "out[0] = 1\nreturn 1"),
    Mistake("probabilities beyond 1", "chances", "sum to 1", "out[0] = 1\nout[1] = 2\np[0] = p[1] = 1.0\nreturn 2"),
    Mistake("no count of outcomes", "chances", "must return the number of entries", "out[0] = 1\np[0] = 1.0"),
    Mistake("a negative outcome", "chances", "numbered from 0", "out[0] = -2\np[0] = 1.0\nreturn 1"),
    # sample
    Mistake("a sample that is not listed", "sample", "which `chances` does not list", "return 9"),
    Mistake(
        "a sample by Python's random",
        "sample",
        "no random numbers",
        "return random.randint(1, 4)  # <-",
        "import random",
    ),
    # play
    Mistake("a move without effect", "play", "raise max_plies if a game can take that long", "s.dealt = 0"),
    Mistake(
        "a play that is random", "play", "make chance a player", "s.turn = random.choice([0, 1])  # <-", "import random"
    ),
    Mistake("a cell that is not there", "play", "beyond an array", "s.cards[2] = move  # <-"),
    Mistake("a turn too far", "play", "neither a player nor CHANCE nor OVER", "s.turn = 2"),
    # payoff
    Mistake("shares that are returned", "payoff", "write one to out[player]", "return [1.0, 0.0]"),
    Mistake("shares beyond 1", "payoff", "do not sum to 1", "out[0] = 1.0\nout[1] = 1.0"),
    # redact, redeal, seen and possible
    Mistake(
        "redact without redeal",
        "redact",
        "both redact and redeal",
        replace=("    def redeal(", "    def deal("),
        cls="Hidden",
    ),
    Mistake(
        "redact that hides nothing", "redact", "redact must blank the difference", "s.dealt = s.dealt", cls="Hidden"
    ),
    Mistake("a card of nobody", "redact", "did you mean player", "s.cards[1 - playr] = 0  # <-", cls="Hidden"),
    Mistake("redeal that leaves blanks", "redeal", "", "s.dealt = s.dealt", cls="Hidden"),
    Mistake("redeal that counts cards wrong", "redeal", "beyond an array", "s.cards[2] = 1  # <-", cls="Hidden"),
    Mistake("seen that returns nothing", "seen", "must be −1 or a move number", "s.dealt", cls="Hidden"),
    Mistake("seen that is a float", "seen", "must be −1 or a move number", "return move / 1", cls="Hidden"),
    Mistake(
        "possible for an unknown player", "possible", "beyond an array", "s.cards[player + 2] = 1  # <-", cls="Hidden"
    ),
    Mistake("possible that passes the turn", "possible", "gives the turn to", "s.turn = 1 - s.turn", cls="Hidden"),
    # reply
    Mistake("reply that returns nothing", "reply", "must return True or False", "s.turn = player"),
    Mistake("reply that changes nothing", "reply", "gives the turn to", "return True"),
    # evaluate and score
    Mistake("an estimate beyond 1", "evaluate", "write one to out[player]", "out[0] = 2.0\nout[1] = -1.0"),
    Mistake(
        "an estimate for too many",
        "evaluate",
        "beyond an array",
        "for player in range(3):\n    out[player] = 0.5  # <-",
    ),
    Mistake("a score that is returned", "score", "write one to out[player]", "return s.cards"),
    Mistake(
        "a score divided by zero", "score", "test the divisor first", "out[0] = 1 / s.staying[1] + 1 / s.dealt  # <-"
    ),
    # key
    Mistake("a key that changes the state", "key", "changes the state", "s.dealt += 1\nreturn 1"),
    Mistake("a key of an unknown field", "key", "its fields are", "return s.hash  # <-"),
    # facts
    Mistake("no max_plies", "max_plies", "does not define max_plies", replace=("    max_plies = 4\n", "")),
    Mistake("no players", "players", "does not define players", replace=("    players = 2\n", "")),
    Mistake("players as text", "players", "must be a whole number", replace=("players = 2", "players = '2'  # <-")),
    Mistake(
        "actions as a float", "actions", "must be a whole number", replace=("actions = 2", "actions = 4 / 2  # <-")
    ),
    Mistake("max_moves of 0", "max_moves", "at least 1", replace=("max_moves = 2", "max_moves = 0  # <-")),
    Mistake(
        "max_moves that is too small",
        "moves",
        "more entries than max_moves = 1 allows; raise it",
        "out[0] = FOLD\nout[1] = STAY  # <-\nreturn 2",
        replace=("max_moves = 2", "max_moves = 1"),
    ),
    Mistake("max_plies that is too small", "play", "raise max_plies", replace=("max_plies = 4", "max_plies = 3")),
    Mistake(
        "max_plies as text", "max_plies", "must be a whole number", replace=("max_plies = 4", "max_plies = '4'  # <-")
    ),
    Mistake(
        "no max_outcomes",
        "max_outcomes",
        "must be the most outcomes",
        replace=("max_outcomes = 4", "max_outcomes = 0  # <-"),
    ),
    Mistake(
        "max_outcomes that is too small",
        "chances",
        "more entries than max_outcomes = 3 allows; raise it",
        "for i in range(4):\n    out[i] = i  # <-\nreturn 4",
        replace=("max_outcomes = 4", "max_outcomes = 3"),
    ),
    # the class
    Mistake("no payoff", "payoff", "has no method payoff(self, s, out)", replace=("def payoff(", "def pay(")),
    Mistake(
        "too few parameters", "moves", "must take (self, s, out)", replace=("moves(self, s, out):", "moves(self, s):")
    ),
    Mistake("a misspelled method", "evalute", "rename it", replace=("def evaluate(", "def evalute(")),
    Mistake(
        "a number in place of a method",
        "key",
        "must be a method",
        replace=("    def key(", "    key = 3  # <-\n\n    def ky("),
    ),
    Mistake(
        "a variant that is text",
        "highest",
        "needs a default that is an int",
        replace=("highest: int = 4", "highest: str = 'ace'  # <-"),
    ),
    Mistake(
        "a runtime field that is not there",
        "runtime",
        "no field lowest",
        replace=("@kibitz.game\nclass Tiny", '@kibitz.game(runtime=("lowest",))\nclass Tiny'),
    ),
    Mistake(
        "runtime as text",
        "runtime",
        'runtime=["highest"]',
        replace=("@kibitz.game\nclass Tiny", '@kibitz.game(runtime="highest")\nclass Tiny'),
    ),
    Mistake(
        "__post_init__ that changes the rules",
        "__post_init__",
        "put what changes",
        replace=("    def fields(", "    def __post_init__(self):\n        self.size = 3  # <-\n\n    def fields("),
    ),
    Mistake(
        "__post_init__ with a misspelled field",
        "__post_init__",
        "did you mean highest?",
        replace=(
            "    def fields(",
            "    def __post_init__(self):\n        assert self.higest > 1  # <-\n\n    def fields(",
        ),
    ),
    Mistake(
        "a game without @kibitz.game",
        "@kibitz.game",
        "put @kibitz.game above the class",
        replace=("@kibitz.game\nclass Tiny", "class Tiny"),
    ),
    Mistake(
        "a syntax error", "line", "expected ':'", replace=("    def start(self, s):", "    def start(self, s)  # <-")
    ),
    Mistake(
        "an unknown import", "line", "No module named", replace=("import kibitz\n", "import kibitz, kibbitz  # <-\n")
    ),
    # extras
    Mistake(
        "a name that is a number",
        "board.name",
        "must be one line of text",
        replace=('return f"deal {move}" if s.turn == CHANCE else ("fold", "stay")[move]', "return move"),
    ),
    Mistake("two moves of one name", "board.name", "are both called", replace=('("fold", "stay")[move]', '"fold"')),
    Mistake("a name that raises", "board.name", "beyond", replace=('("fold", "stay")[move]', '("fold",)[move]  # <-')),
    Mistake(
        "a text with a wrong field", "board.text", "its fields are", replace=('{s.cards.tolist()}"', '{s.crds}"  # <-')
    ),
    Mistake(
        "bots that are a list", "BOTS", "must be a mapping", before='BOTS = ["uct"]', command="bots", is_lineless=True
    ),
    Mistake(
        "a board that is no class",
        "board",
        "leave out the ()",
        replace=("    players = 2", "    board = Board()\n    players = 2"),
        is_lineless=True,
    ),
]

# Found when a method is compiled: `kibitz check` and everything that plays say the same.
COMPILED = [
    Mistake(
        "a write to an array of the module",
        "start",
        "TABLE is a constant in compiled code; put it in a field",
        "TABLE[0] = 1  # <-\ns.turn = CHANCE",
        TABLE,
        at_the_table=True,
    ),
    Mistake(
        "an array of the module, filled", "start", "TABLE is a constant", "TABLE.fill(0)  # <-\ns.turn = CHANCE", TABLE
    ),
    Mistake(
        "a global that changes",
        "start",
        "put it in a field of the state",
        "global COUNT\nCOUNT = 1  # <-\ns.turn = CHANCE",
        "COUNT = 0",
    ),
    Mistake(
        "a list of the module",
        "start",
        "make it a number, a tuple or a NumPy array",
        "s.dealt = ROWS[0]  # <-\ns.turn = CHANCE",
        "ROWS = [0]",
    ),
    Mistake(
        "a dictionary of the module",
        "start",
        "make it a number, a tuple or a NumPy array",
        "s.dealt = WORTHS[1]  # <-\ns.turn = CHANCE",
        "WORTHS = {1: 0}",
    ),
    Mistake(
        "try",
        "start",
        "test for it beforehand with `if`",
        "try:\n    s.turn = CHANCE\nexcept ZeroDivisionError:  # <-\n    s.turn = 0",
        at_the_table=True,
    ),
    Mistake(
        "with", "start", "write the statements without it", "with np.errstate(all='ignore'):  # <-\n    s.turn = CHANCE"
    ),
    Mistake("text as a number", "start", "give every value a number", "s.dealt = int('0')  # <-\ns.turn = CHANCE"),
    Mistake(
        "formatted text",
        "start",
        "give every value a number",
        "s.dealt = '{}'.format(s.dealt) == '1'  # <-\ns.turn = CHANCE",
    ),
    Mistake(
        "recursion",
        "start",
        "use a loop with an explicit stack",
        "s.dealt = down(3)\ns.turn = CHANCE",
        "def down(n):  # <-\n    return 0 if n == 0 else down(n - 1)",
        at_the_table=True,
    ),
    Mistake("a mixed dictionary", "start", "use an array or a tuple", "d = {1: 2, 2: (1, 2)}  # <-\ns.turn = CHANCE"),
    Mistake(
        "a set comprehension",
        "start",
        "use an array of flags, or kibitz.sets",
        "s.dealt = len({x for x in range(0)})  # <-\ns.turn = CHANCE",
    ),
    Mistake(
        "a generator expression",
        "start",
        "write a loop",
        "s.dealt = sum(card for card in s.cards)  # <-\ns.turn = CHANCE",
    ),
    Mistake(
        "an object",
        "start",
        "use a NamedTuple, or fields",
        "Point(1)  # <-\ns.turn = CHANCE",
        "class Point:\n    def __init__(self, x): ...",
    ),
    Mistake("its own class", "start", "use self", "s.dealt = Tiny.max_moves - 2  # <-\ns.turn = CHANCE"),
    Mistake("an import in a rule", "start", "move this import to the top", "import math  # <-\ns.turn = CHANCE"),
    Mistake(
        "a key function", "start", "write a loop", "s.dealt = max([0, 0], key=lambda x: -x)  # <-\ns.turn = CHANCE"
    ),
    Mistake(
        "an unsupported function of NumPy",
        "start",
        "np.packbits; write a loop",
        "np.packbits(np.zeros(8, np.uint8))  # <-\ns.turn = CHANCE",
    ),
    Mistake(
        "itertools",
        "start",
        "cannot call itertools.product",
        "for a, b in itertools.product((0,), (1,)):  # <-\n    s.dealt = a\ns.turn = CHANCE",
        "import itertools",
    ),
    Mistake(
        "a cached helper",
        "start",
        "remove its decorator",
        "s.dealt = helper(0)  # <-\ns.turn = CHANCE",
        "import functools\n@functools.cache\ndef helper(x):\n    return x",
    ),
    Mistake(
        "a variable of two types",
        "start",
        "give it one type",
        "x = (1, 2)\nif s.dealt > 0:\n    x = (1, 2, 3)\ns.dealt = len(x) - 2  # <-\ns.turn = CHANCE",
        at_the_table=True,
    ),
    Mistake(
        "a helper of two types",
        "start",
        "return one type everywhere",
        "helper(s)\ns.turn = CHANCE",
        "def helper(s):\n    if s.dealt == 0:\n        return 0\n    return (1, 2)  # <-",
    ),
    Mistake(
        "a mixed list", "start", "a list holds values of one type", "a = [1]\na.append((1, 2))  # <-\ns.turn = CHANCE"
    ),
    Mistake(
        "a mixed tuple",
        "start",
        "make them alike",
        "for row in ROWS:  # <-\n    s.dealt = 0\ns.turn = CHANCE",
        "ROWS = ((0, 1), (2,))",
    ),
    Mistake("an array assigned as a whole", "start", "s.cards[:] = …", "s.cards = 0  # <-\ns.turn = CHANCE"),
    Mistake(
        "an assignment expression",
        "start",
        "on a line of its own",
        "if (n := s.dealt) > 0:  # <-\n    s.dealt = n\ns.turn = CHANCE",
    ),
    Mistake(
        "a pattern of several values",
        "start",
        "use `if` and `elif`",
        "match (s.dealt, s.turn):\n    case (0, 0):  # <-\n        s.turn = CHANCE",
    ),
    Mistake("del", "start", "compiled code has no `del`", "a = [1, 2]\ndel a[0]  # <-\ns.turn = CHANCE"),
    Mistake(
        "a misspelled field off the path",
        "start",
        "its fields are",
        "if s.dealt > 3:\n    s.deelt = 1  # <-\ns.turn = CHANCE",
        at_the_table=True,
    ),
    Mistake(
        "a misspelled helper off the path",
        "start",
        "did you mean unseen_card?",
        "if s.dealt > 3:\n    unsen_card(s)  # <-\ns.turn = CHANCE",
    ),
    Mistake(
        "a float as an index off the path",
        "start",
        "divide with //",
        "if s.dealt > 3:\n    s.cards[1 / 2] = 0  # <-\ns.turn = CHANCE",
    ),
    Mistake(
        "the length of the state off the path",
        "start",
        "use its fields",
        "if s.dealt > 3:\n    s.dealt = len(s)  # <-\ns.turn = CHANCE",
    ),
    Mistake(
        "None in place of a number",
        "start",
        "use a number for nothing",
        "if s.dealt > 3:\n    s.dealt = None  # <-\ns.turn = CHANCE",
    ),
    Mistake(
        "too many arguments off the path",
        "start",
        "takes (s, out)",
        "if s.dealt > 3:\n    self.moves(s)  # <-\ns.turn = CHANCE",
    ),
    Mistake(
        "a misspelled constant of kibitz",
        "start",
        "did you mean CHANCE?",
        "if s.dealt > 3:\n    s.turn = kibitz.CHANC  # <-\ns.turn = CHANCE",
    ),
    Mistake(
        "a variable without a value",
        "start",
        "give it a value first",
        "if s.dealt > 3:\n    count += 1  # <-\ns.turn = CHANCE",
    ),
    Mistake(
        "a number that is called",
        "start",
        "leave out the ()",
        "if s.dealt > 3:\n    s.dealt = self.highest()  # <-\ns.turn = CHANCE",
    ),
    Mistake(
        "a field of the rules changed off the path",
        "start",
        "in a field of the state",
        "if s.dealt > 3:\n    self.highest = 3  # <-\ns.turn = CHANCE",
    ),
    Mistake(
        "a number with an index",
        "start",
        "leave out the index",
        "if s.dealt > 3:\n    s.dealt = s.cards[0][1]  # <-\ns.turn = CHANCE",
    ),
    Mistake("urgency that returns nothing", "urgency", "must return an integer", "s.dealt"),
    Mistake("noisy moves that return nothing", "noisy_moves", "must return the number of entries", "out[0] = 0"),
    Mistake("noisy moves that are not legal", "noisy_moves", "is not one of the legal", "out[0] = 7\nreturn 1"),
    Mistake("urgency that is a float", "urgency", "must return an integer", "return move / 2"),
]
