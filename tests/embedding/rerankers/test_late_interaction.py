"""Late interaction with the real model: the text that answers comes first, and texts are read once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from chunking.config import EmbeddingConfig, Precision
from chunking.embedding import LateInteraction, LocalEmbedder
from chunking.embedding.model_folder import find_model

pytestmark = pytest.mark.model

TEXTS = [
    "The cabinet has to be cleaned every month, and the filter of the fan is checked for dust.",
    "Switch off the main breaker, wait five minutes, then replace fuse F7 behind the panel.",
    "All orders are shipped within three days; returns are accepted for thirty days.",
    "Error E42 means that the pump has run dry: fill it with water and start it again.",
    "请在更换滤芯之前关闭电源，然后打开盖子。",
]


@pytest.fixture(scope="module")
def exact() -> LocalEmbedder:
    return LocalEmbedder(find_model("all-MiniLM-L6-v2"), EmbeddingConfig(precision=Precision.FP32))


@pytest.fixture
def interaction(exact: LocalEmbedder) -> LateInteraction:
    return LateInteraction(exact)


@pytest.mark.parametrize(
    ("query", "best"),
    [("How do I replace a fuse?", 1), ("What does E42 mean?", 3), ("When will my order arrive?", 2)],
)
def test_the_answer_comes_first(interaction: LateInteraction, query: str, best: int) -> None:
    """Codes and paraphrases."""
    scores = interaction.scores(query, TEXTS)
    assert scores.shape == (5,)
    assert scores.dtype == np.float32
    assert int(scores.argmax()) == best
    assert (np.abs(scores) <= 1.001).all()


def test_a_text_meets_itself_completely(interaction: LateInteraction) -> None:
    """Every token of the query has its twin: a score of 1, for this model, which has no prompts."""
    assert interaction.scores(TEXTS[1], TEXTS)[1] == pytest.approx(1.0, abs=2e-3)


def test_words_that_all_candidates_have_weigh_least(interaction: LateInteraction) -> None:
    """`pump` is everywhere here; what tells the texts apart is the colour."""
    texts = [f"The pump of the {colour} machine." for colour in ("green", "yellow", "purple", "brown")]
    scores = interaction.scores("pump pump pump purple", texts)
    assert int(scores.argmax()) == 2
    assert np.sort(scores)[-1] - np.sort(scores)[-2] > 0.05


def test_the_words_of_a_long_text_are_all_read(interaction: LateInteraction) -> None:
    """The answer stands behind what the model reads at once."""
    filler = "The cabinet has to be cleaned every month. " * 60
    scores = interaction.scores("replace fuse F7", [filler, filler + TEXTS[1]])
    assert scores[1] > scores[0] + 0.2


def test_texts_are_read_once(interaction: LateInteraction, exact: LocalEmbedder) -> None:
    """Another query over the same candidates costs one text, its own; the same query nothing."""
    interaction.scores("a pump", [*TEXTS, TEXTS[0]])
    assert interaction.texts_encoded == len(TEXTS) + 1
    interaction.scores("a fuse", TEXTS[::-1])
    before = exact.calls
    interaction.scores("a fuse", TEXTS)
    assert interaction.texts_encoded == len(TEXTS) + 2
    assert exact.calls == before


def test_memory_is_bounded(exact: LocalEmbedder) -> None:
    """The texts used last stay; scores are the same."""
    small = LateInteraction(exact, most_bytes=40_000)  # some 50 tokens
    scores = small.scores("a pump", TEXTS)
    assert small._cache.size <= 40_000
    assert np.allclose(small.scores("a pump", TEXTS), scores, atol=1e-5)
    assert small.texts_encoded > len(TEXTS) + 1


def test_awkward_queries_and_texts(interaction: LateInteraction) -> None:
    """Nothing to compare is a score of 0, for all alike: their order stays."""
    assert interaction.scores("a pump", []).shape == (0,)
    assert interaction.scores("?!", TEXTS).tolist() == [0.0] * 5
    assert interaction.scores("更换滤芯", TEXTS).tolist() == [0.0] * 5  # words that this model does not know
    odd = interaction.scores("a pump", ["", "...", "\ud800", "a\0pump", "pump"])
    assert odd[:2].tolist() == [0.0, 0.0]
    assert np.isfinite(odd).all()
    assert int(odd.argmax()) >= 3


def test_threads_may_share_it(interaction: LateInteraction) -> None:
    """Several sessions rerank at the same time."""
    alone = [interaction.scores(text, TEXTS) for text in TEXTS]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda text: interaction.scores(text, TEXTS), TEXTS * 2))
    assert all(np.allclose(one, alone[n % 5], atol=1e-5) for n, one in enumerate(together))
