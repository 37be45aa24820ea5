"""Cross-encoders: any of sentence-transformers' by name or folder, and one sentence where there is none."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from chunking.embedding import CrossEncoder, load_cross_encoder
from chunking.errors import Cancelled, ModelError
from tests.support.tiny_model import save_tiny_cross_encoder

pytestmark = pytest.mark.model
TEXTS = ["the pump is red", "blue filter", "", "the pump " * 60, "red \ud800"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_cross_encoder(tmp_path_factory.mktemp("models") / "tiny-cross")


def test_scores_are_sentence_transformers_own(tiny: Path) -> None:
    """In the order of the texts, long ones cut as the model cuts them."""
    from sentence_transformers import CrossEncoder as Reference

    texts = [text for text in TEXTS if text.isprintable()]
    expected = Reference(str(tiny), device="cpu", local_files_only=True).predict(
        [("the red pump", text) for text in texts], show_progress_bar=False
    )
    scores = load_cross_encoder(str(tiny)).scores("the red pump", texts)
    assert scores.dtype == np.float32
    assert np.allclose(scores, expected, atol=1e-6)
    assert len(set(np.round(scores, 5).tolist())) > 1


def test_a_score_does_not_depend_on_the_batch(tiny: Path) -> None:
    """A text's score does not depend on its company; progress counts the texts and may stop."""
    model, calls = load_cross_encoder(str(tiny)), list[int]()
    texts = ["the pump is red " * (n % 3) + "abcdefghij"[n % 10] for n in range(40)]
    scores = model.scores("pump", texts, on_progress=calls.append)
    assert calls == [16, 32, 40]
    assert np.allclose(scores[7], model.scores("pump", [texts[7]])[0], atol=1e-6)
    assert model.scores("pump", []).shape == (0,)

    def stop(done: int) -> None:
        raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        model.scores("pump", texts, on_progress=stop)


def test_awkward_texts_have_scores(tiny: Path) -> None:
    """Empty, far too long, a lone surrogate."""
    assert np.isfinite(load_cross_encoder(str(tiny)).scores("pump \udfff", TEXTS)).all()


def test_one_a_process_and_loaded_when_used(tiny: Path) -> None:
    """Looking a model up costs nothing."""
    model = load_cross_encoder(str(tiny))
    assert load_cross_encoder(str(tiny)) is model
    assert isinstance(model, CrossEncoder)
    assert CrossEncoder(model.folder)._model is None
    assert model.key.startswith("tiny-cross@")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("cross-encoder/ms-marco-MiniLM-L6-v2", "'cross-encoder/ms-marco-MiniLM-L6-v2' .* folder"),
        ("no-such-reranker", "'cross-encoder/no-such-reranker' is not"),
        ("", "No cross-encoder is set"),
        ("/no/such/folder", "folder '/no/such/folder'"),
        ("bad name!", "bad name!'"),
    ],
)
def test_a_model_that_is_not_at_hand_is_one_sentence(name: str, sentence: str) -> None:
    """What, where, what to do; no network is asked."""
    with pytest.raises(ModelError, match=sentence):
        load_cross_encoder(name)


def test_an_embedding_model_is_no_reranker() -> None:
    """transformers would give it a random last layer and a warning; its scores would be noise."""
    from chunking.embedding.model_folder import find_model

    with pytest.raises(ModelError, match="does not score"):
        load_cross_encoder(str(find_model("all-MiniLM-L6-v2").path))


def test_a_model_of_several_scores_is_refused(tmp_path: Path) -> None:
    """Entailment models give three numbers."""
    folder = save_tiny_cross_encoder(tmp_path / "three", scores=3)
    with pytest.raises(ModelError, match="gives 3 numbers"):
        load_cross_encoder(str(folder)).scores("pump", ["red", "blue"])


def test_broken_weights_are_one_sentence(tiny: Path, tmp_path: Path) -> None:
    """Not a stack of someone else's errors."""
    folder = shutil.copytree(tiny, tmp_path / "broken")
    (folder / "model.safetensors").write_bytes(b"not weights at all")
    with pytest.raises(ModelError, match="The model 'broken' cannot be loaded"):
        load_cross_encoder(str(folder)).scores("pump", ["red"])
