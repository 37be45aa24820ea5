"""Workbooks (XLSX): a section per sheet, tables with headers, other cells as paragraphs.

Sheets are read as XML, row by row, with lxml alone: stated dimensions are never trusted, and distant cells cost
nothing. unstructured 0.27.32 (pandas, openpyxl) on the same real files drops sheet names, cuts tables at the empty row
below their header, and shows numbers without their formats.
"""
