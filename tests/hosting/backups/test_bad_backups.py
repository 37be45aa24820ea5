"""Backups that are damaged, or made to harm: each is reported, and nothing outside of it is read."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest

from chunking.errors import StoreError
from hosting.backups import back_up, restore

DAMAGES = (
    "flip",
    "delete",
    "list",
    "later",
    "none",
    "outside",
    "absolute",
    "link",
    "pipe",
    "index",
    "size",
    "workspace",
    "types",
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_backup_is_reported(home: Path, tmp_path: Path, damage: str) -> None:
    """And nothing is left of what was restored of it."""
    backup = tmp_path / "backup"
    back_up(home, backup, link=False)
    (data,) = (backup / "home" / "second" / "documents.lance" / "data").iterdir()
    listed = json.loads((backup / "backup.json").read_text())
    if damage == "flip":
        content = bytearray(data.read_bytes())
        content[100] ^= 1
        data.write_bytes(content)
    elif damage == "delete":
        data.unlink()
    elif damage == "list":
        (backup / "backup.json").write_text("{")
    elif damage == "later":
        (backup / "backup.json").write_text(json.dumps(listed | {"chunkscope_backup": 2}))
    elif damage == "none":
        (backup / "backup.json").unlink()
    elif damage == "outside":
        listed["files"]["../../evil"] = "0" * 64
        (backup / "backup.json").write_text(json.dumps(listed))
    elif damage == "absolute":
        listed["files"][str(data)] = listed["files"].pop(data.relative_to(backup / "home").as_posix())
        (backup / "backup.json").write_text(json.dumps(listed))
    elif damage == "link":
        data.rename(backup / "elsewhere")
        data.symlink_to(backup / "elsewhere")
    elif damage == "pipe":
        data.unlink()
        os.mkfifo(data)
    elif damage == "size":
        listed["bytes"][data.relative_to(backup / "home").as_posix()] += 1
        (backup / "backup.json").write_text(json.dumps(listed))
    elif damage == "workspace":
        listed["workspaces"][str(home / "second")] = listed["workspaces"].pop("second")
        (backup / "backup.json").write_text(json.dumps(listed))
    elif damage == "types":
        (backup / "backup.json").write_text(json.dumps(listed | {"files": [], "bytes": 1}))
    else:
        listed["workspaces"]["second"]["main"] = "0" * 16
        (backup / "backup.json").write_text(json.dumps(listed))
    before = sorted(tmp_path.iterdir())
    with pytest.raises(StoreError):
        restore(backup, tmp_path / "restored")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b", "", "a" * 5_000, ".", "second/../second"])
def test_a_name_that_no_file_can_have(home: Path, tmp_path: Path, name: str) -> None:
    """In the list of a backup, it is a file that is missing."""
    back_up(home, tmp_path / "backup")
    listed = json.loads((tmp_path / "backup" / "backup.json").read_text())
    listed["files"][name] = "0" * 64
    (tmp_path / "backup" / "backup.json").write_text(json.dumps(listed))
    with pytest.raises(StoreError) as message:
        restore(tmp_path / "backup", tmp_path / "restored")
    str(message.value).encode()
    assert not (tmp_path / "restored").exists()


@pytest.mark.parametrize("where", ["a folder", "all of it", "the list"])
def test_nothing_outside_of_a_backup_is_read(home: Path, tmp_path: Path, where: str) -> None:
    """Not through a link in it either, and whoever made it may know the hash of what stands there."""
    backup, secret = tmp_path / "backup", tmp_path / "elsewhere" / "secret"
    back_up(home, backup)
    listed = json.loads((backup / "backup.json").read_text())
    secret.parent.mkdir()
    secret.write_text("secret")
    if where == "a folder":
        (backup / "home" / "folder").symlink_to(secret.parent)
        listed["files"]["folder/secret"] = hashlib.sha256(b"secret").hexdigest()
    elif where == "all of it":
        (backup / "home").rename(backup / "before")
        (backup / "home").symlink_to(secret.parent)
        listed = listed | {"files": {"secret": hashlib.sha256(b"secret").hexdigest()}, "bytes": {}, "workspaces": {}}
    (backup / "backup.json").write_text(json.dumps(listed))
    if where == "the list":
        (backup / "backup.json").rename(secret)
        (backup / "backup.json").symlink_to(secret)
    with pytest.raises(StoreError):
        restore(backup, tmp_path / "restored")
    assert not (tmp_path / "restored").exists()


def test_a_list_that_nests_deep(home: Path, tmp_path: Path) -> None:
    """It is damaged, and is told before it is read."""
    back_up(home, tmp_path / "backup")
    (tmp_path / "backup" / "backup.json").write_text("[" * 100_000)
    with pytest.raises(StoreError):
        restore(tmp_path / "backup", tmp_path / "restored")


def test_a_file_of_nothing_does_not_fill_the_disk(home: Path, tmp_path: Path) -> None:
    """A hole of more bytes than are free is no file to copy."""
    back_up(home, tmp_path / "backup")
    listed = json.loads((tmp_path / "backup" / "backup.json").read_text())
    hole = tmp_path / "backup" / "home" / "hole"
    with hole.open("wb") as file:
        file.truncate(shutil.disk_usage(tmp_path).free + 2**30)
    listed["files"]["hole"] = "0" * 64
    (tmp_path / "backup" / "backup.json").write_text(json.dumps(listed))
    with pytest.raises(StoreError, match="GB are free"):
        restore(tmp_path / "backup", tmp_path / "restored")
