"""Files for download that the server makes in its memory: one of a person at a time, few of all, and no more than it can hold.

Streamlit (1.67) keeps each of them until the next run of a page forgets it, so that a button pressed again and again fills the memory.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from streamlit.runtime.media_file_storage import MediaFileStorageError

from components.session.file_memory import most_bytes

__all__ = ["one_at_a_time"]

_AT_ONCE, _PATIENCE = 2, 30.0
"""Files that are made at a time on this server, and seconds that one waits for its turn."""
_TIMES = 2
"""So many files of the largest size are held at most."""
_places, _lock = threading.Semaphore(_AT_ONCE), threading.Lock()
_making: set[str] = set()
"""Ids of those whose file is being made."""


@contextmanager
def one_at_a_time(person: str, held: int) -> Iterator[None]:
    """Make a file in here.

    Args:
        person: an id; of who has none, that of their session.
        held: bytes of the files that Streamlit holds already.
    Raises:
        MediaFileStorageError: it is not to be made now. The browser says that it could not be, and the log why.
    """
    if most_bytes() and held > _TIMES * most_bytes():
        raise MediaFileStorageError("The server holds as many files for download as it may; try again in a minute.")
    with _lock:
        if person in _making:
            raise MediaFileStorageError("A file of theirs is being made already.")
        _making.add(person)
    try:
        if not _places.acquire(timeout=_PATIENCE):
            raise MediaFileStorageError("Others have files made just now; try again in a minute.")
        try:
            yield
        finally:
            _places.release()
    finally:
        with _lock:
            _making.discard(person)
