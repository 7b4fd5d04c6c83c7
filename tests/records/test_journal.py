"""Journals: entries survive, whatever happens to the process that wrote them."""

import os

import pytest
from processes import wait_for

from kibitz import KibitzError
from kibitz.records import journal as journal_module
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


@pytest.mark.parametrize("last", [b"third", b"third\0\0\0", b""])
def test_a_tail_of_zeros_costs_only_the_tail(tmp_path, last):
    """After a power failure a file can have its full length, or more, but not its content."""
    journal = Journal(tmp_path / "games.journal")
    journal.append(b"first")
    journal.append(b"second")
    safe = journal.size
    journal.append(last)
    journal.close()
    whole = journal.path.read_bytes()
    for more in (0, 1, 5000):
        for place in range(safe, len(whole) + 1):
            journal.path.write_bytes(whole[:place].ljust(len(whole) + more, b"\0"))
            found = entries(journal.path)
            assert found in ([b"first", b"second"], [b"first", b"second", last])
            assert len(found) == 3 or place < len(whole)


def test_zeros_before_other_entries_are_damage(path):
    whole = path.read_bytes()
    path.write_bytes(bytes(24) + whole[24:])
    with pytest.raises(KibitzError, match=r"games\.journal is damaged"):
        entries(path)


def test_entries_are_forced_to_the_disk_even_if_no_other_follows(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(journal_module, "SYNC_SECONDS", 0.01)
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(os.fstat(file).st_size))
    journal = Journal(tmp_path / "games.journal")
    for payload in (b"first", b"second"):
        journal.append(payload)
        wait_for(lambda: synced and synced[-1] == journal.size)
    journal.close()


def test_a_closed_journal_is_on_the_disk(tmp_path, monkeypatch):
    journal = Journal(tmp_path / "games.journal")
    journal.append(b"first")
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    journal.close()
    assert len(synced) == 1


def test_a_disk_that_refuses_entries_later_is_reported_at_the_next_one(tmp_path, monkeypatch):
    def full(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(journal_module, "SYNC_SECONDS", 0.01)
    journal = Journal(tmp_path / "games.journal")
    monkeypatch.setattr(os, "fsync", full)
    journal.append(b"first")
    wait_for(lambda: journal._failure)
    with pytest.raises(OSError, match="No space"):
        journal.append(b"second")
    with pytest.raises(OSError, match="No space"):
        journal.close()


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
