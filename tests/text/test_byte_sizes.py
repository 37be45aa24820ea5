"""Numbers of bytes as people say them."""

from __future__ import annotations

from chunking.display import bytes_text


def test_sizes_in_words() -> None:
    """Short."""
    assert [bytes_text(size) for size in (0, 999, 1_000, 1_500_000, 2.5e9)] == [
        "0 bytes",
        "999 bytes",
        "1 kB",
        "1.5 MB",
        "2.5 GB",
    ]
