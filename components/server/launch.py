"""The server in this process, as `streamlit run serve.py` starts it; for `chunkscope app`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from streamlit.web.cli import main_run

from chunking.paths import INSTALLED, PROJECT, SECRETS

__all__ = ["serve"]

_SECRETS = Path(".streamlit") / "secrets.toml"


def serve(host: str, port: int) -> None:
    """Run the server until a signal ends it.

    Called directly, as `python -m streamlit` would put the current folder before the app's in the module path.

    Raises:
        KeyboardInterrupt: Ctrl+C, after the server has closed.
        SystemExit: the server could not start; the reason was printed.
    """
    options: dict[str, Any] = {"server_address": host, "server_port": port, "logger_hideWelcomeMessage": True}
    if INSTALLED:  # Streamlit looks beside serve.py, where an update of the program would delete them
        options["secrets_files"] = tuple(str(folder / _SECRETS) for folder in (Path.home(), SECRETS, Path.cwd()))
    assert main_run.callback is not None
    main_run.callback(str(PROJECT / "serve.py"), [], **options)
