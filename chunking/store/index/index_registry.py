"""The registry of a workspace's indexes: their settings, state, and tables of chunks."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from chunking.config import Config
from chunking.config.config import read_tree
from chunking.errors import ConfigError
from chunking.store.engine.filters import clean
from chunking.store.engine.lance_tables import Tables
from chunking.store.engine.schema import CHUNKS, INDEXES, schema
from chunking.store.index.build_record import BuildReport
from chunking.store.index.full_text import TEXT_FORM
from chunking.store.index.stemming import latin_language
from chunking.text.byte_caches import MB, byte_cache

__all__ = ["IndexRow", "Registry"]

State = Literal["complete", "incomplete"]


@dataclass(frozen=True, slots=True)
class IndexRow:
    """Registry row of an index: its settings, state, and the table of its chunks."""

    name: str
    table: str
    """Table of its chunks."""
    config: Config
    config_fingerprint: str
    """Over the settings that its rows were built with (`Config.rows_fingerprint`)."""
    code_version: str
    """Version of the splitting code, then a dot and the form of the full text (`full_text.TEXT_FORM`).

    Without a dot the form is 1.
    """
    model_key: str
    dimension: int
    created: str
    """ISO 8601, UTC."""
    updated: str
    fingerprint: str = ""
    """Over the fingerprints of its documents when last complete; empty before."""
    state: State = "incomplete"
    """`incomplete`: the last run was stopped or killed; the chunks so far can be searched."""
    documents: int = 0
    chunks: int = 0
    unknown_share: float = 0.0
    """Share of words the model cannot read (0 to 1), measured at the build.

    In earlier versions, share of unknown tokens.
    """
    scope: tuple[str, ...] | None = None
    """Ids of the documents it was built for; None: the whole workspace."""
    tokens_per_second: float = 0.0
    """Embedding speed of the last run; 0 if it embedded nothing."""
    built: BuildReport = field(default_factory=BuildReport)
    """Result of the last complete run, with its fallback level."""

    def has_rows_of(self, config: Config) -> bool:
        """True if a configuration gives the rows that the index was built with."""
        return self.config_fingerprint == config.rows_fingerprint()

    def is_built_as(self, config: Config) -> bool:
        """True if rows and vector index are those of a configuration."""
        return self.has_rows_of(config) and self.config.index == config.index

    @property
    def split_version(self) -> str:
        """Version of the splitting code that built the index (`versions.chunks_version`)."""
        return self.code_version.partition(".")[0]

    @property
    def text_form(self) -> int:
        """Version of its full text (`full_text.TEXT_FORM`); 1 if none is stored."""
        form = self.code_version.partition(".")[2]
        return int(form) if form.isdecimal() and len(form) < 4 else 1

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages to stem a query's Latin words in; empty for all, as during a build."""
        languages = self.built.languages if self.state == "complete" else ()
        return tuple(dict.fromkeys(map(latin_language, languages)))

    @classmethod
    def new(cls, name: str, config: Config, *, model_key: str, dimension: int, code_version: str) -> IndexRow:
        """Return the row of a new, empty index with a random table name; nothing is written."""
        now = _now()
        return cls(
            name=clean(name),
            table=CHUNKS + uuid.uuid4().hex[:16],
            config=config,
            config_fingerprint=config.rows_fingerprint(),
            code_version=f"{code_version}.{TEXT_FORM}",
            model_key=model_key,
            dimension=dimension,
            created=now,
            updated=now,
        )

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> IndexRow:
        config, built = _config(row["config"]), BuildReport.from_json(row["built"])
        scope = json.loads(row["scope"])
        return cls(**{**row, "config": config, "scope": None if scope is None else tuple(scope), "built": built})

    def as_row(self) -> dict[str, Any]:
        """Return the columns of the table `indexes`, for `from_row`."""
        texts = {"config": self.config.to_yaml(), "scope": json.dumps(self.scope), "built": self.built.to_json()}
        return {name: getattr(self, name) for name in schema(INDEXES).names} | texts

    def as_record(self) -> dict[str, Any]:
        """Return the record that `chunkscope indexes` prints, with settings that are not defaults."""
        shown = (
            "name",
            "fingerprint",
            "state",
            "documents",
            "chunks",
            "model_key",
            "dimension",
            "created",
            "updated",
            "unknown_share",
        )
        return {name: getattr(self, name) for name in shown} | {"settings": self.config.changed()}


class Registry:
    """Table `indexes`, a row for each listed index; cached until any process commits to it."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._cached: tuple[str, list[IndexRow]] = ("", [])

    def rows(self) -> list[IndexRow]:
        """Return the rows of all listed indexes, last updated first.

        If any process has changed an index's row since the last call, its open table is closed.
        """
        stamp = self._tables.stamp(INDEXES)
        if self._cached[0] != stamp:
            stored = self._tables.read("listing the indexes", INDEXES, schema(INDEXES).names)
            rows = sorted((IndexRow.from_row(row) for row in stored), key=lambda row: row.updated, reverse=True)
            # Close the tables of indexes written to by any process: their cached search structures are outdated.
            self._tables.forget(CHUNKS, but={row.table for row in rows if row in self._cached[1]})
            for table in {name for name in [*self._tables.listings] if name.startswith(CHUNKS)} - {
                row.table for row in rows
            }:
                self._tables.listings.pop(table, None)
            self._cached = (stamp, rows)
        return list(self._cached[1])

    def put(self, row: IndexRow) -> IndexRow:
        """Insert or replace an index's row by name; return it with `updated` set to now."""
        import pyarrow as pa

        row = replace(row, updated=_now())
        rows = pa.Table.from_pylist([row.as_row()], schema=schema(INDEXES))
        self._tables.upsert("listing the indexes", INDEXES, "name", rows)
        return row

    def delete(self, name: str) -> None:
        """Delete an index's row by name; its table of chunks stays until it is dropped."""
        from lancedb.expr import col, lit

        table = self._tables.table(INDEXES)
        if table is not None:
            self._tables.change("listing the indexes", lambda: table.delete(col("name") == lit(clean(name))))


@byte_cache(most=16 * MB, size=lambda config: 50_000)
def _config(text: str) -> Config:
    """Parse stored settings, skipping those that this version does not know, so that the workspace opens.

    The index's fingerprint then shows that it must be rebuilt.
    """
    try:
        return Config.from_yaml(text)
    except ConfigError:
        config = Config()
    for key, value in _settings(read_tree(text, where="An index's settings")):
        with suppress(ConfigError):
            config = Config.from_settings({key: value}, config)
    return config


def _settings(tree: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Stored settings one by one, under their command-line keys."""
    for part, values in tree.items():
        for name, value in (values or {}).items() if isinstance(values, dict) else ():
            if part == "categories" and isinstance(value, dict):
                yield from ((f"category.{name}.{setting}", setting_value) for setting, setting_value in value.items())
            else:
                yield f"{part}.{name}", value


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
