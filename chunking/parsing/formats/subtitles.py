"""Read subtitles (SRT, WebVTT): cues joined to paragraphs; a cue's page is the second it starts."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunking.errors import ParseError
from chunking.model import BlockType
from chunking.parsing.builder.line_joining import joint
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.parsing.detection.encoding import decode

__all__ = ["LATEST", "read_subtitles"]

LATEST = 100 * 3600
"""Latest second; later times are clamped: no film is longer."""

_TIME = r"(?:(\d{1,6}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_TIMING = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?")
_NUMBER = re.compile(r"\s*\d+\s*")
_NO_CUE = re.compile(r"(?P<kind>NOTE|STYLE|REGION)(?:\s|$)")
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?\s+([^<>]+)>")
_TAG = re.compile(r"</?(?:[a-zA-Z][^<>]{0,200}|\d[\d:.]{0,20})?>|\{\\[^{}]{0,200}\}")
_REASONS = {"NOTE": "comment", "STYLE": "style", "REGION": "style"}
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’」』)\]]*$")
_TURN = re.compile(r"\s*(?:-\s*(?=\S)|>>+\s*)")
_PAUSE, _ENOUGH, _MOST = 4.0, 400, 1_500
"""Thresholds that end a paragraph.

Seconds of silence after a sentence; characters after which any sentence ends it; maximum characters.
"""


@dataclass(frozen=True, slots=True)
class _Cue:
    """Lines shown at one time."""

    start: float
    end: float
    lines: tuple[str, ...]


def read_subtitles(raw: RawFile) -> Reading:
    """Read an SRT or WebVTT file: cues joined to paragraphs, a page for each second.

    Notes and styles are left out of chunks.

    Raises:
        ParseError: the bytes are no text, or there is no cue among them.
        TooLargeError: it holds more text than is read.
    """
    decoded = decode(raw.data, raw.source, raw.encoding)
    writer = Writer(raw.source)
    file = _SubtitleFile(decoded.text)
    cues = list(file.cues())
    if not cues:
        sentence = (
            f"{raw.source} has no subtitles: no line has times such as 00:01:02,000 --> 00:01:04,500; save it as "
            f".txt if it is text."
        )
        raise ParseError(sentence, where=raw.source)
    paragraph = _Paragraph(writer)
    before: Sequence[str] = ()
    for cue in cues:
        paragraph.add_cue(cue, _new_lines(before, cue.lines))
        before = cue.lines
    paragraph.end()
    for text, reason in file.left_out:
        writer.leave_out(text, reason)
    last = max(int(cue.start) for cue in cues)
    return writer.finish(title=file.title, encoding=decoded.encoding, warnings=decoded.warnings, page_count=last + 1)


class _SubtitleFile:
    """Parts of a file between blank lines.

    Attributes:
        title: after WEBVTT.
        left_out: remarks and styles, with the reason.
    """

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self.title: str | None = None
        self.left_out: list[tuple[str, str]] = []

    def cues(self) -> Iterator[_Cue]:
        """Cues in order; a part without times continues the previous cue."""
        open_cue: _Cue | None = None
        for number, part in enumerate(self._parts()):
            if number == 0 and part[0].lstrip("\ufeff").startswith("WEBVTT"):
                self.title = part[0].lstrip("\ufeff")[6:].strip(" \t-–:") or None
                part = part[next((n for n, line in enumerate(part) if _TIMING.fullmatch(line)), len(part)) :]
            times = [n for n, line in enumerate(part) if _TIMING.fullmatch(line)]
            kind = _NO_CUE.match(part[0]) if part and times[:1] != [0] else None
            if kind and not times:
                self.left_out.append(("\n".join(part), _REASONS[kind["kind"]]))
                continue
            if not times:
                rest = tuple(line for line in part if not _NUMBER.fullmatch(line))
                open_cue = _Cue(open_cue.start, open_cue.end, (*open_cue.lines, *rest)) if open_cue else None
                continue
            for place, after in zip(times, [*times[1:], len(part) + 1], strict=True):
                if open_cue is not None:
                    yield open_cue
                inside = part[
                    place + 1 : after if after > len(part) else after - bool(_NUMBER.fullmatch(part[after - 1]))
                ]
                match = _TIMING.fullmatch(part[place])
                open_cue = (
                    _Cue(_seconds(match.groups()[:4]), _seconds(match.groups()[4:]), tuple(inside)) if match else None
                )
        if open_cue is not None:
            yield open_cue

    def _parts(self) -> Iterator[list[str]]:
        part: list[str] = []
        for line in self._lines:
            if line.strip():
                part.append(line)
            elif part:
                yield part
                part = []
        if part:
            yield part


def _seconds(parts: Sequence[str | None]) -> float:
    hours, minutes, seconds, fraction = (int(part or 0) for part in parts)
    return min(hours * 3600 + minutes * 60 + seconds + fraction / float(10 ** len(parts[3] or "0")), float(LATEST))


def _new_lines(before: Sequence[str], lines: Sequence[str]) -> Sequence[str]:
    """Lines of a cue that the previous one did not show: automatic captions scroll up line by line."""
    plain_before, plain = ([_plain(line) for line in some] for some in (before, lines))
    for number in range(min(len(plain_before), len(plain)), 0, -1):
        if plain_before[-number:] == plain[:number]:
            return lines[number:]
    return lines


def _plain(line: str) -> str:
    """Remove the tags from a line."""
    return " ".join(html.unescape(_TAG.sub("", line)).split())


class _Paragraph:
    """Joiner of the cues that continue a sentence or a speaker."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._pieces: list[Piece] = []
        self._length = 0
        self._speaker = ""
        self._cue_end = 0.0

    def add_cue(self, cue: _Cue, lines: Sequence[str]) -> None:
        """Add the lines of a cue."""
        for line in lines:
            voices = list(_VOICE.finditer(line))
            places = [0, *(voice.start() for voice in voices), len(line)]
            for number, (start, end) in enumerate(itertools.pairwise(places)):
                speaker = _plain(voices[number - 1][1]) if number else ""
                self._add(line[start:end], speaker, cue)
        self._cue_end = max(cue.end, cue.start)

    def _add(self, line: str, speaker: str, cue: _Cue) -> None:
        turn = _TURN.match(_TAG.sub("", line))
        text = _plain(line)
        text = _TURN.sub("", text, count=1) if turn else text
        if not text:
            self._speaker = speaker or self._speaker
            return
        last = self._pieces[-1].text if self._pieces else ""
        ended = bool(_SENTENCE_END.search(last))
        long = self._length >= (_ENOUGH if ended else _MOST)
        if turn or (speaker and speaker != self._speaker) or long or (ended and cue.start - self._cue_end >= _PAUSE):
            self.end()
        if not self._pieces and speaker:
            text = f"{speaker}: {text}"
        if self._pieces:
            self._pieces.append(Piece(joint(last, text)))
        self._pieces.append(Piece(text, int(cue.start) + 1))
        self._length += len(text)
        self._speaker = speaker or self._speaker

    def end(self) -> None:
        """Write the collected paragraph."""
        if self._pieces:
            self._writer.block(BlockType.PARAGRAPH, self._pieces)
        self._pieces, self._length = [], 0
