"""A document's text with what was cut from it drawn over it: chunks, overlaps, prefixes, hits, answers.

The text travels to the browser once a document (`deliver_text`); a moved slider sends offsets only (`viewer`).
"""

from components.kit.viewer.answers import AnswerSpans, answer_spans, deliver_answers, letters
from components.kit.viewer.bands import EDITED, Bands, Groups, block_bands, chunk_bands, stored_bands
from components.kit.viewer.component import Goto, Mark, Marks, Picked, deliver_text, text_key, viewer, watch_sections
from components.kit.viewer.other_chunks import OtherChunks, deliver_other_chunks
from components.kit.viewer.pins import PinMark

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
