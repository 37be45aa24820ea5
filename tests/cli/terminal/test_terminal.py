"""The command on a real pseudo-terminal: colours, hostile documents, other encodings, and pipes as before."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from chunking.cli.terminal.terminal_text import width
from tests.cli.command import ROOT, SAMPLES, program
from tests.cli.terminal.pseudo_terminal import on_terminal

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202etxet\u202c\x08\x7f"
"""A title, a cleared screen, a colour in eight bits, turned text, a backspace and a delete."""
LINES = [f"Line {number} has nothing to hide, and there are enough of them for a text." for number in range(40)]


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A document, and a file name, that would act on a terminal."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "evil\x1b[31m.md").write_text(
        f"# Title {ESCAPES}\n\nText {ESCAPES} end of the text.\n\n{chr(10).join(LINES)}\n", encoding="utf-8"
    )
    return folder


def test_a_person_sees_bands_and_a_pipe_gets_json() -> None:
    """The same words, twice; what the pipe gets is what it got before there were views."""
    shown = on_terminal("chunk", "sample_data/faq", columns=60)
    assert shown.code == 0
    assert "\x1b[" in shown.raw
    assert max(map(width, shown.lines)) <= 60
    piped = program("chunk", "sample_data/faq")
    assert all(json.loads(line)["chunk_id"] for line in piped.out.splitlines())
    assert "\x1b" not in piped.out + piped.err


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "dumb"])
def test_without_colours_nothing_is_escaped(env: dict[str, str]) -> None:
    """Plain lines, with all that the colours say."""
    shown = on_terminal("chunk", "sample_data/faq", env=env)
    assert shown.code == 0
    assert "\x1b" not in shown.raw
    assert any(line.startswith("▌ 1 ") for line in shown.lines)


@pytest.mark.parametrize("words", [("parse",), ("chunk",), ("parse", "--json"), ("chunk", "--json")], ids=" ".join)
def test_a_hostile_document_does_not_reach_the_terminal(hostile: Path, words: tuple[str, ...]) -> None:
    """Styles of our own are the only escape sequences, in views and in JSON."""
    shown = on_terminal(words[0], hostile, *words[1:])
    assert shown.code == 0
    rest = re.sub(r"\x1b\[[0-9;]*m", "", shown.raw)
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e]", rest)
    if "--json" in words:
        (row, *_) = (json.loads(line) for line in rest.splitlines() if line.startswith("{"))
        assert ESCAPES in (row.get("text") or row["content"])


def test_a_hostile_document_in_a_workspace(hostile: Path, tmp_path: Path) -> None:
    """Fetched, exported, listed and searched: its text is shown, and acts on nothing."""
    at = ("--workspace", tmp_path / "w")
    assert program("index", hostile, *at).code == 0
    (document,) = program("documents", *at).row["documents"]
    commands = (
        ("fetch", document["doc_id"]),
        ("export", "chunks-jsonl"),
        ("documents",),
        ("search", "end of the text", "--mode", "text"),
    )
    for words in commands:
        shown = on_terminal(*words, *at)
        rest = re.sub(r"\x1b\[[0-9;]*m", "", shown.raw)
        assert (shown.code, re.findall("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e]", rest)) == (0, []), words
    refused = on_terminal("export", "chunks-parquet", *at)
    assert refused.code == 2
    assert any("--out" in line for line in refused.lines)


def test_progress_is_drawn_over_itself(tmp_path: Path) -> None:
    """Many steps, one line, and nothing of it at the end; to a pipe they are lines as before."""
    shown = on_terminal("index", "sample_data/faq", "--workspace", tmp_path / "w", columns=70)
    assert shown.code == 0
    assert shown.raw.count("\r") > shown.raw.count("\r\n")
    assert not any("%" in line for line in shown.lines)
    piped = program("index", "sample_data/faq", "--workspace", tmp_path / "v")
    assert "\r" not in piped.err
    assert len(piped.err.splitlines()) > 2


def test_progress_fits_the_terminal_of_stderr(tmp_path: Path) -> None:
    """Also where stdout is none: no step is wider than it, so that each is drawn over the one before."""
    shown = on_terminal("index", "sample_data/faq", "--workspace", tmp_path / "w", columns=44, piped=True)
    assert shown.code == 0
    steps = [line for part in shown.raw.split("\r") for line in part.split("\n") if "%" in line]
    assert steps
    assert max(map(width, steps)) < 44


def test_a_terminal_of_another_encoding_gets_what_it_has() -> None:
    """Signs in ASCII, and letters that it lacks as question marks."""
    env = {"PYTHONIOENCODING": "latin-1", "NO_COLOR": "1"}
    shown = on_terminal("chunk", "sample_data/manual-zh", env=env)
    assert shown.code == 0
    assert shown.raw.isascii() or "\ufffd" in shown.raw
    assert any(line.startswith("| 1 ") for line in shown.lines)


def test_a_view_into_a_broken_pipe() -> None:
    """A terminal that goes away in the middle ends the command without a word."""
    leader, follower = os.openpty()
    command = [sys.executable, "-m", "chunking", "chunk", str(SAMPLES)]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=follower, stderr=subprocess.PIPE, cwd=ROOT, start_new_session=True
    ) as process:
        os.close(follower)
        os.read(leader, 100)
        os.close(leader)
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()
    assert process.returncode in (0, 1, -1)
