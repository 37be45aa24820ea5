"""Match untrusted regular expressions with a bounded amount of work.

RE2 compiles a pattern to an automaton that reads a text once, so that nested repeats cost nothing more; its time grows
with the text and with the size of the compiled pattern. Both are bounded here: the pattern's size, and the steps of all
searches in a text together (`most_work`). Steps are counted, not seconds: the same pattern finds the same on a slow
machine, in the app and in an index. Searches release the GIL, so that other threads of a server continue.

Patterns are matched line by line: `^` and `$` are a line's start and end, and no match crosses a line end. White
space of other scripts (a full-width space, a no-break space) counts as a space. Case counts unless a pattern begins
with `(?i)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chunking.text.byte_caches import LARGEST_TEXT, MB, byte_cache

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LONGEST", "MOST_MATCHES", "Matches", "SafePattern", "find_matches", "most_work", "safe_pattern"]

LONGEST = 500
"""Maximum characters of a pattern."""
LARGEST = 2_000
"""Maximum instructions of a compiled pattern."""
MOST_MATCHES = 100_000
"""Maximum matches of one pattern in one text."""
_INSTRUCTION = 500
"""Bytes per instruction, including the states that RE2 makes while searching."""
_WINDOW = 2_048
"""Bytes that one search reads; the rest of the text costs it nothing."""
_PROBES = (b"", b"a", b"\n", b"a b", b"1. a\nb", "中 文".encode())
"""Texts in which a pattern that can match no characters has an empty match."""
_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_ANY_SPACE = re.compile(f"[{_SPACES}]")
_REASONS: tuple[tuple[str, str], ...] = (
    ("missing )", "an opening bracket '(' has no ')'; close it, or write \\( for the character"),
    ("unexpected )", "a closing bracket ')' has no '('; remove it, or write \\) for the character"),
    ("missing ]", "a '[' has no ']'; close it, or write \\[ for the character"),
    (
        "invalid perl operator: (?=",
        "it looks ahead with (?=…), which cannot be matched in bounded time; write what follows without it",
    ),
    (
        "invalid perl operator: (?!",
        "it looks ahead with (?!…), which cannot be matched in bounded time; write it without",
    ),
    (
        "invalid perl operator: (?<",
        "it looks behind with (?<…), which cannot be matched in bounded time; write it without",
    ),
    (
        "invalid named capture group",
        "it looks behind or names a group in a way that is not known here; write it without (?<…)",
    ),
    ("no argument for repetition", "a repeat such as * or + has nothing before it; write \\* or \\+ for the character"),
    ("bad repetition operator", "it has two repeats in a row; leave one of them out"),
    ("invalid repetition size", "it repeats something more than 1,000 times in total; use + or a smaller number"),
    ("invalid character class range", "a range in […] runs backwards; turn it around, or put the - last"),
    ("trailing \\", "it ends in a \\; write \\\\ for the character"),
    (
        "invalid escape sequence",
        "it has an escape that is not known here; back references such as \\1 cannot be matched in bounded time",
    ),
    ("pattern too large", "it is too large; use fewer or smaller repeats"),
)
"""RE2's error messages and their explanations for users."""


@dataclass(frozen=True, slots=True, eq=False)
class SafePattern:
    """A regular expression compiled by RE2, with its size; `find_matches` searches with it."""

    source: str
    program: Any
    """Compiled RE2 pattern."""
    size: int
    """Number of instructions: the maximum cost of a step over one byte."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Spans of a text that a pattern matches, or the fault for which its search was given up."""

    source: str
    """The pattern."""
    starts: Sequence[int]
    ends: Sequence[int]
    """Offsets in characters, ascending, without overlap.

    No span is empty or begins or ends with white space.
    """
    fault: str = ""
    """Reason for giving up the search, as the rest of a sentence that begins with the pattern; else empty."""
    work: int = 0
    """Upper bound of the steps of the search."""

    def __len__(self) -> int:
        return len(self.starts)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self.starts, self.ends, strict=True)


def most_work(text: str) -> int:
    """Return the limit on the steps that all patterns of a setting together may take in a text.

    A billion steps, and 1,200 for each byte of the text. Each byte searched counts as many steps as the pattern has
    instructions, which is an upper bound. A pattern written to take all of them reads a million characters in some
    twenty seconds of one thread; the patterns of `PATTERN_SETS` take a tenth of the steps, and a twentieth of a second.
    """
    return 1_000_000_000 + 1_200 * len(text.encode("utf-8", "surrogatepass"))


@byte_cache(most=64 * MB, size=lambda pattern: 10_000 + _INSTRUCTION * pattern.size)
def safe_pattern(source: str) -> SafePattern:
    r"""Compile a regular expression with RE2, within the limits of size; cached.

    Raises:
        ValueError: it is no regular expression, too long or too large, or matches an empty text; the message is the
            rest of a sentence that begins with the owner of the pattern.

    >>> safe_pattern(r"^Article \d+").source
    '^Article \\d+'
    >>> safe_pattern("(a")  # doctest: +NORMALIZE_WHITESPACE
    Traceback (most recent call last):
    ValueError: has the pattern '(a', which cannot be used: an opening bracket '(' has no ')'; close it, or write \( for
        the character
    """
    import re2

    if len(source) > LONGEST:
        raise ValueError(f"has a pattern of {len(source):,} characters; the limit is {LONGEST}")
    if any("\ud800" <= character <= "\udfff" for character in source):
        raise ValueError("has a pattern with half of a character; type it again")
    try:
        program = re2.compile(f"(?m){source}", _options())
    except re2.error as error:
        raise ValueError(f"has the pattern '{source}', which cannot be used: {_reason(error)}") from error
    if program.programsize > LARGEST:
        raise ValueError(f"has the pattern '{source}', which cannot be used: {dict(_REASONS)['pattern too large']}")
    if any((match := program.search(probe)) is not None and match.end() == match.start() for probe in _PROBES):
        raise ValueError(
            f"has the pattern '{source}', which matches empty text, so everywhere; make it match a character"
        )
    return SafePattern(source, program, program.programsize)


def _options() -> Any:
    import re2

    options = re2.Options()
    options.log_errors, options.never_nl = False, True
    return options


def _reason(error: Exception) -> str:
    message = error.args[0]
    text = message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
    return next((reason for start, reason in _REASONS if text.startswith(start)), f"{text.lower()}; correct it")


@dataclass(frozen=True, slots=True, eq=False)
class _Encoded:
    """A text encoded for RE2."""

    data: bytes
    """UTF-8, with every line end as `\\n` and every white space as a space."""
    before: NDArray[np.int32] | None
    """(bytes + 1,) characters before each byte; None if every character is one byte."""
    windows: Sequence[tuple[int, int]]
    """(start, end) in bytes of groups of lines, or of parts of a long line."""

    def characters(self, offset: int) -> int:
        return offset if self.before is None else int(self.before[offset])


@byte_cache(most=LARGEST_TEXT)
def find_matches(source: str, text: str) -> Matches:
    r"""Find all matches of a pattern in a text, in order; over a limit none, with a fault; cached.

    Raises:
        ValueError: see `safe_pattern`.

    >>> list(find_matches(r"^Article \d+", "Article 1\nsee Article 2\nArticle 3 says"))
    [(0, 9), (24, 33)]
    """
    pattern, encoded, most = safe_pattern(source), _encoded(text), most_work(text)
    program, data, size = pattern.program, encoded.data, pattern.size
    spans: list[tuple[int, int]] = []
    work = 0
    for low, high in encoded.windows:
        at = low
        while at < high and work <= most and len(spans) <= MOST_MATCHES:
            match = program.search(data, at, high)
            if match is None:
                work += size * (high - at)
                break
            start, end = match.span()
            work += size * (_line_end(data, start, high) - at)
            if start < end:
                spans.append((start, end))
            at = max(end, start + 1)
    if work > most:
        return Matches(
            source,
            (),
            (),
            "would take too long in a text of this length; make it simpler, or start it with ^",
            work,
        )
    if len(spans) > MOST_MATCHES:
        return Matches(source, (), (), f"matches more than {MOST_MATCHES:,} times; make it match less", work)
    return _trimmed(source, text, encoded, spans, work)


def _line_end(data: bytes, start: int, high: int) -> int:
    line_break = data.find(b"\n", start, high)
    return high if line_break < 0 else line_break + 1


def _trimmed(source: str, text: str, encoded: _Encoded, spans: list[tuple[int, int]], work: int) -> Matches:
    """Convert byte spans to characters, trim white space and drop blank matches."""
    starts, ends = [], []
    for low, high in spans:
        start, end = encoded.characters(low), encoded.characters(high)
        words = text[start:end]
        stripped = words.strip()
        if stripped:
            start += len(words) - len(words.lstrip())
            starts.append(start)
            ends.append(start + len(stripped))
    return Matches(source, tuple(starts), tuple(ends), work=work)


@byte_cache(most=LARGEST_TEXT)
def _encoded(text: str) -> _Encoded:
    spaced = text.replace("\r", "\n")
    if not spaced.isascii() and _ANY_SPACE.search(spaced):
        for space in _SPACES:
            spaced = spaced.replace(space, " ")
    data = spaced.encode("utf-8", "surrogatepass")
    if len(data) == len(text):
        return _Encoded(data, None, _windows(data))
    import numpy as np

    before = np.zeros(len(data) + 1, np.int32)
    np.cumsum((np.frombuffer(data, np.uint8) & 0xC0) != 0x80, out=before[1:])
    return _Encoded(data, before, _windows(data))


def _windows(data: bytes) -> list[tuple[int, int]]:
    """Split into runs of whole lines of about `_WINDOW` bytes; a longer line is split between characters."""
    windows, low = [], 0
    while low < len(data):
        high = min(low + _WINDOW, len(data))
        if high < len(data):
            line = data.rfind(b"\n", low, high) + 1
            high = line if line > low else high
            while high < len(data) and data[high] & 0xC0 == 0x80:
                high -= 1
        windows.append((low, high))
        low = high
    return windows
