"""One counter, and documents that are measured and cut."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chunking.config import ChunkConfig
from chunking.embedding.model_folder import find_model
from chunking.model import Chunk
from chunking.splitting import Chunker, TokenCounter, token_counter
from tests.splitting.inline import Cut, read


@pytest.fixture(scope="session")
def counter() -> TokenCounter:
    """The default model's."""
    return token_counter(find_model("all-MiniLM-L6-v2").path)


@pytest.fixture
def chunker(counter: TokenCounter) -> Callable[[str], Chunker]:
    """A text, measured."""
    return lambda text, source="guide/notes.md": Chunker(read(text, source), counter, max_tokens=254)


@pytest.fixture
def cut(chunker: Callable[..., Chunker]) -> Cut:
    """A text, cut; settings as keywords, no minimum size and no prefix unless asked for."""

    def cut_text(text: str, source: str = "guide/notes.md", **settings: object) -> list[Chunk]:
        return chunker(text, source).chunks(ChunkConfig.model_validate({"min_size": 0, "prefix": "none", **settings}))

    return cut_text
