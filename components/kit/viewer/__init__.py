"""A document's text with what was cut from it drawn over it: chunks, overlaps, prefixes, hits, answers.

The text travels to the browser once a document (`deliver_text`); a moved slider sends offsets only (`viewer`). What is sent, and the
scripts that draw it, are `chunking.viewing`'s, which other hosts use as well; here is Streamlit's end.
"""

from chunking.viewing.messages import (
    EDITED,
    AnswerSpans,
    Bands,
    Goto,
    Groups,
    Mark,
    Marks,
    OtherChunks,
    PinMark,
    answer_spans,
    block_bands,
    chunk_bands,
    letters,
    stored_bands,
    text_key,
)
from components.kit.viewer.component import Picked, deliver_answers, deliver_other_chunks, deliver_text, viewer, watch_sections

__all__ = [
    "EDITED",
    "AnswerSpans",
    "Bands",
    "Goto",
    "Groups",
    "Mark",
    "Marks",
    "OtherChunks",
    "Picked",
    "PinMark",
    "answer_spans",
    "block_bands",
    "chunk_bands",
    "deliver_answers",
    "deliver_other_chunks",
    "deliver_text",
    "letters",
    "stored_bands",
    "text_key",
    "viewer",
    "watch_sections",
]
