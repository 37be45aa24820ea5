"""The table of contents of a page: rows of links to places in it, or of labels and page numbers whose words come again."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from chunking.parsing.formats.html.headings.page_lines import LinePosition, PageLine
from chunking.parsing.formats.html.lines import collapse
from chunking.parsing.formats.html.nested_tables import own_rows
from chunking.parsing.headings.contents_list import is_contents_label
from chunking.parsing.headings.label_keys import squeezed
from chunking.parsing.headings.numbering import numbering_of

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["PageContents", "PageContentsEntry", "contents_of", "says_contents"]

_INDEX = re.compile(r"index(?:\s+to\b.{3,80})?", re.IGNORECASE)
_PAGE = re.compile(
    r"[\s.·…_]*\b(?:page\s+|p\.\s*)?(?:[A-Z]{1,2}-?)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*[-–,&]\s*(?:[A-Z]-)?\d{1,4})*\s*\Z"
)
"""What stands behind the label of a row: leaders and the page."""
_ONLY_PAGE = re.compile(
    r"\W*(?:page\s*)?(?:[A-Z]{1,2}-?)?(?:\d{1,4}|[ivxl]{1,6})?(?:\s*[-–,&]\s*(?:[A-Z]-)?\d{1,4})*\W*", re.IGNORECASE
)
_FEWEST = 3
"""Rows that lead to different places."""
_MOSTLY = 0.6
_LONGEST_ROW = 250
_MOST_OF_PAGE = 0.4
"""Share of a page's characters that its contents may be: a page of nothing but links is no page with contents."""
_AHEAD = 5
"""Lines after the place a link leads to, among which the heading is."""
_MOST_ROWS = 3_000
_MOST_COPIES = 50
"""Lines of the same words that are looked at for one row."""


class PageContentsEntry(NamedTuple):
    """A row of a table of contents."""

    label: str
    """Without the page."""
    targets: tuple[str, ...] = ()
    paged: bool = False
    """A page number stands behind it."""


@dataclass(slots=True)
class PageContents:
    """One table of contents."""

    first: int
    """Index of its first line."""
    after: int
    """One past the last."""
    entries: list[PageContentsEntry]
    found: dict[int, PageContentsEntry] = field(default_factory=dict)
    """By the indices of the lines that they name."""
    linked: set[int] = field(default_factory=set)
    """Those of them to which a link leads."""

    @property
    def rows(self) -> str:
        """As text, a line a row."""
        return "\n".join(entry.label for entry in self.entries)


def says_contents(text: str) -> bool:
    """Whether a line is the title of a table of contents.

    >>> says_contents("TABLE OF CONTENTS"), says_contents("Index to Financial Statements"), says_contents("PageContents of the box")
    (True, True, False)
    """
    return is_contents_label(text) or (len(text) < 100 and bool(_INDEX.fullmatch(text)))


def contents_of(lines: Sequence[PageLine]) -> list[PageContents]:
    """The tables of contents of a page, with the lines that they name.

    A row counts where its link leads to a line further down that has its words, or where a line further down says the
    same.
    Most rows must count, and there must be more on the page.
    """
    words = _by_words(lines)
    places = {name: n for n, line in reversed(list(enumerate(lines))) for name in line.names}
    total = sum(len(line.text) or sum(map(len, line.element.itertext())) for line in lines)
    kept: list[PageContents] = []
    for one in _possible(lines):
        for entry in one.entries:
            _find(one, entry, lines, words, places)
        named = [entry for entry in one.entries if entry.targets or entry.paged]
        length = sum(len(entry.label) for entry in one.entries)
        if len(one.found) >= max(_FEWEST, _MOSTLY * len(named)) and length <= _MOST_OF_PAGE * total:
            kept.append(one)
    return kept


def _possible(lines: Sequence[PageLine]) -> Iterator[PageContents]:
    """Runs of rows that look like contents, wherever they lead."""
    n = 0
    while n < len(lines):
        line = lines[n]
        if line.place == LinePosition.TABLE:
            entries = list(_table_entries(line.element))
            if _are_rows(entries):
                yield PageContents(n, n + 1, entries)
            n += 1
            continue
        after = n
        entries = []
        while (
            after < min(len(lines), n + _MOST_ROWS)
            and lines[after].place in (LinePosition.TEXT, LinePosition.ITEM)
            and (entry := _line_entry(lines, after, bool(entries)))
        ):
            entries.append(entry)
            after += 1
        while entries and not (entries[-1].targets or entries[-1].paged):  # groups have rows under them
            entries.pop()
            after -= 1
        if _are_rows(entries):
            yield PageContents(n, after, entries)
        n = max(after, n + 1)


def _are_rows(entries: Sequence[PageContentsEntry]) -> bool:
    rows = [entry for entry in entries if entry.targets or entry.paged]
    targets = {target for entry in rows for target in entry.targets}
    different = max(len(targets), sum(entry.paged for entry in rows))
    return different >= _FEWEST and len(rows) >= _MOSTLY * len(entries)


def _table_entries(table: _Element) -> Iterator[PageContentsEntry]:
    for number, row in enumerate(own_rows(table)):
        cells = [text for cell in row if (text := collapse(" ".join(cell.itertext())))]
        if not cells:
            continue
        if number >= _MOST_ROWS or sum(map(len, cells)) > _LONGEST_ROW:
            yield PageContentsEntry(" ".join(cells)[:_LONGEST_ROW])
            continue
        targets = dict.fromkeys(
            href[1:] for link in row.iter("a") if (href := link.get("href", "")).startswith("#") and len(href) > 1
        )
        paged = len(cells) > 1 and bool(_ONLY_PAGE.fullmatch(cells[-1])) and any(map(str.isalnum, cells[-1]))
        label = " ".join(cells[:-1] if paged else cells)
        yield PageContentsEntry(label, tuple(targets), paged)


def _line_entry(lines: Sequence[PageLine], n: int, begun: bool) -> PageContentsEntry | None:
    """A line as a row: a link in the page, a label with leaders and a page, or a group with rows under it."""
    line = lines[n]
    if len(line.text) > _LONGEST_ROW:
        return None
    if line.setting.link == "#" and line.targets:
        label = _PAGE.sub("", line.text) if len(line.targets) == 1 else line.text
        return PageContentsEntry(label or line.text, tuple(dict.fromkeys(line.targets)), label != line.text)
    if re.search(r"(?:\.\s?){4,}|…{2,}|·{4,}|_{6,}", line.text) and _PAGE.search(line.text):
        return PageContentsEntry(_PAGE.sub("", line.text).rstrip(" .·…_"), paged=True)
    follows = n + 1 < len(lines) and lines[n + 1].setting.link == "#" and lines[n + 1].targets
    if begun and follows and len(line.text) < 80:
        return PageContentsEntry(line.text)
    return None


def _by_words(lines: Sequence[PageLine]) -> Mapping[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for n, line in enumerate(lines):
        if line.place in (LinePosition.TEXT, LinePosition.HEADING) and 0 < len(line.text) <= _LONGEST_ROW:
            found[squeezed(line.text)].append(n)
    return found


def _find(
    contents: PageContents,
    entry: PageContentsEntry,
    lines: Sequence[PageLine],
    words: Mapping[str, list[int]],
    places: Mapping[str, int],
) -> None:
    """Take note of the line that an entry names."""
    for target in entry.targets:
        start = places.get(target, -1)
        if start < contents.after:
            continue
        for n in range(start, min(start + _AHEAD, len(lines))):
            if _names(entry.label, lines[n]) and n not in contents.found:
                contents.found[n] = entry
                contents.linked.add(n)
                return
    same = words.get(squeezed(entry.label), ())
    for n in islice(same, start := bisect_left(same, contents.after), start + _MOST_COPIES):
        if n not in contents.found:
            contents.found[n] = entry
            return


def _names(label: str, line: PageLine) -> bool:
    """Whether a row of contents names a line: the same words, the same number, or the greater part of one in the other."""
    if line.place not in (LinePosition.TEXT, LinePosition.HEADING) or len(line.text) > _LONGEST_ROW:
        return False
    one, other = squeezed(label), squeezed(line.text)
    if not one or not other:
        return False
    if one == other:
        return True
    number, its = numbering_of(label), numbering_of(line.text)
    if number and its and (number.kind, squeezed(number.text)) == (its.kind, squeezed(its.text)):
        rest, its_rest = one[len(squeezed(number.text)) :], other[len(squeezed(its.text)) :]
        return not rest or not its_rest or rest.startswith(its_rest[:12]) or its_rest.startswith(rest[:12])
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) > 3 and shorter in longer and 2 * len(shorter) >= len(longer)
