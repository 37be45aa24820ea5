"""The chunk map: a plane for any vectors, groups distinct without colour, a tree of any clusters."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from chunking.model import CLUSTER, Chunk
from components.index.map_points import MOST_GROUPS, REST, Dot, MapHit, map_figure, project
from components.index.summary_tree import nodes, tree_figure
from tests.components.apps.made_search_result import HOSTILE, parent_result, result_chunk, search_result


def names(count: int) -> list[str]:
    return [f"a_chunk{n}" for n in range(count)]


class TestProjection:
    def test_the_plane_is_the_one_on_which_they_differ(self) -> None:
        """Points on a plane in many dimensions keep their distances, and all of their variance."""
        rng = np.random.default_rng(0)
        flat = rng.normal(size=(40, 2)).astype(np.float32)
        basis = np.linalg.qr(rng.normal(size=(16, 2)))[0].astype(np.float32)
        projection = project(names(40), ["a"] * 40, flat @ basis.T + 3)
        assert projection.explained == pytest.approx(1, abs=1e-4)
        apart = np.linalg.norm(flat[0] - flat[1:], axis=1)
        assert np.linalg.norm(projection.points[0] - projection.points[1:], axis=1) == pytest.approx(apart, abs=1e-3)

    def test_the_same_vectors_give_the_same_plane(self) -> None:
        """Its axes do not turn round between two runs; what is placed later lands on itself."""
        vectors = np.random.default_rng(1).normal(size=(30, 8)).astype(np.float32)
        one, other = project(names(30), ["a"] * 30, vectors), project(names(30), ["a"] * 30, vectors.copy())
        assert np.array_equal(one.points, other.points)
        assert one.place(vectors) == pytest.approx(one.points, abs=1e-5)

    @pytest.mark.parametrize("count", [0, 1, 2])
    def test_a_map_of_few_chunks_has_finite_places(self, count: int) -> None:
        """Nothing, one, two: no warning, finite places."""
        projection = project(names(count), ["a"] * count, np.ones((count, 4), np.float32))
        assert projection.points.shape == (count, 2)
        assert np.isfinite(projection.points).all()
        assert projection.explained == 0

    def test_a_vector_with_nan_does_not_hide_the_others(self) -> None:
        """A broken vector does not hide the others."""
        vectors = np.eye(3, dtype=np.float32)
        vectors[0, 0] = np.nan
        assert np.isfinite(project(names(3), ["a"] * 3, vectors).points).all()


class TestFigure:
    def test_groups_differ_in_sign_as_well_as_colour(self) -> None:
        """And the hits stand over them, each with its rank."""
        groups = [f"document {n}" for n in range(MOST_GROUPS)]
        dots = [Dot(f"c{n}", n, n, name, name, "text") for n, name in enumerate([*groups, REST])]
        figure = map_figure(
            dots, [MapHit(1, 0.0, 0.0, "a"), MapHit(2, 1.0, 1.0, "b")], (0.5, 0.5), groups=groups, dark=True, height=300
        )
        looks = {trace.name: (trace.marker.symbol, trace.marker.color) for trace in figure.data}
        assert len({sign for name, (sign, _) in looks.items() if name in groups}) == MOST_GROUPS
        assert len({colour for name, (_, colour) in looks.items() if name in groups}) == MOST_GROUPS
        rings = next(trace for trace in figure.data if trace.mode == "markers+text")
        assert [re.sub("<.*?>", "", text) for text in rings.text] == ["1", "2"]

    def test_text_of_documents_is_no_markup(self) -> None:
        """Plotly reads <b>, <a> and entities: what comes from a document is escaped."""
        figure = map_figure(
            [Dot("c", 0, 0, HOSTILE, HOSTILE, HOSTILE)],
            [MapHit(1, 0, 0, HOSTILE)],
            None,
            groups=[HOSTILE],
            dark=False,
            height=300,
        )
        said = [*figure.data[0].text, figure.data[0].name, *figure.data[1].hovertext]
        assert not [text for text in said if re.search(r"<(?!/?b>|br>)", text)]


def cluster(number: str, *children: str, summary: str = "A summary.") -> Chunk:
    chunk = result_chunk("", 0, "", (), "paragraph", "", 0)
    return replace(chunk, chunk_id=f"cluster_{number}", level=CLUSTER, children=children, summary=summary)


class TestTree:
    def test_a_tree_of_levels(self) -> None:
        """Each cluster under the first of its own, with the chunks under it counted and the hits named."""
        tree = nodes(
            [
                cluster("1_0", "a_chunk0", "a_chunk1"),
                cluster("1_1", "a_chunk1", "b_chunk0"),
                cluster("2_0", "cluster_1_0", "cluster_1_1"),
                cluster("2_1", "cluster_1_1"),
            ],
            {"a_chunk1": 2, "b_chunk0": 1},
        )
        by_name = {node.chunk.chunk_id: node for node in tree}
        assert by_name["cluster_1_1"].parent_id == "cluster_2_0"
        assert by_name["cluster_2_0"].chunks == 4
        assert by_name["cluster_2_0"].ranks == (1, 2)
        assert by_name["cluster_2_1"].chunks == 0
        assert by_name["cluster_1_0"].ranks == (2,)

    def test_summaries_are_no_markup_and_chinese_is_broken_into_lines(self) -> None:
        """A script without spaces has as short lines as any other."""
        chinese = "设备外壳没有防爆设计不要安装在粉尘爆炸危险区" * 8
        figure = tree_figure(
            nodes([cluster("1_0", "a", summary=HOSTILE), cluster("1_1", "b", summary=chinese)], {}),
            dark=False,
            height=300,
        )
        hostile, lines = (str(row[0]) for row in figure.data[0].customdata)
        assert not re.search(r"<(?!br>)", hostile)
        assert max(map(len, lines.split("<br>"))) <= 40


def test_rings_of_a_parent_are_those_of_what_was_found_in_it() -> None:
    """A parent has no vector; a summary stands for its children."""
    from components.index.map_points import hit_chunks

    top, *_, last = parent_result().results
    assert hit_chunks(top) == [child.chunk.chunk_id for child in top.matched]
    assert hit_chunks(last)[0] == last.chunk.chunk_id
    assert hit_chunks(search_result().results[0]) == [search_result().results[0].chunk.chunk_id]
