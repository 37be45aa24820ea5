"""Files dropped on the Documents page, and what becomes of them."""

from __future__ import annotations

from collections.abc import Sequence

from streamlit.testing.v1 import AppTest

from chunking.store import Workspace
from components.documents.incoming import Incoming, UploadQueue
from tests.pages.app_session import run_app, state, wait_until

__all__ = [
    "GOOD",
    "confirm",
    "drop_files",
    "file_of",
    "press_add",
    "queue_of",
    "sources",
    "upload",
    "wait_for_reading",
]

GOOD = b"# Pumps\n\n## Quiet ones\n\nThe pump got quieter.\n"


def drop_files(app: AppTest, files: Sequence[tuple[str, bytes]]) -> AppTest:
    """Drop files on the page, and wait until they are read."""
    app.file_uploader[0].set_value([(name, data, "text/markdown") for name, data in files])
    return wait_for_reading(run_app(app))


def wait_for_reading(app: AppTest) -> AppTest:
    """Wait until nothing is being read."""
    wait_until(lambda: not queue_of(app).active)
    return run_app(app)


def queue_of(app: AppTest) -> UploadQueue:
    """The files of the session that are not added yet."""
    lying = state(app, "uploads.desk")
    assert isinstance(lying, UploadQueue)
    return lying


def upload(app: AppTest, files: Sequence[tuple[str, bytes]]) -> AppTest:
    """Drop files on the page, and add what was found in them."""
    return press_add(drop_files(app, files))


def press_add(app: AppTest) -> AppTest:
    """Add what is ticked."""
    app.button(key="uploads.add").click()
    return run_app(app)


def file_of(app: AppTest, source: str) -> Incoming:
    return next(file for file in queue_of(app).files if file.source == source)


def sources(workspace: Workspace) -> set[str]:
    """Of all documents."""
    return {row.source for row in workspace.documents()}


def confirm(app: AppTest, button: str, sure: str) -> AppTest:
    """Open a dialog and say yes."""
    app.button(key=button).click()
    run_app(app)
    app.button(key=button).click()
    app.button(key=sure).click()
    return run_app(app)
