"""Makes texts of documents harmless for a terminal: no escape sequences, no turned text, nothing it cannot encode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["UNSAFE_IN_JSON", "encodable", "safe_record", "safe_text"]

_PICTURES = 0x2400
"""Control pictures: a visible character for each control code."""
_UNKNOWN = "\ufffd"
_OVERRIDES = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""They turn the direction of the text after them, also beyond a line that ends before they are closed."""
_LINE_ENDS = (0x0A, 0x85, 0x2028, 0x2029)
_SPACES = (0x09, 0x0B, 0x0C, 0x0D)

_SAFE = {
    **{code: chr(_PICTURES + code) for code in range(0x20)},
    0x7F: "\u2421",
    **dict.fromkeys(range(0x80, 0xA0), _UNKNOWN),
    **dict.fromkeys(range(0xD800, 0xE000), _UNKNOWN),
    **dict.fromkeys(_OVERRIDES, _UNKNOWN),
    **dict.fromkeys(_LINE_ENDS, "\n"),
    **dict.fromkeys(_SPACES, " "),
}
UNSAFE_IN_JSON = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029, *_OVERRIDES)}
"""What JSON leaves as it is and a terminal may act on, as its escape; JSON itself escapes the codes below 0x20."""


def safe_text(text: str) -> str:
    r"""Replace what a terminal would act on by something that it shows; the length stays, so offsets still hold.

    >>> safe_text("a\x1b[2Jb\tc\r\n")
    'a␛[2Jb c \n'
    """
    return text.translate(_SAFE)


def safe_record(value: Any, encoding: str = "utf-8") -> Any:
    """Make every text of a record harmless and encodable, keys included; numbers stay."""
    if isinstance(value, str):
        return encodable(safe_text(value), encoding)
    if isinstance(value, Mapping):
        return {safe_record(key, encoding): safe_record(item, encoding) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [safe_record(item, encoding) for item in value]
    return value


def encodable(text: str, encoding: str) -> str:
    """Replace characters that an encoding does not have by question marks.

    >>> encodable("5 °C · 温度", "latin-1")
    '5 °C · ??'
    """
    return text.encode(encoding, "replace").decode(encoding)
