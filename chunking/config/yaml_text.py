"""Parse untrusted YAML settings in time and memory proportional to the text.

A few hundred characters of YAML can expand to billions of values through references (`&a`, `*a`). Settings need none,
so they are refused.
"""

from __future__ import annotations

from typing import Any

import yaml

from chunking.errors import ConfigError

__all__ = ["DOCUMENTS", "LONGEST", "read_tree"]

DOCUMENTS = "documents"
"""Key of a configuration file for edits, pins and encodings of documents (`indexing.DocumentInputs`)."""

LONGEST = 200_000
"""Maximum characters of a settings text."""
_DEEPEST = 20
"""Maximum depth of nested lists and mappings; settings have four levels."""


class _Plain(yaml.SafeLoader):
    """YAML loader that refuses references and deep nesting."""

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
    """Parse a YAML text.

    Raises:
        ConfigError: the text is too long or no YAML, or has references.
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
