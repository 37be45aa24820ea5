"""The decision cards of Tune, Evaluate and Export: baseline, recommended, cheapest that is as good."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

import streamlit as st

from chunking.evaluation import (
    COST,
    CardRole,
    Decision,
    DecisionCard,
    EvaluationRun,
    Metric,
    QuestionPart,
    QuestionSet,
    metric_of,
)
from chunking.viewing.colours import COLOURS
from components.kit.glossary_lines import term_line
from components.kit.wording import parser_word, plain, quantity
from components.session.workspace import workspace
from components.tune.sweep.sweep_results import Results, current_view, results_of
from components.tune.use_settings import undo_button, use_button

__all__ = ["decision_cards", "set_decision"]

_WHY = "decision.why"
_COLOURS = {CardRole.BASELINE: "section", CardRole.RECOMMENDED: "picked", CardRole.CHEAPEST: "answer"}
"""Role in `COLOURS` of each card: the same as of its point in a plot."""


def set_decision(questions: QuestionSet, *, key: str) -> None:
    """Draw the cards of a question set's dev questions, as on Tune; nothing below two runs.

    Args:
        questions: the whole set.
        key: key of the box.
    """
    tuning = questions.of(QuestionPart.TUNE)
    if not tuning.questions:
        return
    results = results_of(tuning, current_view())
    if results.decision is not None and sum(line.complete for line in results.lines) > 1:
        decision_cards(results, results.decision, questions, key=key, more=_link_to_tune)


def _link_to_tune() -> None:
    st.page_link("pages/tune.py", label="See all configurations on Tune", icon=":material/tune:", width="content")


def decision_cards(
    results: Results,
    decision: Decision,
    questions: QuestionSet,
    *,
    key: str,
    more: Callable[[], None],
    measure: Callable[[], None] | None = None,
) -> None:
    """Draw the result in a sentence, the cards with their buttons, and *Why?*.

    Args:
        decision: that of the results.
        questions: the whole set, held-out questions included.
        key: key of the box.
        more: draws what else stands under *Why?*.
        measure: draws the button that measures a missing baseline; None, on other pages: a link to Tune.
    """
    dark = st.context.theme.type == "dark"
    colours = " ".join(f"--decision-{role}: {COLOURS[name].on(dark=dark)};" for role, name in _COLOURS.items())
    st.html(f"<style>:root {{ {colours} }}</style>")
    with st.container(key=key, gap="small"):
        st.html(f'<p class="decision headline">{escape(decision.headline)}</p>')
        st.caption(_question_count(decision, questions))
        with st.container(key="decision-cards", gap=None):
            for card in decision.cards:
                with st.container(border=True, key=f"decision-card-{card.role}", gap="xsmall", height="stretch"):
                    if decision.repeats(card):
                        st.html(f'<div class="decision card {card.role}">{_role(card)}{_sure(card)}</div>')
                        continue
                    st.html(_card_html(card, decision.metric))
                    _draw_action(card, measure)
        if measure is not None:
            term_line("Recall", "Context tokens", "Recommended")
        why = st.expander("Why?", key=_WHY, on_change="rerun")
        if why.open:
            with why:
                _draw_reasons(results, decision, questions)
                more()


def _question_count(decision: Decision, questions: QuestionSet) -> str:
    """Return how many questions the numbers are of, and how many are held out."""
    others = len(questions.of(QuestionPart.HOLDOUT))
    more = f"; {others:,} more are held out to check the choice" if others else ""
    return f"Measured on {quantity(decision.questions, 'question')} of “{plain(questions.name)}”{more}."


def _role(card: DecisionCard) -> str:
    return f'<p class="role">{escape(card.role.label)}</p>'


def _sure(card: DecisionCard) -> str:
    return f'<p class="sure">{escape(card.confidence)}</p>'


def _card_html(card: DecisionCard, metric: Metric) -> str:
    cost, unit = metric_of(COST), f" {metric.unit}" if metric.unit else ""
    number = card.value.removesuffix(unit)
    shown = f"<small>{escape(unit)}</small>" if number != card.value else ""
    return (
        f'<div class="decision card {card.role}">{_role(card)}'
        f'<div class="numbers"><p title="{escape(metric.help)}"><b>{escape(number)}{shown}</b>'
        f"<span>{escape(metric.label)}</span></p>"
        f'<p title="{escape(cost.help)}"><b>{escape(card.tokens)}</b><span>{escape(cost.label)}</span></p></div>'
        f'{_sure(card)}<p class="settings"><bdi>{escape(card.settings)}</bdi></p></div>'
    )


def _draw_action(card: DecisionCard, measure: Callable[[], None] | None) -> None:
    """Draw what can be done with a card: use its settings, or measure a baseline that was not."""
    if card.line is None:
        if measure is not None:
            measure()
        else:
            st.page_link("pages/tune.py", label="Measure it on Tune", icon=":material/tune:", width="content")
        return
    run = card.line.run
    if run.parser:
        st.caption(f"Read by {plain(parser_word(run.parser))}: choose the parser on the Documents page, too.")
    if not use_button(run, key=f"decision.use.{card.role}", primary=card.role is CardRole.RECOMMENDED):
        with st.container(horizontal=True, gap="small", vertical_alignment="center", key=f"decision-used-{card.role}"):
            st.markdown(":material/check_circle: In use on all pages", width="content")
            st.page_link("pages/index.py", label=_index_label(run), icon=":material/database:", width="content")
            undo_button(run, key=f"decision.undo.{card.role}")


def _index_label(run: EvaluationRun) -> str:
    """Return what the link to the Index page offers: the index of these settings, or to build it."""
    built = any(row.is_built_as(run.config) for row in workspace().indexes())
    return "Open the index" if built else "Build the index"


def _draw_reasons(results: Results, decision: Decision, questions: QuestionSet) -> None:
    """Draw the answers to *Why?*, with those about the split of the questions."""
    lines = [f"**{plain(one.title)}** {plain(one.text)}" for one in decision.reasons]
    held_out = len(questions.of(QuestionPart.HOLDOUT))
    number = quantity(len(results.questions), "question")
    lines.append(
        f"**Which questions?** The {number} of the dev split. {held_out:,} more are held out: asked once, after "
        "choosing, they show whether the choice holds for questions it was not chosen by."
        if held_out
        else f"**Which questions?** All {number}. Among many configurations the best is partly luck: split the set on "
        "the Evaluate page to hold some out, and check the choice on them once."
    )
    st.markdown("  \n\n".join(lines), width=760)
