"""How many tokens each block of a document has, for the hover on it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from chunking.embedding.model_folder import counting_folder
from chunking.errors import ModelError
from chunking.model import Document
from chunking.splitting import block_tokens, token_counter
from components.session import share
from components.session.document_caches import clear_when_unused

__all__ = ["block_sizes"]

_MOST = 2_000_000
"""Characters of a document whose blocks are counted: a third of a second."""


def block_sizes(of: Document) -> NDArray[np.int32] | None:
    """(blocks,) tokens, counted once by the tokenizer of the embedding model in force; None for a very long document,
    and where that
    model is not at hand, which the Chunks page says."""
    if len(of.text) > _MOST:
        return None
    try:
        folder = counting_folder(share.config().embedding)
    except ModelError:
        return None
    return _counted(of, str(folder.path), folder.revision)[1]


# By identity: what is kept holds its document, so that no other one gets its id while it lives.
@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=24, hash_funcs={Document: id})
def _counted(of: Document, tokenizer: str, revision: str) -> tuple[Document, NDArray[np.int32]]:
    return of, block_tokens(of, token_counter(Path(tokenizer)))
