"""What files on the desk would be in the workspace, and putting them there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from chunking.indexing.ingest.adding_documents import save
from chunking.indexing.ingest.intake import Intake
from chunking.model import BlockType, Document
from chunking.store import DocumentRow, Workspace, document_stamp
from components.documents.incoming import Incoming
from components.kit.wording import LANGUAGES, format_word, page_word, quantity
from components.session.host import deployment
from components.session.workspace import check_room, writing

__all__ = ["News", "UploadOutcome", "add", "by_source", "check_files", "facts_of", "news_of"]


@dataclass(frozen=True, slots=True)
class UploadOutcome:
    """What became of one file that was added."""

    sentence: str
    doc_id: str


@dataclass(frozen=True, slots=True)
class News:
    """What a file would be in the workspace."""

    badge: str
    sentence: str
    adds: bool = True
    """Whether there is anything to add."""


_NEW = News(":green-badge[new]", "")


def facts_of(document: Document) -> list[str]:
    """What was found, as Markdown: format, pages, sections, tables, characters, language."""
    tables = sum(block.type is BlockType.TABLE for block in document.blocks)
    pages = [quantity(document.page_count, page_word(document.format))] if document.page_count else []
    found = [*pages, quantity(len(document.sections), "section"), *([quantity(tables, "table")] if tables else [])]
    language = [LANGUAGES.get(document.language, document.language)] if document.language != "und" else []
    return [format_word(document.format), *found, quantity(len(document.text), "character"), *language]


def by_source(rows: Iterable[DocumentRow]) -> dict[str, DocumentRow]:
    """The first document of each path that is no file in another one."""
    found: dict[str, DocumentRow] = {}
    for row in rows:
        if not row.parent_id:
            found.setdefault(row.source, row)
    return found


def news_of(files: Iterable[Incoming], target: Workspace) -> dict[int, News]:
    """What files that were read would be in a workspace, by their numbers."""
    listed = target.documents()
    rows, intake = by_source(listed), Intake(listed)
    stamps: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for row in listed:
        stamps[row.parent_id or row.doc_id][row.doc_id] = row.stamp

    def stamps_now(file: Incoming) -> dict[str, str]:
        return {one.doc_id: document_stamp(target.with_changes(one)) for one in intake.add(file.documents, file.data)}

    return {file.number: _news(file, rows.get(file.source), stamps_now, stamps) for file in files if file.documents}


def _news(
    file: Incoming,
    row: DocumentRow | None,
    stamps_now: Callable[[Incoming], dict[str, str]],
    stamps: Mapping[str, Mapping[str, str]],
) -> News:
    """What a file would be.

    Args:
        row: the document of its path.
        stamps_now: of the file's documents as they were just read, by their ids.
        stamps: of the documents of each file, by their ids, by the id of the file's own.
    """
    if row is None:
        return _NEW
    title = f"“{row.title}”"
    if row.hash != file.documents[0].hash:
        return News(":blue-badge[new version]", f"New version of {title}: only changes are embedded at the next build")
    if stamps[row.doc_id] == stamps_now(file):
        return News(":gray-badge[unchanged]", "Unchanged, nothing to add", adds=False)
    return News(":blue-badge[read again]", f"The same file as {title}, read differently")


def add(target: Workspace, files: Sequence[Incoming]) -> list[UploadOutcome]:
    """Save what was found in some files.

    A file whose path is in the workspace already is its new version; the document stays the same one. Where this is cut
    short, it can be done again: what was saved by then is unchanged.

    Raises:
        ChunkscopeError: the workspace is locked or cannot be written, or there is no room for them.
    """
    with writing(target):  # from the choice of the ids on, so that no other session chooses the same
        listed = target.documents()
        rows, intake = by_source(listed), Intake(listed)
        parsed = [file for file in files if file.documents]
        families = [intake.add(file.documents, file.data) for file in parsed]
        _check_documents(listed, parsed, intake.documents)
        save(target, intake.documents, intake.sources)
    return [_outcome(family, rows.get(family[0].source)) for family in families]


def check_files(there: int, sizes: Sequence[int]) -> None:
    """Raise QuotaError unless so many files, of so many bytes, may be read for a workspace of so many documents."""
    check_room(sum(sizes))
    deployment().quotas.check_documents(there=there, adding=len(sizes), characters=0, more=0)


def _check_documents(listed: Sequence[DocumentRow], files: Sequence[Incoming], documents: Sequence[Document]) -> None:
    """Raise QuotaError unless what was found may be added; documents that it replaces make room."""
    check_room(sum(len(file.data) for file in files))
    new = {document.doc_id for document in documents}
    stay = [row for row in listed if row.doc_id not in new]
    characters, more = sum(row.characters for row in stay), sum(len(document.text) for document in documents)
    deployment().quotas.check_documents(there=len(stay), adding=len(documents), characters=characters, more=more)


def _outcome(family: Sequence[Document], before: DocumentRow | None) -> UploadOutcome:
    document, inner = family[0], len(family) - 1
    facts = ", ".join([*facts_of(document)[1:], *([f"and {quantity(inner, 'document')} in it"] if inner else [])])
    if before is None:
        return UploadOutcome(f"{document.source}: added, {facts}.", document.doc_id)
    sentence = (
        f"{document.source}: new version of “{before.title}”, {facts}; only changes are embedded at the next build."
    )
    return UploadOutcome(sentence, document.doc_id)
