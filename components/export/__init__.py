"""What the Export page is made of: cards, sizes, downloads, code, the report."""

from __future__ import annotations

from components.export.index_exports import document_export_cards, index_export_cards
from components.export.question_exports import question_export_cards
from components.export.report_card import report_card
from components.export.travel_list import travel_list

__all__ = ["document_export_cards", "index_export_cards", "question_export_cards", "report_card", "travel_list"]
