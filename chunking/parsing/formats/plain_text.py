"""Read plain text: paragraphs at blank lines, lists, and unambiguous headings.

A wrong heading hurts retrieval more than a missed one (as a prefix it speaks for text that is not its own), so a line
is a heading only by its form: chapter words, decimal numbers before a title, an underline, capitals between blank
lines, or wiki markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from itertools import pairwise
from operator import attrgetter

from chunking.model import Block, BlockType, LeftOut, Span
from chunking.parsing.builder.question_pairs import NUMBERED_QUESTION, pair_questions
from chunking.parsing.builder.reader_types import CONTENTS, RawFile, Reading, fill_gaps, number_lines, trimmed
from chunking.parsing.detection.encoding import decode
from chunking.parsing.formats.markdown.wiki import is_wiki, wiki_headings
from chunking.parsing.formats.plain_text_front import (
    TextContents,
    contents_of_text,
    name_of_articles,
    name_of_chapters,
)
from chunking.parsing.headings.evidence import Evidence, heading_meta
from chunking.parsing.headings.heading_labels import LabelParts, bare_label
from chunking.parsing.headings.numbered_levels import NumberStep, steps_of
from chunking.parsing.headings.numbering import numbering_of

__all__ = ["read_text"]


_BREAK = re.compile(r"(?>\r\n?|\n)(?:[^\S\r\n]*+(?>\r\n?|\n))++")
_CHAPTER = re.compile(
    r"(?<![^\r\n])[ \t\u3000]*+(?:"
    r"(?P<part>第[ \t]?[一二三四五六七八九十百千零〇两\d]{1,7}[ \t]?[部篇卷编]"
    r"|(?:PART|Part)[ \t]++(?:[IVXLC]{1,7}+|\d{1,3}+|One|Two|Three|Four|Five|Six)\b)"
    r"|(?P<chapter>第[ \t]?[一二三四五六七八九十百千零〇两\d]{1,7}[ \t]?[章回]"
    r"|(?:CHAPTER|Chapter|APPENDIX|Appendix)[ \t]++(?:[IVXLC]{1,7}+|\d{1,3}+|[A-Z])\b)"
    r"|(?P<section>第[ \t]?[一二三四五六七八九十百千零〇两\d]{1,7}[ \t]?节)"
    r")(?:[ \t\u3000:：.、—-][^\r\n]{0,60}|[^\r\n。，；,;]{0,20})?(?=[\r\n]|\Z)"
)
_UNDERLINED = re.compile(r"[ \t]*+(?P<title>[^\r\n]{1,100})(?>\r\n?|\n)(?P<rule>={3,}|-{3,})[ \t]*(?=[\r\n]|\Z)")
_NUMBERED = re.compile(
    r"(?P<number>\d{1,3}(?:\.\d{1,3}){0,5})(?P<dot>[.、．]?)[ \t\u3000]+(?P<title>[A-Z\u3400-\u9fff][^\r\n]{0,79})"
)
_CHINESE_NUMBERED = re.compile(
    r"(?:[一二三四五六七八九十]{1,3}、|(?P<inner>[（(][一二三四五六七八九十]{1,3}[)）]))[ \t]*[^\r\n]{1,40}"
)
_DECIMAL = re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,3}){0,5})\.?[ \t]")
_SENTENCE_END = re.compile(r"[.,;:!?。，；：！？…、]$")
_ITEM = re.compile(r"(?<![^\r\n])[ \t]*+(?:[-*•·+‣▪–]|\d{1,3}+[.)、．]|[（(][\da-z]{1,2}[)）])[ \t]++\S")
_LINE_END = re.compile(r"\r\n?|\n")
_MOST_CAPITALS = 60
_COLUMNS = re.compile(r"\S(?: {2,}|\t)\S|_")
"""Gaps between columns, or a name in code: signs of a line that is no heading."""
_EVIDENCE = {
    **dict.fromkeys(("part", "chapter", "section"), frozenset({Evidence.NUMBER, Evidence.NAME})),
    "underline": frozenset({Evidence.MARK, Evidence.SPACE}),
    "number": frozenset({Evidence.NUMBER, Evidence.SPACE}),
    "capitals": frozenset({Evidence.CAPITALS, Evidence.SPACE}),
    "contents": frozenset({Evidence.CONTENTS}),
    "name": frozenset({Evidence.NAME, Evidence.POSITION}),
}
"""Evidence for a heading by its form."""


_AGREE = 5
"""Headings named by the contents from which every chapter and line in capitals must be listed there."""


@dataclass(frozen=True, slots=True)
class _Heading:
    """A line that may be a heading.

    `rank` 0 is a part, which pushes chapters down one level; the title of the whole text does so too.
    """

    start: int
    end: int
    rank: int
    form: str
    """Part, chapter, section, underline, number, capitals, contents (listed only there), or name (of a statute)."""
    evidence: frozenset[Evidence] = frozenset()


def read_text(raw: RawFile) -> Reading:
    """Read a plain text file as paragraphs, lists and clear headings; its contents are left out.

    Raises:
        ParseError: the bytes are no text.
    """
    decoded = decode(raw.data, raw.source, raw.encoding)
    text = decoded.text
    contents = TextContents() if is_wiki(text) else contents_of_text(text)
    listed = [Block(BlockType.METADATA, *span) for span in contents.spans]
    blocks = fill_gaps(text, merge(_blocks(text, contents), listed, key=attrgetter("start")))
    running = (block for block in number_lines(text, blocks) if (block.start, block.end) not in contents.spans)
    left_out = tuple(LeftOut(*span, CONTENTS) for span in contents.spans)
    return Reading(
        text, tuple(pair_questions(text, running)), decoded.encoding, left_out=left_out, warnings=decoded.warnings
    )


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Spans between blank lines, from a line's start to a line's end."""
    done = 0
    for gap in _BREAK.finditer(text):
        yield done, gap.start()
        done = gap.end()
    yield done, len(text)


def _blocks(text: str, contents: TextContents) -> Iterator[Block]:
    if is_wiki(text):
        yield from _wiki_blocks(text)
        return
    paragraphs = list(_without(_paragraphs(text), contents.spans))
    by_paragraph = _agreed(
        [list(_paragraph_headings(text, paragraphs, n, contents)) for n in range(len(paragraphs))], contents
    )
    shift = 1 if any(heading.form == "part" for headings in by_paragraph for heading in headings) else 0
    name = name_of_articles(text) or _title_of_chapters(text, by_paragraph)
    first = next((n for n, (start, end) in enumerate(paragraphs) if name and start <= name.start < end), None)
    if name and first is not None:
        over = [heading for headings in by_paragraph for heading in headings if heading.start < name.end]
        if not over:
            by_paragraph[first].insert(0, _Heading(*name, -shift, "name"))
            shift += 1
        elif over[0] is by_paragraph[first][0] and over[0].form in ("capitals", "underline"):
            by_paragraph[first][0] = replace(over[0], rank=-shift)
            shift += 1
    steps = iter(
        steps_of([numbering_of(text[heading.start : heading.end]) for headings in by_paragraph for heading in headings])
    )
    for (start, end), headings in zip(paragraphs, by_paragraph, strict=True):
        for heading in headings:
            yield from _body(text, start, heading.start)
            level = min(max(heading.rank + shift, 1), 6)
            yield Block(
                BlockType.HEADING,
                heading.start,
                heading.end,
                level=level,
                meta=heading_meta(_evidence(heading, next(steps))),
            )
            start = heading.end
        yield from _body(text, start, end)


def _title_of_chapters(text: str, by_paragraph: Sequence[list[_Heading]]) -> Span | None:
    """Title above two or more chapters; a line in capitals there is a heading already."""
    headings = [heading for headings in by_paragraph for heading in headings]
    chapters = [heading for heading in headings if heading.form in ("part", "chapter")]
    return name_of_chapters(text, chapters[0].start) if len(chapters) > 1 else None


def _without(paragraphs: Iterable[tuple[int, int]], spans: Sequence[Span]) -> Iterator[tuple[int, int]]:
    """Yield paragraphs without the lines of spans, which are complete lines."""
    left = list(spans)
    for start, end in paragraphs:
        while left and left[0].start < end:
            if start < left[0].start:
                yield start, left[0].start
            start = max(start, min(left[0].end, end))
            if left[0].end > end:
                break
            del left[0]
        if start < end:
            yield start, end


def _paragraph_headings(
    text: str, paragraphs: Sequence[tuple[int, int]], n: int, contents: TextContents
) -> Iterator[_Heading]:
    """Yield the headings in a paragraph: named by the contents, else with a heading's form."""
    start, end = paragraphs[n]
    span = trimmed(text, start, end)
    after = trimmed(text, *paragraphs[n + 1]) if n + 1 < len(paragraphs) else None
    forms = list(_headings(text, start, end, after))
    named_end = contents.named.get(span[0]) if span else None
    if (
        span
        and named_end is not None
        and named_end <= span[1]
        and not any(heading.start == span[0] for heading in forms)
    ):
        words = text[span[0] : named_end]
        number = _DECIMAL.match(words)
        if number or not _SENTENCE_END.search(words):
            yield _Heading(span[0], named_end, number["number"].count(".") + 1 if number else 1, "contents")
            forms = [heading for heading in forms if heading.start >= named_end]
    yield from forms


def _agreed(by_paragraph: Sequence[list[_Heading]], contents: TextContents) -> list[list[_Heading]]:
    """Drop forms that a long table of contents names none of, and add its evidence to headings it names."""
    named = [heading.form for headings in by_paragraph for heading in headings if heading.start in contents.named]
    unknown = {"part", "chapter", "section", "capitals"} - set(named) if len(named) >= _AGREE else set()
    return [
        [
            replace(one, evidence=one.evidence | {Evidence.CONTENTS}) if one.start in contents.named else one
            for one in headings
            if one.form not in unknown or one.start < contents.spans[0].start
        ]
        for headings in by_paragraph
    ]


def _evidence(heading: _Heading, step: NumberStep) -> frozenset[Evidence]:
    """Evidence for a heading; its number counts if it follows the last one."""
    evidence = heading.evidence | _EVIDENCE[heading.form]
    if Evidence.NUMBER in evidence and step in (NumberStep.BREAK, NumberStep.GAP):
        evidence = (evidence - {Evidence.NUMBER}) | {Evidence.LOOSE_NUMBER}
    return evidence


def _wiki_blocks(text: str) -> Iterator[Block]:
    """Yield headings in wiki markup, with a paragraph per run of lines in between."""
    done = 0
    for heading in wiki_headings(text, 0, len(text)):
        yield from _wiki_body(text, done, heading.start)
        yield Block(BlockType.HEADING, heading.start, heading.end, level=heading.level, meta={})
        done = heading.end
    yield from _wiki_body(text, done, len(text))


def _wiki_body(text: str, start: int, end: int) -> Iterator[Block]:
    """Yield a paragraph per line, like a wiki shows it; lines of items form lists."""
    for first, after in _paragraphs(text[start:end]):
        lines = [
            start + first,
            *(start + first + gap.end() for gap in _LINE_END.finditer(text[start + first : start + after])),
            start + after,
        ]
        if len(_ITEM.findall(text, start + first, start + after)) > 1:
            yield from _body(text, start + first, start + after)
        else:
            for low, high in pairwise(lines):
                yield from _body(text, low, high)


def _headings(text: str, start: int, end: int, after: tuple[int, int] | None) -> Iterator[_Heading]:
    """Yield headings in a paragraph: chapter lines anywhere, else its first two lines, or all of it."""
    chapters = list(_CHAPTER.finditer(text, start, end))
    if chapters:
        for match in chapters:
            rank = {"part": 0, "chapter": 1, "section": 2}[match.lastgroup or ""]
            if span := trimmed(text, *match.span()):
                yield _Heading(*span, rank, match.lastgroup or "")
        return
    span = trimmed(text, start, end)
    underlined = span and _UNDERLINED.match(text, *span)
    if span and underlined and _is_title(underlined["title"]):
        yield _Heading(span[0], underlined.end("rule"), 1 if underlined["rule"][0] == "=" else 2, "underline")
    elif span and after and span[1] - span[0] <= 100 and (rank := _line_rank(text, span, after)):
        yield _Heading(*span, rank, "number" if numbering_of(text[slice(*span)]) else "capitals")


def _is_title(line: str) -> bool:
    """True unless it is a table row or the end of a sentence."""
    return "  " not in line.strip() and "\t" not in line.strip() and not _SENTENCE_END.search(line.strip())


def _line_rank(text: str, line: tuple[int, int], after: tuple[int, int]) -> int:
    """Level of a one-line paragraph above text; 0 if it is no heading."""
    words = text[slice(*line)]
    if _LINE_END.search(words) or _SENTENCE_END.search(words):
        return 0
    if numbered := _NUMBERED.fullmatch(words):
        return _numbered_rank(numbered, text, after)
    if chinese := _CHINESE_NUMBERED.fullmatch(words):
        return 3 if chinese["inner"] else 2
    if bare_label(words) is LabelParts.WORD and numbering_of(words):  # `Article 1`, 第一条
        return 2
    return 1 if _is_capitals(words) else 0


def _numbered_rank(match: re.Match[str], text: str, after: tuple[int, int]) -> int:
    """Level of `1.2 Title` by the dots; `1. Title` above another such item is a spaced list."""
    depth = match["number"].count(".") + 1
    below = _NUMBERED.match(text, *after)
    if depth == 1 and below and below["number"].count(".") == 0:
        return 0
    return depth


def _is_capitals(words: str) -> bool:
    letters = [character for character in words if character.isalpha()]
    short = len(words) <= _MOST_CAPITALS and len(words.split()) <= 8 and not _COLUMNS.search(words)
    return short and len(letters) >= 4 and 2 * len(letters) > len(words) and all(letter.isupper() for letter in letters)


def _body(text: str, start: int, end: int) -> Iterator[Block]:
    """Yield text without headings: a list if the lines are items, after a paragraph of the lines before."""
    items = [match.start() for match in _ITEM.finditer(text, start, end)]
    span = trimmed(text, start, end)
    if span and (len(items) < 2 or NUMBERED_QUESTION.match(text, *span)):
        yield Block(BlockType.PARAGRAPH, *span, meta={})
    elif span:
        yield from _piece(text, BlockType.PARAGRAPH, start, items[0], {})
        yield from _piece(text, BlockType.LIST, items[0], end, {"items": len(items), "depth": 1})


def _piece(text: str, kind: BlockType, start: int, end: int, meta: dict[str, int]) -> Iterator[Block]:
    if span := trimmed(text, start, end):
        yield Block(kind, *span, meta=meta)
