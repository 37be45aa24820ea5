"""Configurations told apart: the settings that differ, and a label made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chunking.config import Config, settings
from chunking.evaluation.runs import Run

__all__ = ["label", "setting_texts", "varied"]


def setting_texts(config: Config) -> dict[str, str]:
    """Every setting by its key as text; those of categories where a configuration has them."""
    texts = {one.key: one.text(config) for one in settings()}
    return texts | {f"category.{name}.{key}": text for name, changes in config.categories for key, text in changes}


def varied(runs: Iterable[Run]) -> tuple[str, ...]:
    """Keys of the settings that are not the same in all runs, in the order of the form."""
    texts = [setting_texts(run.config) for run in runs]
    keys = dict.fromkeys(key for one in texts for key in one)
    return tuple(key for key in keys if len({one.get(key, "") for one in texts}) > 1)


def label(config: Config, base: Config | None = None) -> str:
    """What tells a configuration from another (the defaults), such as `size 200 · overlap 10%`.

    >>> label(Config.from_settings({"size": "200", "overlap": "10%"}))
    'size 200 · overlap 10%'
    >>> label(Config())
    'default settings'
    """
    mine, theirs = setting_texts(config), setting_texts(base or Config())
    keys = [key for key in dict.fromkeys([*mine, *theirs]) if mine.get(key, "") != theirs.get(key, "")]
    if not keys:
        return "default settings" if base is None else "the same settings"
    return " · ".join(f"{_short(key)} {mine.get(key) or 'none'}" for key in keys)


def labels(configs: Sequence[Config]) -> list[str]:
    """Of configurations beside each other: what differs among them, whatever they have in common."""
    texts = [setting_texts(config) for config in configs]
    keys = [key for key in dict.fromkeys(key for one in texts for key in one) if len({one.get(key, "") for one in texts}) > 1]
    return [
        " · ".join(f"{_short(key)} {one.get(key) or 'none'}" for key in keys) or label(config)
        for one, config in zip(texts, configs, strict=True)
    ]


def _short(key: str) -> str:
    """A key as words; the part before the dot says nothing where the name does."""
    name = key.removeprefix("category.") if key.startswith("category.") else key.rsplit(".", 1)[-1]
    return name.replace("_", " ").replace(".", " ")
