"""Whether this process keeps its people apart at the server's door, as serve.py does.

Sessions taken up again by their id, uploads on their way, pictures and downloads, and pages of other sites are the
server's matter: app.py
alone (`streamlit run app.py`) has Streamlit's own answers to them, which are fine for one person.
"""

from __future__ import annotations

__all__ = ["is_protected", "note_protected"]

_protected = False


def note_protected() -> None:
    """All layers are around the server of this process; serve.py calls it last."""
    global _protected
    _protected = True


def is_protected() -> bool:
    """Whether people who do not know each other can be let in."""
    return _protected
