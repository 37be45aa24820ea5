"""Walk a pruned page and write its blocks, iteratively, so that no depth is too much.

Lists and quotes are one block each, however nested; code, tables and formulas in them are blocks of their own, as in
Markdown. A definition list with plain descriptions is a list; one with more in it is read as paragraphs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from textwrap import dedent
from typing import TYPE_CHECKING, Any, NamedTuple

from chunking.model import BlockType
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.formats.html.html_containers import Containers
from chunking.parsing.formats.html.html_elements import BLOCKS, BREAK, HEADINGS, LISTS, PREFORMATTED, collapse, lines_of
from chunking.parsing.formats.html.html_tables import flat_text, read_table
from chunking.parsing.formats.html.list_markers import JOINED, MARKER
from chunking.parsing.formats.html.pruning import FORMULA, FURNITURE, LINES
from chunking.text.folding import without_invisible
from chunking.text.raised_text import write_raised

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["MARK", "walk"]

MARK = "mark-heading"
"""Tag of an element inserted where a table of contents says that a section starts."""


def walk(
    root: _Element,
    writer: Writer,
    *,
    base_level: int,
    source: str,
    guessed: Mapping[_Element, Mapping[str, object]] | None = None,
) -> int:
    """Write the blocks of a pruned page; furniture is left out unless there is nothing else.

    Args:
        guessed: guessed headings, with the `meta` for their blocks.
    Returns:
        The shift of heading levels at the end of the page.
    """
    walker = _Walker(writer, base_level, source, guessed or {})
    walker.run(root)
    if not walker.wrote and walker.furniture:
        walker = _Walker(writer, base_level, source, guessed or {}, keep_furniture=True)
        walker.run(root)
    for text, reason in walker.furniture:
        writer.leave_out(text, reason)
    return walker.shift


class _Mark(NamedTuple):
    """A section of a table of contents that starts here."""

    label: str
    level: int
    over_heading: bool


class _Walker:
    def __init__(
        self,
        writer: Writer,
        base_level: int,
        source: str,
        guessed: Mapping[_Element, Mapping[str, object]],
        keep_furniture: bool = False,
    ) -> None:
        self._writer = writer
        self._guessed = guessed
        self.shift = base_level
        """Added to the levels of headings."""
        self._source = source
        self._keep_furniture = keep_furniture
        self._run: list[str] = []
        self._pictures: list[tuple[int, _Element]] = []
        self._heading = 0
        self._containers = Containers(self._write)
        self._mark: _Mark | None = None
        self.furniture: list[tuple[str, str]] = []
        self.wrote = False

    def run(self, root: _Element) -> None:
        """Visit the elements of a page in order; `iterwalk` takes three times as long."""
        stack = [(root, iter(root))] if self._begin(root) else []
        while stack:
            parent, children = stack[-1]
            for child in children:
                if self._begin(child):
                    stack.append((child, iter(child)))
                    break
                self._end(child)
            else:
                stack.pop()
                self._end(parent)
        self.flush()

    def _begin(self, element: _Element) -> bool:
        """Handle the start of an element; True if its children are to be visited."""
        open_element = _OPENED.get(element.tag)
        if open_element is not None and open_element(self, element):
            return False
        text = element.text
        if text:
            self._run.append(text)
        return len(element) > 0

    def _end(self, element: _Element) -> None:
        close_element = _CLOSED.get(element.tag)
        if close_element is not None:
            close_element(self, element)
        tail = element.tail
        if tail and (self._run or not tail.isspace()):
            self._run.append(tail)

    def flush(self, _: object = None) -> None:
        """Write the collected lines as part of the open list or quote, or as paragraphs."""
        if not self._run:
            return
        if self._heading:
            self._run.append(" ")
            return
        lines = lines_of(self._run)
        run, self._run = self._run, []
        pictures, self._pictures = self._pictures, []
        if not lines:
            return
        if self._containers.is_open:
            self._containers.add(lines)
        elif pictures and not _words_beside(run, pictures):
            for _, image in pictures:
                self._write_picture(image)
        elif len(lines) == 1:
            self._write(BlockType.PARAGRAPH, lines[0])
        else:
            self._write_paragraphs(lines)

    def _write(
        self, kind: BlockType, text: str, meta: Mapping[str, object] | None = None, level: int | None = None
    ) -> None:
        self.wrote = True
        mark = self._mark
        if mark is not None and kind is BlockType.PARAGRAPH and _same_words(text, mark.label):
            self._mark, kind, level, meta = None, BlockType.HEADING, mark.level, None
        elif kind not in (BlockType.HEADING, BlockType.IMAGE):
            self._write_mark()
        self._writer.block(kind, text, level=level, meta=meta)

    def _write_mark(self) -> None:
        """Write the label of a section without a heading on the page."""
        mark, self._mark = self._mark, None
        if mark is not None:
            self.wrote = True
            self._writer.block(BlockType.HEADING, mark.label, level=mark.level)

    def _write_paragraphs(self, lines: list[str]) -> None:
        """Split paragraphs at double line ends."""
        paragraph: list[str] = []
        for line in [*lines, ""]:
            if line:
                paragraph.append(line)
            elif paragraph:
                self._write(BlockType.PARAGRAPH, "\n".join(paragraph))
                paragraph = []

    def _write_picture(self, image: _Element, caption: str = "", *, caption_first: bool = False) -> None:
        """Write a picture's description and caption, without repetition."""
        alt = collapse(image.get("alt", ""))
        parts = list(filter(None, [alt if alt not in caption else "", caption]))
        text = "\n".join(reversed(parts) if caption_first else parts)
        if text:
            path = image.get("src") or image.get("data-src") or ""
            meta = {"path": "" if path.startswith("data:") else path, "alt": alt}
            self._write(BlockType.IMAGE, text, meta | ({"caption": caption} if caption else {}))

    # lists and quotes

    def open_quote(self, _: _Element) -> None:
        self.flush()
        self._containers.open(BlockType.QUOTE)

    def close_quote(self, _: _Element) -> None:
        self.flush()
        self._containers.close()

    def open_list(self, element: _Element) -> None:
        self.flush()
        self._containers.open_list(element)

    def close_list(self, _: _Element) -> None:
        self.flush()
        self._containers.close_list()

    def open_item(self, element: _Element) -> None:
        self.flush()
        self._containers.begin_item(element)

    def open_marker(self, element: _Element) -> bool:
        """Use a reader's number as the marker of the item that begins, else as words."""
        text = (element.text or "") + ("" if element.get("class") == JOINED else " ")
        if "".join(self._run).strip() or not self._containers.set_marker(text):
            self._run.append(text)
        return True

    def open_definition(self, element: _Element) -> None:
        self.flush()
        self._containers.begin_definition(element)

    # blocks of their own

    def open_heading(self, element: _Element) -> None:
        self.flush()
        self._heading = HEADINGS[element.tag]

    def close_heading(self, element: _Element) -> None:
        level, self._heading = self._heading, 0
        if not level:  # it is around another
            return self.flush()
        run, self._run, self._pictures = self._run, [], []
        label = without_invisible(" ".join(filter(None, lines_of(run)))).strip()
        if not label:
            return
        self._containers.write()
        if self._mark is not None:
            mark, self._mark = self._mark, None
            self.shift = mark.level - level if mark.over_heading else self.shift
        self._write(BlockType.HEADING, label, self._guessed.get(element), min(max(level + self.shift, 1), 6))

    def open_mark(self, element: _Element) -> bool:
        """Mark the next block as the start of a section."""
        self.flush()
        mark = _Mark(element.get("label"), int(element.get("level")), element.get("over") == "yes")
        if self._mark is not None and not _same_words(self._mark.label, mark.label):
            self._write_mark()
        self._mark = mark
        return True

    def open_table(self, element: _Element) -> bool:
        self.flush()
        table = None if self._heading else read_table(element, self._source)
        if table is None:
            return False
        self._containers.write()
        if table.caption:
            self._write(BlockType.PARAGRAPH, table.caption)
        self.wrote = True
        self._write_mark()
        self._writer.table(
            table.rows, header_rows=table.header_rows, meta={"caption": table.caption} if table.caption else {}
        )
        return True

    def open_code(self, element: _Element) -> bool:
        self.flush()
        if self._heading:
            return False
        for line_break in element.iter("br"):
            line_break.text = "\n"
        code = write_raised("".join(element.itertext())).replace("\r\n", "\n").replace("\xa0", " ").strip("\n")
        if code.strip():
            self._containers.write()
            self._write(
                BlockType.CODE,
                dedent(code) if code[0] in " \t" else code,
                {"language": element.get("data-language", "")},
            )
        return True

    def open_formula(self, element: _Element) -> bool:
        self.flush()
        formula = collapse(element.text or "")
        if formula and not self._containers.is_open and not self._heading:
            self._write(BlockType.EQUATION, formula)
            return True
        return False

    def open_figure(self, element: _Element) -> bool:
        """Write a figure with one picture and a caption as a block; others are read as content."""
        self.flush()
        pictures = list(islice(element.iterdescendants("img"), 2))
        captions = list(islice(element.iterdescendants("figcaption"), 2))
        others = next(element.iterdescendants("table", "figure", *PREFORMATTED), None)
        if len(pictures) != 1 or len(captions) > 1 or others is not None or self._heading or self._containers.is_open:
            return False
        caption = flat_text(captions[0]) if captions else ""
        if len(flat_text(element)) > len(caption) + len(pictures[0].text or "") + 1:
            return False  # it has words of its own
        first = next(element.iterdescendants("img", "figcaption"))
        self._write_picture(pictures[0], caption, caption_first=first is not pictures[0])
        return True

    def open_picture(self, element: _Element) -> bool:
        if element.text and element.text.strip():
            self._pictures.append((len(self._run), element))
            self._run.append(f" {element.text} ")
        return True

    def open_furniture(self, element: _Element) -> bool:
        self.flush()
        if self._keep_furniture:
            return False
        text = flat_text(element) if element.get(LINES) is None else element.text
        if text:
            self.furniture.append((text, element.get("reason")))
        return True

    def break_line(self, _: _Element) -> bool:
        self._run.append(BREAK)
        return True


def _words_beside(run: list[str], pictures: list[tuple[int, _Element]]) -> bool:
    """True if a line with pictures also has words."""
    places = {place for place, _ in pictures}
    return any(part.strip() for n, part in enumerate(run) if n not in places)


def _same_words(text: str, label: str) -> bool:
    """True if a line is the heading for a label in the contents."""
    words, named = ("".join(filter(str.isalnum, one)).lower() for one in (text[:300], label))
    return (
        bool(words) and len(text) < 300 and (words == named or (len(words) > 3 and (words in named or named in words)))
    )


_Step = Callable[[_Walker, Any], object]

_OPENED: dict[str, _Step] = {
    **dict.fromkeys(BLOCKS, _Walker.flush),
    **dict.fromkeys(HEADINGS, _Walker.open_heading),
    **dict.fromkeys((*LISTS, "dl"), _Walker.open_list),
    **dict.fromkeys(PREFORMATTED, _Walker.open_code),
    "li": _Walker.open_item,
    "dt": _Walker.open_definition,
    "dd": _Walker.open_definition,
    "blockquote": _Walker.open_quote,
    "table": _Walker.open_table,
    "figure": _Walker.open_figure,
    "img": _Walker.open_picture,
    "br": _Walker.break_line,
    FORMULA: _Walker.open_formula,
    FURNITURE: _Walker.open_furniture,
    MARK: _Walker.open_mark,
    MARKER: _Walker.open_marker,
}
"""Actions at the start of an element; True: do not visit its children. Others are part of a line."""

_CLOSED: dict[str, _Step] = {
    **dict.fromkeys(BLOCKS, _Walker.flush),
    **dict.fromkeys(HEADINGS, _Walker.close_heading),
    **dict.fromkeys((*LISTS, "dl"), _Walker.close_list),
    "blockquote": _Walker.close_quote,
    FORMULA: _Walker.flush,
}
"""Actions at the end of an element."""
