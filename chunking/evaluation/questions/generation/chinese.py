"""Questions in Chinese, from titles and sentences, by rule.

Chinese asks in place: what is asked for stands where its answer stood, so that a number becomes 多少 and the rest stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from chunking.evaluation.questions.generation.drafts import HAN, MOST_HAN, Language

__all__ = ["CHINESE"]

_VERBS = (
    "安装|设置|更换|连接|使用|添加|删除|配置|检查|清洁|更新|升级|恢复|创建|查看|修改|导出|导入|注册|登录|关闭|打开|启动|停止|重启|选择|"
    "绑定|解绑|认领|校准|维护|备份|保存|运输|申请|提交|处理|排除|接线|开通|下载|上传|编写|部署|调整|计算|充电|拆卸|固定|获取|发送"
)
_ORDER = re.compile(rf"(?:{_VERBS})[\u4e00-\u9fffA-Za-z0-9 ]{{2,16}}$")
_ASKED = re.compile(r"(?:什么|怎么|怎样|如何|为何|为什么|哪|谁|多少|几|吗|是否|能否|可否)")
_NUMERAL = r"(?:\d[\d,.]*(?:\s*万|\s*亿)?|[一二两三四五六七八九十百千]+)"
_UNIT_NAMES = (
    r"(?:毫安时|毫米|厘米|公里|千米|平方米|千克|毫克|分钟|小时|毫秒|个月|摄氏度|工作日|个字|位数|"
    r"天|秒|米|克|年|周|元|度|伏|瓦|安|人|台|次|条|字|位|页|只|颗|组|路|级|个|MB|GB|KB|mm|cm|kg|V|W|A|°C|℃)"
)
_COUNT = re.compile(rf"(?<![\d.–—−~至到第-])(?P<number>(?![一1]\s*{_UNIT_NAMES}){_NUMERAL})\s*(?P<unit>{_UNIT_NAMES})(?![a-z\d])")
_PERCENT = re.compile(r"(?<![\d.–—~至到-])\d[\d.]*\s*%")
_RANGE = re.compile(r"\d\s*(?:°C|℃|%|[A-Za-z]{1,3}|[\u4e00-\u9fff]{1,2})?\s*(?:[–—~至到-]|改[为成])\s*[−-]?\d")
_ODDS = re.compile(r"每[二三四五六七八九十\d]+次有")
_SPOKEN = {"V": "伏", "W": "瓦", "A": "安", "°C": "摄氏度", "℃": "摄氏度", "mm": "毫米", "cm": "厘米", "kg": "千克"}
_LEANS = re.compile(
    r"[它这那其此该他她我们您你]|如果|但|而|因|所以|另外|否则|例如|也|则|并|请|不要|严禁|切勿|同时|然后|"
    r"以上|以下|有的|有些|最|首次|出厂|用|挂|拔|左|右|下[表图列面]|上[表图述]|前|后|按(?!键)|装上|选|建议|同期|过去|通常|远离|从|把|将|在|某|每(?!个|台|只|条|人)"
)
"""How a sentence opens that leans on another one, or orders something."""
_OPEN_END = ("时", "后", "前", "都", "也", "就", "还", "不", "的", "只", "是", "把", "被", "一般", "通常")
"""How a subject does not end."""
_NP = r"(?P<np>[^，。；：、？！“”（）()\s]{2,16}?)"
_LONGEST = 36
"""Characters of a question that asks for a number; the clauses after the number are left out."""
_SPACE = re.compile(r"(?<!\s)\s++(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])\s+")
_END = r"[。！.!]?$"


def _subject(words: str) -> str:
    return "" if _LEANS.match(words) or words.endswith(_OPEN_END) else words


def _asks(template: str) -> Callable[[re.Match[str]], str]:
    def ask(match: re.Match[str]) -> str:
        np = _subject(match["np"])
        return template.format(np=np) if np else ""

    return ask


def _condition(match: re.Match[str]) -> str:
    clause, rest = match["clause"], match["rest"]
    if _LEANS.match(clause) or re.search("它|这|那|其|此", clause):
        return ""
    told = re.search(r"请|应|须|需|不要|勿|可以|建议|务必|[先再立](?:[^，。]{1,8})(?:后|再)", rest)
    clause = clause.replace("您", "我")
    return f"{clause}{'时' if not clause.endswith(('时', '后', '前', '的话')) else ''}{'，应该怎么做' if told else '会怎么样'}？"


def _why(match: re.Match[str]) -> str:
    rest = match["rest"].rstrip("。！")
    rest = re.sub(r"^(?:所以|因此|故|因而)", "", rest)
    if _LEANS.match(rest) or len(HAN.findall(rest)) < 5 or len(rest) > 40 or "；" in rest:
        return ""
    return f"为什么{rest}？"


_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"(?:如果|若|假如|倘若|一旦|万一)(?P<clause>[^，。；]{4,30})，(?P<rest>.+)$"), _condition),
    (re.compile(r"当?(?P<clause>[^，。；：]{4,24}(?:时|以后|之后))，(?P<rest>.+)$"), _condition),
    (re.compile(r"(?:由于|因为)[^。；]{4,40}?，(?P<rest>[^。；]+[。！]?)$"), _why),
    (re.compile(r"(?P<rest>[^。；]{6,40}?)，(?:是)?因为[^。]+[。！]?$"), _why),
    (re.compile(rf"{_NP}(?:默认为|默认是|默认值为|默认值是).+{_END}"), _asks("{np}的默认值是多少？")),
    (re.compile(rf"{_NP}(?:主要)?(?:用于|用来|可用于|负责).+{_END}"), _asks("{np}有什么用途？")),
    (re.compile(rf"{_NP}(?:位于|安装在|保存在|存放在|贴有|贴在|放在).+{_END}"), _asks("{np}在什么地方？")),
    (re.compile(rf"{_NP}由.+(?:组成|构成).*{_END}"), _asks("{np}由什么组成？")),
    (re.compile(rf"{_NP}(?:包括|包含|分为|有以下).+{_END}"), _asks("{np}包括哪些内容？")),
    (re.compile(rf"{_NP}(?:支持|兼容).+{_END}"), _asks("{np}支持什么？")),
    (re.compile(rf"{_NP}(?:不得|不能|禁止|严禁|不可).+{_END}"), _asks("{np}有哪些禁止事项？")),
)
_DEFINING = re.compile(rf"(?P<np>[^，。；：、？！（）()\s是]{{2,12}})(?:是指|指的是|是)(?!不是|否|在|为|因|由|从|从|可|按|用).{{4,}}{_END}")


def from_sentence(sentence: str) -> str:
    """What a sentence answers: a number first, then what the first rule says.

    >>> from_sentence("传感器每10分钟读一次数。"), from_sentence("如果指示灯变红，请拨打值班电话。")
    ('传感器每多少分钟读一次数？', '指示灯变红时，应该怎么做？')
    """
    text = _SPACE.sub("", sentence)
    for pattern, ask in _RULES[:4]:
        match = pattern.match(text)
        asked = ask(match) if match else ""
        if asked:
            return asked
    counted = _counted(text)
    if counted:
        return counted
    for pattern, ask in _RULES[4:]:
        match = pattern.match(text)
        asked = ask(match) if match else ""
        if asked:
            return asked
    match = _DEFINING.match(text)
    np = _subject(match["np"]) if match else ""
    return f"{np}是什么？" if np and not np.endswith(("就", "只", "都", "也")) else ""


def _counted(text: str) -> str:
    """The sentence up to the clause with its first number, which is asked for."""
    at = _COUNT.search(text) or _PERCENT.search(text)
    if at is None or _LEANS.match(text):
        return ""
    after = re.split("[，。！]", text[at.end() :], maxsplit=1)[0]
    kept = text[: at.end()] + after
    others = len(_COUNT.findall(kept)) + len(_PERCENT.findall(kept)) > 1 or len(re.findall(r"\d+(?:\.\d+)?", kept)) > 2
    open_end = kept.endswith(("的", "后", "时", "前", "发现")) or "如果" in kept
    if others or open_end or _RANGE.search(kept) or _ODDS.search(kept) or re.search("[：；“”（）()]", kept):
        return ""
    unit = at.groupdict().get("unit", "")
    asked = f"多少{_SPOKEN.get(unit, unit)}" if unit else "百分之多少"
    made = re.sub(r"(?:大约|约|大概)$", "", text[: at.start()]) + asked + after
    return f"{made}？" if len(made) <= _LONGEST and len(HAN.findall(made)) >= 7 else ""


def from_heading(title: str) -> str:
    """A question of a title that is an order or a question.

    >>> from_heading("更换电池"), from_heading("为什么收不到数据"), from_heading("指示灯")
    ('如何更换电池？', '为什么收不到数据？', '')
    """
    if _ASKED.search(title):
        return title if title.endswith(("？", "?")) else f"{title}？"
    return f"如何{title}？" if _ORDER.match(title) else ""


_RUNS = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]{3,}")
_EDGE = frozenset(
    "的了着过是在和与及或等为于并可把被从到以将不也都就还只再又很更最每各该其此这那它他她您你我们请应须需要能会有无没让给对向由如若当"
    "第一二三四五六七八九十百千两几多少个台次条只盏位颗张种些之所而则但且因使用后前时里内外上下间就先好看按"
)
"""Characters with which the name of a thing seldom begins or ends."""
_LONGEST_NAME = 6
_TOGETHER = 12.0
"""How many times as often as by chance the parts of a name stand together."""


def phrases(sentences: Sequence[str]) -> dict[str, int]:
    """Runs of three to six characters that belong together, and stand beside different ones.

    Known as new word discovery: a name coheres inside (pointwise mutual information) and is free at its edges.
    """
    counts: Counter[str] = Counter()
    within: Counter[str] = Counter()
    beside: dict[str, tuple[set[str], set[str]]] = {}
    for number, sentence in enumerate(sentences):
        own: set[str] = set()
        for run in _RUNS.findall(sentence):
            for start in range(len(run)):
                for end in range(start + 1, min(start + _LONGEST_NAME, len(run)) + 1):
                    piece = run[start:end]
                    counts[piece] += 1
                    if end - start >= 3:
                        own.add(piece)
                        before, after = beside.setdefault(piece, (set(), set()))
                        before.add(run[start - 1] if start else f"|{number}")
                        after.add(run[end] if end < len(run) else f"|{number}")
        within.update(own)
    total = sum(count for piece, count in counts.items() if len(piece) == 1) or 1
    return {
        piece: times
        for piece, times in within.items()
        if times > 1 and min(map(len, beside[piece])) > 1 and not {piece[0], piece[-1]} & _EDGE and _coheres(piece, counts, total)
    }


def _coheres(piece: str, counts: Mapping[str, int], total: int) -> bool:
    parts = ((piece[:at], piece[at:]) for at in range(1, len(piece)))
    return all(counts[piece] * total >= _TOGETHER * counts[first] * counts[second] for first, second in parts)


def named(phrase: str, sentences: Sequence[str]) -> str:
    """A phrase stands in a question as it is."""
    return phrase


def defines(sentence: str, phrase: str) -> bool:
    """The sentence opens with the phrase and says what it is."""
    return re.match(rf"[“「《]?{re.escape(phrase)}[”」》]?(?:：|——|(?:是指|指的是|是|即|指)(?!否|不|在|为))", sentence) is not None


CHINESE = Language(
    tag="zh",
    about=(
        "《{title}》中关于{thing}是怎么说的？",
        "关于{thing}，需要了解什么？",
        "{thing}方面有哪些规定或说明？",
        "能介绍一下{thing}吗？",
    ),
    within="“{over}”里的{thing}",
    generic=frozenset(
        "概述 简介 说明 注意事项 示例 总结 背景 参数 错误 选项 设置 内容 用途 范围 要求 步骤 结果 附录 其他 规则 限制 联系 介绍".split()  # noqa: SIM905
    ),
    defining="什么是{thing}？",
    from_heading=from_heading,
    from_sentence=from_sentence,
    phrases=phrases,
    named=named,
    early=3,
    defines=defines,
    least=10,
    most=MOST_HAN,
)
