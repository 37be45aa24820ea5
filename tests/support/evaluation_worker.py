"""The worker with a fake embedder: `python -m tests.support.evaluation_worker [MOMENT]`.

After a progress message that contains MOMENT it waits until it is stopped or killed.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import chunking.embedding
from chunking import worker
from tests.support.store_rows import FakeEmbedder

REPORT = worker._progress_reporter
STOP_AT_END = worker._stop_at_end


def pause_progress(moment: str, ended: threading.Event) -> Callable[[Any], Callable[[Any], None]]:
    """`_progress_reporter`, waiting at a moment."""

    def report(say: Any) -> Callable[[Any], None]:
        tell = REPORT(say)

        def wait(progress: Any) -> None:
            tell(progress)
            if moment in progress.message:
                ended.wait()

        return wait

    return report


if __name__ == "__main__":
    embedder = FakeEmbedder()
    chunking.embedding.load_embedder = lambda config: embedder
    if len(sys.argv) > 1:
        ended = threading.Event()

        def stop_at_end(stdin: Any, stop: threading.Event) -> None:
            STOP_AT_END(stdin, stop)
            ended.set()

        worker._stop_at_end = stop_at_end
        worker._progress_reporter = pause_progress(sys.argv[1], ended)
    worker.run_process()
