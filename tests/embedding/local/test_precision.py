"""The precision that is chosen, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.config import Precision
from chunking.embedding.local.engine_table import choose_precision, has_bf16


@pytest.mark.parametrize(
    ("flags", "result"),
    [
        ("fpu avx2 avx512f avx512_bf16", True),
        ("fpu amx_bf16 amx_tile", True),
        ("fpu avx2 avx512f avx512_vnni", False),
        ("fpu not_avx512_bf16", False),
    ],
)
def test_bf16_is_read_from_the_processors_flags(tmp_path: Path, flags: str, result: bool) -> None:
    """Whole flags count, as Linux lists them."""
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"processor\t: 0\nmodel name\t: avx512_bf16 in a name\nflags\t\t: {flags}\nbugs\t\t:\n")
    assert has_bf16(cpuinfo) is result


def test_no_list_of_flags_means_no_bf16(tmp_path: Path) -> None:
    """macOS and Windows compute in fp32."""
    assert has_bf16(tmp_path / "missing") is False


@pytest.mark.parametrize(
    ("expected", "bf16", "chosen", "verify"),
    [
        (Precision.AUTO, True, Precision.BF16, True),
        (Precision.AUTO, False, Precision.FP32, False),
        (Precision.FP32, True, Precision.FP32, False),
        (Precision.BF16, False, Precision.BF16, False),
    ],
)
def test_the_setting_is_obeyed_and_auto_asks_the_processor(
    expected: Precision, bf16: bool, chosen: Precision, verify: bool
) -> None:
    """Only what `auto` chose is compared with fp32; each choice names itself in its note."""
    choice = choose_precision(expected, bf16)
    assert (choice.precision, choice.verify) == (chosen, verify)
    assert choice.note.startswith(chosen.value)


def test_bf16_on_a_processor_without_it_says_that_it_is_slow() -> None:
    """Nothing is overruled in silence."""
    assert "fp32 would be faster" in choose_precision(Precision.BF16, bf16=False).note
