"""Parents and larger sizes: even groups of whole chunks that a reader would make, too."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from chunking.config import ChunkConfig
from chunking.model import Document, Flag
from chunking.parsing import parse
from chunking.splitting import Chunker, Levels, TokenCounter
from tests.splitting.inline import read

SAMPLES = Path(__file__).parents[3] / "sample_data"
SENTENCE = "The quick brown fox jumps over the lazy dog today. "


def levels(counter: TokenCounter, document: Document, **settings: object) -> Levels:
    """The levels of a document."""
    config = ChunkConfig.model_validate({"prefix": "none", **settings})
    return Chunker(document, counter, max_tokens=254).split(config).levels()


def test_groups_are_even_rather_than_full_and_a_rest(counter: TokenCounter) -> None:
    """Five chunks where four fit: three and two, not four and one."""
    document = read("\n\n".join([SENTENCE * 2] * 5), "a.txt")
    result = levels(counter, document, size=24, parent_size=90, min_size=0)
    assert [len(parent.children) for parent in result.parents] == [3, 2]


def test_a_parent_ends_with_its_section(counter: TokenCounter) -> None:
    """Even where the next section would fit too; a heading that does not split is no end."""
    document = read(f"# A\n\n{SENTENCE * 3}\n\n## B\n\n{SENTENCE * 3}\n\n## C\n\n{SENTENCE}", "a.md")
    result = levels(counter, document, size=30, parent_size=500, min_size=0)
    assert [parent.content.split("\n")[0] for parent in result.parents] == ["# A", "## B", "## C"]
    across = levels(counter, document, size=30, parent_size=500, min_size=0, heading_levels="1")
    assert [parent.content.split("\n")[0] for parent in across.parents] == ["# A"]
    assert across.parents[0].children == tuple(chunk.chunk_id for chunk in across.chunks)


def test_a_larger_size_reaches_over_headings_with_the_path_they_share(counter: TokenCounter) -> None:
    """Its title path is that of the section which holds all of it, its prefix too."""
    document = read(f"# A\n\n## B\n\n{SENTENCE * 2}\n\n## C\n\n{SENTENCE * 2}\n\n# D\n\n{SENTENCE * 2}", "a.md")
    result = levels(counter, document, size=36, granularities="2", prefix="title_path", min_size=0)
    assert [(row.title_path, row.prefix) for row in result.larger[2]] == [(("A",), "A"), (("D",), "D")]
    everything = levels(counter, document, size=40, granularities="8", prefix="title_path", min_size=0)
    (row,) = everything.larger[8]
    assert (row.title_path, row.prefix, row.section_id) == ((), "", document.sections[0].section_id)


def test_what_reaches_over_everything_keeps_the_documents_title(counter: TokenCounter) -> None:
    """Where the prefix begins with it."""
    document = read(f"# A\n\n{SENTENCE * 2}\n\n# D\n\n{SENTENCE * 2}", "guide/notes.md")
    (row,) = levels(counter, document, size=40, granularities="8", prefix="document_title_path", min_size=0).larger[8]
    assert row.prefix == document.title


def table(rows: int) -> str:
    return "| Name | Port |\n|---|---|\n" + "\n".join(
        f"| service {number} | {7000 + number} |" for number in range(rows)
    )


def test_a_table_that_fits_stays_with_its_text(counter: TokenCounter) -> None:
    """One that was cut into several chunks is whole again in the parent, with the words that introduce it."""
    document = read(f"# A\n\n{SENTENCE}\n\n{table(25)}\n\n{SENTENCE}", "a.md")
    result = levels(counter, document, size=100, parent_size=1000, min_size=0)
    assert len(result.chunks) > 4
    assert [len(parent.children) for parent in result.parents] == [len(result.chunks)]


def test_a_table_over_the_parents_size_is_parted_between_rows(counter: TokenCounter) -> None:
    """The words that introduce it stay with its first rows, and each part after the first repeats the header."""
    document = read(f"# A\n\n{SENTENCE}\n\n{table(60)}\n\n{SENTENCE}", "a.md")
    result = levels(counter, document, size=100, parent_size=300, min_size=0)
    assert len(result.parents) > 1
    assert "fox" in result.parents[0].content
    assert "| service 0 |" in result.parents[0].content
    assert all(parent.counted_text.count("| Name | Port |") == 1 for parent in result.parents)


def test_parents_are_not_smaller_than_what_they_hold(counter: TokenCounter) -> None:
    """A parent size under the chunks' makes each chunk its own parent."""
    result = levels(counter, read(SENTENCE * 20, "a.txt"), size=60, parent_size=20, min_size=0)
    assert [parent.children for parent in result.parents] == [(chunk.chunk_id,) for chunk in result.chunks]
    assert all(Flag.OVER_SIZE in parent.flags for parent in result.parents)


def test_overlap_is_in_both_groups(counter: TokenCounter) -> None:
    """A parent spans from its first chunk's start to its last one's end."""
    result = levels(counter, read(SENTENCE * 40, "a.txt"), size=50, overlap="12", parent_size=120, min_size=0)
    assert all(after.start < before.end for before, after in pairwise(result.parents))
    by_id = {chunk.chunk_id: chunk for chunk in result.chunks}
    for parent in result.parents:
        assert (parent.start, parent.end) == (by_id[parent.children[0]].start, by_id[parent.children[-1]].end)


def test_a_larger_size_over_the_models_limit_says_how_it_is_embedded(counter: TokenCounter) -> None:
    """By the mean of its windows; a parent, which is not embedded, says nothing."""
    result = levels(counter, read(SENTENCE * 100, "a.txt"), size=200, parent_size=800, granularities="4", min_size=0)
    assert any(Flag.MEAN_OF_WINDOWS in row.flags for row in result.larger[4])
    assert not any(Flag.OVER_MODEL_LIMIT in row.flags for row in (*result.larger[4], *result.parents))


@pytest.mark.parametrize("name", ["handbook/operations-handbook.md", "manual-zh/产品使用手册.md"])
def test_parents_of_real_documents(counter: TokenCounter, name: str) -> None:
    """English and Chinese: a parent has the title path of its section, begins at a heading or block, and none is a
    small rest.
    """
    document = parse((SAMPLES / name).read_bytes(), name)
    result = levels(counter, document, size=100, parent_size=400, prefix="title_path")
    assert len(result.parents) < 0.6 * len(result.chunks)
    by_id = {chunk.chunk_id: chunk for chunk in result.chunks}
    for parent in result.parents:
        assert parent.title_path == by_id[parent.children[0]].title_path or len(parent.children) > 1
    for before, after in pairwise(result.parents):
        if before.section_id == after.section_id:
            assert min(before.token_count, after.token_count) > 60, (before.content, after.content)


@pytest.mark.parametrize("parent_size", [300, 2000])
def test_many_small_chunks_make_even_groups_too(counter: TokenCounter, parent_size: int) -> None:
    """With up to hundreds of chunks in a group, some far shorter than others: all fit, and none is a small rest."""
    paragraphs = [SENTENCE * (1 + number % 3) if number % 37 else "Yes." for number in range(400)]
    document = read("\n\n".join(paragraphs), "a.txt")
    result = levels(counter, document, size=16, parent_size=parent_size, min_size=0)
    assert len(result.chunks) > 16 * len(result.parents)
    assert max(parent.token_count for parent in result.parents) <= parent_size
    assert min(parent.token_count for parent in result.parents) > 0.7 * parent_size
    assert [child for parent in result.parents for child in parent.children] == [
        chunk.chunk_id for chunk in result.chunks
    ]


def test_a_chunk_over_the_parents_size_stands_alone_among_many_small_ones(counter: TokenCounter) -> None:
    """A word that cannot be cut, in the middle of short lines."""
    lines = [f"Line {number}." for number in range(200)]
    document = read("\n\n".join([*lines[:100], "ab1" * 33, *lines[100:]]), "a.txt")
    result = levels(counter, document, unit="characters", size=16, parent_size=90, min_size=0, strategy="elements")
    assert all(len(parent.content) <= 90 or len(parent.children) == 1 for parent in result.parents)


def test_a_level_above_is_known_without_its_chunks(counter: TokenCounter) -> None:
    """The same spans, prefixes, groups and descriptions of tables as its chunks."""
    rows = "\n".join(f"| key{number} | what key {number} does |" for number in range(12))
    document = read(
        f"# Title\n\n{SENTENCE * 6}\n\n## Keys\n\n| key | meaning |\n|---|---|\n{rows}\n\n{SENTENCE * 6}", "a.md"
    )
    config = ChunkConfig(size=60, granularities=(2,), parent_size=150)
    split = Chunker(document, counter, max_tokens=254).split(config)
    result = split.levels()
    for level, chunks in (("chunk", result.chunks), ("parent", result.parents), ("x2", result.larger[2])):
        boundaries = split.boundaries if level == "chunk" else split.level(level).boundaries
        assert list(zip(boundaries.starts.tolist(), boundaries.ends.tolist(), strict=True)) == [
            (c.start, c.end) for c in chunks
        ]
        assert boundaries.prefixes == [chunk.prefix for chunk in chunks]
        described = split.descriptions(boundaries)
        assert [described.get(number, "") for number in range(len(chunks))] == [chunk.description for chunk in chunks]
    assert any(chunk.description for chunk in result.chunks)
    larger = [chunk.larger_ids[0] for chunk in result.chunks]
    assert [f"{document.doc_id}_x2_{number}" for number in split.level("x2").groups.tolist()] == larger
