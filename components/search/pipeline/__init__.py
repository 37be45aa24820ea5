"""How a search went, phase by phase: what each passed on, and how long it took."""

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
    """A strip of six stages, each with what it handed on and its time; a table of every step opens below it.

    Args:
        result: the search.
        key: of the component.
    """
    hits, calls = len(result.results), result.storage_calls
    facts = [
        (f"{hits:,}", "hit" if hits == 1 else "hits", "Results of this search."),
        (f"{calls:,}", "storage call" if calls == 1 else "storage calls", _CALLS),
    ]
    _pipeline(key=key, data={"phases": phases(result), "facts": facts})


class SearchPhase(NamedTuple):
    """A part of the way from the question to the context."""

    key: str
    """As `Stage.phase` has it."""
    title: str
    does: str
    """One sentence, for the hover."""
    off: str
    """The same where it has nothing to do."""


PHASES = (
    SearchPhase(
        "legs", "Find", "Each leg passes on its best candidates; with several granularities or summaries, of each.", ""
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
    "deduplication": ("distinct", "candidate", "fusion"),
    **{str(row.name): (row.stage, "candidate", "rerank") for row in RERANKERS.values()},
    "parents": ("results", "result", "merge"),
    "neighbours": ("chunks", "chunk", "expand"),
    "results": ("results", "hit", "assemble"),
    "documents": ("documents", "document", "assemble"),
    "context": ("passages", "passage", "assemble"),
}
"""Stage to its name on screen, what it counts, and its phase where it names none; others are named as they are."""

_TONES = {"vector": "meaning", "text": "words", "characters": "words"}
_OF = re.compile(r"(?P<stage>vector|text|fusion) (?P<of>\S+)$")
"""A stage that is not about chunks, such as `vector x2`, `text summaries`."""


def phases(result: SearchResult) -> list[dict[str, Any]]:
    """Six rows, always: a phase without a stage is off, and says how it would have something to do.

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
    """Each way of searching with all its candidates, of whatever size."""
    counts: dict[str, int] = {}
    for stage in stages:
        name = stage.name.partition(" ")[0]
        if name in _TONES:
            counts[name] = counts.get(name, 0) + stage.count
    return [(f"{number:,}", _STAGES[name][0], _TONES[name]) for name, number in counts.items()]


def _last(stages: Sequence[Stage]) -> list[tuple[str, str, str]]:
    """What a phase hands on in the end."""
    return [(f"{stage.count:,}", _words(stage)[0], "") for stage in stages[-1:]]


def _words(stage: Stage) -> tuple[str, str, str]:
    """Name on screen, what is counted, phase."""
    part = _OF.match(stage.name)
    if part is None:
        return _STAGES.get(stage.name, (stage.name.replace("_", " "), "result", "assemble"))
    label, noun, phase = _STAGES[part["stage"]]
    of = f"{part['of'][1:]}× chunks" if part["of"][0] == "x" else part["of"]
    return f"{label}, {of}", noun, phase


def _phase_of(stage: Stage) -> str:
    return stage.phase or _words(stage)[2]


def _stage(stage: Stage) -> tuple[str, str, str]:
    """Name, what it handed on, time."""
    label, noun, _ = _words(stage)
    return label, quantity(stage.count, noun) if noun else "", f"{stage.milliseconds:.1f} ms"
