"""BERT models run by OpenVINO, which is a tenth of torch on disk, loads in a third of a second, and is faster on a
processor.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from functools import cached_property, partial
from threading import RLock
from typing import Any

import numpy as np

from chunking.config import Precision
from chunking.embedding.base import Vectors
from chunking.embedding.local.model_opening import has_head
from chunking.embedding.local.model_tokenizer import cutting_tokenizer, tokenizer_alone
from chunking.embedding.local.openvino_graph import STATES, VECTORS, MappedWeights, WordStates, bert_graph, unlike_bert
from chunking.embedding.local.transformer import Rows, Transformer
from chunking.embedding.model_folder import ModelFolder, check_weights
from chunking.errors import ModelError

__all__ = ["OpenVinoTransformer", "openvino_refusal"]

_HINTS = {Precision.FP32: "f32", Precision.BF16: "bf16"}
_BROKEN = (OSError, ValueError, RuntimeError, KeyError, TypeError)
"""What a file that is damaged, or of another model, raises on its way into memory."""
_SENDS_MESSAGES = "openvino.tools.ovc"
"""Converts models of other frameworks, and tells its makers of each import; nothing here needs it."""


def openvino_refusal(folder: ModelFolder) -> str:
    """What keeps OpenVINO from running a model, as "has ..." or "is ..."; empty where nothing does. Only small files
    are read.
    """
    config = _settings(folder, "config.json")
    if reason := unlike_bert(config):
        return reason
    if not (folder.path / "model.safetensors").is_file():
        return "has no model.safetensors"
    if has_head(folder) or folder.pooling not in ("mean", "cls"):
        return "has more than a mean of its tokens on top" if folder.pooling == "mean" else f"pools by {folder.pooling}"
    if _settings(folder, "1_Pooling/config.json").get("include_prompt") is False:
        return "leaves its prompt out of the mean"
    return (
        "changes texts before its tokenizer does"
        if _settings(folder, "sentence_bert_config.json").get("do_lower_case")
        else ""
    )


def _settings(folder: ModelFolder, name: str) -> dict[str, Any]:
    file = folder.path / name
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return content


class OpenVinoTransformer(Transformer):
    """The layers of BERT as OpenVINO compiles them, for each precision when it is first asked for.

    May be shared by threads, which take turns. Uses as many threads as `OMP_NUM_THREADS` says, else as the processor
    has cores.

    Args:
        folder: A model without `openvino_refusal`.
    Raises:
        ModelError: its files cannot be loaded, or the packaged weights are not the published ones.
    """

    def __init__(self, folder: ModelFolder) -> None:
        check_weights(folder)
        whole: Any = tokenizer_alone(folder)
        description = _settings(folder, "tokenizer.json")
        special = [row["id"] for row in description.get("added_tokens") or () if row.get("special")]
        super().__init__(
            folder,
            whole=whole,
            cut=partial(cutting_tokenizer, folder),
            special=special,
            pad=int(_settings(folder, "config.json").get("pad_token_id") or 0),
        )
        try:
            self._weights = MappedWeights(folder.path)
            self._words = WordStates(self._weights)
        except _BROKEN as error:
            raise self._broken(error) from error
        self._requests: dict[Precision, Any] = {}
        self._busy = RLock()

    def head(self, means: Vectors) -> Vectors:
        unit: Vectors = means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
        return unit

    @cached_property
    def bf16_agreement(self) -> float:
        with self._busy:
            self._request(Precision.FP32)  # that the model cannot be loaded is no disagreement
            agreement = super().bf16_agreement
            self._requests.clear()  # two sets of weights, of which one is used from now on
        return agreement

    def _vectors_of(self, rows: Rows, precision: Precision, prompt_length: int) -> Vectors:
        return self._run(rows, precision, VECTORS)

    def _states_of(self, rows: Rows, precision: Precision, prompt_length: int) -> Vectors:
        return self._run(rows, precision, STATES)

    def _run(self, rows: Rows, precision: Precision, output: int) -> Vectors:
        padded = self._padded(rows)
        with self._busy:
            request = self._request(precision)
            request.infer([self._words.of(padded.ids), padded.mask.astype(np.float32)])
            found: Vectors = request.get_output_tensor(output).data.copy()  # the next batch overwrites it
        return found

    def _request(self, precision: Precision) -> Any:
        """What runs the layers, once it has been compiled."""
        if precision not in self._requests:
            self._requests[precision] = self._compiled(precision)
        return self._requests[precision]

    def _compiled(self, precision: Precision) -> Any:
        """The graph for this processor and a precision, with memory for its results."""
        openvino = _openvino()
        settings: dict[str, Any] = {
            "INFERENCE_PRECISION_HINT": _HINTS[precision],
            "PERFORMANCE_HINT": "LATENCY",
            "ENABLE_CPU_PINNING": False,  # a server and its workers would crowd onto the same cores
        }
        threads = os.environ.get("OMP_NUM_THREADS", "")
        if threads.isdecimal() and int(threads):
            settings["INFERENCE_NUM_THREADS"] = int(threads)
        try:
            graph = bert_graph(self.folder.path, self._weights, self.folder.pooling)
            request = openvino.Core().compile_model(graph, "CPU", settings).create_infer_request()
            request.infer(
                [self._words.of(np.zeros((2, 16), np.int32)), np.ones((2, 16), np.float32)]
            )  # puts the weights in its own order
        except _BROKEN as error:
            raise self._broken(error) from error
        self._weights.give_back()
        _trim()
        return request

    def _broken(self, error: Exception) -> ModelError:
        reason = str(error).strip().split("\n", 1)[0].rstrip(".") or type(error).__name__
        message = f"The model '{self.folder.name}' cannot be loaded ({reason}): copy it again or choose another."
        return ModelError(message, where=str(self.folder.path))


def _openvino() -> Any:
    """The package, imported without the part of it that sends messages to its makers."""
    if "openvino" in sys.modules:
        return sys.modules["openvino"]
    sys.modules[_SENDS_MESSAGES] = None  # type: ignore[assignment]  # an import of it fails then, which openvino takes
    try:
        import openvino
    finally:
        del sys.modules[_SENDS_MESSAGES]
    return openvino


def _trim() -> None:
    """Have glibc return what compiling took and freed, which a server would keep for the rest of its days; elsewhere
    nothing happens.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
