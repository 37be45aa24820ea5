"""Chunks that end where meaning changes, with the real model on English and Chinese."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from chunking.config import ChunkConfig, Config, EmbeddingConfig
from chunking.errors import Cancelled, ModelError
from chunking.model import Document, Flag
from chunking.parsing import parse
from chunking.splitting import Chunker, TokenCounter, chunk_document, model_sentences
from tests.splitting.inline import read
from tests.support.facts import tells
from tests.support.stand_in_model import stand_in_model

SAMPLES = Path(__file__).parents[3] / "sample_data"
BREAD = (
    "Bread needs flour, water, salt and yeast. Knead the dough for ten minutes. Let it rise in a warm bowl. Bake "
    "it in a hot oven. "
)
STARS = (
    "A star is a ball of hot gas. Its light travels for years through space. Telescopes collect that light. "
    "Astronomers measure it. "
)


class Meaning:
    """Sentence vectors without a model: one direction for a text with each of some words."""

    def __init__(self, *words: str) -> None:
        self.words, self.calls = words, 0

    def __call__(self, document: Document, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.float32]:
        self.calls += 1
        texts = [document.text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        vectors = np.array([[text.count(word) for word in self.words] + [0.01] for text in texts], np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def config(**settings: object) -> ChunkConfig:
    return ChunkConfig.model_validate({"strategy": "semantic", "prefix": "none", "min_size": 0, **settings})


@pytest.mark.model
def test_a_change_of_subject_is_a_break() -> None:
    """From bread to stars in one paragraph, which is far under the size; the model itself is asked."""
    document = read(BREAD + STARS, "a.txt")
    chunks = chunk_document(document, Config(chunk=config(size=200, semantic_share=85)))
    assert any(chunk.start == len(BREAD) for chunk in chunks), [chunk.content for chunk in chunks]


@pytest.mark.parametrize("name", ["handbook/operations-handbook.md", "manual-zh/产品使用手册.md"])
def test_real_documents_break_at_sentences(name: str, counter: TokenCounter) -> None:
    """English and Chinese: chunks begin where sentences do, sections are kept apart, and no fallback was needed;
    whatever the vectors.
    """
    document = parse((SAMPLES / name).read_bytes(), name)
    with stand_in_model():
        chunker = Chunker(document, counter, max_tokens=254, sentences=model_sentences(EmbeddingConfig()))
        bounds = chunker.boundaries(config(size=200))
    assert (bounds.strategy_used, bounds.warnings) == ("semantic", ())
    starts = set(bounds.starts.tolist())
    for outer, section in pairwise(document.sections):
        assert section.start in starts or outer.body_start >= section.start, section.title


def test_more_breaks_for_a_lower_share(counter: TokenCounter) -> None:
    """The share is a percentile of the document's own distances."""
    text = " ".join(
        f"Sentence {number} is about {'cats' if number // 3 % 2 else 'dogs'} and things." for number in range(60)
    )
    chunker = Chunker(read(text, "a.txt"), counter, sentences=Meaning("cats", "dogs"))
    few, many = (len(chunker.boundaries(config(size=2000, semantic_share=share))) for share in (95, 60))
    assert 1 <= few < many


def test_what_is_too_long_is_cut_where_it_differs_most(counter: TokenCounter) -> None:
    """Also under the percentile: one change of subject among equal sentences is the place, not the fullest chunk."""
    text = "The cats sleep in the sun all day long. " * 6 + "The dogs run in the rain all night long. " * 5
    chunks = Chunker(read(text, "a.txt"), counter, sentences=Meaning("cats", "dogs")).chunks(
        config(size=90, semantic_share=99)
    )
    assert [chunk.content.count("cats") for chunk in chunks] in ([6, 0], [5, 1], [7, 0])
    assert all(chunk.token_count <= 90 for chunk in chunks)


def test_another_size_asks_no_model(counter: TokenCounter) -> None:
    """The distances of a document are remembered with it."""
    meaning = Meaning("cats", "dogs")
    chunker = Chunker(read(BREAD + STARS, "a.txt"), counter, sentences=meaning)
    for size in (16, 40, 100):
        for share in (60, 90):
            chunker.chunks(config(size=size, semantic_share=share))
    assert meaning.calls == 1


def test_no_break_right_behind_a_heading(counter: TokenCounter) -> None:
    """A heading with a number and a stop in it is no two sentences, and stays with what it heads."""
    text = "# 1. Install. Then run.\n\nCats here. Dogs there. Cats again.\n\n# 2. Remove.\n\nDogs. Cats."
    for chunk in Chunker(read(text, "a.md"), counter, sentences=Meaning("Cats", "Dogs")).chunks(
        config(size=100, semantic_share=50)
    ):
        assert not chunk.content.rstrip().endswith(("run.", "Remove."))


def test_without_a_model_it_is_cut_by_structure_and_says_so(counter: TokenCounter) -> None:
    """Never with another model than the one that is meant."""
    chunker = Chunker(read(BREAD + STARS, "a.txt"), counter)
    bounds = chunker.boundaries(config())
    assert bounds.strategy_used == "structure"
    assert tells(bounds.warnings, "semantic a.txt model structure")
    assert all(Flag.FALLBACK in chunk.flags for chunk in chunker.chunks(config()))


def test_a_model_that_fails_is_named_and_a_cancel_is_no_failure(counter: TokenCounter) -> None:
    """The sentence of the error stands in the warning; the user's stop ends the work."""

    def failing(*arguments: object) -> NDArray[np.float32]:
        raise ModelError("It is broken.")

    def stopped(*arguments: object) -> NDArray[np.float32]:
        raise Cancelled("Stopped.")

    document = read(BREAD + STARS, "a.txt")
    assert "(It is broken)" in Chunker(document, counter, sentences=failing).boundaries(config()).warnings[0]
    with pytest.raises(Cancelled):
        Chunker(document, counter, sentences=stopped).boundaries(config())
