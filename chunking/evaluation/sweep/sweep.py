"""Sweep: grid or list of configurations to measure on the same questions, its rounds and its report.

Successive halving drops the worst configurations on few questions, so that time goes to the promising ones: each round
keeps the better half and asks it twice as many questions, until time allows all questions for all that remain (Karnin,
Koren and Somekh 2013, "Almost optimal exploration in multi-armed bandits"; Jamieson and Talwalkar 2016, "Non-stochastic
best arm identification").
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from chunking.config import Config, baseline_changes, baseline_of, is_baseline
from chunking.config.renamed_settings import current_settings
from chunking.display import first_names, quantity, summary_line
from chunking.errors import ConfigError, ParseError, QuestionError
from chunking.evaluation.metrics.counted_results import Measure
from chunking.evaluation.metrics.metric_table import metric_of
from chunking.parsing import parser_named
from chunking.text.bounded_json import read_json

__all__ = [
    "PARSER",
    "Failed",
    "ParserLosses",
    "Planned",
    "Round",
    "Sweep",
    "SweepReport",
    "current_grid",
]

MOST = 2_000
"""Most configurations of a sweep; with more, chance picks the best."""
_PLAIN = ("name", "question_set", "minutes", "n", "budget", "expanded", "metric", "seed", "baseline")

PARSER = "parser"
"""Key of a grid that is no setting: names of `parsing.PARSERS` that read the documents anew for a configuration."""

_QUOTED = 3
"""Most lost answers quoted in a sentence."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A planned configuration of a sweep, valid or not."""

    settings: Mapping[str, str]
    """Changes to the base."""
    config: Config | None
    """None if the settings conflict."""
    error: str = ""
    """The conflict, as a sentence."""

    @property
    def parser(self) -> str:
        """Parser that is to read the documents; empty: they are searched as they are."""
        return self.settings.get(PARSER, "")

    @property
    def is_baseline(self) -> bool:
        """True for the baseline over the documents as they are in the workspace."""
        return self.config is not None and not self.parser and is_baseline(self.config)

    @property
    def label(self) -> str:
        """Changes to the base, such as `size 200 · overlap 10%`.

        Without changes: `the baseline` or `the current settings`.
        """
        if self.is_baseline:
            return "the baseline"
        return " · ".join(f"{key} {value}" for key, value in self.settings.items()) or "the current settings"


@dataclass(frozen=True, slots=True)
class Sweep:
    """Plan of a sweep: configurations, questions, measure and time budget."""

    name: str
    question_set: str
    """Name of a saved question set."""
    base: Config = field(default_factory=Config)
    grid: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Values of each varied setting, and of `PARSER`; every combination is measured."""
    tries: Sequence[Mapping[str, str]] = ()
    """Single configurations in addition to the grid."""
    minutes: float = 0.0
    """Time budget: the worst are dropped after a sample of the questions. 0: every configuration is asked all
    questions.
    """
    n: int = 5
    """Number of results that count, unless the grid varies `search.k`."""
    budget: int = 0
    """Token budget at which configurations are compared; 0: compare at `n` results."""
    expanded: bool = False
    """True: count results with their neighbours."""
    metric: str = "recall"
    """Metric by which configurations are dropped."""
    seed: int = 0
    """Seed of the sample."""
    baseline: bool = False
    """True: also measure the baseline on all questions, with the base's embedding model."""

    def measure(self, n: int) -> Measure:
        """Return the cutoff of rankings: the sweep's token budget if set, else `n` results."""
        return (
            Measure.at_budget(self.budget, expanded=self.expanded)
            if self.budget
            else Measure(n, expanded=self.expanded)
        )

    @property
    def combinations(self) -> int:
        """Number of configurations of grid and `tries`, including repeated and invalid ones."""
        return len(self.tries) + (math.prod(len(values) for values in self.grid.values()) if self.grid else 0)

    def check(self) -> None:
        """Raise if the plan has no configuration, too many, or an unknown metric.

        Settings are not validated: `configs` reports invalid ones.

        Raises:
            QuestionError: no configuration or more than 2,000, or no such metric.
        """
        metric_of(self.metric)
        self._check_number()
        if not self.combinations:
            raise QuestionError(
                "The experiment has no configuration; choose a setting and values for it.", where=self.name
            )

    def _check_number(self) -> None:
        """Raise if there are more configurations than the maximum, before any is built."""
        if self.combinations > MOST:
            message = (
                f"The experiment has {self.combinations:,} configurations, more than {MOST:,}; vary fewer "
                f"settings, or give fewer values."
            )
            raise QuestionError(message, where=self.name)

    def configs(self) -> list[Planned]:
        """Return the distinct configurations: grid, `tries`, then the baseline; invalid ones with their error.

        Raises:
            QuestionError: there are too many for a sweep.
        """
        self._check_number()
        planned: dict[str, Planned] = {}
        for settings in self._settings():
            one = _planned(settings, self.base)
            own = one.config.model_dump_json() if one.config else json.dumps(settings, sort_keys=True)
            planned.setdefault(f"{one.parser} {own}", one)
        if self.baseline and not any(one.is_baseline for one in planned.values()):
            planned["baseline"] = Planned(baseline_changes(self.base), baseline_of(self.base))
        return list(planned.values())

    def config_of(self, settings: Mapping[str, str]) -> Config:
        """Return the configuration that `configs` plans for these settings.

        Raises:
            ConfigError: the settings conflict.
        """
        if self.baseline and settings == baseline_changes(self.base):  # which drops what categories change, too
            return baseline_of(self.base)
        return Config.from_settings({key: value for key, value in settings.items() if key != PARSER}, self.base)

    def _settings(self) -> Iterator[dict[str, str]]:
        if self.grid:
            for values in itertools.product(*self.grid.values()):
                yield dict(zip(self.grid, values, strict=True))
        yield from map(dict, self.tries)

    def to_json(self) -> str:
        """Serialise for `Workspace.sweeps`."""
        tree: dict[str, Any] = {name: getattr(self, name) for name in _PLAIN}
        tree |= {
            "base": self.base.to_yaml(),
            "grid": {key: list(values) for key, values in self.grid.items()},
            "tries": list(map(dict, self.tries)),
        }
        return json.dumps(tree, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Sweep:
        """Parse the output of `to_json`; a report in it is ignored.

        Raises:
            QuestionError: it is something else.
        """
        try:
            tree = read_json(text)
            tree.pop("report", None)
            grid = current_grid(tree.pop("grid"))
            tries = tuple(_texts(one) for one in tree.pop("tries"))
            return cls(base=Config.from_yaml(tree.pop("base")), grid=grid, tries=tries, **tree)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise QuestionError(f"This is no saved sweep ({error}); start it anew.") from error


def current_grid(grid: Mapping[str, Sequence[object]], *, where: str = "The grid") -> dict[str, tuple[str, ...]]:
    """Rename old settings and values of a grid to their current names; values become text.

    Raises:
        ConfigError: a setting is given under two names.
    >>> current_grid({"search.retrieval": ["chunk", "multisize"], "larger_sizes": ["none", "2"]})
    {'search.retrieval': ('chunk', 'multi_granularity'), 'granularities': ('none', '2')}
    """
    grid_settings = current_settings({key: tuple(map(str, values)) for key, values in grid.items()}, where=where)
    return {key: tuple(values) for key, values in grid_settings.items() if isinstance(values, (list, tuple))}


def _texts(settings: Mapping[str, object]) -> dict[str, str]:
    return {key: str(value) for key, value in current_settings(settings, where="A configuration of the sweep").items()}


def _planned(settings: Mapping[str, str], base: Config) -> Planned:
    try:
        if PARSER in settings:
            parser_named(settings[PARSER])
        own = {key: value for key, value in settings.items() if key != PARSER}
        return Planned(settings, Config.from_settings(own, base))
    except (ConfigError, ParseError) as error:
        return Planned(settings, None, str(error))


@dataclass(frozen=True, slots=True)
class Failed:
    """A configuration that could not be measured."""

    label: str
    settings: Mapping[str, str]
    error: str


@dataclass(frozen=True, slots=True)
class Round:
    """Round of a sweep: all remaining configurations are asked the same questions."""

    questions: int
    runs: tuple[str, ...]
    """Keys of the runs in this round."""
    dropped: tuple[str, ...] = ()
    """Keys of the runs dropped after this round."""


@dataclass(frozen=True, slots=True)
class ParserLosses:
    """Gold answers of a sweep that the text of a parser lacks, and documents that it could not read."""

    parser: str
    answers: int
    """Gold answers of the questions."""
    lost: tuple[tuple[str, str], ...]
    """(question id, quote) of each answer that is not in its text."""
    unread: tuple[str, ...] = ()
    """Sentences on documents that stayed as they are in the workspace."""

    def __str__(self) -> str:
        quotes = [f"“{quote}”" for _, quote in self.lost]
        named = f": {first_names(quotes, _QUOTED)}" if quotes else ""
        verb = "is" if len(self.lost) == 1 else "are"
        of = quantity(self.answers, "gold answer")
        return f"{len(self.lost):,} of {of} {verb} not in the text of the parser {self.parser}{named}."


@dataclass(frozen=True, slots=True, repr=False)
class SweepReport:
    """Report of a sweep: runs, rounds and failures."""

    name: str
    runs: tuple[str, ...]
    """Keys of the runs over all questions, in `Workspace.runs`."""
    dropped: tuple[str, ...] = ()
    """Keys of the runs on a sample only."""
    failed: tuple[Failed, ...] = ()
    embedded: int = 0
    """Number of texts embedded."""
    known: int = 0
    """Number of runs reused from an earlier sweep."""
    rounds: tuple[Round, ...] = ()
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    """Sentences, such as how many were dropped on how many questions."""
    parsers: tuple[ParserLosses, ...] = ()
    """Losses of each parser that the sweep had read the documents."""

    def as_record(self) -> dict[str, Any]:
        """Return plain values, the input of `from_record`."""
        tree: dict[str, Any] = {name: getattr(self, name) for name in ("name", "embedded", "known", "seconds")}
        tree |= {name: list(getattr(self, name)) for name in ("runs", "dropped", "notes")}
        tree["failed"] = [
            {"label": one.label, "settings": dict(one.settings), "error": one.error} for one in self.failed
        ]
        tree["rounds"] = [
            {"questions": one.questions, "runs": list(one.runs), "dropped": list(one.dropped)} for one in self.rounds
        ]
        if self.parsers:
            tree["parsers"] = [
                asdict(one) | {"lost": list(map(list, one.lost)), "unread": list(one.unread)} for one in self.parsers
            ]
        return tree

    @classmethod
    def from_record(cls, tree: Mapping[str, Any]) -> SweepReport:
        """Parse the output of `as_record`."""
        values = dict(tree)
        values |= {name: tuple(values[name]) for name in ("runs", "dropped", "notes")}
        values["failed"] = tuple(Failed(**one | {"settings": _texts(one["settings"])}) for one in values["failed"])
        values["rounds"] = tuple(
            Round(one["questions"], tuple(one["runs"]), tuple(one["dropped"])) for one in values["rounds"]
        )
        values["parsers"] = tuple(
            ParserLosses(
                one["parser"], one["answers"], tuple((name, quote) for name, quote in one["lost"]), tuple(one["unread"])
            )
            for one in values.get("parsers", ())
        )
        return cls(**values)

    def __repr__(self) -> str:
        counts = {"run": self.runs, "dropped run": self.dropped, "failed configuration": self.failed}
        return summary_line(
            "SweepReport",
            self.name,
            *(quantity(len(some), noun) for noun, some in counts.items() if some),
            *self.notes[:1],
        )
