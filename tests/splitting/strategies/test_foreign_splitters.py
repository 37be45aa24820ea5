"""Splitters of other packages, cutting with this project's size and counting."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.config import ChunkConfig, Config, Strategy
from chunking.errors import ConfigError
from chunking.indexing import make_plan
from chunking.parsing import parse
from chunking.splitting import Chunker, TokenCounter
from chunking.splitting.strategies import foreign_splitters as foreign
from chunking.splitting.strategies.custom_splitters import check_splitter, split_with, splitter_names, splitter_version
from chunking.splitting.strategies.foreign_splitters import FOREIGN, foreign_names
from chunking.splitting.strategies.splitter_contract import Lengths
from chunking.store import Workspace

TEXT = "# Guide\n\n" + "\n\n".join(
    f"## Part {n}\n\nOne sentence of part {n} here. 中文句子在这里。😀 And another one, longer than that."
    for n in range(12)
)


@pytest.mark.parametrize("name", FOREIGN)
def test_each_cuts_as_it_does_and_keeps_the_laws(counter: TokenCounter, name: str) -> None:
    """Its chunks fit, hold everything, and are those it gives: no fallback, nothing cut further where there is no
    prefix.
    """
    document = parse(TEXT.encode(), "guide.md")
    config = ChunkConfig(strategy=Strategy.CUSTOM, splitter=name, size=40, prefix="none", keep_whole=(), min_size=0)
    chunker = Chunker(document, counter)
    bounds, chunks = chunker.boundaries(config), chunker.chunks(config)
    assert bounds.warnings == ()
    assert bounds.strategy_used == "custom"
    assert len(chunks) > 5
    assert all(chunk.content == TEXT[chunk.start : chunk.end] and chunk.token_count <= 40 for chunk in chunks)
    covered = {place for chunk in chunks for place in range(chunk.start, chunk.end)}
    assert all(place in covered for place, letter in enumerate(TEXT) if not letter.isspace())
    pieces = list(split_with(name, document, Lengths(40, 0, counter.count)))
    assert len([one for one in pieces if not isinstance(one, str) or one.strip()]) == len(chunks)


def test_a_prefix_leaves_less_room(counter: TokenCounter) -> None:
    """No chunk has to be cut further for what stands before it."""
    document = parse(TEXT.encode(), "guide.md")
    config = ChunkConfig(strategy=Strategy.CUSTOM, splitter="langchain:recursive", size=40, prefix="title_path")
    assert all(chunk.token_count <= 40 for chunk in Chunker(document, counter).chunks(config))


def test_named_where_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """And told how to get it where it is not; a new version of the package is another splitter."""
    assert set(foreign_names()) == set(FOREIGN) <= set(splitter_names())
    before = splitter_version("chonkie:sentence")
    monkeypatch.setattr(foreign, "_version", lambda package: "99")
    assert splitter_version("chonkie:sentence") != before

    monkeypatch.setattr(foreign, "_version", lambda package: "")
    assert foreign_names() == ()
    with pytest.raises(ConfigError, match="pip install chonkie"):
        check_splitter("chonkie:sentence")


def test_a_splitter_that_is_not_there_is_said_before_a_run(tmp_path: Path) -> None:
    """Else every document would be cut by a simpler strategy, and a comparison would be of that."""
    workspace = Workspace.open(tmp_path)
    workspace.put_document(parse(TEXT.encode(), "guide.md"))
    for settings in (
        {"strategy": "custom", "splitter": "nope"},
        {"category.doc.strategy": "custom", "category.doc.splitter": "nope"},
    ):
        with pytest.raises(ConfigError, match="There is no splitter 'nope'"):
            make_plan(workspace, Config.from_settings(settings))
