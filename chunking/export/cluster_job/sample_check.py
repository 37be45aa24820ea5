"""The check of a job for a cluster: split the sample here, and compare it with the workbench's."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

from chunking.config import Config
from chunking.display import quantity
from chunking.errors import ChunkscopeError
from chunking.export.cluster_job.sample_rows import Row, SampleReader, compared, first_difference, sample_code
from chunking.export.configuration import shared_config
from chunking.indexing import DocumentInputs
from chunking.paths import AnyPath

__all__ = ["CONFIG_FILE", "DOCUMENTS_FOLDER", "RECORD_FILE", "ROWS_FILE", "SampleCheck", "check_sample"]

CONFIG_FILE = "chunkscope.yaml"
RECORD_FILE, ROWS_FILE, DOCUMENTS_FOLDER = "sample/job.json", "sample/rows.jsonl", "sample/documents"
"""Files of an unpacked job, relative to its folder."""


class SampleCheck(NamedTuple):
    """Result of a check: whether all rows are equal, and one sentence."""

    is_equal: bool
    sentence: str


def check_sample(folder: AnyPath, workspace: str | None = None, index: str | None = None) -> SampleCheck:
    """Compare the rows of a job's sample with those made here, column by column.

    Version, settings and files are compared first, each of which would change rows.

    Args:
        folder: the unpacked job.
        workspace: read the rows of an index that was built of the sample there; None: split the sample now.
        index: name of that index; None: the newest.
    Returns:
        False with the first difference, or why there is nothing to compare.
    """
    place = Path(folder)
    try:
        record = json.loads((place / RECORD_FILE).read_bytes())
        expected: list[Row] = [json.loads(line) for line in (place / ROWS_FILE).read_text("utf-8").splitlines()]
        text = (place / CONFIG_FILE).read_text("utf-8")
        config = Config.from_yaml(text)
        if difference := _setup_difference(place, record, config):
            return SampleCheck(False, difference)
        if workspace is not None:
            return _check_index(expected, workspace, index)
        reader = SampleReader(config, DocumentInputs.from_yaml(text), record["reading"])
        rows = [
            row
            for one in record["documents"]
            for row in reader.rows(one["source"], (place / DOCUMENTS_FOLDER / one["source"]).read_bytes())
        ]
    except ChunkscopeError as error:
        return SampleCheck(False, str(error))
    except (OSError, ValueError, KeyError, TypeError) as error:
        return SampleCheck(False, f"The job in {place} is not complete ({error}); unpack it again.")
    difference = first_difference(expected, rows)
    return SampleCheck(not difference, difference or _equal(expected))


def _setup_difference(place: Path, record: Any, config: Config) -> str:
    """Return how version, settings or files differ from the workbench's; empty if they do not."""
    if (code := sample_code()) != record["code"]:
        return (
            f"Chunkscope splits by version {code} here, and by {record['code']} in the workbench; install "
            f"chunkscope=={record['chunkscope']}."
        )
    own, theirs = shared_config(config).changed(), record["settings"]
    for key in sorted({*own, *theirs}):
        if own.get(key) != theirs.get(key):
            here, there = (one.get(key, "its default") for one in (own, theirs))
            return f"The setting {key} is {here} in {CONFIG_FILE}, and {there} in the workbench."
    for one in record["documents"]:
        data = (place / DOCUMENTS_FOLDER / one["source"]).read_bytes()
        if hashlib.sha256(data).hexdigest() != one["sha256"]:
            return f"The file {one['source']} in {DOCUMENTS_FOLDER} is not the workbench's: its bytes have changed."
    return ""


def _check_index(expected: list[Row], workspace: str, name: str | None) -> SampleCheck:
    from chunking.store import Workspace

    index = Workspace.open(workspace, create=False).index(name)
    there = {row["doc_id"] for row in expected} & index.documents().keys()
    if not there:
        return SampleCheck(
            False, f"The index {index.name} has no document of the sample; index {DOCUMENTS_FOLDER} as the README says."
        )
    expected = [row for row in expected if row["doc_id"] in there]
    difference = first_difference(expected, compared(index.table_rows(there)))
    return SampleCheck(not difference, difference or _equal(expected))


def _equal(rows: list[Row]) -> str:
    documents = len({row["doc_id"] for row in rows})
    equal = f"All {quantity(len(rows), 'row')} of {quantity(documents, 'document')}"
    return f"{equal} are those of the workbench, byte for byte."
