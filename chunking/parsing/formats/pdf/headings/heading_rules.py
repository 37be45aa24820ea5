"""Which lines of a PDF look like headings: by size, weight, font or number, and so throughout the document.

A wrong heading hurts more than a missed one: it takes a sentence apart and puts a false name before every chunk under
it.
So a line must look like a heading, stand where one can stand, and read like one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise

from chunking.parsing.builder.line_joining import ends_sentence
from chunking.parsing.formats.pdf.headings.heading_runs import FAR, BodyStyle, HeadingRun, Look
from chunking.parsing.headings.bare_labels import LabelParts, bare_label
from chunking.parsing.headings.numbering import NumberingKind

__all__ = ["SPACE", "is_caption", "proposed", "reads_like_one"]

_SMALLEST = 0.95
"""Times the body's size below which nothing is a heading: captions, notes, the words in figures."""
SPACE = 1.25
"""Times the usual distance of lines from which there is space above a line."""
_MOST_LINES = 4
_MOST_CHARACTERS = 200
_MOST_HAN = 60
_MOST_PLAIN = 90
"""Characters of a line of a heading that is not large."""
_RARE = 0.15
"""Share of a document's characters that are in a style of headings, at most."""
_FEWEST_LETTERS = 3
"""Of words that are a heading's whatever figures stand beside them."""
_MOSTLY = 0.6
"""Share of a group that must pass before those that pass are believed."""
_NEARLY_ALL = 0.8
_CAPTION = re.compile(
    r"(?:(?:figure|fig|table|tab|listing|algorithm|equation|chart|plate|scheme|box)\.?\s*(?:\d|[A-Z]\.?\d|[IVX]+\b)|[图表圖]\s?[\d一二三四五六七八九十])",
    re.IGNORECASE,
)
_EXHIBIT = re.compile(r"exhibit\s*\d", re.IGNORECASE)
_OPEN = re.compile(r"[,;，；、]\s*\Z|(?:\S+\s+){4,}(?:and|or|of|the|an?|to|in|for|with|by)\s*\Z")
_BEGINS = re.compile(r"[^\W_]|[\"“‘'《「『【〔§¿¡(（]\s?\w")
_ADDRESS = re.compile(r"\S@\S|https?://|www\.")
_CODE = re.compile(r"[{};\\]|[=<>]{2}|\w\(\w*,|\$\w|--\w")
_MONO = re.compile(r"mono|courier|consol|typewriter|tt(?:\d+|\b|_|-)", re.IGNORECASE)
_HAN = re.compile(r"[\u3400-\u9fff]")
_SENTENCES = re.compile(r"[.!?]\s+[A-Z]\S*\s+\S+\s+\S|[。！？]\S")
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
"""Numbers that lists seldom have."""


def proposed(able: Sequence[HeadingRun], runs: Sequence[HeadingRun], body: BodyStyle) -> dict[int, HeadingRun]:
    """The runs that one of the rules takes for headings, by their first lines.

    Args:
        able: those that read like one.
        runs: all.
    """
    return {run.first: run for rule in _RULES for run in rule(able, runs, body)}


def reads_like_one(run: HeadingRun, body: BodyStyle) -> bool:
    """Whether its words may be a heading's."""
    text, line = run.text, run.line
    if run.after - run.first > _MOST_LINES or len(text) > _MOST_CHARACTERS:
        return False
    words = _without_figures(run)
    letters, han = sum(map(str.isalpha, words)), len(_HAN.findall(text))
    if letters < (1 if run.number or han else 2) or letters < 0.4 * len(words.replace(" ", "")):
        return False
    if han > _MOST_HAN or line.angle or not _BEGINS.match(text) or (text[0].islower() and not run.number):
        return False
    if line.size < _SMALLEST * body.size and not (
        run.capitals and line.bbox[3] - line.bbox[1] >= _SMALLEST * body.height
    ):
        return False
    if is_caption(run) or _OPEN.search(text) or _ADDRESS.search(text) or _is_row(run):
        return False
    if text.endswith((":", "：")) and not run.large:
        return False
    if run.number and (run.large or line.bold):
        return run.large or not _SENTENCES.search(words)
    return not ends_sentence(text) or text.endswith(("?", "？"))


def _without_figures(run: HeadingRun) -> str:
    """Its words without dates; where it is large without any word of figures: `Log of 2023-05-01`, `Invoice 2023/0017`."""
    words = run.words
    if not any(map(str.isdigit, words)):
        return words
    words_left = [
        word
        for word in words.split()
        if bare_label(word) is not LabelParts.TIME and (not run.large or not word[0].isdigit() or word.isalpha())
    ]
    left = " ".join(words_left)
    return left if sum(map(str.isalpha, left)) >= _FEWEST_LETTERS else words


def is_caption(run: HeadingRun) -> bool:
    """Whether it begins as a caption does; an exhibit that opens a page, in bold, is a section."""
    if _CAPTION.match(run.text):
        return True
    return bool(_EXHIBIT.match(run.text)) and not (run.line.bold and run.above >= FAR)


def _is_row(run: HeadingRun) -> bool:
    """Whether gaps part it as the row of a table: more than the one behind a number."""
    left, _, right, _ = run.line.bbox
    return len(run.line.gaps) > (1 if run.number else 0) or any(
        gap > left + 0.3 * (right - left) + 0.05 for gap in run.line.gaps
    )


def _large(able: Iterable[HeadingRun], runs: Sequence[HeadingRun], body: BodyStyle) -> Iterable[HeadingRun]:
    """Larger than the body, in a size that little is set in."""
    common = _common(runs)
    return (run for run in able if run.large and run.look not in common)


def _bold(able: Iterable[HeadingRun], runs: Sequence[HeadingRun], body: BodyStyle) -> Iterable[HeadingRun]:
    """Bold where the body is not: lines of their own, with a number or space above."""
    common = _common(runs)
    for run in able:
        bold = run.line.bold and not body.bold and not run.large
        if bold and run.look not in common and _is_short(run) and (run.above >= SPACE or (run.number and run.opens)):
            yield run


def _distinct(able: Iterable[HeadingRun], runs: Sequence[HeadingRun], body: BodyStyle) -> Iterable[HeadingRun]:
    """In another font or in capitals, again and again and nearly always as headings stand."""
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
    """Set as the body is, with a number: all of a kind are headings, or none."""
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
            or _listed(members) > 1 - _MOSTLY
        ):
            continue
        han = sum(bool(_HAN.search(run.text)) for run in members) > len(members) / 2
        spaced = sum(run.above >= SPACE for run in members) >= _MOSTLY * len(members)
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
        run.above >= SPACE
        and run.placed
        and not run.fills
        and run.below < 3
        and _is_short(run)
        and len(run.text) < _MOST_PLAIN
    )


def _listed(members: Sequence[HeadingRun]) -> float:
    """Share of runs that the next of their kind follows at once, as in a list."""
    followed = sum(one.after == other.first for one, other in pairwise(members))
    return followed / len(members)


def _common(runs: Sequence[HeadingRun]) -> set[Look]:
    """Looks in which too much is set for headings; a large one may be on pages with little else, if its lines open
    them.
    """
    used: Counter[Look] = Counter()
    for run in runs:
        used[run.look] += len(run.text)
    total = sum(used.values())
    often = {look for look, characters in used.items() if characters > _RARE * total}
    return often - _opening(often, runs) if often else often


def _opening(looks: Collection[Look], runs: Sequence[HeadingRun]) -> set[Look]:
    """Those looks that are large and whose lines nearly all open pages with something under them."""
    lines: Counter[Look] = Counter()
    opens: Counter[Look] = Counter()
    for before, run, after in zip([None, *runs], runs, [*runs[1:], None], strict=False):
        if run.large and run.look in looks:
            lines[run.look] += 1
            alone = after is not None and after.line.page == run.line.page and after.look != run.look
            opens[run.look] += alone and (before is None or before.line.page != run.line.page)
    return {look for look, count in lines.items() if count > 1 and opens[look] >= _NEARLY_ALL * count}
