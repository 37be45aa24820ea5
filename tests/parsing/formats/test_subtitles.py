"""Subtitles: cues joined to paragraphs, speakers named, each cue at its time, what is no speech left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import chunk_document
from chunking.config import ChunkConfig, Config
from chunking.errors import ParseError
from chunking.model import Document
from chunking.parsing import parse
from chunking.parsing.formats.subtitles import LATEST
from chunking.retrieval.results.citation import cite
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check


def read(text: str | bytes, name: str = "a.srt") -> Document:
    """A lawful document."""
    document = parse(text.encode() if isinstance(text, str) else text, name)
    check(document)
    assert document.format == "subtitles"
    return document


def cues(*lines: str, step: float = 2) -> str:
    """SRT with a cue a line, one after the other."""
    parts = []
    for number, line in enumerate(lines):
        start, end = number * step, number * step + min(step, 2)
        times = " --> ".join(
            f"{int(t) // 3600:02}:{int(t) // 60 % 60:02}:{int(t) % 60:02},{int(t % 1 * 1000):03}" for t in (start, end)
        )
        parts.append(f"{number + 1}\n{times}\n{line}\n")
    return "\n".join(parts)


def test_sentences_are_whole() -> None:
    """Cues that go on are one paragraph; a pause after a sentence ends it."""
    document = read(cues("The finch sings", "in the morning", "and in May.", "It rests", "at noon."))
    assert document.text == "The finch sings in the morning and in May. It rests at noon."
    assert read(cues("One.", "Two.", step=10)).text == "One.\n\nTwo."
    assert read(cues("清晨的雾很浓，", "只能听见鸟的叫声。")).text == "清晨的雾很浓，只能听见鸟的叫声。"


def test_a_hit_cites_its_time() -> None:
    """The times of its first and its last cue."""
    document = read(cues(*(f"Sentence number {n} is about reeds and birds." for n in range(100)), step=30))
    chunks = chunk_document(document, Config(chunk=ChunkConfig(size=50, overlap=0)))
    hit = next(chunk for chunk in chunks if "number 3 " in chunk.content)
    assert " · 00:0" in cite(hit)
    one = read("1\n00:01:23,400 --> 00:01:25,000\nThe finch sings.\n")
    assert " · 00:01:23 · " in cite(chunk_document(one)[0])
    assert one.locations[0].page == 84


def test_web_vtt_keeps_title_and_speakers() -> None:
    """Its title, speakers and tags; notes, styles and regions are left out; identifiers and settings are no text."""
    document = read(
        "WEBVTT - A talk\nKind: captions\n\nNOTE\nA remark\nof two lines.\n\nSTYLE\n"
        "::cue { color: red }\n\nREGION\nid:r\n\nintro\n00:01.000 --> 00:03.000 align:start position:0%\n"
        "<v.loud Ann Reed>Hello <c.red>there</c>, <i>all</i> &amp; sundry.</v>\n\n"
        "00:03.500 --> 00:05.000\n<v Ann Reed>And<00:04.000> more.\n\n00:05.000 --> 00:06.000\n"
        "<v Ben>Hi. <v Cy>Ho.\n",
        "a.vtt",
    )
    assert document.title == "A talk"
    assert document.text.split("\n\n")[:3] == ["Ann Reed: Hello there, all & sundry. And more.", "Ben: Hi.", "Cy: Ho."]
    assert [span.reason for span in document.left_out] == ["comment", "style", "style"]
    assert "captions" not in document.text
    assert "intro" not in document.text


def test_turns_and_tags_of_srt() -> None:
    """A dash or an arrow is another person; fonts and positions are no text."""
    document = read(
        "1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<font color='red'>- Who is it?</font>\n"
        "- Nobody.\n\n2\n00:00:02,000 --> 00:00:03,000\n>> Oh.\n"
    )
    assert document.text == "Who is it?\n\nNobody.\n\nOh."


def test_rolling_captions_are_said_once() -> None:
    """Where each cue shows the line before it again."""
    rows = [("one two", "three four"), ("three four", "five six"), ("five six",), ("five six", "seven.")]
    text = "WEBVTT\n\n" + "\n\n".join(
        f"00:0{n}.000 --> 00:0{n + 1}.000\n" + "\n".join(row) for n, row in enumerate(rows)
    )
    assert read(text, "a.vtt").text == "one two three four five six seven."


@pytest.mark.parametrize(
    "text",
    [
        "1\r\n00:00:01,000 --> 00:00:02,000\r\nHello.\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nBye.\r\n",
        "00:00:01.000 --> 00:00:02.000\nHello.\n00:00:03.000 --> 00:00:04.000\nBye.",
        "1\n00:00:01,000 --> 00:00:02,000\nHello.\n2\n00:00:03,000 --> 00:00:04,000\nBye.\n",
        (
            "1\n\n0:00:01,00 --> 0:00:02,0 X1:1\n\nHello.\n\n\n2\n0:00:03,00-->0:00:04,0\nBye.\n\n3\n0:00:05,00 "
            "--> 0:00:06,00\n\n"
        ),
    ],
)
def test_forms_of_srt(text: str) -> None:
    """Line ends, missing numbers and blank lines, blank lines too many."""
    assert read(text).text == "Hello. Bye."


def test_encodings_and_names() -> None:
    """UTF-16 and legacy encodings; recognised under a name that says nothing."""
    text = "1\n00:00:01,000 --> 00:00:02,000\nЩегол поёт утром, и его слышно далеко.\n"
    for encoding in ("utf-16", "cp1251", "utf-8-sig"):
        assert "Щегол" in read(text.encode(encoding)).text
    assert parse(b"WEBVTT\n\n00:01.000 --> 00:02.000\nx", "a").format == "subtitles"
    assert parse(text.encode(), "a.txt").format == "subtitles"


@pytest.mark.parametrize(
    "data", [b"", b"WEBVTT\n\n", b"Just words.", b"1\n2\n3\n", b"\x00\x01", b"00:00:01,000 --> 00:00:02,000\n"]
)
def test_invalid_subtitles_are_one_sentence(data: bytes) -> None:
    """One sentence that names the file."""
    with pytest.raises(ParseError) as caught:
        parse(data, "a.srt")
    assert "a.srt" in str(caught.value)


def test_hostile_subtitles_are_bounded() -> None:
    """Times of no film, a line without end, a hundred thousand cues, tags that never end."""
    late = read("999999:59:59,999 --> 999999:59:59,999\nLate.\n")
    assert late.page_count == LATEST + 1
    assert len(read(cues("<v " * 100_000 + "x", "<" * 100_000 + "y", "&" * 50_000)).text) > 50_000
    assert read(cues(*["word"] * 50_000)).text.count("word") == 1  # a machine that says one thing again and again
    assert read(cues(*(f"word {n}" for n in range(50_000)))).text.count("word") == 50_000


_LINES = st.sampled_from(
    [
        "",
        "1",
        "WEBVTT",
        "NOTE x",
        "STYLE",
        "text",
        "<v A>b",
        "- c",
        "00:01.000 --> 00:02.000",
        "00:00:05,000 --> 00:00:04,000",
        "中文。",
        "<i>",
        "&lt;",
    ]
)


@given(st.lists(_LINES, max_size=20), st.sampled_from(["a.srt", "a.vtt"]))
def test_any_lines_make_a_lawful_document(lines: list[str], name: str) -> None:
    """Or a sentence."""
    try:
        document = parse("\n".join([*lines, "", "00:00:09,000 --> 00:00:10,000", "word"]).encode(), name)
    except ParseError:
        return
    check(document)
    check_cutting(document)
