"""The command `sample`: documents of a Lance or LanceDB table into a workspace."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from chunking.cli.streams import complain, say, show_progress, write_row
from chunking.display import quantity

if TYPE_CHECKING:
    from chunking.indexing import IndexProgress

__all__ = ["sample"]


def sample(arguments: argparse.Namespace) -> int:
    """Add a random sample of a table to a workspace and print its origin as one object.

    Exit code 1 if a document could not be read.
    """
    from chunking.indexing import add_table_sample
    from chunking.indexing.run.failures import SimilarSentences
    from chunking.store import Workspace

    added = add_table_sample(
        Workspace.open(arguments.workspace, sole_writer=arguments.sole_writer),
        arguments.place,
        arguments.table,
        text=arguments.text,
        id=arguments.id,
        title=arguments.title,
        documents=arguments.documents,
        seed=arguments.seed,
        version=arguments.version,
        on_progress=_show_documents,
    )
    sentences = SimilarSentences()
    for failure in added.failed:
        if sentences.add(failure.source, failure.error):
            complain(failure.error)
    for failure in sentences.others():
        complain(f"{failure.source}: {failure.error}")
    if added.sample.without_text:
        say(f"{quantity(added.sample.without_text, 'document')} without text left out.")
    if added.sample.without_id:
        say(f"{quantity(added.sample.without_id, 'row')} of the table without an id left out.")
    failed = [failure.as_record() for failure in added.failed]
    record = {name: value for name, value in added.sample.as_record().items() if name != "doc_ids"}
    write_row(record | {"documents": len(added.documents), "failed": failed})
    return int(bool(failed))


def _show_documents(progress: IndexProgress) -> None:
    show_progress(progress.done, progress.total, "documents", progress.message)
