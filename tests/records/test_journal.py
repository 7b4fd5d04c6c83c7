"""Journals: entries survive, whatever happens to the process that wrote them."""

import os

import pytest

from kibitz import KibitzError
from kibitz.records.journal import Journal, entries


@pytest.fixture
def path(tmp_path):
    journal = Journal(tmp_path / "games.journal")
    for payload in (b"first", b"", b"third"):
        journal.append(payload)
    journal.close()
    return journal.path


def test_entries_come_back_in_order(path):
    assert entries(path) == [b"first", b"", b"third"]


def test_a_torn_last_entry_is_ignored(path):
    whole = path.read_bytes()
    complete = [entries(path)[:count] for count in range(4)]
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        assert entries(path) in complete
    path.write_bytes(whole[:-1])
    assert entries(path) == [b"first", b""]


def test_a_changed_byte_anywhere_is_damage(path):
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        with pytest.raises(KibitzError, match=r"games\.journal is damaged"):
            entries(path)


def test_an_append_that_fails_leaves_the_journal_as_it_was(tmp_path, monkeypatch):
    journal = Journal(tmp_path / "games.journal")
    journal.append(b"first")
    write = os.write

    def full(file, content):
        if len(content) < 10:
            raise OSError(28, "No space left on device")
        return write(file, content[:10])  # the beginning still fits

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        journal.append(b"second")
    monkeypatch.undo()
    journal.append(b"third")
    journal.close()
    assert entries(journal.path) == [b"first", b"third"]


def test_an_existing_journal_is_never_opened_again(path):
    with pytest.raises(FileExistsError):
        Journal(path)
