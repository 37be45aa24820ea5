"""Hyphens at line ends: the document says which belong to their word."""

from __future__ import annotations

import pytest

from chunking.parsing.formats.pdf.assembly import Vocabulary
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine
from tests.parsing.formats.pdf.drawing import read, set_in_columns, testdata


def vocabulary(*texts: str) -> Vocabulary:
    """Of these lines; those that end with a hyphen are broken."""
    return Vocabulary(PdfLine(text, 1, (0, 0, 1, 1), 10, False, "", hyphen=text[-1] == "-") for text in texts)


WORDS = vocabulary(
    "an efficient and well-known way to train open models of one domain, the effi-",
    "cient one of them being by far the one that is trained in the open, so they re-",
    "train it whenever the portrait of a state-of-the-art self is too old for that",
)


@pytest.mark.parametrize(
    ("before", "after", "joint"),
    [
        ("is the effi-", "cient one", None),
        ("by well-", "known ways", ""),
        ("of open-", "domain models", ""),
        ("is inter-", "national", None),
        ("a self-", "portrait", ""),
        ("a d-", "dimensional space", ""),
        ("of Anglo-", "Saxon times", ""),
        ("in pre-", "and postwar times", " "),
        ("the state-of-the-", "art one", ""),
        ("from 1990-", "1999", ""),
        ("alone -", "so", ""),
    ],
)
def test_a_hyphen_goes_only_inside_a_word(before: str, after: str, joint: str | None) -> None:
    """None: the hyphen goes. The parts of a word are no words of the document; those of a compound are."""
    assert WORDS.joint(before, after) == joint


def test_a_document_that_breaks_no_words() -> None:
    """Where hardly a line ends with a hyphen, words are not broken: such a hyphen is the author's."""
    lines = [f"line {n} of a text that is set without breaking any of its words" for n in range(60)]
    assert vocabulary(*lines, "emissions that are market-").joint("are market-", "based") == ""
    assert vocabulary(*lines, "of Section 965 Install-").joint("965 Install-", "ments") is None


def test_broken_words_are_whole_and_found_by_their_places() -> None:
    """The text is whole across the lines, each half still at its own place, and no soft hyphen remains."""
    text = (
        "The measurement of each reservoir is an interna\xadtional responsibility, as international law has it. " * 12
    )
    document = read(set_in_columns([text.replace("\xad", "")], columns=3))
    assert "\xad" not in document.text
    word = document.text.index("international")
    assert document.text[: document.blocks[0].end].count("international") == 24
    assert document.locations_in(word, word + 13)


def test_words_of_a_real_paper_are_rejoined() -> None:
    """A paper in narrow columns breaks a quarter of its lines."""
    text = read(testdata("multi-column-2p.pdf")).text
    for word in (
        "relies on efficient",
        "dual-encoder framework",
        "Lucene-BM25",
        "high-dimensional",
        "fine-tuned using",
        "open-domain QA before",
        "d-dimensional",
        "two-stage",
    ):
        assert word in text, word
    assert "market-based), and" in read(testdata("pdf-bad-color-space.pdf")).text
    assert "worst-case approach" in read(testdata("negative-coords.pdf")).text
