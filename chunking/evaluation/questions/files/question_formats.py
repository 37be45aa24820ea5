"""Formats of question files: the columns that identify a format, and the meaning of its columns.

Column names are compared without regard to case, blanks, hyphens and underscores. If several columns fill one field,
the first non-empty one counts. Formats that are more than rows are parsed in `row_values` and `beir_files`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chunking.display import first_names

__all__ = [
    "FIELDS",
    "FORMATS",
    "QuestionFormat",
    "field_of",
    "form_of",
    "known_columns",
    "missing_columns",
    "normalised",
]

FIELDS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "question_id", "qid", "query_id", "_id", "编号"),
    "question": ("question", "query", "question_text", "query_text", "user_input", "问题"),
    "language": ("language", "lang", "语言"),
    "doc": (
        "doc",
        "document",
        "source",
        "doc_id",
        "corpus_id",
        "file",
        "file_name",
        "file_path",
        "path",
        "文档",
        "文件",
    ),
    "answer": (
        *(
            "reference_contexts",
            "answer",
            "answers",
            "answer_text",
            "references",
            "reference",
            "quote",
            "quotes",
            "excerpt",
        ),
        *("ground_truth", "ground_truths", "答案", "回答"),
    ),
    "start": ("start", "start_index", "answer_start", "start_char_idx"),
    "end": ("end", "end_index", "answer_end", "end_char_idx"),
    "made": ("made",),
    "part": ("part",),
    "unanswerable": ("unanswerable", "no_answer", "is_impossible"),
    "judged": ("judged",),
    "pool": ("pool",),
    "syntax": ("syntax",),
}
"""Accepted column names, by the row field they fill."""
_NAMES = {name: field for field, names in FIELDS.items() for name in names}
_MOST_NAMED, _LONGEST = 20, 40
"""Most columns named in a sentence, and most characters of each."""
_BEIR = "BEIR (queries.jsonl with _id and text, and qrels with query-id, corpus-id and score)"


@dataclass(frozen=True, slots=True)
class QuestionFormat:
    """A format of question files: the columns that identify it, and the fields they fill."""

    name: str
    columns: tuple[str, ...]
    """Column names to show in a sentence."""
    marks: tuple[frozenset[str], ...]
    """A file has this format if it has all columns of one of these sets."""
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Column names that differ from `FIELDS`."""
    alternatives: bool = False
    """True if several answers are alternative wordings (the first counts), and no answer means that the passage has
    none.
    """

    def record(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """Map a row's columns to fields; of several columns for one field, the first counts.

        Args:
            columns: non-empty columns by normalised name.
        """
        names = {**FIELDS, **self.fields}
        pairs = ((one, next((columns[name] for name in some if name in columns), None)) for one, some in names.items())
        return {one: value for one, value in pairs if value is not None}


FORMATS: tuple[QuestionFormat, ...] = (
    QuestionFormat(
        "RAGAS",
        ("user_input", "reference_contexts", "reference"),
        (frozenset({"user_input"}),),
    ),
    QuestionFormat(
        "RAGAS test sets before 0.2",
        ("question", "contexts", "ground_truth", "evolution_type"),
        (frozenset({"question", "contexts", "evolution_type"}),),
        {"answer": ("contexts", "ground_truth")},
    ),
    QuestionFormat(
        "RAGAS before 0.2",
        ("question", "contexts", "ground_truth"),
        (frozenset({"question", "ground_truth"}), frozenset({"question", "ground_truths"})),
        {"answer": ("ground_truth", "ground_truths")},
    ),
    QuestionFormat(
        "SQuAD",
        ("question", "context", "answers"),
        (frozenset({"question", "context", "answers"}), frozenset({"question", "context", "is_impossible"})),
        {"passage": ("context",), "title": ("title",)},
        alternatives=True,
    ),
    QuestionFormat(
        "LegalBench-RAG",
        ("query", "snippets"),
        (frozenset({"query", "snippets"}),),
        {"answer": ("snippets",)},
    ),
    QuestionFormat("Chunkscope", ("question", "doc", "answer"), (frozenset(),)),
)
"""The first match is a file's format; the last matches every file."""


def normalised(name: str) -> str:
    """Normalise a column's name: lower case, `_` for blanks and hyphens.

    >>> normalised(" Corpus-ID"), normalised("_id")
    ('corpus_id', '_id')
    """
    return re.sub(r"[\s_-]+", "_", name.strip().strip("\ufeff").casefold())


def field_of(name: str) -> str:
    """Return the field that a column fills; empty for an unknown column."""
    return _NAMES.get(normalised(name), "")


def form_of(names: Collection[str]) -> QuestionFormat:
    """Return the first of `FORMATS` whose marks are among a file's normalised column names."""
    there = frozenset(names)
    return next(one for one in FORMATS if any(marks <= there for marks in one.marks))


def known_columns() -> str:
    """Return the accepted columns and formats, in words."""
    own = ", ".join(
        f"{one} (or {', '.join(name for name in FIELDS[one] if name != one)})" for one in ("question", "doc", "answer")
    )
    forms = ", ".join(f"{one.name} ({', '.join(one.columns)})" for one in FORMATS[:-1])
    return f"{own}; and the forms of {forms} and {_BEIR}"


def missing_columns(name: str, columns: Iterable[str], missing: str = "question") -> str:
    """Return the error sentence about a file without a required column."""
    return f"{name} has no column '{missing}'. Its columns: {_listed(list(columns))}. Known columns: {known_columns()}."


def _listed(names: Sequence[str]) -> str:
    shown = [one[:_LONGEST] + "…" * (len(one) > _LONGEST) for one in (" ".join(name.split()) for name in names) if one]
    return first_names(shown, _MOST_NAMED) or "none with a name"
