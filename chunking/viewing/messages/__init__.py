"""Messages from a host to the viewer's scripts: large data once, under a key; offsets with every step.

text_message.py   a document's text and properties
view_message.py   bands, marks, pins, answers, compared chunks and selection; bands.py: the bands
sliders.py        a setting's slider, and the dial of live recall
packing.py        numbers and texts as short strings; code_tokens.py: syntax highlighting
"""

from __future__ import annotations

from chunking.viewing.messages.bands import EDITED, Bands, Groups, block_bands, chunk_bands, stored_bands
from chunking.viewing.messages.sliders import DialTrial, Number, dial_message, number_of, with_trial
from chunking.viewing.messages.text_message import TextMessage, text_key, text_message
from chunking.viewing.messages.view_message import (
    AnswerSpans,
    Goto,
    OtherChunks,
    PinMark,
    TextMark,
    ViewMarks,
    answer_spans,
    answers_message,
    letters,
    other_chunks_message,
    view_message,
)

__all__ = [
    "EDITED",
    "AnswerSpans",
    "Bands",
    "DialTrial",
    "Goto",
    "Groups",
    "Number",
    "OtherChunks",
    "PinMark",
    "TextMark",
    "TextMessage",
    "ViewMarks",
    "answer_spans",
    "answers_message",
    "block_bands",
    "chunk_bands",
    "dial_message",
    "letters",
    "number_of",
    "other_chunks_message",
    "stored_bands",
    "text_key",
    "text_message",
    "view_message",
    "with_trial",
]
