"""Files that the server makes for download: a person has one made at a time, and what is held has an end."""

from __future__ import annotations

import pytest
from streamlit.runtime.media_file_storage import MediaFileStorageError

from hosting.server import media_access
from hosting.server.media_access import one_at_a_time


def test_a_person_has_one_made_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few of all people are; who is refused may try again, and a making that fails leaves its place."""
    monkeypatch.setattr(media_access._TURNS, "patience", 0.01)
    with one_at_a_time("ann", 0):
        with pytest.raises(MediaFileStorageError), one_at_a_time("ann", 0):
            pass
        with one_at_a_time("bob", 0), pytest.raises(MediaFileStorageError, match="Others"), one_at_a_time("cay", 0):
            pass
    with pytest.raises(ZeroDivisionError), one_at_a_time("ann", 0):
        _ = 1 / 0
    with one_at_a_time("ann", 0), one_at_a_time("cay", 0):
        pass


def test_what_is_held_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """One button after the other, each with a file of its own."""
    monkeypatch.setattr(media_access, "most_bytes", lambda: 100)
    with one_at_a_time("ann", 200):
        pass
    with pytest.raises(MediaFileStorageError, match="holds"), one_at_a_time("ann", 201):
        pass
