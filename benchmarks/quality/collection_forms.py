"""Collections to ask: those at hand, and folders or files in the forms of BEIR, SQuAD, LegalBench-RAG or the samples.

A form says which documents there are and which file holds the questions; the product reads both. Documents without
spans (BEIR) are gold as a whole. Halves are assigned by document, as in `benchmarks.ir_collections`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.ir_collections import COLLECTIONS, Collection, halves_of
from chunking import Workspace, add_files
from chunking.errors import ParseError, QuestionError
from chunking.evaluation import AnswerSpan, Question, QuestionSet, read_questions
from chunking.evaluation.questions.question_folder import QuestionFiles, question_files
from chunking.indexing import Failure, Intake, save
from chunking.model import Document
from chunking.parsing import find_files, parse

__all__ = ["FORMS", "AskedCollection", "CollectionForm", "open_collection", "open_known"]

_QUESTIONS = ("questions.jsonl", "questions.csv", "questions.json")
_FOLDERS = ("docs", "corpora", "documents")


@dataclass(frozen=True)
class AskedCollection:
    """Documents in a workspace, with questions whose answers are spans of these documents."""

    name: str
    family: str
    """Name shared by collections with the same questions, one language each."""
    workspace: Workspace
    questions: QuestionSet
    halves: np.ndarray
    """(questions,) int, indices into `ir_collections.HALVES`."""
    folder: Path
    """Folder for what is measured."""
    notes: tuple[str, ...] = ()

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Texts of the documents by id."""
        rows = self.workspace.documents()
        return {one.doc_id: one.text for one in self.workspace.read_documents([row.doc_id for row in rows])}


class CollectionSources(NamedTuple):
    """Documents and question files of a collection, before they are read."""

    documents: Path | Mapping[str, str]
    """Folder of files, or texts by source."""
    questions: QuestionFiles

    def digest(self) -> str:
        """Return 12 hex digits over the documents."""
        digest = hashlib.sha256()
        for name, data in self._contents():
            digest.update(f"{name}\0{hashlib.sha256(data).hexdigest()}\n".encode())
        return digest.hexdigest()[:12]

    def add(self, workspace: Workspace) -> Sequence[Failure]:
        """Save the documents in a workspace, and return the files that could not be read."""
        if isinstance(self.documents, Path):
            return add_files(workspace, self._files(self.documents), root=self.documents)[1]
        intake, failed = Intake(workspace.documents()), list[Failure]()
        for source, text in self.documents.items():
            try:
                intake.add([parse(text.encode(), source)], text.encode())
            except ParseError as error:
                failed.append(Failure(source, str(error)))
        save(workspace, intake.documents)
        return failed

    def _files(self, folder: Path) -> list[Path]:
        """Return the documents of a folder: all readable files but that of the questions."""
        return [path for path, _ in find_files([folder]) if path.name != self.questions.name]

    def _contents(self) -> Iterator[tuple[str, bytes]]:
        if isinstance(self.documents, Path):
            for path in self._files(self.documents):
                yield path.relative_to(self.documents).as_posix(), path.read_bytes()
        else:
            yield from ((source, text.encode()) for source, text in self.documents.items())


@dataclass(frozen=True, slots=True)
class CollectionForm:
    """Form in which a collection lies on disk."""

    name: str
    files: str
    """What to give, for error sentences."""
    matches: Callable[[Path], bool]
    sources: Callable[[Path], CollectionSources]


def open_known(collection: Collection, keep: Path) -> AskedCollection:
    """Open a collection at hand; its halves are those of `ir_collections`."""
    sources = CollectionSources(collection.folder, QuestionFiles(b"", "questions.jsonl", {}))
    workspace, folder, notes = _workspace(collection.name, sources, keep)
    documents = {one.source: one for one in _documents(workspace)}
    questions = [
        Question(
            f"{number:05}",
            " ".join(one.text.split()),
            tuple(_span(documents[answer.doc_id], answer.start, answer.end) for answer in one.answers),
        )
        for number, one in enumerate(collection.questions)
    ]
    halves = np.array([one.half for one in collection.questions])
    return AskedCollection(
        collection.name,
        collection.family,
        workspace,
        QuestionSet(collection.name, tuple(questions)),
        halves,
        folder,
        notes,
    )


def open_collection(place: str, keep: Path) -> AskedCollection:
    """Open a collection by its name, or a folder or file in one of `FORMS`.

    Raises:
        QuestionError: nothing is there, it has none of the forms, or no question of it has an answer.
    """
    if place in COLLECTIONS:
        return open_known(COLLECTIONS[place], keep)
    path = Path(place).expanduser()
    if not path.exists():
        raise QuestionError(
            f"There is no collection and no file '{place}'; give a path, or one of {', '.join(COLLECTIONS)}.",
            where=place,
        )
    form = next((form for form in FORMS if form.matches(path)), None)
    if form is None:
        forms = "; ".join(f"{one.name}: {one.files}" for one in FORMS)
        raise QuestionError(f"{place} has no form that the quality benchmark reads ({forms}).", where=place)
    files = form.sources(path)
    name = path.resolve().stem if path.is_file() and path.name not in _QUESTIONS else _folder_of(path).resolve().name
    workspace, folder, notes = _workspace(name, files, keep)
    data, file_name, other_files = files.questions
    imported = read_questions(data, file_name, _documents(workspace), other_files)
    asked = [one for one in imported.questions.questions if any(span.end > span.start for span in one.answers)]
    if not asked:
        why = f" ({imported.problems[0].sentence})" if imported.problems else ""
        raise QuestionError(f"No question of {place} has an answer in its documents{why}.", where=place)
    left_out = len(imported.questions) + imported.left_out - len(asked)
    if left_out:
        notes = (*notes, f"{name}: {left_out:,} questions without an answer in the documents are left out.")
    sources = {row.doc_id: row.source for row in workspace.documents()}
    halves = halves_of(sources[one.answers[0].doc_id] for one in asked)
    return AskedCollection(
        name,
        name,
        workspace,
        QuestionSet(name, tuple(asked), imported.questions.syntax),
        np.array([halves[sources[one.answers[0].doc_id]] for one in asked]),
        folder,
        notes,
    )


def _workspace(name: str, sources: CollectionSources, keep: Path) -> tuple[Workspace, Path, tuple[str, ...]]:
    """Return the workspace with a collection's documents, read the first time only."""
    folder = keep / f"{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-').lower()}-{sources.digest()}"
    workspace, complete = Workspace.open(folder / "workspace"), folder / "documents.json"
    if not complete.exists():
        failed = [f"{name}: {one.source} is left out: {one.error}" for one in sources.add(workspace)]
        complete.write_text(json.dumps(failed), encoding="utf-8")
    return workspace, folder, tuple(json.loads(complete.read_text(encoding="utf-8")))


def _documents(workspace: Workspace) -> list[Document]:
    return list(workspace.read_documents([row.doc_id for row in workspace.documents()]))


def _span(document: Document, start: int, end: int) -> AnswerSpan:
    return AnswerSpan(document.doc_id, start, end, document.text[start:end])


# -- forms


def _folder_of(path: Path) -> Path:
    return path if path.is_dir() else path.parent


def _json(path: Path) -> Any:
    """Parse a JSON file; None for any other path."""
    if path.suffix != ".json" or not path.is_file():
        return None
    try:
        return json.loads(path.read_bytes())
    except ValueError:
        return None


def _is_beir(path: Path) -> bool:
    return all((path / name).is_file() for name in ("corpus.jsonl", "queries.jsonl")) and (path / "qrels").is_dir()


def _beir(path: Path) -> CollectionSources:
    """Read a document for each record; without its texts, a relevant document is gold from start to end."""
    documents = {}
    with (path / "corpus.jsonl").open(encoding="utf-8") as lines:
        for record in map(json.loads, filter(str.strip, lines)):
            text = "\n\n".join(filter(None, (record.get("title"), record.get("text"))))
            if text.strip():
                documents[f"{record['_id']}.txt"] = text
    files = question_files(path / "queries.jsonl")
    others = {name: data for name, data in files.other_files.items() if not name.startswith("corpus.")}
    return CollectionSources(
        {name: text for name, text in documents.items() if text.strip()}, files._replace(other_files=others)
    )


def _is_squad(path: Path) -> bool:
    tree = _json(path)
    articles = tree.get("data") if isinstance(tree, dict) else None
    return isinstance(articles, list) and all(isinstance(one, dict) and "paragraphs" in one for one in articles)


def _squad(path: Path) -> CollectionSources:
    """Read a document for each article: its title, then its paragraphs."""
    documents: dict[str, str] = {}
    for number, article in enumerate(_json(path)["data"], start=1):
        title = str(article.get("title") or f"article {number}")
        source = f"{title}.txt" if f"{title}.txt" not in documents else f"{title} {number}.txt"
        documents[source] = "\n\n".join([title.replace("_", " "), *(one["context"] for one in article["paragraphs"])])
    return CollectionSources(documents, question_files(path))


def _is_legalbench(path: Path) -> bool:
    tree = _json(path)
    return isinstance(tree, dict) and isinstance(tree.get("tests"), list) and _corpus(path) is not None


def _legalbench(path: Path) -> CollectionSources:
    """Read the files of the corpus that the snippets name."""
    corpus = _corpus(path)
    assert corpus is not None
    named = {snippet["file_path"] for test in _json(path)["tests"] for snippet in test["snippets"]}
    documents = {name: (corpus / name).read_text(encoding="utf-8") for name in sorted(named)}
    return CollectionSources(documents, question_files(path))


def _corpus(path: Path) -> Path | None:
    places = (path.parent / "corpus", path.parent.parent / "corpus")
    return next((place for place in places if place.is_dir()), None)


def _question_file(path: Path) -> Path | None:
    places = [path] if path.is_file() else [path / name for name in _QUESTIONS]
    return next((place for place in places if place.is_file() and place.name in _QUESTIONS), None)


def _samples(path: Path) -> CollectionSources:
    """Read the documents in `docs` or `corpora` beside the questions, else all files of the folder."""
    file, folder = _question_file(path), _folder_of(path)
    assert file is not None
    documents = next((folder / name for name in _FOLDERS if (folder / name).is_dir()), folder)
    return CollectionSources(documents, question_files(file))


FORMS: tuple[CollectionForm, ...] = (
    CollectionForm("BEIR", "a folder with corpus.jsonl, queries.jsonl and qrels/*.tsv", _is_beir, _beir),
    CollectionForm("SQuAD", "a JSON file of articles with paragraphs, version 1.1 or 2.0", _is_squad, _squad),
    CollectionForm(
        "LegalBench-RAG",
        "a JSON file of tests, with the folder corpus beside it or its folder",
        _is_legalbench,
        _legalbench,
    ),
    CollectionForm(
        "samples",
        "a folder with questions.jsonl or questions.csv, and its documents in docs or beside it",
        lambda path: _question_file(path) is not None,
        _samples,
    ),
)
"""The first that matches reads a path."""
