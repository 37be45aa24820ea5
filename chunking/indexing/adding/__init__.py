"""Add files to a workspace: parse them side by side, give them ids, and save them in batches.

adding_files.py    `read_files` and `add_files`; file_reading.py: their options
file_stream.py     files parsed side by side, in order; unchanged ones are left out
intake.py          ids of documents, and the files they came from
parser_choices.py  which parser reads a document; reparsing.py: read stored files again
table_sample.py    documents of a Lance or LanceDB table
"""
