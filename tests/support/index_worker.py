"""The worker with a fake embedder: `python -m tests.support.index_worker [MOMENT]`.

After a progress message that begins with MOMENT it waits until it is stopped or killed. Each document is written in a
commit of its own, as if it were large.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import chunking.embedding
from chunking import indexing, worker
from chunking.indexing import IndexProgress, IndexReport
from chunking.indexing.run import index_run
from tests.support.store_rows import FakeEmbedder

RUN = indexing.run_plan


def run_until(moment: str) -> Any:
    """Return `run_plan`, waiting at a moment."""

    def run_plan(workspace: Any, plan: Any, *, on_progress: Any, cancelled: Any) -> IndexReport:
        def wait(progress: IndexProgress) -> None:
            on_progress(progress)
            while progress.message.startswith(moment) and not cancelled():
                time.sleep(0.01)

        return RUN(workspace, plan, on_progress=wait, cancelled=cancelled)

    return run_plan


if __name__ == "__main__":
    index_run._AT_ONCE = 1
    chunking.embedding.load_embedder = lambda config: FakeEmbedder()
    if len(sys.argv) > 1:
        indexing.run_plan = run_until(sys.argv[1])
    worker.run_process()
