"""The scripts that complete words in a shell: of every command, and run by a real bash."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from chunking.cli import COMMANDS
from chunking.cli.commands.completion import SHELLS
from chunking.config import settings
from chunking.export.export_table import EXPORTS
from tests.cli.command import Run


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_option_is_in_the_script(run: Run, shell: str) -> None:
    """Made from the table of arguments, `--json` included."""
    script = run("completion", shell).out
    for command in COMMANDS:
        assert command.name in script
        for names, _ in command.words:
            if names[-1].startswith("--"):
                assert (f"-l {names[-1][2:]}" if shell == "fish" else names[-1]) in script
    assert "json" in script


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_that_is_here_reads_its_script(run: Run, tmp_path: Path, shell: str) -> None:
    """Without a word of complaint."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed here")
    place = tmp_path / "script"
    place.write_text(run("completion", shell).out, encoding="utf-8")
    done = subprocess.run([shell, "-n", place], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def completed(script: str, *words: str) -> set[str]:
    """What bash offers for the last of the words after the program's name."""
    code = f'{script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _chunkscope; printf "%s\\n" "${{COMPREPLY[@]}}"'
    command = ["bash", "--norc", "-c", code, "bash", "chunkscope", *words]
    return set(subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout.split())


def test_bash_completes_commands_options_and_values(run: Run) -> None:
    """And leaves files to its own completion, by offering nothing."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed here")
    script = run("completion", "bash").out
    names = {command.name for command in COMMANDS}
    assert completed(script, "") == names
    assert completed(script, "e") == {name for name in names if name.startswith("e")}
    assert {"--mode", "--json", "--workspace"} <= completed(script, "search", "pump", "--")
    assert completed(script, "search", "pump", "--mode", "") == {"hybrid", "vector", "text"}
    assert completed(script, "chunk", "f.md", "--set", "size") == {
        f"{row.key}=" for row in settings() if row.key.startswith("size")
    }
    assert completed(script, "export", "") == {row.name for row in EXPORTS}
    assert completed(script, "index", "--workspace", "") == completed(script, "parse", "") == set()


def test_the_shells_of_the_table_are_those_that_have_a_script() -> None:
    """A shell that is added to one is added to the other."""
    (command,) = (command for command in COMMANDS if command.name == "completion")
    ((_, options),) = command.words
    assert set(options["choices"]) == set(SHELLS)
