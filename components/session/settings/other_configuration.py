"""Other configurations to compare the current one with, and their form in the address."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from chunking.config import BASELINE_SPLITTING, PLAIN_SPLITTING, Config
from chunking.config.settings import category_key
from chunking.errors import ConfigError
from chunking.evaluation import label
from chunking.evaluation.runs.run import EvaluationRun
from chunking.store import IndexRow, saved_configurations
from components.session import share
from components.session.document_caches import clear_when_unused
from components.session.questions.run_state import all_runs
from components.session.settings.saved_configurations import usable
from components.session.workspace import MOST_WORKSPACES, workspace

__all__ = [
    "KnownConfiguration",
    "baseline_splitting",
    "from_address",
    "indexes",
    "runs",
    "saved",
    "splitting_label",
    "to_address",
]

_MOST_RUNS = 12
_MOST_FIELDS = 2_000
"""Most fields in one value of the address; all settings of all categories together are fewer."""


class KnownConfiguration(NamedTuple):
    """A configuration to compare with, such as an index's, a run's or one saved by name."""

    key: str
    """Key of the choice."""
    name: str
    """Label; names given by users are not escaped."""
    config: Config


def indexes() -> Iterator[KnownConfiguration]:
    """Yield the configurations of the stored indexes, the newest first."""
    for row in workspace().indexes():
        yield _index(row)


def _index(row: IndexRow) -> KnownConfiguration:
    return KnownConfiguration(f"index:{row.name}", f"Index “{row.name}”", row.config)


def saved() -> Iterator[KnownConfiguration]:
    """Yield the configurations saved by name, the newest first; unreadable ones are left out."""
    target = workspace()
    yield from _saved(target.uri, target.configurations.version)


@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=MOST_WORKSPACES)
def _saved(address: str, version: str) -> list[KnownConfiguration]:
    configurations: list[KnownConfiguration] = []
    for one in saved_configurations(workspace()):
        with suppress(ConfigError):
            configurations.append(KnownConfiguration(f"saved:{one.name}", f"Saved: {one.name}", usable(one)))
    return configurations


def runs() -> Iterator[KnownConfiguration]:
    """Yield configurations of the newest runs without error: one per splitting, at most 12."""
    splits: list[Config] = []
    for run in all_runs():
        if _splitting(run.config) not in splits and not run.error and len(splits) < _MOST_RUNS:
            splits.append(_splitting(run.config))
            yield _run(run)


def _run(run: EvaluationRun) -> KnownConfiguration:
    return KnownConfiguration(f"run:{run.key}", f"Run: {splitting_label(run.config)}", run.config)


def _splitting(config: Config) -> Config:
    """Return only the settings that decide where a document is split, apart from the model."""
    return Config(chunk=config.chunk, categories=config.categories)


def splitting_label(config: Config) -> str:
    """Return a line with a configuration's splitting settings that differ from the defaults.

    Without any, `default settings`.

    >>> splitting_label(Config.from_settings({"size": 512, "overlap": 50, "search.k": 9}))
    'size 512 · overlap 50'
    """
    return label(_splitting(config))


def baseline_splitting(present: Config) -> Config:
    """Return the baseline (512 tokens, overlap 50, no structure) with `present`'s embedding.

    >>> baseline_splitting(Config()).chunk.size
    512
    """
    return Config.from_settings({**PLAIN_SPLITTING, **BASELINE_SPLITTING}, Config(embedding=present.embedding))


def to_address(config: Config, parts: Collection[str], **extra: str) -> str:
    """Encode changed settings of some configuration parts as one value of the address.

    Settings that no link may carry are left out.

    Args:
        extra: further fields, such as an index's name.

    >>> to_address(Config.from_settings({"size": 300, "search.k": 9}), ("chunk",), index="mine")
    'index=mine&size=300'
    """
    return urlencode(
        extra | {key: value for key, value in share.linkable(config.changed()).items() if _part(key) in parts}
    )


def from_address(text: str, parts: Collection[str], *extra: str) -> tuple[Config, dict[str, str]]:
    """Parse a value of `to_address` into a configuration and those fields of `extra` that it has.

    Settings of other parts, and those that no link may carry, are ignored.

    Args:
        extra: keys of further fields.
    Raises:
        ConfigError: a setting is unknown or out of range, or there are too many fields.
    """
    try:
        fields = dict(parse_qsl(text, max_num_fields=_MOST_FIELDS))
    except ValueError as error:
        raise ConfigError(f"The link has more than {_MOST_FIELDS:,} settings; ask for a new copy.") from error
    linked = share.linkable({key: value for key, value in fields.items() if key not in extra and _part(key) in parts})
    return Config.from_settings(linked), {key: fields[key] for key in extra if key in fields}


def _part(key: str) -> str:
    return "chunk" if "." not in key or category_key(key) else key.partition(".")[0]
