"""Find tables of contents: rows of links within the page, or of labels and page numbers."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from chunking.parsing.formats.html.headings.page_lines import LinePosition, PageLine
from chunking.parsing.formats.html.html_elements import collapse
from chunking.parsing.formats.html.nested_tables import own_rows
from chunking.parsing.headings.contents_list import is_contents_label
from chunking.parsing.headings.heading_labels import squeezed
from chunking.parsing.headings.numbering import numbering_of

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["PageContents", "PageContentsEntry", "contents_of", "says_contents"]

_INDEX = re.compile(r"index(?:\s+to\b.{3,80})?", re.IGNORECASE)
_PAGE = re.compile(
    r"[\s.·…_]*\b(?:page\s+|p\.\s*)?(?:[A-Z]{1,2}-?)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*[-–,&]\s*(?:[A-Z]-)?\d{1,4})*\s*\Z"
)
"""Leaders and page number after a row's label."""
_ONLY_PAGE = re.compile(
    r"\W*(?:page\s*)?(?:[A-Z]{1,2}-?)?(?:\d{1,4}|[ivxl]{1,6})?(?:\s*[-–,&]\s*(?:[A-Z]-)?\d{1,4})*\W*", re.IGNORECASE
)
_FEWEST = 3
"""Minimum rows with different targets."""
_MOSTLY = 0.6
_LONGEST_ROW = 250
_MOST_OF_PAGE = 0.4
"""Maximum share of the page's characters: a page of links alone has no contents."""
_AHEAD = 5
"""Lines after a link's target that may be the heading."""
_MOST_ROWS = 3_000
_MOST_COPIES = 50
"""Equal lines compared per row."""


class PageContentsEntry(NamedTuple):
    """A row of a page's table of contents: its label, link targets, and if it has a page number."""

    label: str
    """Label without the page number."""
    targets: tuple[str, ...] = ()
    paged: bool = False
    """True if a page number follows."""


@dataclass(slots=True)
class PageContents:
    """A table of contents of a page: its lines, its entries, and the lines they name."""

    first: int
    """Index of its first line."""
    after: int
    """Index after its last line."""
    entries: list[PageContentsEntry]
    named: dict[int, PageContentsEntry] = field(default_factory=dict)
    """Entries by the index of the line they name."""
    linked: set[int] = field(default_factory=set)
    """Indices of named lines that a link leads to."""

    @property
    def rows(self) -> str:
        """Labels of the entries, one per line."""
        return "\n".join(entry.label for entry in self.entries)


def says_contents(text: str) -> bool:
    """True if a line is the title of a table of contents or an index.

    >>> [says_contents(text) for text in ("TABLE OF CONTENTS", "Index to Financial Statements", "Contents of the box")]
    [True, True, False]
    """
    return is_contents_label(text) or (len(text) < 100 and bool(_INDEX.fullmatch(text)))


def contents_of(lines: Sequence[PageLine]) -> list[PageContents]:
    """Find the tables of contents of a page, with the lines that their rows name.

    A row counts if its link leads to a line further down with its words, or if a line further down equals it. Most rows
    must count, and the rows hold at most 40 % of the page's characters.
    """
    words = _by_words(lines)
    places = {name: n for n, line in reversed(list(enumerate(lines))) for name in line.names}
    total = sum(len(line.text) or sum(map(len, line.element.itertext())) for line in lines)
    accepted: list[PageContents] = []
    for one in _possible(lines):
        for entry in one.entries:
            _match_entry(one, entry, lines, words, places)
        named = [entry for entry in one.entries if entry.targets or entry.paged]
        length = sum(len(entry.label) for entry in one.entries)
        if len(one.named) >= max(_FEWEST, _MOSTLY * len(named)) and length <= _MOST_OF_PAGE * total:
            accepted.append(one)
    return accepted


def _possible(lines: Sequence[PageLine]) -> Iterator[PageContents]:
    """Yield runs of rows that look like contents, wherever they lead."""
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


def _line_entry(lines: Sequence[PageLine], n: int, in_run: bool) -> PageContentsEntry | None:
    """Parse a line as a row: a link in the page, a label with leaders and page, or a group above rows."""
    line = lines[n]
    if len(line.text) > _LONGEST_ROW:
        return None
    if line.setting.link == "#" and line.targets:
        label = _PAGE.sub("", line.text) if len(line.targets) == 1 else line.text
        return PageContentsEntry(label or line.text, tuple(dict.fromkeys(line.targets)), label != line.text)
    if re.search(r"(?:\.\s?){4,}|…{2,}|·{4,}|_{6,}", line.text) and _PAGE.search(line.text):
        return PageContentsEntry(_PAGE.sub("", line.text).rstrip(" .·…_"), paged=True)
    follows = n + 1 < len(lines) and lines[n + 1].setting.link == "#" and lines[n + 1].targets
    if in_run and follows and len(line.text) < 80:
        return PageContentsEntry(line.text)
    return None


def _by_words(lines: Sequence[PageLine]) -> Mapping[str, list[int]]:
    by_words: dict[str, list[int]] = defaultdict(list)
    for n, line in enumerate(lines):
        if line.place in (LinePosition.TEXT, LinePosition.HEADING) and 0 < len(line.text) <= _LONGEST_ROW:
            by_words[squeezed(line.text)].append(n)
    return by_words


def _match_entry(
    contents: PageContents,
    entry: PageContentsEntry,
    lines: Sequence[PageLine],
    words: Mapping[str, list[int]],
    places: Mapping[str, int],
) -> None:
    """Record the line that an entry names."""
    for target in entry.targets:
        start = places.get(target, -1)
        if start < contents.after:
            continue
        for n in range(start, min(start + _AHEAD, len(lines))):
            if _names(entry.label, lines[n]) and n not in contents.named:
                contents.named[n] = entry
                contents.linked.add(n)
                return
    same = words.get(squeezed(entry.label), ())
    for n in islice(same, start := bisect_left(same, contents.after), start + _MOST_COPIES):
        if n not in contents.named:
            contents.named[n] = entry
            return


def _names(label: str, line: PageLine) -> bool:
    """True if a row names a line: same words, same number, or mostly contained in one another."""
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
