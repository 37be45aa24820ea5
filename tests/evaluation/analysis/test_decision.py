"""The decision cards: what is recommended over what, what a tie advises, and when nothing can be said."""

from __future__ import annotations

import numpy as np
import pytest

from chunking.config import BASELINE
from chunking.evaluation import CardRole, Decision, EvaluationRun, QuestionSet, decide, leaderboard
from tests.evaluation.analysis.hard_runs import QUESTIONS, run, similar
from tests.support.facts import tells

COUNT = len(QUESTIONS.questions)
FEW = QUESTIONS.only([f"q{number}" for number in range(20)])


def recalls(mean: float, better: int = 0, worse: int = 0) -> np.ndarray:
    """The same recall on every question, but for some that are better by 30 points, and some that are worse."""
    values = np.full(COUNT, mean)
    values[:better] += 0.3
    values[better : better + worse] -= 0.3
    return values


def usual_run(values: np.ndarray, tokens: int = 500) -> EvaluationRun:
    """A run of the baseline with these recalls."""
    return run(values, tokens, **{key.replace(".", "__"): value for key, value in BASELINE.items()})


def baseline(by: float, tokens: int = 500, count: int = 100) -> EvaluationRun:
    """A run of the baseline that is so much better."""
    settings = {key.replace(".", "__"): value for key, value in BASELINE.items()}
    return run(similar(by)[:count], tokens, **settings)


def decided(*runs: EvaluationRun, questions: QuestionSet = QUESTIONS, margin: float | None = None) -> Decision:
    """The decision of these runs."""
    decision = decide(leaderboard(runs, questions, margin=margin), "recall")
    assert decision is not None
    return decision


def sure(decision: Decision, role: CardRole) -> str:
    """A card's sentence."""
    card = decision.card(role)
    assert card is not None
    return card.confidence


def test_three_cards_tell_what_is_better_and_what_is_cheaper() -> None:
    """The gain over the baseline as a range, and a tie as advice."""
    usual = usual_run(recalls(0.3, 20, 20))
    best, cheap = run(recalls(0.6, 10, 9), 300, size="300"), run(recalls(0.6, 9, 10), 100, size="100")
    decision = decided(usual, best, cheap)
    assert [card.role for card in decision.cards] == [CardRole.BASELINE, CardRole.RECOMMENDED, CardRole.CHEAPEST]
    assert [card.tokens for card in decision.cards] == ["500", "300", "100"]
    first = decision.card(CardRole.RECOMMENDED)
    assert first is not None
    assert first.line is not None
    lead = first.line.lead
    assert lead is not None
    assert lead.shown
    assert tells(first.confidence, f"better baseline {100 * lead.low:.0f} {100 * lead.high:.0f} points")
    assert tells(decision.headline, "60.3 baseline’s 30.0 40 fewer")
    assert tells(sure(decision, CardRole.CHEAPEST), "tie 67 fewer take tokens matter")
    assert decision.roles(cheap.key) == (CardRole.CHEAPEST,)
    assert decision.roles(best.key) == (CardRole.RECOMMENDED,)
    assert decision.roles(usual.key) == (CardRole.BASELINE,)


def test_a_cheaper_one_that_is_shown_to_be_worse_is_not_as_good() -> None:
    """Then the recommended one stands on both cards, under one name in the plot."""
    decision = decided(baseline(-0.3), run(similar(0.1), 300, size="300"), run(similar(-0.2), 100, size="100"))
    cards = [card for card in decision.cards if card.role is not CardRole.BASELINE]
    lines = [card.line for card in cards if card.line is not None]
    assert lines[0] is lines[1]
    assert decision.roles(lines[0].run.key) == (CardRole.RECOMMENDED,)
    assert tells(sure(decision, CardRole.CHEAPEST), "nothing cheaper")
    assert decision.repeats(decision.cards[2])
    assert not decision.repeats(decision.cards[1])


def test_a_tie_with_the_baseline_is_decided_by_cost() -> None:
    """Take what is cheaper; stay where it is not."""
    for tokens, advice in ((300, "take"), (900, "stay")):
        other = run(recalls(0.6, 10, 9), tokens, size="300")
        decision = decided(usual_run(recalls(0.6, 9, 10)), other)
        assert decision.roles(other.key)[0] is CardRole.RECOMMENDED
        assert tells(sure(decision, CardRole.RECOMMENDED), f"tie baseline {advice}")
        assert tells(decision.headline, "tied baseline")


def test_the_baseline_may_be_the_best() -> None:
    """It is kept, and is called so in the headline."""
    usual = baseline(0.3)
    decision = decided(usual, run(similar(), 600, size="300"))
    assert decision.roles(usual.key) == (CardRole.BASELINE, CardRole.RECOMMENDED)
    assert tells(sure(decision, CardRole.RECOMMENDED), "baseline keep")
    assert tells(decision.headline, "baseline best 2")


def test_without_a_run_of_the_baseline_its_card_says_so() -> None:
    """Also where it was measured on a sample only."""
    runs = run(similar(0.02), 300, size="300"), run(similar(), 100, size="100")
    decision = decided(*runs)
    card = decision.card(CardRole.BASELINE)
    assert card is not None
    assert (card.line, card.value, card.tokens) == (None, "–", "–")
    assert tells(card.confidence, "not measured")
    assert "baseline" not in decision.headline
    sampled = decided(*runs, baseline(0.0, count=20))
    assert tells(sure(sampled, CardRole.BASELINE), "only some questions")


def test_one_configuration_alone_is_not_recommended() -> None:
    """It is shown as measured; nothing was compared."""
    decision = decided(run(similar(), size="100"))
    assert [card.role for card in decision.cards] == [CardRole.BASELINE, CardRole.MEASURED]
    assert tells(decision.headline, "nothing compare")
    assert [card.role for card in decided(baseline(0.0)).cards] == [CardRole.BASELINE]
    assert decide((), "recall") is None


@pytest.mark.parametrize(("mean", "words"), [(0.6, "20 questions too few"), (0.2, "better baseline 20 too few others")])
def test_few_questions_do_not_decide(mean: float, words: str) -> None:
    """A large gain over the baseline is shown all the same; the choice among the others is not."""
    others = (run(recalls(0.6, 3, 2)[:20], 150, size="150"), run(recalls(0.6, 2, 3)[:20], 200, size="200"))
    decision = decided(usual_run(recalls(mean, 2, 2)[:20]), *others, questions=FEW)
    assert tells(sure(decision, CardRole.RECOMMENDED), words)
    assert decision.questions == 20


def test_one_question_says_nothing() -> None:
    """No range, no advice, no interval."""
    single = QuestionSet("one", QUESTIONS.questions[:1])
    decision = decided(run([1.0], size="200"), run([0.5], size="300"), questions=single)
    assert tells(decision.headline, "one question too few")
    assert "nan" not in str([card.confidence for card in decision.cards])


def test_another_metric_reads_well() -> None:
    """Values, leads and margins are in the unit of the metric; fewer tokens are better."""
    runs = [baseline(-0.3), run(similar(0.02), 300, size="300"), run(similar(), 100, size="100")]
    for metric in ("iou", "reciprocal_rank", "tokens"):
        decision = decide(leaderboard(runs, QUESTIONS, metric=metric), metric)
        assert decision is not None
        assert all("nan" not in card.confidence.lower() for card in decision.cards)
        assert decision.headline.endswith(".")
