"""Own files of every format, with their expected content (`tests/data/formats/README.md`)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["OWN_FILES", "ROOT", "OwnFile"]

ROOT = Path(__file__).parents[1] / "data" / "formats"

_TITLE = "Field notes from the reed bed"
_OUTLINE = (
    (1, _TITLE),
    (2, "Birds"),
    (3, "Counts at the hide"),
    (3, "Nests"),
    (2, "芦苇荡观察"),
    (3, "水位记录"),
    (2, "Equipment"),
)
_KEYS = ((1, "Birds"), (2, "Counts at the hide"), (2, "Nests"), (1, "芦苇荡观察"), (2, "水位记录"), (1, "Equipment"))
_NUMBERED = (
    *((1, _TITLE), (1, "1 Birds"), (2, "1.1 Counts at the hide"), (2, "1.2 Nests")),
    *((1, "2 芦苇荡观察"), (2, "2.1 水位记录"), (1, "3 Equipment")),
)
_OPENING = "The marsh was walked on four mornings in May, always before breakfast."
_BITTERN = "A bittern boomed twice before sunrise, and nobody saw it."
_BULLETS = ("Three nests of the warbler stand over deep water.", "One platform is empty since the storm.")
_FOG, _WATER = "清晨的雾很浓，只能听见鸟的叫声。", "四天里水位下降了十二厘米，东侧的水沟已经干涸。"
_NOTE = "The counting method follows the plan that was agreed in March."
_NOTES = (
    *(_OPENING, _BITTERN, "The nests are never touched; each is written down from the path.", *_BULLETS),
    *(_FOG, _WATER, "先读桥下的标尺。", "再记录风向和气温。"),
    *("The logger at the sluice is read with one line:", 'level = read_gauge("sluice", unit="cm")', _NOTE),
)
_COUNTS = (
    ("Species", "Morning", "Evening"),
    ("Bittern 大麻鳽", "2", "1"),
    ("Reed warbler 苇莺", "14", "9"),
    ("Water rail 秧鸡", "37", "28"),
)
_LEVELS = (("日期", "水位"), ("星期一", "81"), ("星期四", "69"))
_REMARKS = ("Remark", '"heard, not seen"', "在芦苇里唱歌", '"called from the ""old"" ditch"')


@dataclass(frozen=True, slots=True)
class OwnFile:
    """File with its expected parse."""

    name: str
    format: str
    sections: tuple[tuple[int, str], ...]
    """(level, title) as far as the format has them; empty if the title comes from the text."""
    sentences: tuple[str, ...] = _NOTES
    rows: tuple[tuple[str, ...], ...] = _COUNTS
    """Cells of the file's tables."""
    separator: str = " | "
    """Text between two cells of a row; empty for spaces."""
    furniture: tuple[str, ...] = ()
    """Texts that must be left out."""


OWN_FILES = (
    OwnFile("notes.md", "markdown", _OUTLINE),
    OwnFile("notes.pdf", "pdf", _OUTLINE, furniture=("Reed bed survey 1", "Reed bed survey 2")),
    OwnFile("notes.txt", "text", _NUMBERED, separator=""),
    OwnFile("notes.html", "html", _OUTLINE, furniture=("To the birds",)),
    OwnFile("notes.docx", "docx", _OUTLINE),
    OwnFile("notes.epub", "epub", _OUTLINE),
    OwnFile("notes.odt", "odt", _OUTLINE),
    OwnFile("notes.rtf", "rtf", _OUTLINE),
    OwnFile(
        "counts.csv", "csv", (), (), tuple((*row, remark) for row, remark in zip(_COUNTS, _REMARKS, strict=True)), ","
    ),
    OwnFile(
        "talk.pptx", "pptx", ((1, _TITLE), (1, "Counts at the hide"), (1, "水位记录")), (*_BULLETS, _NOTE, _FOG, _WATER)
    ),
    OwnFile("counts.xlsx", "xlsx", ((2, "Counts"), (2, "水位记录")), (), (*_COUNTS, *_LEVELS)),
    *(
        OwnFile(f"counts.{kind}", kind, ((2, "Counts"), (2, "水位记录")), (), (*_COUNTS, *_LEVELS))
        for kind in ("xls", "xlsb", "ods")
    ),
    OwnFile(
        "notes.eml",
        "email",
        ((1, f"{_TITLE} 芦苇荡观察"),),
        (
            "From: Ann Reed <ann@example.org>",
            "To: 王芳 <wang@example.org>",
            _OPENING,
            *_BULLETS,
            _WATER,
            f"> {_BITTERN}",
        ),
        separator=",",
    ),
    OwnFile("notes_content_list.json", "mineru", _NUMBERED, furniture=("Reed bed survey", _NOTE, "1", "2")),
    OwnFile("notes.json", "json", _KEYS),
    OwnFile("notes.yaml", "yaml", _KEYS, (*_NOTES, "Written for the tests.")),
    OwnFile(
        "talk.vtt",
        "subtitles",
        (),
        (f"Ann: {_OPENING} {_BITTERN}", f"Ben: {_BULLETS[0]}", f"王芳: {_WATER}"),
        (),
        furniture=("NOTE The model of the logger is not for print.",),
    ),
    OwnFile("notes.rst", "rst", _OUTLINE, separator="", furniture=(".. The model of the logger is not for print.",)),
    OwnFile("notes.adoc", "asciidoc", _OUTLINE, furniture=("// The model of the logger is not for print.",)),
    OwnFile("notes.org", "org", _OUTLINE, furniture=("# The model of the logger is not for print.",)),
    OwnFile(
        "gauge.py",
        "code",
        ((1, "class Gauge"), (2, "__init__"), (2, "level"), (1, "count_nests")),
        (*_NOTES[:3], *_BULLETS, _FOG, _WATER, 'return read_gauge("sluice", unit="cm")'),
        (),
    ),
    OwnFile("notes.ipynb", "notebook", _OUTLINE, (*_NOTES, "69 cm")),
    OwnFile("notes_elements.json", "elements", _OUTLINE, furniture=("Reed bed survey", _NOTE)),
)
