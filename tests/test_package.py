"""What `import kibitz` alone gives."""

import inspect
import subprocess
import sys

import numpy as np
import pytest

import kibitz
from kibitz import KibitzError
from kibitz.tournament import tournament


def test_submodules_work_after_importing_kibitz_alone():
    program = (
        "import kibitz, sys\n"
        "assert not {'kibitz.tournament', 'kibitz.testing', 'kibitz.solve', 'kibitz.learn'} & set(sys.modules)\n"
        "assert {'arena', 'solve', 'testing'} <= set(dir(kibitz))\n"
        "kibitz.sets.add, kibitz.rng.below, kibitz.rules.engine.Engine\n"
        "kibitz.testing.check_game, kibitz.solve.solve, kibitz.learn.train, kibitz.arena\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'kibitz' has no attribute 'areena'"):
        _ = kibitz.areena


def test_the_arena_shows_its_real_signature():
    assert inspect.signature(kibitz.arena) == inspect.signature(tournament.arena)
    assert "workers" in inspect.signature(kibitz.arena).parameters


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"games": 1.5}, r"The number of games must be a whole number of at least 1, not 1\.5\."),
        ({"games": 0}, "The number of games must be a whole number of at least 1, not 0"),
        ({"games": "10"}, "The number of games must be a whole number of at least 1, not '10'"),
        ({"games": True}, "not True"),
        ({"workers": 0}, "The number of workers must be a whole number of at least 1, not 0"),
        ({"workers": 1.5}, "The number of workers"),
        ({"opening": -1}, "The number of random opening moves must be a whole number of at least 0, not -1"),
        ({"seed": 1.5}, r"A seed is a whole number or a text, not 1\.5\."),
    ],
)
def test_numbers_that_make_no_sense_are_refused(options, message):
    with pytest.raises(KibitzError, match=message):
        kibitz.arena("connect_four", ["random"], **options)


def test_integers_of_numpy_are_numbers():
    result = kibitz.arena("connect_four", ["random"], games=np.int64(2), seed=np.uint8(7), workers=np.int8(1))
    assert (result.games, result.seed) == (2, 7)
    assert type(result.seed) is int
