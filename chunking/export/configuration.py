"""The settings as a YAML file, with a line above it that says what it is and how to use it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import yaml

from chunking.config import Config
from chunking.config.yaml_text import DOCUMENTS, LONGEST
from chunking.export.private_data import own_model, shared_config

if TYPE_CHECKING:
    from chunking.indexing import DocumentInputs

__all__ = ["comment", "configuration_yaml", "counted"]

_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]+")


def configuration_yaml(
    config: Config,
    *,
    of: str = "",
    fingerprint: str = "",
    inputs: DocumentInputs | None = None,
    with_texts: bool = True,
) -> str:
    """All settings; `Config.from_yaml`, `--config` and a program read them back.

    Args:
        of: the index (or run) that they are of.
        fingerprint: its own.
        inputs: edits, pins and encodings of its documents; `--config` uses them too. Those too long for such a file are
            named in its head.
        with_texts: False leaves edits and pins out, which quote the documents, and names them in the head.
    """
    lines = [
        "Settings of Chunkscope"
        + (f", of {of}" if of else "")
        + (f", fingerprint {fingerprint}" if fingerprint else "")
    ]
    lines.append("Use them: python -m chunking index DOCUMENTS --workspace W --config THIS_FILE")
    record = inputs.as_record() if inputs else {}
    part = _documents_part(record) if with_texts else ""
    if len(part) > LONGEST // 2:
        part = ""
    if inputs and record and part:
        lines.append(f"With manual decisions about its documents: {counted(inputs.counts)}; see `documents` below.")
    elif inputs and record:
        lines.append(f"Its documents have {counted(inputs.counts)}, which are not in this file.")
        lines += [f"Export {one}.json and add --{one} {one}.json." for one in ("edits", "pins") if one in record]
    if own_model(config):
        lines.append("embedding.model was a folder on the machine that wrote this: put yours there.")
    return "".join(f"# {comment(line)}\n" for line in lines) + shared_config(config).to_yaml() + part


def counted(counts: Mapping[str, int]) -> str:
    """Counts in words.

    >>> counted({"edits": 1, "pins": 1200})
    '1 edit, 1,200 pins'
    """
    return ", ".join(f"{number:,} {name[:-1] if number == 1 else name}" for name, number in counts.items())


def _documents_part(record: Mapping[str, Any]) -> str:
    return (
        yaml.safe_dump({DOCUMENTS: dict(record)}, sort_keys=False, allow_unicode=False, width=10**9) if record else ""
    )


def comment(text: str) -> str:
    """Text of a user's on one line, so that it cannot end the comment it stands in.

    >>> comment("main\\nimport os")
    'main import os'
    """
    return _UNSEEN.sub(" ", text).strip()
