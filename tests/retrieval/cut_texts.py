"""Hypothesis strategies: a text cut at random into chunks, as the store hands them back."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from hypothesis import strategies as st

from chunking.model import Chunk

LETTERS = "ab 的文\n🙂é."


def make_chunks(
    text: str, spans: Sequence[tuple[int, int]], parents: Sequence[str] = (), doc_id: str = "doc"
) -> list[Chunk]:
    """Chunks of `text`; `parents` names each one's section (default: all in one)."""
    names = list(parents) or ["s0"] * len(spans)
    ends = [0, *(end for _, end in spans)]
    return [
        Chunk(
            chunk_id=f"{doc_id}_chunk{n}",
            doc_id=doc_id,
            section_id=names[n],
            parent_id=names[n],
            chunk_index=n,
            total_chunks=len(spans),
            prev_id=f"{doc_id}_chunk{n - 1}" if n else None,
            next_id=f"{doc_id}_chunk{n + 1}" if n + 1 < len(spans) else None,
            title_path=("Guide", names[n]),
            content_type="paragraph",
            prefix="Guide",
            content=text[start:end],
            embedding_content=text[start:end],
            token_count=end - start,
            start=start,
            end=end,
            hash=hashlib.sha256(" ".join(text[start:end].split()).encode()).hexdigest(),
            metadata={"title": "Guide", "file_name": f"{doc_id}.md", "gap": text[ends[n] : start]},
        )
        for n, (start, end) in enumerate(spans)
    ]


@st.composite
def cut_texts(draw: st.DrawFn) -> tuple[str, list[Chunk]]:
    """A text and its chunks: some overlap, some leave a gap, starts and ends both increase (law 3)."""
    count = draw(st.integers(1, 12))
    starts, ends = [draw(st.integers(0, 3))], []
    for n in range(count):
        ends.append(
            max(starts[-1], *ends, 0) + draw(st.integers(1, 6)) if ends else starts[-1] + draw(st.integers(1, 6))
        )
        if n + 1 < count:
            starts.append(max(starts[-1] + 1, ends[-1] + draw(st.integers(-3, 3))))
    text = draw(st.text(LETTERS, min_size=ends[-1], max_size=ends[-1] + 5))
    parents = sorted(draw(st.lists(st.sampled_from(["s0", "s1", "s2"]), min_size=count, max_size=count)))
    return text, make_chunks(text, list(zip(starts, ends, strict=True)), parents)
