"""Ranked results of each question, by the product or by a rebuilt method, kept between runs.

The product is asked through its own evaluation: an index in LanceDB and its public search, so that every setting counts
as it does for users. A finished part of the questions is saved at once.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from benchmarks.peers import MODEL, cl100k_tokens, ranking
from benchmarks.quality.collection_forms import AskedCollection
from benchmarks.quality.configurations import Configuration
from chunking import Config
from chunking.embedding import load_embedder
from chunking.evaluation import EvaluationOptions, EvaluationProgress, Found, Trials, evaluate

__all__ = ["DEPTH", "SHOWN", "CollectionRankings", "ProgressLine"]

SHOWN = 5
DEPTH = 30
"""Results of a question: enough for 2,000 tokens at any measured size."""
PART = 50
"""Questions that are asked before the answers are saved."""
REBUILT_VERSION = 1
"""Raised by hand when a change of `benchmarks.peers` changes results."""

Ranking = tuple[Found, ...]


class ProgressLine:
    """Line of progress on standard error, overwritten in a terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self.title = ""

    def __call__(self, message: str) -> None:
        """Show a step under the present title; only in a terminal."""
        if self._stream.isatty():
            print(f"\r\033[K{self.title}: {message}", end="", file=self._stream, flush=True)

    def finish(self, message: str) -> None:
        """Write the last line of the present title."""
        start = "\r\033[K" if self._stream.isatty() else ""
        print(f"{start}{self.title}: {message}", file=self._stream, flush=True)


class CollectionRankings:
    """Rankings of a collection's questions; indexes are built in a scratch workspace, deleted at the end."""

    def __init__(self, collection: AskedCollection, show: Callable[[str], None]) -> None:
        self.collection, self._show = collection, show
        self._trials = Trials(collection.workspace)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._trials.close()

    def of(self, configuration: Configuration) -> list[Ranking]:
        """Return the results of each question, best first; tokens are those of the text in cl100k.

        Raises:
            ModelError: the embedding model is not at hand.
        """
        spans = self._rebuilt(configuration.name) if configuration.settings is None else self._searched(configuration)
        texts = self.collection.texts
        return [
            tuple(
                one._replace(tokens=cl100k_tokens(texts[one.doc_id][one.start : one.end])) if one.doc_id else one
                for one in results
            )
            for results in spans
        ]

    def _searched(self, configuration: Configuration) -> list[Ranking]:
        """Ask the product, a part of the questions at a time."""
        config = Config.from_settings(configuration.settings or {})
        load_embedder(config.embedding)  # a missing model is reported before anything is built for it
        questions = self.collection.questions
        ids = [one.id for one in questions.questions]
        for first in range(0, len(ids), PART):

            def progress(step: EvaluationProgress, first: int = first) -> None:
                self._show(f"{step.message}, {first + step.done:,} of {len(ids):,} questions")

            run = evaluate(
                self.collection.workspace,
                questions,
                config,
                EvaluationOptions(n=SHOWN, depth=DEPTH, only=ids[first : first + PART], label=configuration.name),
                trials=self._trials,
                on_progress=progress,
            )
        results = {one.question_id: one.results for one in run.answered}
        return [results[one] for one in ids]

    def _rebuilt(self, name: str) -> list[Ranking]:
        """Rank a rebuilt method's chunks by vectors, unless its results are kept."""
        texts, questions = self.collection.texts, [one.text for one in self.collection.questions.questions]
        key = [REBUILT_VERSION, name, load_embedder(MODEL).key, sorted(texts.items()), questions]
        path = self.collection.folder / "rebuilt" / f"{_digest(key)}.json"
        if not path.exists():
            self._show(f"splitting and embedding {len(texts):,} documents")
            rows = [[tuple(span) for span in spans[:DEPTH]] for spans in ranking(texts, name, questions)]
            _write(path, json.dumps(rows))
        return [
            tuple(Found(doc_id, start, end, 0, start, end) for doc_id, start, end in spans)
            for spans in json.loads(path.read_text(encoding="utf-8"))
        ]


def _digest(parts: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def _write(path: Path, text: str) -> None:
    """Write a file that is complete or absent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".part")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
