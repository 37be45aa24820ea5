"""Function words of queries by language: they are not highlighted, and no evidence of an answer.

A script that one language owns here (Cyrillic, Arabic, Thai) decides alone. Latin words are looked up as English, and
in one more language: the document's, or the one whose function words a query has most of.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache

from chunking.text.folding import fold

__all__ = ["CHINESE_FILLERS", "stop_words"]

_LEAST = 2
"""Minimum function words of another language than English, and more than English ones, to recognise a query by."""

_ENGLISH = """a an and are as at be been but by can could did do does for from had has have how i if in into is it its
may me might must my no not of on or our should so than that the their them then there these they this to was we were
what when where which who whom whose why will with would you your about"""

_LATIN: Mapping[str, str] = {
    "de": """aber als am an auch auf aus bei bis da das dass dem den der des die dies diese diesem diesen dieser
dieses durch ein eine einem einen einer eines er es für gegen gibt hat haben hatte ich ihm ihn ihnen ihr ihre im in
ist kann kein keine können man mein meine mich mir mit muss nach nicht noch nur ob oder ohne sein seine sich sie sind
so soll sollte über um und uns unser unter vom von vor wann war waren warum was welche welchem welchen welcher welches
wem wen wenn wer werden weshalb wie wieso wieviel wir wird wo wurde wurden zu zum zur""",
    "fr": """a au aux avait avec avoir ce ces cet cette chez combien comment dans de des dont du elle elles en entre
est et était étaient être eu il ils je la le les leur leurs lui ma mais me mes mon ne nos notre nous on ont ou où par
pas pour pourquoi quand que quel quelle quelles quels qui quoi sa sans se ses si son sont sous sur ta te tes ton tu un
une vers vos votre vous y""",
    "es": """a al como cómo con cuál cuáles cuándo cuánta cuántas cuánto cuántos de del desde dónde e el él ella ellas
ellos en entre era eran es ese esa eso esta está están estar estas este estos fue fueron ha había han hasta hay la las
le les lo los más me mi mis no nos nosotros o para pero por porque que qué quién quiénes se ser si sin sobre son su
sus te tu tus un una unas unos y yo""",
    "it": """a agli ai al alla alle allo aveva avere che chi ci come con cosa da dal dalla degli dei del della delle
dello di dove e è ed era erano essere fra fu gli ha hanno i il in io la le lei lo loro lui ma mi mio ne nei nel nella
nelle noi non o per perché più quale quali quando quanti quanto quella quello questa queste questi questo si sono su
sua sue sul sulla suo suoi ti tra tu tuo un una uno vi voi""",
    "pt": """a à ao aos as até com como da das de do dos e é ela elas ele eles em entre era eram essa esse esta está
estão este eu foi foram há isso lhe mais mas me meu minha na nas não no nos nós o onde os ou para por porque quais
qual quando quanta quantas quanto quantos que quem são se sem ser seu seus sobre sua suas te tem têm tu um uma umas
uns""",
    "nl": """aan als bij dat de deze die dit door een en er geen haar had hebben heeft hem het hij hoe hoeveel hun ik
in is je jij jullie kan kunnen maar mag met mij mijn moet naar niet nog of om onder ons ook op over te tegen tot uit
uw van voor waar waarom wanneer waren was wat we welk welke werd werden wie wij wordt worden ze zij zijn zonder""",
}

_OF_SCRIPTS = """
а без бы был была были было быть в во вы где да для до его ее если есть еще ему же за зачем и из или их к как какая
какие какими каким каких какого какое какой какому каком какую когда кого кому которая которое которые который кто ли
меня мне мы на не него нее нет них но о об он она они от по почему при с сколько со так также то того том ты у уже чего
чем что чтобы эта эти это этого этой этом этот я
أن أو أي أين إلى إن الذي الذين التي ب بعد بين ثم ذلك على عن في قبل قد كان كانت كم كيف لا لم لماذا ما ماذا متى مع من هذا
هذه هل هم هو هي و
של את על מה מי איך למה מתי איפה היכן האם הוא היא הם זה זאת או עם לא כי גם כמה אשר
και το τα η ο οι του της των τον την στο στη στην στον με για από που πως τι ποιος ποια ποιο ποιες πότε πόσο πόσα είναι
ήταν να θα δεν σε ένα μια
คือ อะไร ที่ไหน ไหน เมื่อไหร่ เมื่อไร เมื่อใด อย่างไร ยังไง ทำไม ใคร กี่ ใด ของ ที่ และ ใน เป็น มี การ ได้ ให้ จาก กับ หรือ ไหม ว่า
"""
"""Function words of Russian, Arabic, Hebrew, Greek and Thai."""

_CHINESE = """为什么 什么 怎么样 怎么 怎样 如何 哪些 哪个 哪里 多少 是否 可以 需要 应该 请问
吗 呢 吧 的 是 在 和 与 或 我 你 有 会 能 要"""
CHINESE_FILLERS = re.compile("|".join(_CHINESE.split()))
"""Pattern of the function words that divide runs of Chinese characters."""


def stop_words(words: Collection[str], language: str = "") -> frozenset[str]:
    """Return the function words to leave out of a text.

    They are those of English, of the scripts of one language, and of one more Latin language.

    Args:
        words: of the text, folded, in lower case.
        language: of the text, if known; else it is told from the words.

    >>> "wie" in stop_words(["wie", "stelle", "ich", "ein", "backup", "wieder", "her"])
    True
    >>> "die" in stop_words(["die", "size", "of", "the", "chip"])
    False
    """
    english, by_language = _folded_sets()
    tag = language.partition("-")[0] or _most_frequent(words)
    return english | by_language.get(tag, frozenset())


def _most_frequent(words: Collection[str]) -> str:
    """Language with the most function words that English lacks; empty if English has as many."""
    english, by_language = _folded_sets()
    counts = {tag: sum(word in some and word not in english for word in words) for tag, some in by_language.items()}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] >= max(_LEAST, 1 + sum(word in english for word in words)) else ""


@cache
def _folded_sets() -> tuple[frozenset[str], Mapping[str, frozenset[str]]]:
    """English function words with those of other scripts, and those of each Latin language, folded as text is."""
    return _folded(_ENGLISH + _OF_SCRIPTS), {tag: _folded(words) for tag, words in _LATIN.items()}


def _folded(words: str) -> frozenset[str]:
    return frozenset(fold(word).casefold() for word in words.split())
