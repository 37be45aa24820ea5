"""Records of commands, and pictures of them as text files; `python -m tests.cli.terminal.pictures` draws the files
anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chunking.cli.terminal.look import TerminalLook
from chunking.cli.terminal.terminal_text import safe_record
from chunking.cli.terminal.views import find_view

__all__ = ["FOLDER", "PICTURES", "draw"]

FOLDER = Path(__file__).parent / "pictures"

_TEXT = "分块 Pump 手册\n\nSwitch it off. 先关闭电源，再更换滤芯。\x1b[31m\tThen wait."


def _chunk(number: int, start: int, end: int, **more: Any) -> dict[str, Any]:
    row = {
        "doc_id": "pump",
        "chunk_index": number,
        "title_path": ["Pump", "分块手册"],
        "prefix": "Pump › 分块手册",
        "content": _TEXT[start:end],
        "token_count": 8 * (end - start),
        "start": start,
        "end": end,
        "flags": [],
        "metadata": {"relative_path": "guides/手册.md"},
    }
    return row | more


def _share(mean: float, low: float | None, high: float | None) -> dict[str, Any]:
    return {"mean": mean, "low": low, "high": high, "std": 0.3, "n": 117}


_HIT = {
    "rank": 1,
    "chunk_id": "pump_chunk1",
    "citation": "Pump › 分块手册 · guides/手册.md · characters 12–48",
    "score": 1.5,
    "content": _TEXT[12:],
    "start": 12,
    "highlights": [{"start": 27, "end": 32, "text": _TEXT[27:32]}],
}
_QUESTION = {"question": "什么时候 wait?", "recall": 0.25, "cause": "split", "why": "12 | 34"}
_EVALUATION = {
    "label": "size 40",
    "measure": "5",
    "chunks": 12,
    "metrics": {
        "recall": _share(0.75, 0.6, 0.88),
        "reciprocal_rank": _share(0.5, 0.4, 0.6),
        "tokens": _share(812.0, 780.0, 850.0),
    },
    "causes": {"split": 3, "ranked_below": 1, "repeat": 0},
    "questions": [_QUESTION, _QUESTION | {"cause": None, "recall": 1.0}],
}
_PERSON = {
    "id": "p1",
    "name": "李雷",
    "email": "",
    "last_visit": "2026-11-25T10:00:00+00:00",
    "suspended": True,
    "workspaces": 1,
    "disk_bytes": 51_000,
    "documents": 1,
    "llm_requests_24h": 0,
}

PICTURES: Mapping[str, tuple[str, tuple[dict[str, Any], ...], TerminalLook]] = {
    "chunks": ("chunk", (_chunk(0, 0, 26), _chunk(1, 12, 53, flags=["qa_cut"])), TerminalLook(60)),
    "chunks-ascii": ("chunk", (_chunk(0, 0, 26), _chunk(1, 12, 53)), TerminalLook(60, encoding="ascii")),
    "hits": ("search", ({"query": "何时 wait?", "mode": "hybrid", "results": [_HIT]},), TerminalLook(60)),
    "hits-colours": (
        "search",
        ({"query": "何时 wait?", "mode": "hybrid", "results": [_HIT]},),
        TerminalLook(60, colour=True),
    ),
    "evaluation": ("evaluate", (_EVALUATION,), TerminalLook(80)),
    "evaluation-narrow": ("evaluate", (_EVALUATION,), TerminalLook(60)),
    "users": (
        "users",
        ({"people": [_PERSON, _PERSON | {"email": "ada@example.org", "suspended": False}]},),
        TerminalLook(100),
    ),
    "users-narrow": (
        "users",
        ({"people": [_PERSON, _PERSON | {"email": "ada@example.org", "suspended": False}]},),
        TerminalLook(60),
    ),
    "users-stacked": ("users", ({"people": [_PERSON]},), TerminalLook(24)),
}
"""Command, records and terminal of each picture."""


def draw(name: str) -> str:
    """A picture, a line each."""
    command, rows, look = PICTURES[name]
    view = find_view(command)
    assert view is not None
    return "".join(f"{line}\n" for line in view.load()(safe_record(rows, look.encoding), look))


if __name__ == "__main__":
    for one in PICTURES:
        (FOLDER / f"{one}.txt").write_text(draw(one), encoding="utf-8")
