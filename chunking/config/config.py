"""The complete configuration, with conversion to and from YAML, the command line and a link.

Also the labels of values on screen, and the setting of the comparison of configurations.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

import yaml
from pydantic import BeforeValidator, ValidationError, model_validator

from chunking.config.choices import OpenChoice, values_of
from chunking.config.chunk_settings import ChunkConfig
from chunking.config.index_settings import EmbeddingConfig, EnrichConfig, IndexConfig
from chunking.config.renamed_settings import current_settings, current_tree, earlier_names
from chunking.config.search_settings import SearchConfig
from chunking.config.settings import (
    Overrides,
    Setting,
    Settings,
    category_key,
    change,
    knob,
    overrides,
    read_settings,
    sentence,
    unknown_setting,
)
from chunking.errors import ConfigError
from chunking.paths import AnyPath

__all__ = [
    "DOCUMENTS",
    "LONGEST_YAML",
    "CompareConfig",
    "Config",
    "margin_setting",
    "read_tree",
    "settings",
    "value_label",
]

CONFIG_FORMAT = 1
"""Version of the YAML form, under its key `format`; omitted while it is 1.

Raised when an earlier version would misread the file.
"""

_LABELS: Mapping[str, str] = {
    "qa": "Q&A",
    "late": "late chunking",
    "text": "full text",
    "fp32": "FP32",
    "bf16": "BF16",
    "icu": "ICU",
    "ngram": "n-gram (character pairs)",
    "ivf_sq": "IVF-SQ",
    "ivf_pq": "IVF-PQ",
    "ivf_hnsw_sq": "HNSW (IVF-HNSW-SQ)",
    "llm": "language model",
    "rules": "by rule",
    "umap": "UMAP",
    "pca": "PCA",
    "standardised": "z-score",
    "reciprocal_rank": "reciprocal rank (RRF)",
    "top_down": "top-down",
}
_OF_SETTINGS: Mapping[tuple[str, str], str] = {("index.vector_index", "none"): "flat (exact)"}
"""Labels of values that mean something else in another setting."""

DOCUMENTS = "documents"
"""Key of a configuration file for edits, pins, encodings and parsers of documents (`indexing.DocumentInputs`)."""

LONGEST_YAML = 200_000
"""Maximum characters of a settings text."""
_DEEPEST = 20
"""Maximum depth of nested lists and mappings; settings have four levels."""


class Config(Settings):
    """All settings together: what a YAML file holds and a link restores."""

    chunk: ChunkConfig = ChunkConfig()
    embedding: EmbeddingConfig = EmbeddingConfig()
    index: IndexConfig = IndexConfig()
    enrich: EnrichConfig = EnrichConfig()
    search: SearchConfig = SearchConfig()
    categories: Annotated[Overrides, BeforeValidator(overrides)] = ()
    """Overrides of the `chunk` settings for documents of some categories."""

    @model_validator(mode="after")
    def _categories_fit(self) -> Self:
        for category, _ in self.categories:
            self.for_category(category)
        return self

    def for_category(self, category: str) -> Config:
        """Return the settings with the overrides of one category applied, and `categories` empty.

        >>> Config.from_settings({"size": "300", "category.api.size": "400"}).for_category("api").chunk.size
        400
        """
        if not self.categories:
            return self
        by_name = {row.name: row for row in settings() if row.part == "chunk"}
        changes = dict(self.categories).get(category, ())
        own = {
            name: None if not value and name in by_name and by_name[name].default is None else value
            for name, value in changes
        }
        try:
            chunk = ChunkConfig.model_validate(self.chunk.model_dump() | own)
        except ValidationError as error:
            raise sentence(error, by_name.values(), prefix=f"category.{category}.") from error
        return self.model_copy(update={"chunk": chunk, "categories": ()})

    @classmethod
    def from_settings(cls, settings_: Mapping[str, object], base: Config | None = None) -> Config:
        """Return a configuration that differs from a base, or the defaults, in the given settings.

        Args:
            settings_: key to value; a key without a dot belongs to `chunk`, `category.api.size` to documents of the
                category api (empty: same as for the others). Values may be text. Earlier names are accepted
                (`renamed_settings`).
            base: None: the defaults.
        Raises:
            ConfigError: a key is unknown, given under two names, or a value out of range; the message names the key.
        """
        tree = (base or cls()).model_dump()
        by_key = {f"{s.part}.{s.name}": s for s in settings()}
        categories = {name: dict(changes) for name, changes in tree["categories"]}
        for key, value in current_settings(settings_).items():
            if (of := category_key(key)) is not None:
                one = by_key.get(f"chunk.{of[1]}")
                change(
                    categories.setdefault(of[0], {}), of[1], value, clears=one is not None and one.default is not None
                )
                continue
            setting = by_key.get(key if "." in key else f"chunk.{key}")
            if setting is None:
                raise unknown_setting(key, settings())
            tree[setting.part][setting.name] = None if value == "" and setting.default is None else value
        return cls._validated(tree | {"categories": categories})

    @classmethod
    def from_yaml(cls, text: str, *, where: str = "the configuration") -> Config:
        """Read a complete or partial configuration from YAML, including earlier names of settings.

        Settings left out have their defaults, all of them for an empty text; a section `documents` is ignored.

        Raises:
            ConfigError: not YAML, not a mapping, written by a later version, or a setting is unknown, given under two
                names, or out of range.
        """
        tree = read_tree(text, where=where)
        tree = {} if tree is None else tree
        if isinstance(tree, dict):
            _check_format(tree.pop("format", CONFIG_FORMAT), where)
        if not isinstance(tree, dict) or not all(isinstance(part, dict) or part is None for part in tree.values()):
            raise ConfigError(
                f"{where} must hold sections ({', '.join(cls.model_fields)}) with settings under them.", where=where
            )
        return cls._validated(
            current_tree({key: part or {} for key, part in tree.items() if key != DOCUMENTS}, where=where)
        )

    @classmethod
    def from_file(cls, path: AnyPath) -> Config:
        """Read a configuration from a YAML file.

        Raises:
            ConfigError: the file cannot be read, or its content is invalid (see `from_yaml`).
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"The configuration file {path} cannot be read ({error}); check its name.", where=str(path)
            ) from error
        return cls.from_yaml(text, where=str(path))

    @classmethod
    def _validated(cls, tree: Mapping[str, object]) -> Config:
        try:
            return cls.model_validate(tree)
        except ValidationError as error:
            raise sentence(error, settings()) from error

    def to_yaml(self) -> str:
        """Return all settings, defaults too, as YAML for `from_yaml`; without a format number."""
        parts = dict.fromkeys(s.part for s in settings())
        tree = {part: {s.name: s.plain(self) for s in settings() if s.part == part} for part in parts}
        categories = (
            {"categories": {category: dict(changes) for category, changes in self.categories}}
            if self.categories
            else {}
        )
        return yaml.safe_dump(tree | categories, sort_keys=False, allow_unicode=True)

    def changed(self) -> dict[str, str]:
        """Return the settings that differ from the defaults, as text; a link contains them."""
        default = type(self)()
        changed = {s.key: s.text(self) for s in settings() if s.value(self) != s.value(default)}
        return changed | {f"category.{of}.{name}": value for of, changes in self.categories for name, value in changes}

    def fingerprint(self) -> str:
        """Return 16 hex digits over the settings that determine an index, not its searches."""
        left_out: Any = {
            "search": True,
            "embedding": {"batch_tokens", "allow_download", "query_prefix"},
            "enrich": {"time_limit", "memory_limit"},
        }
        parts = self.model_dump(mode="json", exclude=left_out)
        if not self.categories:
            del parts["categories"]
        return hashlib.sha256(json.dumps(earlier_names(parts), sort_keys=True).encode()).hexdigest()[:16]

    def rows_fingerprint(self) -> str:
        """Return 16 hex digits over the settings that determine an index's rows.

        Those of its vector index do not count: they decide how the rows are found. It equals `fingerprint` where they
        are the defaults.
        """
        return self.model_copy(update={"index": IndexConfig(tokenizer=self.index.tokenizer)}).fingerprint()


def _check_format(value: object, where: str) -> None:
    """Raise ConfigError for an invalid `format`, or one of a later version."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ConfigError(
            f"The format of {where} is not valid; give a number of at least 1, or leave it out.", where=where
        )
    if value > CONFIG_FORMAT:
        raise ConfigError(
            f"{where} was written by a later version of Chunkscope (format {value}; this one reads {CONFIG_FORMAT}); "
            "update Chunkscope, or export the configuration with this version.",
            where=where,
        )


def settings() -> tuple[Setting, ...]:
    """Return every setting of `Config`, in the order of the form.

    Settings of `chunk` may also be set per category, as `category.NAME.SETTING`.
    """
    return _SETTINGS


_SETTINGS = tuple(read_settings(Config))


class CompareConfig(Settings):
    """Settings of comparisons: the margin within which a cheaper configuration is recommended."""

    margin: float = knob(
        2.0,
        "Margin",
        (
            "How much worse than the best a recommended cheaper configuration may be: percentage points of a "
            "share, percent of tokens. 0: only the best is recommended."
        ),
        unit="points",
        ge=0.0,
        le=20.0,
    )


class _Comparing(Settings):
    """A model around `CompareConfig`, as `read_settings` needs it."""

    compare: CompareConfig = CompareConfig()


def margin_setting() -> Setting:
    """Return the metadata of `CompareConfig.margin`, for a form or a command line."""
    return next(one for one in read_settings(_Comparing) if one.name == "margin")


def value_label(key: str, value: str) -> str:
    """Return the on-screen label of a setting's value; without one, the value with spaces for `_`.

    >>> value_label("index.vector_index", "none"), value_label("prefix", "title_path")
    ('flat (exact)', 'title path')
    """
    kind = next((one.type for one in settings() if one.key == key), None)
    if kind is not None and issubclass(kind, OpenChoice) and value in values_of(kind):
        return kind(value).label
    return _OF_SETTINGS.get((key, value)) or _LABELS.get(value) or value.replace("_", " ")


# -- untrusted YAML: a few hundred characters can expand to billions of values through references (`&a`, `*a`)


class _Plain(yaml.SafeLoader):
    """YAML loader that refuses references and deep nesting."""

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("a value names another one with *; write it out")
        self._depth += 1
        if self._depth > _DEEPEST:
            raise yaml.YAMLError(f"more than {_DEEPEST} levels")
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def read_tree(text: str, *, where: str) -> Any:
    """Parse untrusted YAML to plain values, without references.

    Raises:
        ConfigError: the text is too long or no YAML, nests too deep, or has references.
    """
    if len(text) > LONGEST_YAML:
        raise ConfigError(
            f"{where} is longer than {LONGEST_YAML:,} characters, so it cannot be a file of settings; check it.",
            where=where,
        )
    try:
        return yaml.load(text, _Plain)  # a SafeLoader: it makes plain values alone
    except (yaml.YAMLError, ValueError) as error:  # an impossible date is no YAML error
        reason = str(error).splitlines()[0]
        raise ConfigError(f"{where} is not valid YAML ({reason}); fix it or leave it out.", where=where) from error
