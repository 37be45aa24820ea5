"""Read Jupyter notebooks (nbformat 2 to 4): cells, and outputs as the text they show.

The page of each block is its cell.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from chunking.display import quantity
from chunking.errors import ParseError, TooLargeError
from chunking.model import BlockType
from chunking.parsing.builder.nested_files import copy_blocks
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.parsing.formats.html.reader import read_html
from chunking.parsing.formats.markdown.markdown_reader import read_markdown
from chunking.parsing.safe_input.safe_json import as_list, as_mapping, as_text, as_whole, load_json

__all__ = ["MAX_CELLS", "MAX_OUTPUT", "read_notebook"]

MAX_CELLS = 50_000
"""Most cells of a notebook; the longest known has some thousand."""

MAX_OUTPUT = 100_000
"""Most characters of an output: longer logs are cut, since nobody searches them."""
MAX_HTML = 2_000_000
"""Most characters of an HTML output, which is mostly markup."""

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
_OVERWRITTEN = re.compile(r"[^\n]*\r(?!\n)")
_STRUCTURED = re.compile(r"<table[\s>]", re.IGNORECASE)
_OLD_TYPES = {
    "text": "text/plain",
    "html": "text/html",
    "latex": "text/latex",
    "json": "application/json",
    "png": "image/png",
}
"""MIME types of the output keys of nbformat 2 and 3."""
_OLD_TYPES |= {
    "jpeg": "image/jpeg",
    "svg": "image/svg+xml",
    "javascript": "application/javascript",
    "pdf": "application/pdf",
}
"""Keys of outputs of nbformat 2 and 3, and the MIME types that they mean."""

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


def read_notebook(raw: RawFile) -> Reading:
    """Read a Jupyter notebook: headings of Markdown cells open sections, a cell is a page.

    Pictures are not read: a line with the notebook's description replaces each.

    Raises:
        ParseError: it is no JSON, or no notebook.
        TooLargeError: more cells or text than are read.
    """
    loaded = load_json(raw.data, raw.source, raw.encoding)
    notebook = as_mapping(loaded.value)
    writer = _NotebookWriter(raw)
    count = 0
    for cell in notebook_cells(notebook, raw.source):
        if cell.number > MAX_CELLS:
            raise TooLargeError(
                f"{raw.source} has more than {MAX_CELLS:,} cells; split it into smaller notebooks.", where=raw.source
            )
        count = cell.number
        writer.cell(cell)
    title = as_text(as_mapping(notebook.get("metadata")).get("title")).strip() or None
    warnings = (*loaded.warnings, *writer.warnings())
    return writer.out.finish(title=title, encoding=loaded.encoding, warnings=warnings, page_count=count)


class _NotebookWriter:
    """Writer of the cells of one notebook."""

    def __init__(self, raw: RawFile) -> None:
        self.out = Writer(raw.source)
        self._source = raw.source
        self._cut: list[int] = []
        self._notes: list[str] = []

    def cell(self, cell: NotebookCell) -> None:
        """Write a cell with its outputs."""
        if cell.kind == "markdown":
            self._markdown(cell.source, cell)
        elif cell.kind == "heading":
            self.out.block(
                BlockType.HEADING, [Piece(f"{'#' * cell.level} {cell.source.strip()}", cell.number)], level=cell.level
            )
        elif cell.kind == "code":
            meta = {"fenced": False, "language": cell.language} | (
                {} if cell.count is None else {"execution_count": cell.count}
            )
            self.out.block(BlockType.CODE, [Piece(cell.source, cell.number)], meta=meta)
        else:
            self._raw(cell)
        for output in read_outputs(cell.outputs):
            if output.cut:
                self._cut.append(cell.number)
            _FORMS[output.form](self, output, cell)

    def warnings(self) -> Iterator[str]:
        yield from dict.fromkeys(self._notes)
        if self._cut:
            cells = ", ".join(map(str, self._cut[:10])) + (" …" if len(self._cut) > 10 else "")
            yield (
                f"{quantity(len(self._cut), 'output')} of cells ({cells}) are longer than is read; their first "
                f"part is kept."
            )

    def _markdown(self, text: str, cell: NotebookCell) -> None:
        if text.strip():
            reading = read_markdown(RawFile(text.encode("utf-8", "replace"), self._source, "utf-8"))
            self._notes += [f"Cell {cell.number}: {warning}" for warning in reading.warnings]
            copy_blocks(reading, self.out, page=cell.number)

    def _raw(self, cell: NotebookCell) -> None:
        """Write a cell for another program: front matter, Markdown or HTML, LaTeX, or plain text."""
        text = cell.source
        if text.lstrip().startswith("---"):
            self.out.block(BlockType.METADATA, [Piece(text, cell.number)])
        elif "html" in cell.raw_format:
            self._html(Output("html", text), cell)
        elif "latex" in cell.raw_format or "asciidoc" in cell.raw_format or "restructuredtext" in cell.raw_format:
            self.out.block(
                BlockType.CODE,
                [Piece(text, cell.number)],
                meta={"fenced": False, "language": cell.raw_format.rpartition("/")[2]},
            )
        else:
            self._markdown(text, cell)

    def _text(self, output: Output, cell: NotebookCell) -> None:
        lines = output.text.strip("\n")
        self.out.block(
            BlockType.CODE, [Piece(lines, cell.number)], meta={"fenced": False, "language": "", "output": output.name}
        )

    def _html(self, output: Output, cell: NotebookCell) -> None:
        try:
            reading = read_html(RawFile(output.text.encode("utf-8", "replace"), self._source, "utf-8"))
        except ParseError:  # too many cells or elements: the rest of the notebook is as good as before
            self._notes.append(f"The HTML in cell {cell.number} cannot be read.")
            return
        copy_blocks(reading, self.out, deeper=5, page=cell.number)

    def _markdown_output(self, output: Output, cell: NotebookCell) -> None:
        self._markdown(output.text, cell)

    def _latex(self, output: Output, cell: NotebookCell) -> None:
        self.out.block(BlockType.EQUATION, [Piece(output.text, cell.number)])

    def _image(self, output: Output, cell: NotebookCell) -> None:
        alt = output.text.strip() or f"<{output.name}>"
        self.out.block(BlockType.IMAGE, [Piece(alt, cell.number)], meta={"path": "", "alt": alt, "output": output.name})


_FORMS: dict[str, Callable[[_NotebookWriter, Output, NotebookCell], None]] = {
    "text": _NotebookWriter._text,
    "error": _NotebookWriter._text,
    "html": _NotebookWriter._html,
    "markdown": _NotebookWriter._markdown_output,
    "latex": _NotebookWriter._latex,
    "image": _NotebookWriter._image,
}
"""Writers by form of output."""


# -- outputs: text, tables, errors, and pictures by description


class Output(NamedTuple):
    """An output of a cell in its most informative form, cut to a limit."""

    form: str
    """Form: text, error, html, markdown, latex or image."""
    text: str
    """Text; for an image, its description in the notebook, possibly empty."""
    name: str = ""
    """Name: stdout, stderr, that of an error, the MIME type of an image."""
    cut: int = 0
    """Characters cut off at its end."""


def read_outputs(outputs: Sequence[Mapping[str, Any]]) -> Iterator[Output]:
    """Yield a cell's outputs in order, in one form each; consecutive stream pieces are joined."""
    for stream, some in groupby(outputs, key=_stream_name):
        if stream:
            yield from _bounded("text", "".join(joined_text(one.get("text")) for one in some), stream)
            continue
        for output in some:
            if as_text(output.get("output_type")) in ("error", "pyerr"):
                yield from _error(output)
            else:
                yield from _best_form(_bundle(output))


def _stream_name(output: Mapping[str, Any]) -> str:
    """Name of the stream of an output; empty for other outputs."""
    if as_text(output.get("output_type")) != "stream":
        return ""
    return as_text(output.get("name")) or as_text(output.get("stream")) or "stdout"


def _bounded(form: str, text: str, name: str = "") -> Iterator[Output]:
    """Yield an output without escape codes and overwritten text, such as the steps of a progress bar."""
    excerpt = text[: 2 * MAX_OUTPUT]
    plain = _OVERWRITTEN.sub("", _ESCAPE.sub("", excerpt)) if "\r" in excerpt or "\x1b" in excerpt else excerpt
    if plain.strip():
        yield Output(form, plain[:MAX_OUTPUT], name, max(len(text) - len(excerpt), 0) + max(len(plain) - MAX_OUTPUT, 0))


def _error(output: Mapping[str, Any]) -> Iterator[Output]:
    name, value = as_text(output.get("ename")), as_text(output.get("evalue"))
    lines = output.get("traceback")
    trace = "\n".join(map(as_text, lines)) if isinstance(lines, list) else as_text(lines)
    summary = ": ".join(filter(None, (name, value)))
    plain = _ESCAPE.sub("", trace)
    yield from _bounded("error", plain if summary and summary in plain else f"{plain}\n{summary}", name)


def _bundle(output: Mapping[str, Any]) -> dict[str, Any]:
    """Data by MIME type."""
    if isinstance(data := output.get("data"), dict):
        return data
    return {kind: output[key] for key, kind in _OLD_TYPES.items() if key in output}


def _best_form(data: Mapping[str, Any]) -> Iterator[Output]:
    """Yield the most informative text form of an output."""
    texts = {
        kind: joined_text(data[kind])
        for kind in ("text/html", "text/markdown", "text/latex", "text/plain")
        if kind in data
    }
    html, plain = texts.get("text/html", ""), texts.get("text/plain", "")
    images = [kind for kind in data if kind.startswith("image/")]
    value = next((data[kind] for kind in data if kind.endswith("json") and "vnd." not in kind), None)
    if _STRUCTURED.search(html):
        yield Output("html", html[:MAX_HTML], "text/html", max(len(html) - MAX_HTML, 0))
    elif texts.get("text/markdown", "").strip():
        yield from _bounded("markdown", texts["text/markdown"])
    elif images:
        yield Output("image", plain[:1_000], images[0])
    elif texts.get("text/latex", "").strip():
        yield from _bounded("latex", texts["text/latex"])
    elif plain.strip() and not _says_nothing(plain, html):
        yield from _bounded("text", plain, "result")
    elif html.strip():
        yield Output("html", html[:MAX_HTML], "text/html", max(len(html) - MAX_HTML, 0))
    elif value is not None:
        yield from _bounded("text", json.dumps(as_mapping(value) or value, ensure_ascii=False, indent=1), "result")


def _says_nothing(plain: str, html: str) -> bool:
    """True if the text only names the object shown as HTML: `<IPython.core.display.HTML object>`."""
    return bool(html.strip()) and re.fullmatch(r"\s*<[\w.]+(?: [^<>\n]*)?>\s*", plain) is not None


# -- cells in a common form for all versions of nbformat


@dataclass(frozen=True, slots=True)
class NotebookCell:
    """A cell of a notebook of any version: source, type, language and raw outputs."""

    number: int
    """Position in the notebook, from 1."""
    kind: str
    """Type: markdown, code, raw or heading."""
    source: str
    language: str = ""
    """Language of code."""
    level: int = 1
    """Level of a heading cell (nbformat 3)."""
    count: int | None = None
    """Execution order."""
    raw_format: str = ""
    """MIME type of a raw cell."""
    outputs: tuple[Mapping[str, Any], ...] = ()


def joined_text(value: object) -> str:
    """Return a text stored as a string or a list of lines, with inline images cut to their type.

    >>> joined_text(["a\\n", "b"]), joined_text("a"), joined_text(None)
    ('a\\nb', 'a', '')
    """
    text = "".join(map(as_text, value)) if isinstance(value, list) else as_text(value)
    return _DATA_URI.sub(r"\1…", text) if "base64," in text else text


def notebook_language(notebook: Mapping[str, Any]) -> str:
    """Return the language of a notebook's kernel in lower case; empty if it states none."""
    metadata = as_mapping(notebook.get("metadata"))
    places = (("language_info", "name"), ("kernelspec", "language"))
    named = (as_text(as_mapping(metadata.get(outer)).get(inner)) for outer, inner in places)
    return next((name.strip().lower()[:40] for name in named if name.strip()), "")


def notebook_cells(notebook: Mapping[str, Any], source: str) -> Iterator[NotebookCell]:
    """Yield the cells of a notebook, or of its worksheets (nbformat 3), in order.

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
