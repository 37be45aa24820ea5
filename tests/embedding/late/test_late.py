"""Late chunking with the real model: what equals ordinary embedding, what differs, and that another size needs no
model.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chunking.config import ENGLISH_MODEL, ChunkConfig, Config, EmbeddingConfig, Precision, Prefix
from chunking.embedding import LateEncoder, LocalEmbedder, load_embedder, sentence_vectors
from chunking.embedding.base import Unshared
from chunking.embedding.model_folder import find_model, model_of
from chunking.errors import Cancelled, ModelError
from chunking.model import Chunk, Document, Flag
from chunking.parsing import parse
from chunking.splitting import chunk_document, split_document
from tests.embedding.counting import MemoryCache
from tests.support.tiny_model import DIMENSION, save_tiny_model

pytestmark = pytest.mark.model
SAMPLES = Path(__file__).parents[3] / "sample_data"
HANDBOOK = "handbook/operations-handbook.md"
FILES = {HANDBOOK: 6000, "manual-zh/产品使用手册.md": 3200, "faq/faq.txt": 3000, "api/rest-api-reference.md": 3000}
"""How many of a sample's characters are read: several windows, with tables where it has any, and titles two deep."""


class Encodings(Unshared):
    """A cache of encodings that is a dictionary."""

    def __init__(self) -> None:
        self.rows: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return self.rows.get(key)

    def put(self, key: str, data: bytes) -> None:
        self.rows[key] = data


@pytest.fixture(scope="module")
def exact() -> LocalEmbedder:
    return load_embedder_of(EmbeddingConfig(model=ENGLISH_MODEL, precision=Precision.FP32))


def load_embedder_of(config: EmbeddingConfig) -> LocalEmbedder:
    embedder = load_embedder(config)
    assert isinstance(embedder, LocalEmbedder)
    return embedder


@pytest.fixture(scope="module")
def samples() -> list[Document]:
    return [
        parse((SAMPLES / file).read_text(encoding="utf-8")[:length].encode(), file) for file, length in FILES.items()
    ]


@pytest.fixture(scope="module")
def kept(exact: LocalEmbedder, samples: list[Document]) -> tuple[Encodings, MemoryCache]:
    """The samples encoded, and what was embedded for chunks of 200 tokens of them."""
    encodings, vectors = Encodings(), MemoryCache()
    first = LateEncoder(exact, 256, encodings, vectors)
    for document in samples:
        first.vectors(document, cut(document, 200))
    assert (first.documents_encoded, len(encodings.rows)) == (len(samples), len(samples))
    return encodings, vectors


@pytest.fixture(scope="module")
def handbook() -> Document:
    """The first 9,000 characters: over ten windows."""
    return only(parse((SAMPLES / HANDBOOK).read_bytes(), HANDBOOK), 0, 9000)


def only(document: Document, start: int, end: int) -> Document:
    """A document of nothing but a part of another's text."""
    return replace(document, text=document.text[start:end], blocks=(), sections=())


def cut(document: Document, size: int, **settings: object) -> list[Chunk]:
    return chunk_document(document, Config(chunk=ChunkConfig(size=size, overlap=size // 5, **settings)))


@pytest.mark.parametrize(("start", "end"), [(0, 0), (0, 20), (500, 620), (3000, 3700)])
@pytest.mark.parametrize("sample", [0, 1])
def test_a_whole_short_document_has_its_ordinary_vector(
    exact: LocalEmbedder, samples: list[Document], sample: int, start: int, end: int
) -> None:
    """One window: pooling all of it is what the model does itself, special tokens included; English and Chinese."""
    document = only(samples[sample], start, end if sample == 0 else start + (end - start) // 4)
    pooled = LateEncoder(exact, 256).pool(document, np.array([0]), np.array([len(document.text)]))
    assert float((pooled @ exact.embed([document.text]).T)[0, 0]) > 0.999


def test_parts_of_a_document_are_near_their_ordinary_vectors_and_not_the_same(
    exact: LocalEmbedder, handbook: Document
) -> None:
    """What stands around a chunk has gone into it."""
    chunks = cut(handbook, 120, prefix=Prefix.NONE)
    late = LateEncoder(exact, 256).vectors(handbook, chunks)
    cosines = (late * exact.embed([chunk.content for chunk in chunks])).sum(axis=1)
    assert 0.75 < float(np.median(cosines)) < 0.98
    assert cosines.max() < 0.999
    assert np.allclose(np.linalg.norm(late, axis=1), 1.0, atol=1e-5)


def test_what_a_chunk_says_by_a_pronoun_is_found_late(exact: LocalEmbedder, handbook: Document) -> None:
    """The paper's example: a sentence that calls its subject "it" is closer to a question about the subject."""
    text = (
        "Berlin is the capital of Germany. It has 3.85 million inhabitants. The city is also one of the states "
        "of the country."
    )
    document = replace(handbook, text=text, blocks=(), sections=())
    start, end = text.index("It has"), text.index(" The city")
    question = exact.embed(["Berlin population"], role="query")[0]
    late = LateEncoder(exact, 256).pool(document, np.array([start]), np.array([end]))[0]
    assert late @ question > exact.embed([text[start:end]])[0] @ question + 0.1


def test_another_size_needs_no_model(
    exact: LocalEmbedder, samples: list[Document], kept: tuple[Encodings, MemoryCache]
) -> None:
    """Encoded once; then every size and overlap, with titles shortened and tables cut at other rows, of every sample
    and every level.
    """
    again, before = LateEncoder(exact, 256, *kept), exact.calls
    for document in samples:
        for size in (24, 60, 100, 400, 1000):
            config = Config(chunk=ChunkConfig(size=size, overlap=size // 4, parent_size=4 * size, granularities=(2, 4)))
            levels = split_document(document, config)
            rows = [*levels.chunks, *(row for larger in levels.larger.values() for row in larger)]
            assert again.vectors(document, rows).shape == (len(rows), 384)
    assert (exact.calls - before, again.calls, again.documents_encoded, again.texts_encoded) == (0, 0, 0, 0)


@pytest.mark.parametrize("prefix", [Prefix.HEADER, Prefix.DOCUMENT_TITLE_PATH, Prefix.FILE_TITLE_PATH])
def test_other_prefixes_need_no_model_either(
    exact: LocalEmbedder, samples: list[Document], kept: tuple[Encodings, MemoryCache], prefix: Prefix
) -> None:
    """All titles were encoded with the document."""
    again = LateEncoder(exact, 256, *kept)
    again.vectors(samples[0], cut(samples[0], 90, prefix=prefix))
    assert again.calls == 0


def test_a_changed_document_is_encoded_again(exact: LocalEmbedder, handbook: Document) -> None:
    """Its own text decides, and the window; not its name."""
    encoder = LateEncoder(exact, 256, Encodings(), MemoryCache())
    document = only(handbook, 0, 3000)
    encoder.encode(document)
    encoder.encode(replace(document, doc_id="moved", source="elsewhere.md"))
    assert encoder.documents_encoded == 1
    encoder.encode(only(document, 0, 2000))
    assert encoder.documents_encoded == 2
    assert LateEncoder(exact, 128).encoding_key(document) != encoder.encoding_key(document)


def test_titles_pull_a_chunk_towards_them(
    exact: LocalEmbedder, samples: list[Document], kept: tuple[Encodings, MemoryCache]
) -> None:
    """A prefix counts by its share of tokens, as when it is embedded with the chunk."""
    document = samples[0]
    bare, titled = (cut(document, 100, prefix=prefix) for prefix in (Prefix.NONE, Prefix.TITLE_PATH))
    number = next(n for n, chunk in enumerate(titled) if chunk.prefix and len(chunk.title_path) > 1)
    chunk = titled[number]
    same = replace(bare[0], start=chunk.start, end=chunk.end, content=chunk.content)
    title = exact.embed([chunk.title_path[-1]])[0]
    without, with_title = LateEncoder(exact, 256, *kept).vectors(document, [same, chunk])
    assert with_title @ title > without @ title + 0.01


def test_what_was_written_about_a_chunk_counts(exact: LocalEmbedder, handbook: Document) -> None:
    """A context stands behind the titles; it is encoded by itself, once."""
    chunk = cut(handbook, 100, prefix=Prefix.NONE)[3]
    written = "It is about the price of fresh apples on the market."
    about = replace(chunk, prefix=f"Guide > Market\n{written}", written=written, flags=(Flag.GENERATED,))
    encoder = LateEncoder(exact, 256)
    plain, with_context = encoder.vectors(handbook, [chunk, about])
    apples = exact.embed(["apples on the market"])[0]
    assert with_context @ apples > plain @ apples + 0.1
    before = encoder.calls
    encoder.vectors(handbook, [about])
    assert encoder.calls == before


def test_a_later_part_of_a_table_knows_its_columns(exact: LocalEmbedder, handbook: Document) -> None:
    """The header row stands elsewhere in the document, and is pooled from there."""
    rows = "".join(f"| item{n} | {n * 37 % 100} | {n * 13 % 50} |\n" for n in range(120))
    text = f"# Stock\n\n| Name | Voltage | Temperature |\n| --- | --- | --- |\n{rows}"
    document = parse(text.encode(), "stock.md")
    chunks = [chunk for chunk in cut(document, 100, prefix=Prefix.NONE) if "item100 " in chunk.content]
    assert chunks
    assert "Voltage" not in chunks[0].content
    encoder = LateEncoder(exact, 256)
    pooled = encoder.pool(document, np.array([chunks[0].start]), np.array([chunks[0].end]))[0]
    expected = exact.embed(["Voltage and temperature"])[0]
    assert encoder.vectors(document, chunks[:1])[0] @ expected > pooled @ expected
    assert encoder.texts_encoded == len({"Stock", "stock.md"})


def test_summaries_are_embedded_as_they_are(exact: LocalEmbedder, handbook: Document) -> None:
    """A node of a section has no text of its own in the document."""
    chunk = cut(handbook, 100)[0]
    node = replace(
        chunk, level="section", content="", summary="Apples.", embedding_content="Market\n\nApples.", start=0, end=9000
    )
    vectors = LateEncoder(exact, 256).vectors(handbook, [node, chunk])
    assert np.allclose(vectors[0], exact.embed(["Market\n\nApples."])[0], atol=1e-5)


def test_progress_counts_characters_and_can_stop(exact: LocalEmbedder, handbook: Document) -> None:
    """An error raised by `on_progress` comes out, and nothing half done is kept."""
    encodings, calls = Encodings(), list[int]()
    LateEncoder(exact, 32, encodings).encode(handbook, calls.append)
    assert calls == sorted(calls)
    assert len(calls) > 2
    assert calls[-1] == len(handbook.text.rstrip())

    def stop(done: int) -> None:
        raise Cancelled("Stopped.")

    stopped = LateEncoder(exact, 64, encodings)
    with pytest.raises(Cancelled):
        stopped.encode(handbook, stop)
    assert (len(encodings.rows), stopped.documents_encoded) == (1, 0)


@pytest.mark.parametrize("text", ["", " \n\n ", "\ud800 odd \udfff", "a\0b", "x" * 5000, "🦆" * 400, "[SEP] [CLS] x"])
def test_awkward_documents_have_unit_vectors(exact: LocalEmbedder, handbook: Document, text: str) -> None:
    """Empty, blank, lone surrogates, NUL, one endless word, emoji, literal special tokens."""
    document = replace(handbook, text=text, blocks=(), sections=())
    spans = np.array([(0, len(text)), (0, 0), (len(text) // 2, len(text)), (len(text), len(text))])
    vectors = LateEncoder(exact, 256).pool(document, spans[:, 0], spans[:, 1])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_the_key_says_model_window_and_precision(exact: LocalEmbedder) -> None:
    """A window over the model's limit is the model's limit."""
    encoder = LateEncoder(exact, 8192)
    assert encoder.window == 256
    assert encoder.key == f"{model_of(exact.key)}+late256+fp32"
    assert (encoder.note, encoder.dimension) == (None, 384)


def test_damaged_encodings_are_made_again(exact: LocalEmbedder, handbook: Document) -> None:
    """A cache is no reason to fail: the same vectors come from the text."""
    encodings = Encodings()
    first = LateEncoder(exact, 256, encodings)
    document = only(handbook, 0, 3000)
    first.encode(document)
    key = first.encoding_key(document)
    encodings.rows[key] = encodings.rows[key][:-3]
    again = LateEncoder(exact, 256, encodings)
    assert np.array_equal(again.encode(document).means, first.encode(document).means)
    assert again.documents_encoded == 1


# -- any model


def tiny(folder: Path, **settings: object) -> LocalEmbedder:
    return LocalEmbedder(
        find_model(str(folder)), EmbeddingConfig(model=str(folder), precision=Precision.FP32, **settings)
    )


SENTENCE = "the pump is red. the filter is blue."


@pytest.mark.parametrize("padding_side", ["right", "left"])
@pytest.mark.parametrize("include_prompt", [True, False])
def test_a_model_with_a_dense_layer_and_a_prompt(
    tmp_path: Path, handbook: Document, include_prompt: bool, padding_side: str
) -> None:
    """Layers after the pooling are applied to the mean, and the prompt stands in every window, pooled or not as the
    model says.
    """
    prompts = {"query": "query: ", "passage": "passage: "}
    folder = save_tiny_model(
        tmp_path / "t", prompts=prompts, include_prompt=include_prompt, pooling=("mean",), padding_side=padding_side
    )
    embedder = tiny(folder)
    document = replace(handbook, text=SENTENCE, blocks=(), sections=())
    pooled = LateEncoder(embedder, 24).pool(document, np.array([0, 0]), np.array([len(SENTENCE), 16]))
    assert pooled.shape == (2, DIMENSION)
    assert float(pooled[0] @ embedder.embed([SENTENCE])[0]) > 0.9999
    assert not np.allclose(pooled[0], pooled[1], atol=1e-3)


def test_a_model_that_does_not_pool_by_mean_is_reported(tmp_path: Path, handbook: Document) -> None:
    """It works, and the user is told to compare."""
    embedder = tiny(save_tiny_model(tmp_path / "t"))
    encoder = LateEncoder(embedder, 256)
    document = replace(handbook, text=SENTENCE * 5, blocks=(), sections=())
    assert encoder.pool(document, np.array([0]), np.array([30])).shape == (1, DIMENSION)
    assert encoder.window == 24
    assert "pools by cls+mean" in str(encoder.note)


def test_spans_alone_need_no_titles(tmp_path: Path, handbook: Document) -> None:
    """Semantic splitting and summaries by rule need no titles; chunks need all titles and the path, once."""
    encoder = LateEncoder(tiny(save_tiny_model(tmp_path / "t")), 24)
    document = replace(handbook, text=SENTENCE, blocks=(), sections=())
    encoder.pool(document, np.array([0]), np.array([16]))
    assert (encoder.documents_encoded, encoder.texts_encoded) == (1, 0)
    encoder.encode(document)
    encoder.encode(document)
    assert (encoder.documents_encoded, encoder.texts_encoded) == (1, len({handbook.title, handbook.source}))


def test_a_prompt_that_fills_the_window_is_one_sentence(tmp_path: Path, handbook: Document) -> None:
    """Before the model is given more than it can read."""
    embedder = tiny(save_tiny_model(tmp_path / "t"), passage_prefix="the pump is red " * 6)
    with pytest.raises(ModelError, match="window of 24 tokens"):
        LateEncoder(embedder, 256).encode(handbook)


# -- sentences


def test_vectors_of_sentences_come_from_one_encoding(handbook: Document) -> None:
    """Asked for twice, with other spans, by another caller: the model is called once."""
    config = EmbeddingConfig(precision=Precision.FP32, late_window=100)
    embedder = load_embedder_of(config)
    first = sentence_vectors(config)(handbook, np.array([0, 50]), np.array([50, 140]))
    before = embedder.calls
    second = sentence_vectors(config)(replace(handbook, doc_id="other"), np.array([50]), np.array([140]))
    assert embedder.calls == before
    assert np.allclose(first[1], second[0], atol=1e-6)
