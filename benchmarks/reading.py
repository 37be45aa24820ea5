"""Parsing: lost text, cost relative to bare libraries, and the outcome of every file of the test data.

Loss is counted against `extraction.py`. Left-out text stands in a document's text and is therefore not lost. CPU time
is that of this process, the best of three turns taken alternately; memory is that of a process of its own.
"""

from __future__ import annotations

import gc
import io
import subprocess
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.extraction import EXTRACTIONS, lost, pdf_characters
from benchmarks.report import Row, Table
from chunking.errors import ParseError
from chunking.parsing import parse

ROOT = Path(__file__).parent.parent
TESTDATA = ROOT.parent / "shared" / "testdata"
HANDBOOK = TESTDATA / "docx" / "handbook-872p.docx"
DUCK = TESTDATA / "html" / "wiki_duck.html"

_MOST_LOST = 0.005
_LINE = "The sensor reports its values every ten minutes and keeps them for a week where no gateway is near. "
_PDF_PAGES = 600
_PARTITIONS = {".html": "html", ".docx": "docx", ".pptx": "pptx"}
"""Modules of unstructured by format."""


def run() -> Table:
    """Measure all formats; without the test data only the generated files."""
    rows = [*_losses(), *_costs(), _memory(), *_beside_unstructured()]
    notes = [
        "Characters as a bag, without white space; reading is the whole way from bytes to a document.",
        "What .pptx loses is the headers and footers on the notes pages of one file.",
    ]
    if not TESTDATA.exists():
        notes.append("The test data are not here: only generated files were read.")
    return Table("Reading: what is lost, and what it costs", rows, notes)


def _files(ending: str) -> Iterator[Path]:
    if TESTDATA.exists():
        yield from sorted(TESTDATA.rglob(f"*{ending}"))


def _readable(ending: str) -> Iterator[tuple[Path, str]]:
    """Yield the files with text, and their parsed text."""
    for path in _files(ending):
        try:
            yield path, parse(path.read_bytes(), path.name).text
        except ParseError as error:
            print(f"not in the table: {error}", file=sys.stderr)


def _losses() -> Iterator[Row]:
    """Yield a row per format."""
    for ending, extract in EXTRACTIONS.items():
        missing, total, files = 0, 0, 0
        for path, ours in _readable(ending):
            independent = extract(path.read_bytes())
            if "\ufffd" in independent:  # read in a wrong encoding, it is no measure
                continue
            gone, all_of_it = lost(independent, ours)
            files, missing, total = files + 1, missing + gone, total + all_of_it
        if files:
            target = 0.0 if ending == ".md" else _MOST_LOST
            share, what = missing / total, f"text lost, {ending} ({files} files)"
            yield Row(
                what, f"{missing:,} of {total:,} characters", "", f"{share:.2%}", f"≤ {target:.1%}", share <= target
            )


def _beside_unstructured() -> Iterator[Row]:
    """Yield a row per format that unstructured reads without pandoc or a download."""
    for ending in _PARTITIONS:
        texts = dict(_readable(ending))
        paths = list(texts)
        if not paths:
            continue
        total = theirs_lost = ours_lost = 0
        for path in paths:
            independent = EXTRACTIONS[ending](path.read_bytes())
            total += len("".join(independent.split()))
            ours_lost += lost(independent, texts[path])[0]
            theirs_lost += lost(independent, _theirs(path))[0]
        ours, theirs = best(
            lambda paths=paths: [parse(path.read_bytes(), path.name) for path in paths],
            lambda paths=paths: [_theirs(path) for path in paths],
        )
        what = f"the same {ending} files beside unstructured, CPU"
        ours_said, theirs_said = (
            f"{ours:.2f} s, {ours_lost / total:.2%} lost",
            f"{theirs:.2f} s, {theirs_lost / total:.2%} lost",
        )
        yield Row(what, ours_said, theirs_said, f"{theirs / ours:.1f} × its speed")


def _theirs(path: Path) -> str:
    """Return the text that unstructured reads, tables included."""
    import importlib

    from chunking.parsing.parsers.unstructured_reader import prepare_readers

    prepare_readers()
    partition = importlib.import_module(f"unstructured.partition.{_PARTITIONS[path.suffix]}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its guesses of encodings
        elements = getattr(partition, f"partition_{_PARTITIONS[path.suffix]}")(filename=str(path))
    return "\n".join(element.text or "" for element in elements)


def _costs() -> Iterator[Row]:
    pdf = long_pdf(_PDF_PAGES // 6)
    yield _cost(
        "PDF of 100 pages, CPU",
        pdf,
        "long.pdf",
        lambda: sum(1 for _ in pdf_characters(pdf)),
        "pdfium's characters with boxes",
        2.5,
    )
    if TESTDATA.exists():
        duck = DUCK.read_bytes()
        page = b"<html><body>" + duck[duck.index(b"<body") : duck.rindex(b"</body")] * 20 + b"</body></html>"
        yield _cost("HTML of 5 MB, CPU", page, "duck.html", lambda: _lxml(page), "lxml's parse and text", 2.5)
        word = HANDBOOK.read_bytes()
        yield _cost("Word file of 872 pages, CPU", word, HANDBOOK.name, lambda: _mammoth(word), "mammoth alone", 2.0)


def _cost(what: str, data: bytes, name: str, bare: Callable[[], object], against: str, target: float) -> Row:
    ours, theirs = best(lambda: parse(data, name), bare)
    ratio = ours / theirs
    return Row(what, f"{ours:.2f} s", f"{against}, {theirs:.2f} s", f"{ratio:.1f} ×", f"≤ {target} ×", ratio <= target)


def best(*works: Callable[[], object]) -> list[float]:
    """Return the least CPU seconds of each function, over three turns after a warm-up.

    Objects of earlier measurements are frozen, as the server freezes those of its start: the garbage collector would
    scan them during the work that creates more objects, at that work's cost.
    """
    times: dict[int, list[float]] = defaultdict(list)
    gc.collect()
    gc.freeze()
    try:
        for turn in range(4):
            for number, work in enumerate(works):
                start = time.process_time()
                work()
                if turn:
                    times[number].append(time.process_time() - start)
    finally:
        gc.unfreeze()
    return [min(times[number]) for number in range(len(works))]


def _lxml(data: bytes) -> int:
    from lxml import html

    return len(html.document_fromstring(data).text_content())


def _mammoth(data: bytes) -> int:
    import mammoth

    def nothing(image: object) -> dict[str, str]:
        return {"src": ""}

    return len(mammoth.convert_to_html(io.BytesIO(data), convert_image=mammoth.images.img_element(nothing)).value)


def _memory() -> Row:
    """Compare the peak memory of reading 600 pages with the bare library's."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "long.pdf")
        path.write_bytes(long_pdf(_PDF_PAGES))
        ours, bare = (_peak(code, path) for code in ("parse(data, 'long.pdf')", "sum(1 for _ in pdf_characters(data))"))
    overhead = ours - bare
    what, against = f"PDF of {_PDF_PAGES} pages, memory", f"pdfium's characters, {bare:.0f} MB"
    return Row(what, f"{ours:.0f} MB", against, f"{overhead:+.0f} MB", "≤ +300 MB", overhead <= 300)


def _peak(code: str, path: Path) -> float:
    """Return the peak megabytes of a process that runs the code; `ru_maxrss` would include the parent's."""
    lines = (
        "import re, sys",
        "from pathlib import Path",
        "from benchmarks.extraction import pdf_characters",
        "from chunking.parsing import parse",
        "data = Path(sys.argv[1]).read_bytes()",
        code,
        "print(int(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1]) / 1024)",
    )
    command = [sys.executable, "-c", "\n".join(lines), str(path)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout)


def long_pdf(pages: int) -> bytes:
    """Return a report with running heads, numbered headings and paragraphs over page breaks."""
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate

    styles = getSampleStyleSheet()
    story = []
    for number in range(1, pages + 1):
        story.append(Paragraph(f"{number} Sensors of group {number}", styles["Heading1"]))
        story += [Paragraph(_LINE * 5, styles["BodyText"]) for _ in range(8)]
    out = io.BytesIO()

    def head(canvas: object, _: object) -> None:
        canvas.drawString(72, 800, "Report on sensors")  # type: ignore[attr-defined]

    SimpleDocTemplate(out, pagesize=(595, 842)).build(story, onFirstPage=head, onLaterPages=head)
    return out.getvalue()


if __name__ == "__main__":
    print(run().markdown())
