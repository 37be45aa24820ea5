"""The cluster tree: coherent groups, every text in it, deterministic, robust."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from chunking.config import EnrichConfig, Reduction
from chunking.enrichment.raptor import TreeNode, build_tree, group, memberships, reducer
from chunking.errors import Cancelled, ConfigError, ModelError

Vectors = NDArray[np.float32]
NO_UMAP = importlib.util.find_spec("umap") is None
PCA = EnrichConfig(raptor_reduction=Reduction.PCA)


def unit(rows: NDArray[np.float64]) -> Vectors:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def topics(number: int, each: int, *, spread: float = 0.25, dimension: int = 64) -> tuple[list[str], Vectors]:
    """Texts of some topics, topic by topic, and vectors around each topic's own direction."""
    random = np.random.default_rng(7)
    middles = random.normal(size=(number, dimension))
    rows = np.repeat(middles, each, axis=0) + spread * random.normal(size=(number * each, dimension))
    return [f"topic{topic} text{text}" for topic in range(number) for text in range(each)], unit(rows)


def embed(texts: Sequence[str]) -> Vectors:
    """A direction for each set of topics."""
    rows = np.zeros((len(texts), 16))
    for row, text in enumerate(texts):
        for word in text.split():
            rows[row, hash_of(word) % 15] += 1.0
        rows[row, 15] += 0.1
    return unit(rows)


def hash_of(word: str) -> int:
    return sum(map(ord, word)) * 31 + len(word)


def summarise(groups: Sequence[Sequence[str]]) -> list[str]:
    """The topics of each group, once each."""
    return [" ".join(sorted({text.split()[0] for text in group})) for group in groups]


def tree_of(texts: Sequence[str], vectors: Vectors, config: EnrichConfig = PCA, **changes: object) -> list[TreeNode]:
    values: dict[str, object] = {
        "embed": embed,
        "summarise": summarise,
        "count": len,
        "config": config,
        "limit_tokens": 3_500,
    }
    return build_tree([f"c{n}" for n in range(len(texts))], texts, vectors, **(values | changes))  # type: ignore[arg-type]


def under(tree: Sequence[TreeNode], node: TreeNode) -> set[str]:
    """All chunks below a node."""
    reference = {other.node_id: other for other in tree}
    result: set[str] = set()
    for child in node.children:
        result |= under(tree, reference[child]) if child in reference else {child}
    return result


def test_texts_of_a_topic_stand_together() -> None:
    """Five topics, well apart: no group of the first level mixes two."""
    texts, vectors = topics(5, 20)
    tree = tree_of(texts, vectors)
    first = [node for node in tree if node.level == 1]
    assert len(first) >= 5
    for node in first:
        assert len({texts[int(child[1:])].split()[0] for child in node.children}) == 1


def test_every_text_is_under_the_root_and_levels_get_smaller() -> None:
    """The last level is one node, under which every chunk stands; each level has fewer nodes than the one below."""
    texts, vectors = topics(12, 10, spread=0.6)
    tree = tree_of(texts, vectors)
    sizes = [sum(node.level == level for node in tree) for level in range(1, tree[-1].level + 1)]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == len(sizes)
    assert sizes[-1] == 1
    assert under(tree, tree[-1]) == {f"c{number}" for number in range(len(texts))}
    assert [node.number for node in tree if node.level == 1] == list(range(sizes[0]))
    assert all(len(node.children) > 1 for node in tree)


def test_the_same_input_gives_the_same_tree() -> None:
    """Seeds are fixed."""
    texts, vectors = topics(6, 15, spread=0.8)
    one, other = tree_of(texts, vectors), tree_of(texts, vectors)
    assert [(node.node_id, node.children, node.summary) for node in one] == [
        (node.node_id, node.children, node.summary) for node in other
    ]


@pytest.mark.parametrize("number", [0, 1])
def test_fewer_than_two_texts_have_no_tree(number: int) -> None:
    """A document of one chunk: its summary would be itself, and nothing is asked."""
    texts, vectors = topics(1, 1)
    requests: list[object] = []
    assert tree_of(texts[:number], vectors[:number], summarise=lambda groups: requests.append(groups)) == []
    assert not requests


@pytest.mark.parametrize("number", [2, 3, 11, 12, 13])
def test_few_texts_form_one_cluster(number: int) -> None:
    """Where there are hardly more rows than dimensions."""
    texts, vectors = topics(1, number, spread=1.0)
    tree = tree_of(texts, vectors)
    assert under(tree, tree[-1]) == {f"c{n}" for n in range(number)}


@pytest.mark.parametrize("config", [PCA, EnrichConfig()])
def test_identical_texts_are_one_group(config: EnrichConfig) -> None:
    """No mixture can tell them apart, and none is fitted."""
    vectors = unit(np.tile(np.arange(1.0, 33.0), (40, 1)))
    tree = tree_of(["same text"] * 40, vectors, config)
    assert len(tree) == 1
    assert len(tree[0].children) == 40


def test_identical_texts_that_are_too_long_together_are_parted() -> None:
    """By their order, as there is nothing else: and the parts are grouped again above."""
    vectors = unit(np.tile(np.arange(1.0, 33.0), (40, 1)))
    tree = tree_of(["same text"] * 40, vectors, count=lambda text: 100, limit_tokens=1_000)
    first = [node for node in tree if node.level == 1]
    assert max(len(node.children) for node in first) <= 10
    assert sorted(child for node in first for child in node.children) == sorted(f"c{number}" for number in range(40))


def test_no_group_is_over_the_limit() -> None:
    """Clusters that are too long are split again; three texts may stay together."""
    _texts, vectors = topics(2, 60, spread=0.4)
    groups = group(vectors.astype(np.float64), np.full(120, 100), 800, reducer(Reduction.PCA), 0.1, lambda: None)
    assert max(map(len, groups)) <= 9  # eight, and one that stood alone
    assert set().union(*groups) == set(range(120))


def test_a_text_may_be_in_several_groups() -> None:
    """Soft membership: a row between two components belongs to both, if the threshold lets it."""
    random = np.random.default_rng(3)
    rows = np.concatenate([random.normal(-4, 0.5, (30, 2)), random.normal(4, 0.5, (30, 2)), [[0.0, 0.0]]])
    both = [some for some in memberships(rows, 0.01) if 60 in some]
    assert 60 in np.concatenate(memberships(rows, 0.5))
    assert len(both) >= len([some for some in memberships(rows, 0.5) if 60 in some])
    assert sorted(set(np.concatenate(memberships(rows, 0.01)).tolist())) == list(range(61))


def test_a_zero_vector_is_a_row_as_any_other() -> None:
    """A chunk without a word that the model knows may have one."""
    texts, vectors = topics(3, 8)
    vectors[5] = 0
    tree = tree_of(texts, vectors)
    assert "c5" in under(tree, tree[-1])


def test_a_vector_that_is_no_number_is_named() -> None:
    """Rather than that the whole tree is of nothing."""
    texts, vectors = topics(3, 8)
    vectors[5, 2] = np.nan
    with pytest.raises(ModelError, match="c5"):
        tree_of(texts, vectors)


def test_levels_can_be_fewer() -> None:
    """One level: groups, and nothing above them."""
    texts, vectors = topics(5, 20)
    assert {node.level for node in tree_of(texts, vectors, PCA.model_copy(update={"raptor_levels": 1}))} == {1}


def test_a_level_is_summarised_and_embedded_with_one_call() -> None:
    """So that requests go out side by side, and texts in batches."""
    texts, vectors = topics(12, 10, spread=0.6)
    calls: list[str] = []
    tree = tree_of(
        texts,
        vectors,
        summarise=lambda groups: (calls.append("summarise"), summarise(groups))[1],
        embed=lambda some: (calls.append("embed"), embed(some))[1],
    )
    assert calls == ["summarise", "embed"] * tree[-1].level


def test_clustering_can_be_cancelled() -> None:
    """Also between two fits of a level."""
    texts, vectors = topics(12, 10)
    requests = iter([False, False, True])
    with pytest.raises(Cancelled):
        tree_of(texts, vectors, cancelled=lambda: next(requests))


def test_progress_says_the_level() -> None:
    """A sentence a level."""
    texts, vectors = topics(5, 20)
    said: list[str] = []
    tree = tree_of(texts, vectors, on_progress=said.append)
    assert said[0] == "Clustering 100 texts for level 1 of the summary tree"
    assert len(said) == tree[-1].level


@pytest.mark.skipif(not NO_UMAP, reason="umap-learn is installed here")
def test_umap_that_is_not_installed_is_reported() -> None:
    """Asked for by name it is no silent PCA."""
    texts, vectors = topics(2, 10)
    with pytest.raises(ConfigError, match="not installed"):
        tree_of(texts, vectors, EnrichConfig(raptor_reduction=Reduction.UMAP))


@pytest.mark.skipif(NO_UMAP, reason="umap-learn is an optional extra and not installed here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:.*numba.*")
def test_umap_finds_the_topics_too() -> None:
    """As in the paper."""
    texts, vectors = topics(5, 20)
    tree = tree_of(texts, vectors, EnrichConfig(raptor_reduction=Reduction.UMAP))
    for node in (node for node in tree if node.level == 1):
        assert len({texts[int(child[1:])].split()[0] for child in node.children}) == 1
    again = tree_of(texts, vectors, EnrichConfig(raptor_reduction=Reduction.UMAP))
    assert [node.children for node in tree] == [node.children for node in again]
