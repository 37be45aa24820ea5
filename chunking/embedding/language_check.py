"""Measure the share of a corpus's words that a model cannot read.

A model reads text it was not trained for as unknown tokens or letter by letter (`splitting.measure.unread_words`):
nearly all of Chinese, Russian or Thai for all-MiniLM-L6-v2, under 1 % of English. Its vectors are then near random, and
a vector search mixed in at full weight ruins a good full-text one.

The opposite does not hold: German is written in English letters, and a tokenizer of many languages has words of
languages that the model never learned. A small share is no proof that the model understands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from chunking.config import MULTILINGUAL_MODEL
from chunking.text.characters import LATIN, main_script

__all__ = ["UNREADABLE_SHARE", "LanguageCheck", "UnreadCounter", "can_read", "check_language", "is_language_note"]

UNREADABLE_SHARE = 0.2
"""Share of unread words above which a model's vectors are unreliable."""

SAMPLE_TEXTS, SAMPLE_CHARACTERS = 200, 2000
"""Maximum texts sampled, spread evenly over the corpus, and maximum characters of each."""

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LETTER = re.compile(r"[^\W\d_]")
_WHY = "(its tokenizer does not know the words)"
_WRITTEN_IN = {
    "zh": "Chinese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
    "other": "other",
}
"""Names of groups of texts that are not named by their script."""


class UnreadCounter(Protocol):
    """Protocol of a tokenizer that measures how many words its model cannot read."""

    def unread_share(self, text: str) -> float:
        """Return the share of words of `text` that the model cannot read, 0 to 1."""


@dataclass(frozen=True, slots=True)
class LanguageCheck:
    """Share of a corpus's words that a model cannot read, in total and by language."""

    model: str
    share: float
    """Unread words of the whole sample, 0 to 1."""
    by_language: Mapping[str, float]
    """Unread words by language: Chinese (`zh`), each other script (`CYRILLIC`), Latin or none (`other`)."""

    @property
    def readable(self) -> bool:
        """True if no language has more than 20 % of words that the model cannot read."""
        return not self.unreadable

    @property
    def unreadable(self) -> tuple[str, ...]:
        """Languages with over 20 % of words that the model cannot read, as in `by_language`."""
        return tuple(language for language, share in self.by_language.items() if not can_read(share))

    @property
    def sentence(self) -> str | None:
        """Warning about the language that the model reads worst; None if it can read each language."""
        if not self.unreadable:
            return None
        worst = max(self.unreadable, key=lambda language: self.by_language[language])
        name = _WRITTEN_IN.get(worst) or worst.capitalize()
        what = "this text" if len(self.by_language) == 1 and worst == "other" else f"the {name} text"
        share = f"{self.by_language[worst]:.0%} of {what}"
        return (
            f"{self.model} cannot read {share} {_WHY}, so vector search has less weight there; choose "
            f"{'another' if self.model == MULTILINGUAL_MODEL else MULTILINGUAL_MODEL + ' or another'} model for it."
        )


def is_language_note(sentence: str) -> bool:
    """True if a sentence is a `LanguageCheck.sentence`, of whichever model.

    >>> note = LanguageCheck("m", 0.6, {"zh": 0.6}).sentence
    >>> is_language_note(note), is_language_note("4 of 8 questions were left out.")
    (True, False)
    """
    return _WHY in sentence


def can_read(share: float) -> bool:
    """True if the share of unread words is at most 20 %, small enough for meaningful vectors.

    >>> can_read(0.01), can_read(0.58)
    (True, False)
    """
    return share <= UNREADABLE_SHARE


def check_language(texts: Sequence[str], counter: UnreadCounter, model: str) -> LanguageCheck:
    """Measure the share of words that a model cannot read, in total and by language.

    The sample is the first 2,000 characters of at most 200 texts, evenly spaced, without blank ones.

    Args:
        texts: Chunks, or whole documents.
        counter: The model's tokenizer.
        model: Its name, for the sentence.
    """
    groups: dict[str, list[str]] = {}
    for text in _sample(texts):
        groups.setdefault(_group(text), []).append(text)
    by_language = {language: counter.unread_share("\n".join(groups[language])) for language in sorted(groups)}
    if len(groups) == 1:
        return LanguageCheck(model, next(iter(by_language.values())), by_language)
    sample = "\n".join(text for group in groups.values() for text in group)
    return LanguageCheck(model, counter.unread_share(sample) if sample else 0.0, by_language)


def _sample(texts: Sequence[str]) -> Iterable[str]:
    """Every n-th text, shortened, without blank ones; always the same sample."""
    step = max(1, -(-len(texts) // SAMPLE_TEXTS))
    return [text[:SAMPLE_CHARACTERS] for text in texts[::step] if text.strip()]


def _group(text: str) -> str:
    """Language or script that a text is counted under."""
    if _is_chinese(text):
        return "zh"
    script = main_script(text)
    return "other" if script in ("", LATIN) else script


def _is_chinese(text: str) -> bool:
    """True if 30 % of the letters are Han characters: manuals mix in Latin product names and units."""
    letters = len(_LETTER.findall(text))
    return letters > 0 and len(_HAN.findall(text)) >= 0.3 * letters
