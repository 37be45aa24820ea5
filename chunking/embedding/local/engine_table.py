"""What runs the layers of a local model: a row an engine, chosen by what is installed."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from chunking.embedding.local.openvino_engine import OpenVinoTransformer, openvino_refusal
from chunking.embedding.local.torch_engine import TorchTransformer
from chunking.embedding.local.transformer import Transformer
from chunking.embedding.model_folder import ModelFolder
from chunking.errors import ConfigError, ModelError

__all__ = ["ENGINES", "ENVIRONMENT", "Engine", "engine_of", "open_transformer"]

ENVIRONMENT = "CHUNKSCOPE_ENGINES"
"""Names of engines separated by commas, the preferred one first; by default in the order of the table."""


@dataclass(frozen=True, slots=True)
class Engine:
    """One way to run a model's layers; all of them give the same vectors, within what a precision rounds."""

    name: str
    packages: tuple[str, ...]
    """That it imports."""
    open: Callable[[ModelFolder], Transformer]
    """Imports them and loads the model."""
    refusal: Callable[[ModelFolder], str]
    """What keeps it from running a model, to stand after the model's name; empty where nothing does."""

    @property
    def installed(self) -> bool:
        """Whether its packages are there; none is imported."""
        return all(find_spec(package) is not None for package in self.packages)


def _none(folder: ModelFolder) -> str:
    return ""


ENGINES = {
    row.name: row
    for row in (
        Engine("torch", ("torch", "transformers", "sentence_transformers"), TorchTransformer, _none),
        Engine("openvino", ("openvino",), OpenVinoTransformer, openvino_refusal),
    )
}
"""In the order in which they are tried: the first runs every model."""


def engine_of(folder: ModelFolder, names: str | None = None) -> Engine:
    """The first engine that is installed and can run a model.

    Args:
        names: as `ENVIRONMENT`, whose value is taken where this is None.
    Raises:
        ConfigError: there is no engine of a name.
        ModelError: none of them can run it here.
    """
    order = _order(os.environ.get(ENVIRONMENT, "") if names is None else names)
    which = ""
    for engine in order:
        if not engine.installed:
            continue
        reason = engine.refusal(folder)
        if not reason:
            return engine
        which = which or f", which {reason}"
    where = str(folder.path)
    if ENGINES["torch"].installed and ENGINES["torch"] not in order:
        names_now = ", ".join(engine.name for engine in order)
        raise ModelError(
            f"{names_now} cannot run the model '{folder.name}'{which}: add torch to {ENVIRONMENT}.", where=where
        )
    raise ModelError.needs_full_installation(f"The model '{folder.name}'{which}{',' if which else ''}", where=where)


def open_transformer(folder: ModelFolder) -> Transformer:
    """A model in memory, run by the first engine that can.

    Raises:
        ConfigError, ModelError: as `engine_of`; or its files cannot be loaded.
    """
    return engine_of(folder).open(folder)


def _order(names: str) -> list[Engine]:
    wanted = [name.strip().lower() for name in names.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in ENGINES]
    if unknown:
        raise ConfigError(
            f"{ENVIRONMENT}: there is no engine {unknown[0]!r}; name {' or '.join(ENGINES)}.", where=ENVIRONMENT
        )
    return [ENGINES[name] for name in wanted] or list(ENGINES.values())
