"""Settings that a sweep can vary, their proposed values, and the number of combinations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

from chunking.config import Config, settings
from chunking.config.settings import Setting
from chunking.deployment.forbidden_settings import forbidden
from chunking.errors import ConfigError

__all__ = [
    "DEFAULT_KEYS",
    "Grid",
    "combinations",
    "default_estimate_grid",
    "default_grid",
    "offered_values",
    "proposed_values",
    "value_fault",
    "variable_settings",
    "with_current",
]

Grid = Mapping[str, Sequence[str]]
"""Setting key to the values to try, as text."""


class _Proposal(NamedTuple):
    begin: tuple[str, ...]
    """Values tried by default."""
    more: tuple[str, ...] = ()
    """Further values offered."""


_PROPOSED: Mapping[str, _Proposal] = {
    "size": _Proposal(("100", "175", "250", "350"), ("60", "80", "125", "150", "200", "500")),
    "overlap": _Proposal(("0", "20%"), ("10%", "30%", "50%")),
    "strategy": _Proposal(("structure", "recursive"), ("sentence", "fixed", "page", "semantic")),
    "prefix": _Proposal(
        ("none", "title_path"), ("header", "document_title_path", "file_title_path", "title_path_hint")
    ),
    "search.retrieval": _Proposal(("chunk", "multi_granularity"), ("merge",)),
    "search.mode": _Proposal(("hybrid", "vector", "text")),
    "search.vector_weight": _Proposal(("0.3", "0.45", "0.6"), ("0.2", "0.8")),
    "search.fusion": _Proposal(("standardised", "reciprocal_rank")),
    "search.rerank": _Proposal(("none", "late_interaction"), ("title", "diversity")),
    "search.granularity_weight": _Proposal(("0.25", "0.5", "1")),
    "search.cut": _Proposal(("0", "0.6"), ("0.5", "0.7")),
    "search.trim": _Proposal(("0", "0.15"), ("0.25", "0.5")),
    "embedding.mode": _Proposal(("standard", "late")),
    "granularities": _Proposal(("none", "2"), ("2,4", "4")),
    "min_size": _Proposal(("0", "40"), ("80",)),
    "parent_size": _Proposal(("400", "800")),
    "heading_levels": _Proposal(("1-6", "1-3"), ("1-2",)),
    "table_text": _Proposal(("sentences", "cells")),
    "keep_whole": _Proposal(("code,table,qa", "none")),
}
"""Settings that change retrieval, in the order they are offered."""

DEFAULT_KEYS = ("size", "overlap", "search.retrieval")
"""Settings varied by default: those with the most effect that are cheap to try."""

_ESTIMATED = {"size": True, "overlap": True, "prefix": False, "search.retrieval": False}
"""Settings an estimate varies by default (200 configurations); True: all proposed values."""

_NEVER = frozenset(
    {
        "unit",
        "embedding.allow_download",
        "embedding.batch_tokens",
        "search.budget",
        "search.before",
        "search.after",
        "search.k",
    }
)
"""Settings never varied: they change another setting's unit, the run time or the amount returned."""
_PARTS = ("chunk", "embedding", "search", "enrich")


def variable_settings() -> list[Setting]:
    """Return the settings that a sweep can vary, those with proposed values first."""
    order = {key: place for place, key in enumerate(_PROPOSED)}
    chosen = [
        one for one in settings() if one.part in _PARTS and one.key not in _NEVER and not one.name.endswith("_prompt")
    ]
    return sorted(chosen, key=lambda one: order.get(one.key, len(order)))


def proposed_values(setting: Setting, base: Config) -> tuple[str, ...]:
    """Return the values tried by default; without a proposal, every choice or the current value.

    >>> by_key = {one.key: one for one in variable_settings()}
    >>> proposed_values(by_key["overlap"], Config()), proposed_values(by_key["search.deduplicate"], Config())
    (('0', '20%'), ('true', 'false'))
    """
    proposals = _PROPOSED.get(setting.key)
    if proposals:
        return proposals.begin
    if setting.type is bool:
        return ("true", "false")
    return (
        tuple(map(str, setting.choices))
        if setting.choices and not setting.many
        else tuple(filter(None, (setting.text(base),)))
    )


def default_grid(base: Config) -> dict[str, tuple[str, ...]]:
    """Return the default grid of a sweep; small, since each configuration is built and evaluated.

    >>> combinations(default_grid(Config()))
    16
    """
    return {one.key: with_current(one, base) for one in variable_settings() if one.key in DEFAULT_KEYS}


def default_estimate_grid(base: Config) -> dict[str, tuple[str, ...]]:
    """Return the default grid of an estimate; larger, since an estimate is cheap.

    >>> combinations(default_estimate_grid(Config()))
    200
    """
    rows = {one.key: one for one in variable_settings()}
    return {
        key: tuple(offered_values(rows[key], (), base)) if all_ else with_current(rows[key], base)
        for key, all_ in _ESTIMATED.items()
    }


def with_current(setting: Setting, base: Config) -> tuple[str, ...]:
    """Return the values tried by default and the current one, in the order they are offered."""
    values = {*proposed_values(setting, base), setting.text(base)}
    return tuple(value for value in offered_values(setting, (), base) if value in values)


def offered_values(setting: Setting, chosen: Sequence[str], base: Config) -> list[str]:
    """Return the values to choose from: proposals, the current value and typed ones.

    Sorted if all are numbers.
    """
    proposals = _PROPOSED.get(setting.key)
    values = [
        *(proposals.begin + proposals.more if proposals else proposed_values(setting, base)),
        *chosen,
        setting.text(base),
    ]
    different = list(dict.fromkeys(filter(None, values)))
    numbers = {value: number for value in different if (number := _number(value)) is not None}
    return sorted(different, key=numbers.__getitem__) if len(numbers) == len(different) else different


def _number(value: str) -> float | None:
    """Parse a number such as `20%`; None if it is not one.

    >>> _number("20%"), _number("hybrid")
    (20.0, None)
    """
    try:
        return float(value.removesuffix("%"))
    except ValueError:
        return None


def combinations(grid: Grid) -> int:
    """Return the number of configurations of a grid; 0 if it is empty or a setting has no value."""
    return prod(len(values) for values in grid.values()) if grid else 0


def value_fault(key: str, values: Sequence[str], base: Config) -> str:
    """Return the first error of values that are invalid alone or forbidden on this server, or "".

    Values that are only invalid together are reported when the sweep runs.
    """
    for value in values:
        try:
            Config.from_settings({key: value}, Config())
        except ConfigError as error:
            try:
                Config.from_settings({key: value}, base)
            except ConfigError:
                return str(error)
        if key in (refusals := forbidden(Config.from_settings({key: value}, base))):
            return refusals[key]
    return ""
