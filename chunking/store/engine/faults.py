"""Translate LanceDB's exceptions into errors of one sentence that says what to do.

The engine is written in Rust. Its errors come as RuntimeError (`lance error: …`, or a task that panicked), as
ValueError (`Invalid input, …`, `Table 't' was not found`), as OSError, and as a panic outside of Exception. So do bugs
of this program: they are distinguished by the engine's wording, and raised unchanged.
"""

from __future__ import annotations

import errno
import logging
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from chunking.errors import ChunkscopeError, NotFoundError, StoreError

__all__ = ["error_detail", "guarded", "is_conflict", "retry_conflicts"]

_log = logging.getLogger(__name__)
_TRIES = 5
"""Attempts at a write that conflicts with other commits, on top of the engine's own retries."""

_ENGINE = re.compile(
    r"lance error|object_store error|external error|panicked with message|corrupt|not appear to be a lance file",
    re.IGNORECASE,
)
"""Wording of the engine's errors over files that it cannot read or write."""
_DAMAGED = (
    "The workspace {uri} failed while {what}: a file in it may be damaged ({detail}); try again, and if it fails "
    "again, restore the folder from a copy or index the documents into a new one."
)

_MISSING = re.compile(r"no such file|not found|(os error|Errno) 2\b", re.IGNORECASE)
_GONE = (
    "The folder of the workspace {uri} is gone (while {what}); check that its disk is there and that nobody has moved "
    "it, then try again."
)


@dataclass(frozen=True, slots=True)
class _Fault:
    """Pattern in an error's text, with the sentence shown instead."""

    pattern: re.Pattern[str]
    sentence: str
    error: type[StoreError] = StoreError


def _os_error(number: int, words: str) -> re.Pattern[str]:
    return re.compile(rf"{words}|os error {number}\b|Errno {number}\b", re.IGNORECASE)


_FAULTS = (
    _Fault(
        _os_error(errno.ENOSPC, "no space left|disk quota exceeded|not enough space|StorageFull"),
        "The disk of the workspace {uri} is full; free some space and try again. What was saved before is still there.",
    ),
    _Fault(
        _os_error(errno.EROFS, "read-only file ?system"),
        "The workspace {uri} is on a read-only disk; choose a writable folder.",
    ),
    _Fault(
        _os_error(errno.EACCES, "permission denied|operation not permitted"),
        "The workspace {uri} may not be read or written by this user; change its permissions or choose another folder.",
    ),
    _Fault(
        re.compile(
            (
                r"no field named|field not found|field '.*' does not exist|column .* (not found|does not "
                r"exist)|append with different schema"
            ),
            re.IGNORECASE,
        ),
        (
            "The workspace {uri} was made by another version of Chunkscope (seen while {what}); index the "
            "documents again into a new folder."
        ),
    ),
    _Fault(
        re.compile(rf"not a directory|file exists|os error ({errno.ENOTDIR}|{errno.EEXIST})\b", re.IGNORECASE),
        "The workspace {uri} cannot be a folder because a file is in its place; choose another folder.",
    ),
    _Fault(
        _os_error(errno.EMFILE, "too many open files"),
        (
            "Too many files are open to read the workspace {uri}; raise the limit of open files (ulimit -n) or "
            "close other programs."
        ),
    ),
    _Fault(
        re.compile(r"commit conflict|concurrent (writer|commit|transaction)", re.IGNORECASE),
        "Another program changed the workspace {uri} while {what}; try again.",
    ),
    _Fault(
        re.compile(r"table '.*' was not found|not found: .*_versions|table not found", re.IGNORECASE),
        "A table of the workspace {uri} is gone (while {what}): it was deleted or rebuilt in the meantime; try again.",
        NotFoundError,
    ),
    _Fault(
        re.compile(
            r"connect to namespace|generic (s3|gcs|microsoftazure) error|necessary privileges|"
            r"valid authentication credentials",
            re.IGNORECASE,
        ),
        (
            "The object storage of the workspace {uri} cannot be reached, or refuses the credentials (while {what}); "
            "check its address, the credentials and region in the environment, and the network, then try again."
        ),
    ),
)


@contextmanager
def guarded(uri: str, what: str) -> Iterator[None]:
    """Turn an exception of the storage into a StoreError; log and re-raise bugs of this program.

    A `ChunkscopeError` passes unchanged, without a log entry.

    Args:
        uri: the workspace, for the sentence.
        what: what was being done, such as `searching the index main`, for the sentence.
    """
    try:
        yield
    except ChunkscopeError:
        raise
    except BaseException as error:
        if _of_storage(error):
            raise _sentence(error, uri, what) from error
        if isinstance(error, Exception):
            _log.exception("A bug in the program, not in the storage, while %s", what)
        raise


def _of_storage(error: BaseException) -> bool:
    """True if the storage is at fault; never for subclasses of RuntimeError or ValueError."""
    if isinstance(error, OSError) or type(error).__name__ == "PanicException":
        return True
    text = str(error)
    return type(error) in (RuntimeError, ValueError) and any(
        pattern.search(text) for pattern in (_ENGINE, *(fault.pattern for fault in _FAULTS))
    )


def is_conflict(error: StoreError) -> bool:
    """True if a write failed because another commit came first, so that it may be tried again."""
    return "commit conflict" in str(error.__cause__).lower()


def retry_conflicts(write: Callable[[], object]) -> None:
    """Call a write up to 5 times, until it does not conflict with another commit.

    Raises:
        StoreError: it fails for another reason, or still conflicts the fifth time.
    """
    for attempt in range(_TRIES):
        try:
            write()
            return
        except StoreError as error:
            if not is_conflict(error) or attempt == _TRIES - 1:
                raise


def _sentence(error: BaseException, uri: str, what: str) -> StoreError:
    text = str(error)
    number = getattr(error, "errno", None)
    if number is not None:
        text += f" {os.strerror(number)}"
    for fault in _FAULTS:
        if fault.pattern.search(text):
            return fault.error(fault.sentence.format(uri=uri, what=what), where=uri)
    if _MISSING.search(text) and "://" not in uri and not os.path.isdir(uri):
        return StoreError(_GONE.format(uri=uri, what=what), where=uri)
    return StoreError(_DAMAGED.format(uri=uri, what=what, detail=error_detail(error, text)), where=uri)


def error_detail(error: BaseException, text: str = "") -> str:
    """Return an engine's error in one line of at most 200 characters, without places in its source.

    Args:
        text: the error's text, if more is known than the error says.
    """
    detail = re.sub(r"\s+", " ", text or str(error)).strip()
    return re.sub(r", ?\S*/src/\S+:\d+:\d+.*$", "", detail)[:200] or type(error).__name__
