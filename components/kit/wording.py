"""Numbers, names and users' texts as labels."""

from __future__ import annotations

import re

from chunking.allowed import allowed
from chunking.display import LANGUAGES, quantity
from chunking.parsing import PARSERS, format_named
from chunking.viewing.labels import has_clock, page_word, shortened, token_words

__all__ = [
    "JOINER",
    "LANGUAGES",
    "duration",
    "format_word",
    "has_clock",
    "hide_folder",
    "isolated",
    "page_word",
    "parser_word",
    "plain",
    "quantity",
    "shortened",
    "token_words",
    "without_folders",
]

JOINER = "\u2060"
"""Invisible character without a line break: between two characters, it keeps them from being read as one sign."""

_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Direction marks: one in a name would reverse the sentence after it."""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
"""Letters and digits of Hebrew, Arabic and the other right-to-left scripts."""
_ISOLATE, _POP = "\u2068", "\u2069"
_LINKS = re.compile(r"(?<=:)(?=//|material/|streamlit:)|(?<=www)(?=\.)|(?<=@)(?=[-\w])", re.IGNORECASE)
"""Addresses and Streamlit's icons, which Streamlit finds after Markdown is parsed, so that a backslash does not help.
"""
_ARROWS = re.compile(r"(?<!\S)([<>~-])([-=>])(?!\S)")
"""Sequences such as `->`, which Streamlit turns into arrows."""
_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+!|~$:&-])")
_hidden: dict[str, str] = {}
"""Folders of the host to their replacements, see `hide_folder`."""
_NUMBERED = re.compile(r"^(\d+)(?=\.)")


def format_word(name: str) -> str:
    """Return the label of a document format; an unknown name is unchanged.

    >>> format_word("markdown"), format_word("pptx"), format_word("what no row has")
    ('Markdown', 'PowerPoint', 'what no row has')
    """
    row = format_named(name)
    return name if row is None else row.label


def parser_word(name: str) -> str:
    """Return the label of a parser; the name of one that is no longer installed is unchanged.

    >>> parser_word("built-in"), parser_word("gone")
    ('built-in', 'gone')
    """
    return next((row.label for row in PARSERS if row.name == name), name)


def duration(seconds: float) -> str:
    """Return seconds as text in at most two units, such as `1 min 15 s`.

    >>> duration(0.4), duration(75), duration(8), duration(7300), duration(600), duration(14400)
    ('under a second', '1 min 15 s', '8 s', '2 h 1 min', '10 min', '4 h')
    """
    if seconds < 1:
        return "under a second"
    minutes, rest = divmod(round(seconds), 60)
    parts = ((minutes // 60, "h"), (minutes % 60, "min")) if minutes >= 60 else ((minutes, "min"), (rest, "s"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number)


def hide_folder(folder: str, called: str = "this workspace") -> None:
    """Make `plain` replace a folder of the host and all below it, so that visitors learn no path.

    Applies only to servers that others use. The root of the disk is not hidden.
    """
    if folder.strip("/"):
        _hidden[folder.rstrip("/")] = called


def without_folders(text: str) -> str:
    """Replace the host's folders in a sentence, on a shared server; for text that skips `plain`."""
    if allowed().everything:
        return text
    for folder in sorted(_hidden, key=len, reverse=True):
        if folder in text:
            text = re.sub(rf"{re.escape(folder)}(?:/[\w.-]*\w)*/?", _hidden[folder], text)
    return text


def plain(text: str) -> str:
    """Escape a user's text, on one line, so that Streamlit's Markdown shows it literally.

    Also replaces hidden folders (`without_folders`) and isolates right-to-left text (`isolated`).

    >>> print(plain("![x](y) $1 :red"))
    \\!\\[x\\]\\(y\\) \\$1 \\:red
    >>> print(plain("1. Install"))
    1\\. Install
    """
    shown = _TURNS.sub("", " ".join(without_folders(text).split()))
    shown = _ARROWS.sub(rf"\1{JOINER}\2", _LINKS.sub(JOINER, shown))
    return isolated(_NUMBERED.sub(r"\1\\", _MARKUP.sub(r"\\\1", shown)))


def isolated(text: str) -> str:
    """Isolate right-to-left text for a label, and remove direction marks.

    >>> isolated("handbook.md"), isolated("invoice\u202efdp.md"), isolated("\u05e9\u05dc") == "\u2068\u05e9\u05dc\u2069"
    ('handbook.md', 'invoicefdp.md', True)
    """
    shown = _TURNS.sub("", text)
    return f"{_ISOLATE}{shown}{_POP}" if _RIGHT_TO_LEFT.search(shown) else shown
