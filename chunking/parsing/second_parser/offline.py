"""Run `unstructured` without its network calls and downloads.

By default it sends a message to its makers when imported and for each file (`unstructured.telemetry`), prints a notice
(`unstructured._usage_notice`), and downloads a spaCy model at its first text (`unstructured.nlp.tokenize`). It no
longer uses NLTK.
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
"""Its environment variables against messages, read at import and with each file."""
_LONGEST = 10**9
"""Characters of a text: spaCy's default limit of a million is for models not used here."""


def switch_messages_off() -> None:
    """Stop its messages; call before importing anything of `unstructured`."""
    os.environ.update(_SWITCHES)
    logging.getLogger("unstructured").setLevel(logging.ERROR)


@cache
def prepare_readers() -> None:
    """Also stop the readers from downloading a model.

    Their guesses whether a text is a title or a narrative rest on that model, and mean little without it.
    """
    switch_messages_off()
    from unstructured.nlp import tokenize

    tokenize._get_nlp = _sentencizer


@cache
def _sentencizer() -> Language:
    """Split sentences by their stops, in place of the model."""
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.max_length = _LONGEST
    return nlp
