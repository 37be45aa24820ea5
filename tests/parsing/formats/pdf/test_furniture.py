"""Running heads, feet and page numbers: found by what comes again, and never where it does not."""

from __future__ import annotations

from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine
from chunking.parsing.formats.pdf.pages.furniture import FOOTER, HEADER, PAGE_NUMBER, WATERMARK, find_furniture
from tests.parsing.formats.pdf.drawing import read, set_in_columns, testdata


def line(text: str, page: int, top: float, *, size: float = 10, angle: int = 0) -> PdfLine:
    """One of body text or furniture, at a height of its page."""
    return PdfLine(text, page, (0.1, top, 0.6, top + 0.015), size, False, "F", angle=angle)


def pages(count: int, head: list[str] | None = None, foot: list[str] | None = None) -> list[PdfLine]:
    """Pages of text that differs, with a head and a foot for each."""
    lines = []
    for page in range(1, count + 1):
        if head and head[page - 1]:
            lines.append(line(head[page - 1], page, 0.04))
        lines += [
            line(f"words {'abcdefghijklmnopqrstuvwxyz'[(page * 7 + n) % 26] * 3} of page and row", page, 0.1 + 0.02 * n)
            for n in range(35)
        ]
        if foot and foot[page - 1]:
            lines.append(line(foot[page - 1], page, 0.95))
    return lines


def furniture(lines: list[PdfLine], count: int) -> dict[str, str]:
    """Texts of the furniture and why each is."""
    return {lines[index].text: reason for index, reason in find_furniture(lines, count).items()}


def test_heads_feet_and_numbers() -> None:
    """The same text on every page, the same but for the page's number, the number alone (Roman first, then Arabic)."""
    numbers = ["ii", "iii", "iv", *(str(n) for n in range(1, 8))]
    lines = pages(10, ["The Manual"] * 10, numbers)
    assert furniture(lines, 10) == {"The Manual": HEADER, **dict.fromkeys(numbers, PAGE_NUMBER)}
    feet = [f"Draft of May – page {n} of 6" for n in range(1, 7)]
    assert furniture(pages(6, None, feet), 6) == dict.fromkeys(feet, FOOTER)
    chinese = [f"第 {n} 页 共 6 页" for n in range(1, 7)]
    assert set(furniture(pages(6, None, chinese), 6).values()) == {PAGE_NUMBER}


def test_odd_and_even_pages_alternate() -> None:
    """The book's name on the left, the chapter's on the right."""
    heads = [f"{page} The Book" if page % 2 else f"Chapter on Rain {page}" for page in range(1, 13)]
    assert furniture(pages(12, heads), 12) == dict.fromkeys(heads, HEADER)


def test_heads_that_change_with_the_chapter() -> None:
    """Each stands on some pages in a row only; the first page of each has none."""
    heads = [name if page % 6 else "" for name in ("Rain", "Snow", "Hail") for page in range(6)]
    assert furniture(pages(18, heads), 18) == dict.fromkeys(("Rain", "Snow", "Hail"), HEADER)


def test_heads_that_name_a_section_a_page() -> None:
    """They come only once each, but in one place, and say what a heading says."""
    names = ["Rivers of the north", "Lakes", "Seas and straits", "Springs", "Wells of old towns", "Canals"]
    lines = pages(6, names)
    assert not furniture(lines, 6)
    headings = [line(f"{n + 1}. {name}", n + 1, 0.5, size=14) for n, name in enumerate(names)]
    assert furniture(sorted([*lines, *headings], key=lambda one: (one.page, one.bbox[1])), 6) == dict.fromkeys(
        names, HEADER
    )


def test_first_lines_and_numbered_titles_are_no_furniture() -> None:
    """Text begins at the same height on every page; slides are called Step 1, Step 2 ...; figures end a table's last
    row.
    """
    assert not furniture(pages(8), 8)
    titles = [f"Step {n}" for n in (3, 1, 4, 1, 5, 9, 2, 6)]
    assert not furniture(pages(8, titles), 8)
    figures = ["17", "4", "230", "8", "51", "9", "77", "12"]
    assert not furniture(pages(8, None, figures), 8)


def test_a_sentence_that_the_text_repeats_is_none() -> None:
    """It stands under other lines: furniture has nothing but furniture between it and the edge."""
    lines = pages(5, [f"Part {'ABCDE'[n]}" for n in range(5)])
    lines += [line("This clause is the same on every page.", page, 0.07) for page in range(1, 6)]
    assert not furniture(sorted(lines, key=lambda one: (one.page, one.bbox[1])), 5)


def test_short_documents_have_little_furniture() -> None:
    """On one page nothing is; on two only what both have, the page's number apart."""
    assert not furniture(pages(1, ["Invoice"], ["1"]), 1)
    assert furniture(pages(2, ["Invoice", "Invoice"], ["Page 1", "Page 2"]), 2) == {
        "Invoice": HEADER,
        "Page 1": PAGE_NUMBER,
        "Page 2": PAGE_NUMBER,
    }
    assert not furniture(pages(2, ["Invoice", "Terms"]), 2)


def test_heads_of_even_pages_in_a_short_document() -> None:
    """Four pages, the second and fourth with the same head; the same words on the first and fourth are none."""
    assert furniture(pages(4, ["", "Issue and argument"] * 2), 4) == {"Issue and argument": HEADER}
    assert not furniture(pages(4, ["Issue and argument", "", "", "Issue and argument"]), 4)


def test_skewed_text_on_several_pages_is_furniture() -> None:
    """Skewed text on several pages."""
    lines = pages(3) + [line("DRAFT", page, 0.5, size=60, angle=45) for page in (1, 3)]
    assert furniture(lines, 3) == {"DRAFT": WATERMARK}
    assert not furniture([*pages(3), line("45 degrees", 2, 0.5, angle=45)], 3)


def test_furniture_stands_at_the_end_with_its_places() -> None:
    """It belongs to no block, but its text and places are kept."""

    def each_page(canvas, number):  # type: ignore[no-untyped-def]
        canvas.drawString(60, 810, "Handbook of Gauges")
        canvas.drawCentredString(297, 30, str(number))

    sentence = "Every gauge is read at noon and its value is written down before the next one is read. "
    document = read(set_in_columns([sentence * 9 + f"Number {n}." for n in range(30)], each_page=each_page))
    assert document.page_count > 2
    reasons = [span.reason for span in document.left_out]
    assert reasons.count(HEADER) == reasons.count(PAGE_NUMBER) == document.page_count
    assert "Handbook" not in document.text[: document.blocks[-1].end]
    for span in document.left_out:
        places = document.locations_in(span.start, span.end)
        assert len(places) == 1
        assert places[0].bbox is not None


def test_running_heads_of_a_real_document_are_left_out() -> None:
    """`Sample Agreement — page 1` and so on; the sentence that each page repeats in one place stays."""
    document = read(testdata("bookmark_sample.pdf"))
    assert [document.text[span.start : span.end] for span in document.left_out] == [
        f"Sample Agreement — page {n}" for n in (1, 2, 3)
    ]
    assert document.text.count("It ex ists so the page has body text") == 8


def test_a_head_of_nothing_but_signs_takes_no_time() -> None:
    """A line of dots is no page number, and is not tried as one."""
    assert set(furniture(pages(6, ["." * 50_000] * 6), 6).values()) == {HEADER}


def test_feet_of_parts_that_change_sides() -> None:
    """A manual's: catalogue number, name and section, in turned order on even pages; the section is another on nearly
    every one.
    """
    lines = pages(12)
    for page in range(1, 13):
        parts = ["Cat. No. 28171E (12-12-2022)", "Internal Revenue Manual", f"Exhibit 2.3.59-{page // 2 * 7}"]
        parts = parts if page % 2 else parts[::-1]
        stops = (len(parts[0]) + 1, len(parts[0]) + len(parts[1]) + 2)
        foot = PdfLine(" ".join(parts), page, (0.1, 0.94, 0.9, 0.955), 10, False, "F", gaps=(0.3, 0.6), stops=stops)
        lines += [foot, line("Any line marked with a # is for official use", page, 0.957)]
    reasons = find_furniture(lines, 12)
    assert set(reasons.values()) == {FOOTER}
    assert len(reasons) == 24


def test_rows_of_a_table_at_the_foot_are_no_feet() -> None:
    """Cells that come again on many pages, under others of their table and set as these are."""
    lines = pages(8)
    for page in range(1, 9):
        for n in range(6):
            text = f"{page * 6 + n} Transaction date Present on posted returns"
            lines.append(
                PdfLine(
                    text,
                    page,
                    (0.1, 0.84 + 0.02 * n, 0.9, 0.855 + 0.02 * n),
                    10,
                    False,
                    "F",
                    gaps=(0.2, 0.5),
                    stops=(3, 20),
                )
            )
    assert not find_furniture([one for one in lines if one.bbox[1] > 0.2], 8)
