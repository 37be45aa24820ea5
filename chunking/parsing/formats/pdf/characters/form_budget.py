"""How much the Form XObjects of a PDF draw, found before pdfium draws them.

A form (a stamp, a logo, a whole page inside another) is drawn by the operator `Do`, and forms may draw forms. Thirty of
them, each
of which draws the next one twice, are a billion drawings in four thousand bytes, and pdfium follows them all inside one
call.
So what each form draws in all is added up first, from how often its content names the others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from chunking.errors import TooLargeError
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.formats.pdf.characters.form_graph import DrawnForms, FormGraph, Node

__all__ = ["MAX_DRAWN_BYTES", "MAX_DRAWN_FORMS", "check_forms"]

MAX_DRAWN_FORMS = 2_000_000
"""Times that the pages of a document draw a form, those that forms draw included: pdfium draws some 400,000 a second.
"""
MAX_DRAWN_BYTES = 2**30
"""Of the content of all these drawings, unpacked."""

_MAX_LEVEL = 40
"""Forms inside forms that pdfium follows (`kMaxFormLevel`); a form that draws itself ends there."""
_FORM = re.compile(rb"/(?:F|#46)(?:o|#6[fF])(?:r|#72)(?:m|#6[dD])(?![^\s/<>\[\](){}%])")
"""The subtype of a form. It is a stream, which no packed object can be: every file that has one shows it."""


def check_forms(raw: RawFile) -> None:
    """Refuse a PDF whose forms draw one another more often than any page needs.

    A file that pdfminer cannot follow is left to pdfium, which reads more of what is broken, and to the limit on time.

    Raises:
        TooLargeError: its pages draw more than `MAX_DRAWN_FORMS` forms, or more than `MAX_DRAWN_BYTES` of their
            content.
    """
    if not _FORM.search(raw.data):
        return
    graph = FormGraph(raw.data)
    graph.follow()
    forms, size = _drawn(graph.pages, graph.forms)
    if forms > MAX_DRAWN_FORMS:
        what = f"draws forms inside forms more than {MAX_DRAWN_FORMS:,} times"
    elif size > MAX_DRAWN_BYTES:
        what = f"draws the same forms again and again, more than {MAX_DRAWN_BYTES // 2**20:,} MB of them"
    else:
        return
    raise TooLargeError(f"{raw.source} {what}; split it, or print it to a new PDF.", where=raw.source)


def _drawn(pages: Sequence[DrawnForms], forms: Mapping[Node, DrawnForms]) -> tuple[int, int]:
    """How many drawings of forms the pages are, and how many bytes.

    Added up level by level, as deep as pdfium goes, so that forms that draw themselves need no rule of their own. The
    sums of a
    form are held to just over the limits.
    """
    each = {node: (1, form.size) for node, form in forms.items()}
    for _ in range(_MAX_LEVEL):
        before = each
        each = {node: _sum(form.draws, before, 1, form.size) for node, form in forms.items()}
        if each == before:
            break
    totals = [_sum(page.draws, each, 0, 0) for page in pages]
    return sum(times for times, _ in totals), sum(size for _, size in totals)


def _sum(draws: Counter[Node], each: Mapping[Node, tuple[int, int]], drawn: int, size: int) -> tuple[int, int]:
    for node, times in draws.items():
        drawn += times * each[node][0]
        size += times * each[node][1]
    return min(drawn, MAX_DRAWN_FORMS + 1), min(size, MAX_DRAWN_BYTES + 1)
