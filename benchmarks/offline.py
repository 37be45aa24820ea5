"""unstructured without its network calls and downloads.

No reader of this library needs it (`chunking.parsing.formats.pptx`, `xlsx` and `email` say what was measured); it is what they are
compared with. Left alone it sends a message to its makers when it is imported and
for each file, prints a notice, and downloads a language model when it meets its first text.
"""

from __future__ import annotations

import logging
import os
import sys
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["prepare_unstructured"]

_SWITCHES = {
    "SCARF_NO_ANALYTICS": "true",
    "DO_NOT_TRACK": "true",
    "UNSTRUCTURED_DISABLE_NOTICE": "1",
}
"""Its environment variables against messages (`unstructured.utils`, `unstructured._usage_notice`)."""
_LONGEST = 10**9


@lru_cache(maxsize=1)
def prepare_unstructured() -> None:
    """Switch its network off; to be called before anything of `unstructured` is imported, as often as one likes.

    Its guesses whether a text is a title or a narrative rest on the model that is not there, and mean little.

    Raises:
        RuntimeError: `unstructured` is imported already, so that it has sent its message.
    """
    if "unstructured" in sys.modules and not os.environ.get("DO_NOT_TRACK"):
        raise RuntimeError("unstructured was imported before prepare_unstructured() was called")
    os.environ.update(_SWITCHES)
    from unstructured.nlp import tokenize

    tokenize._get_nlp = _sentencizer
    logging.getLogger("unstructured").setLevel(logging.ERROR)


@lru_cache(maxsize=1)
def _sentencizer() -> Language:
    """Sentences by their stops, in place of the model that would be downloaded."""
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.max_length = _LONGEST
    return nlp
