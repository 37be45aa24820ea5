"""Indexes with parents, larger sizes, contexts, summaries, a tree, and late vectors: what stands in them, and what they
cost.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from chunking.embedding import LocalEmbedder
from chunking.errors import ConfigError
from chunking.indexing import IndexPhase, IndexProgress, IndexReport, Plan, build_index, make_plan, run_plan, staleness
from chunking.model import CHUNK, CLUSTER, DOCUMENT, PARENT, SECTION, Chunk, Document, Flag
from chunking.parsing import parse
from chunking.store import Index, Workspace
from chunking.store.index.build_record import FallbackLevel
from tests.support.all_levels import ENGLISH, EXACT, LATE, LEVELS, RULES, config, of_two_languages
from tests.support.stand_in_model import stand_in_model


@pytest.fixture(scope="module", autouse=True)
def _stand_in() -> Iterator[None]:
    """What stands in an index is tested here, not what the model makes of it (see test_indexing_model.py)."""
    with stand_in_model():
        yield


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return of_two_languages(tmp_path / "workspace")


class Reached:
    """Counts what reaches the model."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.texts = self.rows = 0
        embed, states = LocalEmbedder.embed, LocalEmbedder.states

        def counting_embed(this: LocalEmbedder, texts: list[str], **options: object) -> object:
            self.texts += len(texts)
            return embed(this, texts, **options)

        def counting_states(
            this: LocalEmbedder, rows: list[list[int]], *more: object, **options: object
        ) -> Iterator[object]:
            self.rows += len(rows)
            return states(this, rows, *more, **options)

        monkeypatch.setattr(LocalEmbedder, "embed", counting_embed)
        monkeypatch.setattr(LocalEmbedder, "states", counting_states)

    def nothing(self) -> bool:
        """True where nothing has come since the last look."""
        result, self.texts, self.rows = (self.texts, self.rows), 0, 0
        return result == (0, 0)


def as_planned(plan: Plan, report: IndexReport) -> bool:
    """True where a run did exactly what was planned, at the fallback level that was asked for."""
    names = (
        ("documents", "documents"),
        ("vectors", "vectors"),
        ("new", "embedded"),
        ("reused", "reused"),
        ("removed", "removed"),
    )
    assert plan.new + plan.reused == plan.vectors
    same = all(getattr(plan, expected) == getattr(report, done) for expected, done in names)
    return same and (plan.asked, dict(plan.levels)) == (report.fallback_level, dict(report.levels))


def everything(index: Index) -> dict[str, Chunk]:
    """All rows by id."""
    return {row.chunk_id: row for level in index.levels for row in index.by_level(level)}


def check_made_of_text(document: Document, rows: list[Chunk], level: str) -> None:
    """Laws 1 and 3, and whole neighbouring chunks: a level's rows stand one after the other."""
    own = [row for row in rows if row.level == level and row.doc_id == document.doc_id]
    assert [row.chunk_index for row in own] == list(range(len(own)))
    assert all(document.text[row.start : row.end] == row.content for row in own)
    assert all(before.start < after.start and before.end < after.end for before, after in pairwise(own))


def test_larger_levels_have_their_share_of_progress(workspace: Workspace) -> None:
    """While chunks of a larger size are still to be embedded, not all chunks count as done and some time is left."""
    progress: list[IndexProgress] = []
    build_index(workspace, config({}, **{"search.retrieval": "multi_granularity"}), on_progress=progress.append)
    embedding = [one for one in progress if one.phase is IndexPhase.EMBED and one.message.startswith("Embedding")]
    shares = [one.done / one.total for one in embedding]
    assert shares == sorted(shares)
    assert any(
        0.2 < share < 0.6 for share in shares
    )  # where the chunks themselves are done, and the larger ones are not
    assert all((one.seconds_left or 0) > 0 for one in embedding if one.done < one.total)


def test_every_level_stands_in_the_index_with_its_links(workspace: Workspace) -> None:
    """Parents, larger sizes, sections, documents and clusters: each names what it is made of, and is named by it."""
    settings = config(RULES, **{"enrich.raptor": "true"})
    message: list[IndexPhase] = []
    report = build_index(workspace, settings, on_progress=lambda progress: message.append(progress.phase))
    assert (message[0], message[-1], set(message)) == (
        IndexPhase.LOAD,
        IndexPhase.FINISH,
        set(IndexPhase) - {IndexPhase.PREPARE},
    )
    index = workspace.index()
    rows = everything(index)
    assert {CHUNK, PARENT, "x2", "x4", SECTION, DOCUMENT, CLUSTER} == set(index.levels) == set(report.levels)
    assert sum(index.levels.values()) == len(rows)
    for document in workspace.read_documents([row.doc_id for row in workspace.documents()]):
        for level in (CHUNK, PARENT, "x2", "x4"):
            check_made_of_text(document, list(rows.values()), level)
    for row in rows.values():
        for child in (rows[name] for name in row.children):
            assert row.level == CLUSTER or child.doc_id == row.doc_id
            if row.level == SECTION:  # a heading with nothing under it stands in the first chunk below
                assert row.start < child.end <= row.end
            elif row.level != CLUSTER:
                assert row.start <= child.start < child.end <= row.end
        if row.level == CHUNK:
            assert row.chunk_id in rows[row.parent_id].children
            assert rows[row.parent_id].level == PARENT
            assert rows[row.parent_id].parent_id == row.section_id
            assert [rows[name].level for name in row.larger_ids] == ["x2", "x4"]
            assert all(row.chunk_id in rows[name].children for name in row.larger_ids)
            assert row.prefix.endswith(row.written)
        elif row.level in (SECTION, DOCUMENT, CLUSTER):
            assert (row.content, bool(row.summary)) == ("", True)
    for doc_id in index.documents():
        assert rows[f"{doc_id}_doc"].children
        assert set(rows[f"{doc_id}_doc"].children) <= {row.chunk_id for row in rows.values() if row.level == SECTION}
    first = [
        child
        for row in rows.values()
        if row.level == CLUSTER and row.metadata["tree_level"] == 1
        for child in row.children
    ]
    assert set(first) == {row.chunk_id for row in rows.values() if row.level == CHUNK}
    assert sum(bool(row.written) for row in rows.values()) > report.chunks // 2
    summaries = index.levels[SECTION] + index.levels[DOCUMENT]
    by_rules = {"context": report.chunks, "summary": summaries, "cluster": index.levels[CLUSTER]}
    assert report.written == {f"{kind} by rules": number for kind, number in by_rules.items()}
    assert index.row.built.ran is index.row.built.asked is FallbackLevel.FULL


def test_the_plan_counts_the_texts_of_all_levels(workspace: Workspace) -> None:
    """A run embeds what was planned; the next one nothing; one document changed, only its own."""
    settings = config(LEVELS)
    plan = make_plan(workspace, settings)
    assert plan.new > plan.chunks == plan.levels[CHUNK]
    assert (plan.asked, plan.about, plan.needs, plan.encode) == (FallbackLevel.CONTEXTUAL, False, None, 0)
    assert as_planned(plan, run_plan(workspace, plan))
    again = make_plan(workspace, settings)
    assert (again.new, again.unchanged, again.levels) == (0, 2, plan.levels)
    assert as_planned(again, run_plan(workspace, again))
    changed = parse(ENGLISH.replace("gateway", "gatehouse").encode(), "english.md")
    workspace.put_document(changed)
    plan = make_plan(workspace, settings)
    assert (plan.unchanged, plan.rebuild) == (1, False)
    assert as_planned(plan, run_plan(workspace, plan))


def test_what_is_written_by_rule_is_planned_exactly_once_it_is_known(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first plan of summaries says that it does not know them; when another size is planned, the encodings tell."""
    plan = make_plan(workspace, config(RULES))
    assert (plan.about, plan.encode) == (True, 2)
    run_plan(workspace, plan)
    reached = Reached(monkeypatch)
    plan = make_plan(workspace, config(RULES, size="80"))
    assert (plan.about, plan.encode, plan.rebuild) == (False, 0, True)
    assert reached.rows == 0
    assert as_planned(plan, run_plan(workspace, plan))
    assert reached.rows == 0


@pytest.mark.parametrize("prefix", ["context", "summary"])
def test_what_the_model_does_not_read_is_flagged_whatever_is_written(workspace: Workspace, prefix: str) -> None:
    """A text in the prefix makes a chunk longer, never a warning go away: the plan and the rows say it."""
    settings = config(EXACT | {"size": "400", "prefix": prefix})
    plan = make_plan(workspace, settings)
    build_index(workspace, settings)
    chunks = workspace.index().by_level(CHUNK)
    flagged = [chunk for chunk in chunks if Flag.OVER_MODEL_LIMIT in chunk.flags]
    beyond = [chunk for chunk in chunks if chunk.token_count > 254]
    assert any(chunk.written for chunk in beyond)
    assert all(chunk in flagged for chunk in beyond)
    assert any(f"{len(flagged)} chunks are longer than the 256 tokens" in warning for warning in plan.warnings)


def test_late_mode_needs_no_model_for_another_size(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The documents are encoded once; then sizes change, levels come and go, and nothing reaches the model."""
    reached = Reached(monkeypatch)
    plan = make_plan(workspace, config(LATE))
    assert reached.nothing()
    assert (plan.encode, plan.new, plan.reused, plan.asked) == (2, plan.vectors, 0, FallbackLevel.FULL)
    assert as_planned(plan, run_plan(workspace, plan))
    assert not reached.nothing()
    for more in ({"size": "100"}, {"size": "40", "granularities": "3"}, {"parent_size": "0", "overlap": "10"}):
        plan = make_plan(workspace, config(LATE, **more))
        assert (plan.encode, plan.new, plan.rebuild) == (0, 0, True)
        assert as_planned(plan, run_plan(workspace, plan))
        assert reached.nothing(), more
    index = workspace.index()
    for level in index.levels:
        assert np.allclose(np.linalg.norm(index.vectors_of(level).vectors, axis=1), 1, atol=1e-3)


def test_a_changed_document_makes_the_tree_anew(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unchanged index keeps it; a deleted document's chunks are in none, and until then the index says so."""
    settings = config(LEVELS, **{"enrich.raptor": "true", "granularities": "", "parent_size": "0"})
    build_index(workspace, settings)
    first = workspace.index().by_level(CLUSTER)
    assert first
    reached = Reached(monkeypatch)
    build_index(workspace, settings)
    assert (workspace.index().by_level(CLUSTER), reached.nothing()) == (first, True)
    workspace.delete_documents(["english"])
    assert workspace.index().by_level(CLUSTER) == []
    assert "summary tree" in staleness(workspace, workspace.indexes()[0])
    plan = make_plan(workspace, settings)
    assert (plan.new, plan.about) == (0, True)  # the new tree's summaries come on top
    run_plan(workspace, plan)
    assert not make_plan(workspace, settings).about
    children = {name for node in workspace.index().by_level(CLUSTER) for name in node.children}
    assert children
    assert not [name for name in children if name.startswith("english_")]
    assert staleness(workspace, workspace.indexes()[0]) == ""


@pytest.mark.skipif(importlib.util.find_spec("umap") is not None, reason="umap-learn is installed here")
def test_a_tree_that_cannot_be_made_is_said_before_the_run(workspace: Workspace) -> None:
    """Not after everything is embedded."""
    with pytest.raises(ConfigError, match="umap"):
        make_plan(workspace, config(LEVELS, **{"enrich.raptor": "true", "enrich.raptor_reduction": "umap"}))


@pytest.mark.parametrize(
    "text", ["# One\n\nA single chunk, no more.", "# Same\n\n" + "The very same sentence stands here again. " * 60]
)
def test_small_and_uniform_documents(tmp_path: Path, text: str) -> None:
    """One chunk, or many that are alike: every level is there, and no error."""
    workspace = Workspace.open(tmp_path / "w")
    workspace.put_document(parse(text.encode(), "one.md"))
    settings = config(RULES, size="32", **{"enrich.raptor": "true", "context_size": "8"})
    report = build_index(workspace, settings)
    assert report.fallback_level is FallbackLevel.FULL
    assert report.levels[CHUNK] == report.chunks
    assert (report.levels.get(CLUSTER, 0) > 0) == (report.chunks > 1)
    assert staleness(workspace, workspace.indexes()[0]) == ""


def test_cut_by_meaning_plan_and_run_agree(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The boundaries that were planned are those of the index (law 5), and another size needs no encoding."""
    settings = config(EXACT, strategy="semantic", size="120")
    plan = make_plan(workspace, settings)
    assert as_planned(plan, run_plan(workspace, plan))
    reached = Reached(monkeypatch)
    plan = make_plan(workspace, config(EXACT, strategy="semantic", size="90"))
    assert as_planned(plan, run_plan(workspace, plan))
    assert reached.rows == 0


def test_cut_by_meaning_in_late_mode_plan_and_run_agree(workspace: Workspace) -> None:
    """Sentences encoded for the plan's boundaries count as encoded, but not for the model's speed."""
    settings = config(LATE, strategy="semantic", size="120", granularities="none", parent_size="0", prefix="none")
    plan = make_plan(workspace, settings)
    assert plan.encode == 2
    report = run_plan(workspace, plan)
    assert as_planned(plan, report)
    assert report.embedded == report.chunks
    assert workspace.indexes()[0].tokens_per_second == 0.0
    plan = make_plan(workspace, settings)
    assert (plan.encode, run_plan(workspace, plan).embedded) == (0, 0)


def test_late_mode_plans_what_is_written_next_to_an_encoded_document(workspace: Workspace) -> None:
    """Contexts of another size are new texts: they are encoded, documents are not, as the plan predicts."""
    settings = LATE | {"prefix": "context", "granularities": "none", "parent_size": "0"}
    build_index(workspace, config(settings, size="64"))
    plan = make_plan(workspace, config(settings, size="100"))
    assert (plan.encode, plan.about) == (0, False)
    assert plan.new > 0
    assert as_planned(plan, run_plan(workspace, plan))
    assert make_plan(workspace, config(settings, size="100")).new == 0
