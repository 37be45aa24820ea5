"""Remove inline markup: roles, emphasis, links, escapes.

Nothing is added, so a cleaned text never has more words. No pattern is ambiguous: a hostile document would take
minutes.
"""

from __future__ import annotations

import re

__all__ = ["plain_asciidoc", "plain_org", "plain_rst"]

_Table = tuple[tuple[re.Pattern[str], str], ...]
"""Patterns of markup and their replacements, in order."""


def _span(mark: str, *, before: str = r"\w", after: str = r"\w") -> re.Pattern[str]:
    """Pattern for text between two marks in one paragraph, neither of them inside a word."""
    sign = re.escape(mark)
    inner = re.escape(mark[0])
    return re.compile(
        rf"(?<![{before}{inner}\\]){sign}(?=[^\s{inner}])([^{inner}\n]*(?:\n[^{inner}\n]+)?)(?<=\S){sign}(?![{after}{inner}])"
    )


_RST: _Table = (
    # a role's target stands in angle brackets behind its text; `~` shortens a name, `!` stops a link
    (
        re.compile(
            r"(?<![\w`]):[a-zA-Z][\w.+-]{0,60}(?::[\w.+-]{1,60}){0,3}:`[!~]?([^`<>\s]+(?:\s+[^`<>\s]+)*)\s*<[^<>`]*>`"
        ),
        r"\1",
    ),
    (re.compile(r"(?<![\w`]):[a-zA-Z][\w.+-]{0,60}(?::[\w.+-]{1,60}){0,3}:`[!~]?([^`]+)`"), r"\1"),
    (re.compile(r"(?<!\w)`([^`<>\s]+(?:\s+[^`<>\s]+)*)\s*<[^<>`]*>`_{0,2}"), r"\1"),
    (re.compile(r"(?<![\w`])_?`([^`]+)`(?::[a-zA-Z][\w.+-]*:)?_{0,2}"), r"\1"),
    (_span("**"), r"\1"),
    (_span("*"), r"\1"),
    (re.compile(r"[ \t]?\[(?:#[\w-]*|\*|\d{1,4})\]_"), ""),  # a footnote's mark
    (re.compile(r"\[([A-Za-z][\w.-]*)\]_"), r"\1"),
    (re.compile(r"(?<![\w|\\])\|([^\s|](?:[^|\r\n]*[^\s|])?)\|_{0,2}(?![\w|])"), r"\1"),
    (re.compile(r"(?<![\w.-])([^\W_](?:[\w.-]*[^\W_])?)__?(?!\w)"), r"\1"),  # a reference of one word
    (re.compile(r"\\([!-/:-@\[-`{-~])|\\(?=\s)"), r"\1"),
)
_ASCIIDOC: _Table = (
    (re.compile(r"\[\[[^\[\]\n]+\]\]|\(\(\([^()\n]*\)\)\)|<\.?\d{0,3}>(?=\s|$)"), ""),
    (re.compile(r"\(\(([^()\n]+)\)\)"), r"\1"),
    (re.compile(r"<<[^<>,\n]*,\s*([^<>\n]+)>>"), r"\1"),
    (re.compile(r"<<#?([^<>,\n]+)>>"), r"\1"),
    (re.compile(r"\b(?:image|icon|video|audio)::?[^\s\[\]]{1,2000}\[([^\[\],\n]*)[^\[\]\n]*\]"), r"\1"),
    (
        re.compile(
            r"\b(?:footnote|footnoteref|kbd|btn|pass|stem|latexmath|asciimath|indexterm2?):[\w,-]*\[([^\[\]\n]*)\]"
        ),
        r" \1",
    ),
    (re.compile(r"\bmenu:([^\s\[\]]{1,200})\[([^\[\]\n]*)\]"), r"\1 \2"),
    (re.compile(r"\b(?:link|xref|mailto|anchor):[^\s\[\]]{0,2000}\[([^\[\],\n]+)[^\[\]\n]*\]"), r"\1"),
    (re.compile(r"\b(?:link|xref|mailto):([^\s\[\]]{1,2000})\[\]"), r"\1"),
    (re.compile(r"\b(?:https?|ftp|irc)://[^\s\[\]<>]{1,2000}\[([^\[\],\n]+)[^\[\]\n]*\]"), r"\1"),
    (re.compile(r"(\b(?:https?|ftp|irc)://[^\s\[\]<>]{1,2000})\[\]"), r"\1"),
    (re.compile(r"\[[.#%\w][^\[\]\n]{0,80}\](?=[#*_`])"), ""),  # a role before what it marks
    *((_span(mark, before="", after=""), r"\1") for mark in ("**", "__", "``", "##")),
    *((_span(mark), r"\1") for mark in ("*", "_", "`", "#")),
    (re.compile(r"\^([^\s^]{1,40})\^"), r"^\1"),  # a power stays one: 10^6
    (re.compile(r"(?<=\w)~([^\s~]{1,40})~"), r"\1"),
    (re.compile(r"\{(?:empty|sp|nbsp|zwsp|wj)\}"), " "),
    (re.compile(r"(?<!\\)\{([A-Za-z_][\w-]{0,60})\}"), r"\1"),
    (re.compile(r"\\(?=[*_`#{\[<^~])"), ""),
)
_ORG: _Table = (
    (re.compile(r"\[\[[^\[\]\n]+\]\[([^\[\]\n]+)\]\]"), r"\1"),
    (re.compile(r"\[\[(?:(?:file|id|attachment):|[#*])?([^\[\]\n]+)\]\]"), r"\1"),
    (re.compile(r"[ \t]?\[fn:[\w-]*\]"), ""),
    (re.compile(r"\[fn:[\w-]*:[ \t]?([^\[\]\n]+)\]"), r" \1"),
    (re.compile(r"@@[a-z]+:[^@\n]*@@|<<<?[^<>\n]+>>>?"), ""),
    *((_span(mark, before=r"\w/:", after=r"\w/"), r"\1") for mark in ("*", "/", "_", "+")),
    (re.compile(r"\\\\[ \t]*$", re.MULTILINE), ""),
)


_RST_SIGNS, _ASCIIDOC_SIGNS, _ORG_SIGNS = (
    re.compile(r"[`*|_\\]"),
    re.compile(r"[*_`#\[({<^~\\+]"),
    re.compile(r"[\[*/_=~+@<\\]"),
)
_RST_LITERAL = re.compile(r"(?<!`)``(?=\S|`)([^\r\n`]*(?:`[^\r\n`]+)*)``")
_ASCIIDOC_LITERAL = re.compile(r"(?<!\+)\+\+\+?([^+\n]+)\+\+\+?|(?<!`)`\+([^+\n]+)\+`")
_ORG_LITERAL = re.compile(
    r"(?<![\w=\\])=(?=[^\s=])([^=\n]*)(?<=\S)=(?![\w=])|(?<![\w~\\])~(?=[^\s~])([^~\n]*)(?<=\S)~(?![\w~])"
)


def _cleaned(text: str, table: _Table, signs: re.Pattern[str], literal: re.Pattern[str]) -> str:
    """Remove markup outside of literals."""
    if not signs.search(text):
        return text
    parts = []
    done = 0
    for match in literal.finditer(text):
        parts += [_without(text[done : match.start()], table), match[match.lastindex or 0]]
        done = match.end()
    return "".join([*parts, _without(text[done:], table)])


def _without(text: str, table: _Table) -> str:
    for pattern, replacement in table:
        text = pattern.sub(replacement, text)
    return text


def plain_rst(text: str) -> str:
    """Return reStructuredText without roles, emphasis, link targets, escapes; their words stay.

    >>> plain_rst("See :ref:`the guide <g>`, ``x_y``, *now* or `here <https://a.example>`_ [1]_.")
    'See the guide, x_y, now or here.'
    """
    return _cleaned(text, _RST, _RST_SIGNS, _RST_LITERAL)


def plain_asciidoc(text: str) -> str:
    """Return AsciiDoc without emphasis, macros, link targets and escapes; their words stay.

    >>> plain_asciidoc("See <<guide,the guide>>, `x_y`, *now* or https://a.example[here]: 10^6^ {product}.")
    'See the guide, x_y, now or here: 10^6 product.'
    """
    return _cleaned(text, _ASCIIDOC, _ASCIIDOC_SIGNS, _ASCIIDOC_LITERAL)


def plain_org(text: str) -> str:
    """Return Org text without emphasis, link targets and footnote marks; other words stay.

    >>> plain_org("See [[#g][the guide]], =x_y=, *now* or /here/[fn:1] and a/b.")
    'See the guide, x_y, now or here and a/b.'
    """
    return _cleaned(text, _ORG, _ORG_SIGNS, _ORG_LITERAL)
