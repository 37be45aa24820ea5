"""Writers of an index with its vectors to other vector stores.

vector_rows.py      a chunk with its vector, metadata and digest: what each store gets
index_writing.py    compare by id and digest, write what has changed, delete what is gone
writer_table.py     a row a store
vector_target.py    what a store must do; chroma_target.py, qdrant_target.py and arrow_targets.py do it
"""
