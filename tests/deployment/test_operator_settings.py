"""The operator's settings: from the environment and a file, checked, and each fault in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.deployment.operator_settings import Mode
from chunking.deployment.operator_sources import operator_rows, operator_settings, variable
from chunking.errors import ConfigError


def test_without_anything_it_is_one_person_on_their_machine() -> None:
    """The defaults."""
    created = operator_settings({})
    assert created.sharing.mode is Mode.LOCAL
    assert not created.shared


def test_a_variable_wins_over_the_file(tmp_path: Path) -> None:
    """The file in the home folder is found by itself."""
    (tmp_path / "chunkscope.toml").write_text(
        '[sharing]\nmode = "team"\nidle_hours = 2\n[limits]\njobs = 3\n', encoding="utf-8"
    )
    created = operator_settings({"CHUNKSCOPE_HOME": str(tmp_path), "CHUNKSCOPE_JOBS": "5"})
    assert (created.sharing.mode, created.sharing.idle_hours, created.limits.jobs, created.home) == (
        Mode.TEAM,
        2,
        5,
        tmp_path,
    )


@pytest.mark.parametrize(
    ("environment", "text", "message"),
    [
        ({"CHUNKSCOPE_MODE": "teem"}, "", "CHUNKSCOPE_MODE is 'teem'; it should be 'local', 'demo' or 'team'."),
        ({"CHUNKSCOPE_JOBS": "-1"}, "", "CHUNKSCOPE_JOBS is '-1'"),
        ({"CHUNKSCOPE_HOME": "s3://bucket/home"}, "", "CHUNKSCOPE_HOME is 's3://bucket/home'"),
        ({"CHUNKSCOPE_WORKSPACE": "gs://bucket/team"}, "", "CHUNKSCOPE_WORKSPACE is 'gs://bucket/team'"),
        ({}, "[sharing]\ndemo_base = 'az://demo'\n", "sharing.demo_base in "),
        ({}, "[sharing]\nmod = 'team'\n", "did you mean sharing.mode"),
        ({}, "mode = 'team'\n", "not a setting"),
        ({}, "[sharing\n", "are not TOML"),
        ({}, "[limits]\njobs = 'many'\n", "limits.jobs in "),
    ],
)
def test_a_fault_is_one_sentence(tmp_path: Path, environment: dict[str, str], text: str, message: str) -> None:
    """It names the variable, or the file and its line."""
    file = tmp_path / "operator.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as fault:
        operator_settings({"CHUNKSCOPE_SETTINGS": str(file), **environment})
    assert message in str(fault.value)


def test_variables_are_distinguished() -> None:
    """No two settings share one."""
    names = [variable(row) for row in operator_rows()]
    assert len(set(names)) == len(names)
