"""Recall along a setting: live recall's own numbers, one step a value, in any order ready to be drawn, and no advice
from noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from chunking.config import Config
from chunking.embedding import LocalEmbedder, load_embedder
from chunking.errors import Cancelled, QuestionError
from chunking.evaluation import CurvePoint, LiveRecall, LiveScores, Measure, better_values, interval, setting_curve
from chunking.evaluation.analysis.statistics import SHARE
from chunking.evaluation.live.live_curve import coarse_to_fine
from chunking.evaluation.live.live_recall import _MOST_SPLITS
from chunking.store import Workspace
from tests.support.plants import filled, questions_of
from tests.support.stand_in_model import stand_in_model

BASE = Config.from_settings({"size": "64", "overlap": "24", "granularities": "none"})
SIZES = ("16", "30", "40", "64", "90", "200", "400")
MEASURE = Measure(3)


@pytest.fixture(scope="module", autouse=True)
def _stand_in() -> Iterator[None]:
    """What is done with vectors is tested here."""
    with stand_in_model():
        yield


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> LiveRecall:
    workspace: Workspace = filled(tmp_path_factory.mktemp("curve") / "workspace")
    documents = list(workspace.read_documents([row.doc_id for row in workspace.documents()]))
    live = LiveRecall(documents, BASE.embedding, questions_of(workspace))
    live.prepare()
    return live


def test_each_point_is_live_recalls_own(live: LiveRecall) -> None:
    """With the interval of the project; the ends come first, and a size that the overlap forbids is left out."""
    points = list(setting_curve(live, BASE, "size", SIZES, MEASURE))
    assert [one.text for one in points] == [
        SIZES[place] for place in coarse_to_fine(len(SIZES)) if SIZES[place] != "16"
    ]
    assert [one.text for one in points[:1]] == ["400"]
    for one in points:
        scores = live.scores(Config.from_settings({"size": one.text}, BASE), MEASURE)
        assert one.recalls.tolist() == scores.scores.recall.tolist()
        assert one.recall == interval(scores.scores.recall, bounds=SHARE)
        assert (one.iou, one.context_tokens, one.chunks) == (
            scores.scores.iou.mean(),
            scores.scores.context_tokens.mean(),
            scores.chunks,
        )


def test_one_step_a_value_no_model_and_nothing_kept(live: LiveRecall, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page keeps for its next change of a search setting stays; what is stopped asks no more."""
    embedder = load_embedder(BASE.embedding)
    assert isinstance(embedder, LocalEmbedder)
    calls, before, scores = list[int](), embedder.calls, live.scores
    for size in range(50, 50 + _MOST_SPLITS):
        live.scores(Config.from_settings({"size": size}, BASE), MEASURE)
    kept = list(live._matched)

    def counted(config: Config, measure: Measure, *, keep: bool) -> LiveScores:
        calls.append(config.chunk.size)
        return scores(config, measure, keep=keep)

    monkeypatch.setattr(live, "scores", counted)
    points = setting_curve(live, BASE, "overlap", ("0", "10%", "30%"), MEASURE, cancelled=lambda: len(calls) == 2)
    assert calls == []
    assert [next(points).text, next(points).text] == ["0", "30%"]
    with pytest.raises(Cancelled):
        next(points)
    assert calls == [64, 64]
    assert embedder.calls == before
    assert list(live._matched) == kept


def test_it_has_to_be_prepared(live: LiveRecall) -> None:
    """A curve without any point would look like documents without any answer."""
    with pytest.raises(QuestionError):
        next(setting_curve(LiveRecall(live.documents, live.embedding, live.questions), BASE, "size", SIZES, MEASURE))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 8, 25])
def test_every_value_comes_once(count: int) -> None:
    """However many there are."""
    assert sorted(coarse_to_fine(count)) == list(range(count))


def test_what_is_shown_to_be_better(live: LiveRecall) -> None:
    """Much better on many questions; never what is ahead by the luck of 25 draws, nor what is worse."""
    draw, present = np.random.default_rng(4), live.scores(BASE, MEASURE)
    recalls = draw.integers(0, 2, 200).astype(float)
    here = replace(present, scores=replace(present.scores, recall=recalls))

    def point(text: str, values: np.ndarray) -> CurvePoint:
        return CurvePoint(text, interval(values), 0.1, 100.0, 9, values)

    noise = [point(f"noise {number}", draw.permuted(recalls)) for number in range(25)]
    better, worse = point("better", np.maximum(recalls, draw.integers(0, 2, 200))), point("worse", recalls * 0.5)
    assert better_values(noise, here) == ()
    (better_value,) = better_values([*noise, worse, better], here)
    assert (better_value.point, better_value.ahead) == (better, pytest.approx(better.recall.mean - recalls.mean()))
    assert better_values([], here) == ()
