"""Builds the documentation as a web site: `make docs`, or `python docs/make_site.py [--out build/site]`.

The pages are those of docs/, which can be read where they are: on GitHub, their links lead to other pages and to
files of the repository. For the site, they are copied to a folder of their own with every link rewritten: a file of the
repository becomes a page with its source code, a folder a page that lists its files. The reference is made from
docstrings, the page of the notebook from what its cells show. Nothing is loaded from other sites, and the site can be
read, and searched, from the disk.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
SITE = DOCS / "site"  # configuration, style sheet, logo
LINK = re.compile(r"(?P<before>!?\[(?:[^\[\]]|!?\[[^\]]*\]\([^)]*\))*\]\()(?P<target>[^)\s]+)\)")
FENCE = re.compile(r"^(?P<fence>```+)(?P<language>\S*)[^\n]*\n.*?^(?P=fence)\n", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
LANGUAGES = {".py": "python", ".js": "javascript", ".c": "c", ".html": "html", ".css": "css", ".toml": "toml"}
WORKER_SHIM = 'src="https://unpkg.com/iframe-worker/shim"'
UNSEARCHED = "---\nsearch:\n  exclude: true\n---\n"

# The reference, page by page: everything that users call. tests/docs/test_docstrings.py asserts that it is complete.
REFERENCE = {
    "Games and rules": (
        "kibitz.game",
        "kibitz.game_names",
        "kibitz.Game",
        "kibitz.State",
        "kibitz.Board",
        "kibitz.compiled",
        "kibitz.plain",
        "kibitz.perft",
        "kibitz.sets",
        "kibitz.rng",
        "kibitz.rules.engine.Engine",
        "kibitz.testing.check_game",
    ),
    "Tables and views": (
        "kibitz.Table",
        "kibitz.View",
        "kibitz.Ply",
        "kibitz.Record",
        "kibitz.display.picture.Picture",
    ),
    "Scenes": (
        "kibitz.display.scene.Scene",
        "kibitz.display.scene.Piece",
        "kibitz.display.scene.Shape",
        "kibitz.display.scene.Lesson",
        "kibitz.display.turning_point.TurningPoint",
        "kibitz.display.scene.circle",
        "kibitz.display.scene.rect",
        "kibitz.display.scene.path",
        "kibitz.display.scene.polygon",
        "kibitz.display.scene.line",
        "kibitz.display.scene.text",
        "kibitz.display.svg.to_svg",
    ),
    "Bots and searches": (
        "kibitz.bot",
        "kibitz.Bot",
        "kibitz.Searcher",
        "kibitz.Limit",
        "kibitz.Report",
        "kibitz.Ranked",
        "kibitz.players.options.option",
        "kibitz.players.limit.Clock",
        "kibitz.players.limit.spend",
        "kibitz.analysis.review.review",
    ),
    "Tournaments, logs and reports": (
        "kibitz.arena",
        "kibitz.tournament.result.ArenaResult",
        "kibitz.tournament.result.Standing",
        "kibitz.records.log.Log",
        "kibitz.records.games.Games",
        "kibitz.report.report.result_of",
        "kibitz.report.report.report_of",
        "kibitz.report.report.write_report",
        "kibitz.report.page.ReportPage",
        "kibitz.report.page.Section",
        "kibitz.report.page.paragraph",
        "kibitz.report.page.table",
        "kibitz.display.html.element",
        "kibitz.report.charts.histogram",
    ),
    "Solving and learning": (
        "kibitz.VectorEnv",
        "kibitz.ModelSearch",
        "kibitz.solve.solve",
        "kibitz.solve.values_of",
        "kibitz.learn.train",
        "kibitz.learn.zero.training.train_zero",
        "kibitz.learn.watched_features.watched_features",
        "kibitz.games.camelup.forecast.forecast",
    ),
    "Other libraries": (
        "kibitz.adapters.pettingzoo.env",
        "kibitz.adapters.gymnasium.SeatEnv",
        "kibitz.adapters.openspiel.pyspiel_game",
    ),
    "Errors and constants": (
        "kibitz.KibitzError",
        "kibitz.SpecError",
        "kibitz.IllegalMove",
        "kibitz.RulesError",
        "kibitz.CHANCE",
        "kibitz.NOBODY",
        "kibitz.OVER",
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "site", help="the folder of the site")
    build(parser.parse_args().out.resolve())


def build(out: Path) -> None:
    """Build the site in a folder, which is replaced; exit with an error if anything is wrong with a page."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        Staging(project / "docs").write()
        shutil.copy(SITE / "zensical.toml", project)
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
        command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
        done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
        words = done.stdout + done.stderr
        if done.returncode or "warning" in words.lower():
            sys.exit(words)
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(project / "site", out)
    _load_nothing_from_elsewhere(out)
    print(f"The documentation is at {out / 'index.html'}.")


def _load_nothing_from_elsewhere(site: Path) -> None:
    """Replace the script that makes the search work on the disk, which pages would load from a server, by our own."""
    shutil.copy(SITE / "worker.js", site)
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        here = os.path.relpath(site / "worker.js", page.parent)
        page.write_text(text.replace(WORKER_SHIM, f'src="{here}"'), encoding="utf-8")


@dataclass
class Staging:
    """The pages of the site, as Markdown in a folder."""

    folder: Path
    _linked: set[Path] = field(default_factory=set)  # files and folders of the repository that pages link to

    def write(self) -> None:
        """Write all pages, and copy what they show."""
        shutil.copytree(DOCS / "images", self.folder / "images")
        shutil.copy(SITE / "style.css", self.folder)
        shutil.copy(ROOT / "kibitz" / "web" / "static" / "icon.svg", self.folder)
        for page in (*sorted(DOCS.glob("*.md")), ROOT / "CHANGELOG.md"):
            self._write(page.name.lower(), self._rewritten(page))
        self._write("notebook.md", _notebook_page(ROOT / "examples" / "notebook.ipynb"))
        for title, names in REFERENCE.items():
            self._write(f"reference/{reference_file(title)}", _reference_page(title, names))
        for path in sorted(self._linked):
            self._write(_source_page(path), self._source(path))

    def _write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def _rewritten(self, page: Path) -> str:
        """A page with its links turned into links of the site; notes to the tests are left out."""
        parts = []
        for text, is_code in _pieces(page.read_text(encoding="utf-8")):
            if is_code:
                parts.append(re.sub(r"^(```+)\n", r"\1sh\n", text, count=1))
            else:
                parts.append(LINK.sub(lambda found: self._link(page, found), COMMENT.sub("", text)))
        return "".join(parts)

    def _link(self, page: Path, found: re.Match[str]) -> str:
        before = LINK.sub(lambda inner: self._link(page, inner), found["before"])  # a picture may be a link
        file, hash_sign, anchor = found["target"].partition("#")
        if not file or file.startswith(("http:", "https:")):
            return f"{before}{found['target']})"
        return f"{before}{self._target((page.parent / file).resolve())}{hash_sign}{anchor})"

    def _target(self, path: Path) -> str:
        """Where a file of the repository is on the site, seen from one of the pages of docs/."""
        if path.name == "notebook.ipynb":
            return "notebook.md"
        if path == ROOT / "CHANGELOG.md":
            return "changelog.md"
        if path in (DOCS, ROOT / "README.md"):
            return "index.md"
        if path.parent in (DOCS, DOCS / "images") and path.suffix != ".py":
            return path.relative_to(DOCS).as_posix()
        self._linked.add(path)
        return _source_page(path)

    def _source(self, path: Path) -> str:
        """A page with the content of a file, or with a list of the files in a folder."""
        name = path.relative_to(ROOT).as_posix()
        if path.is_file():
            language = LANGUAGES.get(path.suffix, "text")
            text = path.read_text(encoding="utf-8").rstrip()
            return f'{UNSEARCHED}# {name}\n\n``````{language} linenums="1"\n{text}\n``````\n'
        rows = []
        for file in sorted(path.iterdir()):
            if file.name.startswith((".", "__pycache__")):
                continue
            shown = f"`{file.name}{'/' if file.is_dir() else ''}`"
            if file in self._linked:
                shown = f"[{shown}]({os.path.relpath(_source_page(file), Path(_source_page(path)).parent)})"
            rows.append(f"| {shown} | {_first_line(file)} |")
        return f"{UNSEARCHED}# {name}/\n\n| file | |\n| --- | --- |\n" + "\n".join(rows) + "\n"


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of a page in order, and whether each is a block of code."""
    end = 0
    for fence in FENCE.finditer(text):
        yield text[end : fence.start()], False
        yield fence[0], True
        end = fence.end()
    yield text[end:], False


def _source_page(path: Path) -> str:
    """The page of a file or folder of the repository."""
    return f"source/{path.relative_to(ROOT).as_posix()}{'' if path.is_file() else '/index'}.md"


def _first_line(file: Path) -> str:
    """What a module or package says about itself."""
    module = file / "__init__.py" if file.is_dir() else file
    if module.suffix != ".py" or not module.exists():
        return ""
    words = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    return words.partition("\n")[0].replace("|", "\\|")


def reference_file(title: str) -> str:
    """The file of a page of the reference."""
    return re.sub(r"\W+", "-", title.lower()) + ".md"


def _reference_page(title: str, names: tuple[str, ...]) -> str:
    return f"# {title}\n\n" + "\n".join(f"::: {name}\n" for name in names)


def _notebook_page(path: Path) -> str:
    """A notebook as a page: its texts, its code and what its cells show."""
    parts = []
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for output in cell.outputs:
            shown = output.data
            if "text/html" in shown:
                parts.append(f'<div class="output">{_one_block(shown["text/html"])}</div>')
            elif "image/svg+xml" in shown:
                parts.append(f'<div class="output">{_one_block(shown["image/svg+xml"])}</div>')
            else:
                parts.append(f"```text\n{shown['text/plain']}\n```")
    return "\n\n".join(parts) + "\n"


def _one_block(html: str) -> str:
    """HTML without empty lines, at which Markdown would begin to look for its own signs."""
    return re.sub(r"\n\s*\n", "\n", html)


if __name__ == "__main__":
    main()
