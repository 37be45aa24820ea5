"""Law 8, constant round trips: the storage calls of a search do not depend on its number of hits, in any mode."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.config import Config, Retrieval, SearchConfig, SearchMode
from chunking.retrieval import search, to_tool_json
from chunking.store import Workspace
from tests.support.shelf import fill
from tests.support.word_embedder import WordEmbedder

MOST = {SearchMode.HYBRID: 3, SearchMode.VECTOR: 2, SearchMode.TEXT: 2}
"""One a leg, one for neighbours."""
_TEXT = (
    "archive backup copy disk error folder guide host index journal key link mail node owner port queue route "
    "server token"
)
WORDS = tuple(_TEXT.split())


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Forty documents of ten sections: some 400 chunks and more."""
    files = {
        f"part{n % 4}/file{n}.md": "\n\n".join(
            f"## {WORDS[(n + s) % 20]} {n}\n\n" + " ".join(WORDS[(n * s + w * (s + 1)) % 20] for w in range(60)) + "."
            for s in range(10)
        )
        for n in range(40)
    }
    workspace = Workspace.open(tmp_path_factory.mktemp("library") / "workspace")
    levels = {"parent_size": "200", "granularities": "2,4", "enrich.summaries": "true", "enrich.summary_size": "20"}
    fill(workspace, files, WordEmbedder(), Config.from_settings({"size": "64", **levels}))
    workspace.index()
    return workspace


@pytest.mark.parametrize("mode", SearchMode)
@pytest.mark.parametrize("k", [1, 5, 50, 200])
@pytest.mark.parametrize("hops", [0, 1, 20])
def test_law_8_storage_calls_do_not_grow_with_hits(library: Workspace, mode: SearchMode, k: int, hops: int) -> None:
    """Hits, neighbours, outlines and repeats: at most one call a leg and one for all the rest, whatever is asked."""
    config = SearchConfig(mode=mode, retrieval=Retrieval.CHUNK, k=k, before=hops, after=hops, across_parents=True)
    before = library.calls
    result = search(library, "backup of the server", config, embedder=WordEmbedder())
    calls = library.calls - before
    assert len(result.results) == k
    assert calls == result.storage_calls == MOST[mode]
    if hops:
        assert all(hit.neighbours for hit in result.results)
    assert len(to_tool_json(result)["results"]) == k
    assert library.calls - before == calls


SIZES = 3
LISTS = {
    ("parent", "collapsed"): 1,
    ("merge", "collapsed"): 1,
    ("hierarchical", "collapsed"): 1,
    ("hierarchical", "top_down"): 2,
    ("multi_granularity", "collapsed"): SIZES,
}
"""How many lists each leg hands over: one a size, or one of summaries and one of what stands under them."""


@pytest.mark.parametrize("mode", SearchMode)
@pytest.mark.parametrize(("retrieval", "tree"), LISTS)
def test_law_8_holds_for_every_mode_of_retrieval(
    library: Workspace, mode: SearchMode, retrieval: str, tree: str
) -> None:
    """One call a leg and list, one for neighbours and parents together, for 1, 5, 50 and 200 results."""
    legs = 2 if mode is SearchMode.HYBRID else 1
    settings = {"mode": mode, "retrieval": retrieval, "tree": tree, "budget": 4_000}
    for k in (1, 5, 50, 200):
        before = library.calls
        result = search(
            library, "backup of the server", SearchConfig.model_validate({**settings, "k": k}), embedder=WordEmbedder()
        )
        assert result.retrieval == retrieval
        assert not result.notes
        assert 0 < len(result.results) <= k
        assert library.calls - before == result.storage_calls == legs * LISTS[retrieval, tree] + 1


@pytest.mark.parametrize("rerank", ["title", "diversity", "title,diversity"])
def test_law_8_second_looks_take_one_call_at_most(library: Workspace, rerank: str) -> None:
    """Diversity reads the vectors that it compares, all at once."""
    for k in (1, 200):
        config = SearchConfig.model_validate({"retrieval": "chunk", "k": k, "rerank": rerank})
        result = search(library, "backup of the server", config, embedder=WordEmbedder())
        assert result.storage_calls == 3 + ("diversity" in rerank)


def test_law_8_a_first_search_reads_the_list_of_indexes_once(library: Workspace) -> None:
    """A workspace just opened reads the index's line, one call more; the next search does not."""
    fresh, config = Workspace.open(Path(library.uri)), SearchConfig(retrieval=Retrieval.CHUNK)
    counts = []
    for _ in range(2):
        before = fresh.calls
        search(fresh, "backup", config, embedder=WordEmbedder())
        counts.append(fresh.calls - before)
    assert counts == [4, 3]
