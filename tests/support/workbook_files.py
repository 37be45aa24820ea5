"""Workbooks written byte by byte: Excel 97 (BIFF8 in OLE2), binary Excel, OpenDocument."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

__all__ = ["Sheets", "compound", "ods", "xls", "xls_stream", "xlsb", "xlsb_sheet"]

Value = str | int | float
Sheets = Mapping[str, Sequence[Sequence[Value]]]
"""Rows by sheet name; empty texts are no cells."""


# -- Excel 97: records of [MS-XLS] in a compound file of [MS-CFB]


def xls(sheets: Sheets, stream: str = "Workbook") -> bytes:
    """Return an Excel 97 workbook."""
    return compound({stream: xls_stream(sheets)})


def xls_stream(sheets: Sheets) -> bytes:
    """Return the stream of a workbook."""
    texts = list(
        dict.fromkeys(
            value for rows in sheets.values() for row in rows for value in row if isinstance(value, str) and value
        )
    )
    total = sum(isinstance(value, str) and value != "" for rows in sheets.values() for row in rows for value in row)
    shared = struct.pack("<II", total, len(texts)) + b"".join(
        struct.pack("<HB", len(text), 1) + text.encode("utf-16-le") for text in texts
    )
    head = _record(0x0809, struct.pack("<HHHHII", 0x0600, 5, 0, 0, 0, 0)) + _record(0x0042, struct.pack("<H", 1200))
    parts = [_xls_sheet(rows, texts) for rows in sheets.values()]
    names = [struct.pack("<BB", len(name), 1) + name.encode("utf-16-le") for name in sheets]
    tail = _record(0x00FC, shared) + _record(0x000A, b"")
    start = len(head) + sum(10 + len(name) for name in names) + len(tail)
    listed = b""
    for name, part in zip(names, parts, strict=True):
        listed += _record(0x0085, struct.pack("<IBB", start, 0, 0) + name)
        start += len(part)
    return head + listed + tail + b"".join(parts)


def _xls_sheet(rows: Sequence[Sequence[Value]], texts: Sequence[str]) -> bytes:
    stream = _record(0x0809, struct.pack("<HHHHII", 0x0600, 16, 0, 0, 0, 0))
    stream += _record(0x0200, struct.pack("<IIHHH", 0, len(rows), 0, max(map(len, rows), default=0), 0))
    for number, row in enumerate(rows):
        for column, value in enumerate(row):
            if isinstance(value, str) and value:
                stream += _record(0x00FD, struct.pack("<HHHI", number, column, 0, texts.index(value)))
            elif not isinstance(value, str):
                stream += _record(0x0203, struct.pack("<HHHd", number, column, 0, value))
    return stream + _record(0x000A, b"")


def _record(kind: int, data: bytes) -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def compound(streams: Mapping[str, bytes]) -> bytes:
    """Return an OLE2 file of a few streams, each padded to 4,096 bytes; under a megabyte in all."""
    filled = {name: data.ljust(max(4096, -(-len(data) // 512) * 512), b"\0") for name, data in streams.items()}
    sectors = sum(len(data) // 512 for data in filled.values())
    tables = -(-(sectors + 1 + 16) // 128)
    table, body, entries, at = (
        [0xFFFFFFFD] * tables + [0xFFFFFFFE],
        b"",
        [_entry("Root Entry", 5, 0xFFFFFFFE, 0, child=1)],
        tables + 1,
    )
    for number, (name, data) in enumerate(filled.items(), 1):
        count = len(data) // 512
        table += [*range(at + 1, at + count), 0xFFFFFFFE]
        entries.append(_entry(name, 2, at, len(data), right=number + 1 if number < len(filled) else -1))
        body, at = body + data, at + count
    table += [0xFFFFFFFF] * (tables * 128 - len(table))
    directory = b"".join(entries).ljust(512, b"\0")
    assert len(directory) == 512
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 16 + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + b"\0" * 6
    header += struct.pack("<IIIIIIIII", 0, tables, tables, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0)
    header += struct.pack("<109I", *range(tables), *[0xFFFFFFFF] * (109 - tables))
    return header + struct.pack(f"<{len(table)}I", *table) + directory + body


def _entry(name: str, kind: int, start: int, size: int, *, child: int = -1, right: int = -1) -> bytes:
    text = (name + "\0").encode("utf-16-le")
    return (
        text.ljust(64, b"\0")
        + struct.pack("<HBBiii", len(text), kind, 1, -1, right, child)
        + b"\0" * 36
        + struct.pack("<IQ", start, size)
    )


# -- binary Excel: records of [MS-XLSB] in a ZIP archive


def xlsb(sheets: Sheets, parts: Mapping[str, bytes] | None = None) -> bytes:
    """Return a binary workbook.

    Args:
        parts: others in the place of its own.
    """
    bundle = b"".join(
        _binary(156, struct.pack("<II", 0, number) + _wide(f"rId{number}") + _wide(name))
        for number, name in enumerate(sheets, 1)
    )
    relations = "".join(
        f'<Relationship Id="rId{number}" '
        f'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
        f'Target="worksheets/sheet{number}.bin"/>'
        for number in range(1, len(sheets) + 1)
    )
    namespace = "http://schemas.openxmlformats.org/package/2006"
    entries: dict[str, bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{namespace}/content-types"><Override PartName="/xl/workbook.bin" '
        'ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/></Types>'.encode(),
        "xl/_rels/workbook.bin.rels": (
            f'<Relationships xmlns="{namespace}/relationships">{relations}</Relationships>'.encode()
        ),
        "xl/workbook.bin": _binary(131) + _binary(143) + bundle + _binary(144) + _binary(132),
    }
    entries |= {f"xl/worksheets/sheet{number}.bin": xlsb_sheet(rows) for number, rows in enumerate(sheets.values(), 1)}
    return _zipped(entries | dict(parts or {}))


def xlsb_sheet(rows: Sequence[Sequence[Value]], places: Mapping[tuple[int, int], Value] | None = None) -> bytes:
    """Return a sheet; `places` are cells by row and column instead of rows."""
    cells = places or {
        (at, column): value for at, row in enumerate(rows) for column, value in enumerate(row) if value != ""
    }
    last = max((at for at, _ in cells), default=0), max((column for _, column in cells), default=0)
    stream = _binary(129) + _binary(148, struct.pack("<IIII", 0, last[0], 0, last[1])) + _binary(145)
    for at in sorted({at for at, _ in cells}):
        stream += _binary(0, struct.pack("<II", at, 0) + b"\0" * 9)
        for (row, column), value in cells.items():
            if row == at:
                text = isinstance(value, str)
                data = _wide(str(value)) if isinstance(value, str) else struct.pack("<d", value)
                stream += _binary(6 if text else 5, struct.pack("<II", column, 0) + data)
    return stream + _binary(146) + _binary(130)


def _binary(kind: int, data: bytes = b"") -> bytes:
    size, length = len(data), b""
    while True:
        length += bytes([(size & 0x7F) | (0x80 if size > 0x7F else 0)])
        size >>= 7
        if not size:
            break
    return (bytes([kind]) if kind < 128 else bytes([(kind & 0x7F) | 0x80, kind >> 7])) + length + data


def _wide(text: str) -> bytes:
    data = text.encode("utf-16-le")
    return struct.pack("<I", len(data) // 2) + data


# -- OpenDocument


def ods(sheets: Sheets, head: str = "", rows: str = "") -> bytes:
    """Return an OpenDocument spreadsheet.

    Args:
        head: what stands before its main element, such as a document type.
        rows: XML of further rows of the last sheet.
    """
    office = "urn:oasis:names:tc:opendocument:xmlns"
    tables = [
        f'<table:table table:name="{escape(name)}">'
        f"{''.join(_ods_row(row) for row in some)}{rows if name == list(sheets)[-1] else ''}"
        "</table:table>"
        for name, some in sheets.items()
    ]
    names = f'xmlns:office="{office}:office:1.0" xmlns:table="{office}:table:1.0" xmlns:text="{office}:text:1.0"'
    body = f"<office:body><office:spreadsheet>{''.join(tables)}</office:spreadsheet></office:body>"
    content = f"{head}<office:document-content {names}>{body}</office:document-content>"
    manifest = f'<manifest:manifest xmlns:manifest="{office}:manifest:1.0"/>'
    kind = b"application/vnd.oasis.opendocument.spreadsheet"
    return _zipped({"mimetype": kind, "META-INF/manifest.xml": manifest.encode(), "content.xml": content.encode()})


def _ods_row(row: Sequence[Value]) -> str:
    cells = [
        f'<table:table-cell office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'
        if isinstance(value, str) and value
        else "<table:table-cell/>"
        if value == ""
        else (
            f'<table:table-cell office:value-type="float" '
            f'office:value="{value}"><text:p>{value}</text:p></table:table-cell>'
        )
        for value in row
    ]
    return f"<table:table-row>{''.join(cells)}</table:table-row>"


def _zipped(parts: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 11, 23, 0, 0, 0)), data)
    return buffer.getvalue()
