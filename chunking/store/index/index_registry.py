"""The list of a workspace's indexes: what each was built with, and in which table its chunks are."""

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
from chunking.text.byte_caches import MB, byte_cache

__all__ = ["IndexRow", "Registry"]

State = Literal["complete", "incomplete"]


@dataclass(frozen=True, slots=True)
class IndexRow:
    """An index without its chunks."""

    name: str
    table: str
    """The table that holds its chunks."""
    config: Config
    config_fingerprint: str
    code_version: str
    """Of the code that cut its chunks, then a dot and the form of its full text (`full_text.TEXT_FORM`; 1 where there
    is no dot).
    """
    model_key: str
    dimension: int
    created: str
    """ISO 8601, UTC."""
    updated: str
    fingerprint: str = ""
    """Over the fingerprints of its documents, when it was last complete; empty before the first time."""
    state: State = "incomplete"
    """`incomplete`: the last run was stopped or killed; what it holds can be searched."""
    documents: int = 0
    chunks: int = 0
    unknown_share: float = 0.0
    """Share of words the model cannot read (0 to 1), measured when it was built; in earlier versions, of tokens it does
    not know.
    """
    scope: tuple[str, ...] | None = None
    """Ids of the documents it was built for; None: all of the workspace."""
    tokens_per_second: float = 0.0
    """How fast the last run embedded; 0 where it embedded nothing."""
    built: BuildReport = field(default_factory=BuildReport)
    """What the last complete run built, and at which fallback level."""

    @property
    def split_version(self) -> str:
        """The version of the code that cut its chunks."""
        return self.code_version.partition(".")[0]

    @property
    def text_form(self) -> int:
        """The form of its full text."""
        form = self.code_version.partition(".")[2]
        return int(form) if form.isdecimal() and len(form) < 4 else 1

    @classmethod
    def new(cls, name: str, config: Config, *, model_key: str, dimension: int, code_version: str) -> IndexRow:
        """An empty index in a table of its own, not yet in the registry."""
        now = _now()
        return cls(
            name=clean(name),
            table=CHUNKS + uuid.uuid4().hex[:16],
            config=config,
            config_fingerprint=config.fingerprint(),
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

    def as_record(self) -> dict[str, Any]:
        """As `chunkscope indexes` prints it: the settings that differ from the defaults, and nothing of the tables."""
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
    """The table `indexes`; what it holds is read again only after a commit."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._cached: tuple[str, list[IndexRow]] = ("", [])

    def rows(self) -> list[IndexRow]:
        """All indexes, the newest first."""
        stamp = self._tables.stamp(INDEXES)
        if self._cached[0] != stamp:
            stored = self._tables.read("listing the indexes", INDEXES, schema(INDEXES).names)
            rows = sorted((IndexRow.from_row(row) for row in stored), key=lambda row: row.updated, reverse=True)
            # Of indexes that have been written to, by any process: what was read of their tables' own indexes is of no
            # use any more.
            self._tables.forget(CHUNKS, but={row.table for row in rows if row in self._cached[1]})
            self._cached = (stamp, rows)
        return list(self._cached[1])

    def put(self, row: IndexRow) -> IndexRow:
        """Write an index's line, in one commit; `updated` becomes now."""
        import pyarrow as pa

        row = replace(row, updated=_now())
        columns = schema(INDEXES).names
        texts = {"config": row.config.to_yaml(), "scope": json.dumps(row.scope), "built": row.built.to_json()}
        values = {name: getattr(row, name) for name in columns} | texts
        self._tables.upsert(
            "listing the indexes", INDEXES, "name", pa.Table.from_pylist([values], schema=schema(INDEXES))
        )
        return row

    def delete(self, name: str) -> None:
        """Take an index off the list; its table stays until it is dropped."""
        from lancedb.expr import col, lit

        table = self._tables.table(INDEXES)
        if table is not None:
            self._tables.change("listing the indexes", lambda: table.delete(col("name") == lit(clean(name))))


@byte_cache(most=16 * MB, size=lambda config: 50_000)
def _config(text: str) -> Config:
    """Stored settings. Those of another version that this one does not know are left out, so that a workspace still
    opens; the index's fingerprint then tells that it must be built again."""
    try:
        return Config.from_yaml(text)
    except ConfigError:
        config = Config()
    for key, value in _settings(read_tree(text, where="An index's settings")):
        with suppress(ConfigError):
            config = Config.from_settings({key: value}, config)
    return config


def _settings(tree: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Stored settings one by one, under the keys of the command line."""
    for part, values in tree.items():
        for name, value in (values or {}).items() if isinstance(values, dict) else ():
            if part == "categories" and isinstance(value, dict):
                yield from ((f"category.{name}.{setting}", setting_value) for setting, setting_value in value.items())
            else:
                yield f"{part}.{name}", value


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
