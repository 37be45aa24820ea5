"""The zip of a job for a cluster, and why there is none for an index."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.resources import files
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile

from chunking.config import ENGLISH_MODEL, MULTILINGUAL_MODEL, Config, remote_name
from chunking.display import quantity
from chunking.errors import ConfigError, MissingPackageError
from chunking.export.chunk_exports import json_line
from chunking.export.cluster_job.job_sample import SampleFile, choose_sample
from chunking.export.cluster_job.sample_check import CONFIG_FILE, DOCUMENTS_FOLDER, RECORD_FILE, ROWS_FILE
from chunking.export.cluster_job.sample_rows import SampleReader, sample_code
from chunking.export.configuration import comment, configuration_yaml, own_model, shared_config
from chunking.export.export_job import Material
from chunking.export.zip_entries import zip_entry
from chunking.indexing import DocumentInputs, workspace_parser
from chunking.indexing.cluster.cluster_limits import check_settings
from chunking.model import BUILT_IN

__all__ = ["FOLDER", "why_no_job", "write_job"]

FOLDER = "cluster_job"
"""Folder of the zip that has all files."""
_RAY = "2.60.0"
"""Version of Ray for the recipes where none is installed: the first that the extra `cluster` allows."""
_PROGRAMS = ("index.sh", "ssh.sh")
_TEMPLATES = {
    "README.md": "readme.md.txt",
    "index.sh": "index.sh.txt",
    "ssh.sh": "ssh.sh.txt",
    "check.py": "check.py.txt",
    "rayjob.yaml": "rayjob.yaml.txt",
    "Dockerfile": "dockerfile.txt",
}


def why_no_job(material: Material) -> str:
    """Return a sentence on why a cluster cannot build the index as it is; empty if it can."""
    try:
        check_settings(material.required_index.config)
    except ConfigError as error:
        return str(error)
    by_hand = [name for name in ("edits", "pins") if name in material.inputs.counts]
    if by_hand:
        counts = " and ".join(quantity(material.inputs.counts[name], name[:-1]) for name in by_hand)
        return (
            f"The engine ray does not support edits and pins yet, and the documents of this index have {counts}; "
            "export an index of documents without them."
        )
    return material.stale


def write_job(material: Material, sink: BinaryIO) -> None:
    """Write the zip of a job; equal indexes give equal bytes.

    Raises:
        ConfigError: a cluster cannot build the index (`why_no_job`), or there is no sample (`choose_sample`).
    """
    if reason := why_no_job(material):
        raise ConfigError(reason, where="cluster-job")
    index = material.required_index
    settings = configuration_yaml(
        index.config, of=f"the index {index.name}", fingerprint=index.fingerprint, inputs=material.inputs
    )
    reading = _reading(material)
    sample = choose_sample(material, SampleReader(index.config, DocumentInputs.from_yaml(settings), reading))
    with ZipFile(sink, "w", ZIP_DEFLATED) as pack:
        for name, data in _files(material, settings, reading, sample):
            pack.writestr(zip_entry(f"{FOLDER}/{name}", is_program=name in _PROGRAMS), data)


def _reading(material: Material) -> dict[str, Any]:
    """Return how the command reads all files: the options that any document was read with, and the parser."""
    options = {option for row in material.indexed_files for option in row.read_options}
    return {
        "ocr": "ocr" in options,
        "comments": "comments" in options,
        "parser": workspace_parser(material.workspace),
    }


def _files(
    material: Material, settings: str, reading: Mapping[str, Any], sample: list[SampleFile]
) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each file."""
    index, config = material.required_index, material.required_index.config
    packages = _requirements(_extras(config, {*material.inputs.parsers.values(), reading["parser"]}))
    values = _values(material, reading, sample)
    for name, template in _TEMPLATES.items():
        text = files("chunking.export.cluster_job").joinpath(template).read_text(encoding="utf-8")
        yield name, _filled(text, values).encode()
    yield CONFIG_FILE, settings.encode("utf-8", "replace")
    yield "requirements.txt", packages.encode()
    record = {
        "index": index.name,
        "chunkscope": version("chunkscope"),
        "code": sample_code(),
        "python": values["PYTHON"],
        "settings": shared_config(config).changed(),
        "reading": dict(reading),
        "documents": [{"source": one.source, "sha256": hashlib.sha256(one.data).hexdigest()} for one in sample],
    }
    yield RECORD_FILE, (json.dumps(record, ensure_ascii=True, indent=1) + "\n").encode()
    yield ROWS_FILE, "".join(json_line(row) for one in sample for row in one.rows).encode()
    for one in sample:
        yield f"{DOCUMENTS_FOLDER}/{one.source}", one.data


def _values(material: Material, reading: Mapping[str, Any], sample: list[SampleFile]) -> dict[str, str]:
    """Return the values of the templates' names."""
    index, config = material.required_index, material.required_index.config
    options = [f"--{name}" for name in ("ocr", "comments") if reading[name]]
    options += ["--parser", reading["parser"]] if reading["parser"] != BUILT_IN else []
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    notes = []
    if own_model(config):
        notes.append("The model was a folder of the workbench: put it on every machine, and its path into the file.")
    if remote_name(config.embedding.model) is not None:
        notes.append("The vectors come from a server's model: set its address and key on every machine.")
    return {
        "INDEX": comment(index.name),
        "FINGERPRINT": index.fingerprint,
        "OPTIONS": "".join(f" {shlex.quote(word)}" for word in [f"--name={index.name}", *options]),
        "PYTHON": python,
        "PYTHON_TAG": python.replace(".", ""),
        "RAY": _installed("ray") or _RAY,
        "CHUNKSCOPE": version("chunkscope"),
        "SAMPLE": f"{quantity(len(sample), 'document')} with {quantity(sum(len(one.rows) for one in sample), 'row')}",
        "MODEL_NOTE": "".join(f" {note}" for note in notes),
    }


def _filled(text: str, values: Mapping[str, str]) -> str:
    return re.sub(r"@([A-Z_]+)@", lambda name: values[name[1]], text)


# -- requirements


def _extras(config: Config, parsers: Iterable[str]) -> list[str]:
    """Return the extras of the package that a machine of the cluster needs."""
    model = config.embedding.model
    packaged = model in (ENGLISH_MODEL, MULTILINGUAL_MODEL) or remote_name(model) is not None
    return ["cluster", *([] if packaged else ["torch"]), *(["unstructured"] if "unstructured" in parsers else [])]


def _requirements(extras: Iterable[str] = ("cluster",)) -> str:
    """Return the packages that Chunkscope needs, in the versions installed here, as lines for pip.

    Packages that those need are left to pip; of the extras, what is not installed here, too.

    Raises:
        MissingPackageError: Chunkscope itself is not installed as a package, so nothing is known of it.
    """
    try:
        ours, needed = version("chunkscope"), requires("chunkscope") or []
    except PackageNotFoundError as error:
        raise MissingPackageError(
            "Chunkscope is not installed as a package, so the versions that it needs are unknown; run pip install -e . "
            "in its folder.",
            where="chunkscope",
        ) from error
    extras = list(extras)
    lines = [line for line in needed if not (extra := re.search(r"extra == .(\w+)", line)) or extra[1] in extras]
    names = dict.fromkeys([*(re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in lines), "ray", "pylance"])
    pins = [f"{name}=={installed}" for name in names if (installed := _installed(name))]
    return "".join(f"{line}\n" for line in [f"chunkscope[{','.join(extras)}]=={ours}", *sorted(pins, key=str.lower)])


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
