"""Sentences of a hit: the smallest parts that can be weighed, and that trimming keeps.

A heading, a question and what ends in a colon belong to the sentence after it; a list item and a row of a table are
sentences, and code is one. A row is read with its table's header, and keeps the table from there on. A single line end
ends no sentence: text may be wrapped. Markdown is recognised line by line; what is known otherwise (code without
fences, rows without pipes) is passed as spans.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from chunking.model import BlockType, Chunk
from chunking.parsing.builder.table_headers import count_header_rows
from chunking.text.sentences import sentence_starts

__all__ = ["HitSentence", "sentences_of", "split_sentences"]

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,}|\$\$)")
_HEADING = re.compile(r"#{1,6}\s")
_ITEM = re.compile(r"\s*(?:[-*+•‣▪]|\(?[0-9]{1,3}[.)、]|\(?[a-zA-Z][.)])\s+\S")
_RULE = re.compile(r"[\s|:+=-]*-{2,}[\s|:+=-]*$")
"""Line under a table's header."""
_QUESTIONS = "?？"
_LEAD_INS = f"{_QUESTIONS}:："
_SEPARATORS = "\t;,"
_MARKUP = re.compile(r"</?[a-zA-Z]")


class HitSentence(NamedTuple):
    """Sentence of a text, with the start of what must stay with it."""

    start: int
    end: int
    lead: int
    """Start of the text without which it cannot be read: of its table's header; else `start`."""
    lead_end: int
    """End of that header; `lead` without."""

    def text(self, content: str) -> str:
        """Return its text, after its table's header."""
        own = content[self.start : self.end]
        return f"{content[self.lead : self.lead_end].rstrip()}\n{own}" if self.lead < self.lead_end else own


def sentences_of(chunk: Chunk) -> tuple[HitSentence, ...]:
    """Return the sentences of a chunk's text, or of its summary, as offsets in it; at least one."""
    text = chunk.content or chunk.summary
    all_of_it = [(0, len(text))]
    fenced = any(map(_FENCE.match, text.splitlines()))
    code = all_of_it if chunk.content_type == BlockType.CODE and chunk.content and not fenced else []
    plain_rows = chunk.content_type == BlockType.TABLE and "|" not in text and not _MARKUP.search(text)
    return split_sentences(text, code=code, tables=all_of_it if plain_rows else [], titles=chunk.title_path)


def split_sentences(
    text: str,
    *,
    code: Sequence[tuple[int, int]] = (),
    tables: Sequence[tuple[int, int]] = (),
    titles: Collection[str] = (),
) -> tuple[HitSentence, ...]:
    """Split a text into sentences without surrounding white space, in order; at least one.

    Args:
        code: spans of code besides fences, ascending.
        tables: spans of tables besides rows with pipes, ascending; each line is a row.
        titles: lines that are headings without being marked as such.

    >>> text = "# Pump\\n\\nIt is blue. It is\\nred."
    >>> [text[one.start : one.end] for one in split_sentences(text)]
    ['# Pump\\n\\nIt is blue.', 'It is\\nred.']
    """
    starts = sentence_starts(text).tolist()
    parts, at = list[HitSentence](), 0
    heading = -1
    for block in _blocks(text, code, tables, {" ".join(title.split()) for title in titles}):
        while at < len(starts) and starts[at] <= block.start:
            at += 1
        if block.kind is BlockType.HEADING:
            heading = block.start if heading < 0 else heading
            continue
        if block.kind is BlockType.TABLE:
            some = _rows(text, block)
        elif block.kind is BlockType.CODE:
            some = [HitSentence(block.start, block.end, block.start, block.start)]
        else:
            cuts = [block.start]
            while at < len(starts) and starts[at] < block.end:
                if any(map(str.isalpha, text[cuts[-1] : starts[at]])):  # else the number of an item, or a figure
                    cuts.append(starts[at])
                at += 1
            pairs = zip(cuts, [*cuts[1:], block.end], strict=True)
            some = [HitSentence(first, last, first, first) for first, last in pairs]
        if heading >= 0 and some:
            first = some[0]
            some = [first._replace(start=heading, lead=heading, lead_end=heading), *_led(some[1:], first, heading)]
            heading = -1
        parts.extend(some)
    if heading >= 0:
        parts.append(HitSentence(heading, len(text), heading, heading))
    trimmed = [_trimmed(text, one) for one in parts if any(map(str.isalnum, text[one.start : one.end]))]
    begin = len(text) - len(text.lstrip())
    end = max(len(text.rstrip()), begin)
    return tuple(_with_lead_ins(text, trimmed)) or (HitSentence(begin, end, begin, begin),)


def _with_lead_ins(text: str, sentences: Iterable[HitSentence]) -> list[HitSentence]:
    """Join a question with the statement after it, which answers it, and what ends in a colon with what follows."""
    joined = list[HitSentence]()
    for one in sentences:
        if joined and text[joined[-1].end - 1] in _LEAD_INS and text[one.end - 1] not in _QUESTIONS:
            start = joined.pop().start
            one = HitSentence(start, one.end, start, start)
        joined.append(one)
    return joined


def _led(some: Sequence[HitSentence], first: HitSentence, heading: int) -> list[HitSentence]:
    """Return rows of the table that a heading precedes, which keep the heading, too."""
    return [one._replace(lead=heading) if one.lead < one.start and one.lead == first.start else one for one in some]


def _trimmed(text: str, one: HitSentence) -> HitSentence:
    """Return a sentence without white space around it."""
    inside = text[one.start : one.end]
    start, end = one.start + len(inside) - len(inside.lstrip()), one.start + len(inside.rstrip())
    lead = min(one.lead, start) if one.lead < one.lead_end else start
    return HitSentence(start, max(end, start), lead, max(one.lead_end, lead) if one.lead < one.lead_end else lead)


class _Block(NamedTuple):
    """Lines of one kind."""

    start: int
    end: int
    kind: BlockType


def _blocks(
    text: str, code: Sequence[tuple[int, int]], tables: Sequence[tuple[int, int]], titles: Collection[str]
) -> Iterator[_Block]:
    """Yield paragraphs, list items, headings, tables and code, in order; white space between them is in none."""
    open_kind, begin, end, closing = BlockType.PARAGRAPH, -1, -1, ""
    offset = 0
    for line in text.splitlines(keepends=True):
        start, offset = offset, offset + len(line)
        bare = line.strip()
        if closing:  # inside a fence or markup
            end = offset
            closes = bare.startswith(closing) if closing[0] in "`~$" else closing in bare.lower()
            if closes:
                yield _Block(begin, end, BlockType.CODE)
                begin, closing = -1, ""
            continue
        kind, joins = _kind_of(line, bare, start, code, tables, titles)
        if begin >= 0 and not (joins and kind is open_kind):
            yield _Block(begin, end, open_kind)
            begin = -1
        if not bare and kind is BlockType.PARAGRAPH:
            continue
        fence = _FENCE.match(line) if kind is BlockType.CODE else None
        if fence and not _contain(code, start):
            begin, end, open_kind = start, offset, kind
            alone = len(bare) > len(fence[1]) and bare.endswith(fence[1])
            closing = "" if alone else fence[1]
        elif kind is BlockType.HTML:
            begin, end, open_kind, closing = start, offset, BlockType.CODE, "</table>"
            if closing in bare.lower():
                closing = ""
        else:
            begin, end, open_kind = (begin if begin >= 0 else start), offset, kind
    if begin >= 0:
        yield _Block(begin, end, BlockType.CODE if closing else open_kind)


def _kind_of(
    line: str,
    bare: str,
    start: int,
    code: Sequence[tuple[int, int]],
    tables: Sequence[tuple[int, int]],
    titles: Collection[str],
) -> tuple[BlockType, bool]:
    """Return the kind of a line, and whether it continues a block of that kind."""
    if _contain(code, start):
        return BlockType.CODE, True
    if _contain(tables, start):
        return BlockType.TABLE, True
    if _FENCE.match(line):
        return BlockType.CODE, False
    if bare.lower().startswith("<table"):
        return BlockType.HTML, False
    if bare.startswith("|") or (bare.count("|") > 1 and not _ITEM.match(line)):
        return BlockType.TABLE, True
    if _HEADING.match(bare) or (bare and " ".join(bare.split()) in titles):
        return BlockType.HEADING, False
    return BlockType.PARAGRAPH, bool(bare) and not _ITEM.match(line)


def _contain(spans: Sequence[tuple[int, int]], offset: int) -> bool:
    """True if one of some ascending spans contains an offset."""
    place = bisect_right(spans, offset, key=itemgetter(0)) - 1
    return place >= 0 and offset < spans[place][1]


def _rows(text: str, block: _Block) -> list[HitSentence]:
    """Return the rows of a table, each with its header; the header alone if no row follows."""
    lines = list(_row_spans(text, block))
    ruled = next((number for number, (first, last) in enumerate(lines[:5]) if _RULE.match(text[first:last])), 0)
    header = ruled + 1 if ruled else count_header_rows([_cells(text[first:last]) for first, last in lines[:50]])
    if header >= len(lines):
        return [HitSentence(block.start, block.end, block.start, block.start)]
    rows = [HitSentence(first, last, first, first) for first, last in lines[header:]]
    if not header:
        return rows
    lead_end = lines[header - 1][1]
    return [HitSentence(block.start, rows[0].end, block.start, block.start)] + [
        row._replace(lead=block.start, lead_end=lead_end) for row in rows[1:]
    ]


def _row_spans(text: str, block: _Block) -> Iterator[tuple[int, int]]:
    """Yield the (start, end) of each row; a quoted cell may hold line ends."""
    start = offset = block.start
    quotes = 0
    for line in text[block.start : block.end].splitlines(keepends=True):
        offset += len(line)
        quotes += line.count('"') if not line.lstrip().startswith("|") else 0
        if quotes % 2 == 0:
            if text[start:offset].strip():
                yield start, offset
            start, quotes = offset, 0
    if text[start:offset].strip():
        yield start, offset


def _cells(row: str) -> list[str]:
    bare = row.strip()
    if "|" in bare:
        return bare.strip("|").split("|")
    return bare.split(max(_SEPARATORS, key=bare.count))
