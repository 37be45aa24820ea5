"""Start of the app: does it answer before heavy packages are imported?"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.report import Row, Table
from tests.browser.app import wait_for

_ROOT = Path(__file__).parent.parent
HEAVY = ("torch", "sentence_transformers", "transformers")

_PROBE = """
import sys, runpy
sys.argv = ["streamlit", "run", "serve.py", "--server.port", "{port}"]
import atexit, threading, time
def report():
    while True:
        time.sleep(0.2)
        loaded = [name for name in {heavy!r} if name in sys.modules]
        open({path!r}, "w").write(",".join(loaded))
threading.Thread(target=report, daemon=True).start()
runpy.run_module("streamlit", run_name="__main__")
"""


def run() -> Table:
    """Start the app, wait for its first page, and list the imported packages."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        loaded = Path(folder) / "loaded"
        code = _PROBE.format(port=port, heavy=HEAVY, path=str(loaded))
        environment = {**os.environ, "CHUNKSCOPE_WORKSPACE": str(Path(folder) / "workspace")}
        began = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, "-c", code], cwd=_ROOT, env=environment, stdout=subprocess.DEVNULL
        ) as app:
            wait_for(f"http://127.0.0.1:{port}/_stcore/health")
            seconds = time.perf_counter() - began
            time.sleep(0.5)
            heavy = loaded.read_text()
            app.terminate()
    return Table(
        "Start",
        [
            Row(
                "heavy packages imported when `streamlit run` answers",
                f"answered after {seconds:.1f} s",
                ", ".join(HEAVY),
                heavy or "none",
                "none",
                not heavy,
            )
        ],
    )


if __name__ == "__main__":
    print(run().markdown())
