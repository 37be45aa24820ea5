"""Sentences by rule about where a chunk stands and what a text has in it, in English and Chinese."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["WORDINGS", "RuleWording", "wording_for"]


@dataclass(frozen=True, slots=True)
class RuleWording:
    """How a language says it. Fields are filled with titles and sentences of the document."""

    source: str
    """The document."""
    paged: str
    """The document, and the page."""
    between: str
    after: str
    before: str
    """Headings beside the section; one of the three, or none."""
    opening: str
    """The first sentence of the section, for chunks that do not hold it."""
    parts: str
    more: str
    """Headings below, all or the first of them."""
    comma: str


WORDINGS: dict[str, RuleWording] = {
    "en": RuleWording(
        source='From "{title}".',
        paged='From "{title}", page {page}.',
        between='It stands between "{before}" and "{after}".',
        after='It follows "{before}".',
        before='"{after}" follows.',
        opening="The section opens: {sentence}",
        parts="It covers: {titles}.",
        more="It covers: {titles}, and more.",
        comma="; ",
    ),
    "zh": RuleWording(
        source="摘自《{title}》。",
        paged="摘自《{title}》第{page}页。",
        between="位于“{before}”与“{after}”之间。",
        after="上承“{before}”。",
        before="下接“{after}”。",
        opening="本节开头：{sentence}",
        parts="内容包括：{titles}。",
        more="内容包括：{titles}等。",
        comma="；",
    ),
}


def wording_for(language: str) -> RuleWording:
    """That of a language, else the English one."""
    return WORDINGS["zh" if language.partition("-")[0] == "zh" else "en"]
