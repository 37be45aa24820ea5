"""The key of an endpoint: sent to its server, and found nowhere else, whatever the server says."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from chunking.cli import main
from chunking.store import Workspace
from chunking.store.chunk_records import chunk_record
from tests.support.llm_server import EMBEDDER, KEY, LLMServer

GUIDE = """# Pumps

Pumps move water through the house. They are checked every year by a mechanic.

## 滤芯

滤芯每六个月更换一次。更换前请关闭阀门。

| part | interval |
|---|---|
| filter | 6 months |
| seal | 2 years |
"""
SETTINGS = (
    "prefix=context",
    "enrich.generator=llm",
    "enrich.summaries=true",
    "enrich.describe_tables=true",
    f"embedding.model=remote:{EMBEDDER}",
)


def everything_in(folder: Path) -> str:
    """All a workspace holds: its files as they lie on disk, and its tables unpacked."""
    raw = b"".join(path.name.encode() + path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
    import lancedb

    connection = lancedb.connect(folder / "lance" if (folder / "lance").is_dir() else folder)
    names = connection.list_tables().tables
    assert names
    return raw.decode("latin-1") + "".join(repr(connection.open_table(name).to_arrow().to_pylist()) for name in names)


def commands(*lines: Sequence[object]) -> subprocess.CompletedProcess[str]:
    """Run command lines in turn with verbose libraries, up to the first that fails."""
    program = (
        "import json, logging, sys; logging.basicConfig(level=logging.DEBUG); from chunking.cli import main\n"
        "for words in json.loads(sys.argv[1]):\n    if code := main(words): sys.exit(code)"
    )
    values = json.dumps([[str(word) for word in line] for line in lines])
    return subprocess.run([sys.executable, "-c", program, values], capture_output=True, text=True, timeout=240)


@pytest.fixture
def guide(tmp_path: Path, llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A document; the local server writes about it and embeds it."""
    values = llm_server.environment("llm") | llm_server.environment("embedding")
    values |= {"CHUNKSCOPE_LLM_RETRIES": "0", "CHUNKSCOPE_EMBEDDING_RETRIES": "0"}
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    file = tmp_path / "guide.md"
    file.write_text(GUIDE, encoding="utf-8")
    return file


def test_a_server_that_repeats_the_key(guide: Path, llm_server: LLMServer, tmp_path: Path) -> None:
    """Everything it writes is stored, searched and printed without it: contexts, summaries, descriptions of tables."""
    llm_server.always = "echo_key"
    folder = tmp_path / "workspace"
    values = [word for setting in SETTINGS for word in ("--set", setting)]
    run = commands(
        ("index", guide, "--workspace", folder, *values),
        ("search", "filter", "--workspace", folder, "--explain"),
        ("indexes", "--workspace", folder),
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert len(run.stdout.splitlines()) == 3
    assert len(llm_server.chat_requests) >= 4
    assert all(request.headers["Authorization"] == f"Bearer {KEY}" for request in llm_server.requests)
    assert "httpcore" in run.stderr  # the logs are on
    contents = everything_in(folder)
    assert "You sent Bearer (key)." in contents
    assert KEY not in contents
    assert KEY not in run.stdout + run.stderr
    index = Workspace.open(folder).index()
    records = [chunk_record(chunk) for chunk in index.chunks_of("guide")]
    assert KEY not in repr([records, index.row, index.row.config.to_yaml()])


@pytest.mark.parametrize("behaviour", ["401", "503"])
def test_a_server_that_refuses_and_repeats_the_key(
    guide: Path,
    llm_server: LLMServer,
    tmp_path: Path,
    behaviour: str,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Neither the run that falls and fails, nor what it logs and leaves behind, tells it."""
    llm_server.always = behaviour
    folder = tmp_path / "workspace"
    with caplog.at_level(logging.DEBUG):
        values = [
            "index",
            str(guide),
            "--workspace",
            str(folder),
            *[word for setting in SETTINGS for word in ("--set", setting)],
        ]
        assert main(values) != 0
    printed = capfd.readouterr()
    assert llm_server.requests
    assert "httpcore" in {record.name.partition(".")[0] for record in caplog.records}  # the logs are on
    assert "The embedding endpoint at 127.0.0.1" in printed.err
    assert "Traceback" not in printed.err + caplog.text
    assert KEY not in printed.out + printed.err + caplog.text + everything_in(folder)
