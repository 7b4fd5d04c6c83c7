"""The page's files are kept by browsers for good, at an address that changes with them."""

import re

import pytest

from kibitz.web import assets


def test_the_page_names_its_files_by_a_stamp_and_they_are_kept_for_good(client):
    page = client.http.get("/").text
    files = re.findall(r'(?:src|href)="(/static/[^"]+)"', page)
    assert len(files) > 10
    for file in files:
        answer = client.http.get(file)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == assets.FOR_GOOD


def test_a_file_asked_for_by_an_old_stamp_is_not_kept(client):
    answer = client.http.get("/static/000000000000/main.js")
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("name", ["nothing.js", "..", "%2e%2e%2fapp.py", "..%5capp.py"])
def test_nothing_else_is_found_there(name, client):
    assert client.http.get(f"/static/{assets.stamp()}/{name}").status_code == 404


def test_the_stamp_changes_with_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(assets, "STATIC", tmp_path)
    (tmp_path / "main.js").write_text("one")
    before = assets.stamp()
    (tmp_path / "main.js").write_text("another")
    assert assets.stamp() != before
