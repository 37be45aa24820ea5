"""Filters as engine expressions, and values as columns store them; no user's text becomes SQL."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunking.errors import QueryError

__all__ = ["FILTERS", "Filter", "box", "clean", "cleaned", "key_text", "packed", "predicate"]

_LONE = re.compile("[\ud800-\udfff]")
"""Lone surrogates."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Key of `where` with its help text, and the function from its value to a condition on chunks."""

    key: str
    help: str
    expression: Callable[[str], Any]


def clean(text: str) -> str:
    """Replace lone surrogates, which the engine cannot store, by U+FFFD; offsets stay."""
    return _LONE.sub("\ufffd", text) if not text.isascii() else text


def key_text(values: object) -> str:
    """Join values into one text, each between line ends, so that substrings match whole values.

    Empty for no values, and for anything but a list or tuple.
    """
    names = [str(value).replace("\n", " ") for value in values] if isinstance(values, (list, tuple)) else []
    return "\n" + "\n".join(names) + "\n" if names else ""


def _equal(column: str) -> Callable[[str], Any]:
    def expression(value: str) -> Any:
        from lancedb.expr import col, lit

        return col(column) == lit(value)

    return expression


def _one_of(column: str) -> Callable[[str], Any]:
    def expression(value: str) -> Any:
        from lancedb.expr import col, lit

        return col(column).contains(lit(key_text([value])))

    return expression


def _document(value: str) -> Any:
    return _equal("doc_id")(value) | _equal("path")(value)


def _path(value: str) -> Any:
    """Match a file, or the files in a folder: from `a/` to before `a0`, the next code point after /.

    `/`, `.` and nothing mean the root folder, which holds every file; `\\` separates folders as well.
    """
    from lancedb.expr import col, lit

    folder = value.replace("\\", "/").removeprefix("./").strip("/")
    if folder in ("", "."):
        return col("path") >= lit("")
    inside = (col("path") >= lit(f"{folder}/")) & (col("path") < lit(f"{folder}0"))
    return (col("path") == lit(folder)) | inside


FILTERS: tuple[Filter, ...] = (
    Filter("document", "A document's id or its path.", _document),
    Filter("category", "Documents of a category, such as api.", _equal("category")),
    Filter("path", "A file, or all files in a folder.", _path),
    Filter("content_type", "Chunks that are mostly a table, code, qa ...", _equal("content_type")),
    Filter("section", "A section's id, or any title in its path.", _one_of("section_key")),
    Filter("language", "Documents in a language, such as zh.", _equal("language")),
    Filter("page", "Chunks on a page, where the format has pages.", _one_of("page_key")),
)
"""Filters that `where` accepts."""


def predicate(where: Mapping[str, str] | None) -> Any | None:
    """Return the engine's expression for all conditions of `where` together; None without any.

    Raises:
        QueryError: a key that no filter has; the message lists the keys of `FILTERS`.
    """
    table = {row.key: row for row in FILTERS}
    combined: Any | None = None
    for key, value in (where or {}).items():
        if key not in table:
            raise QueryError(f"There is no filter '{key}'; the filters are {', '.join(table)}.", where=key)
        part = table[key].expression(clean(str(value)))
        combined = part if combined is None else combined & part
    return combined


# -- values: compact JSON, and text that the engine can hold


def cleaned(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with `clean` applied to its texts and lists of texts."""

    def one(value: Any) -> Any:
        if isinstance(value, str):
            return clean(value)
        return [clean(part) if isinstance(part, str) else part for part in value] if isinstance(value, list) else value

    return {name: one(value) for name, value in row.items()}


def packed(value: object) -> str:
    """Return compact ASCII JSON, in which any text survives; mappings and arrays are converted."""
    return json.dumps(value, separators=(",", ":"), default=_plain)


def box(values: Sequence[float]) -> tuple[float, float, float, float]:
    """Return four numbers (left, top, right, bottom) from JSON as a bounding box."""
    left, top, right, bottom = values
    return (left, top, right, bottom)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no form in JSON")
