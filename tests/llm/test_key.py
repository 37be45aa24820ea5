"""The key of an endpoint: sent to its server, and found nowhere else, whatever the server says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from chunking.records import chunk_record
from chunking.store import Workspace
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
    "enrich.writer=llm",
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


def command(*words: object) -> subprocess.CompletedProcess[str]:
    """The command line with all that libraries can be made to say."""
    program = "import logging, sys; logging.basicConfig(level=logging.DEBUG); from chunking.cli import main; sys.exit(main())"
    return subprocess.run([sys.executable, "-c", program, *map(str, words)], capture_output=True, text=True, timeout=240)


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
    given = [word for setting in SETTINGS for word in ("--set", setting)]
    runs = [
        command("index", guide, "--workspace", folder, *given),
        command("search", "filter", "--workspace", folder, "--explain"),
        command("indexes", "--workspace", folder),
    ]
    assert [run.returncode for run in runs] == [0, 0, 0], runs[0].stderr[-2000:]
    assert len(llm_server.asked) >= 4
    assert all(request.headers["Authorization"] == f"Bearer {KEY}" for request in llm_server.requests)
    assert "httpcore" in runs[0].stderr  # the logs are on
    held = everything_in(folder)
    assert "You sent Bearer (key)." in held
    assert KEY not in held
    for run in runs:
        assert KEY not in run.stdout + run.stderr
    index = Workspace.open(folder).index()
    records = [chunk_record(chunk) for chunk in index.chunks_of("guide")]
    assert KEY not in repr([records, index.row, index.row.config.to_yaml()])


@pytest.mark.parametrize("behaviour", ["401", "503"])
def test_a_server_that_refuses_and_repeats_the_key(guide: Path, llm_server: LLMServer, tmp_path: Path, behaviour: str) -> None:
    """Neither the run that falls and fails, nor what it leaves behind, tells it."""
    llm_server.always = behaviour
    folder = tmp_path / "workspace"
    run = command("index", guide, "--workspace", folder, *[word for setting in SETTINGS for word in ("--set", setting)])
    assert run.returncode != 0
    assert llm_server.requests
    assert "The embedding endpoint at 127.0.0.1" in run.stderr
    assert "Traceback" not in run.stderr
    assert KEY not in run.stdout + run.stderr + everything_in(folder)
