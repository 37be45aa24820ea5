"""A job for a cluster reproduces its sample in an environment of its own, and says what differs where it does not."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

from chunking.config import ENGLISH_MODEL, Config
from chunking.errors import ConfigError, NotFoundError
from chunking.export import export_file, gather
from chunking.export.cluster_job import job_sample, sample_check
from chunking.export.cluster_job.job_files import FOLDER, why_no_job
from chunking.export.cluster_job.sample_check import DOCUMENTS_FOLDER, RECORD_FILE, ROWS_FILE, check_sample
from chunking.indexing import index_files
from chunking.model import PinKind
from chunking.splitting.pins.stored_pins import PINS, StoredPin
from chunking.store import Workspace
from tests.support.cluster_builds import LEVELS, write_files
from tests.support.stand_in_model import stand_in_model, stand_in_path

SETTINGS = Config.from_settings({**LEVELS.changed(), "embedding.model": ENGLISH_MODEL})


@pytest.fixture(scope="module", autouse=True)
def _model() -> Iterator[None]:
    with stand_in_model():
        yield


@pytest.fixture(scope="module")
def workbench(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Return an indexed workspace; for reading only."""
    folder = tmp_path_factory.mktemp("workbench")
    write_files(folder / "files")
    workspace = Workspace.open(folder / "workspace")
    index_files(workspace, folder / "files", SETTINGS)
    return workspace


@pytest.fixture(scope="module")
def unpacked(workbench: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a job's folder; for reading only."""
    return unpack(workbench, tmp_path_factory.mktemp("unpacked"))


@pytest.fixture
def job(unpacked: Path, tmp_path: Path) -> Path:
    """Return a copy of the job's folder."""
    return shutil.copytree(unpacked, tmp_path / FOLDER)


def unpack(workspace: Workspace, folder: Path, sample: tuple[str, ...] = ()) -> Path:
    """Export a job, and unpack it as a program of the system would."""
    with ZipFile(export_file(workspace, "cluster-job", folder / "job.zip", sample=sample)) as pack:
        pack.extractall(folder)
    return folder / FOLDER


def sources(job: Path) -> list[str]:
    """Return the paths of a job's sample."""
    return [one["source"] for one in json.loads((job / RECORD_FILE).read_bytes())["documents"]]


def ran(job: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a job's folder, with nothing of this process but the library and the model's stand-in."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(job.parent), "PYTHONPATH": stand_in_path(), **more}
    return subprocess.run(words, cwd=job, env=environment, capture_output=True, encoding="utf-8", check=False)


def change(path: Path, old: str, new: str) -> None:
    """Replace a text in a file, once."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


# -- the check


def test_the_check_passes_in_an_environment_of_its_own(job: Path) -> None:
    """With the exported folder alone; a package in another version is one sentence."""
    done = ran(job, sys.executable, "check.py")
    assert (done.returncode, done.stderr) == (0, "")
    change(job / "requirements.txt", "lxml==", "lxml==0.")
    done = ran(job, sys.executable, "check.py")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("lxml ")


def other_bytes(job: Path) -> None:
    """Append a space to a document."""
    path = job / DOCUMENTS_FOLDER / sources(job)[0]
    path.write_bytes(path.read_bytes() + b" ")


CHANGES: Mapping[str, tuple[Callable[[Path], None], str]] = {
    "setting": (lambda job: change(job / "chunkscope.yaml", "size: 40", "size: 41"), " size "),
    "search setting": (lambda job: change(job / "chunkscope.yaml", "  k: ", "  k: 1"), "search.k"),
    "document": (other_bytes, "Page.html"),
    "indexed text": (lambda job: change(job / ROWS_FILE, '"indexed_text": "', '"indexed_text": "x'), "indexed_text"),
    "span": (lambda job: change(job / ROWS_FILE, '"start": 0', '"start": 1'), " start"),
    "row": (lambda job: change(job / ROWS_FILE, '"id": "', '"id": "x'), " x"),
    "no row": (lambda job: (job / ROWS_FILE).write_text(""), "Page.html"),
    "no document": (lambda job: shutil.rmtree(job / DOCUMENTS_FOLDER), "Page.html"),
    "no record": (lambda job: (job / RECORD_FILE).write_text("{}"), "code"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_check_names_the_first_difference(job: Path, name: str) -> None:
    """One sentence, whatever was changed."""
    make, says = CHANGES[name]
    assert check_sample(job).is_equal
    make(job)
    check = check_sample(job)
    assert not check.is_equal
    assert says in check.sentence
    assert "\n" not in check.sentence


def test_another_version_of_the_code_is_named(unpacked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not tried first whether its rows differ by chance."""
    monkeypatch.setattr(sample_check, "sample_code", lambda: "other.1")
    check = check_sample(unpacked)
    assert not check.is_equal
    assert "other.1" in check.sentence


# -- the cluster


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_the_command_builds_the_sample_on_ray(workbench: Workspace, tmp_path: Path) -> None:
    """With Ray that it starts itself; the rows are the workbench's, and a changed one is found."""
    job = unpack(workbench, tmp_path, ("page1.md", "mail.eml"))
    words = (DOCUMENTS_FOLDER, str(tmp_path / "trial"), "--workers", "1")
    done = ran(job, "sh", "index.sh", *words, PYTHON=sys.executable)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["documents"] >= len(sources(job))
    assert check_sample(job, str(tmp_path / "trial")).is_equal
    change(job / ROWS_FILE, '"embedding_content": "', '"embedding_content": "x')
    assert "embedding_content" in check_sample(job, str(tmp_path / "trial")).sentence


def test_an_index_without_the_sample_is_not_equal(unpacked: Path, tmp_path: Path) -> None:
    """Nothing to compare is no success."""
    (tmp_path / "other.md").write_text("Another text.")
    workspace = Workspace.open(tmp_path / "workspace")
    index_files(workspace, tmp_path / "other.md", SETTINGS)
    assert not check_sample(unpacked, workspace.uri).is_equal
    assert not check_sample(unpacked, str(tmp_path / "none")).is_equal


def test_the_recipe_for_kubernetes_is_complete(unpacked: Path) -> None:
    """All machines have one image and one folder, and run the command of the job."""
    job = yaml.safe_load((unpacked / "rayjob.yaml").read_text())
    cluster = job["spec"]["rayClusterSpec"]
    pods = [one["template"]["spec"] for one in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"])]
    assert (job["kind"], cluster["authOptions"]) == ("RayJob", {"mode": "token"})
    assert "/job/index.sh /data/documents" in job["spec"]["entrypoint"]
    assert len({json.dumps([pod["volumes"], pod["containers"][0]["volumeMounts"]]) for pod in pods}) == 1
    assert f"ray:{cluster['rayVersion']}-py3" in (unpacked / "Dockerfile").read_text()
    assert f"ray=={cluster['rayVersion']}" in (unpacked / "requirements.txt").read_text()


def test_the_recipe_for_ssh_starts_and_stops_every_machine(job: Path, tmp_path: Path) -> None:
    """In order, with a token that only its owner reads, and that is gone at the end; a public address is refused."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("ray", "ssh", "python"):
        program = programs / name
        program.write_text(
            f'#!/bin/sh\nls -l "{job}/.ray-token" >> ../modes 2>&1\necho {name} "$@" >> ../log\necho x\n'
        )
        program.chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    machines = {"HEAD": "10.0.0.5", "WORKERS": "10.0.0.6 192.168.1.7", "BIN": str(programs), "PATH": path}
    for wrong in ({"HEAD": "8.8.8.8"}, {"WORKERS": "10.0.0.6 10.evil.example"}, {"WORKERS": "172.32.0.1"}):
        assert ran(job, "sh", "ssh.sh", "docs", "place", **machines | wrong).returncode == 2
    assert not (tmp_path / "log").exists()
    assert ran(job, "sh", "ssh.sh", "docs", "place", **machines).returncode == 0
    log = (tmp_path / "log").read_text().splitlines()
    names = [line.partition(" ")[0] for line in log]
    assert names == ["python", "ray", "ssh", "ssh", "python", "python", "ssh", "ssh", "ray"]
    assert "--head" in log[1]
    assert "ray start --address=10.0.0.5:6379" in log[3]
    assert "--workspace place --engine ray" in log[5]
    assert log[5].endswith("--address 10.0.0.5:6379")
    assert not (job / ".ray-token").exists()
    assert "-rw-------" in (tmp_path / "modes").read_text()


def test_the_programs_are_valid(unpacked: Path) -> None:
    """Shells read them, and a folder of files may be run by whoever unpacks it with its rights."""
    for name in ("index.sh", "ssh.sh"):
        assert ran(unpacked, "sh", "-n", name).returncode == 0
    with ZipFile(unpacked.parent / "job.zip") as pack:
        assert stat.S_IMODE(pack.getinfo(f"{FOLDER}/index.sh").external_attr >> 16) == 0o755


# -- what is in it


def test_the_sample_holds_what_its_files_alone_reproduce(workbench: Workspace, unpacked: Path, tmp_path: Path) -> None:
    """An id that depends on another file leaves a document out, or is a sentence if it was chosen."""
    shared = {row.source: row.doc_id for row in workbench.documents() if not row.parent_id}
    assert len(sources(unpacked)) == 5
    assert {"page.md", "a_guide.md"} - set(sources(unpacked))
    chosen = unpack(workbench, tmp_path, ("page1.md", "mail.eml"))
    assert sources(chosen) == ["page1.md", "mail.eml"]
    assert check_sample(chosen).is_equal
    other = next(source for source, doc_id in shared.items() if doc_id.endswith("_2"))
    with pytest.raises(ConfigError) as refused:
        unpack(workbench, tmp_path, (other,))
    assert other in str(refused.value)
    with pytest.raises(NotFoundError):
        unpack(workbench, tmp_path, ("none.md",))


def test_a_sample_has_bounds(workbench: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of documents and of bytes; and an empty one is no sample."""
    with pytest.raises(ConfigError):
        unpack(workbench, tmp_path, tuple(f"{number}.md" for number in range(job_sample.MOST_DOCUMENTS + 1)))
    monkeypatch.setattr(job_sample, "_MOST_BYTES", 10)
    monkeypatch.setattr(job_sample, "_USUAL_BYTES", 10)
    for sample in (("page1.md",), ()):
        with pytest.raises(ConfigError):
            unpack(workbench, tmp_path, sample)


def test_nothing_of_this_machine_is_in_it(workbench: Workspace, unpacked: Path) -> None:
    """No path of the workspace, of the files or of this process."""
    for path in (path for path in unpacked.rglob("*") if path.is_file()):
        for secret in (workbench.uri, str(Path(workbench.uri).parent), str(Path.home()), str(Path.cwd())):
            assert secret.encode() not in path.read_bytes(), path


@pytest.mark.parametrize("key", ["enrich.raptor", "prefix", "strategy", "embedding.mode"])
def test_settings_that_a_cluster_refuses_make_no_job(workbench: Workspace, key: str, tmp_path: Path) -> None:
    """The sentence is the engine's."""
    value = {"enrich.raptor": "true", "prefix": "context", "strategy": "semantic", "embedding.mode": "late"}[key]
    material = gather(workbench, wants_runs=False)
    index = material.required_index
    index.row = replace(index.row, config=Config.from_settings({key: value}))
    assert "ray" in why_no_job(replace(material, index=index))


def test_documents_changed_by_hand_make_no_job(workbench: Workspace, tmp_path: Path) -> None:
    """Their pins would be missing there."""
    workspace = Workspace.open(shutil.copytree(workbench.uri, tmp_path / "workspace"))
    assert why_no_job(gather(workspace, wants_runs=False)) == ""
    document = workspace.document("page1")
    pin = StoredPin.of(document, PinKind.SPLIT, document.text.index("oil"))
    workspace.changes.append("page1", PINS, [pin.as_record()])
    with pytest.raises(ConfigError):
        unpack(workspace, tmp_path)
