"""Which arithmetic is fastest on this processor without changing what is found."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from chunking.config import Precision

__all__ = ["PrecisionChoice", "choose_precision", "has_bf16"]

_BF16_FLAGS = frozenset({"avx512_bf16", "amx_bf16"})
"""bfloat16 dot products of x86 processors. Without one of them bf16 is emulated, and slower than fp32."""


@dataclass(frozen=True, slots=True)
class PrecisionChoice:
    """What is computed in, and whether vectors are compared with fp32 before it is relied on."""

    precision: Precision
    verify: bool
    note: str
    """One sentence for the user that says why."""


@cache
def has_bf16(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """True where the processor multiplies bfloat16 in hardware.

    Read from Linux's list of processor flags, so that the answer needs no torch; False where there is no such list.
    """
    try:
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    flags = next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), [])
    return not _BF16_FLAGS.isdisjoint(flags)


def choose_precision(wanted: Precision, bf16: bool) -> PrecisionChoice:
    """Settle the setting `embedding.precision` for a processor with or without bfloat16.

    >>> choose_precision(Precision.AUTO, bf16=False).precision.value
    'fp32'
    """
    if wanted is Precision.FP32:
        return PrecisionChoice(Precision.FP32, verify=False, note="fp32, as set.")
    if wanted is Precision.BF16:
        slow = "" if bf16 else " This processor has no bfloat16 arithmetic: fp32 would be faster."
        return PrecisionChoice(Precision.BF16, verify=False, note=f"bf16, as set.{slow}")
    if bf16:
        return PrecisionChoice(Precision.BF16, verify=True, note="bf16: the fastest that this processor supports.")
    return PrecisionChoice(Precision.FP32, verify=False, note="fp32: this processor has no bfloat16 arithmetic.")
