"""Pure stages of an index build: documents to rows, and texts to vectors.

Each is a function of its arguments alone. It knows no workspace, lock, cache, clock or process, so the engine of one
process and that of a cluster call the same, and a row depends on its document and the configuration only.

    bytes -> documents      `chunking.parsing.parse_all`, guarded: `parse_all_guarded`
    families -> ids         `document_ids.assign_ids`, which alone needs all files; `with_ids`
    document -> rows        `row_splitting.split_rows`, then `document_cut.cut_document`: Arrow, without vectors
    rows -> texts           `row_vectors.row_texts`: what the model reads of each row
    texts -> vectors        an `Embedder`; `row_vectors.row_vectors` gives each row its own
"""

from __future__ import annotations
