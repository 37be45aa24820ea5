"""What the Export page is made of: cards, sizes, downloads, code, the report."""

from __future__ import annotations

from components.export.index_exports import document_things, index_things
from components.export.question_exports import question_things
from components.export.report_card import report_card

__all__ = ["document_things", "index_things", "question_things", "report_card"]
