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

__all__ = [
    "ENGINES",
    "ENVIRONMENT",
    "Engine",
    "choose_precision",
    "computes_int8",
    "engine_of",
    "has_bf16",
    "has_int8",
    "open_transformer",
]

ENVIRONMENT = "CHUNKSCOPE_ENGINES"
"""Variable with names of engines, comma-separated, preferred ones first; default: the table's order."""

_BF16_FLAGS = frozenset({"avx512_bf16", "amx_bf16"})
"""Flags of x86 processors with bfloat16 products; without them bf16 is emulated, slower than fp32."""
_INT8_FLAGS = frozenset({"avx512_vnni", "avx_vnni", "amx_int8"})
"""Flags of x86 processors with dot products of 8-bit numbers; without them int8 is no faster than fp32."""
_CPUINFO = Path("/proc/cpuinfo")


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
    computes_int8: bool = False
    """True if it has `Precision.INT8`; all have the others."""

    @property
    def installed(self) -> bool:
        """True if its packages are installed; none is imported."""
        return all(find_spec(package) is not None for package in self.packages)


def _none(folder: ModelFolder) -> str:
    return ""


ENGINES = {
    row.name: row
    for row in (
        Engine("openvino", ("openvino",), OpenVinoTransformer, openvino_refusal, computes_int8=True),
        Engine("torch", ("torch", "transformers", "sentence_transformers"), TorchTransformer, _none),
    )
}
"""Engines in the order they are tried: the first is faster, the second runs every model."""


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
def has_bf16(cpuinfo: Path = _CPUINFO) -> bool:
    """True if the processor multiplies bfloat16 in hardware.

    Read from Linux's list of processor flags, so that no torch is needed; False without such a list.
    """
    return not _BF16_FLAGS.isdisjoint(_flags(cpuinfo))


@cache
def has_int8(cpuinfo: Path = _CPUINFO) -> bool:
    """True if the processor has dot products of 8-bit numbers; read as for `has_bf16`."""
    return not _INT8_FLAGS.isdisjoint(_flags(cpuinfo))


def _flags(cpuinfo: Path) -> list[str]:
    try:
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), [])


def computes_int8(folder: ModelFolder) -> bool:
    """True if the engine that runs a model here has `Precision.INT8`; False if there is none."""
    try:
        return engine_of(folder).computes_int8
    except (ConfigError, ModelError):  # raised again, as a sentence, when the model is loaded
        return False


def choose_precision(requested: Precision, *, bf16: bool, int8: bool, engine_int8: bool) -> PrecisionChoice:
    """Return the precision to compute in: as set, or for `auto` one with nearly the vectors of fp32.

    `auto` never takes int8: what it costs in recall was measured on a few hundred questions only, and undecided.

    Args:
        requested: as set.
        bf16, int8: True if the processor has such arithmetic.
        engine_int8: True if the model's engine has int8; without it the choice is as for `auto`, and the note says so.

    >>> choose_precision(Precision.AUTO, bf16=False, int8=True, engine_int8=True).precision.value
    'fp32'
    """
    if requested is Precision.FP32:
        return PrecisionChoice(Precision.FP32, verify=False, note="fp32, as set.")
    if requested is Precision.BF16:
        slow = "" if bf16 else " This processor has no bfloat16 arithmetic: fp32 would be faster."
        return PrecisionChoice(Precision.BF16, verify=False, note=f"bf16, as set.{slow}")
    if requested is Precision.INT8 and engine_int8:
        slow = "" if int8 else " This processor has no 8-bit dot products: fp32 would be as fast."
        return PrecisionChoice(Precision.INT8, verify=False, note=f"int8, as set.{slow}")
    missing = " int8 is set, which only OpenVINO computes." if requested is Precision.INT8 else ""
    if bf16:
        note = f"bf16: the fastest that this processor supports.{missing}"
        return PrecisionChoice(Precision.BF16, verify=True, note=note)
    note = f"fp32: this processor has no bfloat16 arithmetic.{missing}"
    return PrecisionChoice(Precision.FP32, verify=False, note=note)
