"""Details of real PDFs: footnotes, running feet, code, captions, side heads, order, broken words.

python -m benchmarks pdf_detail

What is expected was written down by hand from the pages as a viewer shows them, but for running feet: how often those
are printed, pdfium's characters say. A row a file, worst first; each expectation that is not met is named under the
table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from benchmarks.extraction import pdf_characters
from benchmarks.report import Row, Table
from chunking.model import BlockType, Document
from chunking.parsing import parse

TESTDATA = Path(__file__).parents[2] / "shared" / "testdata"
TARGET = 0.9
_NAMED = 6
"""Maximum unmet expectations that are named."""

Check = Callable[[Document, bytes], Iterator[tuple[str, bool]]]
"""Function that yields the expectations, and whether each is met."""


@dataclass(frozen=True, slots=True)
class Expected:
    """Expectations of one file."""

    path: str
    kind: str
    check: Check


def footnotes(marks: Iterable[str]) -> Check:
    """Expect a linked footnote per mark, after its reference and in the same section."""

    def check(document: Document, _: bytes) -> Iterator[tuple[str, bool]]:
        refers = {number: block for block in document.blocks for number in block.meta.get("footnotes", ())}
        by_mark = {block.meta["mark"]: block for block in document.blocks if "footnote" in block.meta}
        for mark in marks:
            note = by_mark.get(mark)
            by = refers.get(note.meta["footnote"]) if note else None
            right = note is not None and by is not None and by.end <= note.start
            yield f"footnote {mark}", right and document.section_at(by.start) == document.section_at(note.start)  # type: ignore[union-attr]

    return check


def feet(*texts: str) -> Check:
    """Expect every printed running foot to be left out of the text."""

    def check(document: Document, data: bytes) -> Iterator[tuple[str, bool]]:
        printed = "".join("".join(chr(code) for code, *_ in pdf_characters(data)).split())
        body = "".join(document.text[: document.blocks[-1].end].split())
        for text in texts:
            squeezed = "".join(text.split())
            left = body.count(squeezed)
            yield from ((f"running foot {text}", n >= left) for n in range(printed.count(squeezed)))

    return check


def order(*texts: str) -> Check:
    """Expect each text, word for word, after the previous one."""

    def check(document: Document, _: bytes) -> Iterator[tuple[str, bool]]:
        flat = " ".join(document.text.split())
        done = 0
        for text in texts:
            place = flat.find(text, done)
            yield f"in order: {text[:50]}", place >= 0
            done = max(done, place)

    return check


def code(*texts: str) -> Check:
    """Expect each text as a whole code block, line by line."""

    def check(document: Document, _: bytes) -> Iterator[tuple[str, bool]]:
        blocks = {document.text[block.start : block.end] for block in document.blocks if block.type is BlockType.CODE}
        yield from ((f"code: {text[:30]!r}", text in blocks) for text in texts)

    return check


def captions(*texts: str) -> Check:
    """Expect a table with each caption."""

    def check(document: Document, _: bytes) -> Iterator[tuple[str, bool]]:
        captions = [str(block.meta.get("caption", "")) for block in document.blocks if block.type is BlockType.TABLE]
        yield from ((f"caption: {text}", any(one.startswith(text) for one in captions)) for text in texts)

    return check


def none_of(what: str, pattern: str, most: int) -> Check:
    """Expect at most some matches of a pattern in the text."""

    def check(document: Document, _: bytes) -> Iterator[tuple[str, bool]]:
        body = document.text[: document.blocks[-1].end]
        yield what, len(re.findall(pattern, body)) <= most

    return check


_SPEECH, _KOREAN = "real/pdf/testPDF_protected.pdf", "real/pdf/docling__normal_4pages.pdf"
_MANUAL, _CLASS, _PAPER = "real/pdf/irs-manual-400p.pdf", "real/pdf/docling__llncsdoc.pdf", "pdf/multi-column-2p.pdf"

EXPECTED = (
    Expected(_SPEECH, "footnotes", footnotes(["*", *map(str, range(1, 40))])),
    Expected(_SPEECH, "marks", none_of("a mark that sticks to its word", r"[a-z]{3}[.,]?\d{1,2}(?=\s[A-Z])", 2)),
    Expected(_SPEECH, "captions", captions("Table 1: Summary", "Table 2: Climbing", "Table 3: Range")),
    Expected(_KOREAN, "footnotes", footnotes(["*", *map(str, range(1, 11))])),
    Expected(_KOREAN, "captions", captions("[표 1]")),
    Expected(_KOREAN, "heads", none_of("a running head of even pages", r"(?m)^이슈와 논점$", 0)),
    Expected(_PAPER, "footnotes", footnotes(["*", "1", "2", "3", "4"])),
    Expected(
        _PAPER, "order", order("1 Introduction", "2 Background", "3 Dense Passage Retriever (DPR)", "3.1 Overview")
    ),
    Expected(
        _MANUAL, "feet", feet("Any line marked with a #", "is for Official Use Only", "Cat. No. 28171E (12-12-2022)")
    ),
    Expected(
        _MANUAL,
        "side heads",
        order(
            "2.3.59.1.1 (01-17-2023) Background",
            (
                "(1) The Business Master file on-line system provides read-only access to accounts on the "
                "Business Master File"
            ),
            "2.3.59.1.3 (01-17-2023) Responsibilities or Roles and Responsibilities",
            "(1) Applications Development is responsible for maintenance of the command codes.",
            "2.3.59.1.4 (01-17-2023) Program Management and Review",
            "(2) Program Effectiveness: N/A",
            "2.3.59.5 (01-16-2020) Restoring RRR Tax Modules to Master File",
            "(1) Recoverable Retention Register (RRR) tax modules",
            "2.3.59.6 (07-01-2019) Command Code BMFOL Full Input Formats",
            "(1) Summary of Full Input Formats:",
        ),
    ),
    Expected(
        _MANUAL,
        "broken words",
        order("monitor status of Section 965 Installments", "date, some schedules, codes, exemptions, amounts"),
    ),
    Expected(
        _CLASS,
        "code",
        code(
            "\\documentclass{llncs}\n\n\\begin{document}\n  <Your contribution>\n\\end{document}",
            (
                "\\author{First Author\\inst{1}\\orcidID{0000-1111-2222-3333} \\and\nSecond "
                "Author\\inst{2,3}\\orcidID{1111-2222-3333-4444}}"
            ),
            (
                "\\institute{<name of an institute>\n\\and <name of the next institute>\n\\and <name of the next "
                "institute>}"
            ),
            "\\begin{abstract}\n<Text of the summary of your paper>\n\\end{abstract}",
        ),
    ),
    Expected(
        _CLASS,
        "order",
        order(
            "document class by replacing \\documentclass{article} with \\documentclass{llncs}",
            "If your reference reads \\bibitem[2016]{vdaalst:2016}",
            "and is cited as follows: ... is shown by van der Aalst (\\cite{vdaalst:2016}) the resulting text will be:",
            (
                "We encourage you to use BibTEX for typesetting your references. For formatting the bibliography "
                "according to"
            ),
        ),
    ),
    Expected(
        "pdf/layout-parser-paper-fast.pdf", "marks", order("Zejiang Shen[1]", "Ruochen Zhang[2]", "Weining Li[5]")
    ),
    Expected("real/pdf/testOptionalHyphen.pdf", "soft hyphens", order("optionalhyphen")),
)


def run() -> Table:
    """Read the files; none without the test data."""
    results: dict[str, dict[str, list[tuple[str, bool]]]] = {}
    read: dict[str, tuple[Document, bytes]] = {}
    for one in EXPECTED:
        path = TESTDATA / one.path
        if not path.exists():
            continue
        if one.path not in read:
            read[one.path] = parse(path.read_bytes(), path.name), path.read_bytes()
        results.setdefault(one.path, {})[one.kind] = list(one.check(*read[one.path]))
    files = sorted((_row(path, kinds) for path, kinds in results.items()), key=lambda pair: pair[0])
    share = mean(one for one, _ in files) if files else 0.0
    mean_row = Row(f"mean of {len(files)} files", "", "", f"{share:.0%}", f"≥ {TARGET:.0%}", share >= TARGET)
    missed = [
        f"{Path(path).name}, {what}"
        for path, kinds in results.items()
        for outcomes in kinds.values()
        for what, right in outcomes
        if not right
    ]
    notes = ["Each share is the mean of what is counted beside it; worst file first."]
    if missed:
        more = f" and {len(missed) - _NAMED} more" if len(missed) > _NAMED else ""
        notes.append(f"Not met: {'; '.join(dict.fromkeys(missed[:_NAMED]))}{more}.")
    if not results:
        notes.append("The test data are not here: nothing was read.")
    return Table("Detail of PDFs", [*(row for _, row in files), *([mean_row] if files else [])], notes)


def _row(path: str, kinds: dict[str, list[tuple[str, bool]]]) -> tuple[float, Row]:
    """Return a file's row, and its mean share over kinds, to sort by."""
    shares = [sum(right for _, right in results) / max(len(results), 1) for results in kinds.values()]
    share = sum(shares) / len(shares)
    counted = ", ".join(
        f"{kind} {sum(right for _, right in results):,} of {len(results):,}" for kind, results in kinds.items()
    )
    return share, Row(Path(path).name, counted, "", f"{share:.0%}")


if __name__ == "__main__":
    print(run().markdown())
