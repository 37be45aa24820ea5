"""ZIP archives as attackers and damaged disks make them."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping

BILLION_LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10)) + "]>"
)
"""Ten bytes that would be a billion `ha`; the entity to use is `a9`."""
EXTERNAL = '<!DOCTYPE x [<!ENTITY a9 SYSTEM "file:///etc/passwd">]>'
"""An entity that reads a file of the machine."""


def zipped(entries: Mapping[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An honest archive of some entries, in their order."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def replaced(data: bytes, entries: Mapping[str, bytes | str]) -> bytes:
    """An archive with some entries changed or added; the others as they were."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        contents = {info.filename: archive.read(info) for info in archive.infolist()}
    return zipped({**contents, **entries})


def lying(data: bytes, name: str, size: int) -> bytes:
    """An archive whose directory and local header say another size for an entry than it has."""
    forged = bytearray(data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        info = archive.getinfo(name)
    struct.pack_into("<I", forged, info.header_offset + 22, size)
    entry = forged.find(b"PK\x01\x02")
    while forged[entry + 46 : entry + 46 + len(name)] != name.encode():
        entry = forged.index(b"PK\x01\x02", entry + 4)
    struct.pack_into("<I", forged, entry + 24, size)
    return bytes(forged)


def overlapping(copies: int = 400, size: int = 1 << 20) -> bytes:
    """Many directory entries that all lead to the same packed bytes."""
    one = zipped({"x": bytes(size)})
    start = one.index(b"PK\x01\x02")
    entry, end = one[start : one.index(b"PK\x05\x06")], one[one.index(b"PK\x05\x06") :]
    closing = bytearray(end)
    struct.pack_into("<HHII", closing, 8, copies, copies, len(entry) * copies, start)
    return one[:start] + entry * copies + bytes(closing)
