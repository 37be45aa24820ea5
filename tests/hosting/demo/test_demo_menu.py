"""The header of a demo: what is said before the end of a visit."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from chunking.deployment import Person
from hosting.demo import demo_menu


@pytest.mark.parametrize(("left", "drawn"), [(9_000.0, "html"), (300.0, "toast"), (0.0, "html")])
def test_one_place_among_styles_whether_anything_is_reported(
    monkeypatch: pytest.MonkeyPatch, left: float, drawn: str
) -> None:
    """Streamlit counts styles and toasts in one list: a toast that came without a place of its own took away the
    guide's style.
    """
    calls: list[str] = []
    visits = SimpleNamespace(seconds_left=lambda id: left, idle_seconds=14_400.0)
    monkeypatch.setattr(demo_menu, "hosted", lambda: SimpleNamespace(visits=visits))
    monkeypatch.setattr(demo_menu, "host", lambda: SimpleNamespace(user=lambda: Person("a" * 24, "Visitor")))
    for name in ("html", "toast"):
        monkeypatch.setattr(f"streamlit.{name}", lambda *_, name=name, **__: calls.append(name))
    demo_menu._warning()
    assert calls == [drawn]
