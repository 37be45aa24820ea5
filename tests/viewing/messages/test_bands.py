"""What is drawn, and its form on the wire."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import replace

import numpy as np

from chunking.model import Chunk, Flag
from chunking.viewing.messages import Groups, block_bands, chunk_bands, stored_bands
from chunking.viewing.messages.bands import FLAG_BITS, FLAG_TEXTS, Bands, pack
from tests.components.apps.made_documents import long_document, scene_document, spans


def unpack(packed: str, n: int) -> tuple[list[np.ndarray], dict[str, list[str]]]:
    """What units.js does, in Python."""
    raw = zlib.decompress(base64.b64decode(packed))
    planes = np.frombuffer(raw[: 4 * 12 * n], dtype=np.uint8).reshape(4, 12, n)
    gaps, lengths, numbers, sections, tokens, own, embedded, more, flags, prefixes, labels, groups = (
        np.ascontiguousarray(planes.transpose(1, 2, 0)).view("<i4").reshape(12, n)
    )
    ends = (gaps + lengths).cumsum()
    columns = [ends - lengths, ends, numbers.cumsum(), sections.cumsum(), tokens, own, tokens + embedded, tokens + more, flags]
    return [*columns, prefixes.cumsum(), labels.cumsum(), groups.cumsum()], json.loads(raw[4 * 12 * n :])


def bands(size: int = 120, overlap: int = 30) -> Bands:
    """The scene, cut."""
    return chunk_bands(scene_document(), spans(scene_document(), size, overlap))


def test_everything_drawn_comes_back_from_the_wire() -> None:
    """Columns and tables are the same after packing; an empty document has none."""
    drawn = bands()
    columns, tables = unpack(pack(drawn), len(drawn))
    facts = (drawn.starts, drawn.ends, drawn.numbers, drawn.sections, drawn.tokens, drawn.prefix_tokens)
    facts = (*facts, drawn.embedded_tokens, drawn.sizes, drawn.flags)
    np.testing.assert_array_equal(np.stack(columns[:9]), np.stack(facts))
    assert [tables["prefixes"][place] for place in columns[9]] == list(drawn.prefixes)
    assert [tables["labels"][place] for place in columns[10]] == list(drawn.labels)
    assert not columns[11].any()
    assert tables["groupNoun"] == ""
    nothing = np.zeros(0, dtype=np.int32)
    empty = Bands(*[nothing] * 9, (), ())
    assert sum(column.size for column in unpack(pack(empty), 0)[0]) == 0


def test_what_belongs_together_goes_along() -> None:
    """The number of each band's group, and what a group is called."""
    numbers = np.arange(len(bands()), dtype=np.int32) // 3
    drawn = chunk_bands(scene_document(), spans(scene_document(), 120, 30), groups=Groups("Parent", numbers))
    columns, tables = unpack(pack(drawn), len(drawn))
    np.testing.assert_array_equal(columns[11], numbers)
    assert tables["groupNoun"] == "Parent"


def test_a_step_of_the_smallest_size_stays_small() -> None:
    """A megabyte in chunks of 64 characters (about 16 tokens), each with its title path: under 60 KB."""
    document = long_document()
    assert len(pack(chunk_bands(document, spans(document, 64, 0)))) < 60_000


def test_the_pick_is_the_last_band_that_holds_the_place() -> None:
    """In an overlap the later chunk; between bands none."""
    drawn = bands()
    assert [drawn.at(offset) for offset in (0, 89, 90, 119, 120, 708, 709)] == [0, 0, 1, 1, 1, 7, None]


def test_stored_chunks_keep_their_numbers() -> None:
    """Chunks of an index, here two of them and out of order, are drawn with number, section, prefix and flags."""
    document = scene_document()
    section = document.sections[1]

    def chunk(index: int, start: int, end: int, flags: tuple[Flag, ...] = ()) -> Chunk:
        return Chunk(
            chunk_id=f"scene_chunk{index}",
            doc_id="scene",
            section_id=section.section_id,
            parent_id=section.section_id,
            chunk_index=index,
            total_chunks=9,
            prev_id=None,
            next_id=None,
            title_path=section.title_path,
            content_type="paragraph",
            prefix="above",
            content=document.text[start:end],
            embedding_content=document.text[start:end],
            token_count=12,
            start=start,
            end=end,
            hash="",
            flags=flags,
        )

    drawn = stored_bands(document, [chunk(7, 200, 260, (Flag.CODE_CUT, Flag.OVER_SIZE)), chunk(2, 40, 90)])
    assert drawn.numbers.tolist() == [2, 7]
    assert drawn.starts.tolist() == [40, 200]
    assert drawn.sections.tolist() == [1, 1]
    assert drawn.flags.tolist() == [0, FLAG_BITS[Flag.CODE_CUT] | FLAG_BITS[Flag.OVER_SIZE]]
    assert list(drawn.prefixes) == ["above", "above"]


def test_blocks_are_labelled_with_their_kind() -> None:
    """Headings by level, the rest by name."""
    drawn = block_bands(scene_document())
    assert list(drawn.labels)[:2] == ["h1", "text"]
    assert "code" in drawn.labels
    assert drawn.noun == "Block"


def test_footnotes_and_what_refers_to_them_name_each_other() -> None:
    """In the tooltip, by the numbers that the blocks are drawn with; nothing travels where there are none."""
    document = scene_document()
    first, *rest = document.blocks
    noted = replace(
        document,
        blocks=(replace(first, meta={"footnotes": (1,)}), *rest[:-1], replace(rest[-1], meta={"footnote": 1, "mark": "*"})),
    )
    last = len(rest)
    drawn = block_bands(noted)
    assert drawn.facts == {0: f"refers to the footnote in block {last}", last: "footnote *, referred to in block 0"}
    assert unpack(pack(drawn), len(drawn))[1]["facts"] == {str(number): fact for number, fact in drawn.facts.items()}
    assert "facts" not in unpack(pack(block_bands(document)), len(drawn))[1]


def test_every_flag_has_a_bit_of_its_own_and_a_sentence() -> None:
    """A flag added to the model must be explained here."""
    assert set(FLAG_BITS) == set(FLAG_TEXTS) == set(Flag)
    assert len({*FLAG_BITS.values()}) == len(Flag)
