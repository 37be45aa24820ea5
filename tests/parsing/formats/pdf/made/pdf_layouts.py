"""The layouts of the made-up PDFs: a row each. `HELD_OUT` is a third of them; nothing is tuned on those."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["HELD_OUT", "LAYOUTS", "Layout"]


@dataclass(frozen=True, slots=True)
class Layout:
    """How a document is set. Sizes are shares of the body's."""

    name: str
    numbering: str = "none"
    """A row of `pdf_numbers.LABELS`."""
    sizes: tuple[float, ...] = (1.6, 1.3, 1.1)
    """Of the headings, a level each."""
    bold: tuple[int, ...] = (1, 2, 3)
    italic: tuple[int, ...] = ()
    centred: tuple[int, ...] = ()
    capitals: tuple[int, ...] = ()
    small_capitals: tuple[int, ...] = ()
    colour: str = "#000000"
    gap: float = 1.0
    """Space above a heading, of its size."""
    face: str = "Times-Roman"
    body: float = 10
    leading: float = 1.2
    indent: float = 0
    apart: float = 0.6
    columns: int = 1
    chinese: bool = False
    chapters: int = 4
    breaks: bool = False
    """Every chapter on a new page."""
    title: bool = False
    contents: bool = False
    running: str = "page"
    """Running head: none, page (only its number), title, section."""
    long: float = 0.1
    """Share of headings that go over one line."""
    stacked: float = 0.12
    """Share of headings that are followed by the next at once."""
    keeps: bool = True
    """A heading moves to the next page with the text under it."""
    bold_captions: bool = False
    extras: tuple[str, ...] = ("run-in",)
    target: str = "top"
    """What a bookmark points to: just above the heading, its baseline, the page's width there, the page."""
    wording: str = "same"
    """How a bookmark writes the heading: as it is, without number, with other spaces, in capitals."""


_ALL = ("run-in", "bullets", "steps", "ruled", "lined", "figure", "equation", "code", "note")
_REPORT = ("run-in", "bullets", "ruled", "figure", "note")
_CJK = {"face": "STSong-Light", "chinese": True, "bold": (), "body": 10.5, "leading": 1.6, "indent": 2, "apart": 0.2}

LAYOUTS = (
    Layout("plain"),
    Layout("numbered", "decimal", extras=_ALL, title=True, contents=True, running="title"),
    Layout("dotted", "dotted", face="Helvetica", extras=("run-in", "steps", "ruled"), target="above"),
    Layout(
        "two columns",
        "decimal",
        (1.2, 1.1, 1.0),
        columns=2,
        body=9.5,
        indent=1,
        apart=0,
        extras=("run-in", "equation", "lined", "note"),
        running="title",
    ),
    Layout(
        "two columns, roman",
        "roman",
        (1.0, 1.0),
        bold=(),
        italic=(2,),
        small_capitals=(1,),
        centred=(1,),
        columns=2,
        body=10,
        indent=1,
        apart=0,
        extras=("equation", "lined", "figure"),
        chapters=5,
    ),
    Layout(
        "two columns, plain",
        sizes=(1.5, 1.2),
        columns=2,
        face="Helvetica",
        body=9,
        extras=("run-in", "bullets", "ruled"),
        target="width",
    ),
    Layout(
        "book",
        "chapter line",
        (2.0, 1.3, 1.1),
        breaks=True,
        title=True,
        contents=True,
        running="section",
        extras=("run-in", "note", "figure"),
        wording="title only",
    ),
    Layout(
        "chapters", "chapter", (1.7, 1.25), breaks=True, contents=True, running="title", target="page", extras=_REPORT
    ),
    Layout("same size", "decimal", (1.0, 1.0, 1.0), extras=("run-in", "bullets", "lined"), gap=1.4),
    Layout(
        "same size, no numbers", sizes=(1.15, 1.0), gap=1.3, face="Helvetica", extras=("run-in", "emphasis", "bullets")
    ),
    Layout(
        "legal", "article", (1.1, 1.0), bold=(1,), centred=(1,), chapters=6, extras=("run-in", "steps"), wording="close"
    ),
    Layout(
        "parts", "part", (1.3, 1.1, 1.0), capitals=(1,), breaks=True, extras=("run-in",), target="above", running="none"
    ),
    Layout("regular weight", sizes=(1.7, 1.35), bold=(), extras=("bullets", "ruled"), face="Vera", body=9),
    Layout(
        "coloured",
        sizes=(1.8, 1.4, 1.15),
        colour="#1f4e79",
        face="Vera",
        body=9,
        extras=("run-in", "ruled", "figure"),
        running="title",
        title=True,
    ),
    Layout(
        "capitals",
        "top",
        (1.2, 1.1),
        capitals=(1,),
        wording="close",
        extras=("run-in", "lined", "code"),
        target="baseline",
    ),
    Layout(
        "loose",
        "decimal",
        (1.4, 1.2, 1.1),
        keeps=False,
        stacked=0.35,
        long=0.3,
        extras=("run-in", "bullets"),
        target="baseline",
        running="section",
    ),
    Layout(
        "captions",
        "dotted",
        (1.25, 1.12),
        bold_captions=True,
        extras=("ruled", "figure", "lined", "run-in"),
        columns=2,
        body=9,
    ),
    Layout(
        "manual",
        "top",
        (1.9, 1.3, 1.1),
        face="Helvetica",
        body=10,
        extras=("steps", "bullets", "code", "ruled", "emphasis"),
        contents=True,
        running="section",
    ),
    Layout(
        "中文章节",
        "zh chapter",
        (1.5, 1.25, 1.0),
        centred=(1,),
        title=True,
        contents=True,
        running="title",
        extras=("run-in", "ruled"),
        **_CJK,
    ),
    Layout("中文公文", "zh list", (1.15, 1.0, 1.0), extras=("run-in",), gap=0.3, running="page", title=True, **_CJK),
    Layout(
        "中文技术",
        "zh decimal",
        (1.5, 1.2, 1.05),
        extras=("ruled", "bullets", "figure"),
        running="title",
        wording="close",
        breaks=True,
        **_CJK,
    ),
    Layout("中文无编号", sizes=(1.6, 1.3), extras=("bullets", "ruled"), target="width", **_CJK),
)

HELD_OUT = (
    Layout(
        "held numbered",
        "decimal",
        (1.5, 1.25, 1.1),
        face="Helvetica",
        extras=_ALL,
        contents=True,
        running="section",
        target="width",
    ),
    Layout(
        "held columns",
        "dotted",
        (1.15, 1.05),
        columns=2,
        body=9,
        extras=("run-in", "lined", "equation", "figure"),
        indent=1,
        apart=0,
        wording="title only",
    ),
    Layout(
        "held columns, capitals",
        "roman",
        (1.1, 1.0),
        capitals=(1,),
        columns=2,
        extras=("run-in", "steps", "note"),
        face="Helvetica",
        body=9,
    ),
    Layout(
        "held plain",
        sizes=(1.4, 1.2, 1.0),
        keeps=False,
        extras=("run-in", "bullets", "emphasis"),
        running="title",
        long=0.25,
    ),
    Layout(
        "held book",
        "chapter",
        (2.2, 1.4, 1.15),
        breaks=True,
        title=True,
        contents=True,
        running="section",
        extras=_REPORT,
        wording="capitals",
    ),
    Layout(
        "held italic",
        sizes=(1.3, 1.1),
        bold=(1,),
        italic=(2,),
        extras=("run-in", "figure"),
        face="Times-Roman",
        target="above",
        title=True,
    ),
    Layout("held same size", "top", (1.0, 1.0), centred=(1,), gap=1.2, extras=("run-in", "lined"), stacked=0.3),
    Layout(
        "held manual",
        sizes=(1.7, 1.3),
        face="Vera",
        body=8.5,
        extras=("steps", "code", "ruled", "figure"),
        running="section",
        bold_captions=True,
        target="page",
    ),
    Layout(
        "held legal",
        "part",
        (1.2, 1.05, 1.0),
        bold=(1, 2),
        centred=(1,),
        extras=("run-in", "steps", "note"),
        wording="close",
        running="title",
    ),
    Layout(
        "中文留出章",
        "zh chapter",
        (1.4, 1.15),
        centred=(1, 2),
        breaks=True,
        running="section",
        extras=("bullets", "figure"),
        contents=True,
        **_CJK,
    ),
    Layout(
        "中文留出节",
        "zh decimal",
        (1.3, 1.1, 1.0),
        extras=("run-in", "ruled", "steps"),
        running="title",
        wording="title only",
        **_CJK,
    ),
)
