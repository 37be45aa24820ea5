"""Time from a fresh start to a recommended configuration: the guide, played in Chromium.

    python -m benchmarks five_minutes

It times tests/browser/five_minutes.py, which a test plays, too.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.report import Row, Table
from tests.browser.app import chromium, new_tab, running_app
from tests.browser.five_minutes import play

MOST_SECONDS = 60


def run() -> Table:
    """Play the guide once, in a new workspace."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_app(Path(folder) / "workspace") as address,
        chromium() as browser,
    ):
        played = play(new_tab(browser, width=1366, height=768), address)
    return Table(
        "Five minutes with the guide",
        [
            Row(
                "clicking and waiting, from the first step to the report",
                f"{played.seconds:.0f} s",
                f"{MOST_SECONDS} s",
                f"{played.seconds / MOST_SECONDS:.2f}",
                "≤ 1",
                played.seconds <= MOST_SECONDS,
            ),
            Row(
                "recall of the recommended configuration, measured on a real index",
                f"{played.measured:.1f} %",
                f"512/50 with vector search: {played.start:.1f} %",
                f"+{played.measured - played.start:.1f} points",
                "> 0",
                played.measured > played.start,
            ),
            Row("clicks to the export", str(played.clicks), "", str(played.clicks), "5", played.clicks == 5),
        ],
        [
            "The samples in a fresh workspace; two cores.",
            f"Seconds of each step: {', '.join(f'{wait:.0f}' for wait in played.waits)}.",
        ],
    )


if __name__ == "__main__":
    print(run().markdown())
