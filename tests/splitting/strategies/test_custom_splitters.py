"""Splitters of the user's own: what they give is held to the laws, what they cannot give is said."""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from chunking.config import ChunkConfig, Config
from chunking.errors import ConfigError
from chunking.model import Chunk
from chunking.parsing import parse
from chunking.plugins import SPLITTERS
from chunking.splitting import Chunker, TokenCounter, chunk_document
from chunking.splitting.strategies import custom_splitters as splitters
from chunking.splitting.strategies.custom_splitters import (
    ENVIRONMENT,
    find_splitter,
    reached_sources,
    register_splitter,
    splitter_names,
    splitter_version,
)
from chunking.splitting.strategies.splitter_contract import located
from chunking.store.index.build_record import chunk_fingerprint
from tests.splitting.inline import read
from tests.support.facts import tells

SAMPLES = Path(__file__).parents[3] / "sample_data"


@pytest.fixture(autouse=True)
def _only_these(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is gone after it."""
    monkeypatch.setattr(splitters, "_registered", {})
    monkeypatch.setattr(splitters, "foreign_names", tuple)
    monkeypatch.delenv(ENVIRONMENT, raising=False)


def config(**settings: object) -> ChunkConfig:
    return ChunkConfig.model_validate(
        {"strategy": "custom", "splitter": "mine", "prefix": "none", "min_size": 0, **settings}
    )


def cut(text: str, splitter: Any, counter: TokenCounter, source: str = "a.txt", **settings: object) -> list[Chunk]:
    register_splitter("mine", splitter)
    return Chunker(read(text, source), counter).chunks(config(**settings))


def contents(chunks: list[Chunk]) -> list[str]:
    return [chunk.content for chunk in chunks]


def test_strings_and_offsets_are_the_same(counter: TokenCounter) -> None:
    """A splitter may give either."""
    text = "One two. Three four. 先关闭电源。再打开盖子。"
    expected = ["One two.", "Three four.", "先关闭电源。", "再打开盖子。"]
    assert contents(cut(text, lambda _: expected, counter)) == expected
    assert contents(cut(text, lambda _: [(0, 9), (9, 21), [21, 27], (27, 33)], counter)) == expected


def test_white_space_may_differ(counter: TokenCounter) -> None:
    """As where a splitter joins lines."""
    text = "One\ntwo.\n\nThree   four.\n"
    assert contents(cut(text, lambda _: ["One two.", "Three four."], counter)) == ["One\ntwo.", "Three   four."]


def test_what_is_left_out_goes_to_the_chunk_before(counter: TokenCounter) -> None:
    """Nothing is lost (law 2); what stands before the first is a chunk of its own."""
    chunks = cut("Zero. One. Gap. Two. End.", lambda _: ["One.", "Two."], counter)
    assert contents(chunks) == ["Zero.", "One. Gap.", "Two. End."]


def test_overlap_is_kept_where_it_fits(counter: TokenCounter) -> None:
    """Chunks may share text, as those of most splitters do."""
    chunks = cut("One two three four five six.", lambda _: ["One two three", "three four five", "five six."], counter)
    assert contents(chunks) == ["One two three", "three four five", "five six."]
    small = cut(
        "One two three four five six seven eight nine.", lambda text: [(0, 23), (4, len(text))], counter, size=16
    )
    assert all(one.start < other.start and one.end < other.end for one, other in pairwise(small))


def test_repeated_text_is_found_in_its_order(counter: TokenCounter) -> None:
    """The second of two equal chunks is the second in the text."""
    chunks = cut("Same.\n\nSame.\n\nOther.\n\nSame.", lambda text: text.split("\n\n"), counter)
    assert [(chunk.start, chunk.content) for chunk in chunks] == [
        (0, "Same."),
        (7, "Same."),
        (14, "Other."),
        (22, "Same."),
    ]


def test_what_goes_back_is_passed_over_and_said(counter: TokenCounter) -> None:
    """Law 3 holds, nothing is lost."""
    register_splitter("mine", lambda _: [(0, 9), (3, 8), (9, 20)])
    bounds = Chunker(read("One two. Three four.", "a.txt"), counter).boundaries(config())
    assert bounds.starts.tolist() == [0, 9]
    assert tells(bounds.warnings, "mine 1 back a.txt")


def test_what_is_too_long_is_cut_further(counter: TokenCounter) -> None:
    """The size is the size (law 4)."""
    chunks = cut("The quick brown fox jumps over the lazy dog. " * 20, lambda text: [text], counter, size=40)
    assert len(chunks) > 4
    assert all(chunk.token_count <= 40 for chunk in chunks)


def test_blocks_that_stay_whole_do(counter: TokenCounter) -> None:
    """The setting holds for every strategy; without it the splitter has its way."""
    text = "Text.\n\n```python\nx = 1\ny = 2\n```\n\nMore."
    chunks = cut(text, lambda one: one.splitlines(), counter, "a.md")
    assert any("```python\nx = 1\ny = 2\n```" in chunk.content for chunk in chunks)
    assert "x = 1" in contents(cut(text, lambda one: one.splitlines(), counter, "a.md", keep_whole=""))


@pytest.mark.parametrize(
    ("splitter", "cause"),
    [
        (lambda text: ["not in it"], "chunk 1 'not in it'"),
        (lambda text: [(0, 999)], "chunk 1 (0, 999) 8"),
        (lambda text: [None], "chunk 1 None 8"),
        (lambda text: [], "'mine' no chunk"),
        (lambda text: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda text: None, "TypeError: 'NoneType' object is not iterable"),
    ],
)
def test_a_splitter_that_fails_falls_back_with_its_cause(counter: TokenCounter, splitter: Any, cause: str) -> None:
    """By structure instead; the document is not lost (C8)."""
    register_splitter("mine", splitter)
    bounds = Chunker(read("One two.", "a.txt"), counter).boundaries(config())
    assert bounds.strategy_used == "structure"
    assert tells(bounds.warnings, f"custom a.txt structure {cause}")


def test_a_name_that_nobody_registered_is_reported(counter: TokenCounter) -> None:
    """A link or a form can only name what the operator made known; nothing is imported for it."""
    bounds = Chunker(read("One two.", "a.txt"), counter).boundaries(config(splitter="os:system"))
    assert tells(bounds.warnings, "no splitter 'os:system' known")


def test_a_splitter_is_asked_once(counter: TokenCounter) -> None:
    """Another size asks it no more."""
    calls: list[str] = []
    register_splitter("mine", lambda text: calls.append(text) or [text])  # type: ignore[func-returns-value]
    chunker = Chunker(read("One two. Three four.", "a.txt"), counter)
    for size in (16, 20, 40):
        chunker.chunks(config(size=size))
    assert len(calls) == 1


def test_the_environment_names_splitters(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As package.module:callable, loaded when one is used."""
    (tmp_path / "my_own_splitter.py").write_text(
        "class Lines:\n    @staticmethod\n    def split(text):\n        return text.splitlines()\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv(ENVIRONMENT, " lines = my_own_splitter:Lines.split ; gone=no.such_module:f;number=math:pi")
    assert splitter_names() == ("gone", "lines", "number")
    assert list(find_splitter("lines")("a\nb")) == ["a", "b"]
    with pytest.raises(ConfigError, match=r"'gone' cannot be loaded from no\.such_module:f \(ModuleNotFoundError"):
        find_splitter("gone")
    with pytest.raises(ConfigError, match="'number' at math:pi is not callable"):
        find_splitter("number")
    monkeypatch.setenv(ENVIRONMENT, "lines")
    with pytest.raises(ConfigError, match="'lines': write name=package"):
        splitter_names()


def test_an_entry_point_names_a_splitter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an installed package."""
    monkeypatch.setattr(splitters, "entry_places", {SPLITTERS: {"lines": "os.path:split"}}.__getitem__)
    assert splitter_names() == ("lines",)
    assert find_splitter("lines")("a/b") == ("a", "b")


def test_names_and_callables_are_checked() -> None:
    """Where they are registered."""
    for name, splitter in (("", str.split), ("x", 3)):
        with pytest.raises(ConfigError, match="callable"):
            register_splitter(name, splitter)  # type: ignore[arg-type]


@dataclass
class Every:
    """A splitter with a setting."""

    letters: int

    def __call__(self, text: str) -> list[str]:
        return [text[at : at + self.letters] for at in range(0, len(text), self.letters)]


def test_the_source_is_part_of_the_fingerprint() -> None:
    """Another function, or another setting of one, is another fingerprint; only where it is used."""
    document = read("One two. Three four.", "a.txt")
    versions = []
    for splitter in (
        str.split,
        str.splitlines,
        Every(3),
        Every(4),
        functools.partial(str.split, sep="."),
        lambda text: [text],
    ):
        register_splitter("mine", splitter)
        versions.append((splitter_version("mine"), chunk_fingerprint(Config(chunk=config()), document)))
        assert chunk_fingerprint(Config(), document) == chunk_fingerprint(Config(), document)
    assert len(set(versions)) == len(versions)
    register_splitter("mine", Every(3))
    assert splitter_version("mine") == versions[2][0]
    assert splitter_version("nobody") == ""


@pytest.mark.parametrize("entry", ["my_own_package.entry", "my_own_module"])
def test_what_a_splitter_imports_is_part_of_its_version(
    entry: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Helpers in its package, or beside its module, over any number of imports; nothing that it does not reach."""
    package = tmp_path / "my_own_package"
    package.mkdir()
    (package / "__init__.py").touch()
    (tmp_path / "my_own_module.py").write_text(
        "import json\n\ndef split(text):\n    from my_own_package.near import cut\n    return cut(text)\n"
    )
    (package / "entry.py").write_text("from . import near\n\ndef split(text):\n    return near.cut(text)\n")
    (package / "near.py").write_text("from .deep.far import SIGN\n\ndef cut(text):\n    return text.split(SIGN)\n")
    (package / "deep").mkdir()
    (package / "deep/__init__.py").touch()
    (package / "deep/far.py").write_text("SIGN = '.'\n")
    (package / "other.py").write_text("UNUSED = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv(ENVIRONMENT, f"mine={entry}:split")
    versions = [splitter_version("mine")]
    (package / "other.py").write_text("UNUSED = 2_000\n")
    assert splitter_version("mine") == versions[0]
    for changed in ("deep/far.py", "near.py", "deep/__init__.py"):
        (package / changed).write_text((package / changed).read_text() + "MORE = 1\n")
        versions.append(splitter_version("mine"))
    assert len(set(versions)) == len(versions)
    for name in [name for name in sys.modules if name.startswith("my_own_")]:
        del sys.modules[name]


def test_a_mistake_in_a_splitter_is_logged_with_its_place(
    counter: TokenCounter, caplog: pytest.LogCaptureFixture
) -> None:
    """The user reads one sentence; who wrote the splitter needs the traceback. A document that does not suit is no
    mistake.
    """
    register_splitter("mine", lambda text: 1 / 0)
    Chunker(read("One two.", "a.txt"), counter).boundaries(config())
    (record,) = caplog.records
    assert record.exc_info
    assert record.exc_info[0] is ZeroDivisionError
    caplog.clear()
    register_splitter("mine", lambda text: [])
    Chunker(read("One two.", "a.txt"), counter).boundaries(config())
    assert not caplog.records


def test_located_squeezes_only_where_it_must() -> None:
    """Offsets are those of the text, its white space included."""
    text = "a b\n\n c\td e"
    assert [text[span.start : span.end] for span in located(text, ["a b c", " ", "d e"])] == ["a b\n\n c", "d e"]


@pytest.mark.parametrize("name", ["handbook/operations-handbook.md", "manual-zh/产品使用手册.md"])
def test_a_splitter_of_a_library_on_real_documents(counter: TokenCounter, name: str) -> None:
    """LangChain's, with overlap, on English and Chinese: nothing is lost, and most of its chunks stay as they are."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    document = parse((SAMPLES / name).read_bytes(), name)
    splitter = RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=60)
    register_splitter("mine", splitter.split_text)
    chunker = Chunker(document, counter)
    bounds = chunker.boundaries(config(size=400, keep_whole=""))
    assert (bounds.strategy_used, bounds.warnings) == ("custom", ())
    theirs = [" ".join(text.split()) for text in splitter.split_text(document.text)]
    ours = {" ".join(chunk.content.split()) for chunk in chunker.chunks(config(size=400, keep_whole=""))}
    assert sum(text in ours for text in theirs) > 0.9 * len(theirs)
    assert bounds.achieved.overlap_max > 0


def test_the_librarys_own_code_has_versions_of_its_own() -> None:
    """It is not followed, wherever in the library a splitter stands; nor from the user's code."""
    assert reached_sources(chunk_document) == ""
    assert "chunking" not in reached_sources(test_the_librarys_own_code_has_versions_of_its_own)
