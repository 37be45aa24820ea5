"""Read a mail file."""

from __future__ import annotations

from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.formats.email.letters import read_letter
from chunking.parsing.formats.email.messages import read_message
from chunking.parsing.formats.email.outlook import MAGIC, read_outlook

__all__ = ["read_mail"]


def read_mail(raw: RawFile) -> Reading:
    """Read an EML or MSG file, whatever its extension.

    A forwarded mail is a file of its own, and so is every readable attachment; others are named in a warning.

    Raises:
        ParseError: it is no mail.
        TooLargeError: over a limit of parts, of HTML, or of the text.
    """
    return read_letter(read_outlook(raw) if raw.data.startswith(MAGIC) else read_message(raw), raw)
