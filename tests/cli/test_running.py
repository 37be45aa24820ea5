"""The command as a process: exit codes, streams, pipes, and two processes at one workspace."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from chunking.cli import COMMANDS, main
from tests.cli.command import ROOT, SAMPLES, Run, program

_READING = "--ocr --comments --encoding --parser --edits --pins"
CONTRACT = {
    "parse": f"files --config --set {_READING}",
    "chunk": f"files --config --set {_READING}",
    "index": f"paths --workspace --sole-writer --name --config --set {_READING} --again --dry-run --engine --address "
    "--workers --resume",
    "sample": "place --workspace --sole-writer --table --text --id --title --documents --seed --version",
    "search": "query --workspace --name --mode --retrieval --k --before --after --budget --cut --trim --where "
    "--explain",
    "fetch": "doc_id --workspace --name --json",
    "documents": "--workspace",
    "indexes": "--workspace",
    "configurations": "--workspace --save --config --set --replace --rename --delete",
    "models": "",
    "delete": "doc_ids --workspace --sole-writer",
    "save": "file --workspace --history",
    "open": "file --workspace",
    "backup": "folder dest --copy",
    "restore": "backup dest",
    "compact": "folder",
    "mcp": "--workspace --write --profile --address --files",
    "doctor": "",
    "users": "--suspend --admit",
    "snapshot": "what of --name --shows",
    "evaluate": "paths --questions --config --set --syntax --n --budget --expanded --retrieval --part --chunks "
    "--workspace --sole-writer "
    f"{_READING} --fail-below",
    "sweep": "paths --questions --grid --try --config --set --minutes --estimate --measure --syntax --n --budget "
    "--expanded --metric "
    f"--margin --name --workspace --sole-writer {_READING} --engine --address --workers",
    "compare": "a b --metric --fail-if-worse --candidate --workspace --name --questions --syntax --n --budget "
    "--expanded --max-drop",
    "candidate": "what --workspace --sole-writer --name",
    "app": f"paths --questions --config --workspace --port --no-browser {_READING}",
    "export": "what --workspace --name --run --out --levels --text --metric --margin --budget --vectors --documents "
    "--sample",
    "write": "what --workspace --name --to --collection --levels",
    "demo": "--workspace",
    "completion": "shell",
}


def test_the_commands_and_their_words() -> None:
    """Those of the description, and `--name` for `fetch` and `models` besides."""
    assert {command.name: " ".join(names[0] for names, _ in command.words) for command in COMMANDS} == CONTRACT


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["pars"],
        ["parse"],
        ["parse", ""],
        ["parse", "x", "--workspace", "w"],
        ["chunk", "x", "--se", "size=3"],
        ["index", "x"],
        ["index", "--workspace", "w"],
        ["search", "--workspace", "w"],
        ["search", "x", "--workspace", "w", "--mode", "both"],
        ["search", "x", "--workspace", "w", "--k", "many"],
        ["fetch", "--workspace", "w"],
        ["delete", "--workspace", "w"],
        ["documents"],
    ],
    ids=" ".join,
)
def test_wrong_usage_ends_with_2_and_prints_the_usage(run: Run, words: list[str]) -> None:
    """Exit code 2; stdout stays empty, stderr says what is expected."""
    ran = run(*words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("usage: chunkscope")
    assert "error: " in ran.err.splitlines()[-1]


@pytest.mark.parametrize("words", [["--help"], *([command.name, "--help"] for command in COMMANDS)], ids=" ".join)
def test_help_goes_to_stdout(run: Run, words: list[str]) -> None:
    """Exit code 0, on stdout; percent signs and all."""
    ran = run(*words)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("usage: chunkscope")


def test_stopped_by_hand(run: Run, guide: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl+C is a sentence."""

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("chunking.indexing.read_files", stopped)
    ran = run("parse", guide)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("Stopped")
    assert ran.err.count("\n") == 1


def test_exit_codes_of_the_process(tmp_path: Path) -> None:
    """Failed, wrong usage: as the function returns them."""
    assert program("parse", tmp_path / "none").code == 1
    assert program("chunk", SAMPLES / "faq", "--set", "size=0").code == 2
    assert program().code == 2


def test_the_installed_command() -> None:
    """`chunkscope` is this command, done with exit code 0."""
    script = Path(sys.executable).with_name("chunkscope")
    if not script.exists():
        pytest.skip("the project is not installed here")
    done = subprocess.run(
        [script, "parse", "sample_data/faq"], capture_output=True, encoding="utf-8", cwd=ROOT, check=False
    )
    ran = program("parse", "sample_data/faq")
    assert (done.returncode, done.stderr, done.stdout) == (ran.code, ran.err, ran.out) == (0, "", ran.out)


def test_a_reader_that_has_had_enough() -> None:
    """`| head -1`: its line is whole, nothing is said, nothing failed."""
    words, pipe = (
        [sys.executable, "-m", "chunking", "chunk", "sample_data", "--set", "table_text=cells"],
        subprocess.PIPE,
    )
    with subprocess.Popen(words, stdout=pipe, stderr=pipe, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().endswith(b"}\n")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


def test_an_output_that_cannot_be_written() -> None:
    """A full disk behind `>`: one sentence, exit code 1."""
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full here")
    for command in ("parse", "chunk"):
        words = [sys.executable, "-m", "chunking", command, "sample_data/faq"]
        with full.open("wb") as out:
            done = subprocess.run(words, stdout=out, stderr=subprocess.PIPE, encoding="utf-8", cwd=ROOT, check=False)
        assert done.returncode == 1
        line = done.stderr.splitlines()[-1]
        assert line.startswith("chunkscope: The output cannot be written")


def test_a_command_works_without_stdout_or_stderr() -> None:
    """Without stdout or stderr there is nobody to tell, and that is all."""
    for closed in (">&-", "2>&-"):
        line = f'exec "$0" -m chunking parse sample_data/faq none.md {closed}'
        done = subprocess.run(["sh", "-c", line, sys.executable], capture_output=True, cwd=ROOT, check=False)
        assert done.returncode == 1
        assert b"Traceback" not in done.stderr


# -- two processes


@contextmanager
def indexing(workspace: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that is in the middle of indexing the samples anew; killed at the end."""
    words = [sys.executable, "-m", "chunking", "index", str(SAMPLES), "--workspace", str(workspace), "--set", "size=40"]
    with subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8", cwd=ROOT
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "Loading the model" in line:
                break
        process.send_signal(signal.SIGSTOP)  # it holds the lock for as long as we like
        try:
            yield process
        finally:
            process.kill()


def test_two_processes_index_one_workspace(run: Run, own_samples: Path, guide: Path) -> None:
    """The second is told at once and reads as before; after a kill of the first it goes on, and nothing was lost."""
    search = ("search", "三灯", "--workspace", own_samples, "--mode", "text")
    before = run(*search).row
    with indexing(own_samples):
        ran = run("index", guide, "--workspace", own_samples)
        assert (ran.code, ran.out) == (1, "")
        assert "Another process is writing" in ran.complaint
        assert run(*search).row == before
    assert run(*search).row == before
    after = run("index", SAMPLES, "--workspace", own_samples).row
    assert (after["documents"], after["embedded"], after["failed"]) == (15, 0, [])
    assert run(*search).row == before


def test_called_without_words_it_takes_those_of_the_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the installed command does."""
    monkeypatch.setattr(sys, "argv", ["chunkscope", "parse", os.fspath(SAMPLES / "faq")])
    assert main() == 0
    assert '"doc_id": "faq"' in capsys.readouterr().out
