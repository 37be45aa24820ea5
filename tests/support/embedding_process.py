"""Process that embeds texts into a workspace's cache: `embedding_process.py WORKSPACE GROUPS`.

It prints `ready`, waits for a line, embeds all groups in turn, and prints as JSON the texts that reached its model.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np

from chunking.embedding import CachedEmbedder
from chunking.store import Workspace
from tests.support.store_rows import FakeEmbedder

SIZE = 30
"""Texts per group."""


class SlowEmbedder(FakeEmbedder):
    """Embedder that takes a while, so that two processes work at the same time."""

    def embed(
        self, texts: Sequence[str], *, role: str = "passage", on_progress: Callable[[int], None] | None = None
    ) -> np.ndarray:
        time.sleep(0.1)
        return super().embed(texts, role=role, on_progress=on_progress)


def main(folder: str, groups: int) -> None:
    """Embed `groups` groups of texts, the same in every process."""
    embedder = SlowEmbedder()
    cached = CachedEmbedder(embedder, Workspace.open(folder).vectors)
    print("ready", flush=True)
    sys.stdin.readline()
    for group in range(groups):
        cached.embed([f"text {group} {number}" for number in range(SIZE)])
    print(json.dumps(sorted(embedder.embedded_texts.elements())), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
