"""Phases of a search: the number of candidates each passed on, and its time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from chunking.retrieval import SearchResult, Stage
from chunking.retrieval.ranking.reranking import RERANKERS
from components.kit.browser import component
from components.kit.wording import quantity

__all__ = ["phases", "pipeline"]

_pipeline = component("pipeline")
_CALLS = "Storage queries; their number does not grow with the number of hits."


def pipeline(result: SearchResult, *, key: str = "pipeline") -> None:
    """Draw a strip of seven phases with counts and times; a table of all stages opens below.

    Args:
        result: the search.
        key: key of the component.
    """
    hits, calls = len(result.results), result.storage_calls
    facts = [
        (f"{hits:,}", "hit" if hits == 1 else "hits", "Results of this search."),
        (f"{calls:,}", "storage call" if calls == 1 else "storage calls", _CALLS),
    ]
    _pipeline(key=key, data={"phases": phases(result), "facts": facts})


class SearchPhase(NamedTuple):
    """A phase between the query and the context, such as fusion, with its tooltips."""

    key: str
    """Value of `Stage.phase`."""
    title: str
    does: str
    """Tooltip."""
    off: str
    """Tooltip of a phase that is off."""


PHASES = (
    SearchPhase(
        "legs",
        "Find",
        "Each leg passes on its best candidates; with several granularities or summaries, of each. Both legs run at "
        "once: a leg's time is how long the search waited for it.",
        "",
    ),
    SearchPhase(
        "fusion",
        "Fusion",
        "The legs' candidates become one ranking on one scale; duplicates are removed.",
        "Only one leg: there is nothing to fuse.",
    ),
    SearchPhase(
        "rerank",
        "Reranking",
        "The best candidates are compared with the query again, more closely.",
        "Off. Turn on “Reranking” under More.",
    ),
    SearchPhase(
        "merge", "Parents", "Parents replace the chunks that were found.", "Off: results are the chunks found."
    ),
    SearchPhase(
        "expand", "Expansion", "The neighbours of all hits are read, in one call.", "Off: no neighbours requested."
    ),
    SearchPhase(
        "evidence",
        "Evidence",
        "Results that score far below the best are left out; the others are trimmed to the sentences that carry them.",
        "Off. Set “Evidence cut” or “Evidence trim” under More.",
    ),
    SearchPhase("assemble", "Context", "Results become the passages for a language model.", "No result, no context."),
)

_STAGES: dict[str, tuple[str, str, str]] = {
    "query vector": ("query embedded", "", "legs"),
    "vector": ("vector", "candidate", "legs"),
    "text": ("full text", "candidate", "legs"),
    "characters": ("exact characters", "candidate", "legs"),
    "best summaries": ("best summaries", "row", "legs"),
    "fusion": ("candidates", "candidate", "fusion"),
    "multi-granularity": ("multi-granularity", "candidate", "fusion"),
    "identifiers": ("candidates with the identifiers first", "candidate", "fusion"),
    "deduplication": ("distinct", "candidate", "fusion"),
    **{str(row.name): (row.stage, "candidate", "rerank") for row in RERANKERS.values()},
    "parents": ("results", "result", "merge"),
    "neighbours": ("chunks", "chunk", "expand"),
    "evidence": ("enough evidence", "hit", "evidence"),
    "results": ("results", "hit", "assemble"),
    "documents": ("documents", "document", "assemble"),
    "context": ("passages", "passage", "assemble"),
}
"""Stage to (label, unit counted, default phase); other stages show their name."""

_TONES = {"vector": "meaning", "text": "words", "characters": "words"}
_OF = re.compile(r"(?P<stage>vector|text|fusion) (?P<of>\S+)$")
"""Stages that count larger chunks or summaries, such as `vector x2` or `text summaries`."""


def phases(result: SearchResult) -> list[dict[str, Any]]:
    """Convert the phases of a search to data for the browser; a phase without stages is off.

    Returns:
        JSON: `title`, `does` (one sentence), `on`, `facts` (number, noun, tone), `milliseconds`, `stages` (name, count,
        milliseconds as text).
    """
    return [
        _row(phase, [stage for stage in result.stages if _phase_of(stage) == phase.key], result) for phase in PHASES
    ]


def _row(phase: SearchPhase, stages: Sequence[Stage], result: SearchResult) -> dict[str, Any]:
    facts = _legs(stages) if phase.key == "legs" else _last(stages)
    if phase.key == "assemble" and result.context.sources:
        facts = [(f"{result.context.tokens:,}", "token" if result.context.tokens == 1 else "tokens", "")]
    alone = phase.key == "fusion" and len(result.weights) < 2
    return {
        "key": phase.key,
        "title": phase.title,
        "does": phase.off if alone or not facts else phase.does,
        "on": bool(facts),
        "facts": facts,
        "milliseconds": sum(stage.milliseconds for stage in stages),
        "stages": [_stage(stage) for stage in stages],
    }


def _legs(stages: Sequence[Stage]) -> list[tuple[str, str, str]]:
    """Return the candidates of each leg, over all levels."""
    counts: dict[str, int] = {}
    for stage in stages:
        name = stage.name.partition(" ")[0]
        if name in _TONES:
            counts[name] = counts.get(name, 0) + stage.count
    return [(f"{number:,}", _STAGES[name][0], _TONES[name]) for name, number in counts.items()]


def _last(stages: Sequence[Stage]) -> list[tuple[str, str, str]]:
    """Return the count of a phase's last stage."""
    return [(f"{stage.count:,}", _words(stage)[0], "") for stage in stages[-1:]]


def _words(stage: Stage) -> tuple[str, str, str]:
    """Return (label, unit counted, phase) of a stage."""
    part = _OF.match(stage.name)
    if part is None:
        return _STAGES.get(stage.name, (stage.name.replace("_", " "), "result", "assemble"))
    label, noun, phase = _STAGES[part["stage"]]
    of = f"{part['of'][1:]}× chunks" if part["of"][0] == "x" else part["of"]
    return f"{label}, {of}", noun, phase


def _phase_of(stage: Stage) -> str:
    return stage.phase or _words(stage)[2]


def _stage(stage: Stage) -> tuple[str, str, str]:
    """Return (name, count, time) as texts."""
    label, noun, _ = _words(stage)
    return label, quantity(stage.count, noun) if noun else "", f"{stage.milliseconds:.1f} ms"
