"""Languages of rule-made questions: question templates, and key phrase extraction without a grammar."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from chunking.evaluation.questions.generation.drafts import MOST_HAN, MOST_LETTERS

__all__ = ["LANGUAGES", "QuestionLanguage"]

# fmt: off
_STOP = frozenset([
    "a", "about", "above", "after", "again", "against", "all", "also", "am", "an", "and", "another", "any", "are",
    "around", "as", "at", "away", "back", "be", "because", "been", "before", "being", "below", "best", "between",
    "both", "but", "by", "can", "cannot", "come", "could", "did", "do", "does", "doing", "done", "down", "during",
    "each", "either", "else", "enough", "even", "every", "few", "first", "for", "from", "full", "further", "get",
    "give", "go", "good", "had", "has", "have", "having", "he", "her", "here", "him", "his", "how", "however", "i",
    "if", "in", "inside", "instead", "into", "is", "it", "its", "itself", "just", "keep", "last", "least", "less",
    "let", "like", "long", "made", "make", "many", "may", "me", "mean", "might", "more", "most", "much", "must",
    "my", "near", "need", "never", "new", "next", "no", "none", "nor", "not", "nothing", "now", "of", "off",
    "often", "on", "once", "one", "only", "onto", "or", "other", "our", "out", "outside", "over", "own", "per",
    "please", "put", "rather", "same", "say", "see", "several", "shall", "she", "should", "since", "so", "some",
    "soon", "still", "such", "take", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "things", "this", "those", "though", "through", "times", "to", "together", "too", "two", "under", "until", "up",
    "upon", "us", "use", "used", "uses", "using", "very", "via", "was", "way", "we", "well", "were", "what", "when",
    "where", "whether", "which", "while", "who", "whole", "whose", "why", "will", "with", "within", "without",
    "would", "yes", "yet", "you", "your", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "twenty", "thirty", "hundred", "thousand", "nobody", "everybody", "somebody", "anybody", "everyone",
    "someone", "anyone", "comes", "goes", "gives", "takes", "makes", "needs", "says", "shows", "works", "work",
    "start", "starts", "begins", "stays", "stay", "means", "follow", "follows",
])
# fmt: on
_ENGLISH_RUN = re.compile(r"[A-Za-z][\w’'-]*(?: [A-Za-z][\w’'-]*)*")
_VERBISH = re.compile(r"(?:ed|ing|ly)$")
_NOUN_FOLLOWED = re.compile(r"(?=[,.;:)?!]|’s|'s| (?:is|are|was|were|has|have|can|must|may|will|of|and|or)\b|$)")
"""Context after a noun, rarely after a verb."""
_HAN_RUN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]{3,}")
_NO_EDGE = frozenset(
    "的了着过是在和与及或等为于并可把被从到以将不也都就还只再又很更最每各该其此这那它他她您你我们请应须需要能会有无没让给对向由如若当"
    "第一二三四五六七八九十百千两几多少个台次条只盏位颗张种些之所而则但且因使用后前时里内外上下间就先好看按"
)
"""Characters with which a name rarely begins or ends."""
_LONGEST_NAME = 6
_LEAST_COHESION = 12.0
"""Minimum ratio of a name's frequency to that expected by chance from its parts."""


def english_phrases(sentences: Sequence[str]) -> dict[str, int]:
    """Count sentences per phrase of 2 to 4 content words that seems to end in a noun.

    The phrases are those of RAKE (Rose et al. 2010): runs of words between stop words.

    >>> english_phrases(["The duty phone rings at night.", "Call the duty phone, and wait."])
    {'duty phone': 1}
    """
    counts: Counter[str] = Counter()
    for sentence in sentences:
        lower = sentence.lower()
        counts.update({run for run in _runs(sentence) if _NOUN_FOLLOWED.match(lower, lower.find(run) + len(run))})
    return dict(counts)


def _runs(sentence: str) -> Iterator[str]:
    for run in _ENGLISH_RUN.findall(sentence):
        words: list[str] = []
        for word in [*run.split(), "the"]:
            if word.lower() not in _STOP and len(word) >= 3:
                words.append(word.lower())
                continue
            while words and _VERBISH.search(words[-1]):
                words.pop()
            while words and words[0].endswith("ly"):
                words.pop(0)
            if 2 <= len(words) <= 4:
                yield " ".join(words)
            words = []


def defined_in_english(sentence: str, phrase: str) -> bool:
    """True if the sentence opens with the phrase and defines it, as in “X: …” or “X is a …”."""
    saying = r"(?:: | (?:is|are) (?:an?|the|any|one|every) | (?:means?|stands? for|refers? to) )"
    return re.match(rf"(?:an?|the)?\s*{re.escape(phrase)}s?{saying}", sentence, re.IGNORECASE) is not None


def chinese_phrases(sentences: Sequence[str]) -> dict[str, int]:
    """Count sentences per Chinese phrase: 3 to 6 characters that cohere, in two sentences or more.

    Known as new word discovery: a name coheres inside (pointwise mutual information) and is free at its edges.
    """
    counts: Counter[str] = Counter()
    contained: Counter[str] = Counter()
    neighbours: dict[str, tuple[set[str], set[str]]] = {}
    for number, sentence in enumerate(sentences):
        own: set[str] = set()
        for run in _HAN_RUN.findall(sentence):
            for start in range(len(run)):
                for end in range(start + 1, min(start + _LONGEST_NAME, len(run)) + 1):
                    piece = run[start:end]
                    counts[piece] += 1
                    if end - start >= 3:
                        own.add(piece)
                        before, after = neighbours.setdefault(piece, (set(), set()))
                        before.add(run[start - 1] if start else f"|{number}")
                        after.add(run[end] if end < len(run) else f"|{number}")
        contained.update(own)
    total = sum(count for piece, count in counts.items() if len(piece) == 1) or 1
    return {
        piece: times
        for piece, times in contained.items()
        if times > 1
        and min(map(len, neighbours[piece])) > 1
        and not {piece[0], piece[-1]} & _NO_EDGE
        and _coheres(piece, counts, total)
    }


def _coheres(piece: str, counts: Mapping[str, int], total: int) -> bool:
    parts = ((piece[:at], piece[at:]) for at in range(1, len(piece)))
    return all(counts[piece] * total >= _LEAST_COHESION * counts[first] * counts[second] for first, second in parts)


def defined_in_chinese(sentence: str, phrase: str) -> bool:
    """True if the sentence opens with the phrase and defines it, as in “X：…” or “X是…”."""
    return (
        re.match(rf"[“「《]?{re.escape(phrase)}[”」》]?(?:：|——|(?:是指|指的是|是|即|指)(?!否|不|在|为))", sentence)
        is not None
    )


@dataclass(frozen=True, slots=True)
class QuestionLanguage:
    """Question templates and phrase extraction of a language; templates contain `{thing}`."""

    tag: str
    about: str
    """Asks about any title or phrase."""
    nested: str
    """Asks about a generic title, such as Overview, under its parent heading `{over}`."""
    about_of: str
    """Asks about a phrase, and names the document's `{subject}`."""
    defining: str
    """Asks for the meaning of a phrase."""
    defining_of: str
    """Asks for the meaning of a phrase, and names the `{subject}`."""
    generic: frozenset[str]
    """Lower-case titles that are meaningless without their parent."""
    phrases: Callable[[Sequence[str]], Mapping[str, int]]
    """Returns the lower-case phrases of sentences that may name a thing, with their number of sentences."""
    defines: Callable[[str, str], bool]
    """(sentence, phrase): True if the sentence defines the phrase."""
    early: int
    """Most characters before a phrase in a sentence about it."""
    most: int
    """Most characters of an answer of several sentences."""


# fmt: off
_GENERIC_ENGLISH = frozenset([
    "overview", "introduction", "notes", "note", "limits", "example", "examples", "summary", "general",
    "background", "details", "description", "usage", "parameters", "response", "request", "errors", "options",
    "settings", "contents", "basics", "purpose", "scope", "requirements", "procedure", "steps", "result", "results",
    "references", "appendix", "changes", "history", "about", "faq", "questions", "contact", "fields", "rules",
])
"""Titles that do not name their subject."""
_GENERIC_CHINESE = frozenset([
    "概述", "简介", "说明", "注意事项", "示例", "总结", "背景", "参数", "错误", "选项",
    "设置", "内容", "用途", "范围", "要求", "步骤", "结果", "附录",
    "其他", "规则", "限制", "联系", "介绍",
])
"""Titles that do not name their subject."""
# fmt: on


LANGUAGES: Mapping[str, QuestionLanguage] = {
    "en": QuestionLanguage(
        tag="en",
        about="What does the documentation say about {thing}?",
        nested="What does the documentation say about {thing} under {over}?",
        about_of="What does the documentation say about {thing} with regard to {subject}?",
        defining="What is meant by {thing}?",
        defining_of="What is meant by {thing} with regard to {subject}?",
        generic=_GENERIC_ENGLISH,
        phrases=english_phrases,
        defines=defined_in_english,
        early=14,
        most=MOST_LETTERS,
    ),
    "zh": QuestionLanguage(
        tag="zh",
        about="关于{thing}，文档是怎么说的？",
        nested="关于{over}里的{thing}，文档是怎么说的？",
        about_of="关于{subject}的{thing}，文档是怎么说的？",
        defining="什么是{thing}？",
        defining_of="{subject}里的{thing}是什么？",
        generic=_GENERIC_CHINESE,
        phrases=chinese_phrases,
        defines=defined_in_chinese,
        early=3,
        most=MOST_HAN,
    ),
}
"""By language tag; documents in other languages only get the questions in their text."""
