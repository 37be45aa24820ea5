"""The precision that is chosen, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.config import Precision
from chunking.embedding.local import engine_table
from chunking.embedding.local.engine_table import choose_precision, computes_int8, has_bf16, has_int8
from chunking.embedding.model_folder import find_model


@pytest.mark.parametrize(
    ("flags", "bf16", "int8"),
    [
        ("fpu avx2 avx512f avx512_bf16", True, False),
        ("fpu amx_bf16 amx_int8", True, True),
        ("fpu avx2 avx512f avx512_vnni", False, True),
        ("fpu avx2 avx_vnni", False, True),
        ("fpu not_avx512_bf16", False, False),
    ],
)
def test_arithmetic_is_read_from_the_processors_flags(tmp_path: Path, flags: str, bf16: bool, int8: bool) -> None:
    """Whole flags count, as Linux lists them."""
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"processor\t: 0\nmodel name\t: avx512_bf16 in a name\nflags\t\t: {flags}\nbugs\t\t:\n")
    assert (has_bf16(cpuinfo), has_int8(cpuinfo)) == (bf16, int8)


def test_no_list_of_flags_means_no_bf16(tmp_path: Path) -> None:
    """macOS and Windows compute in fp32."""
    assert has_bf16(tmp_path / "missing") is False


@pytest.mark.parametrize(
    ("expected", "bf16", "int8", "engine_int8", "chosen", "verify"),
    [
        (Precision.AUTO, True, True, True, Precision.BF16, True),
        (Precision.AUTO, False, True, True, Precision.FP32, False),
        (Precision.AUTO, False, True, False, Precision.FP32, False),
        (Precision.AUTO, False, False, True, Precision.FP32, False),
        (Precision.FP32, True, True, True, Precision.FP32, False),
        (Precision.BF16, False, True, True, Precision.BF16, False),
        (Precision.INT8, True, False, True, Precision.INT8, False),
        (Precision.INT8, True, True, False, Precision.BF16, True),
        (Precision.INT8, False, True, False, Precision.FP32, False),
    ],
)
def test_the_setting_is_obeyed_and_auto_asks_the_processor(
    expected: Precision, bf16: bool, int8: bool, engine_int8: bool, chosen: Precision, verify: bool
) -> None:
    """Only what `auto` chose is compared with fp32; each choice names itself in its note."""
    choice = choose_precision(expected, bf16=bf16, int8=int8, engine_int8=engine_int8)
    assert (choice.precision, choice.verify) == (chosen, verify)
    assert choice.note.startswith(chosen.value)


def test_bf16_on_a_processor_without_it_says_that_it_is_slow() -> None:
    """Nothing is overruled in silence."""
    assert "fp32 would be faster" in choose_precision(Precision.BF16, bf16=False, int8=True, engine_int8=True).note


def test_int8_without_an_engine_for_it_names_the_engine_that_is_missing() -> None:
    """The precision that is taken in its place has said so."""
    note = choose_precision(Precision.INT8, bf16=True, int8=True, engine_int8=False).note
    assert "int8" in note
    assert "OpenVINO" in note


@pytest.mark.parametrize(("engines", "result"), [("openvino,torch", True), ("torch", False), ("no engine", False)])
def test_int8_depends_on_the_engine_that_runs_the_model(
    engines: str, result: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """torch has none; a list of engines that is wrong is told when the model is loaded."""
    monkeypatch.setenv(engine_table.ENVIRONMENT, engines)
    assert computes_int8(find_model("all-MiniLM-L6-v2")) is result
