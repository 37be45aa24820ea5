"""Mail (EML, MSG): the subject as heading, the header lines a person would copy, the body, and the names of files in
it.

EML is read with the standard library, MSG with olefile; bodies go through the readers of HTML and of plain text.
Measured
on the four real files: unstructured 0.27.32 (`process_attachments=False`) gives the same words of the bodies and
neither
subject nor header lines, and it shows no quoted text and no mail within a mail as such.
"""

from __future__ import annotations

from chunking.parsing.formats.email.reader import read_mail

__all__ = ["read_mail"]
