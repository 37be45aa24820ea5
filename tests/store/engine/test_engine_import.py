"""LanceDB is imported without what only its remote servers need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from chunking.store.engine.store_opening import defer_imports

_IMPORTS = """
import json, sys
from chunking.store.engine.store_opening import import_lancedb
def calling():
    return [name for name in sys.modules if name.startswith("lance_namespace_urllib3_client.api")]
names = [import_lancedb().__name__, import_lancedb().__name__]
before, models = calling(), "lance_namespace_urllib3_client.models" in sys.modules
client = sys.modules["lance_namespace_urllib3_client"].ApiClient
print(json.dumps([names, before, models, client.__module__, len(calling())]))
"""


def test_nothing_that_calls_a_server_is_imported() -> None:
    """Of the client of the REST interface only the models are, which LanceDB needs; the rest comes when it is used."""
    done = subprocess.run([sys.executable, "-c", _IMPORTS], capture_output=True, text=True, check=True)
    names, before, models, client, after = json.loads(done.stdout)
    assert names == ["lancedb", "lancedb"]
    assert (before, models) == ([], True)
    assert client == "lance_namespace_urllib3_client.api_client"
    assert after > 1


def test_a_package_that_is_put_off_is_whole_at_its_first_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The replacement comes first, misses what it misses, and is imported once."""
    package = tmp_path / "is_put_off"
    package.mkdir()
    (package / "__init__.py").write_text(
        "import sys\nsys.whole = getattr(sys, 'whole', 0) + 1\nfrom is_put_off.part import value as other\n"
    )
    (package / "part.py").write_text("value = 7")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("is_put_off", "is_put_off.part"):
        monkeypatch.setitem(sys.modules, name, sys)
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "whole", 0, raising=False)
    defer_imports("is_put_off")
    import is_put_off.part  # type: ignore[import-not-found]

    assert (is_put_off.part.value, hasattr(is_put_off, "__wrapped__"), sys.whole) == (7, False, 0)  # type: ignore[attr-defined]
    assert (is_put_off.other, sys.whole) == (7, 1)  # type: ignore[attr-defined]
    defer_imports("is_put_off")
    assert (is_put_off.other, hasattr(is_put_off, "another"), sys.whole) == (7, False, 1)  # type: ignore[attr-defined]


def test_a_package_that_is_not_installed_is_left_alone() -> None:
    """LanceDB may do without it one day."""
    defer_imports("no_such_package_is_installed")
    assert "no_such_package_is_installed" not in sys.modules
