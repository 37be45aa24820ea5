"""Propose heading lines of a PDF by a size, weight, font or number that is used consistently.

A wrong heading hurts more than a missed one: it splits a sentence and puts a false title before every chunk under it.
So a line must look like a heading, be where one can be, and read like one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from chunking.parsing.builder.line_joining import ends_sentence
from chunking.parsing.formats.pdf.headings.heading_runs import FAR, BodyStyle, HeadingRun, Look
from chunking.parsing.headings.evidence import ADDRESS, HAN, MOST_HAN, SENTENCES, UNFINISHED, Evidence
from chunking.parsing.headings.heading_labels import LabelParts, bare_label, keys_of
from chunking.parsing.headings.numbered_levels import NumberStep, steps_of
from chunking.parsing.headings.numbering import NumberingKind, is_top_label

__all__ = ["SPACE", "RunningHeads", "evidence_of", "is_caption", "propose_headings", "reads_like_heading"]

_SMALLEST = 0.95
"""Minimum size relative to the body: smaller text is captions, notes or words in figures."""
SPACE = 1.25
"""Minimum line distance above, relative to the usual one, that counts as space."""
_MOST_LINES = 4
_MOST_CHARACTERS = 200
_MOST_PLAIN = 90
"""Maximum characters per line of a heading that is not large."""
_RARE = 0.15
"""Maximum share of characters that a heading style may have in the document."""
_FEWEST_LETTERS = 3
"""Minimum letters of a heading of words, whatever digits are among them."""
_MOSTLY = 0.6
"""Minimum share of a group that must pass for any of it to be accepted."""
_NEARLY_ALL = 0.8
_CAPTION = re.compile(
    r"(?:(?:figure|fig|table|tab|listing|algorithm|equation|chart|plate|scheme|box)\.?\s*(?:\d|[A-Z]\.?\d|[IVX]+\b)|[图表圖]\s?[\d一二三四五六七八九十])",
    re.IGNORECASE,
)
_EXHIBIT = re.compile(r"exhibit\s*\d", re.IGNORECASE)
_BEGINS = re.compile(r"[^\W_]|[\"“‘'《「『【〔§¿¡(（]\s?\w")
_CODE = re.compile(r"[{};\\]|[=<>]{2}|\w\(\w*,|\$\w|--\w")
_MONO = re.compile(r"mono|courier|consol|typewriter|tt(?:\d+|\b|_|-)", re.IGNORECASE)
_STRONG = frozenset(
    {
        NumberingKind.PART,
        NumberingKind.CHAPTER,
        NumberingKind.SECTION,
        NumberingKind.APPENDIX,
        NumberingKind.ARTICLE,
        NumberingKind.HAN,
    }
)
"""Number formats rare in lists."""

_LARGER = 0.4
"""Minimum size difference to the body, in points."""
_PAGES_AFTER = 40
"""Pages within which a chapter's running head starts."""
_CENTRED = 0.02
"""Maximum distance of a centred line from the middle, in page widths."""


def propose_headings(able: Sequence[HeadingRun], runs: Sequence[HeadingRun], body: BodyStyle) -> dict[int, HeadingRun]:
    """Return the runs that at least one of four rules accepts as headings, by first line.

    The rules: large type; bold type; another font or capitals, used consistently; numbers, used consistently.

    Args:
        able: runs that read like a heading; only these are proposed.
        runs: all runs, by which a style or number format is judged rare or consistent.
    """
    return {run.first: run for rule in _RULES for run in rule(able, runs, body)}


def reads_like_heading(run: HeadingRun, body: BodyStyle) -> bool:
    """True unless a run is too long, small, rotated, a caption, a table row or a sentence."""
    text, line = run.text, run.line
    if run.after - run.first > _MOST_LINES or len(text) > _MOST_CHARACTERS:
        return False
    words = _without_figures(run)
    letters, han = sum(map(str.isalpha, words)), len(HAN.findall(text))
    if letters < (1 if run.number or han else 2) or letters < 0.4 * len(words.replace(" ", "")):
        return False
    if han > MOST_HAN or line.angle or not _BEGINS.match(text) or (text[0].islower() and not run.number):
        return False
    if line.size < _SMALLEST * body.size and not (
        run.capitals and line.bbox[3] - line.bbox[1] >= _SMALLEST * body.height
    ):
        return False
    if is_caption(run) or UNFINISHED.search(text) or ADDRESS.search(text) or _is_row(run):
        return False
    if text.endswith((":", "：")) and not run.large:
        return False
    if run.number and (run.large or line.bold):
        return run.large or not SENTENCES.search(words)
    return not ends_sentence(text) or text.endswith(("?", "？"))


def _without_figures(run: HeadingRun) -> str:
    """Words of a run without dates and, if large, without words with digits: `Invoice 2023/0017`."""
    words = run.words
    if not any(map(str.isdigit, words)):
        return words
    words_left = [
        word
        for word in words.split()
        if bare_label(word) is not LabelParts.TIME and (not run.large or not word[0].isdigit() or word.isalpha())
    ]
    letters = " ".join(words_left)
    return letters if sum(map(str.isalpha, letters)) >= _FEWEST_LETTERS else words


def is_caption(run: HeadingRun) -> bool:
    """True if a run starts like a caption, such as `Fig. 3`; a bold exhibit on top is none."""
    if _CAPTION.match(run.text):
        return True
    return bool(_EXHIBIT.match(run.text)) and not (run.line.bold and run.space_above >= FAR)


def _is_row(run: HeadingRun) -> bool:
    """True if a run has gaps like a table row, beyond the gap after its number."""
    left, _, right, _ = run.line.bbox
    return len(run.line.gaps) > (1 if run.number else 0) or any(
        gap > left + 0.3 * (right - left) + 0.05 for gap in run.line.gaps
    )


def _large(able: Iterable[HeadingRun], runs: Sequence[HeadingRun], body: BodyStyle) -> Iterable[HeadingRun]:
    """Rule for runs larger than the body, in a rare size."""
    common = _common(runs)
    return (run for run in able if run.large and run.look not in common)


def _bold(able: Iterable[HeadingRun], runs: Sequence[HeadingRun], body: BodyStyle) -> Iterable[HeadingRun]:
    """Rule for bold runs, where the body is not, on their own lines, with a number or space above."""
    common = _common(runs)
    for run in able:
        bold = run.line.bold and not body.bold and not run.large
        if (
            bold
            and run.look not in common
            and _is_short(run)
            and (run.space_above >= SPACE or (run.number and run.opens))
        ):
            yield run


def _distinct(able: Iterable[HeadingRun], runs: Sequence[HeadingRun], body: BodyStyle) -> Iterable[HeadingRun]:
    """Rule for runs in another font or capitals, several times and nearly always placed like headings."""
    common = _common(runs)
    of_look: Counter[Look] = Counter(run.look for run in runs)
    passed: dict[Look, list[HeadingRun]] = defaultdict(list)
    for run in able:
        other = (run.line.font != body.font and not run.line.mono and not _MONO.search(run.line.font)) or run.capitals
        if other and not run.line.bold and not run.large and run.look not in common and _stands_alone(run):
            passed[run.look].append(run)
    for look, members in passed.items():
        if len(members) > 1 and len(members) >= _MOSTLY * of_look[look]:
            yield from members


def _numbered(able: Iterable[HeadingRun], runs: Sequence[HeadingRun], body: BodyStyle) -> Iterable[HeadingRun]:
    """Rule for numbered runs in the body's style; all runs of a number format or none."""
    groups: Counter[tuple[NumberingKind, int]] = Counter()
    passed: dict[tuple[NumberingKind, int], list[HeadingRun]] = defaultdict(list)
    for run in runs:
        if run.number and run.opens and not run.large and not run.line.bold and not run.line.mono and not _is_row(run):
            groups[run.number.kind, min(run.number.depth, 3)] += 1
    for run in able:
        if run.number and run.opens and not run.large and not run.line.bold and not run.fills and _is_short(run):
            passed[run.number.kind, min(run.number.depth, 3)].append(run)
    for (kind, depth), members in passed.items():
        strong = kind in _STRONG or depth > 1
        if (
            len(members) < _NEARLY_ALL * groups[kind, depth]
            or (len(members) < 2 and not strong)
            or _share_in_lists(members) > 1 - _MOSTLY
        ):
            continue
        han = sum(bool(HAN.search(run.text)) for run in members) > len(members) / 2
        spaced = sum(run.space_above >= SPACE for run in members) >= _MOSTLY * len(members)
        if spaced or (han and kind is not NumberingKind.LOWER) or kind in _STRONG:
            yield from members


_RULES: tuple[Callable[[Sequence[HeadingRun], Sequence[HeadingRun], BodyStyle], Iterable[HeadingRun]], ...] = (
    _large,
    _bold,
    _distinct,
    _numbered,
)


def _is_short(run: HeadingRun) -> bool:
    return len(run.text) <= _MOST_PLAIN * (run.after - run.first) and not _CODE.search(run.text)


def _stands_alone(run: HeadingRun) -> bool:
    return (
        run.space_above >= SPACE
        and run.placed
        and not run.fills
        and run.space_below < 3
        and _is_short(run)
        and len(run.text) < _MOST_PLAIN
    )


def _share_in_lists(members: Sequence[HeadingRun]) -> float:
    """Share of runs directly followed by the next of their kind, like in a list."""
    followed = sum(one.after == other.first for one, other in pairwise(members))
    return followed / len(members)


def _common(runs: Sequence[HeadingRun]) -> set[Look]:
    """Styles too frequent for headings.

    A large look may be frequent if its lines open pages with little else.
    """
    used: Counter[Look] = Counter()
    for run in runs:
        used[run.look] += len(run.text)
    total = sum(used.values())
    often = {look for look, characters in used.items() if characters > _RARE * total}
    return often - _opening(often, runs) if often else often


def _opening(looks: Collection[Look], runs: Sequence[HeadingRun]) -> set[Look]:
    """Large styles whose lines nearly all open a page, with other text below on it."""
    lines: Counter[Look] = Counter()
    opens: Counter[Look] = Counter()
    for before, run, after in zip([None, *runs], runs, [*runs[1:], None], strict=False):
        if run.large and run.look in looks:
            lines[run.look] += 1
            alone = after is not None and after.line.page == run.line.page and after.look != run.look
            opens[run.look] += alone and (before is None or before.line.page != run.line.page)
    return {look for look, count in lines.items() if count > 1 and opens[look] >= _NEARLY_ALL * count}


# -- evidence for each heading


class RunningHeads:
    """Index of running heads by text, for `contain`; texts of up to three letters are ignored.

    Args:
        heads: text and page of each.
    """

    def __init__(self, heads: Iterable[tuple[str, int]]) -> None:
        self._pages: dict[str, list[int]] = defaultdict(list)
        for text, page in heads:
            for key in dict.fromkeys(keys_of(text)):
                if len(key) > 3:
                    self._pages[key].append(page)
        for pages in self._pages.values():
            pages.sort()

    def contain(self, text: str, page: int) -> bool:
        """True if a running head on `page` or the next 40 pages has this text, number aside."""
        for key in keys_of(text) if self._pages else ():
            pages = self._pages.get(key, [])
            place = bisect_left(pages, page)
            if place < len(pages) and pages[place] <= page + _PAGES_AFTER:
                return True
        return False


def evidence_of(
    runs: Sequence[HeadingRun], body: BodyStyle, named: Mapping[int, int], heads: RunningHeads
) -> list[list[Evidence]]:
    """Return the evidence for each heading: contents, running head, number, name and typography.

    Args:
        named: first lines of the headings that tables of contents name.
    """
    steps = steps_of([run.number for run in runs])
    return [[*_by_text(run, step, named, heads), *_by_looks(run, body)] for run, step in zip(runs, steps, strict=True)]


def _by_text(run: HeadingRun, step: NumberStep, named: Mapping[int, int], heads: RunningHeads) -> Iterator[Evidence]:
    if any(first in named for first in range(run.first, run.after)):
        yield Evidence.CONTENTS
    if heads.contain(run.text, run.line.page):
        yield Evidence.RUNNING_HEAD
    if run.number:
        yield Evidence.NUMBER if step in (NumberStep.NEXT, NumberStep.RESTART) else Evidence.LOOSE_NUMBER
    if is_top_label(run.words):
        yield Evidence.NAME


def _by_looks(run: HeadingRun, body: BodyStyle) -> Iterator[Evidence]:
    line = run.line
    if run.size >= body.size + _LARGER:
        yield Evidence.SIZE
    if line.bold and not body.bold:
        yield Evidence.WEIGHT
    elif line.font != body.font:
        yield Evidence.FONT
    if run.capitals:
        yield Evidence.CAPITALS
    if run.space_above >= SPACE:
        yield Evidence.SPACE
    if run.space_above >= FAR or abs(line.bbox[0] + line.bbox[2] - 1) < _CENTRED:
        yield Evidence.POSITION
