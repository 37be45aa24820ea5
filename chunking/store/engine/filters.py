"""From `where` (key to value) to an expression; no text of a user is ever put into a string of SQL here."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from chunking.errors import QueryError

__all__ = ["FILTERS", "Filter", "clean", "key_text", "predicate"]


@dataclass(frozen=True, slots=True)
class Filter:
    """A key of `where`."""

    key: str
    help: str
    expression: Callable[[str], Any]


_LONE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Text the engine can hold: a lone surrogate, which has no UTF-8 form, becomes U+FFFD, so that offsets stay."""
    return _LONE.sub("\ufffd", text) if not text.isascii() else text


def key_text(values: object) -> str:
    """Several values as one text in which each can be found whole: a line each, with a line end on both sides."""
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
    """The file itself, or everything under the folder: `a/` up to `a0`, since 0 follows / in the alphabet of code
    points.

    `/`, `.` and nothing mean the folder at the top, which holds every file; `\\` parts folders as well.
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


def predicate(where: Mapping[str, str] | None) -> Any | None:
    """All conditions together, or None where there are none.

    Raises:
        QueryError: a key that no filter has; the sentence names those there are.
    """
    table = {row.key: row for row in FILTERS}
    whole: Any | None = None
    for key, value in (where or {}).items():
        if key not in table:
            raise QueryError(f"There is no filter '{key}'; the filters are {', '.join(table)}.", where=key)
        part = table[key].expression(clean(str(value)))
        whole = part if whole is None else whole & part
    return whole
