"""What begins with the server, before any page."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import pytest
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components.server import upkeep


def test_a_workspace_that_cannot_be_opened_does_not_stop_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The first page says it; the log does, too."""
    file = tmp_path / "workspace"
    file.write_text("no folder", encoding="utf-8")
    monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(file))
    with caplog.at_level(logging.WARNING):
        upkeep._prepare()
    assert upkeep.__name__ in {record.name for record in caplog.records}


@pytest.mark.parametrize(("thread", "warned"), [(upkeep._NAME, False), ("of-a-fault", True)])
def test_streamlit_does_not_warn_that_the_warm_up_has_no_page(
    thread: str, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """It fills caches before there is a page; of any other thread the warning tells a fault."""
    logger = logging.getLogger(upkeep._WARNS_WITHOUT_PAGE)
    logger.addFilter(upkeep._has_page)
    logger.addHandler(caplog.handler)  # Streamlit's loggers hand nothing on
    try:
        asking = threading.Thread(target=get_script_run_ctx, name=thread)
        asking.start()
        asking.join()
    finally:
        logger.removeHandler(caplog.handler)
        logger.removeFilter(upkeep._has_page)
    assert bool(caplog.records) is warned
