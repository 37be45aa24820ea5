"""`python -m chunking.worker` with the fake embedder in the place of the model: `python -m tests.store.fake_worker`."""

from __future__ import annotations

import sys

import chunking.embedding
from chunking import worker
from tests.store.made import FakeEmbedder

if __name__ == "__main__":
    chunking.embedding.load_embedder = lambda config: FakeEmbedder()
    sys.exit(worker.main())
