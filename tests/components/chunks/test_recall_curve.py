"""The curve under a slider: when it is estimated and for whom, where its values stand, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest

from chunking.config import Config
from chunking.errors import ChunkscopeError
from chunking.evaluation import CurvePoint, LiveScores, Measure, Scores, interval
from chunking.viewing.messages.sliders import Number, slider_texts
from components.chunks.recall_curve import verdict
from components.chunks.recall_curve.background import LEASE, MOST, REST, CurveRequest, Curves
from tests.support.facts import tells


def point(text: str, recalls: np.ndarray | None = None, tokens: float = 100.0) -> CurvePoint:
    """What was estimated for a value."""
    values = np.ones(2) if recalls is None else recalls
    return CurvePoint(text, interval(values), 0.1, tokens, 9, values)


@dataclass
class Server:
    """Curves that are estimated when the test says so, by a clock that it sets."""

    now: float = 100.0
    begun: list[str] = field(default_factory=list)
    estimated: list[str] = field(default_factory=list)
    curves: Curves = field(init=False)

    def __post_init__(self) -> None:
        self.curves = Curves(lambda: self.now)
        self.curves._work = lambda: None  # type: ignore[method-assign]

    def wish(self, key: str, values: int = 3, fault: Exception | None = None) -> CurveRequest:
        """A curve of so many values; with a fault, this comes after the first of them."""

        def start() -> Iterator[CurvePoint]:
            self.begun.append(key)
            for count in range(values):
                if fault and count:
                    raise fault
                yield point(str(count))

        return CurveRequest(key, start, lambda: self.estimated.append(key))

    def rest(self, *sessions: str) -> None:
        """The browsers say so."""
        for session in sessions or ("me",):
            self.curves.rest(session)

    def work(self, steps: int = 100) -> int:
        """As long as something is due; how many points or ends there were."""
        done = 0
        while done < steps and self.curves.step() == 0.0:
            done += 1
        return done


@pytest.fixture
def server() -> Server:
    return Server()


class TestBackground:
    def test_points_come_one_by_one_and_then_it_is_done(self, server: Server) -> None:
        """And stays: whoever asks again has it, and nothing begins anew."""
        curve = server.curves.want("me", "size", server.wish("a"))
        server.rest()
        progress = [(server.work(1), len(curve.points), curve.done) for _ in range(4)]
        assert progress == [(1, 1, False), (1, 2, False), (1, 3, False), (1, 3, True)]
        assert server.curves.step() is None
        assert server.curves.want("me", "size", server.wish("a")) is curve
        assert (server.begun, server.curves.step()) == (["a"], None)

    def test_nothing_is_estimated_before_the_slider_rests(self, server: Server) -> None:
        """However long a step of a drag takes; what has come stays, and it goes on where it was."""
        curve = server.curves.want("me", "size", server.wish("a"))
        server.now += LEASE
        assert (server.curves.step(), server.curves.rests("me")) == (None, False)
        server.rest()
        server.work(2)
        server.curves.moved("me")
        assert (server.curves.step(), len(curve.points), server.curves.rests("me")) == (None, 2, False)
        server.rest()
        server.work()
        assert (len(curve.points), curve.done, server.begun, server.curves.rests("me")) == (3, True, ["a"], True)

    def test_the_curve_of_a_slider_being_dragged_goes_first(self, server: Server) -> None:
        """All share the processor: the others wait a moment, and not for ever if that page is left."""
        server.curves.want("me", "size", server.wish("a"))
        server.rest()
        server.curves.moved("other")
        assert server.curves.step() == pytest.approx(REST)
        server.now += REST
        assert server.work(1) == 1

    def test_two_sessions_share_a_curve(self, server: Server) -> None:
        """And each has its own besides."""
        mine, other = (
            server.curves.want("me", "size", server.wish("a")),
            server.curves.want("other", "size", server.wish("a")),
        )
        server.curves.want("other", "overlap", server.wish("b"))
        assert mine is other
        server.rest("me", "other")
        server.work()
        assert server.begun == ["a", "b"]

    def test_another_wish_of_the_page_stops_the_one_before(self, server: Server) -> None:
        """As when the size moves, and with it the curve of the overlap; it begins anew for who comes back."""
        first = server.curves.want("me", "overlap", server.wish("a"))
        server.rest()
        server.work(1)
        server.curves.want("me", "overlap", server.wish("b"))
        server.work()
        assert (server.begun, first.done) == (["a", "b"], False)
        assert server.curves.want("me", "overlap", server.wish("a")).points == []

    def test_a_page_that_was_left_is_worked_for_no_longer(self, server: Server) -> None:
        """Unless somebody else wants the same."""
        server.curves.want("me", "size", server.wish("a"))
        server.rest()
        server.work(1)
        server.now += LEASE + 1
        assert server.curves.step() is None
        assert server.estimated == ["a"]
        assert server.curves.want("me", "size", server.wish("a")).points == []

    def test_what_goes_wrong_is_said_and_stops_nothing_else(self, server: Server) -> None:
        """A sentence of ours as it is; of a fault of the program only that there is one."""
        ours = server.curves.want("me", "size", server.wish("a", fault=ChunkscopeError("Too cold.")))
        fault = server.curves.want("me", "overlap", server.wish("b", fault=ZeroDivisionError("1/0")))
        other = server.curves.want("other", "size", server.wish("c"))
        server.rest("me", "other")
        server.work()
        assert (ours.done, ours.error, len(ours.points)) == (True, "Too cold.", 1)
        assert fault.done
        assert tells(fault.error, "curve log")
        assert "1/0" not in fault.error
        assert (other.done, other.error) == (True, "")

    def test_only_the_newest_curves_are_kept(self, server: Server) -> None:
        """Those asked for last."""
        for count in range(MOST + 10):
            server.curves.want("me", "overlap", server.wish(f"{count}"))
            server.rest()
            server.work()
        assert len(server.curves._curves) == MOST
        assert server.curves.want("me", "overlap", server.wish(f"{MOST + 5}")).done
        assert not server.curves.want("me", "overlap", server.wish("0")).done


class TestValues:
    def test_they_stand_evenly_along_the_slider(self) -> None:
        """Both ends, no value twice, small sizes as far apart as large ones; an amount, and a share."""
        sizes = [int(text) for text in slider_texts(Number("Size", "", "150", "tokens", 16, 8192), 25)]
        assert (len(sizes), sizes[0], sizes[-1]) == (25, 16, 8192)
        assert all(1.1 < after / before < 1.8 for before, after in pairwise(sizes))
        amounts = slider_texts(Number("Overlap", "", "5", "tokens", 0, 29, whole=30), 25)
        assert amounts == [str(number) for number in range(16)]
        shares = slider_texts(Number("Overlap", "", "5%", "tokens", 0, 29, whole=30), 25)
        assert (len(set(shares)), shares[0], shares[-1]) == (25, "0%", "50%")


class TestVerdict:
    def sentence(self, points: list[CurvePoint], recalls: np.ndarray, key: str = "size", tokens: float = 50.0) -> str:
        count = len(recalls)
        ids = tuple(str(number) for number in range(count))
        columns = [recalls, *(np.zeros(count) for _ in range(8)), np.full(count, tokens), np.zeros(count)]
        present = LiveScores(Config(), Measure(5), ids, Scores(ids, *columns), ((),) * count, (), 9)
        return verdict(points, present, key, Config.from_settings({"size": "150", "overlap": "15%"}))

    def test_noise_recommends_nothing(self) -> None:
        """It names the range that was looked at, and the present value."""
        draw = np.random.default_rng(1)
        present = draw.integers(0, 2, 60).astype(float)
        points = [point(text, draw.permuted(present)) for text in ("8192", "16", "90", "400")]
        assert tells(self.sentence(points, present), "no size 16 8,192 150 recall")
        assert tells(
            self.sentence([point("0%", present), point("50%", present)], present, "overlap"), "no overlap 0% 50% 15%"
        )

    def test_what_is_shown_to_be_better_and_costs_least(self) -> None:
        """Neighbours as a range; the cheapest with its gain and both costs."""
        present = np.repeat([1.0, 0.0], 60)
        better, equal = np.ones(120), present
        points = [
            point("16", equal),
            point("90", better, 300),
            point("150", better, 1200),
            point("400", equal),
            point("8192", better, 2400),
        ]
        assert tells(self.sentence(points, present), "90 150 8,192 cheapest +50.0 300 50")

    def test_too_little_to_tell(self) -> None:
        """One question, or no value that goes with the other settings."""
        assert tells(self.sentence([point("90", np.ones(1))], np.zeros(1)), "one question")
        assert tells(self.sentence([], np.zeros(9)), "no size")
