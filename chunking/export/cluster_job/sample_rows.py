"""Rows of a sample's file, made as a worker of a cluster makes them, and the first difference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chunking.config import Config
from chunking.display import one_line
from chunking.indexing import DocumentInputs
from chunking.indexing.stages.document_cut import cut_document
from chunking.indexing.stages.document_ids import assign_ids, with_ids
from chunking.store.index.full_text import TEXT_FORM
from chunking.versions import chunks_version

if TYPE_CHECKING:
    from chunking.embedding import Embedder

__all__ = ["Row", "SampleReader", "compared", "first_difference", "sample_code"]

Row = Mapping[str, Any]
"""Row of an index without its vector, by column."""

_OF_THE_MODEL = "doc_fingerprint"
"""Column that is not compared: it has the name of the model, which may be a folder, and code that has its own check."""
_SHOWN = 30
"""Characters shown of a text from its first difference on."""


def sample_code() -> str:
    """Return the version of the code that decides rows."""
    return f"{chunks_version()}.{TEXT_FORM}"


class SampleReader:
    """Makes the rows of files, each as if it were the only one: its ids depend on no other file.

    Args:
        config: of the index.
        inputs: encodings and parsers of files.
        reading: `ocr`, `comments` and `parser`, as the command has them for all files.
    """

    def __init__(self, config: Config, inputs: DocumentInputs, reading: Mapping[str, Any]) -> None:
        self._config, self._inputs, self._reading = config, inputs, reading
        self._embedder: Embedder | None = None

    def rows(self, source: str, data: bytes) -> list[Row]:
        """Read a file in a guarded process, and split its documents.

        Raises:
            ParseError: the file cannot be read or split.
            ModelError: the model is not here, and with it the tokenizer that counts.
        """
        from chunking.embedding import load_embedder
        from chunking.parsing import parse_all_guarded

        if self._embedder is None:
            self._embedder = load_embedder(self._config.embedding)
        family = parse_all_guarded(
            data,
            source,
            encoding=self._inputs.encodings.get(source),
            parser=self._inputs.parsers.get(source, self._reading["parser"]),
            ocr=self._reading["ocr"],
            comments=self._reading["comments"],
        )
        (doc_ids,) = assign_ids([[document.source for document in family]])
        cuts = [cut_document(document, self._config, self._embedder) for document in with_ids(family, doc_ids)]
        return compared(row for cut in cuts for row in cut.rows.to_pylist())


def compared(rows: Iterable[Row]) -> list[Row]:
    """Return rows with the columns that are compared, sorted by id."""
    kept = [{name: value for name, value in row.items() if name != _OF_THE_MODEL} for row in rows]
    return sorted(kept, key=lambda row: str(row["id"]))


def first_difference(expected: Sequence[Row], rows: Sequence[Row]) -> str:
    """Return a sentence on how rows made here first differ from the workbench's; empty if equal."""
    here, there = ({row["id"]: row for row in some} for some in (rows, expected))
    for row_id, row in there.items():
        if row_id not in here:
            return f"The row {row_id} of {row['path']} in the workbench is missing here."
        for name, value in row.items():
            if (own := here[row_id].get(name)) != value:
                return f"The row {row_id} of {row['path']} differs in {name}: {_both(own, value)}."
    extra = next((row for row_id, row in here.items() if row_id not in there), None)
    return f"The row {extra['id']} of {extra['path']} is here, but not in the workbench." if extra else ""


def _both(own: Any, value: Any) -> str:
    """Return two values in words; of two long texts, what follows their common beginning."""
    where = ""
    if isinstance(own, str) and isinstance(value, str) and max(len(own), len(value)) > _SHOWN:
        pairs = enumerate(zip(own, value, strict=False))
        start = next((place for place, (one, other) in pairs if one != other), min(len(own), len(value)))
        own, value, where = own[start : start + _SHOWN], value[start : start + _SHOWN], f" from character {start} on"
    return f"{_quoted(own)} here, {_quoted(value)} in the workbench{where}"


def _quoted(value: Any) -> str:
    return f"“{one_line(value, 2 * _SHOWN)}”" if isinstance(value, str) else one_line(str(value), 2 * _SHOWN)
