"""Table of defaults: recall of each default of splitting and search, next to its alternatives.

The tune halves of the collections choose, the report halves say what the choice gives. Everything goes through the
product:
an index in LanceDB, the packaged model, its own ranking. Vectors are kept in a folder (`CHUNKSCOPE_BENCH_FOLDER`, or
one in the temporary folder): the first run takes an hour of a processor, another one a quarter of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.ir_collections import COLLECTIONS
from benchmarks.measured_searches import BUDGET, SHOWN, Measured, MeasuredCollection
from benchmarks.report import Row
from chunking.config import DEFAULT_MODEL, Config, settings
from chunking.evaluation.analysis.statistics import SHARE, Difference, interval, paired

__all__ = ["COMPARISONS", "WEIGHTS", "Comparison", "DefaultsTable", "configurations", "run"]

TUNE, REPORT = 0, 1
WEIGHTS = ("0", "0.2", "0.3", "0.4", "0.45", "0.5", "0.55", "0.65", "0.8", "1")
READ = ("samples", "Chroma", "Evidence Inference", "XQuAD en", "XQuAD de")
UNREAD = ("DRCD", "XQuAD zh", "XQuAD ru", "XQuAD ar", "XQuAD th", "XQuAD cross")
"""Collections in languages that the packaged model does not know, searched by full text."""
HARD = ("Evidence Inference", "DRCD")
_SEARCH = ("samples", "Chroma", "Evidence Inference", "DRCD", "XQuAD de")
_SPLITTING = ("samples", "Chroma")
_FEW = ("samples", "Chroma", "XQuAD de")

Settings = Mapping[str, str]
Key = tuple[str, tuple[tuple[str, str], ...]]
"""Collection, and changes to the defaults."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Default with its alternatives."""

    setting: str
    others: tuple[str, ...]
    collections: tuple[str, ...]
    budgeted: bool = False
    """True to compare at 750 tokens of results, for values that change the length of five."""


COMPARISONS: tuple[Comparison, ...] = (
    Comparison("strategy", ("recursive", "sentence", "fixed"), _SPLITTING, True),
    Comparison("size", ("100", "200", "300"), _SPLITTING, True),
    Comparison("overlap", ("10%", "20%"), _SPLITTING, True),
    Comparison("min_size", ("0", "40"), _SPLITTING, True),
    Comparison("prefix", ("none", "header", "document_title_path"), _SPLITTING, True),
    Comparison("keep_whole", ("none",), _SPLITTING, True),
    Comparison("table_text", ("cells",), ("samples",), True),
    Comparison("granularities", ("3", "4", "2,4"), _SPLITTING),
    Comparison("search.retrieval", ("chunk",), _SEARCH),
    Comparison("search.granularity_weight", ("0.25", "1"), _SEARCH),
    Comparison("search.mode", ("text", "vector"), _SEARCH),
    Comparison(
        "search.vector_weight", tuple(one for one in WEIGHTS if one not in ("0", "0.2", "0.45", "0.8", "1")), READ
    ),
    Comparison("search.fusion", ("reciprocal_rank",), _SEARCH),
    Comparison("search.candidates", ("50", "200"), _FEW),
    Comparison("search.min_similarity", ("0.2",), _SEARCH),
    Comparison("search.deduplicate", ("false",), _SEARCH),
    Comparison("search.rerank", ("title", "diversity", "late_interaction"), _FEW),
    Comparison("search.k", ("3", "10"), _SEARCH),
)

_NOTES = (
    f"Recall in percent at {SHOWN} results, or of the first {BUDGET} tokens of results (budgeted); {DEFAULT_MODEL}. "
    "Tune figures are of the halves that choose, all others of the report halves. Intervals of 95 % and whether a "
    "difference is shown: as on the Tune page.",
    (
        "Trusted: vectors keep the weight although the model does not read the language; the product searches "
        "these by words alone."
    ),
)


def configurations(collection: str) -> list[tuple[Settings, bool]]:
    """Return the changes to measure, and whether vectors are trusted; changes of one index together."""
    plans: dict[tuple[tuple[tuple[str, str], ...], bool], None] = {((), False): None}
    if collection in (*READ, *UNREAD):
        plans |= {((("search.vector_weight", weight),), collection in UNREAD): None for weight in WEIGHTS}
    for one in COMPARISONS:
        if collection in one.collections:
            plans |= {(((one.setting, value),), False): None for value in one.others}
    return sorted(
        ((dict(pairs), trusted) for pairs, trusted in plans), key=lambda row: Config.from_settings(row[0]).fingerprint()
    )


def run() -> DefaultsTable:
    """Measure every collection."""
    results: dict[Key, Measured] = {}
    halves: dict[str, np.ndarray] = {}
    for name in dict.fromkeys((*READ, *UNREAD)):
        collection = COLLECTIONS[name]
        if collection.at_hand:
            halves[name] = np.array([question.half for question in collection.questions])
            results |= measure(MeasuredCollection(collection))
    return DefaultsTable(results, halves)


def measure(measured: MeasuredCollection) -> dict[Key, Measured]:
    """Measure every configuration of a collection."""
    name = measured.collection.name
    rows = configurations(name)
    return {
        _key(name, changes, trusted=trusted): measured.measure(changes, trusted=trusted) for changes, trusted in rows
    }


def _key(collection: str, changes: Settings, *, trusted: bool = False) -> Key:
    return collection, (*sorted(changes.items()), *((("trusted", ""),) if trusted else ()))


@dataclass(frozen=True)
class DefaultsTable:
    """Measurements as the documentation shows them."""

    results: Mapping[Key, Measured]
    halves: Mapping[str, np.ndarray]
    """Half of each question, by collection."""

    @property
    def rows(self) -> Sequence[Row]:
        """Return the claim: in languages the model does not know, the default is never worse than full text."""
        rows = []
        for name in filter(self.halves.__contains__, UNREAD):
            words = self._recalls(name, {"search.vector_weight": "0"}, trusted=True)
            gap = self._gap(self._recalls(name, {}), words, name)
            rows.append(Row(f"{name}: default less full text", "", "", _signed(gap), "not below 0", gap.high >= 0))
        return rows

    def markdown(self) -> str:
        parts = (self._weights(), self._choice(), self._table(), "\n".join(f"{note}  " for note in _NOTES))
        return "\n\n".join(parts)

    def _weights(self) -> str:
        """Return recall of each collection by vector weight, on the report halves."""
        head = [
            "collection",
            "questions",
            *(f"**{one}**" if float(one) == _default_weight() else one for one in WEIGHTS),
            "as searched",
        ]
        head += ["default less full text", "default less 0.65"]
        lines = [_line(head), _line(["---"] * len(head))]
        for name in filter(self.halves.__contains__, (*READ, *UNREAD)):
            lines.append(self._weighed(name, budgeted=False))
            if name in HARD:
                lines.append(self._weighed(name, budgeted=True))
        return "\n".join(["**The weight of the vector leg, report halves**", "", *lines])

    def _weighed(self, name: str, *, budgeted: bool) -> str:
        """Return recall of a collection by vector weight."""
        trusted, mask = name in UNREAD, self.halves[name] == REPORT
        label = f"{name}{', trusted' if trusted else ''}{', budgeted' if budgeted else ''}"
        changes = [{"search.vector_weight": one} for one in WEIGHTS]
        by_weight = [self._recalls(name, one, trusted=trusted, budgeted=budgeted) for one in changes]
        searched = self._recalls(name, {}, budgeted=budgeted)
        others = (by_weight[WEIGHTS.index(one)] for one in ("0", "0.65"))
        cells = [label, str(int(mask.sum())), *(_percent(one[mask]) for one in by_weight), _percent(searched[mask])]
        return _line([*cells, *(_signed(self._gap(searched, one, name)) for one in others)])

    def _choice(self) -> str:
        """Return the mean recall of each weight on the tune halves."""
        lines = [_line(["tune halves", *WEIGHTS]), _line(["---"] * (len(WEIGHTS) + 1))]
        for label, names in (("read", READ), ("not read, trusted", UNREAD)):
            means = np.array([self._tuned(name, trusted=names is UNREAD) for name in names if name in self.halves])
            lines.append(
                _line(
                    [f"{label}: mean of {len(means)} collections", *(f"{100 * one:.1f}" for one in means.mean(axis=0))]
                )
            )
            losses = (means.max(axis=1, keepdims=True) - means).max(axis=0)
            lines.append(
                _line(
                    [
                        f"{label}: largest loss against the best weight of a collection",
                        *(f"{100 * one:.1f}" for one in losses),
                    ]
                )
            )
        return "\n".join(["**How it was chosen**", "", *lines])

    def _tuned(self, name: str, *, trusted: bool) -> list[float]:
        mask = self.halves[name] == TUNE
        return [
            float(self._recalls(name, {"search.vector_weight": one}, trusted=trusted)[mask].mean()) for one in WEIGHTS
        ]

    def _table(self) -> str:
        head = ["setting", "value", "tune", "report", "interval", "default less this", "decided", "tokens"]
        lines = [_line(head), _line(["---"] * len(head))]
        for one in COMPARISONS:
            lines += self._compared(one)
        return "\n".join(["**Every default beside its neighbours**", "", *lines])

    def _compared(self, one: Comparison) -> Iterator[str]:
        names = [name for name in one.collections if name in self.halves]
        if not names:
            return
        halves = np.concatenate([self.halves[name] for name in names])
        default = self._pooled(names, {}, budgeted=one.budgeted)
        texts = {setting.key: setting.text(Config()) for setting in settings()}
        where = f"{', '.join(names)}; {'budgeted' if one.budgeted else f'{SHOWN} results'}"
        for value in ("", *one.others):
            changes = {one.setting: value} if value else {}
            scores = self._pooled(names, changes, budgeted=one.budgeted)
            mean = interval(scores[halves == REPORT], bounds=SHARE)
            gap = paired(default[halves == REPORT], scores[halves == REPORT])
            yield _line(
                [
                    f"`{one.setting}` ({where})" if not value else "",
                    f"`{value}`" if value else f"**`{texts[one.setting] or 'auto'}`**",
                    _percent(scores[halves == TUNE]),
                    f"{100 * mean.mean:.1f}",
                    f"{100 * mean.low:.1f} to {100 * mean.high:.1f}",
                    _signed(gap) if value else "",
                    _decided(gap, one) if value else "",
                    f"{self._tokens(names, changes):.0f}",
                ]
            )

    def _pooled(self, names: Sequence[str], changes: Settings, *, budgeted: bool) -> np.ndarray:
        """Return the scores of all collections' questions in one array."""
        rows = [self.found[_key(name, changes)] for name in names]
        return np.concatenate([row.budgeted if budgeted else row.recall for row in rows])

    def _tokens(self, names: Sequence[str], changes: Settings) -> float:
        """Return the mean tokens of a question's results, without prefixes."""
        return float(np.concatenate([self.found[_key(name, changes)].tokens for name in names]).mean())

    def _recalls(self, name: str, changes: Settings, *, trusted: bool = False, budgeted: bool = False) -> np.ndarray:
        one = self.found[_key(name, changes, trusted=trusted)]
        return one.budgeted if budgeted else one.recall

    def _gap(self, ours: np.ndarray, theirs: np.ndarray, name: str) -> Difference:
        mask = self.halves[name] == REPORT
        return paired(ours[mask], theirs[mask])


def _default_weight() -> float:
    return Config().search.vector_weight


def _decided(gap: Difference, one: Comparison) -> str:
    if one.setting == "search.k":
        return "returns other text"
    if not gap.shown:
        return "no"
    return "for the default" if gap.mean > 0 else "for this"


def _percent(values: np.ndarray) -> str:
    return f"{100 * values.mean():.1f}"


def _signed(gap: Difference) -> str:
    return f"{100 * gap.mean:+.1f} ({100 * gap.low:+.1f} to {100 * gap.high:+.1f})"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print(run().markdown())
