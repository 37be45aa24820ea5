"""Sentences about guessed headings."""

from __future__ import annotations

import pytest

from chunking.parsing import parse
from chunking.parsing.headings.evidence import Evidence
from components.chunks.outline import guess_sentence, guess_sentences


@pytest.mark.parametrize("kind", list(Evidence))
def test_every_kind_of_evidence_has_its_words(kind: Evidence) -> None:
    """None is left out of the sentence."""
    assert guess_sentence([kind.value], 0.8) != guess_sentence([], 0.8)


def test_how_sure_it_is() -> None:
    """In three steps, whatever the evidence; what a later version knows of does no harm."""
    said = [guess_sentence(["bold", "a new kind"], confidence) for confidence in (0.0, 0.6, 0.75, 0.9, 0.95, 1.0)]
    assert len(set(said)) == 3
    assert (said[0], said[2], said[4]) == (said[1], said[3], said[5])


def test_nothing_is_said_of_headings_that_a_file_declares() -> None:
    """Nor of text before the first heading; a document without a guess sends nothing."""
    assert guess_sentences(parse(b"<h1>One</h1><p>Text", "a.html")) == []
    prose = "<p>Some words that come before the heading, and are long enough to be text.</p>"
    document = parse(f"{prose}<p><b>Bold line</b></p>{prose}".encode(), "b.html")
    assert [bool(sentence) for sentence in guess_sentences(document)] == [False, True]
