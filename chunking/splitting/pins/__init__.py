"""Pins: what people decided about a document's boundaries, stored, settled and applied."""
