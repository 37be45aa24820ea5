"""A process that embeds texts into the cache of a workspace, for tests of two of them: `embedding_process.py WORKSPACE
GROUPS`.

It says `ready`, waits for a line, embeds all groups one after the other, and says as JSON which texts its model saw.
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
"""Texts of a group."""


class SlowEmbedder(FakeEmbedder):
    """Takes a while, as a model does, so that two processes are at work at one time."""

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
    print(json.dumps(sorted(embedder.seen.elements())), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
