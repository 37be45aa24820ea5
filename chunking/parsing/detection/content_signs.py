"""Signs of single formats in the content of a file, where a pattern does not say it."""

from __future__ import annotations

import codecs
import re

from chunking.parsing.detection.magic import CONTROLS

__all__ = ["HEAD", "HTML", "looks_like_mail", "starts_pdf", "starts_rtf"]

HEAD = 1 << 16
"""Bytes of a file that are looked at."""
HTML = re.compile(r"(?:\s|<\?xml[^>]*>|<!--.*?-->)*+<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_HEADER = re.compile(r"(?:From|To|Subject|Date|Received|Return-Path|MIME-Version|Message-ID|Delivered-To|Reply-To):", re.IGNORECASE)
_FIELD = re.compile(r"[!-9;-~]+:|[ \t]")


def starts_pdf(data: bytes) -> bool:
    """Its mark may stand behind a kilobyte of anything, but in a text it is just a word."""
    head = data[:1024]
    at_start = head.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"%PDF-")
    return at_start or (b"%PDF-" in head and _is_binary(data[:HEAD]))


def starts_rtf(data: bytes) -> bool:
    """By its mark, behind white space."""
    return data[:64].removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{\\rtf")


def looks_like_mail(head: str) -> bool:
    """Three lines of headers that mails have, before the first empty line, and nothing but headers among them."""
    lines = head.lstrip().partition("\n\n")[0].split("\n")[:200]
    return all(map(_FIELD.match, lines)) and sum(bool(_HEADER.match(line)) for line in lines) >= 3


def _is_binary(head: bytes) -> bool:
    return b"\0" in head or len(head) - len(head.translate(None, CONTROLS)) > 0
