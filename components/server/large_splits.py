"""Splitting what is long enough to fill a server's memory: a person has one such split at a time, and all people two;
the others wait.

A document of 50 MB in chunks of 16 tokens takes a server of 0.4 GB to 2.8 GB, for twenty seconds. Four tabs of one
person took it to 8.7
GB at once and kept another's step of the slider waiting for up to 1.4 s; one after the other it is 5.1 GB, since each
tab keeps what it
shows, and 0.6 s, and sooner done.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from streamlit.runtime.scriptrunner_utils.script_run_context import get_run_yield_check

from components.server.turns import Turns
from components.session.host import host
from components.session.workspace import LARGE

__all__ = ["in_turn"]

_TURNS = Turns(
    2,
    120.0,
    own="Your long documents are being split in another tab; reload this page when that is done.",
    others="Long documents of others are being split; reload this page in a minute.",
    own_waits=True,
)


@contextmanager
def in_turn(characters: int) -> Iterator[None]:
    """Split in here; a run that is not wanted any more, of a closed tab or for an older setting, does not wait on.

    Args:
        characters: of the document, or of the longest; up to `LARGE` it takes less than a second, and waits for nobody.
    Raises:
        QuotaError: other long ones went on for two minutes.
    """
    if characters <= LARGE:
        yield
        return
    with _TURNS.taken(host().counted_as(), get_run_yield_check() or (lambda: None)):
        yield
