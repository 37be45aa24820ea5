"""Labels of configurations, made of the settings in which they differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from chunking.config import BASELINE, Config, is_baseline, settings
from chunking.config.config import value_label
from chunking.evaluation.runs.run import EvaluationRun

__all__ = [
    *(
        "AS_CHOSEN",
        "BASELINE_LABEL",
        "brief_label",
        "label",
        "labels",
        "run_labels",
        "run_texts",
        "setting_texts",
        "titled",
        "varied",
    ),
    "varied_settings",
]

AS_CHOSEN = "as chosen"
"""Parser of a run over the documents as they are in the workspace."""

BASELINE_LABEL = f"baseline {BASELINE['size']}/{BASELINE['overlap']}, vectors only"
"""Label of the baseline among other configurations."""
_BRIEF = ("strategy", "prefix", "search.mode", "search.retrieval")
"""Settings whose values are told in `brief_label`, besides size and overlap."""
_NAMES = {"search.k": "results", "embedding.mode": "vectors", "index.tokenizer": "full text"}
"""Labels for settings whose last name part is ambiguous outside the form."""
_SWITCHES = frozenset(one.key for one in settings() if isinstance(one.default, bool))
_LONGEST = 40
"""Most characters of a value in a label; prompts are longer."""


def setting_texts(config: Config) -> dict[str, str]:
    """Return each setting's value as text by key; a category's own as `category.NAME.KEY`."""
    texts = {one.key: one.text(config) for one in settings()}
    return texts | {f"category.{name}.{key}": text for name, changes in config.categories for key, text in changes}


def run_texts(run: EvaluationRun) -> dict[str, str]:
    """Return each setting's value of a run as text by key, and the parser that read its documents."""
    return setting_texts(run.config) | {"parser": run.parser or AS_CHOSEN}


def varied(runs: Iterable[EvaluationRun]) -> tuple[str, ...]:
    """Return the keys of the settings that differ among runs, in form order, then `parser` if that does."""
    return _varied_keys([run_texts(run) for run in runs])


def varied_settings(configs: Iterable[Config]) -> tuple[str, ...]:
    """Return the keys of the settings that differ among configurations, in form order."""
    return _varied_keys([setting_texts(config) for config in configs])


def _varied_keys(texts: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    keys = dict.fromkeys(key for one in texts for key in one)
    return tuple(key for key in keys if len({one.get(key, "") for one in texts}) > 1)


def label(config: Config, base: Config | None = None) -> str:
    """Label a configuration by its differences from another (default: the defaults).

    Without a difference from `base`, the label is `the same settings`.

    >>> label(Config.from_settings({"size": "200", "overlap": "10%"}))
    'size 200 · overlap 10%'
    >>> label(Config())
    'default settings'
    """
    mine, theirs = setting_texts(config), setting_texts(base or Config())
    return _label_of(
        mine, [key for key in dict.fromkeys([*mine, *theirs]) if mine.get(key, "") != theirs.get(key, "")]
    ) or ("default settings" if base is None else "the same settings")


def brief_label(config: Config, other: Config | None = None) -> str:
    """Describe a configuration by the settings that matter most, in a line.

    Args:
        other: configuration from which it is to be told apart; further settings that differ are named as well.

    >>> brief_label(Config.from_settings(BASELINE))
    'Recursive 512/50 tokens · no prefix · vector search'
    >>> brief_label(Config.from_settings({"size": "100"}))
    'Structure-aware 100 tokens · prefix title path · hybrid search · multi-granularity'
    """
    texts = setting_texts(config)
    strategy, prefix, mode, retrieval = (value_label(key, texts[key]) for key in _BRIEF)
    amount = texts["size"] if texts["overlap"] in ("0", "0%") else f"{texts['size']}/{texts['overlap']}"
    parts = [
        f"{strategy[:1].upper()}{strategy[1:]} {amount} {value_label('unit', texts['unit'])}",
        "no prefix" if prefix == "none" else f"prefix {prefix}",
        f"{mode} search",
        *([retrieval.lower()] if texts["search.retrieval"] != BASELINE["search.retrieval"] else []),
    ]
    covered = {*_BRIEF, "size", "overlap", "unit", "search.k"}
    theirs = setting_texts(other) if other is not None else texts
    more = [key for key in dict.fromkeys([*texts, *theirs]) if key not in covered and texts.get(key) != theirs.get(key)]
    return " · ".join([*parts, *([_label_of(texts, more)] if more else [])])


def titled(changes: Mapping[str, str]) -> str:
    """Format settings and values on one line, with the titles and value labels of the form.

    >>> titled({"size": "100", "search.retrieval": "multi_granularity"})
    'Size 100 · Retrieval Multi-granularity'
    >>> titled({})
    'The current settings'
    """
    titles = {one.key: one.title for one in settings()} | {"parser": "Parser"}
    named = (
        f"{titles.get(key, key)} {_value(key, value if key in _SWITCHES else value_label(key, value))}"
        for key, value in changes.items()
    )
    return " · ".join(named) or "The current settings"


def run_labels(runs: Sequence[EvaluationRun]) -> list[str]:
    """Label several runs by the settings in which they differ from each other, and by their parsers.

    The baseline has its name, and its settings are not counted: it differs from the others in nearly all.
    """
    usual = [not run.parser and is_baseline(run.config) for run in runs]
    keys = varied(run for run, skipped in zip(runs, usual, strict=True) if not skipped)
    return [
        BASELINE_LABEL if skipped else _label_of(run_texts(run), keys) or label(run.config)
        for run, skipped in zip(runs, usual, strict=True)
    ]


def labels(configs: Sequence[Config]) -> list[str]:
    """Label several configurations by the settings in which they differ from each other.

    If none differs, each gets its `label`.

    >>> labels([Config.from_settings({"search.mode": mode, "size": "200"}) for mode in ("text", "hybrid")])
    ['mode text', 'mode hybrid']
    """
    texts = [setting_texts(config) for config in configs]
    keys = _varied_keys(texts)
    return [_label_of(one, keys) or label(config) for one, config in zip(texts, configs, strict=True)]


def _label_of(texts: Mapping[str, str], keys: Sequence[str]) -> str:
    return " · ".join(f"{_name(key)} {_value(key, texts.get(key, ''))}" for key in keys)


def _name(key: str) -> str:
    """Turn a setting's key into words: the last part, or the category with its setting."""
    name = key.removeprefix("category.") if key.startswith("category.") else _NAMES.get(key, key.rsplit(".", 1)[-1])
    return name.replace("_", " ").replace(".", " ")


def _value(key: str, text: str) -> str:
    if key in _SWITCHES:
        return {"true": "on", "false": "off"}.get(text, text)
    text = " ".join(text.split())
    return (text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…") or "none"
