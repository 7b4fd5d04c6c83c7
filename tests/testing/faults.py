"""How the tests of a check expect a game not to pass."""

import pytest

from kibitz.errors import ContractError
from kibitz.testing import check_game


def fault(rules, method, *words, **options):
    """Check a game that must not pass; return its error, which names the game, the method and what is wrong."""
    with pytest.raises(ContractError) as caught:
        check_game(rules, **{"games": 60, **options})
    message = str(caught.value)
    assert message.startswith(f"{type(rules).__name__}.{method}: ")
    for word in words:
        assert word in message
    return caught.value
