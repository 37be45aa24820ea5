"""Calls of LanceDB: tables, columns, queries, filters, locks, and its errors as sentences."""
