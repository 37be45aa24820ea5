"""Bookmarks: what is read of them, where they lead, and the lines they come to name."""

from __future__ import annotations

from collections.abc import Callable

import pypdfium2
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from chunking.model import BlockType, Document
from chunking.parsing.formats.pdf.headings.bookmarks import Bookmark, match_bookmarks, place_bookmark, read_bookmarks
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine
from chunking.parsing.headings.heading_labels import squeezed
from tests.parsing.formats.pdf.drawing import by_hand, draw_pdf, read, testdata
from tests.support.laws_documents import check

BODY, HEAD = 10.0, 14.0


def line(text: str, top: float, *, page: int = 1, size: float = BODY, bold: bool = False, lead: int = 0) -> PdfLine:
    """A line from the left margin."""
    return PdfLine(
        text,
        page,
        (0.1, top, 0.1 + 0.008 * len(text), top + 0.015),
        size,
        bold,
        "Times-Bold" if bold else "Times",
        lead=lead,
    )


def head(text: str, top: float, **more: int) -> PdfLine:
    return line(text, top, size=HEAD, bold=True, **more)


def mark(title: str, top: float | None = None, *, level: int = 1, page: int = 1) -> Bookmark:
    return Bookmark(title, level, page, None, top)


def titles(bookmarks: list[Bookmark], lines: list[PdfLine]) -> list[tuple[str, int]]:
    """Words and level of the headings that bookmarks name."""
    outline = []
    for heading in match_bookmarks(bookmarks, lines):
        parts = [one.text for one in lines[heading.first : heading.after]]
        if heading.stop is not None:
            parts[-1] = parts[-1][: heading.stop]
        outline.append((" ".join(parts).strip(), heading.level))
    return outline


TEXT = [line("Some text goes on here, as it does on any page.", top / 100) for top in range(20, 30, 2)]


class TestReading:
    """`read_bookmarks` and `place_bookmark`."""

    def page(self, target: Callable[[Canvas], None], **more: float) -> Bookmark:
        """The one bookmark of a file, placed."""

        def draw(canvas: Canvas) -> None:
            if more:
                canvas.setPageRotation(int(more["rotation"]))
            canvas.drawString(100, 500, "Aims")
            target(canvas)
            canvas.addOutlineEntry("Aims", "aims", 0)

        pdf = pypdfium2.PdfDocument(draw_pdf(draw))
        (bookmark,) = read_bookmarks(pdf)
        return place_bookmark(bookmark, pdf[0])

    @pytest.mark.parametrize("fit", ["XYZ", "FitH", "FitR"])
    def test_its_place_is_a_share_of_the_page(self, fit: str) -> None:
        """Whatever kind of destination it is."""
        bookmark = self.page(
            lambda canvas: canvas.bookmarkPage("aims", fit=fit, left=100, top=500, right=200, bottom=400)
        )
        assert (bookmark.title, bookmark.level, bookmark.page) == ("Aims", 1, 1)
        assert bookmark.top == pytest.approx(1 - 500 / A4[1], abs=1e-3)
        assert bookmark.left == (None if fit == "FitH" else pytest.approx(100 / A4[0], abs=1e-3))

    def test_a_whole_page_is_no_place_on_it(self) -> None:
        """Nor is a destination without coordinates."""
        bookmark = self.page(lambda canvas: canvas.bookmarkPage("aims"))
        assert (bookmark.page, bookmark.left, bookmark.top) == (1, None, None)

    def test_on_a_page_shown_turned(self) -> None:
        """Shares are of the page as it is shown: what is up in the file is to the right when it is turned by 90
        degrees.
        """
        bookmark = self.page(lambda canvas: canvas.bookmarkPage("aims", fit="FitH", top=500), rotation=90)
        assert bookmark.top is None
        assert bookmark.left == pytest.approx(500 / A4[0], abs=1e-3)  # reportlab turns the paper, too

    @pytest.mark.parametrize("link", ["/First 4 0 R", "/Next 4 0 R", "/Next 4 0 R /First 4 0 R"])
    def test_a_loop_is_walked_once(self, link: str) -> None:
        """An outline that leads back to itself ends."""
        data = by_hand(
            [
                "<< /Type /Catalog /Pages 2 0 R /Outlines 5 0 R >>",
                "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>",
                f"<< /Title (Round) /Parent 5 0 R /Dest [3 0 R /Fit] {link} >>",
                "<< /First 4 0 R /Last 4 0 R >>",
            ]
        )
        assert [(one.title, one.page) for one in read_bookmarks(pypdfium2.PdfDocument(data))] == [("Round", 1)]

    def test_those_that_lead_nowhere_are_left_out(self) -> None:
        """A page that is not there, a name that is not there, no destination, no title."""
        entries = ["/Dest [9 0 R /Fit]", "/Dest (nowhere)", "", "/Dest [3 0 R /Fit]"]
        data = by_hand(
            [
                "<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>",
                "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>",
                "<< /First 5 0 R /Last 8 0 R >>",
                *(
                    f"<< /Title ({'ABC'[n : n + 1]}) /Parent 4 0 R {text} /Next {6 + n} 0 R >>"
                    for n, text in enumerate(entries)
                ),
            ]
        )
        assert read_bookmarks(pypdfium2.PdfDocument(data)) == []

    def test_a_deep_outline_ends(self) -> None:
        """A thousand entries, each in the one before."""
        count = 1000
        entries = [f"<< /Title (T{n}) /Dest [3 0 R /Fit] /First {6 + n} 0 R >>" for n in range(count)]
        data = by_hand(
            [
                "<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>",
                "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>",
                "<< /First 5 0 R >>",
                *entries,
                "<< /Title (end) >>",
            ]
        )
        assert len(read_bookmarks(pypdfium2.PdfDocument(data))) == 15


class TestMatching:
    """`match_bookmarks`."""

    @pytest.mark.parametrize(
        ("title", "printed"),
        [
            ("1.2 Aims and scope", "1.2  Aims and scope"),
            ("Aims and scope", "1.2 Aims and scope"),
            ("1.2 Aims and scope", "Aims and scope"),
            ("AIMS AND SCOPE", "1.2. Aims and Scope"),
            ("8.2 warning", "8.2 warning"),
            ("warning", "8.2 warning"),
            ("第三章 总则", "第三章　总则"),
            ("总则", "第三章 总则"),
            ("Ｆｕｌｌ－ｗｉｄｔｈ", "Full-width"),
            ("Aims & scope", "Aims and scope"),
        ],
    )
    def test_wording_may_differ(self, title: str, printed: str) -> None:
        """In number, spaces, case, width, and a little in letters."""
        assert titles([mark(title, 0.1)], [head(printed, 0.1), *TEXT]) == [(printed, 1)]

    def test_a_title_over_two_lines(self) -> None:
        """Both are the heading."""
        lines = [head("1 On the narrow valve and", 0.1), head("its relation to the lantern", 0.12), *TEXT]
        assert titles([mark("1 On the narrow valve and its relation to the lantern", 0.1)], lines) == [
            ("1 On the narrow valve and its relation to the lantern", 1)
        ]

    @pytest.mark.parametrize("label", [["Chapter 3"], ["CHAPTER", "THREE"], ["第三章"]])
    def test_a_label_above_belongs_to_it(self, label: list[str]) -> None:
        """Whether the bookmark has it or not."""
        lines = [*(head(one, 0.1 + 0.03 * n) for n, one in enumerate(label)), head("Valves", 0.18), *TEXT]
        assert titles([mark("Valves", 0.1)], lines) == [(f"{' '.join(label)} Valves", 1)]

    def test_the_last_line_of_a_paragraph_is_no_label(self) -> None:
        """Even if it is a letter and a stop."""
        lines = [*TEXT, line("R.", 0.3), head("6.3 Debugging", 0.35), line("More text.", 0.4)]
        assert titles([mark("Debugging", 0.35)], lines) == [("6.3 Debugging", 1)]

    def test_the_nearest_of_several(self) -> None:
        """Two sections of one name on one page, each to its own."""
        lines = [head("Example", 0.1), TEXT[0], head("Example", 0.5), line("More text.", 0.6)]
        assert [one.first for one in match_bookmarks([mark("Example", 0.5)], lines)] == [2]
        assert [one.first for one in match_bookmarks([mark("Example", 0.1), mark("Example", 0.5)], lines)] == [0, 2]

    def test_without_a_place_the_one_that_looks_like_a_heading(self) -> None:
        """The same words stand in the text before."""
        lines = [line("Valves", 0.1), *TEXT, head("Valves", 0.5), line("More text.", 0.6)]
        assert [one.first for one in match_bookmarks([mark("Valves")], lines)] == [len(TEXT) + 1]

    def test_it_may_have_moved_to_the_next_page(self) -> None:
        """A bookmark at the foot of one page whose heading stands on the next."""
        lines = [*TEXT, head("Valves", 0.1, page=2), line("More text.", 0.2, page=2)]
        assert titles([mark("Valves", 0.95)], lines) == [("Valves", 1)]

    @pytest.mark.parametrize(
        ("text", "lead"),
        [
            ("Recall. The share of what was found.", 7),
            ("Recall The share of what was found", 6),
            ("Recall: a share", 0),
        ],
    )
    def test_a_run_in_heading_ends_in_its_line(self, text: str, lead: int) -> None:
        """Where its bold words end, or its mark."""
        (match,) = match_bookmarks([mark("Recall", 0.1)], [line(text, 0.1, lead=lead), *TEXT])
        assert text[: match.stop].rstrip(" .:") == "Recall"

    def test_words_at_the_beginning_of_a_sentence_are_none(self) -> None:
        """Nothing shows that a heading ends there."""
        assert titles([mark("Recall", 0.1)], [line("Recall is the share of what was found.", 0.1), *TEXT]) == []

    def test_another_wording_leads_to_a_line_that_looks_like_its_level(self) -> None:
        """And only to such a line."""
        lines = [
            head("Valves", 0.1),
            TEXT[0],
            head("Pumps and the like", 0.3),
            line("More text.", 0.4),
            line("And more.", 0.6),
        ]
        marks = [mark("Valves", 0.1), mark("The other machines", 0.29), mark("Figure of a pump", 0.59)]
        assert titles(marks, lines) == [("Valves", 1), ("Pumps and the like", 1)]

    def test_levels_are_counted_from_one_to_six(self) -> None:
        """What is left out between them closes up; the deepest share the sixth."""
        lines = [head(f"Part {'ABCDEFGH'[n]}", 0.1 * (n + 1)) for n in range(8)]
        marks = [mark(one.text, one.bbox[1], level=2 * n + 3) for n, one in enumerate(lines)]
        assert [level for _, level in titles(marks, lines)] == [1, 2, 3, 4, 5, 6, 6, 6]

    def test_squeezed_keeps_letters_and_digits(self) -> None:
        """In every script."""
        assert squeezed(" 第１章　“Ａims” – ﬁne ") == "第1章aimsfine"


def outline(document: Document) -> list[str]:
    return document.doc_toc.split("\n")


def test_a_real_file_with_bookmarks() -> None:
    """The sections are the author's."""
    document = read(testdata("bookmark_sample.pdf"))
    check(document)
    assert outline(document) == [
        "PART I - DEFINITIONS",
        "  1. Interpretation",
        "  2. Construction of Terms",
        "PART II - OBLIGATIONS",
        "  3. Payment Terms",
        "    3.1 Payment Schedule",
        "  4. Termination",
        "PART III - MISCELLANEOUS",
    ]


def test_one_bookmark_alone_is_not_all_there_is() -> None:
    """A paper whose only bookmark is its title has its sections too."""
    document = read(testdata("layout-parser-paper-fast.pdf"))
    headings = [document.text[block.start : block.end] for block in document.blocks if block.type is BlockType.HEADING]
    assert headings[0].startswith("LayoutParser: A Unified Toolkit")
    assert "1 Introduction" in headings
