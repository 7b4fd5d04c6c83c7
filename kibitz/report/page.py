"""A page of sections: one self-contained HTML file, without scripts or network access.

The page itself, with its style sheet, is page.html. What is inserted is escaped: see kibitz/display/html.py.
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

from kibitz.display.html import Html, element, escaped
from kibitz.errors import KibitzError
from kibitz.records.files import written_aside

GENERATOR = '<meta name="generator" content="kibitz'  # identifies pages written by kibitz


@dataclass(frozen=True)
class Section:
    """A part of a page; its `html` is inserted unchanged and must not need scripts.

    Examples:
        >>> from kibitz.report.page import Section, paragraph
        >>> Section("Openings", paragraph("Where the first disc fell."))
        Section(title='Openings', html='<p>Where the first disc fell.</p>')
    """

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
    """A table that scrolls horizontally if it is too wide; the first column contains the row headers.

    Examples:
        >>> from kibitz.report.page import Column, table
        >>> html = table(["Bot", Column("Games", number=True)], [["greedy", 20]], "Games by bot")
        >>> '<td class="number">20</td>' in html
        True
    """
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
    """A paragraph, with its content escaped.

    Examples:
        >>> from kibitz.report.page import paragraph
        >>> paragraph("a < b")
        '<p>a &lt; b</p>'
    """
    return element("p", *content, class_=class_)


def code(text: str) -> Html:
    return element("code", text)


@dataclass(frozen=True, repr=False)
class ReportPage:
    """A whole page. A notebook shows it in a frame; `save` writes it to a file.

    Examples:
        >>> from kibitz.report.page import ReportPage
        >>> page = ReportPage("A page", '<meta name="generator" content="kibitz">')
        >>> page.save("page.html").read_text() == page.html
        True
    """

    title: str
    html: str

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, which may replace an older page but no other file; return its path."""
        file = Path(path)
        check_replaceable(file)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with written_aside(file) as out:
                out.write(self.html.encode("utf-8", "replace"))  # a path can have characters that UTF-8 cannot encode
        except OSError as error:
            raise KibitzError(f"Cannot write {file}: {error.strerror or error}.") from error
        return file

    def _repr_html_(self) -> str:
        style = "width: 100%; height: 40rem; border: 1px solid #8884; border-radius: 6px"
        return element("iframe", srcdoc=self.html, sandbox="", style=style, title=self.title)

    def __repr__(self) -> str:
        return f"<ReportPage: {self.title}>"


def rendered(title: str, head: Html, sections: Sequence[Section], version: str) -> ReportPage:
    """The page with these sections."""
    template = Template(resources.files("kibitz.report").joinpath("page.html").read_text(encoding="utf-8"))
    links = [element("li", element("a", section.title, href=f"#section-{i}")) for i, section in enumerate(sections, 1)]
    bodies = [
        element("section", element("h2", section.title), Html(section.html), id=f"section-{i}")
        for i, section in enumerate(sections, 1)
    ]
    page = template.substitute(
        generator=f'{GENERATOR} {html.escape(version)}">',
        title=escaped(title),
        head=head,
        contents="".join(links),
        sections="\n".join(bodies),
    )
    return ReportPage(title, page)


def check_replaceable(path: Path) -> None:
    """Raise an error if there is a file at a path that is no page."""
    if path.exists() and not _is_page(path):
        raise KibitzError(f"{path} already exists and is not a report; remove it or choose another path with --out.")


def _is_page(path: Path) -> bool:
    with contextlib.suppress(OSError), path.open("rb") as file:
        return GENERATOR.encode() in file.read(1000)
    return False
