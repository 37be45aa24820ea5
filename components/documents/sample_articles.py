"""The statute and the contract of `sample_articles` in a workspace: documents, questions, and the patterns that split
them by article.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from chunking import evaluation
from chunking.config import Config
from chunking.config.pattern_sets import PATTERN_SETS
from chunking.indexing.ingest.adding_documents import save
from chunking.indexing.ingest.intake import Intake
from chunking.model import Document
from chunking.parsing import parse
from chunking.store import Workspace
from components.documents.adding import UploadOutcome, facts_of
from components.kit.button import button
from components.session import share
from components.session.editing import editing
from components.session.questions.question_state import set_active
from components.session.workspace import writing

__all__ = ["ARTICLES", "ARTICLE_SET", "SAMPLE_ARTICLES", "Sample", "article_samples", "with_patterns"]

SAMPLE_ARTICLES = Path(__file__).parents[2] / "sample_articles"
ARTICLE_SET = "Statute and contract"


@dataclass(frozen=True, slots=True)
class Sample:
    """A document and what splits it."""

    source: str
    """Its path in the folder, and in a workspace."""
    category: str
    """That it gets in the workspace, so that its patterns hold for no other document."""
    patterns: str
    """Name of the ready-made set for `headings_from`."""


ARTICLES = (
    Sample("statute-zh/燕湾市共享农园条例.txt", "statute", "chinese_statute"),
    Sample("contract-en/cold-storage-agreement.txt", "contract", "english_contract"),
)


def article_samples(target: Workspace) -> list[UploadOutcome]:
    """The button that loads them, or sets their patterns in a session that has not got them; nothing where both is
    done.

    Returns:
        What became of each file and what was set, in the run after the click; else nothing.
    Raises:
        ChunkscopeError: the workspace is locked or cannot be written.
    """
    patterns = with_patterns(share.config())
    if {row.source for row in ARTICLES} <= {row.source for row in target.documents()}:
        about = (
            "Makes each article of the statute and the contract a section, using ready-made patterns. Other documents "
            "stay as they are."
        )
        if patterns != share.config() and button("Split laws by article", key="articles.patterns", help=about):
            share.keep_config(patterns)
            st.rerun()
        return []
    about = (
        "Adds a Chinese statute and an English contract with 293 questions, and sets the ready-made patterns "
        "that split them by article. "
        "Other documents stay as they are."
    )
    if not button("Load a statute and a contract", key="articles.load", **editing(help=about)):
        return []
    with writing(target):
        documents = _put_into(target)
    share.keep_config(patterns)
    set_active(ARTICLE_SET)
    added = [UploadOutcome(f"{one.source}: added, {', '.join(facts_of(one)[2:])}.", one.doc_id) for one in documents]
    return [
        *added,
        UploadOutcome(
            "Their patterns are set on the Chunks page: each article is a section. Build the index again to search by "
            "article.",
            "",
        ),
    ]


def with_patterns(config: Config) -> Config:
    """A configuration in which the documents of their categories are split by article, with the prefix that goes with
    that.
    """
    prefixes = {f"category.{row.category}.prefix": str(PATTERN_SETS[row.patterns].prefix) for row in ARTICLES}
    return Config.from_settings(
        {f"category.{row.category}.headings_from": row.patterns for row in ARTICLES} | prefixes, config
    )


def _put_into(target: Workspace) -> list[Document]:
    """Save the documents and their questions; hold `writing`. A set of that name may have been edited, and stays."""
    intake = Intake(target.documents())
    for row in ARTICLES:
        data = (SAMPLE_ARTICLES / row.source).read_bytes()
        intake.add([parse(data, row.source, category=row.category)], data)
    documents = intake.documents
    save(target, documents, intake.sources)
    if ARTICLE_SET not in target.question_sets.names():
        lines = b"".join((SAMPLE_ARTICLES / row.source).with_name("questions.jsonl").read_bytes() for row in ARTICLES)
        found = evaluation.read_questions(lines, "questions.jsonl", documents)
        evaluation.save_set(target, replace(found.questions, name=ARTICLE_SET))
    return documents
