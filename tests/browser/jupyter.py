"""JupyterLab, started for a test on notebooks of its own, and what drives it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.app import ROOT, free_port, wait_for
from tests.support.stand_in_model import stand_in_path

__all__ = ["NOTEBOOKS", "choose_theme", "open_notebook", "run_all_cells", "running_lab"]

NOTEBOOKS = ROOT / "docs" / "notebooks"
_SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True},
    "notebook-extension/tracker": {"autoStartDefaultKernel": True},
}
"""JupyterLab asks nobody for news, and no person for the kernel."""


@contextmanager
def running_lab(home: Path, notebooks: Sequence[Path], *, stand_in: bool = True) -> Iterator[str]:
    """Serve copies of notebooks; their kernels have this tree's library, and the stand-in model if wanted. Gives the
    address.
    """
    work, settings = home / "work", home / "settings"
    work.mkdir()
    for notebook in notebooks:
        shutil.copy(notebook, work / notebook.name)
    for name, values in _SETTINGS.items():
        file = settings / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(values), encoding="utf-8")
    port = free_port()
    environment = {
        **os.environ,
        "PYTHONPATH": stand_in_path() if stand_in else str(ROOT),
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        **{f"JUPYTER_{name}_DIR": str(home / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")},
        "IPYTHONDIR": str(home / "ipython"),
    }
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", f"--ServerApp.port={port}"]
    command += [f"--ServerApp.root_dir={work}", "--IdentityProvider.token=", "--ServerApp.ip=127.0.0.1"]
    command += [
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--ServerApp.disable_check_xsrf=True",
    ]
    process = subprocess.Popen(command, cwd=home, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(f"{address}/api/status")
        yield address
    finally:
        process.terminate()
        process.wait(60)


def open_notebook(page: Page, address: str, name: str) -> Locator:
    """Open a notebook in a workspace of its own; gives its panel when its kernel is there."""
    page.goto(f"{address}/lab/workspaces/{name.partition('.')[0]}/tree/{name}")
    panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
    expect(panel.locator(".jp-Cell").first).to_be_visible()
    expect(page.locator(".jp-StatusBar-Widget")).to_contain_text("| Idle")
    return panel


def choose_theme(page: Page, name: str) -> None:
    """By the menu: `JupyterLab Light`, `JupyterLab Dark`."""
    page.locator(".lm-MenuBar-itemLabel", has_text="Settings").click()
    page.locator(".lm-Menu-itemLabel", has_text="Theme").first.hover()
    page.locator(".lm-Menu-itemLabel", has_text=re.compile(f"^{name}$")).first.click()


def run_all_cells(page: Page, panel: Locator) -> None:
    """By the menu, as a person does; returns when the last cell has run."""
    prompts = panel.locator(".jp-CodeCell .jp-InputArea-prompt")
    for _ in range(5):  # a kernel that says it is there may still be connecting, and what is run then is lost
        page.locator(".lm-MenuBar-itemLabel", has_text=re.compile("^Run$")).click()
        page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Run All Cells$")).click()
        with suppress(AssertionError):
            expect(prompts.first).not_to_have_text(re.compile(r"\[ \]:"), timeout=10_000)
            break
    expect(prompts.last).to_have_text(re.compile(r"\[\d+\]:"))
