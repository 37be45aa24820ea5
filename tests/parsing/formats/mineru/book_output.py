"""Content lists as MinerU makes them of a Chinese book: fragments of about 45 characters, every heading of level 1."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

Value = dict[str, Any]

SENTENCES = (
    "细胞和组织本身会发出荧光，这种内源性荧光通常被视为共聚焦显微术中需要克服的问题。",
    "自发荧光主要来自胶原蛋白、弹性蛋白以及线粒体中的还原型辅酶，其发射光谱较宽，常与荧光探针的信号重叠。",
    "为了降低背景，操作人员应当选择长波长的激发光源，并在采集之前对样品进行光漂白处理！",
    "针孔的直径决定了光学切片的厚度，直径过大时层析能力下降，直径过小时信噪比变差。",
    "系统配备四条激光线，波长分别为 405 nm、488 nm、561 nm 和 640 nm，输出功率均可在软件中连续调节。",
    "检测器采用高灵敏度的砷化镓光电倍增管，量子效率不低于百分之四十五，暗计数低于每秒五十次。",
    "投标人应当在投标文件中逐条响应上述技术参数，并附上制造商出具的检测报告；未响应的条款视为偏离。",
    "扫描头内置两块振镜，最高扫描速度可达每秒十帧，视场对角线不小于二十毫米。",
    "那么，如何在保证分辨率的前提下减少光毒性呢？",
    "实践表明，把激光功率降低到百分之二以下，同时延长像素驻留时间，可以得到令人满意的结果。",
    "物镜应当包含十倍干镜、二十倍干镜、四十倍水镜和六十三倍油镜，其中油镜的数值孔径不小于一点四。",
    "设备到货之后，供应商须在十个工作日内完成安装调试，并为用户提供不少于三天的现场培训。",
    "质保期内出现的任何非人为故障，供应商应当在接到通知后二十四小时内响应，七十二小时内到达现场。",
    "样品制备时需要避免使用含有戊二醛的固定液，因为它会显著增强自发荧光。",
)

HEADINGS = (
    ("第一章 技术规格", 1),
    ("第一节 光学原理", 2),
    ("一、荧光的来源", 3),
    ("（一）自发荧光", 4),
    ("（二）探针荧光", 4),
    ("二、针孔与分辨率", 3),
    ("第二节 主要部件", 2),
    ("一、光源与检测器", 3),
    ("1. 激光器", 5),
    ("2. 检测器", 5),
    ("（1）灵敏度", 6),
    ("第二章 商务条款", 1),
    ("第一节 交货与验收", 2),
    ("第二节 售后服务", 2),
    ("结论", 1),
)
"""The headings, and the levels that their numbers give."""


@dataclass
class Made:
    """A document as fragments, and what it was made from."""

    items: list[Value] = field(default_factory=list)
    paragraphs: list[str] = field(default_factory=list)
    headings: list[tuple[str, int]] = field(default_factory=list)
    fragments: list[Value] = field(default_factory=list)
    """The items of running text."""

    def paged(self) -> list[list[Value]]:
        """The same as the second form has it."""
        pages: list[list[Value]] = [[] for _ in range(1 + max(item["page_idx"] for item in self.items))]
        for item in self.items:
            pages[item["page_idx"]].append(_second(item))
        return pages


@dataclass
class _Press:
    """Sets lines on pages of 30 lines, 45 characters each, the first line of a paragraph indented by two characters."""

    boxes: str
    output: Made
    page: int = 0
    line: int = 0

    left, right, top, height, step = 120, 880, 100, 16, 26
    per_line = 45

    def box(self, indent: int, length: int, lines: int = 1) -> Value:
        """Where the next lines stand; turns the page when it is full."""
        if self.line + lines > 30:
            self.turn()
        y = self.top + self.line * self.step
        self.line += lines
        if self.boxes == "none":
            return {"page_idx": self.page}
        width = (self.right - self.left) / self.per_line
        x = self.left + indent * width
        end = x + length * width if self.set_in_type else self.right
        return {
            "bbox": [round(x), y, round(min(end, self.right)), y + (lines - 1) * self.step + self.height],
            "page_idx": self.page,
        }

    @property
    def set_in_type(self) -> bool:
        """The boxes are those of lines."""
        return self.boxes in ("indent", "gap")

    def turn(self) -> None:
        """The foot of a page and the head of the next, as the parser puts them behind the page's text."""
        place = {"page_idx": self.page}
        boxes = self.boxes != "none"
        self.output.items.append(
            {
                "type": "header",
                "text": "共聚焦显微镜采购项目",
                **({"bbox": [300, 40, 700, 56]} if boxes else {}),
                **place,
            }
        )
        self.output.items.append(
            {
                "type": "page_number",
                "text": str(self.page + 1),
                **({"bbox": [490, 950, 510, 966]} if boxes else {}),
                **place,
            }
        )
        self.page, self.line = self.page + 1, 0


def book(seed: int = 0, boxes: str = "indent") -> Made:
    """A book of 15 headings with two to five paragraphs each.

    Args:
        boxes: `indent` as set in type, with indented first lines; `gap` with an empty line between paragraphs instead;
            `wide` all as wide as the column, so that they say nothing; `none`.
    """
    chance = random.Random(seed)
    result = Made()
    press = _Press(boxes, result)
    for title, level in HEADINGS:
        result.items.append({"type": "text", "text": title, "text_level": 1, **press.box(0, len(title))})
        result.headings.append((title, level))
        for _ in range(chance.randint(2, 5)):
            text = "".join(chance.sample(SENTENCES, chance.randint(4, 7)))
            result.paragraphs.append(text)
            press.line += press.line > 0 and boxes == "gap"
            for n, part in enumerate(_parts(text, press, chance)):
                indent = 2 if n == 0 and boxes == "indent" else 0
                item = {"type": "text", "text": part, **press.box(indent, len(part))}
                result.items.append(item)
                result.fragments.append(item)
    press.turn()
    return result


def _parts(text: str, press: _Press, chance: random.Random) -> list[str]:
    """Lines as they are set in type; else pieces of 30 to 60 characters that do not end where a sentence does."""
    parts, start = [], 0
    indent = 2 if press.boxes == "indent" else 0
    while start < len(text):
        end = start + (press.per_line - (0 if start else indent) if press.set_in_type else chance.randint(30, 60))
        while not press.set_in_type and end < len(text) and (text[end - 1] in "。！？；" or len(text) - end < 5):
            end += 1
        while end < len(text) and (text[end - 1 : end + 1].isascii() or " " in text[end - 1 : end + 1]):
            end -= 1  # no line ends inside a number or beside a space
        parts.append(text[start:end])
        start = end
    return parts


def _second(item: Value) -> Value:
    """An item of the first form as the second has it."""
    box = {"bbox": item["bbox"]} if "bbox" in item else {}
    run = [{"type": "text", "content": item.get("text", "")}]
    if item.get("text_level"):
        return {"type": "title", "content": {"title_content": run, "level": item["text_level"]}, **box}
    kind = {"header": "page_header", "text": "paragraph"}.get(item["type"], item["type"])
    return {"type": kind, "content": {f"{kind}_content": run}, **box}
