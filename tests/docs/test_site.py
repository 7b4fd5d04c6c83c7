"""The documentation as a web site: built without a warning, its links work, and nothing is loaded from elsewhere."""

import re
import tomllib
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
from doc_pages import ROOT
from make_site import REFERENCE, build, reference_file
from playwright.sync_api import sync_playwright

CHROMIUM = "/usr/bin/chromium"
PATIENCE = 120_000  # milliseconds, for a busy machine
LOADED = re.compile(r'<(?:script|img|iframe|source)\b[^>]*?\bsrc="(?!data:)([^"]+)"|<link\b[^>]*?\bhref="([^"]+)"')
LINK = re.compile(r'<a\b[^>]*?\bhref="([^"]+)"')
ANCHOR = re.compile(r'\bid="?([^"\s>]+)')


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built in strict mode, in which a warning is an error."""
    out = tmp_path_factory.mktemp("site")
    build(out)
    return out


def test_every_page_is_in_the_navigation():
    config = tomllib.loads((ROOT / "docs" / "site" / "zensical.toml").read_text())
    listed = set(re.findall(r"[\w/-]+\.md", str(config["project"]["nav"])))
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} | {"changelog.md", "notebook.md"}
    assert listed == pages | {f"reference/{reference_file(title)}" for title in REFERENCE}


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        for found in LOADED.findall(page.read_text()):
            target = "".join(found)
            assert not target.startswith(("http:", "https:", "//")), f"{page} loads {target}"
    for style in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?(?:https?:)?//", style.read_text()), style


@pytest.mark.slow
def test_every_link_leads_somewhere(site):
    @cache
    def anchors(path: Path) -> set[str]:
        return {unquote(anchor) for anchor in ANCHOR.findall(path.read_text())}

    for page in sorted(site.rglob("*.html")):
        if page.name == "404.html":
            continue
        for link in LINK.findall(page.read_text()):
            file, _, anchor = unquote(link).partition("#")
            if file.startswith(("http:", "https:")):
                continue
            target = (page.parent / file).resolve() if file else page
            assert target.is_file(), f"{page} links to {link}"
            if anchor and not anchor.startswith("__"):  # those are for scripts
                assert anchor in anchors(target), f"{page} links to {link}"


@pytest.mark.slow
def test_the_site_can_be_searched_on_the_disk(site):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"], timeout=PATIENCE
        )
        page = browser.new_page()
        page.goto((site / "index.html").as_uri())
        page.wait_for_load_state()
        page.keyboard.press("Control+k")
        page.get_by_placeholder("Search").last.fill("rosette")
        page.get_by_text("The Royal Game of Ur").last.wait_for(timeout=PATIENCE)
        page.get_by_text(re.compile(r"\d+ results")).wait_for(timeout=PATIENCE)
        browser.close()
