"""The forms of question files, a row each: which columns tell a form, and what its columns are called.

Names are compared without regard to case, blanks, hyphens and underscores. Of several columns for one field the first
that says something counts. How a form's file is taken apart, where that is more than rows, stands in `cell_values`
and `beir_files`.
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
"""What a column may be called, by the field of a row it fills."""
_NAMES = {name: field for field, names in FIELDS.items() for name in names}
_MOST_NAMED, _LONGEST = 20, 40
"""Columns that a sentence names, and characters of each."""


@dataclass(frozen=True, slots=True)
class QuestionFormat:
    """A form of question files."""

    name: str
    columns: tuple[str, ...]
    """Those that a sentence names."""
    marks: tuple[frozenset[str], ...]
    """A file is of this form where it has all columns of one of these sets."""
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Where the names differ from `FIELDS`."""
    alternatives: bool = False
    """Several answers are wordings of one, by several people: the first counts. No answer means that the passage holds
    none.
    """

    def record(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """A row by its fields.

        Args:
            columns: by normalised name; without those that say nothing.
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
    QuestionFormat("Chunkscope", ("question", "doc", "answer"), (frozenset(),)),
)
"""The first that fits is a file's; the last fits every file."""
_BEIR = "BEIR (queries.jsonl with _id and text, and qrels with query-id, corpus-id and score)"


def normalised(name: str) -> str:
    """A column's name in one spelling.

    >>> normalised(" Corpus-ID"), normalised("_id")
    ('corpus_id', '_id')
    """
    return re.sub(r"[\s_-]+", "_", name.strip().strip("\ufeff").casefold())


def field_of(name: str) -> str:
    """What a column is; empty where it is nothing that is known."""
    return _NAMES.get(normalised(name), "")


def form_of(names: Collection[str]) -> QuestionFormat:
    """The form of a file, by the normalised names of its columns."""
    there = frozenset(names)
    return next(one for one in FORMATS if any(marks <= there for marks in one.marks))


def known_columns() -> str:
    """Every column that is understood, in words."""
    own = ", ".join(
        f"{one} (or {', '.join(name for name in FIELDS[one] if name != one)})" for one in ("question", "doc", "answer")
    )
    forms = ", ".join(f"{one.name} ({', '.join(one.columns)})" for one in FORMATS[:-1])
    return f"{own}; and the forms of {forms} and {_BEIR}"


def missing_columns(name: str, columns: Iterable[str], missing: str = "question") -> str:
    """The sentence about a file whose columns say nothing of a field."""
    return f"{name} has no column '{missing}'. Its columns: {_listed(list(columns))}. Known columns: {known_columns()}."


def _listed(names: Sequence[str]) -> str:
    shown = [one[:_LONGEST] + "…" * (len(one) > _LONGEST) for one in (" ".join(name.split()) for name in names) if one]
    return first_names(shown, _MOST_NAMED) or "none with a name"
