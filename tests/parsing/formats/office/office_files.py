"""Workbooks and presentations made by the tests, part by part where a program would not make them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"


def archive(parts: Mapping[str, str | bytes | Iterable[str]]) -> bytes:
    """A ZIP file; a part that is given piece by piece is written piece by piece."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, content in parts.items():
            with file.open(name, "w", force_zip64=True) as part:
                for piece in [content] if isinstance(content, str | bytes) else content:
                    part.write(piece if isinstance(piece, bytes) else piece.encode())
    return buffer.getvalue()


def relations(*targets: tuple[str, str]) -> str:
    """A list of (kind, part), with the ids r1, r2 ..."""
    entries = "".join(
        f'<Relationship Id="r{n}" Type="{KINDS}/{kind}" Target="{part}"/>' for n, (kind, part) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{RELATIONS}">{entries}</Relationships>'


def workbook(*sheets: str | Iterable[str], parts: Mapping[str, str] | None = None) -> bytes:
    """A workbook of the rows given as XML, one text or iterable a sheet; `parts` are added or put in their place."""
    names = "".join(f'<sheet name="Sheet {n}" sheetId="{n}" r:id="r{n}"/>' for n in range(1, len(sheets) + 1))
    entries: dict[str, Any] = {
        "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook xmlns="{SHEETS}" xmlns:r="{KINDS}"><sheets>{names}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(
            *(("worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1))
        ),
    }
    for number, rows in enumerate(sheets, 1):
        entries[f"xl/worksheets/sheet{number}.xml"] = _sheet([rows] if isinstance(rows, str) else rows)
    return archive(entries | dict(parts or {}))


def _sheet(rows: Iterable[str]) -> Iterable[str]:
    yield f'<worksheet xmlns="{SHEETS}"><dimension ref="A1:B2"/><sheetData>'
    yield from rows
    yield "</sheetData></worksheet>"


def column_name(number: int) -> str:
    """28 is AB."""
    name = ""
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(65 + rest) + name
    return name


def presentation(*trees: str, parts: Mapping[str, str] | None = None) -> bytes:
    """A presentation of slides, each given as the XML inside its shape tree."""
    ids = "".join(f'<p:sldId id="{255 + n}" r:id="r{n}"/>' for n in range(1, len(trees) + 1))
    entries: dict[str, Any] = {
        "_rels/.rels": relations(("officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f'<p:presentation xmlns:p="{SLIDES}" xmlns:r="{KINDS}"><p:sldIdLst>{ids}</p:sldIdLst>'
        '<p:sldSz cx="1000" cy="500"/></p:presentation>',
        "ppt/_rels/presentation.xml.rels": relations(
            *(("slide", f"slides/slide{n}.xml") for n in range(1, len(trees) + 1))
        ),
    }
    for number, tree in enumerate(trees, 1):
        entries[f"ppt/slides/slide{number}.xml"] = slide(tree)
    return archive(entries | dict(parts or {}))


def slide(tree: str, attributes: str = "") -> str:
    """The XML of a slide."""
    spaces = f'xmlns:p="{SLIDES}" xmlns:a="{DRAWING}" xmlns:r="{KINDS}" xmlns:dgm="{DIAGRAM}"'
    return f"<p:sld {spaces} {attributes}><p:cSld><p:spTree>{tree}</p:spTree></p:cSld></p:sld>"


def shape(
    text: str, *, place: tuple[int, int, int, int] | None = None, kind: str = "", bullet: str = "", level: int = 0
) -> str:
    """A shape with a paragraph a line; `place` is left, top, width and height, on slides of 1000 by 500."""
    mark = f'<p:ph type="{kind}"/>' if kind else ""
    box = (
        f'<a:xfrm><a:off x="{place[0]}" y="{place[1]}"/><a:ext cx="{place[2]}" cy="{place[3]}"/></a:xfrm>'
        if place
        else ""
    )
    properties = f'<a:pPr lvl="{level}">{bullet}</a:pPr>'
    lines = "".join(f"<a:p>{properties}<a:r><a:t>{line}</a:t></a:r></a:p>" for line in text.split("\n"))
    head = f'<p:nvSpPr><p:cNvPr id="1" name="x"/><p:cNvSpPr/><p:nvPr>{mark}</p:nvPr></p:nvSpPr>'
    return f"<p:sp>{head}<p:spPr>{box}</p:spPr><p:txBody><a:bodyPr/>{lines}</p:txBody></p:sp>"


def group(inside: str, place: tuple[int, int, int, int], inner: tuple[int, int, int, int]) -> str:
    """A group at a place, and the coordinates that this place has inside it."""
    left, top, width, height = place
    box = f'<a:off x="{left}" y="{top}"/><a:ext cx="{width}" cy="{height}"/>'
    box += f'<a:chOff x="{inner[0]}" y="{inner[1]}"/><a:chExt cx="{inner[2]}" cy="{inner[3]}"/>'
    return f"<p:grpSp><p:nvGrpSpPr/><p:grpSpPr><a:xfrm>{box}</a:xfrm></p:grpSpPr>{inside}</p:grpSp>"
