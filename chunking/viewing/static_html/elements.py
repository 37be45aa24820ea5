"""HTML elements with inline styles; any other string is escaped.

>>> element("b", "a < b", element("span", "c", style="opacity:0.7"))
'<b>a &lt; b<span style="opacity:0.7">c</span></b>'
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape

from chunking.display import printable
from chunking.viewing.colours import COLOURS

__all__ = [
    "FAINT",
    "SCROLLED",
    "TEXT",
    "Html",
    "bar",
    "card",
    "clipped",
    "disclosure",
    "edge",
    "element",
    "faint",
    "head",
    "table",
    "text_block",
    "tint",
]

_TAGS = frozenset({"b", "details", "div", "span", "summary", "table", "tbody", "td", "th", "thead", "tr"})
_LINE = "rgba(127,127,127,0.35)"
_CARD = (
    "font-family:system-ui,sans-serif;font-size:13px;line-height:1.5;max-width:920px;border:1px solid "
    f"{_LINE};border-radius:8px;padding:10px 12px"
)
FAINT = "opacity:0.75;font-size:12px"
TEXT = "white-space:pre-wrap;overflow-wrap:break-word"
SCROLLED = "max-height:460px;overflow:auto;margin:6px 0 0"
_CELL = (
    f"padding:2px 12px 2px 0;text-align:left;vertical-align:top;border-bottom:1px solid {_LINE};background:transparent"
)
_BAR = 120
"""Maximum length of a bar in pixels."""


class Html(str):
    """Safe HTML; any other string is text, which `element` escapes."""

    __slots__ = ()


def element(tag: str, *content: str, style: str = "", **attributes: str) -> Html:
    """Return an element with its content, in order; content that is no `Html` is escaped.

    Raises:
        ValueError: the tag is none that sanitizers let through.
    """
    if tag not in _TAGS:
        raise ValueError(f"There is no element {tag}; use one of {', '.join(sorted(_TAGS))}.")
    named = ({"style": style} if style else {}) | attributes
    opening = "".join(f' {name}="{_escaped(value)}"' for name, value in named.items())
    inner = "".join(one if isinstance(one, Html) else _escaped(one) for one in content)
    return Html(f"<{tag}{opening}>{inner}</{tag}>")


def _escaped(text: str) -> str:
    return escape(printable(text))


def _middle(role: str) -> tuple[int, int, int]:
    """Return the mean of a role's light and dark colour, readable on both themes.

    >>> _middle("chunk_a")
    (108, 134, 250)
    """
    light, dark = (bytes.fromhex(one.removeprefix("#")) for one in COLOURS[role])
    red, green, blue = ((one + other) // 2 for one, other in zip(light, dark, strict=True))
    return red, green, blue


def edge(role: str) -> str:
    """Return a role's colour (`COLOURS`) for lines, readable on light and dark pages.

    >>> edge("chunk_a")
    '#6c86fa'
    """
    return "#" + bytes(_middle(role)).hex()


def tint(role: str, share: float = 0.12) -> str:
    """Return a role's colour as a translucent tint.

    >>> tint("chunk_a", 0.4)
    'rgba(108,134,250,0.4)'
    """
    return f"rgba({','.join(map(str, _middle(role)))},{share:g})"


def card(*content: str) -> Html:
    """Return content in a box with a rounded border."""
    return element("div", *content, style=_CARD)


def head(title: str, *facts: str) -> Html:
    """Return a title in bold and facts on the line below; empty facts are omitted."""
    return Html(element("div", element("b", title, dir="auto")) + faint(" · ".join(fact for fact in facts if fact)))


def faint(text: str) -> Html:
    """Return a line in a fainter style."""
    return element("div", text, style=FAINT, dir="auto")


def text_block(*content: str) -> Html:
    """Return document text with its line breaks, in its own direction."""
    return element("div", *content, style=TEXT, dir="auto")


def disclosure(label: str, *content: str) -> Html:
    """Return content that a click on its label opens; empty without content."""
    inside = element("div", *content, style=SCROLLED)
    return (
        element("details", element("summary", label, style="cursor:pointer;font-size:12px"), inside)
        if any(content)
        else Html()
    )


def table(titles: Sequence[str], rows: Iterable[Sequence[str]], *, prose: Collection[int] = ()) -> Html:
    """Return a table; each row has a cell per title.

    Args:
        prose: numbers of the columns whose text may wrap.
    """
    styles = [_CELL if number in prose else f"{_CELL};white-space:nowrap" for number in range(len(titles))]
    top = (
        element("th", title, style=f"{style};font-weight:600", scope="col")
        for title, style in zip(titles, styles, strict=True)
    )
    cells = (
        [element("td", one, style=style, dir="auto") for one, style in zip(row, styles, strict=True)] for row in rows
    )
    lines = (element("tr", *row, style="background:transparent") for row in cells)
    return element(
        "table",
        element("thead", element("tr", *top)),
        element("tbody", *lines),
        style="border-collapse:collapse;font-size:13px;margin:6px 0 0",
    )


def bar(share: float, role: str) -> Html:
    """Return a bar whose length shows a share, 0 to 1."""
    width = round(_BAR * min(max(share, 0.0), 1.0))
    return element(
        "div", style=f"width:{width}px;height:8px;background:{tint(role, 0.7)};border-radius:2px;display:inline-block"
    )


def clipped(text: str, most: int) -> str:
    """Cut a text after `most` characters and add ` …`; a text that is not longer is unchanged.

    >>> clipped("Stop the service", 8), clipped("Stop", 8)
    ('Stop the …', 'Stop')
    """
    return text if len(text) <= most else f"{text[:most].rstrip()} …"
