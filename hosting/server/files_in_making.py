"""Files for download that the server makes in its memory: one of a person at a time, few of all, and no more than it
can hold.

Streamlit (1.67) keeps each of them until the next run of a page forgets it, so that a button pressed again and again
fills the memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from streamlit.runtime.media_file_storage import MediaFileStorageError

from chunking.errors import QuotaError
from components.server.turns import Turns
from components.session.file_memory import most_bytes

__all__ = ["one_at_a_time"]

_TIMES = 2
"""So many files of the largest size are held at most."""
_TURNS = Turns(
    2,
    30.0,
    own="Another file is already being prepared for this person.",
    others="Files for others are being prepared; try again in a minute.",
)


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
        raise MediaFileStorageError("The server has reached its limit of download files; try again in a minute.")
    with ExitStack() as turn:
        try:
            turn.enter_context(_TURNS.taken(person))
        except QuotaError as error:
            raise MediaFileStorageError(str(error)) from error
        yield
