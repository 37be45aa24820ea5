"""Settings and their values as people read them, short enough for a row of a table."""

from __future__ import annotations

from collections.abc import Iterable

from chunking.config import Config, settings
from chunking.config.config import value_label
from chunking.config.settings import Setting
from components.search.search_controls import MODES

__all__ = ["alike", "setting_named", "settled", "spoken_label", "spoken_parts", "spoken_title", "spoken_value"]

_SHORT = {
    "search.retrieval": "Retrieval",
    "search.mode": "Search",
    "search.rerank": "Reranking",
    "search.vector_weight": "Vector weight",
    "search.deduplicate": "Deduplicate",
    "embedding.mode": "Embedding",
    "embedding.model": "Model",
    "granularities": "Granularities",
    "heading_levels": "Headings",
    "min_size": "Minimum",
}
_VALUES = {("search.mode", str(mode)): words for mode, words in MODES.items()}


def settled(config: Config) -> Config:
    """A configuration without how many results it returns, which is one for all that are compared."""
    return config.model_copy(update={"search": config.search.model_copy(update={"k": 1})})


def alike(one: Config, other: Config) -> bool:
    """Whether two differ at most in how many results they return.

    >>> alike(Config(), Config.from_settings({"search.k": 9})), alike(Config(), Config.from_settings({"size": 90}))
    (True, False)
    """
    return settled(one) == settled(other)


def setting_named(key: str) -> Setting | None:
    """The setting with this key; None where this version has none."""
    return next((one for one in settings() if one.key == key), None)


def spoken_title(key: str) -> str:
    """What a setting is called in few words.

    >>> spoken_title("size"), spoken_title("search.retrieval"), spoken_title("what.no.row.has")
    ('Size', 'Retrieval', 'what.no.row.has')
    """
    setting = setting_named(key)
    return _SHORT.get(key) or (setting.title if setting else key)


def spoken_value(key: str, value: str) -> str:
    """A value in few words.

    >>> spoken_value("search.retrieval", "multi_granularity"), spoken_value("prefix", "title_path"), (
    ...     spoken_value("granularities", "2,4")
    ... )
    ('Multi-granularity', 'title path', '×2, ×4')
    >>> spoken_value("overlap", "0"), spoken_value("search.deduplicate", "true"), (
    ...     spoken_value("embedding.model", "my_model")
    ... )
    ('none', 'on', 'my_model')
    """
    known = _VALUES.get((key, value))
    if known:
        return known
    if key == "granularities" and value != "none":
        return ", ".join(f"×{one.strip()}" for one in value.split(","))
    if key in ("overlap", "min_size", "parent_size") and value in ("0", "0%"):
        return "none"
    setting = setting_named(key)
    if setting and setting.type is bool:
        return {"true": "on", "false": "off"}.get(value, value)
    if setting and setting.choices:
        return ", ".join(value_label(key, one) for one in value.split(","))
    return value or "automatic"


def spoken_parts(config: Config, keys: Iterable[str]) -> list[tuple[str, str]]:
    """(setting, value) of some settings of a configuration.

    >>> spoken_parts(Config(), ["size", "overlap"])
    [('Size', '150'), ('Overlap', 'none')]
    """
    found = [(key, setting_named(key)) for key in keys]
    return [(spoken_title(key), spoken_value(key, setting.text(config))) for key, setting in found if setting]


def spoken_label(config: Config, keys: Iterable[str]) -> str:
    """The same in a line.

    >>> spoken_label(Config(), ["size", "prefix"]), spoken_label(Config(), [])
    ('Size 150 · Prefix title path', 'The only configuration')
    """
    return " · ".join(f"{title} {value}" for title, value in spoken_parts(config, keys)) or "The only configuration"
