"""Where texts stand in a collection: quotes and passages whose document a file does not name, looked up in every
document at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from chunking.evaluation.questions.question import AnswerSpan
from chunking.model import Document
from chunking.text.quotes import QuoteFinder

__all__ = ["MOST_DOCUMENTS", "collection_places"]

MOST_DOCUMENTS = 4
"""Documents that are named of a text which stands in several."""
_MOST_FOLDED = 2_000
"""Texts that are looked for but for white space, width and quote marks, where they stand nowhere as they are."""


def collection_places(texts: Iterable[str], documents: Sequence[Document]) -> Mapping[str, tuple[AnswerSpan, ...]]:
    """The first place of each text in each document, in their order; empty where it stands nowhere.

    Exact matches; where there is none in any document, those that differ in white space, width, letter case, quote
    marks or markup.
    """
    found: dict[str, list[AnswerSpan]] = {text: [] for text in texts if text.strip()}
    for document in documents:
        for text, places in found.items():
            wanted = text.strip()
            at = document.text.find(wanted) if len(places) < MOST_DOCUMENTS else -1
            if at >= 0:
                places.append(AnswerSpan(document.doc_id, at, at + len(wanted), wanted))
    missing = [text for text, places in found.items() if not places][:_MOST_FOLDED]
    for document in documents if missing else ():
        prepared = QuoteFinder(document.text)
        for text in missing:
            spans = prepared.find(text) if len(found[text]) < MOST_DOCUMENTS else []
            if spans:
                start, end = spans[0]
                found[text].append(AnswerSpan(document.doc_id, start, end, document.text[start:end]))
    return {text: tuple(places) for text, places in found.items()}
