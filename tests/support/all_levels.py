"""Settings with every level of an index, and an English and a Chinese text to index."""

from __future__ import annotations

from pathlib import Path

from chunking.config import ENGLISH_MODEL, Config
from chunking.parsing import parse
from chunking.store import Workspace

__all__ = ["ENGLISH", "EXACT", "LATE", "LEVELS", "RULES", "config", "of_two_languages"]

_SAMPLES = Path(__file__).parents[2] / "sample_data"
ENGLISH = (_SAMPLES / "handbook" / "operations-handbook.md").read_text(encoding="utf-8")[:3_000]
CHINESE = (_SAMPLES / "manual-zh" / "产品使用手册.md").read_text(encoding="utf-8")[:900]
EXACT = {"embedding.precision": "fp32", "embedding.model": ENGLISH_MODEL}
LEVELS = EXACT | {"size": "64", "parent_size": "200", "granularities": "2,4"}
RULES = LEVELS | {"prefix": "context", "context_size": "24", "enrich.summaries": "true", "enrich.summary_size": "40"}
LATE = LEVELS | {"embedding.mode": "late", "embedding.late_window": "128"}


def config(settings: dict[str, str], **more: str) -> Config:
    """Return settings, overridden by others."""
    return Config.from_settings(settings | more)


def of_two_languages(folder: Path, *, share: float = 1.0) -> Workspace:
    """Return a workspace with the starts of an English and a Chinese sample, and no index."""
    workspace = Workspace.open(folder)
    texts = {"english.md": ENGLISH, "chinese.md": CHINESE}
    workspace.put_documents([parse(text[: int(share * len(text))].encode(), source) for source, text in texts.items()])
    return workspace
