"""Where the project stands on disk."""

from __future__ import annotations

from chunking.project import PROJECT


def test_the_project_is_where_its_server_is() -> None:
    """Its options, secrets, samples and requirements are looked for there."""
    assert (PROJECT / "serve.py").is_file()
    assert (PROJECT / "requirements.txt").is_file()
