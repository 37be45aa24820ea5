"""Codecs of RTF text, by the character set of a font or by code page.

Numbers as in the Rich Text Format specification 1.9.1 (`\\fcharset`, `\\cpg`, `\\ansicpg`).
"""

from __future__ import annotations

import codecs

__all__ = ["codec_of_charset", "codec_of_page"]

_PAGES: dict[int, str] = {
    **{
        0: "",
        708: "iso8859_6",
        709: "iso8859_6",
        710: "iso8859_6",
        720: "cp720",
        819: "cp1252",
        936: "gb18030",
        1361: "johab",
    },
    **{
        10000: "mac_roman",
        10001: "cp932",
        10002: "cp950",
        10003: "cp949",
        10006: "mac_greek",
        10007: "mac_cyrillic",
        10008: "gb18030",
    },
    **{
        10029: "mac_latin2",
        10079: "mac_iceland",
        10081: "mac_turkish",
        20866: "koi8_r",
        21866: "koi8_u",
        65001: "utf-8",
    },
}
"""Code pages whose codec in Python is not `cp` and the number."""
_CHARSETS: dict[int, int] = {
    **{
        77: 10000,
        78: 10001,
        79: 10003,
        80: 10008,
        81: 10002,
        82: 1361,
        83: 1255,
        84: 1256,
        85: 10006,
        86: 10081,
        87: 874,
        88: 10029,
        89: 10007,
    },
    **{
        128: 932,
        129: 949,
        130: 1361,
        134: 936,
        136: 950,
        161: 1253,
        162: 1254,
        163: 1258,
        177: 1255,
        178: 1256,
        179: 1256,
        180: 1256,
    },
    **{181: 1255, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850},
}
"""Code page by a font's character set; 83, 84 and 87 are old Macs', read as Windows reads the script."""


def codec_of_page(number: int) -> str | None:
    """Return Python's codec for a code page; None if it has none.

    >>> codec_of_page(936), codec_of_page(1251), codec_of_page(99999)
    ('gb18030', 'cp1251', None)
    """
    try:
        return codecs.lookup(_PAGES.get(number, f"cp{number}")).name
    except LookupError:
        return None


def codec_of_charset(number: int) -> str | None:
    """Return the codec of a font's character set; None if the file decides.

    That is so for ANSI, default, symbol and unknown character sets.

    >>> codec_of_charset(128), codec_of_charset(1)
    ('cp932', None)
    """
    return codec_of_page(_CHARSETS[number]) if number in _CHARSETS else None
