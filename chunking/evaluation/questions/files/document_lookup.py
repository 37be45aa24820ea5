"""Lookup of a question's document: by the name in its file, or by a quote searched in all documents."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from rapidfuzz.fuzz import ratio
from rapidfuzz.process import extractOne

from chunking.evaluation.questions.question import AnswerSpan
from chunking.model import Document
from chunking.store import DocumentRow
from chunking.text.quotes import QuoteFinder

__all__ = ["MOST_DOCUMENTS", "DocumentNames", "collection_places"]

Named = TypeVar("Named", Document, DocumentRow)

MOST_DOCUMENTS = 4
"""Most documents reported for a text that occurs in several."""
_MOST_FOLDED = 2_000
"""Most texts searched regardless of white space, width and quote marks, if not found literally."""

_SHOWN = 60
_LEAST_ALIKE = 60.0
"""Least similarity, in percent, of a name suggested for an unknown one."""


def collection_places(texts: Iterable[str], documents: Sequence[Document]) -> Mapping[str, tuple[AnswerSpan, ...]]:
    """Return each text's first place in each of up to 4 documents with it; empty without one.

    Exact matches; for a text without any, matches that differ in white space, width, letter case, quote marks or
    markup.
    """
    matches: dict[str, list[AnswerSpan]] = {text: [] for text in texts if text.strip()}
    for document in documents:
        for text, places in matches.items():
            key = text.strip()
            at = document.text.find(key) if len(places) < MOST_DOCUMENTS else -1
            if at >= 0:
                places.append(AnswerSpan(document.doc_id, at, at + len(key), key))
    missing = [text for text, places in matches.items() if not places][:_MOST_FOLDED]
    for document in documents if missing else ():
        prepared = QuoteFinder(document.text)
        for text in missing:
            spans = prepared.find(text) if len(matches[text]) < MOST_DOCUMENTS else []
            if spans:
                start, end = spans[0]
                matches[text].append(AnswerSpan(document.doc_id, start, end, document.text[start:end]))
    return {text: tuple(places) for text, places in matches.items()}


class DocumentNames(Generic[Named]):
    """Index of documents, or of their rows, by path, id, path suffix and name without extension."""

    def __init__(self, documents: Sequence[Named]) -> None:
        self.documents: Sequence[Named] = documents
        self._tables: tuple[dict[str, list[Named]], ...] = ({}, {}, {}, {})
        for document in documents:
            path = _plain(document.source)
            tails: list[str] = [path[at + 1 :] for at, char in enumerate(path) if char == "/"]
            stems = [name.rpartition(".")[0] or name for name in (path, *tails)]
            for table, names in zip(
                self._tables, ((path,), (_plain(document.doc_id),), tails or [path], stems), strict=True
            ):
                for name in dict.fromkeys(names):
                    table.setdefault(name, []).append(document)

    def matches(self, name: str) -> Sequence[Named]:
        """Return the documents that a name may mean: one, several, or none.

        A name is a path or its end, an id, or a file name without extension; unknown leading folders are ignored.
        """
        key = _plain(name)
        while key:
            for table in self._tables:
                if key in table:
                    return table[key]
            key = key.partition("/")[2]  # a longer path, from another folder
        return ()

    def find(self, name: str) -> Named | str:
        """Return the document of a name (`matches`); an error sentence if no document or several have it."""
        matches = self.matches(name)
        if len(matches) == 1:
            return matches[0]
        if matches:
            both = " and ".join(document.source for document in matches[:2])
            return f"'{name[:_SHOWN]}' may be {both}; name the document by its path."
        nearest = extractOne(_plain(name)[:200], self._tables[2].keys(), scorer=ratio, score_cutoff=_LEAST_ALIKE)
        hint = (
            f"; is it {self._tables[2][nearest[0]][0].source}?"
            if nearest
            else "; add it, or name the document by its path."
        )
        return f"There is no document '{name[:_SHOWN]}' here{hint}"


def _plain(name: str) -> str:
    """Normalise a path: composed letters, forward slashes, lower case."""
    return unicodedata.normalize("NFC", name).strip().replace("\\", "/").removeprefix("./").strip("/").casefold()
