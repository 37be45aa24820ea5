"""Search of an index for every framework, with the Search page's results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from chunking.config import Config, SearchConfig
from chunking.integrations.exported_settings import ConfigSource, load_settings
from chunking.retrieval import Result, search
from chunking.store import Workspace

__all__ = ["IndexSearch"]


@dataclass
class IndexSearch:
    """Search of an index; the first question opens the workspace and loads the model."""

    workspace: str
    """Folder of the workspace."""
    index: str = ""
    """Name of the index; empty: the newest."""
    config: ConfigSource = None
    """Settings of which the part `search` is used; None: the index's settings."""
    k: int | None = None
    """Number of results; None: as the settings say."""
    where: Mapping[str, str] = field(default_factory=dict)
    """Filters on the results, by key (`store.FILTERS`)."""

    def __post_init__(self) -> None:
        self._overrides = None if self.config is None else load_settings(self.config).config
        if self.k is not None:
            Config.from_settings({"search.k": self.k})  # a wrong number is refused at once

    def results(self, query: str, k: int | None = None) -> tuple[Result, ...]:
        """Return the results for a question, best first.

        Args:
            k: results, for this question only.
        Raises:
            QueryError, NotFoundError, ModelError: as `retrieval.search`.
            ConfigError: `k` is out of range.
        """
        name = self.index or None
        return search(
            self._workspace, query, self._settings(self.k if k is None else k), index=name, where=self.where
        ).results

    def __getstate__(self) -> dict[str, Any]:
        """Omit the open workspace: another process opens its own."""
        return {name: value for name, value in self.__dict__.items() if name != "_workspace"}

    @cached_property
    def _workspace(self) -> Workspace:
        return Workspace.open(self.workspace, create=False)

    def _settings(self, k: int | None) -> SearchConfig | None:
        """Return the search settings with `k`; None: the index's own."""
        if k is None:
            return None if self._overrides is None else self._overrides.search
        return Config.from_settings({"search.k": k}, self._overrides or self._own).search

    @property
    def _own(self) -> Config:
        """Settings of the index; the defaults if there is none: whole documents are searched then."""
        there = self._workspace.indexes()
        return self._workspace.index(self.index or None).config if there or self.index else Config()
