"""Former names of settings and values, and settings added after digests existed.

A configuration may use both names, whether it comes from a YAML file, a link, the command line or a workspace.
Digests use the earlier names, and omit later settings at the value that means the earlier behaviour: neither a new name
nor a new setting makes an index or a run stale.

>>> current_settings({"larger_sizes": "2,4", "category.api.strategy": "own", "size": "300"})
{'granularities': '2,4', 'category.api.strategy': 'custom', 'size': '300'}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from chunking.errors import ConfigError

__all__ = [
    "ADDED",
    "RENAMED",
    "RETIRED_VALUES",
    "current_key",
    "current_pair",
    "current_settings",
    "current_tree",
    "current_value",
    "earlier_names",
]

RENAMED: Mapping[str, str] = {
    "larger_sizes": "granularities",
    "written_size": "context_size",
    "strategy=own": "strategy=custom",
    "strategy=fragments": "strategy=elements",
    "enrich.writer": "enrich.generator",
    "search.drop_repeats": "search.deduplicate",
    "search.larger_weight": "search.granularity_weight",
    "search.retrieval=multisize": "search.retrieval=multi_granularity",
}
"""Earlier to current names: keys as on the command line, or `key=value` with the current key.

Rows stay for good, as digests depend on them. If a name changes again, digests use the first row of the two.
"""

ADDED: Mapping[str, Any] = {
    **{"index.m": 20, "index.ef_construction": 300, "search.ef_search": 0},
    **{"chunk.headings_from": "", "chunk.split_before": ""},
}
"""Settings added after digests existed, with the value of the earlier behaviour.

Digests omit a setting at that value. It has to stay the default, so rows stay for good.
"""


def _full(key: str) -> str:
    """Add the part to a key; a key without a dot belongs to `chunk`."""
    return key if "." in key else f"chunk.{key}"


_KEYS = {_full(earlier): _full(now) for earlier, now in RENAMED.items() if "=" not in earlier}
_VALUES: dict[str, dict[str, str]] = {}
for _was, _is in RENAMED.items():
    if "=" in _was:
        _key, _, _value = _was.partition("=")
        _VALUES.setdefault(_full(_key), {})[_value] = _is.partition("=")[2]
_EARLIER_KEYS = {now: earlier for earlier, now in reversed(_KEYS.items())}
_EARLIER_VALUES = {key: {now: earlier for earlier, now in reversed(values.items())} for key, values in _VALUES.items()}

RETIRED_VALUES: frozenset[str] = frozenset(value for values in _VALUES.values() for value in values)
"""Earlier names of values: no new value may reuse one."""


def current_key(key: str) -> str:
    """Return the current name of a key.

    >>> current_key("larger_sizes"), current_key("category.api.larger_sizes"), current_key("search.k")
    ('granularities', 'category.api.granularities', 'search.k')
    """
    setting = _setting(key)
    now = _KEYS.get(setting)
    return key if now is None else key.removesuffix(_name(setting)) + _name(now)


def current_value(key: str, value: object) -> object:
    """Return the current name of a value, or of each value in a list.

    Args:
        key: current key of the setting.
    """
    names = _VALUES.get(_setting(key))
    if names and isinstance(value, (list, tuple)):
        return [current_value(key, one) for one in value]
    return names.get(value, value) if names and isinstance(value, str) else value


def current_pair(text: str) -> str:
    """Rename `key=value` to current names; any other text stays.

    >>> current_pair("search.drop_repeats=false"), current_pair("")
    ('search.deduplicate=false', '')
    """
    key, equals, value = text.partition("=")
    now = current_key(key)
    return f"{now}={current_value(now, value)}" if equals else text


def current_settings(settings: Mapping[str, object], *, where: str = "The settings") -> dict[str, object]:
    """Rename settings and their values to their current names, keeping their order.

    Args:
        settings: by key as on the command line.
        where: source of the settings, for the error.
    Raises:
        ConfigError: a setting is given under both names.
    """
    spelled = {_full(key): key for key in settings}
    current: dict[str, object] = {}
    for key, value in settings.items():
        now = current_key(key)
        if now != key and (both := spelled.get(_full(now))) is not None:
            message = (
                f"{where}: {both} and {key} are the same setting, and both are given; leave {key} out, its former name."
            )
            raise ConfigError(message, where=key)
        current[now] = current_value(now, value)
    return current


def current_tree(tree: Mapping[str, Mapping[str, Any]], *, where: str) -> dict[str, Any]:
    """Rename old names of settings and values in a configuration tree to their current ones.

    Raises:
        ConfigError: a setting is given under both names.
    """
    current: dict[str, Any] = {
        part: _current(f"{part}.", values, where) for part, values in tree.items() if part != "categories"
    }
    if "categories" in tree:
        current["categories"] = {
            name: _current(f"category.{name}.", values, where) for name, values in tree["categories"].items()
        }
    return current


def _current(stem: str, values: Any, where: str) -> Any:
    if not isinstance(values, Mapping):
        return values
    named = current_settings({f"{stem}{name}": value for name, value in values.items()}, where=where)
    return {key.removeprefix(stem): value for key, value in named.items()}


def earlier_names(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration's dump for digests: earlier names, no setting at its `ADDED` value."""
    earlier: dict[str, Any] = {
        part: dict(_earlier(part, values.items())) for part, values in parts.items() if part != "categories"
    }
    if "categories" in parts:
        earlier["categories"] = [[name, sorted(_earlier("chunk", changes))] for name, changes in parts["categories"]]
    return earlier


def _earlier(part: str, values: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    for name, value in values:
        key = f"{part}.{name}"
        if key in ADDED and value == ADDED[key]:
            continue
        earlier = _EARLIER_VALUES.get(key, {}).get(value, value) if isinstance(value, str) else value
        yield _name(_EARLIER_KEYS.get(key, key)), earlier


def _setting(key: str) -> str:
    """Return the setting of a key with its part; a category's setting belongs to `chunk`.

    >>> _setting("category.api.size"), _setting("size"), _setting("search.k")
    ('chunk.size', 'chunk.size', 'search.k')
    """
    return f"chunk.{_name(key)}" if key.startswith("category.") else _full(key)


def _name(key: str) -> str:
    return key.rpartition(".")[2]
