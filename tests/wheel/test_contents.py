"""What the wheel and the sdist hold, and what they ask for."""

from __future__ import annotations

import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from chunking.embedding.model_folder import english_folder
from tests.wheel.building import ROOT, build, unpack

APP = (
    "app.py",
    "serve.py",
    "pages",
    "components",
    "hosting",
    "sample_data",
    "sample_articles",
    ".streamlit/config.toml",
)
MODELS = {
    f"chunkscope_app/model/{path.relative_to(english_folder()).as_posix()}"
    for path in english_folder().rglob("*")
    if path.is_file() and path.name != ".gitattributes"
} | {"chunkscope_app/e5-small-q4.bin"}


def names_in(wheel: Path) -> set[str]:
    """The files of a wheel but its metadata."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def files_under(folder: Path) -> set[Path]:
    """Sources and data of a folder of the repository, or a file of it."""
    every = [folder] if folder.is_file() else folder.rglob("*")
    return {
        path.relative_to(ROOT)
        for path in every
        if path.is_file() and "__pycache__" not in path.parts and path.name != "README"
    }


def test_it_holds_the_library_and_the_app_and_nothing_else(wheel: Path) -> None:
    """Each file of both, Python or not; nothing of an earlier build, of tests, caches, secrets or workspaces."""
    library = {path.as_posix() for path in files_under(ROOT / "chunking")}
    app = {f"chunkscope_app/{path.as_posix()}" for name in APP for path in files_under(ROOT / name)}
    assert "chunking/py.typed" in library
    assert names_in(wheel) == library | app | MODELS


def test_the_wheel_from_the_sdist_is_the_same(wheel: Path, tree: Path, tmp_path: Path) -> None:
    """The sdist has all that the wheel is made of, but for the models: what is built without naming them has none."""
    again = build("wheel", unpack(build("sdist", tree, tmp_path / "sdist"), tmp_path / "tree"), tmp_path / "wheel")
    assert names_in(again) == names_in(wheel) - MODELS


@pytest.mark.parametrize(("name", "fault"), [("MODEL", r"model\.safetensors"), ("E5", r"e5-small-q4\.bin")])
def test_no_wheel_is_built_without_a_model_that_was_named(tree: Path, tmp_path: Path, name: str, fault: str) -> None:
    """It would lack it where it is installed."""
    with pytest.raises(AssertionError, match=fault):
        build("wheel", tree, tmp_path, **{name: tmp_path})


def test_it_asks_for_ranges_and_not_for_torch(wheel: Path) -> None:
    """So that it can be installed beside other programs, and without gigabytes."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = Parser().parsestr(archive.read(name).decode())
    needs = [Requirement(line) for line in metadata.get_all("Requires-Dist", [])]
    assert [str(need) for need in needs if any(clause.operator == "==" for clause in need.specifier)] == []
    plain = {need.name for need in needs if need.marker is None}
    assert {"streamlit", "openvino"} <= plain
    assert not plain & {"torch", "transformers", "sentence-transformers", "scikit-learn", "unstructured", "anywidget"}
