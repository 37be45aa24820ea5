"""Tables, bars, wrapped styles and the line of progress, in any width."""

from __future__ import annotations

import io
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.cli.terminal.look import (
    ASCII,
    UNICODE,
    Symbols,
    TerminalLook,
    TerminalStyle,
    histogram,
    interval_bar,
    share_bar,
)
from chunking.cli.terminal.screen import ProgressLine, progress_line
from chunking.cli.terminal.tables import TableColumn, table
from chunking.cli.terminal.terminal_text import duration, width
from tests.cli.terminal.pseudo_terminal import plain, visible
from tests.cli.terminal.safe_lines import LINES

COLUMNS = (TableColumn("source", keep_end=True), TableColumn("title"), TableColumn("size", right=True))
ROWS = st.lists(st.tuples(LINES, LINES, st.integers(0, 10**7).map(str)), min_size=1, max_size=5)
LOOKS = st.builds(TerminalLook, st.integers(20, 120), st.booleans(), st.sampled_from(["utf-8", "latin-1"]))


@given(ROWS, LOOKS)
def test_a_table_fits_and_keeps_its_numbers(rows: list[tuple[str, str, str]], look: TerminalLook) -> None:
    """No line is wider than the terminal; numbers are whole; they end in one column where there is a table."""
    lines = [plain(line) for line in table(COLUMNS, rows, look)]
    assert all(width(line) <= look.columns for line in lines)
    assert all(any(row[2] in line for line in lines) for row in rows)
    if len(lines) == len(rows) + 1:
        assert len({width(line) for line in lines}) == 1


def test_a_table_without_rows_is_nothing() -> None:
    """Not even its titles."""
    assert list(table(COLUMNS, [], TerminalLook())) == []


@pytest.mark.parametrize("symbols", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_every_sign_is_one_column(symbols: Symbols) -> None:
    """Else lines would not stand under each other; and ASCII is ASCII."""
    signs = [getattr(symbols, row.name) for row in fields(Symbols)]
    assert all(width(sign) == len(sign) for sign in signs)
    assert [len(sign) for sign in signs] == [len(getattr(UNICODE, row.name)) for row in fields(Symbols)]
    assert symbols is UNICODE or "".join(signs).isascii()


@pytest.mark.parametrize(("encoding", "symbols"), [("utf-8", UNICODE), ("cp1252", ASCII), ("ascii", ASCII)])
def test_signs_that_an_encoding_lacks_are_not_drawn(encoding: str, symbols: Symbols) -> None:
    """All or none: half of a scale would be no scale."""
    assert TerminalLook(encoding=encoding).symbols == symbols


@given(st.floats(0, 1), st.integers(2, 40))
def test_a_bar_is_as_wide_as_asked(share: float, columns: int) -> None:
    """Full only for all of it, empty only for nothing."""
    bar = share_bar(share, columns, UNICODE)
    assert len(bar) == columns
    assert (bar.count(UNICODE.full) == 0) == (share == 0)


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3).map(sorted), st.integers(8, 40))
def test_an_interval_bar_shows_all_three(values: list[float], columns: int) -> None:
    """The mean always; it lies between the ends."""
    least, mean, most = values
    bar = interval_bar(least, mean, most, columns, UNICODE)
    assert len(bar) == columns
    assert bar.count(UNICODE.mean) == 1
    low, high = bar.find(UNICODE.low), bar.find(UNICODE.high)
    assert low < bar.index(UNICODE.mean) or low == -1
    assert bar.index(UNICODE.mean) < high or high == -1


@given(st.lists(st.integers(0, 500), max_size=50), st.integers(1, 30))
def test_a_histogram_shows_every_value(values: list[int], bins: int) -> None:
    """As many columns as bins; the highest block is where most values are."""
    line = histogram(values, bins, UNICODE)
    assert len(line) == (bins if values else 0)
    assert not values or UNICODE.levels[-1] in line


@given(st.lists(st.tuples(LINES, st.sampled_from([None, *TerminalStyle])), max_size=6), st.integers(2, 60))
def test_styles_go_on_over_line_ends(pieces: list[tuple[str, TerminalStyle | None]], columns: int) -> None:
    """Wrapped in colours a text is what it is without them."""
    drawn = [plain(line) for line in TerminalLook(columns, colour=True).wrap(pieces, columns)]
    assert drawn == list(TerminalLook(columns).wrap(pieces, columns))
    assert all(width(line) <= columns for line in drawn)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def clock(*times: float) -> object:
    """Gives these times, one a call."""
    left = list(times)
    return lambda: left.pop(0) if len(left) > 1 else left[0]


@pytest.mark.parametrize("columns", [24, 60, 100])
def test_progress_is_one_line_that_goes_away(columns: int) -> None:
    """It never reaches the last column, and nothing of it is left."""
    stream = Terminal()
    line = ProgressLine(stream, TerminalLook(columns), clock=clock(0, 1, 2, 3, 4))  # type: ignore[arg-type]
    for done in (10, 200, 489):
        line.show(done, 489, "chunks", f"Embedding 手册 {done}")
    shown = visible(stream.getvalue())
    assert len(shown) == 1
    assert 0 < width(shown[0]) < columns
    assert "\n" not in stream.getvalue()
    line.clear()
    assert visible(stream.getvalue()) == [""]


def test_progress_is_not_drawn_for_every_call() -> None:
    """Of one step once in a tenth of a second; the end always."""
    stream = Terminal()
    line = ProgressLine(stream, TerminalLook(80), clock=clock(0, 0, 0.01, 0.02, 0.03))  # type: ignore[arg-type]
    for done in range(1, 4):
        line.show(done, 4, "chunks", "same")
    assert stream.getvalue().count("\r") == 1
    line.show(4, 4, "chunks", "same")
    assert stream.getvalue().count("\r") == 2


def test_time_left_comes_from_the_time_it_took() -> None:
    """A quarter in 10 s leaves 30 s; what is counted anew begins anew; a given time is taken."""
    stream = Terminal()
    line = ProgressLine(stream, TerminalLook(100), clock=clock(0, 0, 10, 100, 100))  # type: ignore[arg-type]
    line.show(0, 40, "files", "a")
    line.show(10, 40, "files", "b")
    assert "30 s" in visible(stream.getvalue())[0]
    line.show(10, 40, "chunks", "c")
    assert "left" not in visible(stream.getvalue())[0]
    line.show(11, 40, "chunks", "d", left=7)
    assert "7 s" in visible(stream.getvalue())[0]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "1 s"), (119, "119 s"), (121, "2 min"), (7199, "119 min"), (9000, "2 h 30 min")]
)
def test_a_duration_is_written_in_the_unit_that_fits(seconds: float, text: str) -> None:
    """In the unit that says enough."""
    assert duration(seconds) == text


def test_a_watcher_that_has_gone_stops_nothing() -> None:
    """A terminal that was closed takes no more, and the work goes on."""

    class Closed(Terminal):
        def write(self, text: str) -> int:
            raise OSError(5, "gone")

    line = ProgressLine(Closed(), TerminalLook(80))
    line.show(1, 2, "chunks", "a")
    line.clear()


def test_no_line_where_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe, no stream at all, a terminal that cannot go back in a line."""
    assert progress_line(io.StringIO(), TerminalLook) is None
    assert progress_line(None, TerminalLook) is None
    monkeypatch.setenv("TERM", "xterm")
    assert progress_line(Terminal(), TerminalLook) is not None
    monkeypatch.setenv("TERM", "dumb")
    assert progress_line(Terminal(), TerminalLook) is None
