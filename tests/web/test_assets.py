"""The static files are cached by browsers forever, at addresses that change with them."""

import re

import pytest

from kibitz.display.palette import PAGE
from kibitz.web import assets


def test_the_page_names_its_files_by_a_stamp_and_they_are_cached_forever(client):
    page = client.http.get("/").text
    files = re.findall(r'(?:src|href)="(/static/[^"]+)"', page)
    assert len(files) > 10
    for file in files:
        answer = client.http.get(file)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == assets.FOREVER


def test_a_file_requested_with_an_old_stamp_is_not_cached(client):
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


def test_the_paints_of_the_page_are_those_of_scenes(client):
    """They are declared once, in the palette, and nowhere in the style sheet."""
    sheet = client.http.get(f"/static/{assets.stamp()}/paints.css")
    assert sheet.headers["content-type"].startswith("text/css")
    for name, (light, dark) in PAGE.items():
        assert f"--{name}: light-dark({light}, {dark});" in sheet.text
        assert f"--{name}:" not in (assets.STATIC / "style.css").read_text()
