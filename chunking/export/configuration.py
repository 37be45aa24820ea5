"""The settings as a YAML file, with a line above it that says what it is and how to use it."""

from __future__ import annotations

import re

from chunking.config import Config
from chunking.export.private_data import own_model, shared_config

__all__ = ["comment", "configuration_yaml"]

_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]+")


def configuration_yaml(config: Config, *, of: str = "", fingerprint: str = "", pins: int = 0) -> str:
    """All settings; `Config.from_yaml`, `--config` and a program read them back.

    Args:
        of: the index (or run) that they are of.
        fingerprint: its own.
        pins: of its documents: they decide boundaries too, and stand in a file of their own.
    """
    lines = ["Settings of Chunkscope" + (f", of {of}" if of else "") + (f", fingerprint {fingerprint}" if fingerprint else "")]
    lines.append("Use them: python -m chunking index DOCUMENTS --workspace W --config THIS_FILE")
    if pins:
        lines.append(f"Its documents have {pins:,} {'pin' if pins == 1 else 'pins'}: export them as pins.json, and add --pins pins.json.")
    if own_model(config):
        lines.append("embedding.model was a folder of the machine that wrote this: put yours there.")
    return "".join(f"# {comment(line)}\n" for line in lines) + shared_config(config).to_yaml()


def comment(text: str) -> str:
    """Text of a user's on one line, so that it cannot end the comment it stands in.

    >>> comment("main\\nimport os")
    'main import os'
    """
    return _UNSEEN.sub(" ", text).strip()
