"""A search result with everything a card can show: scores through the real fusion, texts that try to break out."""

from __future__ import annotations

import hashlib

from chunking.config import Fusion, SearchMode
from chunking.model import Chunk
from chunking.retrieval import Place, Result, SearchResult, Stage
from chunking.retrieval.citation import cite
from chunking.retrieval.fusion import fuse
from chunking.retrieval.grouping import group
from chunking.retrieval.highlights import highlights, matched_fields, terms
from chunking.retrieval.query import understand

__all__ = ["HOSTILE", "TEXTS", "found"]

HOSTILE = '<img src=x onerror="window.broken=1"><script>window.broken=1</script> </li></ol> ![x](http://127.0.0.1:9/x.png) 🙂'

TEXTS: tuple[tuple[str, str, tuple[str, ...], str, str], ...] = (
    (
        "handbook",
        "Operations handbook",
        ("Operations handbook", "Backups", "Restore a backup"),
        "paragraph",
        "### Restore a backup\n\nStop the service before you restore. Fetch the newest snapshot, check its sum, then run the "
        "restore command; it refuses to overwrite a volume that is mounted.\n\n"
        "A restore of 100 GB takes about twenty minutes. While it runs, the node reports "
        "itself as draining, so that no request reaches it. When it is done, start the service and watch the log for the line that says "
        "the backup is consistent; only then take the node back into the pool.",
    ),
    (
        "handbook",
        "Operations handbook",
        ("Operations handbook", "Backups", "Schedule"),
        "table",
        "| what | how often | kept |\n|---|---|---|\n| full backup | weekly | 90 days |\n| incremental backup | hourly | 7 days |\n"
        "| restore drill | monthly | 1 year |",
    ),
    (
        "api",
        "REST API <b>reference</b>",
        ("REST API <b>reference</b>", "Errors", HOSTILE),
        "paragraph",
        f"A backup with hostile text: {HOSTILE}",
    ),
    ("manual", "产品手册", ("产品手册", "备份与恢复"), "paragraph", "恢复备份之前,请先停止服务。备份每天凌晨两点自动进行,保留九十天。"),
    (
        "api",
        "REST API <b>reference</b>",
        ("REST API <b>reference</b>", "Backups", "POST /v1/backups"),
        "code",
        '```sh\ncurl -X POST https://roost.example/v1/backups \\\n  -H "Authorization: Bearer $TOKEN" \\\n  -d \'{"volume": "main"}\'\n```',
    ),
)
"""doc_id, document title, title path, content type, content: each starts 1,000 characters after the one before."""


def found(
    query: str = "restore a backup 备份", *, fusion: Fusion = Fusion.STANDARDISED, mode: SearchMode = SearchMode.HYBRID
) -> SearchResult:
    """The texts above as a result: the second is not found by meaning, the fourth hardly by words."""
    chunks = [_chunk(place) for place in range(len(TEXTS))]
    legs = {
        "vector": dict(zip(_ids(0, 2, 3, 4), (0.61, 0.55, 0.32, 0.4), strict=True)),
        "text": dict(zip(_ids(0, 1, 2, 4), (8.1, 9.4, 2.2, 4.0), strict=True)),
    }
    legs = {name: scores for name, scores in legs.items() if mode in (SearchMode.HYBRID, name)}
    weights = {name: 1 / len(legs) for name in legs}
    known = {chunk.chunk_id: chunk for chunk in chunks}
    wanted = terms(understand(query))
    results = []
    for rank, hit in enumerate(fuse(legs, weights, fusion), start=1):
        chunk = known[hit.chunk_id]
        near = tuple(_neighbour(chunk, step) for step in (-1, 1))
        again = Place("faq_chunk9", "faq", 40, 90, f"FAQ {HOSTILE} · characters 40–90")
        results.append(
            Result(
                rank,
                chunk,
                hit.score,
                hit.legs,
                hit.explanation,
                matched_fields(chunk, wanted),
                highlights(chunk, wanted),
                near,
                (again,) if rank == 1 else (),
                cite(chunk),
            )
        )
    stages = (Stage("vector", 100, 12.0), Stage("text", 34, 3.0), Stage("fusion", 112, 0.4))
    return SearchResult(query, mode, "default", "f" * 16, "mixed", weights, (), tuple(results), group(results), {}, stages, 3)


def _ids(*places: int) -> list[str]:
    return [_chunk(place).chunk_id for place in places]


def _chunk(place: int) -> Chunk:
    doc_id, title, path, kind, content = TEXTS[place]
    return _made(doc_id, 5 * place + 1, title, path, kind, content, 1000 * place + 300)


def _neighbour(chunk: Chunk, step: int) -> Chunk:
    text = f"The text {'before' if step < 0 else 'after'} it: {HOSTILE}"
    title = str(chunk.metadata["title"])
    start = chunk.end if step > 0 else chunk.start - len(text)
    return _made(chunk.doc_id, chunk.chunk_index + step, title, chunk.title_path, "paragraph", text, start)


def _made(doc_id: str, index: int, title: str, path: tuple[str, ...], kind: str, content: str, start: int) -> Chunk:
    return Chunk(
        chunk_id=f"{doc_id}_chunk{index}",
        doc_id=doc_id,
        section_id=f"{doc_id}_sec{index}",
        parent_id=f"{doc_id}_sec{index}",
        chunk_index=index,
        total_chunks=30,
        prev_id=None,
        next_id=None,
        title_path=path,
        content_type=kind,
        prefix="",
        content=content,
        embedding_content=content,
        token_count=len(content) // 4,
        start=start,
        end=start + len(content),
        hash=hashlib.sha256(content.encode()).hexdigest(),
        source_hint="[Code] sh" if kind == "code" else "",
        metadata={"title": title},
    )
