"""Wording of the Tune page: short titles and values of settings, and differences as sentences."""

from __future__ import annotations

from collections.abc import Collection

from chunking.config import Config, settings
from chunking.config.config import value_label
from chunking.config.settings import Setting
from chunking.evaluation import Difference, Interval, Metric
from chunking.evaluation.analysis.setting_labels import AS_CHOSEN
from chunking.evaluation.sweep.sweep import PARSER
from components.kit.wording import parser_word, quantity
from components.search.search_controls import MODES

__all__ = [
    "difference_sentence",
    "equal_but_k",
    "holdout_sentence",
    "range_words",
    "setting_named",
    "spoken_label",
    "spoken_parts",
    "spoken_title",
    "spoken_value",
    "without_k",
]

_SHORT = {
    "search.retrieval": "Retrieval",
    "search.mode": "Search",
    "search.rerank": "Reranking",
    "search.vector_weight": "Vector weight",
    "search.deduplicate": "Deduplicate",
    "embedding.mode": "Embedding",
    "embedding.model": "Model",
    "granularities": "Granularities",
    "heading_levels": "Headings",
    "min_size": "Minimum",
    PARSER: "Parser",
}
_VALUES = {("search.mode", str(mode)): words for mode, words in MODES.items()}


def without_k(config: Config) -> Config:
    """Return a configuration with `search.k` set to 1, for comparisons that ignore it."""
    return config.model_copy(update={"search": config.search.model_copy(update={"k": 1})})


def equal_but_k(one: Config, other: Config) -> bool:
    """True if two configurations differ at most in the number of results.

    >>> [equal_but_k(Config(), Config.from_settings({key: 90})) for key in ("search.k", "size")]
    [True, False]
    """
    return without_k(one) == without_k(other)


def setting_named(key: str) -> Setting | None:
    """Return the setting with this key, or None."""
    return next((one for one in settings() if one.key == key), None)


def spoken_title(key: str) -> str:
    """Return a short title of a setting.

    >>> spoken_title("size"), spoken_title("search.retrieval"), spoken_title("what.no.row.has")
    ('Size', 'Retrieval', 'what.no.row.has')
    """
    setting = setting_named(key)
    return _SHORT.get(key) or (setting.title if setting else key)


def spoken_value(key: str, value: str) -> str:
    """Return a short label of a setting's value.

    >>> spoken_value("search.retrieval", "multi_granularity"), spoken_value("prefix", "title_path"), (
    ...     spoken_value("granularities", "2,4")
    ... )
    ('Multi-granularity', 'title path', '×2, ×4')
    >>> spoken_value("overlap", "0"), spoken_value("search.deduplicate", "true"), (
    ...     spoken_value("embedding.model", "my_model")
    ... )
    ('none', 'on', 'my_model')
    """
    if key == PARSER:
        return parser_word(value)
    label = _VALUES.get((key, value))
    if label:
        return label
    if key == "granularities" and value != "none":
        return ", ".join(f"×{one.strip()}" for one in value.split(","))
    if key in ("overlap", "min_size", "parent_size") and value in ("0", "0%"):
        return "none"
    setting = setting_named(key)
    if setting and setting.type is bool:
        return {"true": "on", "false": "off"}.get(value, value)
    if setting and setting.choices:
        return ", ".join(value_label(key, one) for one in value.split(","))
    return value or "automatic"


def spoken_parts(config: Config, keys: Collection[str], parser: str = "") -> list[tuple[str, str]]:
    """Return (title, value) of the given settings of a configuration; unknown keys are left out.

    Args:
        parser: of the run, for the key `parser`; empty: the documents as they are in the workspace.

    >>> spoken_parts(Config(), ["size", "overlap"])
    [('Size', '175'), ('Overlap', 'none')]
    """
    texts = {key: setting.text(config) for key in keys if (setting := setting_named(key))}
    texts |= {PARSER: parser or AS_CHOSEN} if PARSER in keys else {}
    return [(spoken_title(key), spoken_value(key, text)) for key, text in texts.items()]


def spoken_label(config: Config, keys: Collection[str], parser: str = "") -> str:
    """Return the given settings of a configuration in a line.

    >>> spoken_label(Config(), ["size", "prefix"]), spoken_label(Config(), [])
    ('Size 175 · Prefix title path', 'The only configuration')
    """
    return (
        " · ".join(f"{title} {value}" for title, value in spoken_parts(config, keys, parser))
        or "The only configuration"
    )


def range_words(metric: Metric, one: Interval) -> str:
    """Return an interval such as `75–85`, or why there is none.

    >>> from chunking.evaluation import metric_of
    >>> range_words(metric_of("recall"), Interval(0.8, 0.75, 0.85, 0.1, 50))
    '75–85'
    """
    if not one.known:
        return "one question: no interval"
    if metric.percent:
        return f"{100 * one.low:.0f}–{100 * one.high:.0f}"
    digits = ",.0f" if metric.unit else ".2f"
    return f"{one.low:{digits}}–{one.high:{digits}}"


def difference_sentence(metric: Metric, difference: Difference, first: str, second: str) -> str:
    """Return which configuration is significantly better, or that none is, as Markdown.

    >>> from chunking.evaluation import metric_of
    >>> none = Difference(0.012, -0.02, 0.044, 117, 0.4, 0.2, False, 340)
    >>> difference_sentence(metric_of("recall"), none, "A", "B")
    '**No significant difference.** On these 117 questions A has +1.2 points of recall, but anything from −2.0 to \
+4.4 points is compatible with the data. About 340 more questions are needed to tell.'
    """
    if not difference.n:
        return "The two runs have no question in common, so there is nothing to compare."
    on = (
        f"On the one question that both have {first} has"
        if difference.n == 1
        else f"On these {difference.n:,} questions {first} has"
    )
    name = metric.label.lower() if metric.label.istitle() else metric.label
    mean = f"{metric.points(difference.mean)} of {name}" if metric.unit != "tokens" else metric.points(difference.mean)
    if difference.n == 1:
        return f"{on} {mean}. One question says nothing about the difference."
    low, high = _unsigned(metric.points(difference.low).split(" ")[0]), _unsigned(metric.points(difference.high))
    if difference.shown:
        better = (difference.mean > 0) == metric.higher_is_better
        span = f"95 % confidence interval {low} to {high}; statistically significant"
        return f"**{_begun(first if better else second)} is better.** {on} {mean} ({span})."
    if not difference.differing and not difference.mean:
        return f"**No difference.** Both have the same {name} on each of these {difference.n:,} questions."
    more = (
        f"About {difference.needed:,} more questions are needed to tell."
        if difference.needed
        else "No realistic number of questions would show a difference."
    )
    return (
        f"**No significant difference.** {on} {mean}, but anything from {low} to {high} is compatible with the "
        f"data. {more}"
    )


def _unsigned(number: str) -> str:
    """Strip the sign of a zero.

    >>> _unsigned("−0.0"), _unsigned("+0.0 points"), _unsigned("−0.01")
    ('0.0', '0.0 points', '−0.01')
    """
    head, *unit = number.split(" ")
    return " ".join([head.lstrip("+−") if not head.strip("+−0.") else head, *unit])


def _begun(name: str) -> str:
    """Capitalise a name that begins with "the", possibly after a sign."""
    return name.replace("the ", "The ", 1)


def holdout_sentence(metric: Metric, tuned: Interval, held_out: Interval) -> str:
    """Return both results as a sentence, and whether the held-out one is significantly worse."""
    name = metric.label.lower() if metric.label.istitle() else metric.label
    head = f"On the {quantity(held_out.n, 'question')} held out: {metric.text(held_out.mean)} {name}"
    if held_out.known:
        head += f" ({range_words(metric, held_out)})"
    head += f", against {metric.text(tuned.mean)} on the {tuned.n:,} dev questions it was chosen by."
    if not held_out.known:
        return f"{head} One question is too few to say more."
    worse = held_out.high < tuned.mean if metric.higher_is_better else held_out.low > tuned.mean
    return (
        f"{head} "
        f"{'It fits the dev questions better than new ones: expect the lower value.' if worse else 'The choice holds.'}"
    )
