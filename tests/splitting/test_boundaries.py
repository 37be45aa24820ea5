"""What comes out: prefixes, achieved values, flags, and every field of a chunk."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chunking.config import ChunkConfig, Config, Prefix
from chunking.model import Flag
from chunking.parsing import parse
from chunking.splitting import FLAG_BITS, Chunker, chunk_document
from chunking.splitting.chunks.chunk_building import text_hash
from chunking.store.index.build_record import chunk_fingerprint
from tests.splitting.inline import Cut
from tests.support.facts import tells

Measure = Callable[..., Chunker]
SENTENCE = "The measure of a chunk is what it holds. "
GUIDE = "# Guide\n\n" + SENTENCE * 2 + "\n\n## Install it\n\n" + SENTENCE * 12


def test_each_kind_of_prefix_heads_its_chunks(cut: Cut) -> None:
    """None; the heading on later chunks only; the path; document title and path without saying a title twice."""
    assert {chunk.prefix for chunk in cut(GUIDE, size=60)} == {""}
    headed = [chunk.prefix for chunk in cut(GUIDE, size=60, prefix="header")]
    assert headed[:2] == ["", ""]
    assert set(headed[2:]) == {"Install it"}
    assert cut(GUIDE, size=60, prefix="title_path")[-1].prefix == "Guide > Install it"
    assert cut(GUIDE, size=60, prefix="document_title_path")[-1].prefix == "Guide > Install it"
    assert cut("## A\n\nText.\n\n# B\n\nMore.", size=60, prefix="document_title_path")[0].prefix == "B > A"


def test_a_heading_is_never_twice(cut: Cut) -> None:
    """With overlap a chunk may hold the heading of its section in the middle: then it is not its prefix."""
    for chunk in cut(GUIDE, size=40, overlap="20", prefix="header", strategy="recursive"):
        assert not (chunk.prefix and f"# {chunk.prefix}" in chunk.content)


def test_a_prefix_over_half_of_the_size_loses_its_front(chunker: Measure) -> None:
    """The deepest heading stays; it is flagged and said."""
    text = "# One long title of many words indeed\n\n## And another one of many words\n\n### Deep\n\n" + SENTENCE * 6
    measured = chunker(text)
    config = ChunkConfig(size=24, min_size=0)
    chunks = measured.chunks(config)
    assert {chunk.prefix for chunk in chunks} == {"… > And another one of many words > Deep"}
    assert all(Flag.PREFIX_SHORTENED in chunk.flags for chunk in chunks)
    assert tells(measured.boundaries(config).warnings[:1], "shortened 24")
    assert {chunk.prefix for chunk in measured.chunks(ChunkConfig(size=16, min_size=0))} == {"… > Deep"}
    assert {chunk.prefix for chunk in measured.chunks(ChunkConfig(size=400, min_size=0))} == {
        "One long title of many words indeed > And another one of many words > Deep"
    }


def test_a_title_of_one_long_word_gives_no_prefix(cut: Cut) -> None:
    """It cannot be shortened at a word; content is not dropped for it."""
    chunks = cut("# " + "ab1-" * 40 + "\n\nText.", size=16, prefix="title_path")
    assert {chunk.prefix for chunk in chunks} == {""}
    assert "".join(chunk.content for chunk in chunks).endswith("Text.")


def test_the_separator_counts_in_characters(cut: Cut) -> None:
    """Prefix, blank line and content together keep the size."""
    chunks = cut(GUIDE, unit="characters", size=100, prefix="title_path")
    assert max(len(chunk.indexed_text) for chunk in chunks) <= 100
    assert max(len(chunk.indexed_text) for chunk in chunks) > 60


def test_achieved_next_to_requested(chunker: Measure) -> None:
    """Sizes and overlap in the unit, the cost of overlap, what was cut."""
    config = ChunkConfig(size=40, overlap="15", prefix="none", min_size=0)
    boundaries = chunker(SENTENCE * 30, "a.txt").boundaries(config)
    achieved = boundaries.achieved
    assert achieved.chunks == len(boundaries) == len(boundaries.starts)
    assert (achieved.size_min, achieved.size_max) == (boundaries.sizes.min(), boundaries.sizes.max())
    assert achieved.size_max <= 40
    assert achieved.overlap_requested == 15
    assert achieved.overlap_mean == achieved.overlap_max == 10
    repeated = sum(
        max(0, end - start)
        for end, start in zip(boundaries.ends[:-1].tolist(), boundaries.starts[1:].tolist(), strict=True)
    )
    assert achieved.overlap_share == pytest.approx(repeated / len(SENTENCE * 30), rel=0.01)
    none = chunker(SENTENCE * 30, "a.txt").boundaries(ChunkConfig(size=40)).achieved
    assert (none.overlap_mean, none.overlap_max, none.overlap_share) == (0, 0, 0)


def test_small_chunks_are_counted(chunker: Measure) -> None:
    """Those under the minimum that found no neighbour."""
    assert chunker("# A\n\nTiny.\n\n# B\n\nTiny.").boundaries(ChunkConfig()).achieved.small == 2


def test_the_models_limit_is_flagged(chunker: Measure) -> None:
    """MiniLM reads 254 tokens of text."""
    boundaries = chunker(SENTENCE * 60, "a.txt").boundaries(ChunkConfig(size=400))
    assert boundaries.achieved.over_model_limit >= 1
    assert boundaries.flags[0] == FLAG_BITS[Flag.OVER_MODEL_LIMIT]
    assert chunker(SENTENCE * 60, "a.txt").boundaries(ChunkConfig(size=254)).achieved.over_model_limit == 0


def test_a_chunk_has_every_field(cut: Cut) -> None:
    """Ids, neighbours, section, hash, metadata."""
    chunks = cut(
        "# Guide\n\nText with a [link](https://example.org).\n\n## Use\n\n```sh\nrun it\n```",
        "api/guide.md",
        prefix="title_path",
    )
    first, second = chunks
    assert (first.chunk_id, second.chunk_id) == ("api_guide_chunk0", "api_guide_chunk1")
    assert (first.prev_id, first.next_id, second.prev_id, second.next_id) == (
        None,
        "api_guide_chunk1",
        "api_guide_chunk0",
        None,
    )
    assert (second.section_id, second.parent_id) == ("api_guide_sec1", "api_guide_sec1")
    assert (first.chunk_index, second.chunk_index, first.total_chunks) == (0, 1, 2)
    assert (first.content_type, second.content_type, second.source_hint) == ("paragraph", "code", "[Code] sh")
    assert first.embedding_content == "Guide\n\nGuide\n\nText with a link."
    assert first.indexed_text.startswith("Guide\n\n# Guide")
    assert (second.pages, second.bboxes, second.flags) == ((), (), ())
    assert second.metadata == {
        "file_path": "api/guide.md",
        "relative_path": "api/guide.md",
        "file_name": "guide.md",
        "path_hierarchy": ("api",),
        "category": "api",
        "language": first.metadata["language"],
        "format": "markdown",
        "doc_toc": "Guide\n  Use",
        "section_path": ("Guide", "Use"),
        "chunk_type": "code",
        "chunk_index": 1,
        "total_chunks": 2,
    }
    assert first.metadata["doc_toc"] is second.metadata["doc_toc"]


def test_the_hash_tells_repeats() -> None:
    """White space and composition do not matter, words do."""
    assert text_hash("One  two\n") == text_hash("One two")
    assert text_hash("cafe\u0301") == text_hash("café")
    assert text_hash("One two") != text_hash("One too")


def test_plain_text_is_not_cleaned(cut: Cut) -> None:
    """An asterisk in a text file is an asterisk."""
    (chunk,) = cut("2 * 3 * 4 and *this* [x](y)", "a.txt")
    assert chunk.embedding_content == chunk.content


def test_chunk_document_finds_the_model() -> None:
    """The convenience: defaults, no model loaded."""
    import sys

    loaded = "torch" in sys.modules
    chunks = chunk_document(parse(GUIDE.encode(), "guide.md"))
    assert chunks[0].prefix == "Guide"
    assert ("torch" in sys.modules) == loaded


def test_a_setting_asked_for_again_is_not_cut_again(chunker: Measure) -> None:
    """The page asks for boundaries and then for chunks of the same settings at every step."""
    measured = chunker(GUIDE)
    config = ChunkConfig(prefix=Prefix.NONE)
    assert measured.boundaries(config) is measured.boundaries(config)
    split = measured.split(config)
    assert split.chunk(1) == split.chunks()[1]
    assert split.chunks()[1] is split.chunk(1)


def test_a_document_is_cut_as_its_category_says() -> None:
    """By the convenience that indexing and plans use, and with another fingerprint then; others are cut as all are."""
    config = Config.from_settings({"size": "100", "category.api.size": "32"})
    api, other = (parse((SENTENCE * 30).encode(), source) for source in ("api/a.txt", "guide/a.txt"))
    assert max(chunk.token_count for chunk in chunk_document(api, config)) <= 32
    assert max(chunk.token_count for chunk in chunk_document(other, config)) > 80
    general = Config.from_settings({"size": "100"})
    assert chunk_fingerprint(config, other) == chunk_fingerprint(general, other)
    assert chunk_fingerprint(config, api) == chunk_fingerprint(Config.from_settings({"size": "32"}), api)
