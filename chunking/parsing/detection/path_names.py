"""Derive names from a file's path: safe source, id, folders and category."""

from __future__ import annotations

import hashlib
import itertools
import re
import unicodedata
from collections.abc import Collection

__all__ = [
    "MAX_ID",
    "MAX_SOURCE",
    "category_of",
    "clean_source",
    "make_doc_id",
    "numbered_id",
    "numbered_source",
    "path_hierarchy",
    "stem",
]

MAX_SOURCE = 300
"""Most characters of a source path."""
MAX_ID = 100
"""Most characters of a document's id."""

_CATEGORIES: tuple[tuple[str, frozenset[str]], ...] = (
    ("faq", frozenset({"faq", "faqs", "questions", "常见问题", "问答"})),
    ("api", frozenset({"api", "apis", "reference", "rest", "openapi", "接口"})),
    (
        "demo",
        frozenset(
            {"demo", "demos", "example", "examples", "sample", "samples", "tutorial", "tutorials", "示例", "演示"}
        ),
    ),
)
"""Categories and the path words that mean them; the first row wins."""

_DRIVE = re.compile(r"^[A-Za-z]:(?=/|$)")
_SPACE = re.compile(r"\s+")
_NOT_ID = re.compile(r"[^\w-]+")
_WORDS = re.compile(r"[^\W_]+")
_EXTENSION = re.compile(r"[\w.-]{1,12}")


def clean_source(name: str) -> str:
    """Return a safe path in the workspace: no `..`, drive, control characters; at most 300 long.

    >>> clean_source("..\\\\..\\\\etc/./passwd\\x00")
    'etc/passwd'
    >>> clean_source("../")
    'document'
    """
    visible = "".join(c for c in _SPACE.sub(" ", name) if unicodedata.category(c) not in ("Cc", "Cf", "Cs"))
    path = _DRIVE.sub("", visible.replace("\\", "/"))
    parts = [" ".join(part.split()) for part in path.split("/")]
    visible_parts = [part for part in parts if part.strip(". ")]
    return _shortened("/".join(visible_parts)) or "document"


def _shortened(path: str) -> str:
    """The start and the extension of a long path, with 8 hex digits of the full one between."""
    if len(path) <= MAX_SOURCE:
        return path
    dot = path.rfind(".")
    ending = path[dot:] if dot > path.rfind("/") and _EXTENSION.fullmatch(path[dot:]) else ""
    mark = f"_{_digest(path)}"
    return path[: MAX_SOURCE - len(mark) - len(ending)].rstrip("/ ") + mark + ending


def make_doc_id(source: str, used: Collection[str] = ()) -> str:
    """Return an unused id from a path, at most `MAX_ID` long: letters, digits, `_` and `-`.

    >>> make_doc_id("handbook/install.md")
    'handbook_install'
    >>> make_doc_id("handbook/install.txt", {"handbook_install"})
    'handbook_install_2'
    """
    folders, _, name = unicodedata.normalize("NFC", source).rpartition("/")
    base = _NOT_ID.sub("_", f"{folders}/{_without_ending(name)}").strip("_-") or "document"
    if len(base) > MAX_ID:
        base = f"{base[: MAX_ID - 9]}_{_digest(source)}"
    numbers = itertools.count(2)
    doc_id = base
    while doc_id in used:
        doc_id = numbered_id(base, next(numbers))
    return doc_id


def numbered_id(doc_id: str, number: int) -> str:
    """Return an id with a number after it, shortened if needed to stay within `MAX_ID`.

    >>> numbered_id("handbook_install", 2)
    'handbook_install_2'
    """
    return f"{doc_id[: MAX_ID - len(str(number)) - 1]}_{number}"


def numbered_source(source: str, used: Collection[str]) -> str:
    """Return an unused path: `notes.md` a second time becomes `notes (2).md`.

    >>> numbered_source("notes.md", {"notes.md", "notes (2).md"})
    'notes (3).md'
    """
    name, number = source, 1
    stem, dot, ending = source.rpartition(".")
    while name in used:
        number += 1
        name = clean_source(f"{stem} ({number}){dot}{ending}" if dot else f"{source} ({number})")
    return name


def stem(source: str) -> str:
    """Return the file name of a path, without folders and extension.

    >>> stem("handbook/install.md")
    'install'
    """
    return _without_ending(source.rpartition("/")[2])


def path_hierarchy(source: str) -> tuple[str, ...]:
    """Return the folders of a cleaned source path, from the top."""
    return tuple(source.split("/")[:-1])


def category_of(source: str) -> str:
    """Return `faq`, `api` or `demo` by words in the file name, else in its folders; else `doc`.

    >>> category_of("reference/rest-api.md"), category_of("guide/install.md")
    ('api', 'doc')
    """
    for part in reversed([*path_hierarchy(source), stem(source)]):
        words = {word.lower() for word in _WORDS.findall(part)}
        for category, meanings in _CATEGORIES:
            if words & meanings or any(not word.isascii() and word in part for word in meanings):
                return category
    return "doc"


def _without_ending(name: str) -> str:
    head, dot, _ = name.rpartition(".")
    return head if dot and head else name


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
