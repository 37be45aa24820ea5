"""The documents of a job's sample: few, small, and reproduced from their files alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chunking.errors import ChunkscopeError, ConfigError, NotFoundError
from chunking.export.cluster_job.sample_rows import Row, SampleReader, compared, first_difference
from chunking.export.export_job import Material
from chunking.indexing import original_file
from chunking.store import DocumentRow

__all__ = ["MOST_DOCUMENTS", "SampleFile", "choose_sample"]

MOST_DOCUMENTS = 20
"""Maximum documents that may be chosen."""
_USUAL, _TRIED = 5, 15
"""Documents of a sample that nobody chose, and those that are tried for it."""
_MOST_BYTES, _USUAL_BYTES = 5 * 10**6, 10**6
"""Maximum bytes of a chosen file, and of one that nobody chose."""


@dataclass(frozen=True, slots=True)
class SampleFile:
    """File of a sample with the rows that the index has of it."""

    source: str
    data: bytes
    rows: list[Row]


def choose_sample(material: Material, reader: SampleReader) -> list[SampleFile]:
    """Return the chosen documents, or the first five whose files alone give the index's rows.

    A file does not if its category was set by hand, say, or if its id depends on another file.

    Raises:
        ConfigError: too many or too large documents were chosen, one that does not give its rows, or none does.
        NotFoundError: the index has no such document.
    """
    files = {row.source: row for row in material.indexed_files}
    if not material.sample:
        sample = list(_first_files(material, reader, list(files.values())))
        if not sample:
            raise ConfigError(
                f"The sample would be empty: none of the first {min(_TRIED, len(files))} documents has a file in the "
                "workspace that alone gives its chunks; choose documents for the sample.",
                where="sample",
            )
        return sample
    if len(chosen := dict.fromkeys(material.sample)) > MOST_DOCUMENTS:
        raise ConfigError(
            f"{len(chosen)} documents are too many for a sample; choose at most {MOST_DOCUMENTS}.", where="sample"
        )
    if missing := next((source for source in chosen if source not in files), None):
        raise NotFoundError(
            f"The index {material.required_index.name} has no document '{missing}'; name one by its path.",
            where=missing,
        )
    return [_sample_file(material, reader, files[source], _MOST_BYTES) for source in chosen]


def _first_files(material: Material, reader: SampleReader, files: list[DocumentRow]) -> Iterator[SampleFile]:
    number = 0
    for row in files[:_TRIED]:
        if number == _USUAL:
            return
        try:
            one = _sample_file(material, reader, row, _USUAL_BYTES)
        except ChunkscopeError:
            continue
        number += 1
        yield one


def _sample_file(material: Material, reader: SampleReader, row: DocumentRow, most: int) -> SampleFile:
    """Return a document's file and rows. Raises ChunkscopeError if it does not give them, or is over `most` bytes."""
    data = original_file(material.workspace, row)
    if len(data) > most:
        raise ConfigError(
            f"{row.source} is too large for a sample ({len(data) / 1e6:.1f} MB); choose files of at most "
            f"{most / 1e6:.0f} MB.",
            where=row.source,
        )
    rows = reader.rows(row.source, data)
    doc_ids = {one["doc_id"] for one in rows} | {row.doc_id}
    expected = compared(material.required_index.table_rows(doc_ids))
    if difference := first_difference(expected, rows):
        raise ConfigError(
            f"{row.source} cannot be in the sample, as its file alone does not give its chunks. {difference}",
            where=row.source,
        )
    return SampleFile(row.source, data, expected)
