"""The scripts beside this one, in one server: `?app=NAME` of the address that opens a session says which."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import CodeType

import streamlit as st


@cache
def compiled(name: str) -> CodeType:
    """The script's code."""
    script = Path(__file__).with_name(f"{name}.py")
    return compile(script.read_text(encoding="utf-8"), script, "exec")


name = st.session_state.setdefault("app", st.query_params.get("app", "scene_app"))
exec(compiled(name), {"__name__": "__main__", "__file__": str(Path(__file__).with_name(f"{name}.py"))})
