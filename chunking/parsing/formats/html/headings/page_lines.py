"""Lines of a page before pruning, with typography and position, as displayed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from chunking.parsing.formats.html.headings.text_settings import IN_PAGE, ElementSettings, TextSetting
from chunking.parsing.formats.html.html_elements import (
    BLOCKS,
    DROPPED,
    FURNITURE_ROLES,
    HEADINGS,
    LISTS,
    PREFORMATTED,
    collapse,
)
from chunking.parsing.formats.html.nested_tables import own_rows

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["LinePosition", "PageLine", "lines_of_page"]

_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BREAKS = re.compile(r"page-break-(?:after|before)\s*:\s*always|break-(?:after|before)\s*:\s*page", re.IGNORECASE)
_SPACE = re.compile(r"(?:margin|padding)-top\s*:\s*(?:[1-9]|0?\.[3-9])|margin\s*:\s*(?:[1-9]|0?\.[3-9])", re.IGNORECASE)
_SPACED = frozenset({"p", "hr", "center", "ul", "ol", "dl", "blockquote", "table"})
"""Elements with vertical margins by default."""
_SKIPPED = frozenset({*DROPPED, *PREFORMATTED, "nav", "footer", "button", "math", "head"})
_LONGEST_ROW = 300
"""Maximum characters of a one-row table that forms one line, such as `Item 1.` and its title."""
_DEEPEST = 6
"""Levels of nested tables examined; deeper ones are data."""


class LinePosition:
    """Names of the kinds of elements that a line is in (`PageLine.place`)."""

    TEXT = "text"
    HEADING = "heading"
    """Inside an h1 to h6 of the page."""
    ITEM = "item"
    """Inside a list, quote or definition."""
    TABLE = "table"
    """A complete data table; its element is the table."""


@dataclass(slots=True)
class PageLine:
    """A displayed line: up to the end of its block, or a `<br>`."""

    element: _Element
    """Innermost block around it, or the table."""
    text: str
    setting: TextSetting
    """Typography of most letters; bold, italic, underlined and centred if all are, a link if nearly all are."""
    place: str = LinePosition.TEXT
    alone: bool = False
    """True if the element holds nothing else."""
    pieces: list[_Element] = field(default_factory=list)
    """Elements that directly hold its characters, each once."""
    targets: list[str] = field(default_factory=list)
    """Targets of its links within the page."""
    names: list[str] = field(default_factory=list)
    """Link targets in it, or between it and the previous line."""
    breaks: bool = False
    """True if a page break precedes it."""
    space: bool = False
    """True if more space precedes it than between lines."""


def lines_of_page(root: _Element) -> list[PageLine]:
    """Return the visible lines of a page; a data table is one line, menus and footers are none."""
    sheets = ("".join(style.itertext()) for style in islice(root.iter("style"), 20))
    collector = _Collector(ElementSettings(sheets))
    collector.run(root)
    return collector.lines


class _Collector:
    """Collector of the lines of a page."""

    def __init__(self, styles: ElementSettings) -> None:
        self.lines: list[PageLine] = []
        self._styles = styles
        self._run: list[tuple[str, TextSetting, _Element]] = []
        self._targets: list[str] = []
        self._names: list[str] = []
        self._breaks = self._space = False
        self._blocks: list[tuple[_Element, int]] = []
        """Open blocks, each with the number of lines before it."""
        self._items = self._tables = self._joined = 0
        self._heading: _Element | None = None

    def run(self, root: _Element) -> None:
        stack: list[tuple[_Element, Iterator[_Element], TextSetting]] = []
        self._enter(root, TextSetting(), stack)
        while stack:
            element, children, setting = stack[-1]
            for child in children:
                if self._enter(child, setting, stack):
                    break
                self._tail(child, setting, element)
            else:
                stack.pop()
                self._leave(element)
                if stack:
                    self._tail(element, stack[-1][2], stack[-1][0])

    def _tail(self, element: _Element, setting: TextSetting, parent: _Element) -> None:
        if element.tail:
            self._run.append((element.tail, setting, parent))

    def _enter(
        self, element: _Element, outer: TextSetting, stack: list[tuple[_Element, Iterator[_Element], TextSetting]]
    ) -> bool:
        """Enter an element; True to visit its children."""
        tag, get = element.tag, element.get
        name = get("id") or (get("name") if tag == "a" else None)
        if name:
            self._names.append(name)
        if tag == "br":
            self._space = self._space or not self._run
            self._close()
            return False
        if tag in _SKIPPED:
            if tag in BLOCKS:
                self._close()
            return False
        style = get("style")
        if (style and _HIDDEN.search(style)) or get("hidden") is not None or get("role") in FURNITURE_ROLES:
            return False
        if tag in BLOCKS:
            self._close()
            if style and _BREAKS.search(style):
                self._breaks = True
            self._space = self._space or tag in _SPACED if not style else self._space or bool(_SPACE.search(style))
            if tag == "table" and not self._open_table(element):
                return False
            self._open_block(element)
        href = get("href") if tag == "a" else None
        if href and href[0] == "#":
            self._targets.append(href[1:])
        setting = self._styles.inside(element, outer)
        if element.text:
            self._run.append((element.text, setting, element))
        stack.append((element, iter(element), setting))
        return True

    def _open_block(self, element: _Element) -> None:
        self._blocks.append((element, len(self.lines)))
        if element.tag in LISTS or element.tag in ("dl", "blockquote"):
            self._items += 1
        elif element.tag in HEADINGS and self._heading is None:
            self._heading = element

    def _leave(self, element: _Element) -> None:
        if element.tag not in BLOCKS:
            return
        if self._joined and element is self._blocks[self._joined - 1][0]:
            self._joined = 0
        self._close()
        _, first = self._blocks.pop()
        if len(self.lines) == first + 1 and self.lines[first].element is element:
            self.lines[first].alone = True
        if element.tag in LISTS or element.tag in ("dl", "blockquote"):
            self._items -= 1
        elif element.tag == "table":
            self._tables -= 1
        if element is self._heading:
            self._heading = None

    def _open_table(self, table: _Element) -> bool:
        """Open a table; True if it is layout, so that its cells are lines. A data table is one line."""
        if self._joined:
            self._tables += 1
            return True
        if self._tables < _DEEPEST and _lays_out(table):
            self._tables += 1
            if _is_one_row(table):
                self._joined = len(self._blocks) + 1
            return True
        self._names += [
            name for part in table.iter("a", "p", "div", "tr", "td") if (name := part.get("id") or part.get("name"))
        ]
        self._add(PageLine(table, "", TextSetting(), LinePosition.TABLE, alone=True))
        return False

    def _close(self) -> None:
        """End the current line, if any."""
        if self._joined and len(self._blocks) >= self._joined:
            self._run.append((" ", TextSetting(), self._blocks[-1][0]))
            return
        run, self._run = self._run, []
        if not run:
            return
        joined = "".join(piece for piece, _, _ in run)
        text = collapse(joined)
        if not text:
            self._space = self._space or "\xa0" in joined
            return
        element = self._blocks[-1][0] if self._blocks else run[0][2]
        place = LinePosition.ITEM if self._items else LinePosition.TEXT
        if self._heading is not None:
            element, place = self._heading, LinePosition.HEADING
        pieces = dict.fromkeys(holder for piece, _, holder in run if not piece.isspace())
        self._add(PageLine(element, text, _common(run), place, pieces=list(pieces)))

    def _add(self, line: PageLine) -> None:
        line.targets, line.names, line.breaks, line.space = self._targets, self._names, self._breaks, self._space
        self._targets, self._names, self._breaks, self._space = [], [], False, False
        self.lines.append(line)


def _common(run: list[tuple[str, TextSetting, _Element]]) -> TextSetting:
    """Typography of a line: size and link of most letters, the rest only if shared by all."""
    filled = [(piece.strip(), setting) for piece, setting, _ in run if not piece.isspace()]
    if len(filled) == 1:
        return filled[0][1]
    sizes: Counter[float] = Counter()
    linked: Counter[str] = Counter()
    total = 0
    worded = []
    for piece, setting in filled:
        length = len(piece)
        total += length
        sizes[setting.size] += length
        linked[setting.link] += length
        if length > 2 or any(map(str.isalnum, piece)):
            worded.append(setting)
    link, most = linked.most_common(1)[0]
    return TextSetting(
        size=sizes.most_common(1)[0][0],
        bold=all(setting.bold for setting in worded),
        italic=all(setting.italic for setting in worded),
        underlined=all(setting.underlined for setting in worded),
        centred=all(setting.centred for setting in worded),
        link=link if most > 0.8 * total else IN_PAGE if linked[IN_PAGE] > 0.5 * total else "",
    )


def _lays_out(table: _Element) -> bool:
    """True for a layout table: marked so, around tables or headings, of one row or one column."""
    if table.get("role") in ("presentation", "none"):
        return True
    if next(table.iterdescendants("th", "thead"), None) is not None:
        return False
    if next(table.iterdescendants("table", *HEADINGS), None) is not None:
        return True
    rows = wide = 0
    for row in own_rows(table):
        filled = sum(1 for _ in islice((cell for cell in row if _has_text(cell)), 2))
        rows += filled > 0
        wide += filled > 1
        if rows > 1 and wide:
            return False
    return rows > 0


def _has_text(element: _Element) -> bool:
    return any(not text.isspace() and text != "\xa0" for text in element.itertext())


def _is_one_row(table: _Element) -> bool:
    """True if a table has a single row whose cells form one line."""
    filled = [row for row in own_rows(table) if _has_text(row)]
    if len(filled) != 1 or next(table.iterdescendants("table", "ul", "ol", "br"), None) is not None:
        return False
    length = 0
    for text in filled[0].itertext():
        length += len(text.strip())
        if length > _LONGEST_ROW:
            return False
    return sum(1 for cell in filled[0] if _has_text(cell)) > 1
