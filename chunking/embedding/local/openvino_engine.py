"""BERT models run by OpenVINO, with a graph built from their safetensors: no torch, no ONNX.

OpenVINO is a tenth of torch on disk, loads in a third of a second, and is faster on a processor.
"""

from __future__ import annotations

import ctypes
import json
import math
import mmap
import os
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunking.config import Precision
from chunking.embedding.base import Vectors
from chunking.embedding.local.model_tokenizer import has_head, tokenizer_alone, truncating_tokenizer
from chunking.embedding.local.transformer import Rows, Transformer
from chunking.embedding.model_folder import ModelFolder, check_weights
from chunking.errors import ModelError
from chunking.text.sentence_pieces import SPECIAL, SentencePieceTokenizer

__all__ = ["OpenVinoTransformer", "openvino_refusal"]

_HINTS = {Precision.FP32: "f32", Precision.BF16: "bf16", Precision.INT8: "f32"}
"""Precision of what is not quantised; OpenVINO quantises activations of float32 only."""
_EIGHT_BITS = 255
_GROUP = 64
"""Numbers of a token's state that are quantised with one scale.

Cosine to fp32, median of MiniLM and of e5: 0.9993 and 0.9998; with 384, of a complete state, 0.998 and 0.9994.
"""
_BROKEN = (OSError, ValueError, RuntimeError, KeyError, TypeError)
"""Exceptions of files that are damaged, or of another model, while they are loaded."""
_SENDS_MESSAGES = "openvino.tools.ovc"
"""Module that converts other frameworks' models, and reports each import to its makers; not needed."""

STATES, VECTORS = 0, 1
"""Outputs of the graph: (n, tokens, width) last layer's states, (n, width) pooled unit vectors."""
_KINDS = {"F32": np.float32, "F16": np.float16}
_FAR_BELOW = 1e9
"""Subtracted from the scores of padding tokens, so that their share of the attention is exactly 0."""
_LEAST_NORM = 1e-12
"""Vectors shorter than this are not lengthened, as in torch's `normalize`."""


def openvino_refusal(folder: ModelFolder) -> str:
    """Return why OpenVINO cannot run a model, as "has ..." or "is ..."; empty if it can.

    Only small files are read.
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
    """Layers of BERT compiled by OpenVINO, for each precision at its first use.

    May be shared by threads, which take turns. Uses `OMP_NUM_THREADS` threads, or else one for each core.

    Args:
        folder: A model without `openvino_refusal`.
    Raises:
        ModelError: its files cannot be loaded, or the packaged weights are not the published ones.
    """

    def __init__(self, folder: ModelFolder) -> None:
        check_weights(folder)
        uncut: Any = tokenizer_alone(folder)
        description = _settings(folder, "tokenizer.json")
        special = [row["id"] for row in description.get("added_tokens") or () if row.get("special")]
        if isinstance(uncut, SentencePieceTokenizer):
            special = list(range(len(SPECIAL)))
        super().__init__(
            folder,
            uncut=uncut,
            cut=partial(truncating_tokenizer, folder),
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

    def _compare(self, precision: Precision) -> float:
        with self._busy:
            self._request(Precision.FP32)  # a model that cannot be loaded raises here
            agreement = super()._compare(precision)
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
            words = self._words.of(padded.ids)
            self._weights.give_back()  # the system maps far more around each row than was read
            request.infer([words, padded.mask.astype(np.float32)])
            output_states: Vectors = request.get_output_tensor(output).data.copy()  # the next batch overwrites it
        return output_states

    def _request(self, precision: Precision) -> Any:
        """Inference request of a precision, compiled at its first use."""
        if precision not in self._requests:
            self._requests[precision] = self._compiled(precision)
        return self._requests[precision]

    def _compiled(self, precision: Precision) -> Any:
        """Compile the graph for this processor and a precision, with memory for its results."""
        openvino = _openvino()
        settings: dict[str, Any] = {
            "INFERENCE_PRECISION_HINT": _HINTS[precision],
            "PERFORMANCE_HINT": "LATENCY",
            "DYNAMIC_QUANTIZATION_GROUP_SIZE": _GROUP,  # of no effect on a graph that is not quantised
            "ENABLE_CPU_PINNING": False,  # a server and its workers would crowd onto the same cores
        }
        threads = os.environ.get("OMP_NUM_THREADS", "")
        if threads.isdecimal() and int(threads):
            settings["INFERENCE_NUM_THREADS"] = int(threads)
        try:
            graph = bert_graph(
                self.folder.path, self._weights, self.folder.pooling, quantised=precision is Precision.INT8
            )
            request = openvino.Core().compile_model(graph, "CPU", settings).create_infer_request()
            # The first run arranges the weights.
            request.infer([self._words.of(np.zeros((2, 16), np.int32)), np.ones((2, 16), np.float32)])
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
    """Import the package without the module that sends messages to its makers."""
    if "openvino" in sys.modules:
        return sys.modules["openvino"]
    sys.modules[_SENDS_MESSAGES] = None  # type: ignore[assignment]  # makes its import fail, which openvino tolerates
    try:
        import openvino
    finally:
        del sys.modules[_SENDS_MESSAGES]
    return openvino


def _trim() -> None:
    """Return freed memory of the compilation to the system, where glibc is in use."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


# -- the graph


def unlike_bert(config: Mapping[str, Any]) -> str:
    """Return why a `config.json` is not of a plain BERT, as "has ..." or "is ..."; empty if it is.

    >>> unlike_bert({"model_type": "bert"}), unlike_bert({"model_type": "xlm-roberta"})
    ('', 'is a model of type xlm-roberta')
    """
    if config.get("model_type") != "bert":
        return f"is a model of type {config.get('model_type')}"
    if config.get("hidden_act", "gelu") != "gelu":
        return f"has the activation {config['hidden_act']}"
    if (config.get("position_embedding_type") or "absolute") != "absolute":
        return f"has {config['position_embedding_type']} positions"
    return "is a decoder" if config.get("is_decoder") else ""


class MappedWeights(Mapping[str, NDArray[Any]]):
    """Weights by name as views of the mapped `model.safetensors`; unread ones take no memory.

    Names are without the prefix of task models. It has float32 and float16 arrays only.

    Raises:
        OSError, ValueError, KeyError: it is no such file.
    """

    def __init__(self, path: Path) -> None:
        with (path / "model.safetensors").open("rb") as file:
            # Private, and never written to: OpenVINO takes no read-only array.
            self._file = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        begin = 8 + int.from_bytes(self._file[:8], "little")
        rows = {
            name.removeprefix("bert."): row
            for name, row in json.loads(self._file[8:begin]).items()
            if name != "__metadata__"
        }
        self._arrays = {name: self._view(begin, row) for name, row in rows.items() if row["dtype"] in _KINDS}

    def _view(self, begin: int, row: Mapping[str, Any]) -> NDArray[Any]:
        kind, shape = np.dtype(_KINDS[row["dtype"]]), row["shape"]
        return np.frombuffer(self._file, kind, math.prod(shape), begin + row["data_offsets"][0]).reshape(shape)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def give_back(self) -> None:
        """Release the file's pages from memory, on Linux only; later reads load them again."""
        if sys.platform == "linux":
            self._file.madvise(mmap.MADV_DONTNEED)


class WordStates:
    """Lookup of a model's first layer: sums of word, position and segment embeddings.

    Words are read from the mapped file, since a text needs few rows of a large table.

    Raises:
        KeyError: a weight is missing.
    """

    def __init__(self, weights: Mapping[str, NDArray[Any]]) -> None:
        self._words = weights["embeddings.word_embeddings.weight"]
        segment = weights["embeddings.token_type_embeddings.weight"][0]  # a single text is of the first of two types
        self._places = np.asarray(weights["embeddings.position_embeddings.weight"] + segment, np.float32)

    def of(self, ids: NDArray[np.integer]) -> NDArray[np.float32]:
        """Return the (n, tokens, width) float32 sums for token ids (n, tokens)."""
        states: NDArray[np.float32] = self._words[ids].astype(np.float32, copy=False)
        states += self._places[: ids.shape[1]]
        return states


def bert_graph(path: Path, weights: Mapping[str, NDArray[Any]], pooling: str, *, quantised: bool = False) -> Any:
    """Return the graph (`openvino.Model`) of a model's folder; it reads `weights` until compiled.

    Its inputs are (n, tokens, width) float32 `WordStates`, and (n, tokens) float32: 1 for tokens, 0 for padding. Its
    outputs are the token states of the last layer, and the pooled unit vectors.

    Args:
        pooling: `mean` or `cls`.
        quantised: Round the layers' matrices to 8 bits, with a scale and a zero for each output; OpenVINO then rounds
            what they are multiplied with to 8 bits, too, where the processor gains by it.
    Raises:
        KeyError: a weight or a setting is missing.
    """
    return _Bert(json.loads((path / "config.json").read_text(encoding="utf-8")), weights, quantised).model(pooling)


class _Bert:
    """Builds the graph layer by layer."""

    def __init__(self, config: Mapping[str, Any], weights: Mapping[str, NDArray[Any]], quantised: bool) -> None:
        from openvino import opset13

        self._op: Any = opset13
        self._config, self._weights, self._quantised = config, weights, quantised
        self._width: int = config["hidden_size"]
        self._heads: int = config["num_attention_heads"]

    def model(self, pooling: str) -> Any:
        from openvino import Model

        op = self._op
        words, mask = (
            op.parameter([-1, -1, self._width], np.float32, name="words"),
            op.parameter([-1, -1], np.float32, name="mask"),
        )
        states = self._normalised(words, "embeddings.LayerNorm")
        padding = op.unsqueeze(
            op.multiply(op.subtract(mask, self._number(1)), self._number(_FAR_BELOW)), self._integers([1, 2])
        )
        for number in range(self._config["num_hidden_layers"]):
            states = self._layer(states, padding, f"encoder.layer.{number}")
        pooled = (
            self._mean(states, mask) if pooling == "mean" else op.gather(states, self._integers(0), self._integers(1))
        )
        vectors = op.normalize_l2(pooled, self._integers([1]), _LEAST_NORM**2, "max")
        return Model([op.result(states), op.result(vectors)], [words, mask], "bert")

    def _layer(self, states: Any, padding: Any, name: str) -> Any:
        op = self._op
        query, key, value = (
            self._in_heads(self._linear(states, f"{name}.attention.self.{part}")) for part in ("query", "key", "value")
        )
        scale = self._number((self._width // self._heads) ** -0.5)
        attention = op.scaled_dot_product_attention(query, key, value, padding, scale)
        attention = op.reshape(
            op.transpose(attention, self._integers([0, 2, 1, 3])), self._integers([0, 0, self._width]), True
        )
        attention = self._linear(attention, f"{name}.attention.output.dense")
        states = self._normalised(op.add(states, attention), f"{name}.attention.output.LayerNorm")
        inner = op.gelu(self._linear(states, f"{name}.intermediate.dense"), "erf")
        return self._normalised(op.add(states, self._linear(inner, f"{name}.output.dense")), f"{name}.output.LayerNorm")

    def _in_heads(self, states: Any) -> Any:
        """Reshape (n, tokens, width) to (n, heads, tokens, width of a head)."""
        shape = self._integers([0, 0, self._heads, self._width // self._heads])  # 0: as it was
        return self._op.transpose(self._op.reshape(states, shape, True), self._integers([0, 2, 1, 3]))

    def _linear(self, states: Any, name: str) -> Any:
        matrix = self._rounded(f"{name}.weight") if self._quantised else self._weight(f"{name}.weight")
        product = self._op.matmul(states, matrix, False, True)
        return self._op.add(product, self._weight(f"{name}.bias"))

    def _normalised(self, states: Any, name: str) -> Any:
        op = self._op
        even = op.mvn(states, self._integers([-1]), True, float(self._config["layer_norm_eps"]), "inside_sqrt")
        return op.add(op.multiply(even, self._weight(f"{name}.weight")), self._weight(f"{name}.bias"))

    def _mean(self, states: Any, mask: Any) -> Any:
        """Mean over the tokens of each row, without padding."""
        op = self._op
        total = op.reduce_sum(op.multiply(states, op.unsqueeze(mask, self._integers([2]))), self._integers([1]))
        return op.divide(total, op.maximum(op.reduce_sum(mask, self._integers([1]), True), self._number(1e-9)))

    def _weight(self, name: str) -> Any:
        array = self._weights[name]
        return (
            self._op.constant(array, shared_memory=True)
            if array.dtype == np.float32
            else self._op.constant(array.astype(np.float32))
        )

    def _rounded(self, name: str) -> Any:
        """Matrix of 8-bit numbers that OpenVINO multiplies as they are: (number - zero) * scale, row by row."""
        op, matrix = self._op, self._weights[name].astype(np.float32, copy=False)
        low, high = matrix.min(axis=1, keepdims=True, initial=0), matrix.max(axis=1, keepdims=True, initial=0)
        scale = np.maximum((high - low) / _EIGHT_BITS, np.finfo(np.float32).tiny).astype(np.float32)
        zero = np.rint(-low / scale)
        numbers = np.clip(np.rint(matrix / scale) + zero, 0, _EIGHT_BITS)
        stored, moved = (op.convert(op.constant(part.astype(np.uint8)), np.float32) for part in (numbers, zero))
        return op.multiply(op.subtract(stored, moved), op.constant(scale))

    def _number(self, value: float) -> Any:
        return self._op.constant(np.float32(value))

    def _integers(self, values: int | list[int]) -> Any:
        return self._op.constant(np.array(values, np.int32))
