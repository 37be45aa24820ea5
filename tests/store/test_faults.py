"""What the engine raises becomes one sentence."""

from __future__ import annotations

import errno

import pytest

from chunking.errors import NotFoundError, QueryError, StoreError
from chunking.store.faults import guarded, is_conflict


@pytest.mark.parametrize(
    ("error", "words", "kind"),
    [
        (RuntimeError("lance error: LanceError(IO): No space left on device (os error 28), src/x.rs:1:2"), "disk .* is full", StoreError),
        (OSError(errno.ENOSPC, "whatever"), "disk .* is full", StoreError),
        (OSError(errno.EROFS, "whatever"), "read-only disk", StoreError),
        (PermissionError(errno.EACCES, "no"), "change its permissions", StoreError),
        (RuntimeError("Too many open files (os error 24)"), "ulimit", StoreError),
        (RuntimeError("lance error: Retryable commit conflict for version 3"), "try again", StoreError),
        (ValueError("Table 'chunks_1' was not found"), "deleted or built anew", NotFoundError),
        (RuntimeError("lance error: bad magic, /root/x/src/io.rs:12:9"), r"damaged \(lance error: bad magic\)", StoreError),
    ],
)
def test_known_faults(error: Exception, words: str, kind: type[StoreError]) -> None:
    """The sentence names the workspace and what to do; the engine's own words stay as the cause."""
    with pytest.raises(kind, match=words) as caught, guarded("/data/w", "searching"):
        raise error
    assert "/data/w" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is error


def test_own_errors_pass_through() -> None:
    """A sentence is not wrapped in another."""
    error = QueryError("There is no filter 'x'.")
    with pytest.raises(QueryError) as caught, guarded("w", "searching"):
        raise error
    assert caught.value is error


def test_a_panic_of_the_engine_is_a_fault_and_an_interrupt_is_not() -> None:
    """Rust panics come as a BaseException; Ctrl+C does too, and must get through."""
    panic = type("PanicException", (BaseException,), {})
    with pytest.raises(StoreError, match="damaged"), guarded("w", "searching"):
        raise panic("index out of bounds")
    with pytest.raises(KeyboardInterrupt), guarded("w", "searching"):
        raise KeyboardInterrupt


def test_conflicts_are_told_apart() -> None:
    """Only they are worth another try."""
    with pytest.raises(StoreError) as caught, guarded("w", "tidying"):
        raise RuntimeError("Retryable commit conflict")
    assert is_conflict(caught.value)
    assert not is_conflict(StoreError("The disk is full."))
