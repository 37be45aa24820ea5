"""Ingest: read files, assign ids, save documents."""
