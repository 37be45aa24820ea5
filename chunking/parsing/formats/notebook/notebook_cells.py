"""Cells of a notebook in a common form for all versions of nbformat."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chunking.errors import ParseError
from chunking.parsing.safe_input.safe_json import as_list, as_mapping, as_text, as_whole

__all__ = ["NotebookCell", "joined_text", "notebook_cells", "notebook_language"]

_MAGIC = re.compile(r"\s*%%(\w+)")
_MAGICS = {
    **{name: name for name in ("bash", "html", "javascript", "latex", "perl", "ruby", "sql", "svg", "cython")},
    **{
        "sh": "bash",
        "js": "javascript",
        "R": "r",
        "bigquery": "sql",
        "markdown": "markdown",
        "writefile": "",
        "script": "bash",
    },
}
"""Languages of cells by their cell magic."""
_DATA_URI = re.compile(r"(data:[\w.+/-]{1,80};base64,)[A-Za-z0-9+/=]{100,}+")


@dataclass(frozen=True, slots=True)
class NotebookCell:
    """One cell."""

    number: int
    """Position in the notebook, from 1."""
    kind: str
    """markdown, code, raw or heading."""
    source: str
    language: str = ""
    """For code."""
    level: int = 1
    """For a heading cell (nbformat 3)."""
    count: int | None = None
    """Execution order."""
    raw_format: str = ""
    """MIME type of a raw cell."""
    outputs: tuple[Mapping[str, Any], ...] = ()


def joined_text(value: object) -> str:
    """A text stored as a string or a list of lines; inline images are shortened to their type.

    >>> joined_text(["a\\n", "b"]), joined_text("a"), joined_text(None)
    ('a\\nb', 'a', '')
    """
    text = "".join(map(as_text, value)) if isinstance(value, list) else as_text(value)
    return _DATA_URI.sub(r"\1…", text) if "base64," in text else text


def notebook_language(notebook: Mapping[str, Any]) -> str:
    """Language of the kernel in lower case; empty if unknown."""
    metadata = as_mapping(notebook.get("metadata"))
    places = (("language_info", "name"), ("kernelspec", "language"))
    named = (as_text(as_mapping(metadata.get(outer)).get(inner)) for outer, inner in places)
    return next((name.strip().lower()[:40] for name in named if name.strip()), "")


def notebook_cells(notebook: Mapping[str, Any], source: str) -> Iterator[NotebookCell]:
    """The cells in their order.

    Raises:
        ParseError: it has no list of cells.
    """
    language = notebook_language(notebook)
    sheets = [as_mapping(sheet).get("cells") for sheet in as_list(notebook.get("worksheets"))]
    lists = [cells for cells in (notebook.get("cells"), *sheets) if isinstance(cells, list)]
    if not lists:
        raise ParseError(
            f"{source} is not a notebook: it has no list of cells; save it again with Jupyter.", where=source
        )
    for number, cell in enumerate((one for cells in lists for one in cells), 1):
        yield _cell(number, as_mapping(cell), language)


def _cell(number: int, cell: Mapping[str, Any], language: str) -> NotebookCell:
    kind = as_text(cell.get("cell_type"))
    text = joined_text(cell.get("source", cell.get("input")))
    metadata = as_mapping(cell.get("metadata"))
    own = as_text(as_mapping(metadata.get("vscode")).get("languageId")) or as_text(cell.get("language"))
    magic = _MAGIC.match(text)
    return NotebookCell(
        number=number,
        kind=kind,
        source=text,
        language=_MAGICS.get(magic[1], language) if magic else own.lower()[:40] or language,
        level=min(max(as_whole(cell.get("level")) or 1, 1), 6),
        count=as_whole(cell.get("execution_count", cell.get("prompt_number"))),
        raw_format=as_text(metadata.get("raw_mimetype")) or as_text(metadata.get("format")),
        outputs=tuple(map(as_mapping, as_list(cell.get("outputs")))),
    )
