"""Where an integration gets its settings from, and what it refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from chunking.config import Config
from chunking.errors import ConfigError, MissingPackageError
from chunking.export import configuration_yaml
from chunking.indexing import DocumentInputs
from chunking.integrations.exported_settings import load_settings
from chunking.integrations.text_splitting import TextSource, TextSplitting
from chunking.model import PinKind
from chunking.parsing import parse
from chunking.splitting.pins.stored_pins import PinnedDocument, StoredPin
from tests.integrations.sample_index import CONFIG, SampleIndex
from tests.support.facts import tells


def test_a_path_a_text_and_a_config_are_the_same(sample: SampleIndex) -> None:
    """And what is saved of each is read as the same settings."""
    text = sample.config.read_text(encoding="utf-8")
    for source in (sample.config, str(sample.config), text, CONFIG):
        settings = load_settings(source)
        assert settings.config == CONFIG
        assert load_settings(settings.text).config == CONFIG
    assert load_settings(None).config == Config()


def test_a_configuration_of_a_later_version_is_refused(later_version: Path) -> None:
    """Whoever reads it: its name and both formats are told."""
    for read in (load_settings, Config.from_file):
        with pytest.raises(ConfigError) as caught:
            read(later_version)
        assert tells(str(caught.value), "later.yaml later version 2 1")
    with pytest.raises(ConfigError):
        Config.from_yaml("format: soon\n")
    assert Config.from_yaml("format: 1\nchunk:\n  size: 300\n").chunk.size == 300


@pytest.mark.parametrize("source", ["none/there.yaml", "chunk:\n  beauty: 3\n", "chunk: [\n", "a\0b"])
def test_what_holds_no_settings_is_a_sentence(source: str) -> None:
    """A path that leads nowhere, a setting that there is not, no YAML."""
    with pytest.raises(ConfigError) as caught:
        load_settings(source)
    assert "\n" not in str(caught.value)


def test_pins_of_the_configuration_decide_boundaries() -> None:
    """As `--config` applies them: to the document of the same path."""
    text = "# Pump\n\nThe filter is rinsed. It is dried.\n\nThe seal is worn. It is changed.\n"
    document, at = parse(text.encode(), "pump.md"), text.index("It is dried")
    pinned = PinnedDocument(document.doc_id, document.source, (StoredPin.of(document, PinKind.SPLIT, at),))
    exported = configuration_yaml(Config(), inputs=DocumentInputs(pins=(pinned,)))
    (split,) = TextSplitting(load_settings(exported)).split_texts([TextSource(text, {"source": "pump.md"})])
    (other,) = TextSplitting(load_settings(exported)).split_texts([TextSource(text, {"source": "valve.md"})])
    assert split is not None
    assert other is not None
    assert at in [chunk.start for chunk in split.chunks]
    assert at not in [chunk.start for chunk in other.chunks]


def test_only_the_framework_that_is_used_is_imported() -> None:
    """And none by the package."""
    frameworks = ("langchain_core", "llama_index", "haystack", "chromadb", "qdrant_client")
    code = (
        "import sys, chunking.integrations, chunking.cli\n"
        f"assert not {{*sys.modules}} & {{*{frameworks!r}}}\n"
        "chunking.integrations.ChunkscopeTextSplitter\n"
        f"assert {{*sys.modules}} & {{*{frameworks!r}}} == {{'langchain_core'}}\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2], timeout=240)


@pytest.mark.parametrize(
    ("package", "name", "install"),
    [
        ("langchain_text_splitters", "ChunkscopeTextSplitter", "langchain-text-splitters"),
        ("llama_index.core.node_parser", "ChunkscopeNodeParser", "llama-index-core"),
        ("haystack", "ChunkscopeDocumentSplitter", "haystack-ai"),
    ],
)
def test_a_framework_that_is_not_installed_is_a_sentence(package: str, name: str, install: str) -> None:
    """It says what to install, and can be caught as an ImportError."""
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        f"try:\n    from chunking.integrations import {name}\n"
        "except ImportError as error:\n    print(type(error).__name__, error)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        timeout=240,
    )
    assert ran.stdout.startswith(MissingPackageError.__name__)
    assert tells(ran.stdout.strip(), f"{install} pip")
