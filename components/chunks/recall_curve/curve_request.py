"""Which values a curve has, and what it depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import partial

from chunking.config import Config, Unit, settings
from chunking.config.settings import Setting
from chunking.embedding.model_folder import counting_folder
from chunking.evaluation import LiveRecall, setting_curve
from chunking.splitting.strategies.custom_splitters import use_splitters
from chunking.store import Right
from chunking.viewing.messages.sliders import number_of, slider_texts
from components.chunks.live_recall.state import ChosenSet, measure_of
from components.chunks.recall_curve.background import Wish
from components.session.workspace import loaded_of, workspace

__all__ = ["VALUES", "curve_request", "model_limit", "setting_of"]

VALUES: Mapping[str, int] = {"size": 25, "overlap": 25}
"""Settings with a curve, and at most how many values are estimated."""


def setting_of(key: str) -> Setting:
    """The setting of a key."""
    return next(one for one in settings() if one.key == key)


def curve_request(of: ChosenSet, live: LiveRecall, config: Config, key: str) -> Wish:
    """The curve of a setting: it depends on everything but the value of that setting."""
    setting, target, measure = setting_of(key), workspace(), measure_of(config)
    loaded = loaded_of(target)
    texts = slider_texts(number_of(setting, config, setting.text(config), ""), VALUES[key])
    rest = config.model_dump(mode="json", exclude={"chunk": {key}})
    here = [target.uri, target.may(Right.WRITE), target.loaded_chunks.version]
    about = json.dumps([here, of.about, key, texts, rest, measure.label], sort_keys=True)
    return Wish(
        hashlib.sha256(about.encode()).hexdigest()[:16],
        partial(setting_curve, live, config, key, texts, measure),
        partial(use_splitters, loaded.splitters),
    )


def model_limit(config: Config) -> int | None:
    """Tokens of a text that the model reads; None where sizes are counted in something else."""
    return counting_folder(config.embedding).content_tokens if config.chunk.unit is Unit.TOKENS else None
