"""Parsers of an installed package: one that reads lines, and those that go wrong in one way each."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from chunking import plugins
from chunking.parsing.sandbox import process

__all__ = ["NAMES", "installed_parsers"]

_PACKAGE = '''
import time

from chunking.model import Block, BlockType
from chunking.parsing import Parser
from chunking.parsing.builder.reader_types import Reading
from chunking.parsing.builder.text_builder import Writer


def read_lines(raw):
    """The first line is a heading, each other a paragraph; lines with `secret` are not read."""
    writer = Writer(raw.source)
    lines = [line for line in raw.data.decode(errors="replace").splitlines() if line.strip() and "secret" not in line]
    for number, line in enumerate(lines):
        heading = not number
        writer.block(
            BlockType.HEADING if heading else BlockType.PARAGRAPH, line.strip("#- "), level=1 if heading else None
        )
    return writer.finish(warnings=[f"Read as {raw.format}."])


def read_nothing(raw):
    return Reading("", ())


def read_twice(raw):
    blocks = (Block(BlockType.PARAGRAPH, 0, 4), Block(BlockType.PARAGRAPH, 2, 6))
    return Reading("abcdef", blocks)


def fail(raw):
    raise KeyError("boom")


def sleep(raw):
    time.sleep(600)


def row(name, reader, **more):
    return Parser(name=name, label=name.title(), description="a toy", reader=reader, **more)


LINES = row("lines", read_lines, formats=frozenset({"markdown", "text", "email", "rtf"}))
NOTHING, TWICE, FAILS, SLOW = (
    row(name, reader)
    for name, reader in {"nothing": read_nothing, "twice": read_twice, "fails": fail, "slow": sleep}.items()
)
MISSING = row("missing", read_lines, requires="no_such_package")
'''
NAMES = ("lines", "nothing", "twice", "fails", "slow", "missing")


@contextmanager
def installed_parsers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the package in a folder, for this process and those it starts from now on."""
    folder.mkdir()
    (folder / "toy_parsers_package.py").write_text(_PACKAGE)
    about = folder / "toy_parsers_package-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-parsers-package\nVersion: 1.0\n")
    entries = "".join(f"{name} = toy_parsers_package:{name.upper()}\n" for name in NAMES)
    (about / "entry_points.txt").write_text(f"[chunkscope.parsers]\n{entries}")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    _look_again()
    yield
    monkeypatch.undo()
    _look_again()


def _look_again() -> None:
    """Installed packages are looked up once a process, and the process that reads files is started once."""
    process.stop()
    sys.modules.pop("toy_parsers_package", None)
    plugins.entry_places.cache_clear()
    plugins.installed_rows.cache_clear()
    plugins.entry_versions.cache_clear()
