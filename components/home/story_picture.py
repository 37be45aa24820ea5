"""Picture of the samples' story: answers found, tokens sent and one question, for two configurations."""

from __future__ import annotations

from html import escape

import streamlit as st

from chunking.config import Config
from chunking.evaluation import Measure, metric_of
from chunking.glossary import term
from chunking.viewing.colours import COLOURS
from components.evaluate.metric_cards import measure_words
from components.home.sample_story import Outcome, Passage, SampleQuestion, SampleSide, SampleStory
from components.kit.wording import quantity

__all__ = ["draw_story", "how_measured"]

_DOTS = 100
_SIGNS = {Outcome.FOUND: "✓", Outcome.PARTLY: "◐", Outcome.MISSED: "✕"}


def draw_story(story: SampleStory) -> None:
    """Draw the picture: two columns that share a scale, then the question with its answer on both sides."""
    colours = "".join(
        f"--home-{role}: light-dark({COLOURS[role].light}, {COLOURS[role].dark});" for role in ("answer", "warning")
    )
    sides = (
        ("How most people start", "Baseline", story.baseline, 1.0),
        ("With Chunkscope’s defaults", "Defaults", story.chosen, story.token_share),
    )
    numbers = "".join(_numbers(story, *one) for one in sides)
    examples = "".join(_example(name, side) for name, _, side, _ in sides)
    question = f'<p class="home-asked"><span>Asked</span> {escape(story.question)}</p>' if examples else ""
    opening = f'<section class="home-story" aria-label="What was measured" style="{colours}">'
    st.html(f"{opening}{numbers}{question}{examples}</section>")
    st.caption(f"Measured on the sample documents. {how_measured(story)} Shown as answers out of {_DOTS}.")


def how_measured(story: SampleStory) -> str:
    """Return the sentence on the numbers of answers found."""
    return (
        f"Recall: the share of the gold answers' text {measure_words(Measure(story.chosen.results))}; "
        f"the mean over {quantity(story.questions, 'sample question')}."
    )


def _numbers(story: SampleStory, name: str, kind: str, side: SampleSide, share: float) -> str:
    answers, tokens = round(_DOTS * side.recall), metric_of("context_tokens")
    said = f"{answers} of {_DOTS} answers found"
    dots = "<i></i>" * answers + '<i class="lost"></i>' * (_DOTS - answers)
    cost = f"{tokens.text(side.tokens)} per question"
    if side is not story.baseline:
        cost += f" ({round(100 * share)} %)"
    how = f"{tokens.text(side.tokens)} on average. {tokens.help} Token: {term('Token').line}"
    title = f' title="{escape(term("Baseline").line)}"' if side is story.baseline else ""
    return (
        f'<div class="home-side"><h2>{name}</h2>'
        f'<p class="home-settings"{title}>{kind}: {escape(settings_line(side.config))}</p>'
        f'<p class="home-found" title="{escape(how_measured(story))}"><b>{answers}</b> of {_DOTS} answers found</p>'
        f'<div class="home-dots" role="img" aria-label="{said}">{dots}</div>'
        f'<p class="home-tokens" title="{escape(how)}"><i style="--share:{min(share, 1):.3f}"></i>'
        f"<span>{cost}</span></p></div>"
    )


def settings_line(config: Config) -> str:
    """Return strategy, size, overlap and search of a configuration in one line.

    >>> settings_line(Config.from_settings({"strategy": "recursive", "size": "512", "overlap": "50"}))
    'recursive, 512 tokens, overlap 50, hybrid search'
    """
    chunk = config.chunk
    overlap = f", overlap {chunk.overlap}" if str(chunk.overlap) != "0" else ""
    size = f"{chunk.size} {chunk.unit.value}"
    return f"{chunk.strategy.label}, {size}{overlap}, {config.search.mode.value} search"


def _example(name: str, side: SampleSide) -> str:
    one = side.example
    if one is None:
        return ""
    passages = ((one.result, one.shown_rank, "found"), (one.missing, one.rank, "missed"))
    shown = "".join(_excerpt(passage, rank, look) for passage, rank, look in passages if passage)
    return (
        f'<div class="home-example {one.outcome.value}" role="group" aria-label="{name}">'
        f'<p class="home-verdict"><b aria-hidden="true">{_SIGNS[one.outcome]}</b> {_verdict(one, side.results)}</p>'
        f"{shown}</div>"
    )


def _verdict(one: SampleQuestion, results: int) -> str:
    if one.outcome is Outcome.FOUND:
        return "Found: the first result answers it" if one.rank == 1 else f"Found: result {one.rank} answers it"
    if one.outcome is Outcome.PARTLY:
        return f"Split: {quantity(results, 'result')} held only part of the answer"
    where = f"result {one.rank}" if one.rank else "none of them"
    read = f"{results} results are" if results != 1 else "1 result is"
    return f"Missed: only {read} read, and the answer is in {where}"


def _excerpt(passage: Passage, rank: int | None, look: str) -> str:
    name = f"Result {rank}" if rank else "In the document"
    parts = (
        f'<mark class="{look}">{escape(part.text)}</mark>' if part.is_answer else escape(part.text) for part in passage
    )
    return f'<blockquote class="{look}"><cite>{name}</cite> {"".join(parts)}</blockquote>'
