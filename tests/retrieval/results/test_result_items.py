"""Results in another language than the query say so, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.config import SearchConfig
from chunking.retrieval import search
from chunking.store import Workspace
from tests.support.facts import tells
from tests.support.shelf import MANUAL, fill
from tests.support.word_embedder import WordEmbedder

CODE = f"{MANUAL}\n## pumpctl\n\n```sh\npumpctl stop --now && pumpctl status --verbose --all\n```\n"


@pytest.mark.parametrize(
    ("query", "text", "words"),
    [
        ("怎样停止水泵？", CODE, ""),  # a block of code is in the language of its document
        ("Wann wird der Filter gewechselt?", MANUAL, "text Chinese query not"),
        ("更换滤芯之前要做什么？", "# Power\n\nThe gateway takes 24 V direct current.\n", "query Chinese text English"),
    ],
)
def test_a_hit_in_another_language_says_so(
    tmp_path: Path, embedder: WordEmbedder, query: str, text: str, words: str
) -> None:
    """Latin letters do not say which language they are in, so a query in them is given none."""
    workspace = Workspace.open(tmp_path)
    fill(workspace, {"file.md": text}, embedder)
    results = search(workspace, query, SearchConfig(mode="vector"), embedder=embedder).results
    assert results
    for result in results:
        assert tells(result.explanation, words)
        assert ("Chinese" in result.explanation) is bool(words)
        assert ("English" in result.explanation) is ("English" in words)
