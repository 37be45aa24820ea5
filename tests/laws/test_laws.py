"""The nine laws of the design; those of cutting over both formats, every strategy, tokens and characters.

    1 exact   2 cover   3 forward   4 fit   5 same   6 measured once
    7 embedded once   8 constant round trips   9 nothing lost

Those of the levels above the chunks are in `test_laws_levels.py`, laws 7 and 9 in `test_laws_storage.py`, law 8 in
`test_laws_retrieval.py`.
"""

from __future__ import annotations

from itertools import cycle, islice, pairwise

import numpy as np
import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st

from chunking.config import ChunkConfig, Config, Keep, Prefix, Strategy, TableText, Unit
from chunking.embedding.model_folder import find_model
from chunking.errors import ParseError
from chunking.model import BlockType, Chunk, Document, Flag
from chunking.parsing import parse
from chunking.parsing.edits import apply
from chunking.splitting import FLAG_BITS, Boundaries, Chunker, TokenCounter, patterned, token_counter
from chunking.splitting.measure.cut_places import Rank
from chunking.store.index.build_record import chunk_fingerprint
from tests.support.cut_words import cuts_words
from tests.support.edited import edits
from tests.support.examples import law
from tests.support.laws_documents import check as check_document
from tests.support.shared_data import shared_data, shared_files
from tests.support.strategies import built as built_documents
from tests.support.strategies import chunk_configs, documents, meaning, tabular
from tests.support.token_lengths import TokenLengths

FOLDER = find_model("all-MiniLM-L6-v2").path
KINDS = {BlockType.CODE: Keep.CODE, BlockType.TABLE: Keep.TABLE, BlockType.QA: Keep.QA}


@pytest.fixture(scope="module")
def counter() -> TokenCounter:
    """The counter under test."""
    return token_counter(FOLDER)


@pytest.fixture(scope="module")
def tokenizer() -> TokenLengths:
    """The tokenizer itself, to check the counter against."""
    return TokenLengths(FOLDER)


def read(text: str, source: str) -> Document:
    """The document; another example is tried where the reader finds nothing in it."""
    try:
        return parse(text.encode(), source)
    except ParseError:
        reject()


def check_laws(document: Document, chunker: Chunker, config: ChunkConfig, tokenizer: TokenLengths) -> None:
    """Laws 1 to 5 for one document and configuration."""
    chunks, boundaries = chunker.chunks(config), chunker.boundaries(config)
    check_exact(document, chunks)
    check_cover(document, chunks)
    check_left_out(document, chunks)
    check_places(document, chunks)
    check_forward(chunks)
    check_fit(chunker, chunks, config, tokenizer)
    check_same(chunks, boundaries)
    if not config.split_before:  # it is there to split what would stay whole
        check_whole(document, chunks, boundaries, config, tokenizer)


def check_exact(document: Document, chunks: list[Chunk]) -> None:
    """Law 1: content is the slice, and what is embedded is prefix and content without markup."""
    for chunk in chunks:
        assert document.text[chunk.start : chunk.end] == chunk.content
        assert chunk.content.strip()
        assert chunk.embedding_content.startswith(chunk.prefix)


def check_cover(document: Document, chunks: list[Chunk]) -> None:
    """Law 2: every visible character is in a chunk or left out with a reason."""
    covered = np.zeros(len(document.text), np.bool_)
    for span in [*chunks, *document.left_out]:
        covered[span.start : span.end] = True
    missed = [offset for offset in np.flatnonzero(~covered).tolist() if not document.text[offset].isspace()]
    assert not missed, (missed[:5], document.text[missed[0] - 10 : missed[0] + 10])


def check_left_out(document: Document, chunks: list[Chunk]) -> None:
    """Law 2 the other way: what is left out is in no chunk."""
    for span in document.left_out:
        assert not any(chunk.start < span.end and span.start < chunk.end for chunk in chunks), span


def check_places(document: Document, chunks: list[Chunk]) -> None:
    """A chunk's pages and boxes are those of its text, one of each a line, or each page once."""
    for chunk in chunks:
        places = document.locations_in(chunk.start, chunk.end)
        assert set(chunk.pages) == {place.page for place in places}
        assert len(chunk.bboxes) == len(chunk.pages) or not chunk.bboxes
        if chunk.bboxes:
            assert list(zip(chunk.pages, chunk.bboxes, strict=True)) == [
                (p.page, p.bbox) for p in places if p.bbox is not None
            ]
        else:
            assert len(set(chunk.pages)) == len(chunk.pages)


def check_forward(chunks: list[Chunk]) -> None:
    """Law 3: starts and ends strictly increase, and ids follow."""
    for before, after in pairwise(chunks):
        assert before.start < after.start
        assert before.end < after.end
        assert (before.next_id, after.prev_id) == (after.chunk_id, before.chunk_id)


def check_fit(chunker: Chunker, chunks: list[Chunk], config: ChunkConfig, tokenizer: TokenLengths) -> None:
    """Law 4: counted by the tokenizer, prefix and content fit; flagged exactly where they do not, and only what cannot
    be cut.

    `token_count` is what is embedded; where only that is over the size, because of what is said of tables, it is
    flagged too.
    """
    places = chunker.split(config).view.measured.marks.places
    for chunk in chunks:
        text = chunk.counted_text
        tokens = tokenizer.of(text)
        embedded = tokenizer.of(chunk.embedding_content)
        assert chunk.token_count == embedded, chunk
        longer = (embedded if config.unit is Unit.TOKENS else len(chunk.embedding_content)) > config.size
        size = tokens if config.unit is Unit.TOKENS else len(text)
        assert (size > config.size) == (Flag.OVER_SIZE in chunk.flags), (size, chunk)
        assert (longer and size <= config.size) == (Flag.DESCRIPTION_OVER_SIZE in chunk.flags), (embedded, chunk)
        if Flag.OVER_SIZE in chunk.flags:
            inside = np.flatnonzero(
                (places.first[:-1] > chunk.start) & (places.stop[:-1] < chunk.end) & (places.stop[:-1] > chunk.start)
            )
            assert not len(inside), (
                chunk,
                [chunk.content[offset - chunk.start :][:9] for offset in places.first[inside].tolist()[:3]],
            )


def check_same(chunks: list[Chunk], boundaries: Boundaries) -> None:
    """Law 5: what the preview shows is what the index gets; markup, which is not embedded, may take tokens from it."""
    assert [chunk.start for chunk in chunks] == boundaries.starts.tolist()
    assert [chunk.end for chunk in chunks] == boundaries.ends.tolist()
    for chunk, tokens, embedded in zip(
        chunks, boundaries.tokens.tolist(), boundaries.embedded_tokens.tolist(), strict=True
    ):
        plain = embedded == tokens and not chunk.description
        assert chunk.token_count <= embedded if plain else chunk.token_count == embedded, chunk
    assert [chunk.prefix for chunk in chunks] == boundaries.prefixes
    assert [sum(FLAG_BITS[flag] for flag in chunk.flags) for chunk in chunks] == boundaries.flags.tolist()


def check_whole(
    document: Document, chunks: list[Chunk], boundaries: Boundaries, config: ChunkConfig, tokenizer: TokenLengths
) -> None:
    """No fence, table or pair that is to be kept is cut though it would fit beside its section's prefix."""
    cut = dict.fromkeys(Keep, 0)
    for block in document.blocks:
        keep = KINDS.get(block.type)
        if keep is None or any(chunk.start <= block.start and block.end <= chunk.end for chunk in chunks):
            continue
        text = document.text[block.start : block.end]
        if not text.strip() or any(
            chunk.start <= block.start + _indent(text) and block.end - _tail(text) <= chunk.end for chunk in chunks
        ):
            continue
        cut[keep] += 1
        if keep in config.keep_whole:
            reserved = config.size // 2
            longest = max(
                (chunk for chunk in chunks if chunk.start < block.end and block.start < chunk.end),
                key=lambda one: len(one.prefix),
            )
            if config.prefix is not Prefix.HEADER and not config.prefix.written and keep is not Keep.TABLE:
                reserved = _units(longest.prefix + "\n\n" if longest.prefix else "", config, tokenizer)
            assert _units(text.strip(), config, tokenizer) > config.size - reserved or len(text) > 100 * (
                config.size - reserved
            ), block
    achieved = boundaries.achieved
    assert (achieved.fences_cut, achieved.tables_cut, achieved.qa_cut) == (
        cut[Keep.CODE],
        cut[Keep.TABLE],
        cut[Keep.QA],
    )


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _tail(text: str) -> int:
    return len(text) - len(text.rstrip())


def _units(text: str, config: ChunkConfig, tokenizer: TokenLengths) -> int:
    return tokenizer.of(text) if config.unit is Unit.TOKENS else len(text)


@law()
@given(documents(), chunk_configs())
@example(("# A\n\n## B\n\n- x\n", "a.md"), ChunkConfig(size=16))
def test_laws_1_to_5(
    counter: TokenCounter, tokenizer: TokenLengths, written: tuple[str, str], config: ChunkConfig
) -> None:
    """Any text, any configuration."""
    document = read(*written)
    check_laws(document, Chunker(document, counter, sentences=meaning), config, tokenizer)


@law()
@given(built_documents(), chunk_configs())
def test_laws_1_to_5_of_built_documents(
    counter: TokenCounter, tokenizer: TokenLengths, document: Document, config: ChunkConfig
) -> None:
    """Any document of a format whose text a reader builds: tables of pipe rows, places on pages, furniture left out."""
    check_laws(document, Chunker(document, counter, sentences=meaning), config, tokenizer)


PATTERNS = [r"^\S", r"\w+", "^.+$", r"(?i)[a-e]", "[^ ]", r"^[#>*\s-]*\w", r"\d", r"\|", r"[。！.?]", "nowhere"]
"""For random texts: starts of lines, everywhere, inside of words, in tables, at ends of sentences, never."""


@law(40)
@given(
    st.one_of(
        built_documents(),
        documents().map(lambda written: read(*written)),
        tabular().map(lambda written: read(*written)),
    ),
    chunk_configs(),
    st.lists(st.tuples(st.integers(1, 6), st.sampled_from(PATTERNS)), max_size=3),
    st.lists(st.sampled_from(PATTERNS), max_size=2),
)
def test_laws_1_to_5_with_patterns(
    counter: TokenCounter,
    tokenizer: TokenLengths,
    document: Document,
    config: ChunkConfig,
    headings: list[tuple[int, str]],
    splits: list[str],
) -> None:
    """Any patterns: the laws hold of the document that they make, which is one like others, and made once; nothing is
    measured again.
    """
    patterns = {
        "headings_from": " || ".join(f"{level}: {source}" for level, source in headings),
        "split_before": " || ".join(splits),
    }
    config = config.model_copy(update=patterns)
    chunker = Chunker(document, counter, sentences=meaning)
    view = chunker.split(config).view
    if document.format in ("markdown", "text"):  # built ones are no reader's
        check_document(view.document)
    check_laws(view.document, chunker, config, tokenizer)
    breaks = view.measured.marks.places.at[view.pins.splits].tolist() if view.pins is not None else []
    assert not any(chunk.start < place < chunk.end for place in breaks for chunk in chunker.chunks(config))
    assert view.document.text == document.text
    assert patterned(document, config).document is view.document
    assert patterned(view.document, config).document == view.document
    assert chunker.chunks(config) == chunks_of_a_new_one(document, counter, config)
    plain = config.model_copy(update={"headings_from": "", "split_before": ""})
    assert chunker.chunks(plain) == Chunker(document, counter, sentences=meaning).chunks(plain)


def chunks_of_a_new_one(document: Document, counter: TokenCounter, config: ChunkConfig) -> list[Chunk]:
    """Those of a chunker that has seen no other configuration."""
    return Chunker(document, counter, sentences=meaning).chunks(config)


@law(15)
@given(tabular(), chunk_configs())
def test_laws_1_to_5_of_tables(
    counter: TokenCounter, tokenizer: TokenLengths, written: tuple[str, str], config: ChunkConfig
) -> None:
    """Any file of delimited rows."""
    document = read(*written)
    check_laws(document, Chunker(document, counter, sentences=meaning), config, tokenizer)


@law()
@given(
    st.one_of(
        built_documents(),
        documents().map(lambda written: read(*written)),
        tabular().map(lambda written: read(*written)),
    ).flatmap(lambda document: edits(document).map(lambda changes: apply(document, changes).document)),
    chunk_configs(),
)
def test_laws_1_to_5_of_edited_documents(
    counter: TokenCounter, tokenizer: TokenLengths, document: Document, config: ChunkConfig
) -> None:
    """Any document of which people changed how it was read, whatever they did."""
    check_laws(document, Chunker(document, counter, sentences=meaning), config, tokenizer)


@law()
@given(
    st.one_of(
        built_documents(),
        documents().map(lambda written: read(*written)),
        tabular().map(lambda written: read(*written)),
    ),
    chunk_configs().map(lambda config: config.model_copy(update={"table_text": TableText.SENTENCES})),
    st.integers(40, 400),
)
def test_law_4_of_what_is_embedded(
    counter: TokenCounter, tokenizer: TokenLengths, document: Document, config: ChunkConfig, limit: int
) -> None:
    """A description or a placeholder is never the reason why the model does not read a text to its end; flags say where
    it does not.
    """
    chunker = Chunker(document, counter, max_tokens=limit, sentences=meaning)
    for chunk, free in zip(chunker.chunks(config), chunker.boundaries(config).free_tokens.tolist(), strict=True):
        counted = tokenizer.of(chunk.counted_text)
        assert chunk.token_count == tokenizer.of(chunk.embedding_content)
        assert (Flag.OVER_MODEL_LIMIT in chunk.flags) == (counted + free > limit)
        assert chunk.token_count + free <= max(limit, counted + free), (limit, chunk)


@law()
@given(built_documents(), chunk_configs())
def test_related_chunks_name_each_other(counter: TokenCounter, document: Document, config: ChunkConfig) -> None:
    """Both ways, and a table never itself."""
    chunks = {chunk.chunk_id: chunk for chunk in Chunker(document, counter, sentences=meaning).chunks(config)}
    for chunk_id, chunk in chunks.items():
        related = chunk.metadata.get("related_chunk_ids", ())
        assert chunk_id not in related
        assert len(set(related)) == len(related)
        assert all(chunk_id in chunks[other].metadata["related_chunk_ids"] for other in related)


@pytest.mark.parametrize("strategy", list(Strategy))
@law(12)
@given(documents())
def test_laws_hold_for_each_strategy(
    counter: TokenCounter, tokenizer: TokenLengths, strategy: Strategy, written: tuple[str, str]
) -> None:
    """One measured document under tokens and characters, with overlap, small and large."""
    document = read(*written)
    chunker = Chunker(document, counter, sentences=meaning)
    for unit in Unit:
        for size, overlap in ((16, "0"), (40, "25%"), (200, "32")):
            check_laws(
                document,
                chunker,
                ChunkConfig(strategy=strategy, unit=unit, size=size, overlap=overlap, splitter="windows"),
                tokenizer,
            )


@pytest.fixture(scope="module")
def zh_chunkers(counter: TokenCounter) -> list[tuple[Document, Chunker]]:
    """The Chinese Markdown files, each measured once for all strategies and units (law 6)."""
    documents = [parse(path.read_bytes(), path.name) for path in map(shared_data, shared_files("markdown_zh/*.md"))]
    return [(document, Chunker(document, counter, sentences=meaning)) for document in documents]


@pytest.mark.parametrize("strategy", list(Strategy))
@pytest.mark.parametrize("unit", list(Unit))
def test_laws_on_chinese_files(
    zh_chunkers: list[tuple[Document, Chunker]], tokenizer: TokenLengths, strategy: Strategy, unit: Unit
) -> None:
    """Real documents, each at two of four sizes; sizes and prefixes take turns, so that the files together have them
    all.
    """
    sizes, prefixes = cycle(((24, "0"), (100, "15%"), (200, "0"), (800, "100"))), cycle(Prefix)
    for document, chunker in zh_chunkers:
        for (size, overlap), prefix in islice(zip(sizes, prefixes, strict=False), 2):
            config = ChunkConfig(
                strategy=strategy, unit=unit, size=size, overlap=overlap, prefix=prefix, splitter="windows"
            )
            check_laws(document, chunker, config, tokenizer)


@law(15)
@given(documents(), chunk_configs())
def test_law_5_one_fingerprint(counter: TokenCounter, written: tuple[str, str], config: ChunkConfig) -> None:
    """A document measured again gives equal boundaries and fingerprint; another size, another fingerprint."""
    document = read(*written)
    first, second = (
        Chunker(document, counter, sentences=meaning),
        Chunker(document, TokenCounter(FOLDER), sentences=meaning),
    )
    assert [(c.start, c.end, c.prefix) for c in first.chunks(config)] == [
        (c.start, c.end, c.prefix) for c in second.chunks(config)
    ]
    full_config = Config(chunk=config)
    assert chunk_fingerprint(full_config, document) == chunk_fingerprint(Config(chunk=config), document)
    larger = Config(chunk=config.model_copy(update={"size": config.size + 1}))
    assert chunk_fingerprint(full_config, document) != chunk_fingerprint(larger, document)


@law(15)
@given(documents(), chunk_configs(), chunk_configs())
def test_law_6_measured_once(written: tuple[str, str], config: ChunkConfig, other: ChunkConfig) -> None:
    """Once a document is measured no setting reaches the tokenizer: neither size nor overlap, unit, strategy or prefix.

    Only a part of a word that is cut inside may be new to it, where it is embedded without the markup or beside a
    description.
    """
    document = read(*written)
    counter = TokenCounter(FOLDER)
    chunker = Chunker(document, counter, sentences=meaning)
    calls = counter.calls
    for one in (config, other, config.model_copy(update={"prefix": Prefix.DOCUMENT_TITLE_PATH})):
        chunks = chunker.chunks(one)
        assert counter.calls == calls or cuts_words(document, chunks, counter)
        calls = counter.calls
    Chunker(document, counter, sentences=meaning)
    assert counter.calls == calls, "the same text was measured again"


def test_law_6_bounds_the_work(counter: TokenCounter) -> None:
    """A text of 200,000 words, few of them different, takes a handful of calls."""
    counter = TokenCounter(FOLDER)
    words = [f"word{number % 700}" for number in range(200_000)]
    document = parse(" ".join(words).encode(), "long.txt")
    Chunker(document, counter, sentences=meaning)
    assert counter.calls < 60


def test_places_are_ranked(counter: TokenCounter) -> None:
    """The best place is a heading, then a block, a line, a sentence, a word."""
    document = parse(b"# A\n\nOne two. Three.\n\n- x\n- Y\n\n## B\n\nEnd.", "a.md")
    marks = Chunker(document, counter, sentences=meaning).measured.marks
    ranks = {
        document.text[first:].split()[0] if first < len(document.text) else "": Rank(rank)
        for first, rank in zip(marks.places.first.tolist(), marks.rank.tolist(), strict=True)
    }
    assert ranks["two."] is Rank.WORD
    assert ranks["Three."] is Rank.SENTENCE
    assert ranks["##"] is Rank.SECTION
