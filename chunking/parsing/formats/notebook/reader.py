"""Read a notebook; the page of each block is its cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from chunking.display import quantity
from chunking.errors import ParseError, TooLargeError
from chunking.model import BlockType
from chunking.parsing.builder.copied_blocks import copy_blocks
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.parsing.formats.html import read_html
from chunking.parsing.formats.markdown.markdown_reader import read_markdown
from chunking.parsing.formats.notebook.notebook_cells import NotebookCell, notebook_cells
from chunking.parsing.formats.notebook.outputs import Output, read_outputs
from chunking.parsing.safe_input.safe_json import as_mapping, as_text, load_json

__all__ = ["MAX_CELLS", "read_notebook"]

MAX_CELLS = 50_000
"""Cells of a notebook; the longest known has some thousand."""


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
    """Writes the cells of one notebook."""

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
        """Write a cell for another program: front matter, Markdown or HTML, LaTeX, or just text."""
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
