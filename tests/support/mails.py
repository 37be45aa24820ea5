"""E-mails with attachments."""

from __future__ import annotations

from collections.abc import Mapping
from email.message import EmailMessage
from email.policy import SMTP

__all__ = ["mail_with"]


def mail_with(attachments: Mapping[str, str], text: str = "See the attached files.", subject: str = "Birds") -> bytes:
    """Return an EML file with texts attached under their names."""
    mail = EmailMessage()
    mail["Subject"], mail["From"] = subject, "Ann <ann@example.org>"
    mail.set_content(text)
    for name, content in attachments.items():
        mail.add_attachment(content, filename=name)
    return mail.as_bytes(policy=SMTP)
