"""A number as a slider and a box that report while they are dragged."""

from __future__ import annotations

from dataclasses import dataclass

from chunking.config import Config
from chunking.config.settings import Setting

__all__ = ["LONGEST", "Number", "is_share", "number_of", "slider_texts"]

LONGEST = 40
"""Characters of a number that a browser may send."""


@dataclass(frozen=True, slots=True)
class Number:
    """What the input shows. `text` is a number, or with `whole` also a share of it such as `15%`."""

    label: str
    help: str
    text: str
    unit: str
    minimum: float
    maximum: float
    step: float = 1
    live: bool = True
    """Report while dragged; else on release."""
    whole: int | None = None
    """With it, the user can switch between an amount and a share of this many units."""
    error: str = ""
    """The sentence beside the field."""


def is_share(setting: Setting) -> bool:
    """The setting may be a share of the size."""
    return setting.unit.endswith("or %")


def number_of(setting: Setting, config: Config, text: str, error: str) -> Number:
    """The slider of a setting, with what its user has typed."""
    whole = config.chunk.size if is_share(setting) else None
    return Number(
        label=setting.title,
        help=setting.help,
        text=text,
        unit=str(config.chunk.unit) if setting.unit.startswith("of unit") else setting.unit,
        minimum=setting.minimum or 0,
        maximum=whole - 1 if whole else setting.maximum or 0,
        step=0.05 if setting.type is float else 1,
        live=setting.part == "chunk",
        whole=whole,
        error=error,
    )


def slider_texts(number: Number, most: int) -> list[str]:
    """Values at which the slider may stand, evenly along its way, with both ends; `placesFor` in number.js has all.

    Args:
        most: at most so many, 2 or more.

    >>> slider_texts(Number("Size", "", "150", "tokens", 16, 8192), 7)
    ['16', '61', '172', '448', '1184', '3264', '8192']
    >>> slider_texts(Number("Overlap", "", "10%", "tokens", 0, 149, whole=150), 6)
    ['0%', '10%', '20%', '30%', '40%', '50%']
    """
    sign = "%" if number.text.endswith("%") else ""
    top = max(1, number.whole // 2) if number.whole else int(number.maximum)
    low, high = (0, 50) if sign else (int(number.minimum), top)
    wide = high > 64 * max(low, 1) and high - low > 400
    places = [low]
    while places[-1] < high:
        step = max(1, 2 ** (max(1, places[-1]).bit_length() - 6)) if wide else 1
        places.append(min(high, places[-1] + step))
    count = min(most, len(places))
    return [f"{places[round(at * (len(places) - 1) / (count - 1))]}{sign}" for at in range(count)]
