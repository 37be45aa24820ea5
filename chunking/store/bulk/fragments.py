"""Rows of a table as fragments that no version lists yet, and the commit that lists them exactly once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chunking.errors import MissingPackageError, StoreError
from chunking.store.engine.faults import guarded

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["commit_fragments", "is_committed", "lance_version", "newest_version", "pylance", "write_fragments"]

_PROPERTY = "chunkscope.commit"
"""Property of a transaction that says which commit of which run it is."""


def lance_version() -> str:
    """Return the version of pylance. Raises MissingPackageError if it is not installed."""
    return str(pylance().__version__)


def write_fragments(uri: str, rows: pa.Table) -> list[str]:
    """Write rows to files in a table's folder, and return their descriptions, for `commit_fragments`.

    No reader sees them before the commit. Files of a process that dies here are deleted by the table's upkeep.

    Args:
        uri: of an existing table with the columns of `rows`.
    """
    if not rows.num_rows:
        return []
    pylance()
    from lance.fragment import write_fragments as write

    with guarded(uri, "writing rows"):
        return [json.dumps(one.to_json()) for one in write(rows, uri, schema=rows.schema, mode="append")]


def newest_version(uri: str) -> int:
    """Return the number of a table's newest version."""
    with guarded(uri, "opening the table"):
        return int(pylance().dataset(uri).version)


def commit_fragments(uri: str, fragments: Sequence[str], commit: str, since: int) -> bool:
    """Append fragments to a table in one commit, unless a version after `since` is that very commit.

    Args:
        fragments: descriptions from `write_fragments`.
        commit: name of the commit, the same each time that it is tried.
        since: version of the table before the first try.
    Returns:
        False if it was committed before.
    Raises:
        StoreError: it is unknown whether it was committed, as later versions were deleted; or the storage failed.
    """
    lance = pylance()
    with guarded(uri, "committing rows"):
        dataset = lance.dataset(uri)
        if _is_committed(dataset, commit, since):
            return False
        if fragments:
            parts = [lance.FragmentMetadata.from_json(one) for one in fragments]
            transaction = lance.Transaction(
                read_version=dataset.version,
                operation=lance.LanceOperation.Append(parts),
                transaction_properties={_PROPERTY: commit},
            )
            lance.LanceDataset.commit(uri, transaction)
    return True


def is_committed(uri: str, commit: str, since: int) -> bool:
    """True if a version of a table after `since` is the commit of that name; raises as `commit_fragments`."""
    with guarded(uri, "opening the table"):
        return _is_committed(pylance().dataset(uri), commit, since)


def _is_committed(dataset: Any, commit: str, since: int) -> bool:
    left = {version["version"] for version in dataset.versions()}
    for version in range(dataset.version, since, -1):
        if version not in left:
            raise StoreError(
                "Another run has tidied the workspace since this one stopped, so it cannot go on; start it again "
                "without --resume: texts that were embedded are not embedded again.",
                where=dataset.uri,
            )
        transaction = dataset.read_transaction(version)
        if transaction is not None and (transaction.transaction_properties or {}).get(_PROPERTY) == commit:
            return True
    return False


def pylance() -> Any:
    """Return the module `lance`. Raises MissingPackageError if pylance is not installed."""
    try:
        import lance
    except ImportError as error:
        raise MissingPackageError(
            "Indexing on a cluster needs packages that are not installed; run pip install 'chunkscope[cluster]'.",
            where="pylance",
        ) from error
    return lance
