"""Made-up text for made-up PDFs: sentences and titles in English and Chinese, the same at every run."""

from __future__ import annotations

import random
from dataclasses import dataclass

__all__ = ["Words"]

_NOUNS = [
    "valve",
    "sensor",
    "archive",
    "margin",
    "ledger",
    "harbour",
    "engine",
    "survey",
    "window",
    "carrier",
    "orchard",
    "protocol",
    "sample",
    "tenant",
    "boiler",
    "lantern",
    "gauge",
    "schedule",
    "contract",
    "witness",
    "filter",
    "payment",
    "station",
    "cabinet",
    "mirror",
    "reservoir",
    "treaty",
    "signal",
    "garden",
    "turbine",
    "parcel",
    "notebook",
    "bridge",
    "furnace",
    "permit",
    "voyage",
    "catalogue",
    "warranty",
    "compass",
    "district",
    "kettle",
    "registry",
    "pump",
    "meadow",
    "invoice",
    "antenna",
    "barrel",
    "charter",
]
_VERBS = [
    "records",
    "measures",
    "replaces",
    "delays",
    "supports",
    "limits",
    "follows",
    "covers",
    "carries",
    "describes",
    "protects",
    "repeats",
    "compares",
    "holds",
]
_ADJECTIVES = [
    "annual",
    "quiet",
    "narrow",
    "regional",
    "northern",
    "temporary",
    "public",
    "remote",
    "careful",
    "uneven",
    "digital",
    "common",
    "early",
    "final",
    "hidden",
    "steady",
    "wooden",
    "seasonal",
    "bitter",
    "gentle",
]
_LINKS = ["while", "because", "although", "and in some years", "unless", "so that", "whenever", "after which"]
_TITLES = [
    "Scope of the {n}",
    "Handling the {a} {n}",
    "{A} {n} and {n2}",
    "What the {n} {v}",
    "Limits of {a} {n2}s",
    "The {n}",
    "Notes on the {n}",
    "{N}s",
    "Choosing a {a} {n}",
    "How to keep a {n} {a}",
    "{N} and {n2}",
    "Before the {a} {n}",
    "Using the {n} with a {n2}",
    "{A} {n}s in practice",
]
_LONG = "On the {a} {n} and its relation to every {a2} {n2} that the {n3} {v} in the course of a {a} season"

_ZH_NOUNS = [
    "传感器",
    "网关",
    "阀门",
    "档案",
    "合同",
    "果园",
    "温室",
    "水库",
    "锅炉",
    "样品",
    "平台",
    "账户",
    "证书",
    "电缆",
    "仓库",
    "报表",
    "方案",
    "规程",
    "设备",
    "项目",
    "人员",
    "资料",
    "数据",
    "线路",
    "指标",
]
_ZH_VERBS = [
    "记录",
    "测量",
    "更换",
    "检查",
    "说明",
    "保护",
    "限制",
    "管理",
    "监督",
    "登记",
    "评估",
    "支持",
    "安装",
    "调整",
]
_ZH_ADJECTIVES = ["年度", "临时", "公共", "远程", "重要", "常用", "早期", "最终", "备用", "北方", "现场", "专用"]
_ZH_CLAUSES = [
    "{a}{n}应当由专人{v}",
    "当{n}发生变化时，{n2}需要重新{v}",
    "{n}与{n2}之间的{a}联系不得中断",
    "在{a}条件下，{n}可以{v}{n2}",
    "各单位应及时{v}{n}",
    "本规定所称{n}，是指用于{v}{n2}的{a}设备",
    "未经批准，任何人不得{v}{n}",
    "{n}的{v}结果应当保存三年",
]
_ZH_TITLES = ["{n}的{v}", "{a}{n}", "{n}与{n2}", "{v}{n}的方法", "{a}{n}管理办法", "关于{n}的说明", "{n}{v}"]


@dataclass(slots=True)
class Words:
    """A source of text that gives the same for the same name."""

    chance: random.Random
    chinese: bool = False

    def sentence(self) -> str:
        if self.chinese:
            clauses = [self._filled(self.chance.choice(_ZH_CLAUSES)) for _ in range(self.chance.randint(1, 3))]
            return "，".join(clauses) + "。"
        clauses = [self._clause() for _ in range(self.chance.randint(1, 3))]
        text = clauses[0] + "".join(f" {self.chance.choice(_LINKS)} {clause}" for clause in clauses[1:])
        return text[0].upper() + text[1:] + "."

    def paragraph(self, least: int = 2, most: int = 6) -> str:
        return ("" if self.chinese else " ").join(self.sentence() for _ in range(self.chance.randint(least, most)))

    def title(self, *, long: bool = False) -> str:
        if self.chinese:
            text = self._filled(self.chance.choice(_ZH_TITLES))
            return (
                text + "以及" + self._filled("在{a}条件下{v}{n}与{n2}时应当注意的若干{a}问题和{v}要求")
                if long
                else text
            )
        text = self._filled(_LONG if long else self.chance.choice(_TITLES))
        return text[0].upper() + text[1:]

    def term(self) -> str:
        """Two or three words, as of something that is defined."""
        return self._filled("{a}{n}" if self.chinese else "{A} {n}")

    def cell(self) -> str:
        return self.chance.choice(
            [self._filled("{n}"), f"{self.chance.randint(1, 900)}", f"{self.chance.uniform(0, 9):.2f}", self.term()]
        )

    def _clause(self) -> str:
        return self._filled(
            "the {a} {n} {v} {a2} {n2}s" if self.chance.random() < 0.5 else "a {n} {v} the {n2} in the {a} {n3}"
        )

    def _filled(self, pattern: str) -> str:
        nouns, verbs, adjectives = (
            (_ZH_NOUNS, _ZH_VERBS, _ZH_ADJECTIVES) if self.chinese else (_NOUNS, _VERBS, _ADJECTIVES)
        )
        n, n2, n3 = self.chance.sample(nouns, 3)
        a, a2 = self.chance.sample(adjectives, 2)
        verb = self.chance.choice(verbs)
        return pattern.format(n=n, n2=n2, n3=n3, a=a, a2=a2, v=verb, A=a.capitalize(), N=n.capitalize())
