"""LanceDB is imported without building what only its remote servers need."""

from __future__ import annotations

import json
import subprocess
import sys

import pydantic
import pytest

from chunking.store.engine_import import deferred_validators

_IMPORTS = """
import json, pydantic
built, validate_call = [], pydantic.validate_call
def counted(function, config=None):
    built.append(not (config or {}).get("defer_build"))
    return validate_call(function, config=config)
pydantic.validate_call = counted
from chunking.store.engine_import import import_lancedb
name = import_lancedb().__name__
print(json.dumps([name, import_lancedb().__name__, len(built), sum(built), pydantic.validate_call is counted]))
"""


def test_no_validator_is_built_by_the_import() -> None:
    """There are hundreds of them, none of which a local workspace calls; afterwards pydantic is what it was."""
    done = subprocess.run([sys.executable, "-c", _IMPORTS], capture_output=True, text=True, check=True)
    *names, decorated, built, restored = json.loads(done.stdout)
    assert names == ["lancedb", "lancedb"]
    assert decorated > 0
    assert (built, restored) == (0, True)


def test_a_deferred_validator_checks_its_first_call() -> None:
    """Later is not never."""
    with deferred_validators():

        @pydantic.validate_call
        def double(number: int) -> int:
            return 2 * number

    assert double("21") == 42  # type: ignore[arg-type]
    with pytest.raises(pydantic.ValidationError):
        double("many")  # type: ignore[arg-type]
