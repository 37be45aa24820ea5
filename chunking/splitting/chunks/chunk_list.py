"""The chunks of a document as a list that prints short."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, SupportsIndex, overload

from chunking.display import Displayable, one_line, quantity, summary_line
from chunking.model import Chunk

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Chunks", "chunk_facts"]

_MOST_ROWS, _MOST_TEXT = 10, 72
_COLUMNS = (
    *("chunk_id", "doc_id", "level", "chunk_index", "start", "end", "token_count", "title_path", "content_type", "flags", "pages"),
    *("prefix", "content"),
)


class Chunks(list[Chunk], Displayable):
    """A list of chunks in all things, but for how it shows itself; a slice of it is one, too."""

    __slots__ = ()

    @overload
    def __getitem__(self, key: SupportsIndex) -> Chunk: ...
    @overload
    def __getitem__(self, key: slice) -> Chunks: ...
    def __getitem__(self, key: SupportsIndex | slice) -> Chunk | Chunks:
        chosen = super().__getitem__(key)
        return Chunks(chosen) if isinstance(chosen, list) else chosen

    def __repr__(self) -> str:
        rows = [_row(one) for one in self[:_MOST_ROWS]]
        rest = len(self) - _MOST_ROWS
        more = [f"… {quantity(rest, 'more chunk')}"] if rest > 0 else []
        return "\n".join([summary_line("Chunks:", quantity(len(self), "chunk"), *chunk_facts(self)), *rows, *more])

    def to_pandas(self) -> pd.DataFrame:
        """A row a chunk: ids, span, tokens, section, flags, text."""
        import pandas as pd

        rows = [{name: getattr(one, name) for name in _COLUMNS} for one in self]
        joined = {"title_path": " › ", "flags": ", "}
        for row in rows:
            row |= {name: between.join(row[name]) for name, between in joined.items()}
            row["pages"] = ", ".join(map(str, dict.fromkeys(row["pages"])))
        return pd.DataFrame(rows, columns=list(_COLUMNS))


def chunk_facts(chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """Their sizes and documents in words.

    >>> chunk_facts([])
    ()
    """
    if not chunks:
        return ()
    sizes = sorted(one.token_count for one in chunks)
    documents = list(dict.fromkeys(one.doc_id for one in chunks))
    names = documents[0] if len(documents) == 1 else quantity(len(documents), "document")
    middle = (sizes[(len(sizes) - 1) // 2] + sizes[len(sizes) // 2]) / 2
    return f"{sizes[0]:,}–{sizes[-1]:,} tokens, median {middle:,.0f}", names


def _row(chunk: Chunk) -> str:
    return f"{chunk.chunk_index:4}  {chunk.token_count:5,} tokens  {one_line(chunk.content or chunk.summary, _MOST_TEXT)}"
