"""Live recall: what a configuration finds, from documents encoded once, while a slider moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from chunking.config import Config, EmbeddingConfig
from chunking.evaluation.live_scores import LiveScores
from chunking.evaluation.questions import QuestionSet
from chunking.model import Document

if TYPE_CHECKING:
    from chunking.cutting import Chunker
    from chunking.embedding import EncodingCache, VectorCache
    from chunking.evaluation.measure import Measure

__all__ = ["Live", "OnLiveProgress"]

OnLiveProgress = Callable[[float, str], None]
"""Called with the share that is done, 0 to 1, and what is being done; may raise to stop."""


class Live:
    """Documents and questions, encoded once; `scores` then asks no model. Safe to be shared by sessions.

    Args:
        documents: those of the workspace.
        embedding: the model; `mode` and `precision` as the index has them. Vectors are pooled (late) whatever the mode.
        questions: what is asked; answers in other documents count as not found.
        encodings: keeps encodings, such as `Workspace.encodings`.
        vectors: keeps vectors of questions and titles, such as `Workspace.vectors`.
        chunker: gives the measured chunker of a document, where one is at hand already.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        embedding: EmbeddingConfig,
        questions: QuestionSet,
        *,
        encodings: EncodingCache | None = None,
        vectors: VectorCache | None = None,
        chunker: Callable[[Document], Chunker] | None = None,
    ) -> None:
        self.documents = tuple(documents)
        self.embedding = embedding
        self.questions = questions
        self._caches = encodings, vectors
        self._chunker = chunker

    @property
    def ready(self) -> bool:
        """Whether `prepare` is done."""
        return False

    def prepare(self, on_progress: OnLiveProgress | None = None) -> None:
        """Measure and encode the documents, and embed the questions: the only step that asks the model, once.

        Raises:
            ModelError: the model cannot be loaded, or fails.
        """
        raise NotImplementedError

    def scores(self, config: Config, measure: Measure | None = None) -> LiveScores:
        """What a configuration finds. No model is asked.

        Args:
            measure: `Measure(5)` where it is None.
        Raises:
            QuestionError: `prepare` was not called.
        """
        raise NotImplementedError
