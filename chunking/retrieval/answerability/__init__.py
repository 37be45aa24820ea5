"""Whether the documents seem to hold what was asked: a sign above the hits, which stay as they are."""
