"""What one configuration changes of another, setting by setting, as a table to be looked at before it is put in force."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.config import Config, settings
from chunking.config.value_labels import value_label
from components.kit.wording import plain, shortened

__all__ = ["Change", "changes", "changes_table"]

Change = tuple[str, str, str]
"""Title of a setting, its value now and then."""

_SHOWN = 60
"""Characters of a value in the list of changes."""


def changes(now: Config, new: Config) -> list[Change]:
    """What another configuration changes; settings of categories stand under their keys."""
    found = [(one, one.text(now), one.text(new)) for one in settings()]
    rows = [(one.title, _shown(one.key, old), _shown(one.key, other)) for one, old, other in found if old != other]
    before, after = (_of_categories(config) for config in (now, new))
    keys = (key for key in dict.fromkeys([*before, *after]) if before.get(key) != after.get(key))
    return rows + [(key, before.get(key, "same as the others"), after.get(key, "same as the others")) for key in keys]


def _of_categories(config: Config) -> dict[str, str]:
    return {f"{category}.{name}": value for category, own in config.categories for name, value in own}


def _shown(key: str, text: str) -> str:
    """A value as people read it, short enough for a table."""
    return shortened(value_label(key, text) if text else "none", _SHOWN)


def changes_table(rows: Sequence[Change]) -> str:
    """As Markdown."""
    lines = [f"| {_cell(title)} | {_cell(before)} | {_cell(after)} |" for title, before, after in rows]
    return "\n".join(["| setting | now | new |", "|---|---|---|", *lines])


def _cell(text: str) -> str:
    return plain(text) or "–"
