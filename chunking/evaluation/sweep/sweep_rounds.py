"""The rounds of a sweep: what is asked of which configuration, what is dropped, and progress."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence

from chunking.display import first_names
from chunking.errors import Cancelled, ChunkscopeError, StoreError
from chunking.evaluation.metrics.metric_table import COST, metric_of
from chunking.evaluation.metrics.scoring import score_run
from chunking.evaluation.questions.question import QuestionSet
from chunking.evaluation.questions.relocation import place_answers, shown
from chunking.evaluation.runs.evaluate import (
    EvaluationOptions,
    evaluate,
    failed_run,
    known_run,
)
from chunking.evaluation.runs.question_search import results_wanted
from chunking.evaluation.runs.run import DEPTH, Cancel, EvaluationProgress, OnProgress
from chunking.evaluation.runs.trial_indexes import Trials
from chunking.evaluation.sweep.halving import FEWEST, Speed, Standing, better_half, first_sample, in_strata, next_step
from chunking.evaluation.sweep.sweep import Failed, ParserLosses, Round, Sweep, SweepReport
from chunking.evaluation.sweep.sweep_candidate import SweepCandidate

__all__ = ["Rounds"]


class Rounds:
    """A running sweep: one round over all questions, or successive halving within its minutes.

    Args:
        questions: the questions that can be asked.
        notes: sentences about the others.
        clock: returns seconds.
    """

    def __init__(
        self,
        trials: Trials,
        sweep: Sweep,
        questions: QuestionSet,
        notes: Sequence[str],
        on_progress: OnProgress | None,
        cancelled: Cancel | None,
        clock: Callable[[], float],
    ) -> None:
        self._trials, self._sweep, self._questions = trials, sweep, questions
        self._on_progress, self._cancelled, self._clock = on_progress, cancelled, clock
        self._notes, self._failed = list(notes), list[Failed]()
        self._rounds, self._dropped = list[Round](), list[SweepCandidate]()
        self._building, self._asking = Speed(), Speed()
        self._embedded = 0
        self._started = self._asked_since = clock()
        # Those that nothing answers last: a sample of them alone would tell the configurations apart in nothing.
        self._ids = [
            one.id for one in sorted(in_strata(questions.questions, sweep.seed), key=lambda one: one.unanswerable)
        ]
        self._left = self._candidates()
        self._total = len(self._left) * len(self._ids)
        self._goal = len(self._ids)
        """Questions of the current round."""

    def _candidates(self) -> list[SweepCandidate]:
        """Return the valid configurations with their earlier runs, grouped by index."""
        by_index: dict[str, list[SweepCandidate]] = {}
        for number, one in enumerate(self._sweep.configs()):
            if one.config is None:
                self._failed.append(Failed(one.label, one.settings, one.error))
                continue
            n = one.config.search.k if "search.k" in one.settings else self._sweep.n
            n = results_wanted(one.config.search, n, self._sweep.budget, DEPTH)
            trials = self._trials.parsed_by(one.parser)
            earlier = known_run(trials, self._questions, one.config, n)
            candidate = SweepCandidate(number, one.label, one.settings, one.config, n, trials, one.is_baseline, earlier)
            same = by_index.setdefault(candidate.group, [])
            if all(other.config != one.config for other in same):  # a parser that reads nothing anew changes nothing
                same.append(candidate)
        groups = list(by_index.values())
        if self._sweep.minutes:  # where the time may end before all are reached, none of the values is always last
            groups.sort(
                key=lambda some: (
                    all(not one.is_baseline for one in some),
                    hashlib.sha256(f"{self._sweep.seed} {some[0].group}".encode()).digest(),
                )
            )
        return [one for some in groups for one in some]

    def run(self) -> SweepReport:
        """Run all rounds, storing each run, and return the report without storing it.

        Raises:
            Cancelled: `cancelled` returned True; finished runs are kept.
            StoreError: a result cannot be saved.
        """
        if self._sweep.minutes:
            self._halve()
        else:
            self._round(self._ids, release=True)
        full = [one for one in self._left if one.run is not None]
        parsers = self._losses()
        return SweepReport(
            name=self._sweep.name,
            runs=tuple(one.run.key for one in full if one.run),
            dropped=tuple(one.run.key for one in self._dropped if one.run),
            failed=tuple(self._failed),
            embedded=self._embedded,
            known=sum(not one.new for one in full),
            rounds=tuple(self._rounds),
            seconds=self._clock() - self._started,
            notes=(*self._notes, *map(str, parsers)),
            parsers=parsers,
        )

    def _losses(self) -> tuple[ParserLosses, ...]:
        """Compare the texts of the parsers with the questions that were asked."""
        losses, total = list[ParserLosses](), sum(len(one.answers) for one in self._questions.questions)
        for parser, trials in {one.trials.parser: one.trials for one in (*self._left, *self._dropped)}.items():
            if parser:
                lost = place_answers(self._questions, trials.copied_document).lost
                named = tuple((name, shown(answer.text)) for name, answer in lost)
                losses.append(ParserLosses(parser, total, named, trials.unread))
        return tuple(losses)

    def _halve(self) -> None:
        size = first_sample(len(self._ids))
        self._round(self._ids[:size], first=True)
        while size < len(self._ids) and self._left:
            missing = sum(one.lacks(self._ids) for one in self._left)
            if next_step(len(self._rivals), missing, self._asking.each, self._seconds_left()) == "all":
                size = len(self._ids)
            else:
                self._drop(self._ids[:size])
                size = min(2 * size, len(self._ids)) if len(self._rivals) > FEWEST else len(self._ids)
            self._round(self._ids[:size])

    @property
    def _rivals(self) -> list[SweepCandidate]:
        """Remaining configurations that may be dropped: all but the baseline."""
        return [one for one in self._left if not one.is_baseline]

    def _seconds_left(self) -> float:
        """Return the seconds left of the time budget."""
        return self._started + 60 * self._sweep.minutes - self._clock()

    def _round(self, ids: Sequence[str], *, first: bool = False, release: bool = False) -> None:
        """Ask all remaining configurations these questions.

        Args:
            first: stop when time is up, and leave the others out.
            release: delete each index after its last configuration.
        """
        self._goal = len(ids)
        measured, unreached = list[SweepCandidate](), list[SweepCandidate]()
        place = 0
        for batch in self._batches(first):
            place += len(batch)
            reached = list[SweepCandidate]()
            for one in batch:
                late = first and len(measured) + len(reached) >= FEWEST and not self._reaches(one, ids)
                (unreached if late else reached).append(one)
            self._measure([one for one in reached if one.lacks(ids)], ids)
            measured += [one for one in reached if one.run is not None]
            if release:
                later = {one.group for one in self._left[place:]}
                for one in batch:
                    if one.group not in later:
                        self._release(one)
        self._left = measured
        self._rounds.append(Round(len(ids), tuple(one.run.key for one in measured if one.run)))
        if unreached:
            self._notes.append(
                f"{len(unreached)} of {len(measured) + len(unreached)} configurations were not run because time ran "
                f"out: {first_names([one.label for one in unreached], 3, '; ')}. Run the experiment again to "
                f"continue with them."
            )

    def _batches(self, limited: bool) -> Iterator[Sequence[SweepCandidate]]:
        """Yield the remaining configurations in the groups that are measured at the same time: here one by one.

        Args:
            limited: True if time may run out between two groups.
        """
        yield from ([one] for one in self._left)

    def _reaches(self, one: SweepCandidate, ids: Sequence[str]) -> bool:
        """True if time allows asking this configuration, and then the best ones every question."""
        if not one.lacks(ids):
            return True
        own = one.lacks(ids) * self._asking.each + (0.0 if self._holds(one) else self._building.each)
        last = FEWEST * (len(self._ids) - len(ids)) * self._asking.each
        return own + last <= self._seconds_left()

    def _measure(self, batch: Sequence[SweepCandidate], ids: Sequence[str]) -> None:
        """Ask configurations the questions that they lack of `ids`; a failure is recorded, and the others continue."""
        for one in batch:
            self._measure_one(one, ids)

    def _measure_one(self, one: SweepCandidate, ids: Sequence[str]) -> None:
        try:
            self._build(one)
            began = self._asked_since = self._clock()
            count = one.lacks(ids)
            one.run = evaluate(
                self._trials.workspace,
                self._questions,
                one.config,
                EvaluationOptions(n=one.n, only=ids),
                trials=one.trials,
                on_progress=lambda progress: self._tell(one, progress.message, progress.done),
                cancelled=self._cancelled,
            )
        except (Cancelled, StoreError):
            raise
        except ChunkscopeError as error:
            self._fail(one, error)
            return
        one.new = True
        self._asking.add(count, self._clock() - began)

    def _fail(self, one: SweepCandidate, error: ChunkscopeError) -> None:
        """Record a configuration that could not be measured."""
        self._failed.append(Failed(one.label, one.settings, str(error)))
        failed = failed_run(one.trials, self._questions, one.config, one.n, error)
        self._trials.workspace.runs.put({failed.key: failed.to_json()})
        one.run = None

    def _holds(self, one: SweepCandidate) -> bool:
        """True if the index of a configuration is built."""
        return one.trials.holds(one.config)

    def _release(self, one: SweepCandidate) -> None:
        """Delete the index of a configuration, if built, also for those that share it."""
        one.trials.release(one.config)

    def _build(self, one: SweepCandidate) -> None:
        """Build the index separately, so that building and asking are timed apart."""
        if self._holds(one):
            return
        one.trials.copy_documents(lambda message: self._tell(one, message, 0), self._cancelled)
        began = self._clock()
        self._tell(one, "Building its index", 0)
        trial = one.trials.trial(one.config, say=lambda message: self._tell(one, message, 0), cancelled=self._cancelled)
        self._building.add(1, self._clock() - began)
        self._embedded += trial.embedded

    def _drop(self, ids: Sequence[str]) -> None:
        """Drop the worse half, and add a note to the report."""
        metric = metric_of(self._sweep.metric)
        sample = self._questions.only(ids)
        standings = []
        for number, one in enumerate(self._left):
            assert one.run is not None
            if one.is_baseline:
                continue
            scores = score_run(one.run, sample, self._sweep.measure(one.n))
            value = float(scores.of_metric(metric.name).mean())
            standings.append(
                Standing(number, value if metric.higher_is_better else -value, float(scores.of_metric(COST).mean()))
            )
        kept = better_half(standings)
        going = {standing.number for standing in kept}
        dropped = [standing for standing in standings if standing.number not in going]
        gone = [self._left[standing.number] for standing in dropped]
        baseline = [one for one in self._left if one.is_baseline]
        behind = max(one.score for one in standings) - max(one.score for one in dropped)
        self._notes.append(
            f"{len(gone)} of {len(standings)} configurations were dropped after {len(ids)} of {len(self._ids)} "
            f"questions; the best of them stood {metric.points(behind, sign=False)} behind the best of all "
            f"({metric.label}). On so few questions that may be chance: without a time budget all are asked everything."
        )
        self._rounds[-1] = Round(len(ids), self._rounds[-1].runs, tuple(one.run.key for one in gone if one.run))
        self._dropped += gone
        self._left = [*baseline, *(self._left[standing.number] for standing in kept)]
        for one in gone:
            if all(other.group != one.group for other in self._left):
                self._release(one)

    def _tell(self, one: SweepCandidate, message: str, done: int) -> None:
        self._report(f"{one.title}: {message}", done, self._time_left(one, done))

    def _report(self, message: str, done: int = 0, seconds_left: float | None = None) -> None:
        """Report progress: the questions asked so far, and `done` of a run under way."""
        if self._on_progress is None:
            return
        answered = self._total - sum(one.lacks(self._ids) for one in self._left) + done
        self._on_progress(EvaluationProgress(min(answered, self._total), self._total, message, seconds_left))

    def _time_left(self, one: SweepCandidate, done: int) -> float | None:
        """Estimated seconds left; None until both an index was built and questions were asked."""
        waiting = [other for other in self._left if other.lacks(self._ids[: self._goal])]
        groups = {other.group for other in waiting if not self._holds(other)} - {one.group}
        questions = max(sum(other.lacks(self._ids[: self._goal]) for other in waiting) - done, 0)
        each = self._asking.each if self._asking.has_samples or not done else (self._clock() - self._asked_since) / done
        if (groups and not self._building.has_samples) or (questions and not each):
            return None
        seconds = len(groups) * self._building.each + questions * each
        if not self._sweep.minutes:
            return seconds
        later = FEWEST * (len(self._ids) - self._goal) * each
        return min(seconds + later, max(self._seconds_left(), 0.0))
