"""Table of engines for local models, chosen by what is installed; and the choice of precision."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from chunking.config import Precision
from chunking.embedding.local.openvino_engine import OpenVinoTransformer, openvino_refusal
from chunking.embedding.local.torch_engine import TorchTransformer
from chunking.embedding.local.transformer import Transformer
from chunking.embedding.model_folder import ModelFolder
from chunking.errors import ConfigError, ModelError

__all__ = ["ENGINES", "ENVIRONMENT", "Engine", "choose_precision", "engine_of", "has_bf16", "open_transformer"]

ENVIRONMENT = "CHUNKSCOPE_ENGINES"
"""Variable with names of engines, comma-separated, preferred ones first; default: the table's order."""

_BF16_FLAGS = frozenset({"avx512_bf16", "amx_bf16"})
"""Flags of x86 processors with bfloat16 products; without them bf16 is emulated, slower than fp32."""


@dataclass(frozen=True, slots=True)
class Engine:
    """Software that runs a model's layers; engines give the same vectors, up to rounding."""

    name: str
    packages: tuple[str, ...]
    """Packages it imports."""
    open: Callable[[ModelFolder], Transformer]
    """Imports the packages and loads the model."""
    refusal: Callable[[ModelFolder], str]
    """Reason why it cannot run a model, to follow the model's name; empty if it can."""

    @property
    def installed(self) -> bool:
        """True if its packages are installed; none is imported."""
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
"""Engines in the order they are tried; the first runs every model."""


def engine_of(folder: ModelFolder, names: str | None = None) -> Engine:
    """Return the first installed engine that can run a model, in the order of preference.

    Args:
        names: engines in order of preference; None: the variable `ENVIRONMENT`.
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
    """Load a model into memory with the first engine that can run it.

    Raises:
        ConfigError, ModelError: as `engine_of`; or its files cannot be loaded.
    """
    return engine_of(folder).open(folder)


def _order(names: str) -> list[Engine]:
    engines = [name.strip().lower() for name in names.split(",") if name.strip()]
    unknown = [name for name in engines if name not in ENGINES]
    if unknown:
        raise ConfigError(
            f"{ENVIRONMENT}: there is no engine {unknown[0]!r}; name {' or '.join(ENGINES)}.", where=ENVIRONMENT
        )
    return [ENGINES[name] for name in engines] or list(ENGINES.values())


# -- precision: the fastest that does not change what is found


@dataclass(frozen=True, slots=True)
class PrecisionChoice:
    """Precision to compute in, its reason, and whether to compare its vectors with fp32 first."""

    precision: Precision
    verify: bool
    note: str
    """Sentence for the user that says why."""


@cache
def has_bf16(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """True if the processor multiplies bfloat16 in hardware.

    Read from Linux's list of processor flags, so that no torch is needed; False without such a list.
    """
    try:
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    flags = next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), [])
    return not _BF16_FLAGS.isdisjoint(flags)


def choose_precision(requested: Precision, bf16: bool) -> PrecisionChoice:
    """Return the precision to compute in: as set, or for `auto` bf16 if the processor has it.

    >>> choose_precision(Precision.AUTO, bf16=False).precision.value
    'fp32'
    """
    if requested is Precision.FP32:
        return PrecisionChoice(Precision.FP32, verify=False, note="fp32, as set.")
    if requested is Precision.BF16:
        slow = "" if bf16 else " This processor has no bfloat16 arithmetic: fp32 would be faster."
        return PrecisionChoice(Precision.BF16, verify=False, note=f"bf16, as set.{slow}")
    if bf16:
        return PrecisionChoice(Precision.BF16, verify=True, note="bf16: the fastest that this processor supports.")
    return PrecisionChoice(Precision.FP32, verify=False, note="fp32: this processor has no bfloat16 arithmetic.")
