"""Questions inside of other objects: the articles of SQuAD, with their paragraphs and the questions on each, and lists
under a name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["flat_records", "listed"]

_LISTS = ("questions", "data", "rows", "examples", "samples")
"""Under which an object keeps its questions."""


def listed(tree: Any) -> list[Any] | None:
    """The records of a whole JSON file: of an array, or of an object that keeps them under a name; None where it has no
    list.
    """
    if isinstance(tree, list):
        return tree
    if not isinstance(tree, dict):
        return None
    if "paragraphs" in tree:
        return [tree]
    return next((tree[name] for name in _LISTS if isinstance(tree.get(name), list)), None)


def flat_records(record: Any) -> Iterator[Any]:
    """The questions of a record: of an article each with its passage and title; any other record is one itself."""
    if isinstance(record, dict) and isinstance(record.get("row"), dict):  # as the viewer of a hub gives a row
        record = record["row"]
    paragraphs = record.get("paragraphs") if isinstance(record, dict) else None
    if not isinstance(paragraphs, list):
        yield record
        return
    for paragraph in paragraphs:
        if not isinstance(paragraph, Mapping) or not isinstance(paragraph.get("qas"), list):
            yield paragraph
            continue
        shared = {"title": record.get("title"), "context": paragraph.get("context", paragraph.get("context_text"))}
        for question in paragraph["qas"]:
            yield {**shared, **question} if isinstance(question, Mapping) else question
