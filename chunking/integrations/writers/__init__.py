"""Writers of an index with its vectors to other vector stores.

vector_target.py    rows (a chunk with vector, metadata and digest) and the interface of a store
index_writing.py    synchronisation: compare by id and digest, write changes, delete the rest
writer_table.py     table of the stores
chroma_target.py, qdrant_target.py, arrow_targets.py    the stores
"""
