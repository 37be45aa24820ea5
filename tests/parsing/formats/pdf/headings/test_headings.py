"""Headings of PDFs without bookmarks: what is one, what is none, and on which level."""

from __future__ import annotations

from statistics import mean

import pytest

from benchmarks.headings import FOUND, PLACED, hidden, misplaced, without_bookmarks
from chunking.model import BlockType
from chunking.parsing.formats.pdf.headings.bookmarks import Bookmark, BookmarkedHeading
from chunking.parsing.formats.pdf.headings.contents_pages import read_contents
from chunking.parsing.formats.pdf.headings.heading_rules import RunningHeads
from chunking.parsing.formats.pdf.headings.pdf_headings import find_headings, heading_levels, headings_of
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine
from chunking.parsing.headings.evidence import Evidence
from tests.parsing.formats.pdf.drawing import read
from tests.parsing.formats.pdf.made.pdf_files import layouts, make_pdf
from tests.parsing.formats.pdf.made.pdf_layouts import Layout
from tests.support.laws_documents import check
from tests.support.pdf_text import LOST, lost_share

PITCH, HEIGHT = 0.016, 0.013
WIDE = "The annual valve records the quiet harbour while a gauge covers the narrow window of the"
END = "northern station, and nobody minds."


class Sheet:
    """Lines set one under the other, on one page after another."""

    def __init__(self) -> None:
        self.lines: list[PdfLine] = []
        self.page, self.top = 1, 0.1

    def line(
        self,
        text: str,
        size: float = 10,
        *,
        bold: bool = False,
        font: str = "Times",
        space: float = 0.0,
        left: float = 0.1,
        **more: object,
    ) -> Sheet:
        self.top += space * PITCH
        height = HEIGHT * size / 10
        right = left + 0.009 * len(text) * size / 10
        box = (left, self.top, min(right, 0.9), self.top + height)
        self.lines.append(PdfLine(text, self.page, box, size, bold, font, **more))  # type: ignore[arg-type]
        self.top += height + PITCH - HEIGHT
        return self

    def text(self, paragraphs: int = 1) -> Sheet:
        for _ in range(paragraphs):
            self.line(WIDE, space=0.5).line(WIDE).line(END)
        return self

    def turn(self) -> Sheet:
        self.page, self.top = self.page + 1, 0.1
        return self

    def headings(self) -> list[tuple[str, int]]:
        """Words and level of each that is found."""
        headings = find_headings(self.lines)
        return [(" ".join(line.text for line in self.lines[one.first : one.after]), one.level) for one in headings]


class TestWhatStandsOut:
    """`find_headings`."""

    def test_larger_text_is_a_heading_of_a_higher_level(self) -> None:
        """Larger text, larger levels."""
        sheet = (
            Sheet().line("Valves", 16).text().line("Their care", 13, space=1).text().line("Pumps", 16, space=1).text()
        )
        assert sheet.headings() == [("Valves", 1), ("Their care", 2), ("Pumps", 1)]

    def test_bold_lines_with_space_above_are_headings(self) -> None:
        """Bold lines of the body's size with space above."""
        sheet = (
            Sheet()
            .text()
            .line("Valves and pumps", bold=True, font="Bold", space=1)
            .text(2)
            .line("Their care", bold=True, font="Bold", space=1)
            .text()
        )
        assert sheet.headings() == [("Valves and pumps", 1), ("Their care", 1)]

    def test_by_number_alone(self) -> None:
        """Set as the body is, even without space: all of a kind."""
        sheet = Sheet().text()
        for title in ("一、总则与范围", "二、仪器的检查", "三、记录的保存"):
            sheet.line(title).line(
                "本规定所称仪器，是指用于测量温度与湿度的一切专用设备，由各单位的专人负责保管，并且应当每年进行检查和登记，",
                left=0.14,
            ).line("未经批准不得更换。")
        assert [text for text, _ in sheet.headings()] == ["一、总则与范围", "二、仪器的检查", "三、记录的保存"]

    def test_in_another_font_again_and_again(self) -> None:
        """Once is no style."""
        sheet = Sheet().text()
        once = Sheet().text().line("A valve in winter", font="Italic", space=1).text(4)
        for title in ("A valve in winter", "A pump in spring", "A gauge in summer"):
            sheet.line(title, font="Italic", space=1).text(4)
        assert len(sheet.headings()) == 3
        assert once.headings() == []

    def test_over_two_lines(self) -> None:
        """Of one look, close together, are one; with numbers of their own they are two."""
        sheet = (
            Sheet()
            .text()
            .line("On the narrow valve and its relation to the", 14, bold=True, space=1)
            .line("lantern", 14, bold=True)
            .text(3)
        )
        assert sheet.headings() == [("On the narrow valve and its relation to the lantern", 1)]
        stacked = Sheet().text().line("2 Valves", 12, bold=True, space=1).line("2.1 Their care", 12, bold=True).text(3)
        assert stacked.headings() == [("2 Valves", 1), ("2.1 Their care", 2)]

    def test_a_label_and_its_title(self) -> None:
        """`Chapter 3` over a title in another size is one heading with it."""
        sheet = (
            Sheet()
            .text()
            .turn()
            .line("CHAPTER", 9, bold=True, left=0.8)
            .line("THREE", 14, bold=True, left=0.8)
            .line("Valves", 24, bold=True, space=2)
            .text(4)
        )
        assert sheet.headings() == [("CHAPTER THREE Valves", 1)]

    @pytest.mark.parametrize(
        ("text", "more"),
        [
            ("This warning is a sentence of its own.", {"bold": True}),
            ("Figure 3. The valve from above", {"bold": True}),
            ("表 2 仪器的参数", {"bold": True}),
            ("Valve Pump Gauge", {"bold": True, "gaps": (0.3, 0.5)}),
            ("def keep(valve, limit):", {"font": "Courier", "mono": True}),
            ("--with-valves=DIR", {"font": "tt10"}),
            ("• A thing in a list", {"bold": True}),
            ("write to support@ternwick.example", {"bold": True}),
            ("12.5", {"bold": True}),
            ("as follows:", {"bold": True}),
            ("and what comes after,", {"bold": True}),
            ("Small print", {"bold": True, "size": 7.5}),
        ],
    )
    def test_lone_lines_of_prose_are_no_heading(self, text: str, more: dict[str, object]) -> None:
        """Though it stands alone with space around it."""
        sheet = Sheet().text().line(text, space=1, **more).text(3)  # type: ignore[arg-type]
        assert sheet.headings() == []

    def test_bold_words_at_the_start_of_a_line_are_none(self) -> None:
        """A definition."""
        assert Sheet().text().line("Recall. The share of what was found.", space=1, lead=7).text().headings() == []

    def test_items_of_a_list_are_none(self) -> None:
        """Short, with numbers, without a stop, but one after the other."""
        sheet = Sheet().text()
        for n, item in enumerate(("A gateway", "Three sensors", "A cable", "Two keys"), 1):
            sheet.line(f"{n}. {item}", space=0.6)
        assert sheet.text(2).headings() == []

    def test_lines_of_a_table_of_contents_are_none(self) -> None:
        """With leaders, and without them where numbers rise."""
        sheet = Sheet().line("Contents", 16)
        for n in range(6):
            sheet.line(f"{n + 1} Valves of the {n}th kind", 12, bold=True).line(
                f"{n + 1}.1 Their care ........ {n + 3}"
            )
        plain = Sheet()
        for n in range(6):
            plain.line(f"{n + 1} Valves of some kind {2 * n + 3}", 12, bold=True, space=0.5)
        assert read_contents(plain.lines).unsure == set(range(6))
        assert [text for text, _ in plain.turn().text(5).headings()] == []
        assert all("....." not in text for text, _ in sheet.turn().text(5).headings())

    def test_of_a_title_page_only_the_title(self) -> None:
        """Names and dates are large there, too."""
        sheet = (
            Sheet()
            .line("The Quiet Valve", 24, bold=True)
            .line("Ada Merrill", 14, space=2)
            .line("September 2025", 14, space=2)
        )
        sheet.turn().line("Valves", 16, bold=True).text(4)
        assert [text for text, _ in sheet.headings()] == ["The Quiet Valve", "Valves"]

    def test_code_alone_has_no_headings(self) -> None:
        """No lines, or only code."""
        assert find_headings([]) == []
        assert Sheet().line("x = 1", mono=True).headings() == []


class TestEvidence:
    """What speaks for a heading, and what speaks against one however it looks."""

    def headings_of(self, sheet: Sheet, heads: RunningHeads | None = None) -> list[BookmarkedHeading]:
        """With the lists of contents taken out, as the reader does."""
        contents = read_contents(sheet.lines)
        places = [n for n in range(len(sheet.lines)) if n not in contents.listed]
        return find_headings([sheet.lines[n] for n in places], contents.among(places), heads)

    def test_the_table_of_contents_names_what_no_rule_would_take(self) -> None:
        """Set as the text is, among the text; the list itself is left out, its label is a heading."""
        sheet = Sheet().line("Contents", 16)
        for title in ("Valves", "Pumps and gauges", "Lanterns"):
            sheet.line(f"{title} ........ 2")
        sheet.turn()
        for title in ("Valves", "Pumps and gauges", "Lanterns"):
            sheet.line(title).line(WIDE).line(END)
        headings = self.headings_of(sheet)
        assert len(headings) == 4
        assert all(Evidence.CONTENTS in one.evidence for one in headings[1:])

    def test_a_list_without_page_numbers_is_left_out_where_it_is_found(self) -> None:
        """As manuals have it; what calls it one stays."""
        sheet = Sheet().line("Table of Contents", bold=True)
        for title in ("2.3.59.1 Scope", "2.3.59.1.1 Background", "2.3.59.2 Basics"):
            sheet.line(title)
        sheet.turn().text()
        for title in ("2.3.59.1 Scope", "2.3.59.1.1 Background", "2.3.59.2 Basics"):
            sheet.line(title, bold=True, space=1).text()
        assert read_contents(sheet.lines).listed == {1, 2, 3}
        assert [one.level for one in self.headings_of(sheet)][1:] == [1, 2, 1]

    def test_a_title_under_its_number(self) -> None:
        """The list says `2.3-1 Input display`; the page has `Exhibit 2.3-1 (07-01-2019)` and the title under it."""
        sheet = Sheet().line("Table of Contents", bold=True)
        for n in (1, 2, 3):
            sheet.line(f"2.3.59-{n} Input display")
        for n in (1, 2, 3):
            for more in ("", " (Cont. 1)"):
                sheet.turn().line(f"Exhibit 2.3.59-{n}{more} (07-01-2019)", bold=True).line(
                    "Input display", bold=True
                ).text(2)
        headings = self.headings_of(sheet)
        assert len([one for one in headings if Evidence.CONTENTS in one.evidence]) == 3
        assert len(headings) <= 4

    def test_what_comes_again_in_its_place_is_none(self) -> None:
        """The head of a table that goes on from page to page."""
        sheet = Sheet()
        for page in range(5):
            sheet.line("Line, position, description", bold=True, space=1).text(2).line(
                f"Valves of kind {page}", 14, space=page + 1
            ).text().turn()
        assert [text for text, _ in sheet.headings()] == [f"Valves of kind {page}" for page in range(5)]

    def test_key_words_of_a_listing_are_none(self) -> None:
        """Bold, between lines of code."""
        sheet = Sheet().text(2).line("Valves", 14, space=1).text()
        sheet.line("SELECT name", font="Courier", mono=True, space=1).line(
            "ON", bold=True, font="Courier-Bold", mono=True
        )
        sheet.line("a.id = b.id", font="Courier", mono=True).line("WHERE", bold=True, font="Courier-Bold", mono=True)
        sheet.line("a.size > 3", font="Courier", mono=True).text()
        assert [text for text, _ in sheet.headings()] == ["Valves"]

    def test_each_heading_names_its_evidence(self) -> None:
        """Size, weight, space, number, name, and the running heads of the pages after it."""
        sheet = (
            Sheet().text().line("1 Valves", 14, bold=True, space=1).text().line("References", bold=True, space=1).text()
        )
        first, last = self.headings_of(sheet, RunningHeads([("1 VALVES", 2), ("1 VALVES", 3)]))
        assert {Evidence.SIZE, Evidence.WEIGHT, Evidence.SPACE, Evidence.NUMBER, Evidence.RUNNING_HEAD} <= set(
            first.evidence
        )
        assert {Evidence.NAME, Evidence.WEIGHT} <= set(last.evidence)
        assert Evidence.RUNNING_HEAD not in last.evidence

    def test_a_block_carries_it(self) -> None:
        """What bookmarks name is no guess and carries nothing."""
        data = make_pdf(layouts()[0]).data
        guessed = [
            dict(block.meta) for block in read(without_bookmarks(data)).blocks if block.type is BlockType.HEADING
        ]
        marked = [dict(block.meta) for block in read(data).blocks if block.type is BlockType.HEADING]
        assert all(meta["evidence"] and 0 < meta["confidence"] <= 1 for meta in guessed)
        assert not any("evidence" in meta for meta in marked)


class TestLevels:
    """`heading_levels`."""

    def test_numbers_rule_where_most_have_one(self) -> None:
        """Whatever the sizes; those without stand where what looks like them stands."""
        big, small = (14.0, True, "B", False), (10.0, True, "B", False)
        levels = heading_levels(
            [
                ("1 Aims", small),
                ("1.1 Scope", big),
                ("2 Means", small),
                ("Thanks", small),
                ("The Quiet Valve", (24.0, True, "B", False)),
            ]
        )
        assert levels == [2, 3, 2, 2, 1]

    def test_looks_rule_where_few_have_one(self) -> None:
        """Size, then weight, then capitals."""
        looks = [(16.0, True, "B", False), (12.0, True, "B", True), (12.0, True, "B", False), (12.0, False, "R", False)]
        assert heading_levels([("Valves", look) for look in looks]) == [1, 2, 3, 4]

    def test_a_chain_of_numbers_rules_among_many_without(self) -> None:
        """In small capitals 1.1.1 is smaller than the words in italics between: it stands under 1.1 all the same."""
        large, small, other = (12.0, False, "R", True), (10.0, False, "R", True), (10.2, False, "I", False)
        labels = [
            ("1 Aims", large),
            ("1.1 Scope", small),
            ("1.1.1 Kinds", small),
            *[("Valves", other)] * 12,
            ("1.2 Care", small),
            ("2 Ends", large),
        ]
        levels = heading_levels(labels)
        assert [levels[0], levels[1], levels[2], levels[-2], levels[-1]] == [1, 2, 3, 2, 1]

    def test_no_heading_is_deeper_than_six(self) -> None:
        """However many sizes there are."""
        assert heading_levels([("Valves", (30.0 - n, True, "B", False)) for n in range(9)]) == [
            1,
            2,
            3,
            4,
            5,
            6,
            6,
            6,
            6,
        ]


def test_bookmarks_come_first() -> None:
    """What they do not name is none, unless they name next to nothing; then the rest goes on levels that agree."""
    sheet = (
        Sheet().line("Valves", 16).text().line("Their care", 13, space=1).text().line("Their price", 13, space=1).text()
    )
    marks = [Bookmark(text, 1, 1, None, None) for text in ("Valves", "Their care", "Their price")]
    assert [one.level for one in headings_of(marks, sheet.lines)] == [1, 1, 1]
    assert [(one.first, one.level) for one in headings_of(marks[:1], sheet.lines)] == [(0, 1), (4, 2), (8, 2)]
    assert len(headings_of([], sheet.lines)) == 3


@pytest.mark.parametrize("layout", layouts(), ids=lambda layout: layout.name)
def test_every_layout_is_read_whole_and_its_bookmarks_become_sections(layout: Layout) -> None:
    """Tables, two columns, Chinese, running heads, contents: nothing is lost, 98 of 100 bookmarks are where they lead,
    the laws hold.
    """
    file = make_pdf(layout)
    document = read(file.data)
    check(document)
    assert lost_share(file.data, document) <= LOST
    assert len(misplaced(file, document)) <= (1 - PLACED) * len(file.entries)


def test_headings_are_found_without_bookmarks() -> None:
    """In the layouts that nothing was tuned on, as well; of the others every second one is read. (All of them:
    benchmarks/headings.py.)
    """
    scores = {
        layout.name: hidden(make_pdf(layout)).f1 for layout in (*layouts(held_out=False)[::2], *layouts(held_out=True))
    }
    assert mean(scores.values()) >= FOUND
    assert mean(scores[layout.name] for layout in layouts(held_out=True)) >= FOUND
    assert min(scores.values()) >= 0.5, scores


def test_the_made_files_are_many_and_always_the_same() -> None:
    """At least thirty, a third of them held out, each with bookmarks."""
    assert len(layouts()) >= 30
    assert len(layouts(held_out=True)) >= len(layouts()) // 3
    assert make_pdf(layouts()[0]).data == make_pdf.__wrapped__(layouts()[0]).data
    assert all(len(make_pdf(layout).entries) >= 10 for layout in layouts())
