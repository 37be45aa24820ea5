"""Bookmarked PDFs in varied layouts, made by reportlab, each with what is true of it. Always the same bytes.

`layouts()` are the rows, `make_pdf(layout)` a file. A third of them are held out: nothing is tuned on those.
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from reportlab.lib import colors
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

from tests.parsing.formats.pdf.made.pdf_layouts import HELD_OUT, LAYOUTS, Layout
from tests.parsing.formats.pdf.made.pdf_numbers import LABELS
from tests.parsing.formats.pdf.made.pdf_words import Words

__all__ = ["Entry", "Made", "layouts", "make_pdf"]

_MARGIN, _GUTTER = 62, 20
_FAMILY = {
    "Times-Roman": ("Times-Roman", "Times-Bold", "Times-Italic"),
    "Helvetica": ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique"),
    "Vera": ("Vera", "VeraBd", "VeraIt"),
    "STSong-Light": ("STSong-Light", "STSong-Light", "STSong-Light"),
}
"""Regular, bold, italic; the CID font has one cut only."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A bookmark, and the heading it leads to."""

    title: str
    """As the bookmark says it."""
    level: int
    """1 for the top."""
    page: int
    """1-based."""
    heading: str
    """As the page prints it, on one line."""
    after: str
    """The first words under it."""


@dataclass(frozen=True, slots=True)
class Made:
    """A file and its truth."""

    layout: Layout
    data: bytes
    entries: tuple[Entry, ...]
    neutral: tuple[str, ...]
    """Headings that no bookmark names (the document's title, the word Contents): neither asked for nor wrong."""


def layouts(*, held_out: bool | None = None) -> tuple[Layout, ...]:
    """The rows: all of them, or only those (not) held out."""
    chosen = {None: (*LAYOUTS, *HELD_OUT), False: LAYOUTS, True: HELD_OUT}
    return chosen[held_out]


@cache
def make_pdf(layout: Layout) -> Made:
    """The file of a row."""
    _register()
    return _Book(layout).build()


@cache
def _register() -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    for name in ("Vera", "VeraBd", "VeraIt"):
        pdfmetrics.registerFont(TTFont(name, f"{name}.ttf"))


@dataclass(slots=True)
class _Heading:
    """A heading on its way through the layout."""

    title: str
    level: int
    printed: str
    page: int = 0
    after: str = ""


@dataclass
class _Book:
    """One document while it is written."""

    layout: Layout
    words: Words = field(init=False)
    headings: list[_Heading] = field(default_factory=list)
    story: list[Flowable] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    tables: int = 0
    section: str = ""
    footnote: str = ""

    def __post_init__(self) -> None:
        self.words = Words(random.Random(self.layout.name), self.layout.chinese)
        self.chance = self.words.chance
        self.regular, self.bold, self.italic = _FAMILY[self.layout.face]
        self.name = self.words.title()

    # the parts of the story

    def build(self) -> Made:
        layout = self.layout
        self.chapters()
        if layout.contents:
            self.contents()
        if layout.title:
            self.title_page()
        stream = io.BytesIO()
        template = _Template(self, stream)
        template.build(self.story)
        entries = tuple(Entry(one.title, one.level, one.page, one.printed, one.after) for one in self.headings)
        return Made(layout, stream.getvalue(), entries, (self.name, "目录" if layout.chinese else "Contents"))

    def chapters(self) -> None:
        layout = self.layout
        for chapter in range(layout.chapters):
            if chapter and layout.breaks:
                self.story.append(PageBreak())
            self.heading(1)
            self.body(1)
            for _ in range(self.chance.randint(2, 4) if len(layout.sizes) > 1 else 0):
                self.heading(2)
                self.body(2 if len(layout.sizes) > 2 and self.chance.random() < 0.5 else self.chance.randint(2, 5))
                for _ in range(self.chance.randint(0, 3) if len(layout.sizes) > 2 else 0):
                    self.heading(3)
                    self.body(self.chance.randint(1, 3))

    def heading(self, level: int) -> None:
        layout = self.layout
        parents, own = self.counts[: level - 1], self.counts[level - 1 : level] or [0]
        self.counts = [*parents, own[0] + 1]
        label = LABELS[layout.numbering](self.counts)
        text = self.words.title(long=self.chance.random() < layout.long)
        title = text.upper() if level in layout.capitals else text
        markup = _small_capitals(title, self.size(level)) if level in layout.small_capitals else title
        printed = " ".join(f"{label}{title.upper() if level in layout.small_capitals else title}".split())
        heading = _Heading(_WORDINGS[layout.wording](label, text), level, printed)
        if self.headings and not self.headings[-1].after:
            self.headings[-1].after = printed
        self.headings.append(heading)
        paragraph = _Marked(label.replace("\n", "<br/>") + markup, self.heading_style(level))
        paragraph.heading = heading
        self.story.append(paragraph)

    def body(self, paragraphs: int) -> None:
        """Paragraphs, now and then with something else between them; straight after a heading sometimes nothing."""
        if self.chance.random() < self.layout.stacked:
            return
        for _ in range(paragraphs):
            self.paragraph(self.words.paragraph())
            for extra in self.layout.extras:
                if self.chance.random() < 0.22:
                    _EXTRAS[extra](self)

    def paragraph(self, text: str, markup: str | None = None, **style: Any) -> None:
        if self.headings and not self.headings[-1].after:
            self.headings[-1].after = text[:24]
        self.story.append(Paragraph(markup or text, self.style(**style)))

    def title_page(self) -> None:
        layout = self.layout
        big = self.style(fontName=self.bold, fontSize=layout.body * 2.4, leading=layout.body * 3, alignment=TA_CENTER)
        small = self.style(alignment=TA_CENTER, fontSize=layout.body * 1.2, leading=layout.body * 2, firstLineIndent=0)
        names = (
            ["王小明　李华", "二〇二五年九月"]
            if layout.chinese
            else ["Ada Merrill and Jonas Whitlock", "Department of Made-up Studies", "September 2025"]
        )
        page = [
            Spacer(1, 160),
            Paragraph(self.name, big),
            Spacer(1, 40),
            *(Paragraph(one, small) for one in names),
            PageBreak(),
        ]
        self.story[:0] = page

    def contents(self) -> None:
        """Lines with leaders; the page numbers only look true."""
        head = Paragraph("目录" if self.layout.chinese else "Contents", self.heading_style(1))
        page = 3
        lines = []
        for heading in self.headings:
            page += self.chance.random() < 0.4
            text, inset = heading.printed[:50], 14 * (heading.level - 1)
            room = (
                self.frame_width()
                - inset
                - 14
                - pdfmetrics.stringWidth(f"{text}  {page}", self.regular, self.layout.body)
            )
            dots = "." * max(3, int(room / pdfmetrics.stringWidth(".", self.regular, self.layout.body)))
            lines.append(
                Paragraph(f"{text} {dots} {page}", self.style(leftIndent=inset, firstLineIndent=0, alignment=0))
            )
        self.story[:0] = [head, *lines, PageBreak()]

    # what else may stand in a text

    def run_in(self) -> None:
        term, text = self.words.term(), self.words.paragraph(1, 3)
        mark = "：" if self.layout.chinese else "."
        self.paragraph(f"{term}{mark} {text}", f'<font name="{self.bold}">{term}{mark}</font> {text}')

    def bullets(self) -> None:
        for _ in range(self.chance.randint(2, 4)):
            self.story.append(
                Paragraph(self.words.sentence(), self.style(leftIndent=16, firstLineIndent=0), bulletText="•")
            )

    def steps(self) -> None:
        for number in range(1, self.chance.randint(3, 5)):
            self.paragraph(f"{number}. {self.words.sentence()}", leftIndent=14, firstLineIndent=-14)

    def ruled(self) -> None:
        self.caption("表" if self.layout.chinese else "Table")
        self.story.append(self.table(TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black), *self.cell_style()])))

    def lined(self) -> None:
        """A table with rules above, under its header and below, as journals print it."""
        self.caption("表" if self.layout.chinese else "Table")
        rules = [("LINEABOVE", (0, 0), (-1, 0), 1, colors.black), ("LINEBELOW", (0, 0), (-1, 0), 0.5, colors.black)]
        self.story.append(
            self.table(TableStyle([*rules, ("LINEBELOW", (0, -1), (-1, -1), 1, colors.black), *self.cell_style()]))
        )

    def figure(self) -> None:
        self.story.append(_Drawing(self.frame_width() * 0.7, 60))
        self.caption("图" if self.layout.chinese else "Figure")

    def equation(self) -> None:
        self.tables += 1
        self.story.append(
            Paragraph(
                f"<i>y</i> = <i>a x</i> + <i>b</i> &nbsp;&nbsp;&nbsp; ({self.tables})", self.style(alignment=TA_CENTER)
            )
        )

    def code(self) -> None:
        for line in ("def keep(valve, limit):", "    return [one for one in valve if one.size < limit]"):
            plain = line.replace(" ", "&nbsp;").replace("<", "&lt;")
            self.story.append(
                Paragraph(plain, self.style(fontName="Courier", firstLineIndent=0, alignment=0, spaceAfter=0))
            )

    def note(self) -> None:
        self.footnote = f"{self.chance.randint(1, 9)} {self.words.sentence()[:80]}"

    def emphasis(self) -> None:
        """A short paragraph that is bold as a whole: a warning, not a heading."""
        text = self.words.sentence()
        self.paragraph(text, f'<font name="{self.bold}">{text}</font>')

    def caption(self, kind: str) -> None:
        self.tables += 1
        text = f"{kind} {self.tables}. {self.words.title()}"
        markup = f'<font name="{self.bold}">{text}</font>' if self.layout.bold_captions else text
        self.paragraph(
            text, markup, fontSize=self.layout.body * 0.9, alignment=TA_CENTER, firstLineIndent=0, spaceBefore=6
        )

    def table(self, style: TableStyle) -> Table:
        columns = self.chance.randint(3, 4)
        rows = [[self.words.cell() for _ in range(columns)] for _ in range(self.chance.randint(3, 8))]
        return Table([[self.words.term() for _ in range(columns)], *rows], style=style, spaceAfter=10, repeatRows=1)

    def cell_style(self) -> list[tuple[Any, ...]]:
        size = self.layout.body * (0.72 if self.layout.columns > 1 else 0.9)
        return [("FONT", (0, 0), (-1, -1), self.regular, size), ("FONT", (0, 0), (-1, 0), self.bold, size)]

    # how it looks

    def size(self, level: int) -> float:
        return self.layout.body * self.layout.sizes[level - 1]

    def heading_style(self, level: int) -> ParagraphStyle:
        layout, size = self.layout, self.size(level)
        face = self.bold if level in layout.bold else self.italic if level in layout.italic else self.regular
        return ParagraphStyle(
            f"h{level}", fontName=face, fontSize=size, leading=size * 1.25, spaceBefore=layout.gap * size,
            spaceAfter=size * 0.4, alignment=TA_CENTER if level in layout.centred else 0, keepWithNext=layout.keeps,
            wordWrap="CJK" if layout.chinese else None, textColor=colors.HexColor(layout.colour),
        )  # fmt: skip

    def style(self, **changes: Any) -> ParagraphStyle:
        layout = self.layout
        common: dict[str, Any] = {
            "fontName": self.regular, "fontSize": layout.body, "leading": layout.body * layout.leading,
            "firstLineIndent": layout.indent * layout.body, "spaceAfter": layout.apart * layout.body,
            "alignment": TA_JUSTIFY if not layout.chinese else 0, "wordWrap": "CJK" if layout.chinese else None,
        }  # fmt: skip
        return ParagraphStyle("body", **(common | changes))

    def frame_width(self) -> float:
        width = A4[0] - 2 * _MARGIN
        return width if self.layout.columns == 1 else (width - _GUTTER) / 2

    def furniture(self, canvas: Canvas, page: int) -> None:
        """What stands in the margins of a page."""
        width, height = A4
        canvas.setFont(self.regular, self.layout.body * 0.85)
        texts = {"title": self.name, "section": self.section or self.name, "page": "", "none": ""}
        if page > 1 or not self.layout.title:
            canvas.drawCentredString(width / 2, height - 40, texts[self.layout.running])
            if self.layout.running != "none":
                canvas.drawCentredString(width / 2, 30, f"- {page} -" if self.layout.chinese else str(page))
        if self.footnote:
            canvas.setFont(self.regular, self.layout.body * 0.8)
            canvas.line(_MARGIN, 62, _MARGIN + 100, 62)
            canvas.drawString(_MARGIN, 50, self.footnote)
            self.footnote = ""


class _Marked(Paragraph):
    """A heading's paragraph."""

    heading: _Heading


class _Drawing(Flowable):
    """A picture of lines, with words in it that are no text of the document's own."""

    def __init__(self, width: float, height: float) -> None:
        super().__init__()
        self.width, self.height = width, height

    def draw(self) -> None:
        self.canv.rect(0, 0, self.width, self.height)
        self.canv.line(0, 0, self.width, self.height)
        self.canv.circle(self.width / 2, self.height / 2, self.height / 3)


class _Template(BaseDocTemplate):
    """Lays the story out, and writes the bookmarks where the headings come to stand."""

    def __init__(self, book: _Book, stream: io.BytesIO) -> None:
        super().__init__(stream, pagesize=A4, invariant=1, title=book.name)
        self.book = book
        width = book.frame_width()
        frames = [
            Frame(_MARGIN + column * (width + _GUTTER), 70, width, A4[1] - 130, 0, 0, 0, 0, id=str(column))
            for column in range(book.layout.columns)
        ]
        self.addPageTemplates(
            PageTemplate("page", frames, onPageEnd=lambda canvas, template: book.furniture(canvas, template.page))
        )

    def afterFlowable(self, flowable: Flowable) -> None:
        if not isinstance(flowable, _Marked):
            return
        heading, canvas = flowable.heading, self.canv
        heading.page = self.page
        self.book.section = heading.printed
        name = f"entry{id(heading)}"
        top = self.frame._y + flowable.height
        _TARGETS[self.book.layout.target](canvas, name, top)
        canvas.addOutlineEntry(heading.title, name, heading.level - 1)


_TARGETS: dict[str, Callable[[Canvas, str, float], None]] = {
    "top": lambda canvas, name, top: canvas.bookmarkPage(name, fit="XYZ", left=0, top=top),
    "above": lambda canvas, name, top: canvas.bookmarkPage(name, fit="XYZ", left=0, top=top + 18),
    "baseline": lambda canvas, name, top: canvas.bookmarkPage(name, fit="XYZ", left=_MARGIN, top=top - 14),
    "width": lambda canvas, name, top: canvas.bookmarkPage(name, fit="FitH", top=top),
    "page": lambda canvas, name, top: canvas.bookmarkPage(name),
}
_WORDINGS: dict[str, Callable[[str, str], str]] = {
    "same": lambda label, text: " ".join(f"{label}{text}".split()),
    "title only": lambda label, text: text,
    "close": lambda label, text: (
        f"{label}{text}".replace(" ", "") if not text.isascii() else f"{label.strip()}  {text} ".replace("\n", "")
    ),
    "capitals": lambda label, text: " ".join(f"{label}{text}".split()).upper(),
}
_EXTRAS: dict[str, Callable[[_Book], None]] = {
    "run-in": _Book.run_in, "bullets": _Book.bullets, "steps": _Book.steps, "ruled": _Book.ruled, "lined": _Book.lined,
    "figure": _Book.figure, "equation": _Book.equation, "code": _Book.code, "note": _Book.note,
    "emphasis": _Book.emphasis,
}  # fmt: skip


def _small_capitals(text: str, size: float) -> str:
    """Each word's first letter at full size, the others as smaller capitals."""
    return " ".join(
        f'{word[0].upper()}<font size="{size * 0.8:.1f}">{word[1:].upper()}</font>' for word in text.split()
    )
