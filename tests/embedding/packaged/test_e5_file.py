"""The file of the packaged multilingual model becomes a model folder; a damaged one is refused."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from chunking.embedding.model_files import read_model
from chunking.embedding.packaged.e5_file import E5File, write_model_folder
from chunking.errors import ModelError
from chunking.text.sentence_pieces import MODEL_FILE, SentencePieceTokenizer
from tests.support.packaged_e5 import PIECES, WIDTH, write_small_e5


def tensors(file: Path) -> dict[str, np.ndarray]:
    """Read a file of safetensors by its published form."""
    data = file.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    rows = {name: row for name, row in header.items() if name != "__metadata__"}
    return {
        name: np.frombuffer(data, "<f4", int(np.prod(row["shape"])), 8 + length + row["data_offsets"][0]).reshape(
            row["shape"]
        )
        for name, row in rows.items()
    }


def test_weights_come_out_as_they_were_packed(tmp_path: Path) -> None:
    """Those of 4 bits times their scale, the others as they are, under BERT's names."""
    written = write_small_e5(tmp_path / "small.bin")
    write_model_folder(E5File(tmp_path / "small.bin"), tmp_path)
    read = tensors(tmp_path / "model.safetensors")
    names = {
        "emb.word": "embeddings.word_embeddings.weight",
        "emb.ln.b": "embeddings.LayerNorm.bias",
        "l0.q.w": "encoder.layer.0.attention.self.query.weight",
        "l0.fi.w": "encoder.layer.0.intermediate.dense.weight",
        "l0.fo.b": "encoder.layer.0.output.dense.bias",
        "l0.aln.w": "encoder.layer.0.attention.output.LayerNorm.weight",
    }
    assert len(read) == len(written)
    for short, long in names.items():
        np.testing.assert_array_equal(read[long], written[short].reshape(read[long].shape))


def test_the_folder_is_a_model_with_roles(tmp_path: Path) -> None:
    """Its limit, its dimension and its prefixes are read as from any model's folder."""
    write_small_e5(tmp_path / "small.bin")
    write_model_folder(E5File(tmp_path / "small.bin"), tmp_path)
    folder = read_model("small", tmp_path)
    assert (folder.dimension, folder.max_tokens, folder.special_tokens) == (WIDTH, 16, 2)
    assert (folder.query_prefix, folder.passage_prefix, folder.pooling) == ("query: ", "passage: ", "mean")
    assert "zh" in folder.languages


def test_the_tokenizer_has_the_pieces_of_the_file(tmp_path: Path) -> None:
    """With their numbers there."""
    write_small_e5(tmp_path / "small.bin")
    write_model_folder(E5File(tmp_path / "small.bin"), tmp_path)
    vocabulary = SentencePieceTokenizer(tmp_path / MODEL_FILE).get_vocab()
    assert sorted(vocabulary, key=vocabulary.__getitem__) == PIECES


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"PK" + data[2:],
        lambda data: data[:60],
        lambda data: data[:64] + b"\xff" * 6 + data[70:],
        lambda data: data[:40] + b"\x10" + data[41:],
    ],
    ids=["empty", "another file", "cut off", "lengths beyond its end", "blocks of another length"],
)
def test_a_damaged_file_is_one_sentence(tmp_path: Path, damage: object) -> None:
    file = tmp_path / "small.bin"
    write_small_e5(file)
    file.write_bytes(damage(file.read_bytes()))  # type: ignore[operator]
    with pytest.raises(ModelError) as raised:
        E5File(file)
    assert raised.value.where == str(file)
