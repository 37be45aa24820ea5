"""The report: one HTML file that needs no server and no network, for people who do not run this."""

from __future__ import annotations

from chunking.export.report.report_contents import ReportContents, contents
from chunking.export.report.report_page import TextlessReport, report_html, reports_without_texts

__all__ = ["ReportContents", "TextlessReport", "contents", "report_html", "reports_without_texts"]
