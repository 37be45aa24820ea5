"""Settings of an integration: an exported YAML, with the edits and pins of its documents."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from chunking.config import Config
from chunking.errors import ConfigError
from chunking.indexing import DocumentInputs
from chunking.model import Document
from chunking.paths import AnyPath

__all__ = ["ConfigSource", "ExportedSettings", "load_settings"]

ConfigSource: TypeAlias = "Config | AnyPath | None"
"""Path of an exported YAML, its text (several lines), or a `Config`; None: the defaults."""


@dataclass(frozen=True, slots=True)
class ExportedSettings:
    """Settings of a YAML file, with its edits and pins."""

    config: Config
    inputs: DocumentInputs
    text: str
    """YAML of the settings, which frameworks save so that the file is not needed again."""

    def apply_inputs(self, documents: Sequence[Document]) -> list[Document]:
        """Return the documents with the edits and pins that are about them, as `--config` does."""
        from chunking.parsing.edits import apply
        from chunking.splitting.pins.stored_pins import with_file_pins

        edits = [
            [edit for one in self.inputs.edits if one.is_about(document) for edit in one.changes]
            for document in documents
        ]
        edited = [apply(*pair).document for pair in zip(documents, edits, strict=True)]
        return with_file_pins(edited, self.inputs.pins)


def load_settings(source: ConfigSource) -> ExportedSettings:
    """Load the settings, edits and pins of a YAML; a `Config` or None has neither edits nor pins.

    Args:
        source: see `ConfigSource`.
    Raises:
        ConfigError: the file cannot be read, holds no settings, or was written by a later version.
        ChangeError: its edits or pins cannot be read.
    """
    if source is None or isinstance(source, Config):
        config = source or Config()
        return ExportedSettings(config, DocumentInputs(), config.to_yaml())
    text, where = _yaml_text(source)
    return ExportedSettings(Config.from_yaml(text, where=where), DocumentInputs.from_yaml(text, where=where), text)


def _yaml_text(source: AnyPath) -> tuple[str, str]:
    """Return the YAML and its name for messages; a path has one line, a configuration several."""
    if isinstance(source, str) and "\n" in source:
        return source, "the configuration"
    try:
        return Path(source).read_text(encoding="utf-8"), os.fspath(source)
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a NUL in the name
        message = f"The configuration file {os.fspath(source)[:200]} cannot be read ({error}); check its name."
        raise ConfigError(message, where=os.fspath(source)[:200]) from error
