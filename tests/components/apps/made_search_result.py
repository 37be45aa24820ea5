"""A search result with everything a card can show: scores through the real fusion, texts that try to break out."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from chunking.config import Fusion, Retrieval, SearchMode
from chunking.model import PARENT, Chunk, Flag, Span
from chunking.retrieval import RepeatedText, Result, SearchResult, Stage
from chunking.retrieval.query.query_parts import understand
from chunking.retrieval.query.query_terms import search_terms
from chunking.retrieval.ranking.fused_hits import fuse
from chunking.retrieval.ranking.sentence_evidence import EvidenceBasis, HitEvidence, SearchEvidence, SentenceEvidence
from chunking.retrieval.results.citation import cite
from chunking.retrieval.results.result_items import group, highlights, matched_fields
from chunking.retrieval.results.search_result import Context, ContextSource, MatchedChild, ScoreStep

__all__ = ["HOSTILE", "TEXTS", "context_of", "judged_result", "parent_result", "result_chunk", "search_result"]

HOSTILE = (
    '<img src=x onerror="window.broken=1"><script>window.broken=1</script> </li></ol> ![x](http://127.0.0.1:9/x.png) 🙂'
)

TEXTS: tuple[tuple[str, str, tuple[str, ...], str, str], ...] = (
    (
        "handbook",
        "Operations handbook",
        ("Operations handbook", "Backups", "Restore a backup"),
        "paragraph",
        "### Restore a backup\n\nStop the service before you restore. Fetch the newest snapshot, check its "
        "sum, then run the "
        "restore command; it refuses to overwrite a volume that is mounted.\n\n"
        "A restore of 100 GB takes about twenty minutes. While it runs, the node reports "
        "itself as draining, so that no request reaches it. When it is done, start the service and watch the "
        "log for the line that says "
        "the backup is consistent; only then take the node back into the pool.",
    ),
    (
        "handbook",
        "Operations handbook",
        ("Operations handbook", "Backups", "Schedule"),
        "table",
        "| what | how often | kept |\n|---|---|---|\n| full backup | weekly | 90 days |\n| incremental "
        "backup | hourly | 7 days |\n"
        "| restore drill | monthly | 1 year |",
    ),
    (
        "api",
        "REST API <b>reference</b>",
        ("REST API <b>reference</b>", "Errors", HOSTILE),
        "paragraph",
        f"A backup with hostile text: {HOSTILE}",
    ),
    (
        "manual",
        "产品手册",
        ("产品手册", "备份与恢复"),
        "paragraph",
        "恢复备份之前,请先停止服务。备份每天凌晨两点自动进行,保留九十天。",
    ),
    (
        "api",
        "REST API <b>reference</b>",
        ("REST API <b>reference</b>", "Backups", "POST /v1/backups"),
        "code",
        (
            '```sh\ncurl -X POST https://roost.example/v1/backups \\\n  -H "Authorization: Bearer $TOKEN" \\\n  '
            '-d \'{"volume": "main"}\'\n```'
        ),
    ),
)
"""doc_id, document title, title path, content type, content: each starts 1,000 characters after the one before."""


def search_result(
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
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    terms = search_terms(understand(query))
    results = []
    for rank, hit in enumerate(fuse(legs, weights, fusion), start=1):
        chunk = by_id[hit.chunk_id]
        neighbours = tuple(_neighbour(chunk, step) for step in (-1, 1))
        again = RepeatedText("faq_chunk9", "faq", 40, 90, f"FAQ {HOSTILE} · characters 40–90")
        results.append(
            Result(
                rank,
                chunk,
                hit.score,
                hit.legs,
                hit.explanation,
                matched_fields(chunk, terms),
                highlights(chunk, terms),
                neighbours,
                (again,) if rank == 1 else (),
                cite(chunk),
            )
        )
    stages = (Stage("vector", 100, 12.0), Stage("text", 34, 3.0), Stage("fusion", 112, 0.4))
    return SearchResult(
        query,
        mode,
        Retrieval.CHUNK,
        "default",
        "f" * 16,
        "mixed",
        weights,
        (),
        tuple(results),
        group(results),
        {},
        stages,
        3,
    )


def parent_result() -> SearchResult:
    """The same as parents: the best holds two chunks that were found, the last is the summary of a section; scores of
    many steps.
    """
    result = search_result()
    best, *rest = result.results
    parent = replace(
        best.chunk,
        chunk_id="handbook_parent0",
        level=PARENT,
        children=tuple(f"handbook_chunk{n}" for n in range(4)),
        start=best.chunk.start,
    )
    half = best.chunk.content.index("\n\nA restore of") + 2
    children = [_part(best.chunk, 0, 0, half), _part(best.chunk, 1, half, len(best.chunk.content))]
    matched = tuple(
        MatchedChild(child, best.score - n, 1 + 4 * n, best.legs, best.highlights[n:1])
        for n, child in enumerate(children)
    )
    steps = [ScoreStep(name, leg.part, "") for name, leg in best.legs.items()]
    steps += [
        ScoreStep("x2", 0.4, "Half of the score of the chunk of twice the size that it stands in."),
        ScoreStep("title", -0.1, "Its headings hold no word of the query."),
    ]
    score = sum(step.amount for step in steps)
    top = replace(best, chunk=parent, matched=matched, steps=tuple(steps), score=score, neighbours=())
    last = rest[-1]
    summary = replace(
        last.chunk,
        chunk_id="api_sec4",
        level="section",
        content="",
        summary=f"How errors are told. {HOSTILE}",
        flags=(Flag.GENERATED,),
    )
    results = (top, *rest[:-1], replace(last, chunk=summary, highlights=(), neighbours=()))
    stages = (
        Stage("query vector", 1, 9.0, "legs"),
        Stage("vector", 100, 12.0, "legs"),
        Stage("text", 34, 3.0, "legs"),
        Stage("fusion", 112, 0.4, "fusion"),
        Stage("title", 50, 0.2, "rerank"),
        Stage("parents", 5, 1.2, "merge"),
        Stage("neighbours", 8, 2.0, "expand"),
        Stage("context", 5, 0.3, "assemble"),
    )
    return replace(
        result,
        retrieval=Retrieval.PARENT,
        results=results,
        documents=group(results),
        stages=stages,
        context=context_of(results, budget=400),
        candidates=tuple(MatchedChild(hit.chunk, hit.score, hit.rank, hit.legs) for hit in result.results),
    )


def judged_result() -> SearchResult:
    """The same cut and trimmed: the last two are left out, the first is trimmed to its first sentence."""
    result = search_result()
    *staying, one, other = result.results
    best = staying[0]
    start = best.chunk.start + best.chunk.content.index("Stop the service")
    end = best.chunk.start + best.chunk.content.index(" Fetch")
    sentence = SentenceEvidence(0.8, 0.9, 0.7, Span(start, end), 5, 1)
    trimmed = replace(best, trimmed=Span(start, end), evidence=HitEvidence(1.0, 0.65, sentence), neighbours=())
    rest = (replace(hit, evidence=HitEvidence(0.8, 0.65)) for hit in staying[1:])
    results = (trimmed, *rest)
    return replace(
        result,
        results=results,
        documents=group(results),
        left_out=tuple(replace(hit, evidence=HitEvidence(0.3, 0.65)) for hit in (one, other)),
        evidence=SearchEvidence(0.65, 5, 3, 1, EvidenceBasis.BOTH),
    )


def context_of(results: tuple[Result, ...], *, budget: int = 0) -> Context:
    """Each hit as a passage; the last one found no room where there is a budget."""
    kept = results[:-1] if budget else results
    sources = tuple(
        ContextSource(
            place,
            hit.citation,
            hit.chunk.doc_id,
            hit.chunk.start,
            hit.chunk.end,
            hit.chunk.token_count + 12,
            hit.chunk.content or hit.chunk.summary,
            (hit.chunk.chunk_id,),
        )
        for place, hit in enumerate(kept, start=1)
    )
    text = "\n\n".join(f"[{source.number}] {source.citation}\n{source.text}" for source in sources)
    return Context(text, sum(source.tokens for source in sources), sources, budget, len(results) - len(kept))


def _part(chunk: Chunk, index: int, first: int, last: int) -> Chunk:
    content = chunk.content[first:last].rstrip()
    return replace(
        chunk,
        chunk_id=f"handbook_chunk{index}",
        chunk_index=index,
        content=content,
        start=chunk.start + first,
        end=chunk.start + first + len(content),
        parent_id="handbook_parent0",
    )


def _ids(*places: int) -> list[str]:
    return [_chunk(place).chunk_id for place in places]


def _chunk(place: int) -> Chunk:
    doc_id, title, path, kind, content = TEXTS[place]
    return result_chunk(doc_id, 5 * place + 1, title, path, kind, content, 1000 * place + 300)


def _neighbour(chunk: Chunk, step: int) -> Chunk:
    text = f"The text {'before' if step < 0 else 'after'} it: {HOSTILE}"
    title = str(chunk.metadata["title"])
    start = chunk.end if step > 0 else chunk.start - len(text)
    return result_chunk(chunk.doc_id, chunk.chunk_index + step, title, chunk.title_path, "paragraph", text, start)


def result_chunk(
    doc_id: str, index: int, title: str, path: tuple[str, ...], kind: str, content: str, start: int
) -> Chunk:
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
