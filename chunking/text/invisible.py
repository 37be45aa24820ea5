"""Characters that nobody sees, and that programs write into titles: spaces of no width, marks of direction, byte order
marks.
"""

from __future__ import annotations

import re

__all__ = ["without_invisible"]

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]+"
)
_JOINERS = re.compile("(?<![^\\s])[\u200c\u200d]+|[\u200c\u200d]+(?![^\\s])")
"""They shape letters of many scripts and emoji, so only those that join nothing go."""


def without_invisible(text: str) -> str:
    """A title without what nobody sees; joiners stay between characters.

    >>> without_invisible("Set\u00adup\u200b"), without_invisible("می\u200cخواهم") == "می\u200cخواهم"
    ('Setup', True)
    """
    return text if text.isascii() else _JOINERS.sub("", _INVISIBLE.sub("", text))
