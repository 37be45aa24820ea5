"""The version of a workspace's form: earlier ones open, a later one is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chunking.errors import StoreError
from chunking.store import Index, Workspace
from chunking.store.engine.store_opening import FORMAT

NAME = "format.json"


def test_a_workspace_says_its_version(index: Index, workspace: Workspace) -> None:
    """From its first table on; it opens again."""
    assert json.loads(Path(workspace.uri, NAME).read_text()) == {"chunkscope_store": FORMAT}
    assert Workspace.open(workspace.uri).index().count() == index.count()


def test_opening_an_empty_folder_leaves_it_empty(tmp_path: Path) -> None:
    """Who only looks writes nothing."""
    Workspace.open(tmp_path).documents()
    assert list(tmp_path.iterdir()) == []


def test_one_without_the_file_is_of_the_first_form(index: Index, workspace: Workspace) -> None:
    """Those made before there was one."""
    Path(workspace.uri, NAME).unlink()
    earlier = Workspace.open(workspace.uri)
    assert earlier.index().count() == index.count()
    earlier.question_sets.put({"a": "{}"})
    assert json.loads(Path(workspace.uri, NAME).read_text()) == {"chunkscope_store": FORMAT}


@pytest.mark.parametrize(
    "text", ['{"chunkscope_store": 2}', '{"chunkscope_store": 99.5}', "", "[]", '{"chunkscope_store": "x"}', "{}"]
)
def test_a_later_one_is_refused(index: Index, workspace: Workspace, text: str) -> None:
    """Before a table is touched; so is a file that says nothing."""
    place = Path(workspace.uri, NAME)
    place.write_text(text)
    for create in (True, False):
        with pytest.raises(StoreError):
            Workspace.open(workspace.uri, create=create)
    assert place.read_text() == text
