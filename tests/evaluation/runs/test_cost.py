"""One measure of cost: a run counts for a question what the search of the same settings sends and finds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chunking.evaluation import Measure, QuestionSet, Trials, evaluate, score_run
from chunking.indexing import build_index
from chunking.retrieval import search
from chunking.store import Workspace
from tests.support.plants import WORDS, filled, questions_of
from tests.support.stand_in_model import stand_in_model


@pytest.fixture(scope="module", autouse=True)
def _stand_in() -> Iterator[None]:
    """What is found is counted, whatever it is."""
    with stand_in_model():
        yield


@pytest.fixture(scope="module")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Two documents."""
    return filled(tmp_path_factory.mktemp("cost") / "workspace")


@pytest.fixture(scope="module")
def questions(plant: Workspace) -> QuestionSet:
    """Three questions."""
    return questions_of(plant).only(["north-pump", "south-tank", "north-cable"])


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"search.before": "0", "search.after": "0"},
        {"search.before": "2", "search.after": "2", "search.budget": "150"},
        {"parent_size": "200", "search.retrieval": "parent"},
    ],
    ids=["neighbours", "bare", "budget", "parents"],
)
def test_a_run_costs_what_the_search_sends(plant: Workspace, questions: QuestionSet, settings: dict[str, str]) -> None:
    """On a real index, for every question: the tokens of the context and those of the hits, at the run's number of
    results and at fewer.
    """
    config = WORDS.from_settings({"search.k": "4"} | settings, WORDS)
    build_index(plant, config, name="own")
    with Trials(plant) as trials:
        run = evaluate(plant, questions, config, trials=trials)
    for n in (4, 2) if config.search.retrieval == "chunk" else (4,):
        scores = score_run(run, questions, Measure(n))
        expanded = score_run(run, questions, Measure(n, expanded=True))
        for place, question in enumerate(questions.questions):
            hits = search(plant, question.text, config.search.model_copy(update={"k": n}), index="own")
            cost = hits.cost
            assert (scores.at(place).tokens, scores.at(place).context_tokens) == tuple(cost)
            assert (expanded.at(place).tokens, expanded.at(place).context_tokens) == tuple(cost)
            assert cost.context == hits.context.tokens > 0


def test_what_is_sent_is_counted_with_its_neighbours(plant: Workspace, questions: QuestionSet) -> None:
    """Neighbours add to the context tokens and not to the hits'; a deeper look costs more of both."""
    neighbours = {"search.across_parents": "true", "search.before": "2", "search.after": "2"}
    none = neighbours | {"search.before": "0", "search.after": "0"}
    with Trials(plant) as trials:
        bare, wide = (
            evaluate(plant, questions, WORDS.from_settings(settings, WORDS), trials=trials)
            for settings in (none, neighbours)
        )
    few, many = (score_run(run, questions, Measure(2)) for run in (bare, wide))
    assert (many.context_tokens > few.context_tokens).all()
    assert (many.tokens == few.tokens).all()
    assert (score_run(wide, questions, Measure(9)).context_tokens > many.context_tokens).all()
