"""What the engine raises becomes one sentence."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from chunking.errors import NotFoundError, QueryError, StoreError
from chunking.store.engine.faults import guarded, is_conflict
from chunking.store.engine.lance_tables import Tables


@pytest.mark.parametrize(
    ("error", "words", "kind"),
    [
        (
            RuntimeError("lance error: LanceError(IO): No space left on device (os error 28), src/x.rs:1:2"),
            "disk .* is full",
            StoreError,
        ),
        (OSError(errno.ENOSPC, "whatever"), "disk .* is full", StoreError),
        (OSError(errno.EROFS, "whatever"), "read-only disk", StoreError),
        (PermissionError(errno.EACCES, "no"), "change its permissions", StoreError),
        (RuntimeError("Too many open files (os error 24)"), "ulimit", StoreError),
        (RuntimeError("lance error: Retryable commit conflict for version 3"), "try again", StoreError),
        (ValueError("Table 'chunks_1' was not found"), "deleted or rebuilt", NotFoundError),
        (RuntimeError('task 2050 panicked with message "the offset of the sliced Buffer"'), "damaged", StoreError),
        (
            ValueError("Invalid input, file does not appear to be a Lance file (invalid magic: [76])"),
            "damaged",
            StoreError,
        ),
        (ValueError("Invalid input, Failed to connect to namespace: IO"), "object storage", StoreError),
        (OSError("Generic S3 error: Failed to resolve region for bucket 'b'"), "object storage", StoreError),
        (OSError("lacked the necessary privileges to complete"), "refuses the credentials", StoreError),
        (ValueError("Invalid input, Schema error: No field named level."), "another version", StoreError),
        (
            RuntimeError("lance error: bad magic, /root/x/src/io.rs:12:9"),
            r"damaged \(lance error: bad magic\)",
            StoreError,
        ),
    ],
)
def test_a_known_fault_names_the_workspace_and_the_remedy(error: Exception, words: str, kind: type[StoreError]) -> None:
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


@pytest.mark.parametrize(
    "error",
    [
        KeyError("doc_id"),
        IndexError("list index out of range"),
        TypeError("'NoneType' object is not iterable"),
        AttributeError("no such thing"),
        ValueError("too many values to unpack (expected 2)"),
        RuntimeError("dictionary changed size during iteration"),
        RecursionError("maximum recursion depth exceeded"),
        NotImplementedError("lance error: never"),
        UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_mistakes_of_the_program_are_not_told_as_damage(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    """They are raised as they are, with a traceback in the log: no copy of the folder helps against them."""
    with pytest.raises(type(error)) as caught, guarded("/data/w", "searching the index main"):
        raise error
    assert caught.value is error
    (logged,) = caplog.records
    assert "searching the index main" in logged.message
    assert logged.exc_info is not None
    assert logged.exc_info[1] is error


def test_a_mistake_inside_a_store_call_comes_out_as_itself(tmp_path: Path) -> None:
    """Through the tables of a workspace, as a caller meets it."""
    tables = Tables(str(tmp_path / "w"), create=True)

    def call() -> object:
        return {}["doc_id"]

    with pytest.raises(KeyError, match="doc_id"):
        tables.run("reading documents", call)


def test_a_panic_of_the_engine_is_a_fault_and_an_interrupt_is_not() -> None:
    """Rust panics come as a BaseException; Ctrl+C does too, and must get through."""
    panic = type("PanicException", (BaseException,), {})
    with pytest.raises(StoreError, match="damaged"), guarded("w", "searching"):
        raise panic("index out of bounds")
    with pytest.raises(KeyboardInterrupt), guarded("w", "searching"):
        raise KeyboardInterrupt


def test_conflicts_are_distinguished() -> None:
    """Only they are worth another try."""
    with pytest.raises(StoreError) as caught, guarded("w", "tidying"):
        raise RuntimeError("Retryable commit conflict")
    assert is_conflict(caught.value)
    assert not is_conflict(StoreError("The disk is full."))
