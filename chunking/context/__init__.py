"""What stands around a chunk's text where it is embedded: prefixes before it, markup taken out of it."""

from __future__ import annotations

from chunking.context.cleaning import clean_for_embedding
from chunking.context.prefixes import JOINT, SEPARATOR, prefix_text, shorter_prefixes

__all__ = ["JOINT", "SEPARATOR", "clean_for_embedding", "prefix_text", "shorter_prefixes"]
