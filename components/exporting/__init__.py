"""What the Export page is made of: cards, sizes, downloads, code, the report."""

from __future__ import annotations

from components.exporting.index_things import index_things
from components.exporting.question_things import question_things
from components.exporting.report_card import report_card

__all__ = ["index_things", "question_things", "report_card"]
