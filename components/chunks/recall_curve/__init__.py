"""Curve of recall and IoU against the size or the overlap, drawn under its slider."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from chunking.config import Config, Unit, settings
from chunking.config.settings import Setting
from chunking.embedding.model_folder import counting_folder
from chunking.evaluation import Better, CurvePoint, LiveRecall, LiveScores, better_values, setting_curve
from chunking.splitting.strategies.custom_splitters import use_splitters
from chunking.store import Right
from chunking.viewing.messages.sliders import number_of, slider_texts
from components.chunks.live_documents import ChosenSet, measure_of, ready_live
from components.chunks.recall_curve.background import Curve, CurveRequest, curves
from components.kit.browser import component
from components.kit.wording import quantity
from components.session.page.page_frame import fragment
from components.session.workspace import loaded_of, workspace

__all__ = ["recall_curve"]

_curve = component("curve")
_SESSION = "recall_curve.session"
"""Session key of the id that the server's thread knows this session by."""

VALUES: Mapping[str, int] = {"size": 25, "overlap": 25}
"""Settings with a curve, and the most values estimated."""


def recall_curve(of: ChosenSet, key: str, config: Config, doc: str) -> None:
    """Draw recall and IoU against a setting in `VALUES`; draw nothing for other settings.

    Also pauses the estimation until the slider rests. Call it under the slider, in the fragment that changes the
    settings.

    Args:
        of: the active question set.
        key: key of the setting.
        config: current settings.
        doc: key of the text in the viewer, whose answers are drawn under the curve of the size.
    """
    if key in VALUES:
        curves().moved(_session())
        _drawn(of, key, config, doc if key == "size" else "")


@fragment()
def _drawn(of: ChosenSet, key: str, config: Config, doc: str) -> None:
    """Draw the curve so far; the browser reruns this fragment until the curve is done."""
    setting, live, measure = setting_of(key), ready_live(of, config), measure_of(config)
    unit = str(config.chunk.unit)
    data = {"slider": f"settings.{key}", "label": setting.title, "unit": unit, "values": VALUES[key], "doc": doc}
    if live is None:
        _draw(key, {**data, "state": "waiting"})
        return
    wish = curve_request(of, live, config, key)
    curve = curves().want(_session(), key, wish)
    present = setting.text(config)
    if curve.done and not curve.error and present not in curve.verdicts and curves().rests(_session()):
        curve.verdicts[present] = verdict(curve.points, live.scores(config, measure), key, config)
    _draw(
        key,
        {
            **data,
            "state": "failed" if curve.error else "done" if curve.done else "running",
            "present": present,
            "points": _rows(curve),
            "verdict": curve.error or curve.verdicts.get(present),
            "limit": model_limit(config) if key == "size" else None,
            "about": f"{measure.label}, {quantity(len(of.tuned), 'question')}",
        },
    )


def _draw(key: str, data: dict[str, Any]) -> None:
    _curve(key=f"recall-curve.{key}", data=data, on={"more": lambda _: curves().rest(_session())})


def _rows(curve: Curve) -> list[list[Any]]:
    """Return [value, recall, low, high, IoU, context tokens] of each point, by value."""
    points = sorted(curve.points, key=lambda one: int(one.text.rstrip("%")))
    return [
        [
            one.text,
            *(
                round(value, 4) if value == value else None
                for value in (one.recall.mean, one.recall.low, one.recall.high, one.iou)
            ),
            round(one.context_tokens),
        ]
        for one in points
    ]


def _session() -> str:
    name: str = st.session_state.setdefault(_SESSION, secrets.token_hex(8))
    return name


def setting_of(key: str) -> Setting:
    """Return the setting with this key, which must exist."""
    return next(one for one in settings() if one.key == key)


def curve_request(of: ChosenSet, live: LiveRecall, config: Config, key: str) -> CurveRequest:
    """Return the request for a setting's curve; keyed by documents, questions and settings."""
    setting, target, measure = setting_of(key), workspace(), measure_of(config)
    loaded = loaded_of(target)
    texts = slider_texts(number_of(setting, config, setting.text(config), ""), VALUES[key])
    rest = config.model_dump(mode="json", exclude={"chunk": {key}})
    here = [target.uri, target.may(Right.WRITE), target.loaded_chunks.version]
    about = json.dumps([here, of.about, key, texts, rest, measure.label], sort_keys=True)
    return CurveRequest(
        hashlib.sha256(about.encode()).hexdigest()[:16],
        partial(setting_curve, live, config, key, texts, measure),
        partial(use_splitters, loaded.splitters),
    )


def model_limit(config: Config) -> int | None:
    """Return the most content tokens the model reads; None if sizes are not in tokens."""
    return counting_folder(config.embedding).content_tokens if config.chunk.unit is Unit.TOKENS else None


def verdict(points: Sequence[CurvePoint], present: LiveScores, key: str, config: Config) -> str:
    """Return a sentence: which values have significantly higher recall, and the cheapest of them.

    Args:
        points: all points of the curve, in any order.
        present: scores of the current settings.
        key: key of the setting.
    """
    setting = setting_of(key)
    name, now = setting.title.lower(), _shown(setting.text(config))
    ordered = sorted(points, key=lambda one: int(one.text.rstrip("%")))
    if not ordered:
        return f"No {name} could be estimated with the other settings."
    if len(present.question_ids) < 2:
        return f"One question cannot show that any {name} is better; add questions."
    better = better_values(ordered, present)
    if not better:
        first, last = _shown(ordered[0].text), _shown(ordered[-1].text)
        return f"No {name} from {first} to {last} is shown to have higher recall than the current {now}."
    best, tokens = min(better, key=lambda one: one.point.context_tokens), float(present.scores.context_tokens.mean())
    return (
        f"Shown to have higher recall: {_places(ordered, better)}. Cheapest: {_shown(best.point.text)}, "
        f"+{100 * best.ahead:.1f} points, {best.point.context_tokens:,.0f} context tokens (now {tokens:,.0f})."
    )


def _places(ordered: Sequence[CurvePoint], better: Sequence[Better]) -> str:
    """Return the better values, with neighbouring ones as ranges."""
    there = {one.point.text for one in better}
    runs = list[list[str]]()
    for before, point in zip([None, *ordered], ordered, strict=False):
        if point.text in there:
            if before is not None and before.text in there:
                runs[-1].append(point.text)
            else:
                runs.append([point.text])
    return ", ".join(_shown(run[0]) if len(run) == 1 else f"{_shown(run[0])} to {_shown(run[-1])}" for run in runs)


def _shown(text: str) -> str:
    """Format a setting's value with thousands separators.

    >>> _shown("8192"), _shown("15%")
    ('8,192', '15%')
    """
    return text if text.endswith("%") else f"{int(text):,}"
