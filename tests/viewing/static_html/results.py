"""Results to draw: of ordinary documents, of hostile ones, and of nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from chunking.config import Config, SearchConfig
from chunking.evaluation import EvaluationRun, Sweep, SweepReport, SweepResult, leaderboard
from chunking.evaluation.metrics.counted_results import Measure
from chunking.parsing import parse
from chunking.retrieval import SearchResult, search
from chunking.splitting import Chunks, chunk_document
from chunking.store import Workspace
from tests.support.stored_runs import EVIL, questions_about, run_of

__all__ = [
    "ARABIC",
    "CHINESE",
    "EMPTY",
    "HOSTILE",
    "ORDINARY",
    "chunks_of",
    "hostile_results",
    "ordinary_results",
    "run_with",
    "search_of",
    "sweep_of",
]

CHINESE = "# 净水器说明书\n\n## 滤芯更换\n\n更换滤芯前请先关闭进水阀并断开电源。滤芯每六个月更换一次。\n"
ARABIC = "# دليل الصيانة\n\nأوقف الخدمة قبل استعادة النسخة الاحتياطية.\n"
ENGLISH = "# Backups\n\nStop the service before a backup is restored.\n\n## Users\n\nAsk an administrator.\n"
SMALL = Config.from_settings({"size": "32", "min_size": "0"})


def chunks_of(text: str, source: str = "guide/handbook.md") -> Chunks:
    """The small chunks of a text."""
    return chunk_document(parse(text.encode("utf-8", "surrogatepass"), source), SMALL)


def search_of(query: str, *texts: str) -> SearchResult:
    """A search of whole documents: no index, no model."""
    workspace = Workspace("memory://")
    workspace.put_documents([parse(text.encode(), f"part{number}.md") for number, text in enumerate(texts)])
    return search(workspace, query, SearchConfig(k=50))


def run_with(label: str, missed: range, why: str = "Rank 9 of 40.", count: int = 12) -> EvaluationRun:
    """A run that missed some of its questions."""
    questions = questions_about([parse(ENGLISH.encode(), "handbook.md")], count)
    return run_of(questions, missed, key=label, label=label, why=why)


def sweep_of(count: int, name: str = "sizes", label: str = "size") -> SweepResult:
    """A sweep with a line a run, each a little worse than the one before."""
    questions = questions_about([parse(ENGLISH.encode(), "handbook.md")], 12)
    runs = [
        run_of(
            questions,
            range(min(number, 11)),
            key=f"{number}",
            label=f"{label} {number}",
            config=Config.from_settings({"size": 64 + number}),
        )
        for number in range(count)
    ]
    lines = leaderboard(runs, questions)
    return SweepResult(Sweep(name, "sample"), SweepReport(name, tuple(run.key for run in runs)), lines, 12, Measure())


@cache
def hostile_results() -> Mapping[str, object]:
    """A result of each kind in whose every text stands something that would break a careless page."""
    text = (
        f"# Title {EVIL}\n\n<b onclick=x>bold</b> & 'quotes' \"and\" \x07 bell \u202e turned\n\n## {EVIL}\n\n{EVIL}\n"
    )
    document = parse(text.encode(), "guide/evil.md")
    chunk = chunk_document(document, SMALL)[0]
    broken = f"half \ud800 pair \x1b[2J {EVIL}"
    answer = search_of("Title", text)
    run = run_with(EVIL, range(5), why=broken)
    failed = replace(run, error=broken, answered=())
    swept = sweep_of(3, name=EVIL, label=broken)
    return {
        "document": replace(document, title=broken, source=broken, warnings=(broken,), doc_toc=f"{broken}\n  {EVIL}"),
        "chunk": replace(chunk, content=broken, prefix=broken, chunk_id=EVIL, title_path=(EVIL, broken)),
        "chunks": Chunks([replace(chunk, content=broken, doc_id=EVIL)]),
        "search": replace(answer, query=broken, notes=(broken, EVIL), index=EVIL),
        "result": replace(answer.results[0], citation=broken, explanation=EVIL),
        "run": replace(run, notes=(broken,), question_set=EVIL),
        "failed run": failed,
        "sweep": swept,
    }


def _nothing() -> Mapping[str, object]:
    run = run_with("size 64", range(0))
    return {
        "no chunks": Chunks(),
        "no hits": replace(search_of("backup", ENGLISH), results=(), documents=(), notes=()),
        "no failures": run,
        "no questions": replace(run, answered=()),
        "no lines": sweep_of(0),
    }


@cache
def ordinary_results() -> Mapping[str, object]:
    """A result of each kind, and some with nothing in them."""
    return {
        "document": parse(ENGLISH.encode(), "guide/handbook.md"),
        "chinese": parse(CHINESE.encode(), "manuals/手册.md"),
        "chunk": chunks_of(ENGLISH)[0],
        "chunks": chunks_of(ENGLISH),
        "search": search_of("backup", ENGLISH),
        "result": search_of("backup", ENGLISH).results[0],
        "run": run_with("size 64", range(3)),
        "sweep": sweep_of(4),
        **_nothing(),
    }


ORDINARY = ("document", "chinese", "chunk", "chunks", "search", "result", "run", "sweep")
EMPTY = ("no chunks", "no hits", "no failures", "no questions", "no lines")
HOSTILE = ("document", "chunk", "chunks", "search", "result", "run", "failed run", "sweep")
"""Names of results; none is made before a test asks for it."""
