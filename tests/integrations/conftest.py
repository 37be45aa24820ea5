"""A workspace with some of the samples, a PDF among them, indexed with settings that differ from the defaults."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # before its import: it would report to its makers
os.environ["ANONYMIZED_TELEMETRY"] = "False"

from chunking.config import Config
from chunking.export import configuration_yaml
from chunking.indexing import add_files, build_index
from chunking.store import Workspace
from tests.integrations.sample_index import CONFIG, SAMPLES, SOURCES, SampleIndex
from tests.support.stand_in_model import stand_in_model


@pytest.fixture(scope="package", autouse=True)
def _stand_in() -> Iterator[None]:
    """What is done with vectors is tested here, not the model that makes them."""
    with stand_in_model():
        yield


@pytest.fixture(scope="package")
def sample(tmp_path_factory: pytest.TempPathFactory) -> SampleIndex:
    """A folder with documents, their workspace with an index, and its exported configuration; for reading only."""
    home = tmp_path_factory.mktemp("integrations")
    for source in SOURCES:
        (home / "docs" / source).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SAMPLES / source, home / "docs" / source)
    workspace = Workspace.open(home / "workspace")
    add_files(workspace, [home / "docs"])
    build_index(workspace, CONFIG)
    config = home / "chunkscope.yaml"
    config.write_text(configuration_yaml(CONFIG, of="the index main"), encoding="utf-8")
    assert Config.from_file(config) == CONFIG
    return SampleIndex(home / "docs", home / "workspace", config)


@pytest.fixture
def later_version(tmp_path: Path) -> Path:
    """A configuration that a later version of Chunkscope wrote."""
    file = tmp_path / "later.yaml"
    file.write_text("format: 2\nchunk:\n  size: 300\n", encoding="utf-8")
    return file
