"""A page of sections: one self-contained HTML file, without scripts or network access.

Text that is not marked as `Html` is escaped wherever it is inserted, so that a bot's spec or error message cannot
inject markup. The page itself, with its style sheet, is page.html.
"""

from __future__ import annotations

import contextlib
import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from string import Template

from kibitz.errors import KibitzError
from kibitz.records.files import written_aside

GENERATOR = '<meta name="generator" content="kibitz'  # identifies pages written by kibitz


class Html(str):
    """Text that is already HTML."""


def escaped(text: object) -> Html:
    """Text as HTML; text that is already HTML stays unchanged."""
    return text if isinstance(text, Html) else Html(html.escape(str(text)))


def element(tag: str, *content: object, **attributes: object) -> Html:
    """An element: `element("td", "a < b", class_="number")`. Attributes that are None are omitted."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return Html(f"<{tag}{written}>{''.join(map(escaped, content))}</{tag}>")


@dataclass(frozen=True)
class Section:
    """A part of a page; its `html` is inserted unchanged and must not need scripts."""

    title: str
    html: str


@dataclass(frozen=True)
class Column:
    """The header of a table column; numbers are right-aligned, and `wide` columns take the remaining space."""

    title: str
    number: bool = False
    wide: bool = False

    @property
    def style(self) -> str | None:
        return " ".join(name for name in ("number", "wide") if getattr(self, name)) or None


def table(columns: Sequence[Column | str], rows: Sequence[Sequence[object]], caption: str) -> Html:
    """A table that scrolls horizontally if it is too wide; the first column contains the row headers."""
    heads = [column if isinstance(column, Column) else Column(column) for column in columns]
    head = element("tr", *(element("th", column.title, scope="col", class_=column.style) for column in heads))
    lines = []
    for row in rows:
        first, *others = zip(heads, row, strict=True)
        name = element("th", first[1], scope="row", class_=first[0].style)
        lines.append(element("tr", name, *(element("td", cell, class_=column.style) for column, cell in others)))
    whole = element("table", element("thead", head), element("tbody", *lines))
    return scrolling(whole, caption)


def spec(text: str) -> Html:
    """A spec, with line breaks allowed after its punctuation."""
    return Html(re.sub(r"(?<=[/:,])(?=.)", "<wbr>", escaped(text)))


def scrolling(content: Html, caption: str) -> Html:
    """A box in which wide content scrolls, also by keyboard."""
    return element("div", content, class_="scroll", role="region", aria_label=caption, tabindex=0)


def paragraph(*content: object, class_: str | None = None) -> Html:
    return element("p", *content, class_=class_)


def code(text: str) -> Html:
    return element("code", text)


def rendered(title: str, head: Html, sections: Sequence[Section], version: str) -> str:
    """The whole page."""
    template = Template(resources.files("kibitz.report").joinpath("page.html").read_text(encoding="utf-8"))
    links = [element("li", element("a", section.title, href=f"#section-{i}")) for i, section in enumerate(sections, 1)]
    bodies = [
        element("section", element("h2", section.title), Html(section.html), id=f"section-{i}")
        for i, section in enumerate(sections, 1)
    ]
    return template.substitute(
        generator=f'{GENERATOR} {html.escape(version)}">',
        title=escaped(title),
        head=head,
        contents="".join(links),
        sections="\n".join(bodies),
    )


def write_page(path: Path, page: str) -> Path:
    """Write a page to a file, which may replace an older page but no other file; returns the path."""
    check_replaceable(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_aside(path) as file:
            file.write(page.encode("utf-8", "replace"))  # a path can contain characters that UTF-8 cannot encode
    except OSError as error:
        raise KibitzError(f"Cannot write {path}: {error.strerror or error}.") from error
    return path


def check_replaceable(path: Path) -> None:
    """Raise an error if there is a file at a path that is no page."""
    if path.exists() and not _is_page(path):
        raise KibitzError(f"{path} already exists and is not a report; remove it or choose another path with --out.")


def _is_page(path: Path) -> bool:
    with contextlib.suppress(OSError), path.open("rb") as file:
        return GENERATOR.encode() in file.read(1000)
    return False
