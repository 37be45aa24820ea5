"""Table of the measured retrieval techniques: changed settings and baseline of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["NOT_MEASURED", "TECHNIQUES", "Technique"]

Settings = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Technique:
    """Row of the table of techniques."""

    name: str
    setting: str
    """Command-line setting that enables the technique."""
    source: str
    """Link to the paper or page; empty for none."""
    settings: Settings
    base: Settings
    """Settings to compare with."""

    @property
    def words(self) -> str:
        """Return name, setting and source."""
        details = ", ".join(filter(None, [f"`{self.setting}`" if self.setting else "", self.source]))
        return f"{self.name} ({details})" if details else self.name


_VECTORS: Settings = {
    "size": "200",
    "prefix": "none",
    "granularities": "none",
    "search.retrieval": "chunk",
    "search.mode": "vector",
    "search.vector_weight": "0.5",
}
_HYBRID: Settings = {**_VECTORS, "search.mode": "hybrid"}
_TITLES: Settings = {**_HYBRID, "prefix": "title_path"}
_SMALL: Settings = {**_TITLES, "size": "100"}
_DEFAULT: Settings = {}

_LATE = "[Günther et al. 2024](https://arxiv.org/abs/2409.04701)"
_COLBERT = "[ColBERT](https://arxiv.org/abs/2004.12832)"
_RAPTOR = "[RAPTOR](https://arxiv.org/abs/2401.18059)"
_HICHUNK = "[HiChunk](https://arxiv.org/abs/2509.11552)"
_MMR = "[Carbonell and Goldstein 1998](https://doi.org/10.1145/290941.291025)"
_RRF = "[Cormack et al. 2009](https://doi.org/10.1145/1571941.1572114)"
_CONTEXT = "[Anthropic 2024](https://www.anthropic.com/news/contextual-retrieval)"
_KAMRADT = "[Kamradt 2023](https://github.com/FullStackRetrieval-com/RetrievalTutorials)"
_CROSS = "[Nogueira and Cho 2019](https://arxiv.org/abs/1901.04085)"


def _on(base: Settings, name: str, setting: str, source: str = "") -> Technique:
    changes = dict(pair.split("=", 1) for pair in setting.split(" ") if pair)
    return Technique(name, setting, source, {**base, **changes}, base)


TECHNIQUES: tuple[Technique, ...] = (
    _on(_VECTORS, "structure 200, vectors only", ""),
    _on(_VECTORS, "… with late chunking", "embedding.mode=late", _LATE),
    _on(_VECTORS, "… with late interaction", "search.rerank=late_interaction", _COLBERT),
    _on(_VECTORS, "… with full text", "search.mode=hybrid"),
    _on(_HYBRID, "hybrid by rank fusion", "search.fusion=reciprocal_rank", _RRF),
    _on(_HYBRID, "hybrid with the title path", "prefix=title_path"),
    _on(_TITLES, "… with the document's summary too", "prefix=summary"),
    _on(_TITLES, "… with a context by rule", "prefix=context", _CONTEXT),
    _on(_TITLES, "… with late chunking", "embedding.mode=late", _LATE),
    _on(_TITLES, "… with late interaction", "search.rerank=late_interaction", _COLBERT),
    _on(_TITLES, "… with title match", "search.rerank=title"),
    _on(_TITLES, "… with diversity", "search.rerank=diversity", _MMR),
    _on(_TITLES, "… with repeats kept", "search.deduplicate=false"),
    _on(_TITLES, "… with semantic breakpoints", "strategy=semantic", _KAMRADT),
    _on(_TITLES, "… with a larger size", "granularities=2 search.retrieval=multi_granularity"),
    _on(_TITLES, "smaller: structure 100, hybrid, title path", "size=100"),
    _on(_SMALL, "… with two sizes", "granularities=2 search.retrieval=multi_granularity"),
    _on(_SMALL, "… with three sizes", "granularities=2,4 search.retrieval=multi_granularity"),
    _on(_SMALL, "… with parents", "parent_size=400 search.retrieval=parent"),
    _on(_SMALL, "… with auto-merge", "parent_size=400 search.retrieval=merge", _HICHUNK),
    _on(_SMALL, "… with summaries", "enrich.summaries=true search.retrieval=hierarchical", _RAPTOR),
    _on(_SMALL, "… with a cluster tree", "enrich.raptor=true search.retrieval=hierarchical", _RAPTOR),
    _on(
        _SMALL,
        "… with a cluster tree, top down",
        "enrich.raptor=true search.retrieval=hierarchical search.tree=top_down",
        _RAPTOR,
    ),
    _on(_DEFAULT, "the default: structure 150, title path, hybrid, a larger size", ""),
    _on(_DEFAULT, "… with late chunking", "embedding.mode=late", _LATE),
    _on(_DEFAULT, "… with late interaction", "search.rerank=late_interaction", _COLBERT),
    _on(_DEFAULT, "… with both, and title match", "embedding.mode=late search.rerank=title,late_interaction"),
    _on(_DEFAULT, "… with parents", "parent_size=400 search.retrieval=parent"),
    _on(_DEFAULT, "… with auto-merge", "parent_size=400 search.retrieval=merge", _HICHUNK),
)

NOT_MEASURED: tuple[tuple[str, str], ...] = (
    (f"contexts by an LLM (`prefix=context enrich.generator=llm`, {_CONTEXT})", "needs an LLM"),
    (
        "summaries and descriptions of tables by an LLM (`enrich.generator=llm enrich.describe_tables=true`)",
        "needs an LLM",
    ),
    (f"cross-encoder (`search.rerank=cross_encoder`, {_CROSS})", "needs weights that are not at hand"),
)
