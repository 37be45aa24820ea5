"""Python scripts that reproduce an index, with this library or only with the packages it uses.

Settings are literals at the top, whatever they hold, and never code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from chunking.config import ENGLISH_MODEL, MULTILINGUAL_MODEL, Config, EmbeddingConfig, remote_name
from chunking.config.choices import EmbeddingMode, FullTextTokenizer, Fusion, SearchMode
from chunking.export.configuration import comment, own_model, shared_config

__all__ = ["left_out", "library_script", "plain_script"]

_FULL_TEXT: dict[FullTextTokenizer, dict[str, Any]] = {
    FullTextTokenizer.ICU: {"base_tokenizer": "icu", "language": "English", "stem": True},
    FullTextTokenizer.NGRAM: {"base_tokenizer": "ngram", "ngram_min_length": 2, "ngram_max_length": 2, "stem": False},
    FullTextTokenizer.SIMPLE: {"base_tokenizer": "simple", "language": "English", "stem": True},
}
_PUBLISHED = {
    ENGLISH_MODEL: (f"sentence-transformers/{ENGLISH_MODEL}", None, None),
    MULTILINGUAL_MODEL: (f"intfloat/{MULTILINGUAL_MODEL}", "passage: ", "query: "),
}
"""Name on the hub, passage prefix and query prefix of the packaged models; None: the model's own."""
_COMMON = {"with_position": True, "remove_stop_words": False, "lower_case": True, "ascii_folding": True}


def library_script(
    config: Config, *, index: str, fingerprint: str, documents: Mapping[str, Any] | None = None, stale: str = ""
) -> str:
    """Return a script that rebuilds an index from a folder, checks its fingerprint and searches it.

    Args:
        documents: their edits, pins, encodings and parsers, as `DocumentInputs.as_record` gives them.
        stale: why the index is out of date, so that the script makes another one.
    """
    shared = shared_config(config)
    head = [
        f'"""The index "{comment(index)}" again, and a search in it, with Chunkscope.',
        "",
        "    pip install chunkscope        (or run it in a checkout)",
        '    python this_script.py DOCUMENTS "How long is the warranty?"',
        *_model_lines(config, "--model FOLDER"),
        *(
            ["", f"When this was exported, the index differed from what this script builds. {comment(stale)}"]
            if stale
            else []
        ),
        '"""',
    ]
    values = {"SETTINGS": shared.changed(), "DOCUMENTS": dict(documents or {}), "FINGERPRINT": fingerprint}
    notes = {
        "SETTINGS": "Settings that differ from the defaults, by their names on the command line.",
        "DOCUMENTS": (
            "Manual decisions: edits to the parse of documents, pins on boundaries, encodings and parsers of files."
        ),
        "FINGERPRINT": "Fingerprint of the index: equal if documents, settings and code are equal.",
    }
    return _script(head, values, notes, "library_script.py.txt")


def plain_script(config: Config, *, index: str) -> str:
    """Return a script that embeds exported chunks, stores them in LanceDB and searches them."""
    from chunking.retrieval.modes.retrieval_modes import MODES  # needs numpy, which most commands do not

    shared = shared_config(config)
    search = shared.search
    lines = left_out(config)
    said = ["", "Not reproduced by this script:", *(f"- {line}" for line in lines)] if lines else []
    head = [
        f'"""The index "{comment(index)}" again, and a search in it, without Chunkscope.',
        "",
        "    pip install sentence-transformers lancedb",
        '    python this_script.py --chunks chunks.jsonl "How long is the warranty?"',
        *_model_lines(config, "--model FOLDER_OR_NAME"),
        *said,
        '"""',
    ]
    weight = {SearchMode.VECTOR: 1.0, SearchMode.TEXT: 0.0}.get(search.mode, search.vector_weight)
    larger = search.granularity_weight if MODES[search.retrieval].larger_scores else 0.0
    values = {
        **_model_values(shared.embedding),
        "FULL_TEXT": _COMMON | _FULL_TEXT[shared.index.tokenizer],
        "VECTOR_WEIGHT": weight,
        "GRANULARITY_WEIGHT": larger,
        "CANDIDATES": search.candidate_count,
        "RESULTS": search.k,
    }
    notes = {
        "PASSAGE": "Prefix of a passage, and of a query; if empty, the model's own.",
        "VECTOR_WEIGHT": "Weight of the vector search; full-text search has the rest.",
        "GRANULARITY_WEIGHT": "Share of a larger chunk's score that its chunks receive.",
        "CANDIDATES": "Candidates of each leg, and number of results.",
    }
    return _script(head, values, notes, "plain_script.py.txt")


def left_out(config: Config) -> list[str]:
    """Return a sentence for each feature that the plain script does not reproduce; never empty."""
    from chunking.retrieval.modes.retrieval_modes import MODES

    search, gaps = config.search, []
    if gap := MODES[search.retrieval].export_gap:
        gaps.append(f"retrieval {search.retrieval}: {gap}.")
    if search.rerank:
        gaps.append(f"reranking ({', '.join(search.rerank)}).")
    if search.fusion is Fusion.RECIPROCAL_RANK:
        gaps.append("reciprocal rank fusion: standardised scores are added.")
    if config.embedding.mode is EmbeddingMode.LATE:
        gaps.append("late chunking: each chunk is embedded by itself.")
    if search.deduplicate:
        gaps.append("deduplication.")
    if search.before or search.after:
        gaps.append("window expansion around a hit.")
    if search.judges:
        gaps.append("cut and trim by evidence: every result is shown completely.")
    gaps.append("normalised words: full text indexes identifiers, accents, marks and apostrophes as they stand.")
    if config.index.tokenizer is not FullTextTokenizer.NGRAM:
        gaps.append("stems in the language of each document: every word is stemmed as English.")
    return [*gaps, "phrases in quotation marks, and leaving out a model that cannot read the question's language."]


def _model_lines(config: Config, word: str) -> list[str]:
    if remote_name(config.embedding.model) is not None:
        return [
            "",
            (
                f"Its vectors came from a server's model ({comment(config.embedding.model)}): name one of your "
                f"own with {word}."
            ),
        ]
    return ["", f"Its model was a folder of another machine: give yours with {word}."] if own_model(config) else []


def _model_values(config: EmbeddingConfig) -> dict[str, Any]:
    """Return the model's name on the hub, and its prompts, which multilingual-e5-small has only in its model card."""
    published, passage, query = _PUBLISHED.get(config.model, (config.model, None, None))
    return {
        "MODEL": published,
        "PASSAGE": _prompt(passage if config.passage_prefix is None else config.passage_prefix),
        "QUERY": _prompt(query if config.query_prefix is None else config.query_prefix),
    }


def _prompt(prompt: str | None) -> dict[str, str]:
    """Return the prompt argument of sentence-transformers; empty to use the model's own prompt."""
    return {} if prompt is None else {"prompt": prompt}


def _script(head: list[str], values: dict[str, Any], notes: dict[str, str], body: str) -> str:
    main = files("chunking.export").joinpath(body).read_text(encoding="utf-8")
    imports, _, rest = main.partition("\n\n\n")
    lines = [
        line
        for name, value in values.items()
        for line in ((f"# {notes[name]}",) if name in notes else ()) + (_constant(name, value),)
    ]
    return "\n".join([_docstring(head), "", imports, "", *lines, "", "", rest])


def _docstring(lines: list[str]) -> str:
    """Return lines as a docstring, escaped so that nothing ends it."""
    inside = "\n".join(lines).removeprefix('"""').removesuffix('"""').replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""{inside}"""'


def _constant(name: str, value: Any) -> str:
    if isinstance(value, dict) and value:
        inner = "".join(f"    {_literal(key)}: {_literal(one)},\n" for key, one in value.items())
        return f"{name} = {{\n{inner}}}"
    return f"{name} = {_literal(value)}"


def _literal(value: Any) -> str:
    """Return a value as a Python literal on one line; in ASCII if it is not printable."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if value.isprintable() else ascii(value)
    return repr(value)
