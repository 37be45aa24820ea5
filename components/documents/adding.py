"""Add files to a workspace: uploads and the sample articles, with the change that each file makes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from chunking import evaluation
from chunking.config import Config
from chunking.config.pattern_settings import PATTERN_SETS
from chunking.indexing.adding.adding_files import save
from chunking.indexing.adding.intake import Intake
from chunking.model import BUILT_IN, BlockType, Document
from chunking.parsing import parse
from chunking.store import DocumentRow, Workspace, document_stamp
from components.documents.incoming import Incoming
from components.kit.button import button
from components.kit.wording import LANGUAGES, format_word, page_word, parser_word, quantity
from components.session import share
from components.session.current_workspace import editing
from components.session.host import deployment
from components.session.questions.question_state import set_active
from components.session.workspace import check_room, writing

__all__ = [
    "ARTICLES",
    "ARTICLE_SET",
    "SAMPLE_ARTICLES",
    "FileChange",
    "Sample",
    "UploadOutcome",
    "add_files",
    "article_samples",
    "by_source",
    "check_files",
    "document_facts",
    "file_changes",
    "with_patterns",
]

SAMPLE_ARTICLES = Path(__file__).parents[2] / "sample_articles"
ARTICLE_SET = "Statute and contract"


@dataclass(frozen=True, slots=True)
class UploadOutcome:
    """Result of adding a file, as a sentence, and the id of its document ("" if none)."""

    sentence: str
    doc_id: str


@dataclass(frozen=True, slots=True)
class FileChange:
    """Change that a file would make to the workspace, as badge and sentence."""

    badge: str
    sentence: str
    adds: bool = True
    """True if there is anything to add."""


_NEW = FileChange(":green-badge[new]", "")
_CHANGED = FileChange(
    ":gray-badge[changed]",
    "It was deleted, or has a new version, since it was read: choose its parser again",
    adds=False,
)


def document_facts(document: Document) -> list[str]:
    """Return a document's format, pages, sections, tables, characters and language, as Markdown."""
    tables = sum(block.type is BlockType.TABLE for block in document.blocks)
    pages = [quantity(document.page_count, page_word(document.format))] if document.page_count else []
    counts = [*pages, quantity(len(document.sections), "section"), *([quantity(tables, "table")] if tables else [])]
    language = [LANGUAGES.get(document.language, document.language)] if document.language != "und" else []
    by = [f"by {parser_word(document.parser)}"] if document.parser != BUILT_IN else []
    return [format_word(document.format), *by, *counts, quantity(len(document.text), "character"), *language]


def by_source(rows: Iterable[DocumentRow]) -> dict[str, DocumentRow]:
    """Return the first document of each path; documents inside other files are left out."""
    first: dict[str, DocumentRow] = {}
    for row in rows:
        if not row.parent_id:
            first.setdefault(row.source, row)
    return first


def file_changes(files: Iterable[Incoming], target: Workspace) -> dict[int, FileChange]:
    """Return the change that each parsed file would make, by file number; saves nothing."""
    listed = target.documents()
    rows, intake = _StoredRows(target, listed), Intake(listed)
    stamps: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for row in listed:
        stamps[row.parent_id or row.doc_id][row.doc_id] = row.stamp

    def stamps_now(file: Incoming) -> dict[str, str]:
        family = intake.add(file.documents, file.data or None, file.stored.doc_id if file.stored else "")
        return {one.doc_id: document_stamp(target.with_changes(one)) for one in family}

    return {file.number: _news(file, rows.of(file), stamps_now, stamps) for file in files if file.documents}


class _StoredRows:
    """Rows of the documents that files replace."""

    def __init__(self, target: Workspace, listed: Sequence[DocumentRow]) -> None:
        self._uri = target.uri
        self._by_source, self._by_id = by_source(listed), {row.doc_id: row for row in listed}

    def of(self, file: Incoming) -> DocumentRow | None:
        """Return the row of the document that a file replaces; None: none, or not the one that was read again."""
        if file.stored is None:
            return self._by_source.get(file.source)
        row = self._by_id.get(file.stored.doc_id) if file.stored.workspace == self._uri else None
        return row if row is not None and row.hash == file.stored.hash else None


def _news(
    file: Incoming,
    row: DocumentRow | None,
    stamps_now: Callable[[Incoming], dict[str, str]],
    stamps: Mapping[str, Mapping[str, str]],
) -> FileChange:
    """Return the change that a file would make.

    Args:
        row: stored document of the same path.
        stamps_now: returns doc id to stamp of the file's documents as just parsed.
        stamps: id of a file's own document to (doc id to stamp of all its documents).
    """
    if row is None:
        return _NEW if file.stored is None else _CHANGED
    title = f"“{row.title}”"
    if row.hash != file.documents[0].hash:
        return FileChange(
            ":blue-badge[new version]", f"New version of {title}: only changes are embedded at the next build"
        )
    if stamps[row.doc_id] == stamps_now(file):
        return FileChange(":gray-badge[unchanged]", "Unchanged, nothing to add", adds=False)
    if file.parser != row.parser:
        how = f"read by {parser_word(file.parser)} instead of {parser_word(row.parser)}"
        return FileChange(":blue-badge[read again]", f"The same file as {title}, {how}")
    return FileChange(":blue-badge[read again]", f"The same file as {title}, read differently")


def add_files(target: Workspace, files: Sequence[Incoming]) -> list[UploadOutcome]:
    """Save parsed files, one outcome each; a file whose path exists becomes a new version.

    Files without documents are skipped and have no outcome. Safe to repeat after an interruption: saved documents are
    unchanged then.

    Raises:
        ChunkscopeError: the workspace is locked or cannot be written, or a quota is exceeded.
    """
    with writing(target):  # from the choice of the ids on, so that no other session chooses the same
        listed = target.documents()
        rows, intake = _StoredRows(target, listed), Intake(listed)
        parsed = [file for file in files if file.documents]
        stale = [file for file in parsed if file.stored is not None and rows.of(file) is None]
        parsed = [file for file in parsed if file not in stale]
        families = [
            intake.add(file.documents, file.data or None, file.stored.doc_id if file.stored else "") for file in parsed
        ]
        _check_documents(listed, parsed, intake.documents)
        save(target, intake.documents, intake.sources)
    skipped = [UploadOutcome(f"{file.source}: not changed. {_CHANGED.sentence}.", "") for file in stale]
    return [*(_outcome(family, rows.of(file), file) for family, file in zip(families, parsed, strict=True)), *skipped]


def check_files(there: int, sizes: Sequence[int]) -> None:
    """Raise QuotaError if the storage or the number of documents does not allow these files.

    Args:
        there: number of documents in the workspace.
        sizes: bytes of each file.
    """
    check_room(sum(sizes))
    deployment().quotas.check_documents(there=there, adding=len(sizes), characters=0, more=0)


def _check_documents(listed: Sequence[DocumentRow], files: Sequence[Incoming], documents: Sequence[Document]) -> None:
    """Raise QuotaError if the documents exceed a quota; documents that they replace do not count."""
    check_room(sum(len(file.data) for file in files))
    new = {document.doc_id for document in documents}
    stay = [row for row in listed if row.doc_id not in new]
    characters, more = sum(row.characters for row in stay), sum(len(document.text) for document in documents)
    deployment().quotas.check_documents(there=len(stay), adding=len(documents), characters=characters, more=more)


def _outcome(family: Sequence[Document], before: DocumentRow | None, file: Incoming) -> UploadOutcome:
    document, inner = family[0], len(family) - 1
    facts = ", ".join([*document_facts(document)[1:], *([f"and {quantity(inner, 'document')} in it"] if inner else [])])
    if before is None:
        return UploadOutcome(f"{document.source}: added, {facts}.", document.doc_id)
    if file.stored is not None:
        again = f"{document.source}: read again, {facts}; only changes are embedded at the next build."
        return UploadOutcome(again, document.doc_id)
    sentence = (
        f"{document.source}: new version of “{before.title}”, {facts}; only changes are embedded at the next build."
    )
    return UploadOutcome(sentence, document.doc_id)


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample document, its category and the pattern set that finds its articles."""

    source: str
    """Path in the folder and in a workspace."""
    category: str
    """Category in the workspace, so that the patterns apply to no other document."""
    patterns: str
    """Name of the pattern set for `headings_from`."""


ARTICLES = (
    Sample("statute-zh/燕湾市共享农园条例.txt", "statute", "chinese_statute"),
    Sample("contract-en/cold-storage-agreement.txt", "contract", "english_contract"),
)


def article_samples(target: Workspace) -> list[UploadOutcome]:
    """Draw the button that loads the sample articles, or the one that only sets their patterns.

    Draws nothing if both are done. Loading also saves their questions and makes that set active.

    Returns:
        Outcome per file and of the patterns in the run after the click, else an empty list.
    Raises:
        ChunkscopeError: the workspace is locked or cannot be written.
    """
    patterns = with_patterns(share.config())
    if {row.source for row in ARTICLES} <= target.derived(by_source).keys():
        about = (
            "Makes each article of the statute and the contract a section, using ready-made patterns. Other "
            "documents stay as they are."
        )
        if patterns != share.config() and button("Split laws by article", key="articles.patterns", help=about):
            share.keep_config(patterns)
            st.rerun()
        return []
    about = (
        "Adds a Chinese statute and an English contract with 293 questions, and sets the ready-made patterns that "
        "split them by article. Other documents stay as they are."
    )
    if not button("Load a statute and a contract", key="articles.load", **editing(help=about)):
        return []
    with writing(target):
        documents = _put_into(target)
    share.keep_config(patterns)
    set_active(ARTICLE_SET)
    added = [
        UploadOutcome(f"{one.source}: added, {', '.join(document_facts(one)[2:])}.", one.doc_id) for one in documents
    ]
    return [
        *added,
        UploadOutcome(
            (
                "Their patterns are set on the Chunks page: each article is a section. Build the index again to "
                "search by article."
            ),
            "",
        ),
    ]


def with_patterns(config: Config) -> Config:
    """Return a configuration whose sample categories are split by article, with their prefixes."""
    prefixes = {f"category.{row.category}.prefix": str(PATTERN_SETS[row.patterns].prefix) for row in ARTICLES}
    return Config.from_settings(
        {f"category.{row.category}.headings_from": row.patterns for row in ARTICLES} | prefixes, config
    )


def _put_into(target: Workspace) -> list[Document]:
    """Save the sample documents and their questions; an existing set of that name stays.

    Caller must hold `writing`.
    """
    intake = Intake(target.documents())
    for row in ARTICLES:
        data = (SAMPLE_ARTICLES / row.source).read_bytes()
        intake.add([parse(data, row.source, category=row.category)], data)
    documents = intake.documents
    save(target, documents, intake.sources)
    if ARTICLE_SET not in target.question_sets.names():
        lines = b"".join((SAMPLE_ARTICLES / row.source).with_name("questions.jsonl").read_bytes() for row in ARTICLES)
        imported = evaluation.read_questions(lines, "questions.jsonl", documents)
        evaluation.save_set(target, replace(imported.questions, name=ARTICLE_SET))
    return documents
