"""Elements of HTML. Text that is not marked as `Html` is escaped wherever it is inserted.

So a bot's spec, a player's name or an error message cannot inject markup into a page or a notebook.
"""

from __future__ import annotations

import html

VOID = ("img",)  # elements without content, which are not closed


class Html(str):
    """Text that is already HTML."""


def escaped(text: object) -> Html:
    """Text as HTML; text that is already HTML stays unchanged."""
    return text if isinstance(text, Html) else Html(html.escape(str(text)))


def element(tag: str, *content: object, **attributes: object) -> Html:
    """An element, with its content and its attributes escaped; attributes that are None are omitted.

    Examples:
        >>> from kibitz.display.html import element
        >>> element("td", "a < b", class_="number")
        '<td class="number">a &lt; b</td>'
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    if tag in VOID:
        return Html(f"<{tag}{written}>")
    return Html(f"<{tag}{written}>{''.join(map(escaped, content))}</{tag}>")
