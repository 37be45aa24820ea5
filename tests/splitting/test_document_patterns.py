"""Patterns of a configuration: boundaries under every strategy, headings, and a warning if one is abandoned."""

from __future__ import annotations

import pytest

from chunking.config import ChunkConfig, Config, Strategy, safe_patterns
from chunking.embedding.model_folder import find_model
from chunking.parsing import parse
from chunking.splitting import Chunker, chunk_document, headings_key, patterned, shaped, token_counter
from chunking.splitting.measure import measured_document
from tests.support.facts import tells

TALK = "Anna: we begin.\nTwo more words.\nBen: yes, anna: I know.\nAnna: good.\n"


@pytest.mark.parametrize(
    "strategy", [strategy for strategy in Strategy if strategy not in ("custom", "semantic", "page")]
)
def test_a_chunk_starts_wherever_a_pattern_matches(strategy: Strategy) -> None:
    """Under every strategy; a match inside a word has no effect."""
    document = parse(TALK.encode(), "talk.txt")
    config = Config(chunk=ChunkConfig(strategy=strategy, prefix="none", min_size=0, split_before="transcript || nna"))
    starts = [chunk.content.split(":")[0] for chunk in chunk_document(document, config)]
    assert starts == ["Anna", "Ben", "Anna"]


def test_other_patterns_share_the_measured_document(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other patterns share the measure of the text and its token counts."""
    document = parse(("Article 1 first.\n\nArticle 2 second.\n" * 20).encode(), "a.txt")
    counter = token_counter(find_model("all-MiniLM-L6-v2").path)
    chunker = Chunker(document, counter)
    config = ChunkConfig(headings_from=r"2: ^Article \d+")
    split = chunker.split(config)
    assert split.view.measured.positions is chunker.measured.positions
    assert chunker.split(config) is split
    assert chunker.split(config.model_copy(update={"size": 60})).view is split.view
    assert chunker.split(ChunkConfig()).view.measured is chunker.measured
    assert {chunk.title_path for chunk in split.chunks()} == {
        ("Article 1",),
        ("Article 2",),
    }


def test_tables_take_captions_of_other_headings_without_being_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The chunks are those of a document measured with these headings."""
    rows = "".join(f"| {number} | value {number} |\n" for number in range(6))
    document = parse(f"# All\n\nPart a of it.\n\nPart b.\n\n| key | what |\n|---|---|\n{rows}\nEnd.\n".encode(), "a.md")
    counter = token_counter(find_model("all-MiniLM-L6-v2").path)
    chunker = Chunker(document, counter, max_tokens=254)
    chunker.chunks(ChunkConfig(size=60))
    read: list[object] = []
    reader = measured_document.TableCells
    monkeypatch.setattr(measured_document, "TableCells", lambda *args: read.append(args) or reader(*args))
    for pattern, title in (("2: ^Part b", "Part b"), ("2: ^Part a", "Part a"), ("2: nowhere", "All")):
        config = ChunkConfig(size=60, headings_from=pattern)
        chunks = chunker.chunks(config)
        assert any(f'The table "{title}" lists key' in chunk.embedding_content for chunk in chunks)
        assert not read
        anew = Chunker(shaped(document, Config(chunk=config)), counter, max_tokens=254)
        assert chunks == anew.chunks(ChunkConfig(size=60))
        assert (
            chunker.boundaries(config).embedded_tokens.tolist()
            == anew.boundaries(ChunkConfig(size=60)).embedded_tokens.tolist()
        )
        read.clear()


def test_a_heading_elsewhere_keeps_the_sizes_of_chunks_with_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pattern typed letter by letter cleans only the text of chunks that it moves, and that once."""
    table = "| key | what |\n|---|---|\n| *1* | one |\n"
    document = parse("".join(f"# Part {name}\n\nOf {name} *first*.\n\n{table}\n" for name in "abcd").encode(), "a.md")
    chunker = Chunker(document, token_counter(find_model("all-MiniLM-L6-v2").path), max_tokens=254)
    config = ChunkConfig(size=100)
    chunker.boundaries(config)
    cleaned: list[str] = []
    clean = measured_document.without_markup
    monkeypatch.setattr(
        measured_document,
        "without_markup",
        lambda name, text, *rest, **named: cleaned.append(text) or clean(name, text, *rest, **named),
    )
    chunker.boundaries(config.model_copy(update={"headings_from": "2: ^Of a"}))
    assert cleaned == []
    chunker.boundaries(config.model_copy(update={"split_before": "^Of b"}))
    assert cleaned
    assert all("b" in text and "Of c" not in text for text in cleaned)
    cleaned.clear()
    for pattern in ("^Of b", "nowhere"):
        chunker.boundaries(config.model_copy(update={"split_before": pattern, "headings_from": "2: ^Of a"}))
    assert cleaned == []


def test_an_abandoned_pattern_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """The document is split without it; other patterns hold."""
    monkeypatch.setattr(safe_patterns, "MOST_MATCHES", 3)
    safe_patterns.find_matches.clear()
    document = parse(TALK.encode(), "talk.txt")
    config = ChunkConfig(split_before="[a-z]+ || ^Ben")
    result = patterned(document, config)
    safe_patterns.find_matches.clear()
    assert tells(result.warnings, "pattern [a-z]+ 3 talk.txt")
    assert [document.text[offset:][:3] for offset in result.offsets] == ["Ben"]


def test_categories_have_patterns_of_their_own() -> None:
    """They shape only documents of their category; equal keys mean equal documents."""
    config = Config.from_settings({"category.law.headings_from": "2: ^Anna"})
    law, talk = (parse(TALK.encode(), "talk.txt", category=category) for category in ("law", "doc"))
    assert [section.title for section in shaped(law, config).sections] == ["Anna", "Anna"]
    assert shaped(talk, config) is talk
    assert headings_key(Config()) == ()
    assert headings_key(config) != headings_key(Config.from_settings({"headings_from": "2: ^Anna"}))
