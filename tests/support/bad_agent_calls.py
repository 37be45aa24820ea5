"""Invalid calls of agents' tools on the shelf, which are refused over every transport."""

from __future__ import annotations

import math
from typing import Any

from tests.support.facts import tells

__all__ = ["BAD_CALLS", "LONGEST_REFUSAL", "UNSENDABLE_CALLS", "check_refusal"]

Calls = list[tuple[str, dict[str, Any], str]]

LONGEST_REFUSAL = 600
"""Maximum characters of a refusal."""
BAD_CALLS: Calls = [
    ("search", {"query": "x" * 900_000}, "query 2000"),
    ("search", {"query": ""}, "query"),
    ("search", {"query": "   "}, "query"),
    ("search", {}, "query"),
    ("search", {"query": "x", "k": 1_000_000}, "k 50"),
    ("search", {"query": "x", "k": "many"}, "k integer"),
    ("search", {"query": "x", "top_k": 3}, "top_k k"),
    ("search", {"query": "x", "y" * 5_000: 3}, "query"),
    ("search", {"query": "x", "mode": "magic"}, "mode hybrid"),
    ("search", {"query": "x", "retrieval": "magic"}, "magic"),
    ("search", {"query": "x", "filters": {"colour": "red"}}, "filters.colour content_type"),
    ("search", {"query": "x", "filters": [1]}, "filters"),
    ("search", {"query": {"a": 1}}, "query"),
    ("fetch", {"id": "nope"}, "nope search"),
    ("fetch", {"id": "x" * 501}, "id 500"),
    ("fetch", {"id": "guide_handbook", "cursor": "zz"}, "cursor next"),
    ("toc", {"doc": "nope"}, "nope"),
    ("related", {"doc": "nope"}, "nope"),
    ("related", {"doc": "guide_handbook", "n": 10**30}, "n 20"),
    ("show_chunks", {"doc": "nope"}, "nope"),
    ("list_documents", {"page": 3}, "page cursor"),
    ("evaluate", {"questions": "nope"}, "question"),
    ("collect", {"path": "../.."}, "files"),
    ("collect", {"path": "/etc/passwd"}, "files"),
    ("collect", {"path": "~/.ssh"}, "files"),
    ("collect", {"path": "file:///etc/passwd"}, ""),
    ("collect", {"path": "a\0b"}, "files"),
    ("collect", {"text": "x", "name": "../x.md"}, "name .md"),
    ("delete", {"ids": []}, "ids"),
    ("delete", {"ids": ["nope"]}, "nope"),
    ("delete", {"ids": ["x"] * 101}, "ids 100"),
    ("magic", {}, "magic search"),
]
"""(tool, arguments, facts that the refusal must name)"""
UNSENDABLE_CALLS: Calls = [
    ("search", {"query": "x" * 1_000_000}, "query 2000"),
    ("search", {"query": "x", "budget": math.inf}, "budget"),
    ("fetch", {"id": "a\ud800b"}, "id"),
    ("collect", {"text": "x" * 1_000_001, "name": "x.md"}, "text 1000000"),
]
"""Calls that JSON cannot express, or that exceed a server's request limit of a megabyte."""


def check_refusal(call: tuple[str, dict[str, Any], str], sentence: str, refused: bool | None) -> None:
    """Assert that a refusal is one bounded sentence with the expected facts."""
    name, arguments, facts = call
    shown = (name, str(arguments)[:100], sentence[:1_000])
    assert refused, shown
    assert len(sentence) <= LONGEST_REFUSAL, shown
    assert "\n" not in sentence, shown
    assert sentence.endswith((".", ")")), shown
    assert tells(sentence, facts), shown
