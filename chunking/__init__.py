"""Chunkscope's library: documents in, chunks, vectors and hits out; every hit a span of the text."""
