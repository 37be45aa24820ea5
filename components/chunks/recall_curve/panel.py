"""The curve under a slider: drawn as it comes, in a fragment of its own, so that the text is not drawn again for it."""

from __future__ import annotations

import secrets
from typing import Any

import streamlit as st

from chunking.config import Config
from components.chunks.live_recall.state import ChosenSet, measure_of, ready_live
from components.chunks.recall_curve.background import Curve, curves
from components.chunks.recall_curve.curve_request import VALUES, curve_request, model_limit, setting_of
from components.chunks.recall_curve.verdict import verdict
from components.kit.browser import component
from components.kit.wording import quantity
from components.session.page.page_frame import fragment

__all__ = ["recall_curve"]

_curve = component("curve")
_SESSION = "recall_curve.session"
"""Session key of the name by which the server's thread knows this session."""


def recall_curve(of: ChosenSet, key: str, config: Config) -> None:
    """Recall and IoU against a setting, where it has a curve: the size and the overlap do.

    Call it under the slider, in the fragment that moves the settings.

    Args:
        of: the questions.
        key: of the setting.
        config: the present settings.
    """
    if key in VALUES:
        curves().moved(_session())
        _drawn(of, key, config)


@fragment()
def _drawn(of: ChosenSet, key: str, config: Config) -> None:
    """Run again by the browser alone while there is more to come: it asks when the slider rests, and as long as the
    page is open.
    """
    setting, live, measure = setting_of(key), ready_live(of, config), measure_of(config)
    data = {"slider": f"settings.{key}", "label": setting.title, "unit": str(config.chunk.unit), "values": VALUES[key]}
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
    """Of each point its value, recall with the interval, IoU and context tokens, by value."""
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
