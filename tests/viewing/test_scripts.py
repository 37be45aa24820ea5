"""The viewer's scripts: complete, and free of any host."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.viewing import scripts
from chunking.viewing.scripts import component_scripts, shared_script, styles

HERE = Path(scripts.__file__).parent


def test_every_script_and_style_is_sent_once() -> None:
    """A file that no table names would lie in the wheel for nothing."""
    sent = f"{shared_script()}\n{component_scripts()}"
    for path in sorted(HERE.rglob("*.js")):
        assert sent.count(path.read_text(encoding="utf-8")) == 1, path
    for path in sorted(HERE.rglob("*.css")):
        assert any(path.read_text(encoding="utf-8") in style for style in styles().values()), path


@pytest.mark.parametrize(
    "word", ["stElementContainer", "setStateValue", "window.addEventListener", "window.chunkscope", "data-test-script"]
)
def test_no_script_knows_a_host(word: str) -> None:
    """Streamlit's protocol is in components/kit/browser, the notebook's in chunking/notebook."""
    assert [path.name for path in sorted(HERE.rglob("*.js")) if word in path.read_text(encoding="utf-8")] == []
