"""Full-length annual report as HTML, as companies file it (form 10-K), without h1 to h6.

Its headings are centred and bold, its contents are links, and its pages end with rules. The order, numbers and titles
of its items are those of the form; the company and every sentence are invented.
"""

from __future__ import annotations

from itertools import count, cycle

__all__ = ["PARTS", "annual_report"]

PARTS: dict[str, tuple[str, ...]] = {
    "PART I": (
        "Item 1. Business",
        "Item 1A. Risk Factors",
        "Item 1B. Unresolved Staff Comments",
        "Item 1C. Cybersecurity",
        "Item 2. Properties",
        "Item 3. Legal Proceedings",
        "Item 4. Mine Safety Disclosures",
    ),
    "PART II": (
        (
            "Item 5. Market for Registrant’s Common Equity, Related Stockholder Matters and Issuer Purchases of "
            "Equity Securities"
        ),
        "Item 6. [Reserved]",
        "Item 7. Management’s Discussion and Analysis of Financial Condition and Results of Operations",
        "Item 7A. Quantitative and Qualitative Disclosures About Market Risk",
        "Item 8. Financial Statements and Supplementary Data",
        "Item 9. Changes in and Disagreements with Accountants on Accounting and Financial Disclosure",
        "Item 9A. Controls and Procedures",
        "Item 9B. Other Information",
    ),
    "PART III": (
        "Item 10. Directors, Executive Officers and Corporate Governance",
        "Item 11. Executive Compensation",
        "Item 12. Security Ownership of Certain Beneficial Owners and Management and Related Stockholder Matters",
        "Item 13. Certain Relationships and Related Transactions, and Director Independence",
        "Item 14. Principal Accountant Fees and Services",
    ),
    "PART IV": ("Item 15. Exhibits and Financial Statement Schedules", "Item 16. Form 10-K Summary"),
}
"""Items of each part, as named in the contents and the headings."""

_LONG = {"Item 1.": 14, "Item 1A.": 24, "Item 7.": 20, "Item 8.": 24}
"""Number of topics of the items that fill most of a report; others have one or two paragraphs."""
_TOPICS = (
    "Overview",
    "Products and Services",
    "Competition",
    "Seasonality",
    "Employees",
    "Liquidity",
    "Net Sales",
    "Goodwill",
    "Leases",
)
_SUBJECTS = (
    "The Company",
    "Our largest segment",
    "Management",
    "Each of the mills",
    "The credit agreement",
    "A change in rates",
)
_VERBS = ("expects", "has recorded", "may reduce", "is exposed to", "relies on", "does not anticipate")
_OBJECTS = (
    "higher costs of pulp and energy",
    "an impairment of goodwill",
    "the timing of orders",
    "new rules on emissions",
)
_ENDS = (
    "in the coming fiscal year",
    "as described in Item 7 of this report",
    "over the term of the leases",
    "in Part II and elsewhere",
)
_TIMES = "font-family:Times New Roman;font-size:10pt;"
_GAP = '<div style="line-height:120%;font-size:10pt;"><font><br></font></div>'
_CENTRED = f'{_GAP}<div style="text-align:center;font-size:10pt;"><font style="{_TIMES}font-weight:bold;">'


def annual_report(pages_every: int = 9) -> str:
    """Return the HTML page, about 170 kB.

    Args:
        pages_every: paragraphs on a page of the printed report.
    """
    body = [_front(), _contents()]
    written, numbers = 0, count(1)
    sentences = _sentences()
    for part, items in PARTS.items():
        body.append(f"{_CENTRED}{part}</font></div>")
        for item in items:
            body.append(f'<div><a name="{_anchor(item)}"></a></div>{_CENTRED}{item.upper()}</font></div>')
            for piece in _item(item, sentences):
                body.append(piece)
                written += 1
                if written % pages_every == 0:
                    body.append(_page_end(next(numbers)))
    body.append(f'<div><a name="signatures"></a></div>{_CENTRED}SIGNATURES</font></div>{_paragraph(next(sentences))}')
    return f"<html><head><title>10-K</title></head><body>{''.join(body)}</body></html>"


def _item(item: str, sentences: cycle[str]) -> list[str]:
    topics = _LONG.get(item.split(" ")[0] + " " + item.split(" ")[1], 0)
    pieces = [_paragraph(" ".join(next(sentences) for _ in range(3)))]
    for number in range(topics):
        topic = (
            f"{_TOPICS[number % len(_TOPICS)]}{'' if number < len(_TOPICS) else f', {2020 + number // len(_TOPICS)}'}"
        )
        pieces.append(
            f'{_GAP}<div style="text-align:left;"><font '
            f'style="{_TIMES}font-weight:bold;font-style:italic;">{topic}</font></div>'
        )
        pieces += [_paragraph(" ".join(next(sentences) for _ in range(4))) for _ in range(2)]
        if number % 3 == 2:
            pieces.append(_figures(number))
    return pieces


def _sentences() -> cycle[str]:
    """Return distinct sentences for a long time: the word lists have different lengths."""
    elements = []
    for number in range(720):
        subject, verb, thing, end = (
            words[number % len(words)] for words in (_SUBJECTS, _VERBS[: 5 + number % 2], _OBJECTS, _ENDS)
        )
        elements.append(f"{subject} {verb} {thing} of ${number * 37 % 911}.{number % 10} million {end}.")
    return cycle(elements)


def _paragraph(words: str) -> str:
    return (
        f'{_GAP}<div style="line-height:120%;text-align:justify;text-indent:24px;"><font '
        f'style="{_TIMES}">{words}</font></div>'
    )


def _figures(number: int) -> str:
    rows = "".join(
        f'<tr><td style="vertical-align:bottom;">{name}</td><td>$</td><td '
        f'style="text-align:right;">{number * 1_117 + at * 731:,}</td>'
        f'<td style="text-align:right;">{number * 1_009 + at * 689:,}</td></tr>'
        for at, name in enumerate(("Net sales", "Cost of sales", "Selling expenses", "Operating income"), 1)
    )
    years = '<tr><td></td><td></td><td style="font-weight:bold;">2023</td><td style="font-weight:bold;">2022</td></tr>'
    return f'<table cellpadding="0" cellspacing="0" style="width:100%;">{years}{rows}</table>'


def _anchor(item: str) -> str:
    return "s" + item.split(".")[0].replace(" ", "").lower()


def _front() -> str:
    lines = ("UNITED STATES", "SECURITIES AND EXCHANGE COMMISSION", "FORM 10-K", "HOLLOW CREEK PAPER COMPANY")
    return "".join(f"{_CENTRED}{line}</font></div>" for line in lines) + _paragraph(
        "Indicate by check mark whether the registrant is a well-known seasoned issuer, as defined in Rule "
        "405 of the Securities Act."
    )


def _contents() -> str:
    rows = []
    pages = count(3, 4)
    for part, items in PARTS.items():
        rows.append(f'<tr><td colspan="3"><font style="font-weight:bold;">{part}</font></td></tr>')
        for item in items:
            number, title = item.split(". ", 1)
            link = f'<a href="#{_anchor(item)}">'
            rows.append(
                f"<tr><td>{link}{number}.</a></td><td>{link}{title}</a></td><td>{link}{next(pages)}</a></td></tr>"
            )
    rows.append(f'<tr><td></td><td><a href="#signatures">Signatures</a></td><td>{next(pages)}</td></tr>')
    return f'<div><a name="toc"></a></div>{_CENTRED}TABLE OF CONTENTS</font></div><table>{"".join(rows)}</table>'


def _page_end(number: int) -> str:
    number_line = f'<div style="text-align:center;font-size:10pt;"><font style="font-size:10pt;">{number}</font></div>'
    return f'{number_line}<hr style="page-break-after:always"><div><a href="#toc">Table of Contents</a></div>'
