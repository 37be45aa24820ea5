"""Find a document's tables of contents, and the lines that their entries name.

A list is found by dot leaders, by rising page numbers at line ends, or by a label (*Contents*, 目录) above lines
repeated later. Targets are sought in the rest of the document: an entry's order, page number and words must agree. A
certain list can be left out of chunks, since every word of it is repeated at its target.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from chunking.parsing.builder.line_joining import ends_sentence, goes_on
from chunking.parsing.headings.contents_matching import ListedTitle, Match, match_titles
from chunking.parsing.headings.heading_labels import deep_number, keys_of
from chunking.parsing.headings.numbering import is_number

__all__ = ["ContentsEntry", "ContentsList", "contents_lists", "is_contents_label"]

_LEADERS = re.compile(r"\.(?:\s?\.){3}|[·・…](?:\s?[·・…]){2}|_{6}|-(?:\s?-){7}")
_TAIL = re.compile(r"(?:\s|(?<!\d)[.·…])(\d{1,4}|[ivxlc]{1,6})\Z")
_LONGEST_TAIL = 7
"""Most characters that the pattern of a page number matches."""
_LABEL = re.compile(
    r"(?:\d{1,2}\.?\s+)?(?:(?:brief |detailed |short )?(?:table of )?contents"
    r"|list of (?:figures|tables|exhibits|illustrations|examples|listings)"
    r"|inhalt(?:sverzeichnis|sübersicht)?|sommaire|table des mati[eè]res|[ií]ndice(?: "
    r"general)?|sommario|sumário|目\s*[录次錄])"
    r"(?:\s*[(\[](?:cont\S*)[)\]])?\s*[:：.]?",
    re.IGNORECASE,
)
_READ = 300
"""Characters examined of a line."""
_LONGEST = 160
"""Most characters of an entry."""
_FEWEST, _FEWEST_LEADERS = 5, 3
"""Minimum lines with rising numbers, or with leaders, of a list without a label."""
_LEAP = 40
"""Most pages between entries of a list without leaders."""
_BETWEEN, _UNDER_LABEL = 2, 3
"""Most foreign lines between two entries (a wrapped title, a column head), without and with a label."""
_PAGED = 0.6
"""Minimum share of entries with page numbers in a paged list."""
_RISING = 0.8
_MATCHED = 0.5
"""Minimum share of entries found elsewhere."""
_MOST_LINES = 4
"""Most lines of an entry."""


@dataclass(frozen=True, slots=True)
class ContentsEntry:
    """An entry of a table of contents, the lines it is on, and the lines that it names."""

    first: int
    """Index of the first line."""
    after: int
    title: str
    """Title without leaders and page number."""
    page: int | None
    """Page number as printed; None if missing or Roman."""
    target: Match | None = None
    """Lines that it names, if found."""


@dataclass(frozen=True, slots=True)
class ContentsList:
    """A table of contents or list of figures: its lines and entries, and whether it is certain."""

    first: int
    """Index of the first line after the label."""
    after: int
    label: int | None
    """Index of the label's line."""
    entries: tuple[ContentsEntry, ...]
    sure: bool
    """True if certain enough to be left out of chunks.

    Enough entries are found at their targets, or it has a label and rising page numbers.
    """


def is_contents_label(text: str) -> bool:
    """True if a line is the title of a table of contents, or of a list of figures or tables.

    >>> is_contents_label("Table of Contents"), is_contents_label("目 录"), is_contents_label("Contents of the box")
    (True, True, False)
    """
    return len(text) < _LONGEST and bool(_LABEL.fullmatch(" ".join(_once(text).split())))


def contents_lists(
    texts: Sequence[str], pages: Sequence[int] | None = None, prominence: Sequence[float] | None = None
) -> list[ContentsList]:
    """Find the tables of contents among a document's lines, with the lines their entries name.

    Args:
        texts: its lines, one per entry and one per heading (or its first line) at least.
        pages: of each line, if there are pages: a printed page number then says where to look.
        prominence: of each line, 0 to 1: of equal lines the most prominent one is the heading.
    """
    lines = [_Line.of(text) for text in texts]
    regions = _regions(lines)
    all_keys = Counter(line.key for line in lines) if regions else Counter()
    keys = {line.title: line.keys for line in lines} if regions else {}
    lists = []
    for label, first, after in regions:
        own = Counter(line.key for line in lines[first:after])
        elsewhere = {key for key, count in own.items() if all_keys[key] > count}
        entries = _entries(lines, first, after, elsewhere)
        titles = [ListedTitle(entry.title, entry.page) for entry in entries]
        targets = match_titles(titles, range(first, after), texts, keys, pages, prominence)
        entries = [replace(entry, target=target) for entry, target in zip(entries, targets, strict=True)]
        lists.append(ContentsList(first, after, label, tuple(entries), _is_sure(entries, label is not None)))
    return [one for one in lists if one.entries]


@dataclass(frozen=True)
class _Line:
    """A line as a possible entry."""

    title: str
    page: int | None
    numbered: bool
    """True if it ends in a page number, Arabic or Roman."""
    leaders: bool
    label: bool

    @cached_property
    def keys(self) -> tuple[str, str]:
        return keys_of(self.title)

    @property
    def key(self) -> str:
        return self.keys[0]

    @staticmethod
    def of(text: str) -> _Line:
        text = text[:_READ].strip()
        leaders = _LEADERS.search(text)
        padded = f" {text}" if leaders else text
        tail = _TAIL.search(padded, max(len(padded) - _LONGEST_TAIL, 0))
        if tail and not leaders and is_number(text):  # `Chapter 3` ends in its own number
            tail = None
        head = text[: leaders.start()] if leaders else text[: tail.start()] if tail else text
        page = int(tail[1]) if tail and tail[1].isdecimal() else None
        return _Line(head.strip(), page, bool(tail), bool(leaders), is_contents_label(text))


def _is_complete(text: str) -> bool:
    """True if a line could be a title: neither a sentence nor part of one."""
    return not ends_sentence(text) and not goes_on(text, "A")


def _once(text: str) -> str:
    """Undo double printing, which imitates bold: `Table of Contents Table of Contents`."""
    half = len(text) // 2
    return text[:half] if text[:half] == text[half + 1 :] and text[half : half + 1] == " " else text


def _regions(lines: Sequence[_Line]) -> list[tuple[int | None, int, int]]:
    """Label, first line and end of each list, disjoint and in order."""
    last: dict[str, int] = {}
    for n, line in enumerate(lines) if any(line.label for line in lines) else ():
        last.update(dict.fromkeys(_names(line), n))
    regions: list[tuple[int | None, int, int]] = []
    done = 0
    for n, line in enumerate(lines):
        if n < done:
            continue
        label = n if line.label else None
        first = n + 1 if line.label else n
        after = _under_label(lines, first, last) if line.label else _by_numbers(lines, n)
        if after > first:
            regions.append((label, first, after))
            done = after
    return regions


def _under_label(lines: Sequence[_Line], first: int, last: dict[str, int]) -> int:
    """End of the list under a label; `first` if there is none."""
    names_so_far: set[str] = set()
    after = count = paged = value = 0
    n = first
    while n < len(lines) and n - max(after, first) <= _UNDER_LABEL:
        line = lines[n]
        names = _names(line)
        own = [name for name in names if name.startswith("#")] or names
        if not line.numbered and any(name in names_so_far and len(name) > 3 for name in own):
            break  # the body begins
        comes_again = _is_complete(line.title) and any(last[name] > n for name in names)
        rises = line.page is None or line.page >= value
        numbered = (
            line.numbered and rises and len(line.title) <= _LONGEST and (count == paged or line.leaders or paged > 0)
        )
        if (numbered or line.leaders or comes_again) and line.key:
            names_so_far.update(names)
            after, count, paged = n + 1, count + 1, paged + line.numbered
            value = line.page if numbered and line.page is not None else value
        n += 1
    return after if count >= _FEWEST_LEADERS else first


def _names(line: _Line) -> list[str]:
    """Keys shared by an entry and its target: words with and without number, or a multi-part number."""
    if len(line.title) > _LONGEST:
        return []
    number = deep_number(line.title)
    return [*(key for key in line.keys if len(key) > 1), *([f"#{number}"] if number else [])]


def _by_numbers(lines: Sequence[_Line], first: int) -> int:
    """End of the list that starts at a line by leaders or rising numbers; `first` if none does."""
    line = lines[first]
    if not (line.leaders or line.numbered) or not (line.key or line.leaders):
        return first
    after, leaders, count, value = first, 0, 0, 0
    n = first
    while n < len(lines) and n - after <= _BETWEEN:
        line = lines[n]
        rises = line.page is not None and value <= line.page <= value + _LEAP
        if line.leaders or rises:
            after, leaders, count = n + 1, leaders + line.leaders, count + 1
            value = line.page if line.page is not None else value
        n += 1
    return after if leaders >= _FEWEST_LEADERS or count >= _FEWEST else first


def _entries(lines: Sequence[_Line], first: int, after: int, elsewhere: Collection[str]) -> list[ContentsEntry]:
    """Entries of a list.

    A title over several lines has its page number in the last, unless its first line is repeated elsewhere.
    """
    members = range(first, after)
    paged = sum(lines[n].numbered for n in members) >= _PAGED * len(members) / 2 and any(
        lines[n].numbered for n in members
    )
    entries: list[ContentsEntry] = []
    start = first
    for n in members:
        line = lines[n]
        if not line.key:
            start = n + 1
            continue
        alone = n == start and line.key in elsewhere
        if paged and not line.numbered and not alone and n + 1 < after and n + 1 - start < _MOST_LINES:
            continue
        title = " ".join(lines[one].title for one in range(start, n + 1))
        entries.append(ContentsEntry(start, n + 1, title, line.page))
        start = n + 1
    return entries


def _is_sure(entries: Sequence[ContentsEntry], labelled: bool) -> bool:
    matches = sum(entry.target is not None for entry in entries)
    if matches >= max(_FEWEST_LEADERS, _MATCHED * len(entries)):
        return True
    printed = [entry.page for entry in entries if entry.page is not None]
    rising = sum(one <= other for one, other in pairwise(printed))
    return labelled and len(printed) >= max(_FEWEST, _PAGED * len(entries)) and rising >= _RISING * (len(printed) - 1)
