"""The report: one HTML file for readers without Chunkscope, which needs no server or network."""

from __future__ import annotations

from chunking.export.report.report_contents import ReportContents, contents
from chunking.export.report.report_page import TextlessReport, report_html, reports_without_texts

__all__ = ["ReportContents", "TextlessReport", "contents", "report_html", "reports_without_texts"]
