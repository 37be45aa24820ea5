"""What the pages are made of, imported by one thread before they are drawn."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
TWO_THREADS = """
import ast, pathlib, sys, threading
from components.server.page_imports import import_pages

threads = [threading.Thread(target=import_pages) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
before = set(sys.modules)
for script in ("app.py", *pathlib.Path("pages").glob("*.py")):
    tree = ast.parse(pathlib.Path(script).read_text())
    tree.body = [one for one in tree.body if isinstance(one, (ast.Import, ast.ImportFrom))]
    exec(compile(tree, str(script), "exec"), {})
print(sorted(set(sys.modules) - before))
"""


def test_nothing_is_left_for_a_page_to_import() -> None:
    """Whoever comes first imports, the others wait; afterwards the imports of no page bring a module that was not
    there.
    """
    message = subprocess.run([sys.executable, "-c", TWO_THREADS], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (message.stdout, message.returncode) == ("[]\n", 0), message.stderr
