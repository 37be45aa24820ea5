"""Charts of a Word file, put into its text as paragraphs and tables, where they are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from chunking.errors import ParseError, TooLargeError
from chunking.parsing.formats.office.office_parts import Package, attribute
from chunking.parsing.formats.office.pptx.charts import chart_rows, chart_titles, charts_of

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["write_charts"]


def write_charts(root: _Element, package: Package, part: str) -> None:
    """Put what each chart says after the paragraph that it is drawn in; a damaged one holds no text.

    Args:
        root: of the part, which is changed.
    Raises:
        TooLargeError: one is nested too deep.
    """
    try:
        charts = charts_of(package, part)
    except TooLargeError:
        raise
    except ParseError:
        return
    word = root.tag[: root.tag.index("}") + 1]
    for drawn in list(root.iter("{*}chart")) if charts else ():
        chart = charts.pop(attribute(drawn, "id") or "", None)  # each once, however often it is referred to
        paragraph = next(drawn.iterancestors(f"{word}p"), None)
        if chart is None or paragraph is None:
            continue
        for element in reversed(list(_written(chart, root, word))):
            paragraph.addnext(element)


def _written(chart: _Element, root: _Element, word: str) -> Iterator[_Element]:
    """Titles as paragraphs, numbers as a table."""
    for title in chart_titles(chart):
        yield _paragraph(root, word, title)
    rows = chart_rows(chart)
    if rows:
        table = root.makeelement(f"{word}tbl")
        for row in rows:
            line = root.makeelement(f"{word}tr")
            table.append(line)
            for text in row:
                cell = root.makeelement(f"{word}tc")
                line.append(cell)
                cell.append(_paragraph(root, word, text))
        yield table


def _paragraph(root: _Element, word: str, text: str) -> _Element:
    paragraph, run, words = (root.makeelement(word + name) for name in ("p", "r", "t"))
    words.text = text
    run.append(words)
    paragraph.append(run)
    return paragraph
