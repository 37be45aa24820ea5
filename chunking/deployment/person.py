"""A person of a deployment, and the special ids that stand for no single person."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

__all__ = ["EVERYONE", "LOCAL", "LONGEST_NAME", "SERVER", "Person", "readable_name"]

EVERYONE = "*"
"""Special id: everyone who is signed in."""
LONGEST_NAME = 80
"""Maximum characters stored of the name of a person, a workspace or a snapshot."""


@dataclass(frozen=True, slots=True)
class Person:
    """User of the deployment."""

    id: str
    name: str = ""
    email: str = ""
    last_seen: float = 0.0
    """Seconds since 1970; 0 if never."""
    suspended: bool = False


LOCAL = Person("local", "You")
"""The only person of the mode local."""
SERVER = "server"
"""Special id: the server, which fills workspaces before anybody works in them."""


def readable_name(name: str) -> str:
    """Clean a name for storage: one line, no control or invisible characters, at most `LONGEST_NAME` long.

    >>> readable_name("  Ann\\u202e  Other\\n")
    'Ann Other'
    """
    letters = (
        " " if letter.isspace() else letter
        for letter in name
        if letter.isspace() or unicodedata.category(letter)[0] != "C"
    )
    short = " ".join("".join(letters).split())
    return short if len(short) <= LONGEST_NAME else f"{short[: LONGEST_NAME - 1].rstrip()}…"
