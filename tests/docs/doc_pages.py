"""Reads README.md and docs/*.md: their code blocks, links, headings and inline code.

A code block is one of

- commands (no language), typed line by line;
- `python`, run in one namespace per page;
- `text`, the expected output of the block before it. `…` stands for any text, or on a line of its own for any lines; a
  duration or rate (`0.76 s`, `150/s`) stands for any other. Gaps and rules, whose width depends on them, may differ.

An HTML comment before a block, which no reader sees, changes what happens to it:

- `<!-- not tested: takes an hour -->` and its output are left alone;
- `<!-- soak -->` runs in `make soak` only;
- `<!-- excerpt of examples/chomp.py -->` is compared with that file; `...` stands for lines left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
COMMANDS, PYTHON, OUTPUT = "", "python", "text"
MEASURED = r"\d[\d.,]*(?: s| ms| µs|/s)\b"
NOTE = re.compile(r"<!-- (?:not tested: (?P<untested>.+)|(?P<soak>soak)|excerpt of (?P<excerpt>\S+)) -->\s*")


@dataclass(frozen=True)
class Block:
    """A fenced code block."""

    language: str
    text: str
    line: int  # of the page, on which the text begins, from 1
    untested: str = ""  # why it is not run
    soak: bool = False
    excerpt: str = ""  # the file of which it is an excerpt

    @property
    def commands(self) -> list[str]:
        """The lines of a block of commands; one that ends with a backslash continues on the next."""
        return [line for line in self.text.replace("\\\n", " ").splitlines() if line.strip()]


@dataclass(frozen=True)
class Page:
    path: Path

    @property
    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def _tokens(self) -> list[Token]:
        return MarkdownIt("commonmark").enable("table").parse(self.path.read_text(encoding="utf-8"))

    @cached_property
    def blocks(self) -> list[Block]:
        """The code blocks in order; what is said before a block also holds for the output after it."""
        blocks: list[Block] = []
        note: dict[str, str] = {}
        for previous, token in zip([None, *self._tokens], self._tokens, strict=False):
            if token.type != "fence":
                continue
            follows_block = previous is not None and previous.type == "fence"
            if previous is not None and previous.type == "html_block":
                note = self._note(previous)
            elif not (token.info == OUTPUT and follows_block):
                note = {}
            assert token.map is not None
            blocks.append(
                Block(
                    token.info,
                    token.content,
                    token.map[0] + 2,
                    untested=note.get("untested", ""),
                    soak="soak" in note,
                    excerpt=note.get("excerpt", ""),
                )
            )
        return blocks

    def _note(self, token: Token) -> dict[str, str]:
        found = NOTE.fullmatch(token.content)
        assert found, f"{self.name}: what does {token.content.strip()} mean?"
        return {key: value for key, value in found.groupdict().items() if value}

    @property
    def _inline(self) -> Iterator[Token]:
        for token in self._tokens:
            yield from token.children or ()

    @property
    def inline_code(self) -> list[str]:
        return [token.content for token in self._inline if token.type == "code_inline"]

    @property
    def links(self) -> list[str]:
        """The targets of links and pictures."""
        attributes = {"link_open": "href", "image": "src"}
        return [str(token.attrs[attributes[token.type]]) for token in self._inline if token.type in attributes]

    @property
    def anchors(self) -> set[str]:
        """The anchors that GitHub gives to the headings."""
        headings = (
            text.content
            for opening, text in zip(self._tokens, self._tokens[1:], strict=False)
            if opening.type == "heading_open"
        )
        return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


PAGES = [Page(ROOT / "README.md"), *(Page(path) for path in sorted((ROOT / "docs").glob("*.md")))]


def matches(expected: str, output: str) -> bool:
    """Whether an output is the expected one."""
    pattern = ""
    for line in _squeezed(expected):
        if line == "…":
            pattern += r"(?:.*\n)*?"
        else:
            texts, wild = re.split(f"…|{MEASURED}", line), re.findall(f"…|{MEASURED}", line)
            wildcards = [".*" if found == "…" else MEASURED for found in wild]
            pattern += "".join(map("".join, zip(map(re.escape, texts), [*wildcards, r"\n"], strict=True)))
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _squeezed(output))) is not None


def _squeezed(text: str) -> list[str]:
    """The lines of a text, with every gap and every rule reduced to one character."""
    return [re.sub(r"([ ─━])\1+", r"\1", line.strip()) for line in text.strip().splitlines()]
