"""The settings of an index run in words, and its model requests and documents to encode."""

from __future__ import annotations

import streamlit as st

from chunking.config import Config, EmbeddingMode
from chunking.config.config import value_label
from chunking.enrichment import RequestEstimate
from chunking.enrichment.enrichment_table import ENRICHMENTS
from chunking.indexing import Plan
from components.kit.wording import plain, quantity
from components.session.endpoint_status import server_name

__all__ = ["draw_needs", "settings_summary"]


def settings_summary(config: Config) -> list[str]:
    """Return an index run's settings as Markdown: five main ones, others only if in use."""
    chunk, unit = config.chunk, config.chunk.unit
    overlap = chunk.overlap if chunk.overlap.endswith("%") else f"{chunk.overlap} {unit}"
    words = [
        f"strategy **{value_label('strategy', chunk.strategy)}**",
        f"size **{chunk.size:,} {unit}**",
        f"overlap **{overlap}**",
    ]
    if config.categories:
        words.append(
            f"settings of their own for **{plain(', '.join(category for category, _ in config.categories)[:100])}**"
        )
    words += [f"prefix **{value_label('prefix', chunk.prefix)}**", f"model **{plain(config.embedding.model)}**"]
    more = (
        (chunk.parent_size, f"parent size **{chunk.parent_size:,} {unit}**"),
        (chunk.granularities, f"granularities **{', '.join(f'×{multiple}' for multiple in chunk.granularities)}**"),
        (config.embedding.mode is EmbeddingMode.LATE, "**late chunking**"),
        *((row.on(config), f"**{row.run_label}**") for row in ENRICHMENTS if row.run_label),
    )
    return words + [word for there, word in more if there]


def draw_needs(plan: Plan) -> None:
    """Draw a plan's late-chunking documents and language-model requests, if it has any."""
    if plan.config.embedding.mode is EmbeddingMode.LATE:
        _late(plan)
    if plan.needs is not None:
        _writer(plan.needs)


def _late(plan: Plan) -> None:
    there = plan.documents - plan.encode
    todo = f"{quantity(plan.encode, 'document')} will be encoded" if plan.encode else "no document needs encoding"
    kept = (
        f"; {quantity(there, 'other')} {('is' if there == 1 else 'are')} already encoded, for any chunk size"
        if there
        else ""
    )
    st.caption(
        f"Late chunking: {todo}{kept}.",
        help="Late chunking: the document passes through the model once, and the vector of any chunk is then the "
        "mean of its tokens' "
        "vectors. The workspace stores 0.8 KB for each run of up to 32 tokens, with the default model.",
    )


def _writer(needs: RequestEstimate) -> None:
    """Draw the estimated requests, tokens and cost before anything is sent."""
    facts = [
        (
            "Requests",
            f"{needs.requests:,}",
            "Requests to send. Those of the summary tree are an estimate: one per seven chunks or so.",
        ),
        (
            "Tokens read",
            f"≈ {needs.prompt_tokens:,}",
            "Tokens of all prompts, counted with the embedding model's tokenizer; the server may count differently.",
        ),
        ("Tokens written", f"≤ {needs.answer_tokens:,}", "At most, if the model keeps to the requested length."),
        (
            "Cached",
            f"{needs.cached:,}",
            "Earlier runs with the same prompt, text and model are cached and free.",
        ),
    ]
    if needs.cost is not None:
        price = f"≈ {needs.cost:,.2f}" if needs.cost >= 0.01 or not needs.cost else "< 0.01"
        facts.insert(3, ("Cost", price, "In the currency of the prices configured with the endpoint."))
    name = server_name("llm")
    st.markdown(f"**Requests to {(plain(name) if name else 'a language model')}**")
    with st.container(horizontal=True, gap="medium", key="index.needs"):
        for label, value, how in facts:
            st.metric(label, value, help=how, width=130)
    if needs.cost is None and needs.requests and name:
        st.caption("No price is configured for this endpoint, so its cost is unknown: set `price_in` and `price_out`.")
