"""Error rate of the citation check, on sentences made from the sample questions' answers.

Each prose answer is cited to its chunk and the next. Correct variants: as it is, with its halves swapped and common
words replaced, or rewritten by hand. Wrong variants: another number, words in quotation marks that the passage lacks,
a negation added or removed, another question's answer.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.report import Row, Table
from chunking import parse_file
from chunking.retrieval.answers.citation_check import CitedSentence, Support, check_sentence
from chunking.retrieval.results.search_result import ContextSource
from chunking.splitting import chunk_document

SAMPLES = Path(__file__).parent.parent / "sample_data"
_OTHERS = {
    **{
        "must": "has to",
        "may": "can",
        "every": "each",
        "about": "roughly",
        "takes": "needs",
        "when": "as soon as",
        "first": "initially",
    },
    **{
        "which": "that",
        "because": "since",
        "until": "till",
        "more than": "over",
        "within": "in",
        "必须": "需要",
        "可以": "能",
        "如果": "若",
    },
}
_RIGHT: Mapping[str, str] = {
    "handbook-01": "A reading can be seen on the chart after 1.8 seconds in the median; on a bad day it takes about 6.",
    "handbook-05": "Once the budget has less than a quarter left, only fixes may be shipped by the owning team.",
    "handbook-09": "us-1 gets the release first, since it is asleep at 13:00 in Ghent, on 5 % of its instances.",
    "handbook-19": "First the security officer is called; "
    "then the host is cut off from the network, its memory kept intact.",
    "handbook-21": (
        "For each full hour without delivered alarms, estate customers are credited 5 % of the fee, half of it at most."
    ),
    "handbook-23": "At most five minutes of ledger may be lost, and service is to be restored within two hours.",
    "handbook-25": "Statements that run over 60 seconds are cancelled by the replica.",
    "handbook-29": "The rollout halts on its own if over 0.5 % of the gateways in a ring fall back to the old image.",
    "zh-01": "G4 只支持 12–24 V 直流或以太网供电，不能接 220 V 市电。",
    "zh-03": "如有缺件，请于签收 7 天之内向销售方申请补发。",
    "zh-05": "觉得灯光刺眼时可以打开夜间模式，指示灯会在 21 时至次日 6 时熄灭。",
    "zh-13": "第一次通电要先预热 30 分钟，其间读数为灰色。",
}
"""Correct paraphrases."""
_WRONG: Mapping[str, str] = {
    "handbook-05": (
        "When a quarter of a budget is left, the owning team ships fixes and features until the window has recovered."
    ),
    "handbook-09": "The release reaches Ghent first, because us-1 is asleep at 13:00.",
    "handbook-19": "Disconnect the host from the network, then call the security officer, which clears its memory.",
    "handbook-21": "Estate customers pay a fee of 5 % for each hour in which alarms are delivered.",
    "handbook-25": "The primary cancels the replica after 60 seconds.",
    "handbook-29": "A rollout stops the gateways of a ring when the median reconnect time falls.",
    "zh-03": "销售方会在补发后 7 天内签收缺件。",
    "zh-13": "读数显示为灰色之后，需要通电 30 分钟。",
}
"""Wrong claims in the passage's words, which the check cannot detect."""


class Example(NamedTuple):
    kind: str
    right: bool
    text: str
    source: ContextSource


def run() -> Table:
    """Check all examples, a row per kind."""
    by_case: dict[tuple[bool, str], Counter[Support]] = {}
    for one in examples():
        check = check_sentence(CitedSentence(one.text, (1,), True), [one.source])
        by_case.setdefault((one.right, one.kind), Counter())[check.support] += 1
    rows = [_row(right, kind, counts) for (right, kind), counts in by_case.items()]
    rule = [
        ("as it stands", True),
        ("turned round, common words replaced", True),
        ("another number", False),
        ("another document", False),
    ]
    for right in (True, False):
        counts = sum((by_case[right, kind] for kind, of in rule if of is right), Counter[Support]())
        bad = counts[Support.UNSUPPORTED if right else Support.SUPPORTED]
        what = "right sentences called not supported" if right else "wrong numbers or documents called supported"
        share = bad / counts.total()
        rows.append(Row(what, f"{bad} of {counts.total()}", "", f"{share:.1%}", "≤ 5%", share <= 0.05))
    return Table(
        "Citations that hold, and that do not",
        rows,
        ["Sentences made from the answers of the sample questions, English and Chinese."],
    )


def _row(right: bool, kind: str, counts: Counter[Support]) -> Row:
    good, bad = (Support.SUPPORTED, Support.UNSUPPORTED) if right else (Support.UNSUPPORTED, Support.SUPPORTED)
    total = counts.total()
    return Row(
        f"{'right' if right else 'wrong'}: {kind}",
        f"{counts[good]} of {total} {good.value}",
        f"{counts[Support.UNCHECKED]} not checked",
        f"{counts[bad] / total:.1%} {bad.value}",
    )


def examples() -> Iterator[Example]:
    """Yield every sentence with its passage, by kind in the table's order."""
    answers = [(question, answer, source) for question in _questions() for answer, source in _prose(question)]
    sources = [source for _, _, source in answers]
    for _, answer, source in answers:
        yield Example("as it stands", True, answer, source)
    for _, answer, source in answers:
        yield Example("turned round, common words replaced", True, _reworded(answer), source)
    for question, _, source in answers:
        if question["id"] in _RIGHT:
            yield Example("rewritten by hand", True, _RIGHT[question["id"]], source)
    for _, answer, source in answers:
        if wrong := _other_number(answer, source.text):
            yield Example("another number", False, wrong, source)
    for _, answer, source in answers:
        words = answer.split() if " " in answer else re.findall(r"[\u4e00-\u9fff]{2}", answer)
        yield Example(
            "words in quotation marks that are not there", False, f"{answer} “{' '.join(words[::-1][:4])}”", source
        )
    for place, (_, answer, source) in enumerate(answers):
        other = next(
            one
            for one in sources[place + len(sources) // 2 :] + sources
            if one.doc_id.split("_")[0] != source.doc_id.split("_")[0]
        )
        yield Example("another document", False, answer, other)
    for _, answer, source in answers:
        if wrong := _denied(answer):
            yield Example("denied, or denied no more", False, wrong, source)
    for question, _, source in answers:
        if question["id"] in _WRONG:
            yield Example("other claims in the passage's words, by hand", False, _WRONG[question["id"]], source)


def _questions() -> Iterator[dict[str, Any]]:
    for line in (SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def _prose(question: Mapping[str, Any]) -> Iterator[tuple[str, ContextSource]]:
    """Yield the first answer with its passage, if it is a prose sentence."""
    answer = question["answers"][0]
    text, doc = " ".join(answer["text"].split()), answer.get("doc", question["doc"])
    if text[:1] in "|-*`#{" or text[-1:] not in ".。!?！？" or len(text) < 15:
        return
    chunks = _chunks(doc)
    place = next(
        (at for at, chunk in enumerate(chunks) if chunk.start <= answer["start"] and answer["end"] <= chunk.end), None
    )
    if place is not None:
        passage = "".join(chunk.content + "\n\n" for chunk in chunks[place : place + 2]).rstrip()
        yield text, ContextSource(1, doc, doc.replace("/", "_"), 0, len(passage), 0, passage, ())


_known: dict[str, list[Any]] = {}


def _chunks(doc: str) -> list[Any]:
    if doc not in _known:
        _known[doc] = chunk_document(parse_file(SAMPLES / doc, root=SAMPLES))
    return _known[doc]


def _reworded(text: str) -> str:
    comma = "，" if "，" in text else ", "
    halves = text[:-1].split(comma, 1)
    turned = comma.join(halves[::-1]) + text[-1]
    for word, other in _OTHERS.items():
        turned = re.sub(rf"\b{word}\b" if word.isascii() else word, other, turned)
    return turned


def _other_number(text: str, passage: str) -> str:
    for match in re.finditer(r"(?<![\d.,])\d{1,4}(?![\d.,]*\d)", text):
        other = next(
            str(number)
            for number in range(int(match[0]) + 1, 10_000)
            if not re.search(rf"(?<!\d){number}(?!\d)", passage)
        )
        return text[: match.start()] + other + text[match.end() :]
    return ""


def _denied(text: str) -> str:
    """Remove a negation, or add one after the first auxiliary."""
    for pattern, instead in (
        (r"\b(?:not|never) ", ""),
        (r"\b(is|are|must|may|can|will|takes place)\b", r"\1 not"),
        ("不", ""),
        ("需要|可以|可", r"不\g<0>"),
    ):
        if re.search(pattern, text):
            return re.sub(pattern, instead, text, count=1)
    return ""


def print_wrong(kinds: Iterable[str] = ()) -> None:
    """Print the misjudged examples, for work on the check."""
    for one in examples():
        check = check_sentence(CitedSentence(one.text, (1,), True), [one.source])
        bad = Support.UNSUPPORTED if one.right else Support.SUPPORTED
        if check.support is bad and (not kinds or one.kind in kinds):
            print(one.kind, "|", one.text, "|", check.reason)


if __name__ == "__main__":
    print(run().markdown())
