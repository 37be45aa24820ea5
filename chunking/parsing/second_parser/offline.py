"""`unstructured` without its network calls and downloads.

Left alone it sends a message to its makers when it is imported and for each file (`unstructured.telemetry`), prints a
notice
(`unstructured._usage_notice`), and downloads a language model of spaCy when it meets its first text
(`unstructured.nlp.tokenize`).
It has no NLTK any more.
"""

from __future__ import annotations

import logging
import os
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["prepare_readers", "switch_messages_off"]

_SWITCHES = {
    "SCARF_NO_ANALYTICS": "true",
    "DO_NOT_TRACK": "true",
    "UNSTRUCTURED_DISABLE_NOTICE": "1",
}
"""Its environment variables against messages; they are read when it is imported and with each file."""
_LONGEST = 10**9
"""Characters of a text: spaCy refuses longer ones than a million, for the sake of models that are not here."""


def switch_messages_off() -> None:
    """Keep it from sending and printing messages; to be called before anything of `unstructured` is imported."""
    os.environ.update(_SWITCHES)
    logging.getLogger("unstructured").setLevel(logging.ERROR)


@cache
def prepare_readers() -> None:
    """The same for its readers, which would download a model besides.

    Their guesses whether a text is a title or a narrative rest on the model that is not there, and mean little.
    """
    switch_messages_off()
    from unstructured.nlp import tokenize

    tokenize._get_nlp = _sentencizer


@cache
def _sentencizer() -> Language:
    """Sentences by their stops, in place of the model that would be downloaded."""
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.max_length = _LONGEST
    return nlp
