"""Settings as YAML that anybody may have written, read in time and memory that grow with the text alone.

A few hundred letters of YAML can stand for billions of values by naming each other (`&a`, `*a`). No settings need that,
so it is refused.
"""

from __future__ import annotations

from typing import Any

import yaml

from chunking.errors import ConfigError

__all__ = ["DOCUMENTS", "LONGEST", "read_tree"]

DOCUMENTS = "documents"
"""Part of a configuration file that holds no settings: edits, pins and encodings of documents
(`indexing.DocumentInputs`).
"""

LONGEST = 200_000
"""Characters of a text that may be settings."""
_DEEPEST = 20
"""Levels of lists and mappings within each other; settings have four."""


class _Plain(yaml.SafeLoader):
    """Values that are written out where they stand."""

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("a value names another one with *; write it out")
        self._depth += 1
        if self._depth > _DEEPEST:
            raise yaml.YAMLError(f"more than {_DEEPEST} levels")
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def read_tree(text: str, *, where: str) -> Any:
    """The values in a text.

    Raises:
        ConfigError: it is too long or no YAML, or its values name each other.
    """
    if len(text) > LONGEST:
        raise ConfigError(
            f"{where} is longer than {LONGEST:,} characters, so it cannot be a file of settings; check it.", where=where
        )
    try:
        return yaml.load(text, _Plain)  # a SafeLoader: it makes plain values alone
    except (yaml.YAMLError, ValueError) as error:  # an impossible date is no YAML error
        reason = str(error).splitlines()[0]
        raise ConfigError(f"{where} is not valid YAML ({reason}); fix it or leave it out.", where=where) from error
