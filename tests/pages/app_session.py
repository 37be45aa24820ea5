"""Pages of the app, opened in a session of their own, and what they say."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from chunking.config import Config

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_data"

LOCKER = """
import sys
from chunking.store import Workspace
with Workspace.open(sys.argv[1], create=False).writer():
    print("held", flush=True)
    sys.stdin.read()
"""


def open_page(page: str = "chunks", settings: Mapping[str, str] | None = None, **view: str) -> AppTest:
    """A page in a new session that looks at something already; the workspace is that of the environment."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    if settings or view:
        app.session_state["share.config"] = Config.from_settings(settings or {})
        app.session_state["share.view"] = view
    return go_to(app, page)


def open_link(**address: str) -> AppTest:
    """The first page in a session that a link has begun."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in address.items():
        app.query_params[key] = value
    return run_app(app)


def go_to(app: AppTest, page: str) -> AppTest:
    """Another page in the same session."""
    return run_app(app.switch_page(f"pages/{page}.py"))


def run_app(app: AppTest) -> AppTest:
    """One more run, with no traceback on the page."""
    app.run()
    assert not app.exception, app.exception
    return app


def type_setting(app: AppTest, setting: str, text: str) -> AppTest:
    """What the field of a setting holds that takes other values than those it lists; not run yet."""
    field = next(box for box in app.selectbox if str(box.key).endswith(setting))
    if text not in (option.partition(" · ")[0] for option in field.options):
        field.options.append(text)  # what the browser sends is the text itself
    field.set_value(text)
    return app


def page_text(app: AppTest) -> str:
    """All sentences of the page, as they are read."""
    parts = (
        part for kind in (app.error, app.warning, app.info, app.success, app.markdown, app.caption) for part in kind
    )
    return "\n".join(str(part.value).replace("\\", "") for part in parts)


def metrics(app: AppTest) -> dict[str, str]:
    """Label to value."""
    return {metric.label: metric.value for metric in app.metric}


def state(app: AppTest, key: str) -> Any:
    """A value of the session; None where it is not set."""
    return app.session_state[key] if key in app.session_state else None  # noqa: SIM401 - it has no get


def message_at(app: AppTest, number: int) -> dict[str, Any]:
    """The message of the component in this place."""
    import json

    message: dict[str, Any] = json.loads(app.get("bidi_component")[number].proto.json)
    return message


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for what another process does."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.05)


@contextmanager
def hold_lock(workspace: Path) -> Iterator[None]:
    """Another process holds the workspace's lock meanwhile."""
    with subprocess.Popen(
        [sys.executable, "-c", LOCKER, str(workspace)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield
        finally:
            process.communicate()
