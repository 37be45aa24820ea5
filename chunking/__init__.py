"""Chunkscope's library: documents in, chunks, vectors and hits out; every hit a span of the text.

The names below are its front page: they do the main job and stay as they are from one version to the next. Each is
imported when it is first used, so that `import chunking` takes no time. What lies below, in packages such as
`chunking.splitting`, may change.

Every path is text or `os.PathLike`, and taken as it is: `~` is not expanded. Results print short, in a notebook as
HTML.

>>> from chunking import Workspace, chunk_document, parse, search
>>> text = b"# Backups\\n\\nA full copy is kept for thirty days.\\n\\n# Users\\n\\nAsk an administrator."
>>> document = parse(text, "handbook.md")
>>> document
<Document 'handbook' · Backups · markdown · 79 characters · 2 sections · en>
>>> chunk_document(document)
<Chunks: 2 chunks · 8–15 tokens, median 12 · handbook>
   0     15 tokens  # Backups A full copy is kept for thirty days.
   1      8 tokens  # Users Ask an administrator.
>>> workspace = Workspace("memory://")
>>> workspace.put_document(document)
>>> search(workspace, "How long is a full copy kept?")
<SearchResult “How long is a full copy kept?” · 1 result · text · 1 document>
There is no index yet: whole documents are searched, full text only. Build an index to search chunks and vectors.
  1    0.86  handbook.md › Backups · characters 0–47
             # Backups A full copy is kept for thirty days.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunking.config import Config as Config
    from chunking.errors import ChunkscopeError as ChunkscopeError
    from chunking.evaluation import EvaluationRun as EvaluationRun
    from chunking.evaluation import QuestionSet as QuestionSet
    from chunking.evaluation import SweepResult as SweepResult
    from chunking.evaluation import compare_runs as compare_runs
    from chunking.evaluation import evaluate as evaluate
    from chunking.evaluation import load_questions as load_questions
    from chunking.evaluation.sweep.sweep_result import sweep as sweep
    from chunking.export import export_file as export_file
    from chunking.indexing import DocumentInputs as DocumentInputs
    from chunking.indexing import add_files as add_files
    from chunking.indexing import build_index as build_index
    from chunking.model import Chunk as Chunk
    from chunking.model import Document as Document
    from chunking.parsing import parse as parse
    from chunking.parsing import parse_all as parse_all
    from chunking.parsing import parse_file as parse_file
    from chunking.retrieval import SearchResult as SearchResult
    from chunking.retrieval import fetch as fetch
    from chunking.retrieval import search as search
    from chunking.splitting import chunk_document as chunk_document
    from chunking.store import Workspace as Workspace

_HOMES = {
    "Chunk": "chunking.model",
    "ChunkscopeError": "chunking.errors",
    "Config": "chunking.config",
    "Document": "chunking.model",
    "DocumentInputs": "chunking.indexing",
    "EvaluationRun": "chunking.evaluation",
    "QuestionSet": "chunking.evaluation",
    "SearchResult": "chunking.retrieval",
    "SweepResult": "chunking.evaluation",
    "Workspace": "chunking.store",
    "add_files": "chunking.indexing",
    "build_index": "chunking.indexing",
    "chunk_document": "chunking.splitting",
    "compare_runs": "chunking.evaluation",
    "evaluate": "chunking.evaluation",
    "export_file": "chunking.export",
    "fetch": "chunking.retrieval",
    "load_questions": "chunking.evaluation",
    "parse": "chunking.parsing",
    "parse_all": "chunking.parsing",
    "parse_file": "chunking.parsing",
    "search": "chunking.retrieval",
    "sweep": "chunking.evaluation.sweep.sweep_result",
}

__all__ = [
    "Chunk",
    "ChunkscopeError",
    "Config",
    "Document",
    "DocumentInputs",
    "EvaluationRun",
    "QuestionSet",
    "SearchResult",
    "SweepResult",
    "Workspace",
    "add_files",
    "build_index",
    "chunk_document",
    "compare_runs",
    "evaluate",
    "export_file",
    "fetch",
    "load_questions",
    "parse",
    "parse_all",
    "parse_file",
    "search",
    "sweep",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'chunking' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
