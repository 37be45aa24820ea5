"""A question's vector in one call of torch: the layers' own, or none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunking.config import EmbeddingConfig, Precision
from chunking.embedding import LocalEmbedder
from chunking.embedding.local import torch_engine
from chunking.embedding.local.torch_engine import TorchTransformer, one_call
from chunking.embedding.model_folder import find_model

QUESTIONS = (
    *(
        "Why?",
        "how long do we store the old logs",
        "备份保留多久？",
        "Wie lange werden Sicherungen aufbewahrt, und wer darf sie löschen?",
    ),
    *("", "def area(width: float, height: float) -> float:\n    return width * height", "word " * 1_000),
)


@pytest.fixture(scope="module")
def transformer() -> TorchTransformer:
    return TorchTransformer(find_model("all-MiniLM-L6-v2"))


@pytest.mark.model
@pytest.mark.parametrize("precision", [Precision.FP32, Precision.BF16])
def test_one_call_gives_the_vectors_of_the_layers(
    precision: Precision, transformer: TorchTransformer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In any language; several texts at once go through the layers."""
    ids, _ = transformer.tokenize(QUESTIONS)
    layers: list[int] = []
    run = transformer._run
    monkeypatch.setattr(
        transformer, "_run", lambda modules, rows, length: (layers.append(len(rows)), run(modules, rows, length))[1]
    )
    together = transformer.encode(ids, precision=precision, batch_tokens=10_000)
    assert sum(layers) == len(QUESTIONS)
    layers.clear()
    alone = np.concatenate([transformer.encode([one], precision=precision, batch_tokens=10_000) for one in ids])
    assert not layers
    assert (together * alone).sum(axis=1).min() > (0.999999 if precision is Precision.FP32 else 0.9999)


@pytest.mark.model
def test_a_model_that_cannot_be_called_so_is_called_by_its_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked once, not for each question."""
    requests: list[Precision] = []
    monkeypatch.setattr(torch_engine, "one_call", lambda modules, precision, examples: requests.append(precision))
    transformer = TorchTransformer(find_model("all-MiniLM-L6-v2"))
    for _ in range(3):
        ids, _ = transformer.tokenize(["how long do we store the old logs"])
        assert np.isfinite(transformer.encode(ids, precision=Precision.FP32, batch_tokens=1_000)).all()
    assert requests == [Precision.FP32]


def examples() -> list[tuple[Any, Any]]:
    import torch

    return [(torch.arange(1, length + 1).unsqueeze(0), torch.ones(1, length, dtype=torch.long)) for length in (3, 12)]


def model(vector: Any) -> list[Any]:
    """A model of one layer, whose vector is what the function makes of the token ids."""
    import torch

    class Layer(torch.nn.Module):
        def forward(self, features: dict[str, Any]) -> dict[str, Any]:
            return features | {"sentence_embedding": vector(features["input_ids"])}

    return [Layer()]


def test_a_model_that_decides_by_length_is_not_called_so() -> None:
    """A trace follows one way only: the other example shows it."""
    import torch

    def by_length(ids: Any) -> Any:
        return torch.tensor([[1.0, 0.0]]) * ids.sum() if ids.shape[1] < 5 else torch.tensor([[0.0, 1.0]]) * ids.sum()

    assert one_call(model(by_length), Precision.FP32, examples()) is None


def test_a_model_whose_trace_fails_over_another_length_is_not_called_so() -> None:
    """The first example's length stands in the trace."""
    import torch

    def of_one_length(ids: Any) -> Any:
        return (ids.float() * torch.ones(len(ids[0].tolist()))).sum(dim=1, keepdim=True)

    assert one_call(model(of_one_length), Precision.FP32, examples()) is None


def test_a_model_that_cannot_be_traced_is_not_called_so() -> None:
    """Whatever it raises over it."""

    def refuses(ids: Any) -> Any:
        raise NotImplementedError("no trace")

    assert one_call(model(refuses), Precision.FP32, examples()) is None


def test_a_plain_model_is_called_so(tmp_path: Path) -> None:
    """Nothing is printed or warned of."""
    call = one_call(model(lambda ids: ids.float().sum(dim=1, keepdim=True)), Precision.FP32, examples())
    assert call is not None
    assert [float(call(*example)) for example in examples()] == [6.0, 78.0]


@pytest.mark.model
def test_the_embedder_keeps_the_same_vectors() -> None:
    """A text that is asked for alone, and among others."""
    embedder = LocalEmbedder(find_model("all-MiniLM-L6-v2"), EmbeddingConfig(precision=Precision.FP32))
    texts = ["how long do we store the old logs", "which person opens the west gate"]
    assert (embedder.embed(texts)[0] * embedder.embed(texts[:1])[0]).sum() > 0.999999
