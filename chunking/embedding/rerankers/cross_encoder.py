"""Cross-encoders: a model that reads query and text together and gives one score; better than vectors, and far slower.

After Nogueira and Cho, "Passage Re-ranking with BERT" (arXiv 1901.04085). Any cross-encoder of sentence-transformers,
by name or
folder, when its weights are on this machine or may be fetched.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunking.embedding.local.engine_table import ENGINES
from chunking.embedding.local.model_opening import load_quietly
from chunking.embedding.model_folder import ModelFolder, find_model
from chunking.errors import ModelError

__all__ = ["CrossEncoder", "load_cross_encoder"]

_PUBLISHER = "cross-encoder"
"""Where a name without a publisher is looked for."""
_AT_ONCE = 16
"""Pairs in a batch, and between two reports of progress."""


class CrossEncoder:
    """Scores texts for a query. The model is loaded by the first call; may be shared by threads, which take turns."""

    def __init__(self, folder: ModelFolder) -> None:
        self.folder = folder
        self.calls = 0
        """Calls of `scores` that reached the model."""
        self._model: Any = None
        self._busy = RLock()  # the tokenizer changes its settings with each call

    @property
    def key(self) -> str:
        """`name@revision`."""
        return f"{self.folder.name}@{self.folder.revision}"

    def scores(
        self, query: str, texts: Sequence[str], *, on_progress: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        """How well each text answers.

        Args:
            texts: cut where query and text together are longer than the model reads.
            on_progress: called with the number of texts done; may raise to stop.
        Returns:
            (n,) float32; higher is better, the range is the model's own (mostly 0 to 1).
        Raises:
            ModelError: it cannot be loaded, gives something else than one number a pair, or one that is not finite.
        """
        scores = np.zeros(len(texts), np.float32)
        order = np.argsort(
            [len(text) for text in texts], kind="stable"
        )  # texts of like length together: less is padded
        with self._busy:
            for first in range(0, len(texts), _AT_ONCE):
                some = order[first : first + _AT_ONCE]
                scores[some] = self._of([(query, texts[number]) for number in some])
                if on_progress is not None:
                    on_progress(first + len(some))
            self.calls += bool(len(texts))
        return scores

    def _of(self, pairs: list[tuple[str, str]]) -> NDArray[np.float32]:
        if self._model is None:
            self._model = _load(self.folder)
        clean = [tuple(text.encode("utf-8", "replace").decode() for text in pair) for pair in pairs]
        found = np.asarray(self._model.predict(clean, batch_size=_AT_ONCE, show_progress_bar=False), np.float32)
        if found.shape != (len(pairs),):
            raise self._fault(
                f"gives {found.size // len(pairs)} numbers for a query and a text, where a reranker gives one"
            )
        if not np.isfinite(found).all():
            raise self._fault("gave scores that are not finite")
        return found

    def _fault(self, fault: str) -> ModelError:
        return ModelError(
            f"The cross-encoder '{self.folder.name}' {fault}: choose another.", where=str(self.folder.path)
        )


def load_cross_encoder(name: str, allow_download: bool = False) -> CrossEncoder:
    """The cross-encoder of a name, one a process.

    Args:
        name: such as `cross-encoder/ms-marco-MiniLM-L6-v2` or `ms-marco-MiniLM-L6-v2`, or a folder.
        allow_download: fetch it from the model hub where it is not at hand.
    Raises:
        ModelError: its weights are not on this machine, it is no cross-encoder, or there is no torch to run it.
    """
    if not name.strip():
        raise ModelError(
            "No cross-encoder is set: give its name or folder, or turn that stage off.", where="search.rerank_model"
        )
    if not ENGINES["torch"].installed:
        raise ModelError.needs_full_installation("A cross-encoder", where="search.rerank_model")
    folder = find_model(name, allow_download=allow_download, publisher=_PUBLISHER)
    if not _is_cross_encoder(folder.path):
        raise ModelError(
            (
                f"'{folder.name}' does not score pairs of texts: give the name of a cross-encoder, such as "
                f"ms-marco-MiniLM-L6-v2."
            ),
            where=str(folder.path),
        )
    return _cross_encoder(folder)


@lru_cache(maxsize=2)
def _cross_encoder(folder: ModelFolder) -> CrossEncoder:
    return CrossEncoder(folder)


def _is_cross_encoder(path: Path) -> bool:
    """Whether the files declare a cross-encoder; transformers gives others a random last layer and random scores."""
    config = json.loads((path / "config.json").read_text(encoding="utf-8"))
    if any(str(name).endswith("ForSequenceClassification") for name in config.get("architectures") or ()):
        return True
    own = path / "config_sentence_transformers.json"
    return own.is_file() and json.loads(own.read_text(encoding="utf-8")).get("model_type") == "CrossEncoder"


def _load(folder: ModelFolder) -> Any:
    def model() -> Any:
        from sentence_transformers import CrossEncoder as Model

        return Model(str(folder.path), device="cpu", local_files_only=True, trust_remote_code=False)

    return load_quietly(folder, model)
