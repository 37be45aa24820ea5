"""Workbooks (XLSX): a section a sheet, its tables with their headers, its other cells as paragraphs.

The sheets are read as XML, row by row, with nothing but lxml: what a sheet says of its own dimension is never believed,
and cells far apart cost nothing. unstructured 0.27.32 (pandas, openpyxl) was tried on the same real files: it leaves
the
names of the sheets out of the text, cuts tables at the empty row under their header, and shows numbers without their
formats.
"""

from __future__ import annotations

from chunking.parsing.formats.office.xlsx.reader import read_sheets

__all__ = ["read_sheets"]
