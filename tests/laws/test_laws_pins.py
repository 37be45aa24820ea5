"""Laws 1 to 5 where people decided about boundaries: any pins, for every strategy, at every level, in files of every
format.

Told from the text and the pins alone, not from how they are settled.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from chunking.config import ENGLISH_MODEL, ChunkConfig, Config, EmbeddingConfig, Strategy, Unit
from chunking.embedding.model_folder import find_model
from chunking.errors import ParseError
from chunking.model import Chunk, Document, Flag, PinKind
from chunking.parsing import parse
from chunking.parsing.edits import apply
from chunking.splitting import FLAG_BITS, Chunker, TokenCounter, new_text, token_counter
from chunking.store.index.build_record import chunk_fingerprint
from tests.support.edited import edits
from tests.support.examples import law
from tests.support.own_files import OWN_FILES, OwnFile
from tests.support.own_files import ROOT as FILES
from tests.support.pins import pins_for
from tests.support.strategies import built, chunk_configs, documents, meaning, tabular

FOLDER = find_model("all-MiniLM-L6-v2").path


@pytest.fixture(scope="module")
def counter() -> TokenCounter:
    """The counter under test."""
    return token_counter(FOLDER)


def read(written: tuple[str, str]) -> Document:
    """The document; another example is tried where the reader finds nothing in it."""
    try:
        return parse(written[0].encode(), written[1])
    except ParseError:
        reject()


any_document = st.one_of(documents().map(read), built(), tabular().map(read))
pinned = any_document.flatmap(lambda document: pins_for(document).map(lambda pins: replace(document, pins=pins)))


def check_pinned(document: Document, chunker: Chunker, config: ChunkConfig) -> None:
    """Everything that pins ask for, and what laws 1 to 5 ask beside them."""
    chunks, levels = chunker.chunks(config), chunker.split(config).levels()
    check_laws(document, chunker, chunks, config)
    for rows in (chunks, levels.parents, *levels.larger.values()):
        assert all(before.start < after.start and before.end < after.end for before, after in pairwise(rows))
        check_left_out(document, rows)
        check_splits(document, rows)
    check_keeps(document, chunks)
    check_merges(document, chunker, config)


def check_laws(document: Document, chunker: Chunker, chunks: Sequence[Chunk], config: ChunkConfig) -> None:
    """Exact, cover, fit, same."""
    boundaries, places, text = (
        chunker.boundaries(config),
        chunker.split(config).view.measured.marks.places,
        document.text,
    )
    assert all(text[chunk.start : chunk.end] == chunk.content and chunk.content.strip() for chunk in chunks)
    covered = np.zeros(len(text), np.bool_)
    for span in [*chunks, *document.omitted]:
        covered[span.start : span.end] = True
    assert not "".join(text[offset] for offset in np.flatnonzero(~covered).tolist()).strip()
    assert [(chunk.start, chunk.end) for chunk in chunks] == list(
        zip(boundaries.starts.tolist(), boundaries.ends.tolist(), strict=True)
    )
    assert [sum(FLAG_BITS[flag] for flag in chunk.flags) for chunk in chunks] == boundaries.flags.tolist()
    for chunk in chunks:
        size = (
            token_counter(FOLDER).count(chunk.counted_text) if config.unit is Unit.TOKENS else len(chunk.counted_text)
        )
        assert (size > config.size) == (Flag.OVER_SIZE in chunk.flags)
        assert Flag.KEPT_OVER_SIZE not in chunk.flags or Flag.OVER_SIZE in chunk.flags
        inside = (places.first[:-1] > chunk.start) & (places.stop[:-1] < chunk.end) & (places.stop[:-1] > chunk.start)
        assert {Flag.OVER_SIZE, Flag.KEPT_OVER_SIZE} != {*chunk.flags} & {Flag.OVER_SIZE} or not inside.any()


def check_left_out(document: Document, rows: Sequence[Chunk]) -> None:
    """No word that stands whole in a span that is left out is in a chunk."""
    spans = [(pin.start, pin.end) for pin in document.pins if pin.kind is PinKind.LEAVE_OUT]
    for word in re.finditer(r"\S+", document.text):
        if any(start <= word.start() and word.end() <= end for start, end in spans):
            assert not any(row.start < word.end() and word.start() < row.end for row in rows), word


def check_splits(document: Document, rows: Sequence[Chunk]) -> None:
    """Nothing that can be seen reaches over a split before a word; a line of code keeps its indentation."""
    for pin in document.pins:
        at = _word(document.text, pin.start) if pin.kind is PinKind.SPLIT and pin.start >= 0 else None
        if at is not None and not _out(document, at):
            assert not any(row.start < at < row.end and document.text[row.start : at].strip() for row in rows), pin


def check_keeps(document: Document, chunks: Sequence[Chunk]) -> None:
    """A kept span that no stronger pin parts stands in one chunk, and is flagged where that is too long for it."""
    spans = [(pin.start, _next_word(document.text, pin.start)) for pin in document.pins if pin.kind is PinKind.SPLIT]
    spans += [(out.start, out.end) for out in document.omitted]
    for pin in document.pins:
        start, end = max(pin.start, 0), min(pin.end, len(document.text))
        visible = document.text[start:end].strip() if start < end else ""
        if (
            pin.kind is not PinKind.KEEP
            or not visible
            or any(first <= end and start <= after for first, after in spans)
        ):
            continue
        start += document.text[start:end].index(visible)
        assert any(chunk.start <= start and start + len(visible) <= chunk.end for chunk in chunks), pin


def check_merges(document: Document, chunker: Chunker, config: ChunkConfig) -> None:
    """No text begins anew where a merge stands, but at a split or behind what is left out."""
    begins = {*new_text(document.text, chunker.boundaries(config)).tolist()[1:]}
    starts = [pin.start for pin in document.pins if pin.kind is PinKind.SPLIT and pin.start >= 0]
    splits = {place for start in starts for place in (_word(document.text, start), _next_word(document.text, start))}
    for pin in document.pins:
        at = _word(document.text, pin.start) if pin.kind is PinKind.MERGE and pin.start > 0 else None
        if at is not None and at not in splits and not _out(document, at) and not _out(document, at - 1):
            before = document.text[:at].rstrip()
            assert at not in begins or not before or _out(document, len(before) - 1), pin


def _word(text: str, at: int) -> int | None:
    """Where the first word begins at or behind an offset; None where the offset is inside a word, or the word begins
    with no letter.
    """
    if 0 < at < len(text) and not text[at].isspace() and text[at - 1] not in " \n":
        return None
    match = re.compile(r"[^ \n]").search(text, at)
    return match.start() if match and match[0].isalnum() else None


def _next_word(text: str, at: int) -> int:
    """Where the next word begins: a split inside a word may stand before it."""
    match = re.compile(r"\s\S").search(text, max(at - 1, 0))
    return match.end() - 1 if match else len(text)


def _out(document: Document, at: int) -> bool:
    return any(out.start <= at < out.end for out in document.omitted)


@law(60)
@given(pinned, chunk_configs())
def test_laws_with_any_pins(counter: TokenCounter, document: Document, config: ChunkConfig) -> None:
    """Any text, any pins, any configuration."""
    check_pinned(document, Chunker(document, counter, sentences=meaning), config)


@pytest.mark.parametrize("strategy", list(Strategy))
@law(12)
@given(pinned)
def test_pins_hold_for_each_strategy(counter: TokenCounter, strategy: Strategy, document: Document) -> None:
    """One measured document under tokens and characters, with overlap, small and large."""
    chunker = Chunker(document, counter, sentences=meaning)
    for unit in Unit:
        for size, overlap in ((16, "0"), (40, "25%"), (200, "32")):
            config = ChunkConfig(
                strategy=strategy, unit=unit, size=size, overlap=overlap, splitter="windows", parent_size=2 * size
            )
            check_pinned(document, chunker, config)


@pytest.mark.parametrize("own", OWN_FILES, ids=lambda own: own.name)
@law(6)
@given(st.data())
def test_changes_hold_in_every_format(counter: TokenCounter, own: OwnFile, data: st.DataObject) -> None:
    """Edits, pins and patterns together, in a file of each format under each strategy: all of what pins ask for, and
    the laws.
    """
    document = own_document(own.name)
    document = apply(document, data.draw(edits(document, 4))).document
    document = replace(document, pins=data.draw(pins_for(document, 4)))
    config = data.draw(chunk_configs(Strategy.STRUCTURE)).model_copy(update=data.draw(own_patterns))
    chunker = Chunker(document, counter, sentences=meaning)
    document = chunker.split(config).view.document
    for strategy in Strategy:
        check_pinned(document, chunker, config.model_copy(update={"strategy": strategy}))


@cache
def own_document(name: str) -> Document:
    """A file of the project's own, read once for all examples."""
    return parse((FILES / name).read_bytes(), name)


own_patterns = st.fixed_dictionaries(
    {
        "headings_from": st.sampled_from(["", r"2: ^\w+ing\b", r"1: ^\d || 4: ^\|", "3: 鸟"]),
        "split_before": st.sampled_from(["", r"\bthe\b", "[。.]", r"^[-|]"]),
    }
)
"""Which match somewhere in most of the files."""


@law(15)
@given(pinned, chunk_configs())
def test_pins_set_later_are_pins_set_before(counter: TokenCounter, document: Document, config: ChunkConfig) -> None:
    """A measured document gets pins without a call of the tokenizer, is split as one that had them, and bears another
    fingerprint.
    """
    plain = replace(document, pins=())
    own = TokenCounter(FOLDER)
    chunker = Chunker(plain, own, sentences=meaning)
    before, calls = chunker.boundaries(config), own.calls
    later = chunker.with_pins(document.pins)
    assert (
        later.boundaries(config).starts.tolist()
        == Chunker(document, counter, sentences=meaning).boundaries(config).starts.tolist()
    )
    assert own.calls == calls
    assert chunker.boundaries(config) is before
    assert later.with_pins(()).boundaries(config).starts.tolist() == before.starts.tolist()
    full_config = Config(chunk=config, embedding=EmbeddingConfig(model=ENGLISH_MODEL))
    assert chunk_fingerprint(full_config, document) != chunk_fingerprint(full_config, plain)
