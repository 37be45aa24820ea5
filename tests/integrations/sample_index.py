"""What the tests of the integrations split and search: some of the samples, and what the app made of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from chunking.config import Config
from chunking.model import Chunk
from chunking.store import Index, Workspace

__all__ = ["CONFIG", "PDF", "QUESTION", "SAMPLES", "SOURCES", "TEXTS", "SampleIndex"]

SAMPLES = Path(__file__).parents[2] / "sample_data"
PDF = "datasheet/heron-g4-datasheet.pdf"
TEXTS = ("handbook/operations-handbook.md", "manual-zh/产品使用手册.md", "faq/faq.txt")
SOURCES = (*TEXTS, PDF)
CONFIG = Config.from_settings({"size": "120", "overlap": "15%", "parent_size": "400", "search.k": "4", "category.faq.size": "60"})
QUESTION = "How do I rotate the gateway certificates?"


@dataclass(frozen=True)
class SampleIndex:
    """Documents, the workspace with their index, and its exported configuration."""

    docs: Path
    place: Path
    config: Path

    @cached_property
    def workspace(self) -> Workspace:
        return Workspace.open(self.place, create=False)

    @property
    def index(self) -> Index:
        return self.workspace.index()

    def text(self, source: str) -> str:
        """A document's text, as its file has it."""
        return (self.docs / source).read_bytes().decode()

    def chunks(self, *sources: str, level: str = "chunk") -> list[Chunk]:
        """The chunks that the app shows of some documents, in their order."""
        names = {row.source: row.doc_id for row in self.workspace.documents()}
        return [chunk for source in sources for chunk in self.index.chunks_of(names[source], level)]
