"""Find unstyled headings of a Word file: a title, and bold lines alone above text.

A wrong heading costs more than a missed one: a line must be all bold, short, worded like a heading and followed by
running text, and such lines must be rare.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from chunking.parsing.builder.line_joining import ends_sentence
from chunking.parsing.formats.html.headings.page_contents import says_contents
from chunking.parsing.formats.office.docx.looks import LookSheet, ParagraphLook
from chunking.parsing.formats.office.docx.word_styles import StyleSheet, outline_level
from chunking.parsing.headings.evidence import Evidence, heading_meta, reads_like_heading
from chunking.parsing.headings.heading_labels import squeezed
from chunking.parsing.headings.numbering import numbering_of

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["GUESS", "LEVEL", "name_heading_lines"]

LEVEL = "level"
"""Attribute of a paragraph with its heading level, which overrides its style."""
GUESS = "guess"
"""Attribute of a guessed heading with the style that encodes its evidence."""

_MOST = 100
"""Maximum characters of an unstyled heading."""
_MOST_TITLE = 200
_READ = 400
"""Characters examined of a paragraph."""
_PROSE, _PROSE_WIDE = 60, 25
"""Minimum characters of running text, with and without spaces between words."""
_LARGE, _TITLE_SIZE = 1.12, 1.4
"""Sizes relative to the text: of a large line, and of a line at the top that is surely a title."""
_RARE = 0.25
"""Maximum share of bold paragraphs, of all and of the long ones."""
_FIRST_LINES = 3
"""Number of first lines that may be the title."""
_SHORT = 40
_CALLS = frozenset(
    {"note", "notes", "warning", "important", "caution", "tip", "attention", "hinweis", "achtung", "注", "注意", "警告"}
)
"""Labels of remarks, which open no section."""
_PICTURES = ("drawing", "pict", "object")
_UNSEEN = ParagraphLook()
"""Look of a line not examined."""
_SAMPLE = 20_000
"""Characters of long paragraphs examined to find the text's size."""
_HOLDERS = frozenset({"sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag"})


@dataclass(slots=True)
class _Line:
    """A paragraph of the body, or a table in between."""

    element: _Element
    text: str = ""
    level: int = 0
    is_title: bool = False
    """True if it has the style of a document title."""
    is_item: bool = False
    is_plain: bool = True
    """True if it has no special style and no drawing."""
    look: ParagraphLook = _UNSEEN


def name_heading_lines(
    body: _Element, styles: StyleSheet, looks: LookSheet, title: str | None
) -> dict[str, Mapping[str, object]]:
    """Guess unstyled headings and a title, and write the levels of all headings into the body.

    The title gets level 1; headings below it move down by one if one of them has level 1.

    Args:
        body: the main part; its paragraphs get the attributes `LEVEL` and `GUESS`.
        title: in the file's properties.
    Returns:
        `meta` of the guessed headings' blocks (`heading_meta`), by the styles in `GUESS`.
    """
    lines = list(_lines(body, styles))
    if not lines:
        return {}
    size = _body_size(lines, looks, body)
    bold_lines = dict(_bold_lines(lines, size))
    top = _title_line(lines, bold_lines, size, title)
    guessed: dict[str, frozenset[Evidence]] = {}
    shift = 0
    if top is not None:
        number, evidence = top
        first = lines[number]
        others = [line.level for n, line in enumerate(lines) if line.level and n > number and not line.is_title]
        shift = int(1 in others)
        bold_lines.pop(number, None)
        first.element.set(LEVEL, "1")
        if not first.level:
            first.level = 1
            first.element.set(GUESS, _style(guessed, evidence, 1))
    _set_levels(lines, bold_lines, guessed, None if top is None else top[0], shift)
    return {name: heading_meta(evidence) for name, evidence in guessed.items()}


def _set_levels(
    lines: Sequence[_Line],
    bold_lines: Mapping[int, frozenset[Evidence]],
    guessed: dict[str, frozenset[Evidence]],
    top: int | None,
    shift: int,
) -> None:
    """Set the levels of all headings; those under a title move down by `shift`.

    A guessed heading goes below the styled one before it, a larger one above smaller ones.
    """
    ranks = _ranks(lines, bold_lines)
    outer_level = 0
    declared = ""
    for n, line in enumerate(lines):
        if n == top:
            outer_level = 1
        elif n in bold_lines:
            level = outer_level if _counts_on(declared, line.text) else min(outer_level + 1 + ranks[n], 6)
            line.element.set(LEVEL, str(level))
            line.element.set(GUESS, _style(guessed, bold_lines[n], level))
        elif line.level:
            outer_level = min(line.level + (0 if line.is_title else shift), 6)
            line.element.set(LEVEL, str(outer_level))
            declared = line.text


def _counts_on(before: str, text: str) -> bool:
    """True if a line's number directly follows the last styled heading's, so that they have one level."""
    first, second = numbering_of(before), numbering_of(text)
    if first is None or second is None or first.kind != second.kind or len(first.numbers) != len(second.numbers):
        return False
    return second.numbers[:-1] == first.numbers[:-1] and second.numbers[-1:] == (first.numbers[-1] + 1,)


def _ranks(lines: Sequence[_Line], bold_lines: Mapping[int, frozenset[Evidence]]) -> dict[int, int]:
    """Rank the sizes of the guessed headings of each section: 0 for the largest, to 2."""
    ranks: dict[int, int] = {}
    members: list[int] = []
    for n in range(len(lines) + 1):
        if n < len(lines) and n in bold_lines:
            members.append(n)
        elif members and (n == len(lines) or lines[n].level):
            sizes = sorted({lines[one].look.size for one in members}, reverse=True)
            ranks |= {one: min(sizes.index(lines[one].look.size), 2) for one in members}
            members = []
    return ranks


def _style(guessed: dict[str, frozenset[Evidence]], evidence: frozenset[Evidence], level: int) -> str:
    number = list(guessed.values()).index(evidence) if evidence in guessed.values() else len(guessed)
    name = f"Guess{level}x{number}"
    guessed[name] = evidence
    return name


def _lines(body: _Element, styles: StyleSheet) -> Iterator[_Line]:
    word = body.tag[: body.tag.index("}") + 1]
    waiting = [iter(part) for part in body.iterchildren(f"{word}body")]
    while waiting:
        element = next(waiting[-1], None)
        if element is None:
            waiting.pop()
            continue
        name = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
        if name in _HOLDERS:
            waiting.append(iter(element))
        elif name == "p":
            yield _line(element, styles, word)
        elif name in ("tbl", "altChunk"):
            yield _Line(element, is_plain=False)


def _line(paragraph: _Element, styles: StyleSheet, word: str) -> _Line:
    properties = paragraph.find(f"{word}pPr")
    named = None if properties is None else properties.find(f"{word}pStyle")
    identity = None if named is None else named.get(f"{word}val")
    effect = styles.look(identity)
    own = outline_level(properties)
    listed = None if properties is None else properties.find(f"{word}numPr")
    parts: list[str] = []
    length = 0
    for element in paragraph.iter(
        f"{word}t", f"{word}tab", f"{word}br", f"{word}drawing", f"{word}pict", f"{word}object", f"{word}fldChar"
    ):
        name = element.tag.rpartition("}")[2]
        parts.append(
            element.text or ""
            if name == "t"
            else " "
            if name in ("tab", "br")
            else "\ufffc"
            if name != "fldChar"
            else ""
        )
        length += len(parts[-1])
        if length > _READ:
            break
    text = " ".join("".join(parts).split())
    return _Line(
        paragraph,
        text,
        effect.level if own is None else own,
        effect.level == 1 and styles.is_title(identity),
        listed is not None or effect.number is not None,
        not effect.role and not styles.is_caption(identity),
    )


def _body_size(lines: Sequence[_Line], looks: LookSheet, body: _Element) -> float:
    """Size of most running text in points; also measures all short lines."""
    word = body.tag[: body.tag.index("}") + 1]
    sizes: Counter[float] = Counter()
    sampled = 0
    for line in lines:
        if line.text and not line.level and (len(line.text) <= _MOST or sampled < _SAMPLE):
            line.look = looks.look(line.element, word)
            sizes[line.look.size] += len(line.text)
            sampled += len(line.text) if len(line.text) > _MOST else 0
    return max(sizes, key=lambda size: sizes[size], default=10.0)


def _bold_lines(lines: Sequence[_Line], size: float) -> Iterator[tuple[int, frozenset[Evidence]]]:
    """Bold lines alone above text, with their evidence.

    A line right below another that is no larger belongs to it: a cover, an address, a signature.
    """
    filled = [n for n, line in enumerate(lines) if line.text or not line.is_plain]
    long = [lines[n] for n in filled if lines[n].look is not _UNSEEN and _is_prose(lines[n]) and not lines[n].level]
    bold = [n for n in filled if lines[n].look.bold and not lines[n].level]
    if len(bold) > _RARE * 2 * len(filled) or sum(line.look.bold for line in long) > _RARE * len(long):
        return
    following = dict(pairwise(filled))
    before: _Line | None = None
    for n in bold:
        line, after = lines[n], lines[following[n]] if n in following else None
        previous, before = before, line if after is not None and after.look.bold else None
        if (
            after is None
            or not _may_be_heading(line)
            or (previous is not None and previous.look.size <= line.look.size)
        ):
            continue
        smaller = before is not None and after.look.size < line.look.size and _may_be_heading(after)
        if smaller or (_is_prose(after) and not after.look.bold and not after.level):
            yield n, _evidence(line, size)


def _may_be_heading(line: _Line) -> bool:
    text = line.text
    number = numbering_of(text)
    if (
        not line.is_plain
        or line.level
        or len(text) > _MOST
        or _has_picture(line)
        or text.casefold().strip(" !！:：") in _CALLS
    ):
        return False
    return reads_like_heading(text, number) and not says_contents(text)


def _has_picture(line: _Line) -> bool:
    return next(line.element.iter(*(f"{{*}}{name}" for name in _PICTURES)), None) is not None


def _is_prose(line: _Line) -> bool:
    text = line.text
    least = _PROSE_WIDE if any("\u3040" <= char <= "\u9fff" for char in text[:20]) else _PROSE
    return line.is_plain and (len(text) >= least or (len(text) > least // 3 and ends_sentence(text)))


def _evidence(line: _Line, size: float) -> frozenset[Evidence]:
    look = line.look
    number = numbering_of(line.text)
    signs = {
        Evidence.SPACE: True,  # a paragraph of its own
        Evidence.WEIGHT: look.bold,
        Evidence.SIZE: look.size >= _LARGE * size,
        Evidence.POSITION: look.centred,
        Evidence.CAPITALS: line.text.isupper() and sum(map(str.isalpha, line.text)) > 3,
        Evidence.LOOSE_NUMBER: number is not None,
    }
    return frozenset(one for one, holds in signs.items() if holds)


def _title_line(
    lines: Sequence[_Line], bold_lines: Mapping[int, frozenset[Evidence]], size: float, title: str | None
) -> tuple[int, frozenset[Evidence]] | None:
    """Index and evidence of the line that is the title of all that follows; None if there is none."""
    headings = [n for n, line in enumerate(lines) if line.level]
    titles = [n for n in headings if lines[n].is_title]
    if len(titles) == 1 and headings[0] == titles[0]:
        return titles[0], frozenset()
    if titles or not (headings or bold_lines):
        return None
    filled = [n for n, line in enumerate(lines) if line.text or not line.is_plain][:_FIRST_LINES]
    for n in filled:
        line = lines[n]
        if not line.is_plain or len(line.text) > _MOST_TITLE or _has_picture(line):
            return None
        if line.level:
            return (n, frozenset()) if n == filled[0] and _heads_numbered(lines, headings, title) else None
        evidence = _title_evidence(line, size, title)
        if evidence and max((*headings, *bold_lines)) > n:
            return n, evidence
        if len(line.text) > _SHORT:
            return None
    return None


def _title_evidence(line: _Line, size: float, title: str | None) -> frozenset[Evidence]:
    """Evidence for an unstyled title at the top: its look, or the file's properties."""
    look = line.look
    if title and squeezed(line.text) == squeezed(title):
        return _evidence(line, size) | {Evidence.POSITION, Evidence.NAME}
    if line.is_item or len(line.text) > _MOST or not reads_like_heading(line.text, None):
        return frozenset()
    stands_out = look.bold or look.size >= _LARGE * size
    if (look.centred and stands_out) or look.size >= _TITLE_SIZE * size:
        return _evidence(line, size) | {Evidence.POSITION}
    return frozenset()


def _heads_numbered(lines: Sequence[_Line], headings: Sequence[int], title: str | None) -> bool:
    """True if the first heading is unnumbered and its peers are numbered, or the properties name it."""
    first = lines[headings[0]]
    others = [lines[n] for n in headings[1:] if lines[n].level <= first.level]
    if _is_numbered(first) or not others or any(line.level < first.level for line in others):
        return False
    named = bool(title) and squeezed(first.text) == squeezed(title or "")
    return named or (len(others) > 1 and all(map(_is_numbered, others)))


def _is_numbered(line: _Line) -> bool:
    return line.is_item or numbering_of(line.text) is not None
