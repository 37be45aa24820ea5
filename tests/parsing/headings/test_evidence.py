"""Evidence put together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chunking.parsing.headings.evidence import Evidence, confidence, heading_meta


@given(st.sets(st.sampled_from(Evidence)), st.sampled_from(Evidence))
def test_more_evidence_is_surer(some: set[Evidence], more: Evidence) -> None:
    """Never less sure, and always a share."""
    assert 0 <= confidence(some) <= confidence(some | {more}) <= 1


def test_none_decides_alone_but_the_document_itself() -> None:
    """Only what its own table of contents, a link, a number in order, a running head or a size says is likelier than
    not.
    """
    alone = {one for one in Evidence if confidence([one]) > 0.5}
    assert alone == {Evidence.CONTENTS, Evidence.LINK, Evidence.NUMBER, Evidence.RUNNING_HEAD, Evidence.SIZE}


def test_meta_names_the_strongest_first() -> None:
    """Each once."""
    meta = heading_meta([Evidence.SPACE, Evidence.CONTENTS, Evidence.SPACE])
    assert meta == {"evidence": ("table of contents", "space"), "confidence": 0.95}
