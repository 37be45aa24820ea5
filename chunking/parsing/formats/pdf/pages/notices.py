"""What is said to a user about the pages of a PDF."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.parsing.formats.pdf.pages.ocr import NOT_INSTALLED, is_installed
from chunking.parsing.formats.pdf.pages.page_reading import Pages

__all__ = ["no_text", "warnings_of"]


def no_text(pages: Pages) -> str:
    """Why there is no text in a file, to follow its name."""
    if pages.scanned:
        return f"has no text: its pages are scanned. {_advice(pages)}"
    if pages.recognised:
        return "has no text: its pages are scanned, and no words were recognised on them; add a version with text."
    if pages.damaged:
        return "has no page that can be read; get it again from where it came."
    return "has no text on its pages; leave it out."


def _advice(pages: Pages) -> str:
    """What to do about scanned pages."""
    if not pages.raw.ocr:
        return (
            f"Read the file with OCR to have {'it' if len(pages.scanned) == 1 else 'them'} too, or add a version "
            f"with text."
        )
    return NOT_INSTALLED if not is_installed() else "Text recognition gave up on it; add a version with text."


def warnings_of(pages: Pages) -> list[str]:
    """A sentence for each kind of page that is not (all) there."""
    found = []
    if pages.damaged:
        found.append(f"{_named(pages.damaged)} damaged and could not be read.")
    if pages.scanned:
        found.append(f"{_named(pages.scanned, 'has', 'have')} no text: scanned. {_advice(pages)}")
    if pages.recognised:
        found.append(f"{_named(pages.recognised, 'was', 'were')} read by OCR; letters may be wrong.")
    if pages.unclear:
        found.append(
            f"{_named(pages.unclear, 'uses', 'use')} fonts that do not say which letters they draw; some of "
            f"the text is missing or wrong."
        )
    return found


def _named(pages: Sequence[int], one: str = "is", many: str = "are") -> str:
    """`Page 3 is`, `Pages 3, 5–8 and 11 are`.

    >>> _named([3]), _named([3, 5, 6, 7, 11])
    ('Page 3 is', 'Pages 3, 5–7 and 11 are')
    """
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    names = [f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    return f"Page {listed} {one}" if len(pages) == 1 else f"Pages {listed} {many}"
