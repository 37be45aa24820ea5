"""Room for what is written when an index is built, and how a text comes into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.config import ChunkConfig, Prefix
from chunking.model import Chunk, Flag
from chunking.parsing import parse
from chunking.splitting import Chunker, TokenCounter, room_for, with_generated_text
from tests.splitting.inline import read

SAMPLES = Path(__file__).parents[3] / "sample_data"
SENTENCE = "The quick brown fox jumps over the lazy dog today. "


def chunks_of(
    counter: TokenCounter, text: str, source: str = "a.md", **settings: object
) -> tuple[ChunkConfig, list[Chunk]]:
    config = ChunkConfig.model_validate({"prefix": "context", "min_size": 0, **settings})
    return config, Chunker(read(text, source), counter, max_tokens=254).chunks(config)


def test_the_text_stands_at_the_end_of_the_prefix(counter: TokenCounter) -> None:
    """Under the title path; what is embedded begins with both."""
    config, chunks = chunks_of(counter, f"# A\n\n## B\n\n{SENTENCE * 30}", size=100)
    result = with_generated_text(chunks[1], "It is about  foxes.\nAnd dogs.", config, counter.count, 254)
    assert (result.prefix, result.written) == ("A > B\nIt is about foxes. And dogs.", "It is about foxes. And dogs.")
    assert result.embedding_content.startswith("A > B\nIt is about foxes. And dogs.\n\nThe quick")


def test_without_a_path_the_text_is_the_prefix(counter: TokenCounter) -> None:
    """A text without headings."""
    config, chunks = chunks_of(counter, SENTENCE * 30, "a.txt", size=100)
    assert with_generated_text(chunks[1], "About foxes.", config, counter.count, None).embedding_content.startswith(
        "About foxes.\n\nThe quick"
    )


def test_it_is_cut_at_a_sentence_else_at_a_word(counter: TokenCounter) -> None:
    """As much as there is room for, in English and Chinese."""
    config, chunks = chunks_of(counter, f"# A\n\n{SENTENCE * 30}", size=100, context_size=12)
    assert (
        with_generated_text(chunks[1], f"{SENTENCE}{SENTENCE}", config, counter.count, 254).written == SENTENCE.strip()
    )
    assert with_generated_text(chunks[1], "foxes and dogs " * 9, config, counter.count, 254).written.endswith(" and…")
    assert (
        with_generated_text(chunks[1], "网关的安装步骤。" * 9, config, counter.count, 254).written == "网关的安装步骤。"
    )
    assert (
        with_generated_text(chunks[1], "网关的安装步骤和注意事项都在这里说明", config, counter.count, 254).written
        == "网关的安装步骤和注意事…"
    )


def test_it_stands_before_the_header_of_a_table(counter: TokenCounter) -> None:
    """So that header and rows stay one table."""
    rows = "\n".join(f"| service {number} | {7000 + number} |" for number in range(60))
    config, chunks = chunks_of(counter, f"# A\n\n| Name | Port |\n|---|---|\n{rows}", size=100)
    result = with_generated_text(chunks[1], "Ports of services, in rows.", config, counter.count, 254)
    assert result.prefix == "A\nPorts of services, in rows.\n\n| Name | Port |\n|---|---|"


@pytest.mark.parametrize("unit", ["tokens", "characters"])
def test_boundaries_show_the_room_and_do_not_depend_on_what_is_written(counter: TokenCounter, unit: str) -> None:
    """The size has it, the count of tokens has it not; context and summary have the same room."""
    document = parse((SAMPLES / "handbook/operations-handbook.md").read_bytes(), "handbook.md")
    chunker = Chunker(document, counter, max_tokens=254)
    size = 200 if unit == "tokens" else 800
    config = ChunkConfig.model_validate({"prefix": "context", "unit": unit, "size": size})
    bounds = chunker.boundaries(config)
    summary = chunker.boundaries(config.model_copy(update={"prefix": Prefix.SUMMARY}))
    assert bounds.starts.tolist() == summary.starts.tolist()
    assert bounds.achieved.free_mean == pytest.approx(48 if unit == "tokens" else 192, abs=4)
    assert bounds.sizes.max() <= size
    plain = chunker.boundaries(config.model_copy(update={"prefix": Prefix.TITLE_PATH}))
    assert plain.achieved.free_mean == 0
    assert len(plain) < len(bounds)


def test_there_is_no_room_in_a_very_small_chunk(counter: TokenCounter) -> None:
    """A prefix takes half of the size at most; under eight tokens nothing is said."""
    config, chunks = chunks_of(counter, f"# A title of some length\n\n{SENTENCE * 3}", size=20)
    assert room_for(chunks[0], config, counter.count).tokens == 0
    assert with_generated_text(chunks[0], "About foxes.", config, counter.count, 254) is chunks[0]


def test_room_beyond_the_models_limit_is_flagged_until_it_is_known(counter: TokenCounter) -> None:
    """The preview says what may come; the text that came says what is."""
    config, chunks = chunks_of(counter, SENTENCE * 200, "a.txt", size=290)
    assert Flag.OVER_MODEL_LIMIT in chunks[0].flags
    assert chunks[0].token_count <= 254
    assert Flag.OVER_MODEL_LIMIT not in with_generated_text(chunks[0], "Foxes.", config, counter.count, 254).flags


def test_parents_and_granularities_have_no_room(counter: TokenCounter) -> None:
    """What is written is written about chunks."""
    config = ChunkConfig(prefix=Prefix.CONTEXT, size=60, parent_size=200, granularities=(2,))
    result = Chunker(read(f"# A\n\n{SENTENCE * 30}", "a.md"), counter).split(config).levels()
    for row in (*result.parents, *result.larger[2]):
        assert room_for(row, config, counter.count).tokens == 0
