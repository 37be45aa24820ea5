"""Sections of PDFs: are bookmarks placed where they lead, and are headings found without them?

python -m benchmarks.headings

Over PDFs made in many layouts (a third of them held out: nothing was tuned on those) and the PDFs of `../shared` that
have bookmarks. For the second question the same files are read with their bookmarks hidden; of the real ones those
count whose bookmarks are good (`real_headings.py`), each file with its own row, the worst first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from benchmarks.extraction import pdf_characters
from benchmarks.reading import best, long_pdf
from benchmarks.real_headings import parse_hidden, real_score
from benchmarks.report import Row, Table
from chunking.model import BlockType, Document
from chunking.parsing import parse
from chunking.parsing.formats.pdf.headings.bookmarks import read_bookmarks
from chunking.parsing.headings.heading_labels import squeezed
from tests.parsing.formats.pdf.made.pdf_files import Made, layouts, make_pdf

SHARED = Path(__file__).parents[2] / "shared"
TESTDATA = SHARED / "testdata" / "pdf"
PLACED = 0.98
REAL = 0.9
"""Targets for real files: mean recall of bookmark titles, and mean share under the right parent."""
READING = 2.5
"""Maximum time of reading, relative to pdfium's characters."""
FOUND = 0.75
AFTER = 10
"""Letters of the text under a heading that must follow it."""


@dataclass(frozen=True, slots=True)
class Score:
    """Headings found in one file, compared with its bookmarks."""

    name: str
    right: int
    wrong: tuple[str, ...]
    missed: tuple[str, ...]

    @property
    def counts(self) -> tuple[int, int, int]:
        """Return the numbers of right, wrong and missed headings."""
        return self.right, len(self.wrong), len(self.missed)

    @property
    def f1(self) -> float:
        return 2 * self.right / max(2 * self.right + len(self.wrong) + len(self.missed), 1)


def run() -> Table:
    """Read every file twice: with bookmarks, and without."""
    files = [make_pdf(layout) for layout in layouts()]
    held_out_names = {layout.name for layout in layouts(held_out=True)}
    entries = sum(len(file.entries) for file in files)
    lost = sum(len(misplaced(file, parse(file.data, f"{file.layout.name}.pdf"))) for file in files)
    real, unplaced = testdata_entries()
    scores = [hidden(file) for file in files]
    tuned = [score for score in scores if score.name not in held_out_names]
    kept = [score for score in scores if score.name in held_out_names]
    rows = [
        placed_row(f"bookmarks that become sections at their place, {len(files)} made PDFs", entries - lost, entries),
        placed_row("the same, PDFs of testdata", real - len(unplaced), real),
        found_row("headings without bookmarks, layouts they were tuned on", tuned),
        found_row("the same, layouts held out", kept),
        found_row("the same, all", scores),
        *real_rows(),
    ]
    worst = sorted(scores, key=lambda score: score.f1)[:3]
    notes = [
        "Right: the section starts on the bookmark's page with the heading's words, and the text under it follows.",
        "Real files, bookmarks hidden: recall is of the titles that are printed where their bookmarks lead; the parent "
        "is the one of the bookmarks (in a flat outline that of the numbers). The times are of CPU, the best of three "
        "turns.",
        f"Lowest F1: {', '.join(f'{score.name} {score.f1:.2f}' for score in worst)}.",
    ]
    return Table("Sections of PDFs", rows, notes)


def placed_row(what: str, placed: int, entries: int) -> Row:
    share = placed / max(entries, 1)
    return Row(what, f"{placed} of {entries}", "", f"{share:.1%}", f"≥ {PLACED:.0%}", share >= PLACED)


def found_row(what: str, scores: Sequence[Score]) -> Row:
    f1 = mean(score.f1 for score in scores)
    right, wrong, missed = (sum(counts) for counts in zip(*(score.counts for score in scores), strict=True))
    counted = f"{right} right, {wrong} wrong, {missed} missed in {len(scores)} files"
    return Row(what, counted, "", f"mean F1 {f1:.2f}", f"≥ {FOUND}", f1 >= FOUND)


def real_rows() -> list[Row]:
    """Return a row per real file with good bookmarks, worst first, after the means and the reading costs."""
    paths = sorted(path for path in SHARED.rglob("*.pdf")) if SHARED.exists() else []
    scores = [(path, score) for path in paths if (score := real_score(path))]
    if not scores:
        return []
    scores.sort(key=lambda one: one[1].recall + one[1].right_parent)
    recall, parents = (
        mean(share) for share in zip(*((one.recall, one.right_parent) for _, one in scores), strict=True)
    )
    count = f"mean of {len(scores)} real files"
    rows = [
        Row("titles of bookmarks found without bookmarks", count, "", f"{recall:.2f}", f"≥ {REAL}", recall >= REAL),
        Row("of these, under the right parent", count, "", f"{parents:.2f}", f"≥ {REAL}", parents >= REAL),
    ]
    for _, one in scores:
        what = f"{one.found} of {one.wanted} printed titles of {one.bookmarks}; {one.headings} headings in all"
        rows.append(Row(f"· {one.name}", what, "", f"recall {one.recall:.2f}, parent {one.right_parent:.2f}", "", None))
    longest = max((path for path, _ in scores), key=lambda path: path.stat().st_size)
    return [
        *rows,
        _reading_row("reading a made report of 100 pages", long_pdf(100)),
        _reading_row(f"reading {longest.stem}", longest.read_bytes()),
    ]


def _reading_row(what: str, data: bytes) -> Row:
    """Compare the time of reading without bookmarks with that of pdfium's characters alone."""
    ours, bare = best(lambda: parse_hidden(data, "a.pdf"), lambda: sum(1 for _ in pdf_characters(data)))
    return Row(
        what,
        f"{ours:.1f} s",
        f"pdfium's characters with boxes, {bare:.1f} s",
        f"{ours / bare:.2f} ×",
        f"≤ {READING} ×",
        ours <= READING * bare,
    )


def misplaced(file: Made, document: Document) -> list[str]:
    """Return the bookmarks without a section where they lead."""
    places = Counter((page, heading, after) for page, heading, after in _sections(document))
    lost = []
    for entry in file.entries:
        place = (entry.page, squeezed(entry.heading), squeezed(entry.after)[:AFTER])
        fits = next(
            (one for one in places if one[:2] == place[:2] and one[2].startswith(place[2]) and places[one]), None
        )
        if fits is None:
            lost.append(entry.title)
        else:
            places[fits] -= 1
    return lost


def _sections(document: Document) -> Iterable[tuple[int | None, str, str]]:
    """Yield page, heading and following text of each heading, without spaces."""
    for block in document.blocks:
        if block.type is BlockType.HEADING:
            yield (
                block.page,
                squeezed(document.text[block.start : block.end]),
                squeezed(document.text[block.end : block.end + 200]),
            )


def hidden(file: Made) -> Score:
    """Score the headings found with hidden bookmarks; headings without a bookmark are not counted."""
    document = parse(without_bookmarks(file.data), f"{file.layout.name}.pdf")
    expected = Counter((entry.page, squeezed(entry.heading)) for entry in file.entries)
    neutral = set(map(squeezed, file.neutral))
    right, wrong = 0, []
    for page, heading, _ in _sections(document):
        place = (page or 0, heading)
        if expected[place] > 0:
            expected[place] -= 1
            right += 1
        elif heading not in neutral:
            wrong.append(f"page {page}: {heading}")
    missed = [f"page {page}: {heading}" for (page, heading), count in expected.items() for _ in range(count)]
    return Score(file.layout.name, right, tuple(wrong), tuple(missed))


def without_bookmarks(data: bytes) -> bytes:
    """Rename a file's outline so that readers do not find it."""
    return data.replace(b"/Outlines", b"/Outlinez")


def testdata_entries() -> tuple[int, list[str]]:
    """Return the bookmarks of the test data's PDFs, and those without a section on their page."""
    import pypdfium2

    count, lost = 0, []
    for path in sorted(TESTDATA.glob("*.pdf")):
        data = path.read_bytes()
        try:
            bookmarks = read_bookmarks(pypdfium2.PdfDocument(data))
        except pypdfium2.PdfiumError:
            continue
        if not bookmarks:
            continue
        places = {(page, heading) for page, heading, _ in _sections(parse(data, path.name))}
        count += len(bookmarks)
        expected = [(one.page, squeezed(one.title)) for one in bookmarks]
        lost += [
            title
            for number, title in expected
            if not any(page == number and title in heading for page, heading in places)
        ]
    return count, lost


if __name__ == "__main__":
    print(run().markdown())
