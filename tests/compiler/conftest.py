"""What tests of the compiler share."""

import pytest


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    """A cache of the test's own: what an earlier run has left elsewhere would be loaded, not compiled. Its folder."""
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
