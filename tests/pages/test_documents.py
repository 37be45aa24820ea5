"""The Documents page: samples, uploads good and bad, versions, deletion."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec
from streamlit.testing.v1 import AppTest

import components.workspace
from chunking.parsing import parse
from chunking.store import Workspace
from components import uploads
from components.uploads import ENCODINGS
from components.workspace import workspace
from tests.pages.opened import locked, opened, ran, said, state, went
from tests.store.disks import mounted, remount

GOOD = b"# Pumps\n\n## Quiet ones\n\nThe pump got quieter.\n"
BINARY = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8
CHINESE = (
    "# 产品手册\n\n设备的保修期是两年。请在购买后的三十天内完成注册,否则保修期从出厂日期起算。如有问题,请联系我们的客户服务部门。\n" * 4
)

HOSTILE_TITLES = (
    "![x](http://127.0.0.1:9/x.png)",
    "[click](http://127.0.0.1:9/)",
    "<img src=x onerror=alert(1)>",
    "$x^2$ :red[y] :material/home:",
    "https://evil.example/login",
)


def uploaded(app: AppTest, files: Sequence[tuple[str, bytes]]) -> AppTest:
    """Drop files on the page."""
    app.file_uploader[0].set_value([(name, data, "text/markdown") for name, data in files])
    return ran(app)


def sources(workspace: Workspace) -> set[str]:
    return {row.source for row in workspace.documents()}


def confirmed(app: AppTest, button: str, sure: str) -> AppTest:
    """Open a dialog and say yes."""
    app.button(key=button).click()
    ran(app)
    app.button(key=button).click()
    app.button(key=sure).click()
    return ran(app)


class TestSamples:
    @pytest.mark.parametrize("made_before", [True, False])
    def test_first_start_shows_them(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_before: bool) -> None:
        """In a folder that is not there yet as in an empty one, such as a disk that was just mounted."""
        folder = tmp_path / "workspace"
        if made_before:
            folder.mkdir()
        monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(folder))
        app = opened("documents")
        assert len(app.dataframe[0].value) == 4
        assert "读" not in said(app)
        assert "read as" in said(app)

    @pytest.mark.usefixtures("dialogs")
    def test_start_empty_and_reset_to_samples(self, indexed: Workspace) -> None:
        """Both ask first; an emptied workspace stays empty at the next start, and says what to do."""
        app = opened("documents", doc="faq_faq")
        app.button(key="documents.empty").click()
        assert "All 1 document and all indexes are deleted" in said(ran(app))
        assert indexed.documents()
        confirmed(app, "documents.empty", "documents.reset.sure")
        assert (indexed.documents(), indexed.indexes()) == ([], [])
        assert "There are no documents yet" in said(app)
        assert "There are no documents yet" in said(opened("documents"))
        confirmed(app, "documents.reset", "documents.reset.sure")
        assert len(indexed.documents()) == 4


class TestUploads:
    def test_good_ones_are_kept_and_each_bad_one_has_its_sentence(self, samples: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """Empty, white space, binary, over-large; one of the good ones is shown, and what was said goes when the page is left."""
        monkeypatch.setattr("chunking.parsing.document.MAX_BYTES", 10_000)
        before = sources(samples)
        bad = [("empty.md", b""), ("space.txt", b" \n\t\r\n "), ("picture.md", BINARY), ("large.md", b"word " * 4_000)]
        app = uploaded(opened("documents"), [bad[0], ("good.md", GOOD), *bad[1:], ("also.txt", b"Plain words.")])
        assert sources(samples) - before == {"good.md", "also.txt"}
        (success,), (error,) = app.success, app.error
        assert "good.md: Added: 2 sections, 46 characters." in success.value.replace("\\", "")
        lines = error.value.replace("\\", "").split("  \n")
        assert len(lines) == 4
        for (name, _), line, words in zip(bad, lines, ("is empty", "is empty", "not text", "the limit is"), strict=True):
            assert line.startswith(name)
            assert words in line
            assert line.count(name) == 1
        assert state(app, "share.view")["doc"] == "good"
        assert "Pumps" in [heading.value for heading in app.subheader]
        went(app, "chunks")
        assert not went(app, "documents").success

    def test_a_guessed_encoding_is_shown(self, samples: Workspace) -> None:
        """GB18030, UTF-16 and invalid bytes say how they were read; plain UTF-8 has nothing to say."""
        files = [
            ("gb.md", CHINESE.encode("gb18030")),
            ("wide.md", CHINESE.encode("utf-16")),
            ("utf8.md", CHINESE.encode()),
            ("broken.md", b"# Broken\n\nGood words, then \xff\xfe\x80 bad bytes, then good words.\n"),
        ]
        app = uploaded(opened("documents"), files)
        assert not app.error
        stored = {row.source: row for row in samples.documents()}
        assert stored["gb.md"].encoding.lower().replace("_", "") in ("gb18030", "gbk", "gb2312")
        assert stored["wide.md"].encoding.startswith("utf-16")
        assert samples.document(stored["gb.md"].doc_id).text == samples.document(stored["wide.md"].doc_id).text == CHINESE
        assert stored["utf8.md"].warnings == ()
        shown = said(app)
        assert stored["gb.md"].warnings[0] in shown
        assert stored["broken.md"].warnings[0] in shown
        assert f"read as markdown, {stored['gb.md'].encoding}" in shown

    def test_a_wrong_guess_can_be_put_right(self, samples: Workspace) -> None:
        """By adding the file again with its encoding chosen: a new version without a guess."""
        app = opened("documents")
        short = "réglé à côté".encode("cp1250", "replace")
        uploaded(app, [("short.txt", short)])
        app.selectbox(key="uploads.encoding").select("cp1252")
        ran(app)
        uploaded(app, [("short.txt", short), ("wide.txt", b"\xff")])
        row = next(row for row in samples.documents() if row.source == "short.txt")
        assert (row.encoding, row.warnings, len(row.versions)) == ("cp1252", (), 0)
        assert samples.document("short").text.startswith("réglé")
        assert "read as text, cp1252" in said(app)
        assert app.selectbox(key="uploads.encoding").value == "cp1252"

    @pytest.mark.parametrize("encoding", ENCODINGS)
    def test_each_encoding_that_is_offered_can_be_read(self, encoding: str) -> None:
        """What the box offers, Python knows."""
        assert parse("Words.".encode(encoding), "words.txt", encoding=encoding).text == "Words."

    def test_two_files_of_one_name_are_two_documents(self, samples: Workspace) -> None:
        """And both stay what they are when both come again."""
        app = opened("documents")
        for turn in ("first", "second"):
            uploaded(app, [("notes.md", f"# One {turn}\n\nText.".encode()), ("notes.md", f"# Two {turn}\n\nText.".encode())])
        titles = {row.source: (row.title, len(row.versions)) for row in samples.documents() if row.source.startswith("notes")}
        assert titles == {"notes.md": ("One second", 1), "notes (2).md": ("Two second", 1)}

    @pytest.mark.parametrize(
        "name",
        ["../../etc/passwd.md", "x" * 296 + ".md", "a\x07b\u202egnp.md", "![x](y) $z$.md", "C:\\notes\\a.md", "产品 手册.md", "..md"],
    )
    def test_any_name_is_made_safe(self, samples: Workspace, name: str) -> None:
        """No way out of the workspace, nothing unseen, and not too long; it is shown as text."""
        before = sources(samples)
        app = uploaded(opened("documents"), [(name, GOOD)])
        (added,) = sources(samples) - before
        assert ".." not in added.split("/")
        assert len(added) <= 300
        assert added.isprintable()
        assert not added.startswith("/")
        assert "Added" in said(app)
        assert "](" not in app.success[0].value

    def test_the_same_name_again_is_a_new_version(self, indexed: Workspace) -> None:
        """The document stays the same one, the page shows its new text, and its index is out of date."""
        app = opened("documents")
        uploaded(app, [("pumps.md", GOOD)])
        uploaded(app, [("pumps.md", GOOD.replace(b"quieter", b"louder"))])
        assert "New version" in said(app)
        assert "2 versions, the newest is the one searched" in said(app)
        assert "louder" in indexed.document("pumps").text
        assert "1 document added" in said(went(app, "index"))

    @pytest.mark.parametrize("title", HOSTILE_TITLES)
    def test_a_hostile_title_is_text(self, samples: Workspace, title: str) -> None:
        """Escaped wherever Streamlit would read Markdown, on all pages."""
        app = uploaded(opened("documents"), [("hostile.txt", b"Words."), ("hostile.md", f"# `{title}`\n\nWords.\n".encode())])
        row = next(row for row in samples.documents() if row.source == "hostile.md")
        assert row.title == title
        app.session_state["share.view"] = {"doc": row.doc_id}
        app.session_state["chunks.viewer.at"] = 0
        for page in ("documents", "chunks", "index"):
            went(app, page)
            for kind in (app.markdown, app.caption, app.subheader, app.success, app.info, app.error):
                assert title not in "".join(str(part.value) for part in kind)


class TestTable:
    def test_the_row_of_the_view_is_picked_and_stays_with_its_document(self, samples: Workspace) -> None:
        """Also when rows come before it: a row's number is not a document."""
        app = opened("documents", doc="manual-zh_产品使用手册")
        assert app.subheader[0].value.startswith("鹭")
        samples.delete_documents(["api_rest-api-reference"])
        ran(app)
        assert app.subheader[0].value.startswith("鹭")
        assert state(app, "share.view")["doc"] == "manual-zh_产品使用手册"

    def test_a_document_that_vanished_is_missed_in_a_sentence(self, samples: Workspace) -> None:
        """Deleted in another tab: on this page and on Chunks."""
        one, two = opened("documents", doc="faq_faq"), opened("chunks", doc="faq_faq", chunk="2")
        samples.delete_documents(["faq_faq"])
        assert "“faq_faq” is not in this workspace (any more)" in said(ran(one))
        assert "“faq_faq” is not in this workspace (any more)" in said(ran(two))
        assert "not in this workspace" not in said(ran(one)) + said(ran(two))
        assert state(two, "share.view")["doc"] != "faq_faq"

    @pytest.mark.usefixtures("dialogs")
    def test_delete_asks_and_deletes(self, indexed: Workspace) -> None:
        """With its chunks in the index."""
        app = opened("documents", doc="faq_faq")
        app.button(key="documents.delete").click()
        assert "leave the workspace and every index" in said(ran(app))
        confirmed(app, "documents.delete", "documents.delete.sure")
        assert indexed.documents() == []
        assert indexed.index("main").count() == 0

    @pytest.mark.usefixtures("dialogs")
    def test_what_was_deleted_in_another_tab_cannot_be_deleted_again(self, samples: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """One sentence in the dialog."""
        app = opened("documents", doc="faq_faq")
        app.button(key="documents.delete").click()
        ran(app)
        app.button(key="documents.delete").click()
        app.button(key="documents.delete.sure").click()
        take = components.workspace._take

        def too_late(target: Workspace, held: ExitStack) -> None:
            samples.delete_documents(["faq_faq"])
            take(target, held)

        monkeypatch.setattr("components.workspace._take", too_late)
        ran(app)
        assert "There is no document 'faq_faq'" in app.error[0].value.replace("\\", "")


class TestWorkspaceTrouble:
    @pytest.mark.usefixtures("dialogs")
    def test_locked_by_another_process(self, samples: Workspace) -> None:
        """Upload, delete and reset say so in one sentence, and can be done once the other is finished."""
        app = opened("documents", doc="faq_faq")
        before = sources(samples)
        with locked(Path(samples.uri)):
            uploaded(app, [("one.md", GOOD), ("two.md", GOOD)])
            assert said(app).count("Another process is writing") == 2
            for button, sure in (
                ("documents.delete", "documents.delete.sure"),
                ("documents.empty", "documents.reset.sure"),
                ("documents.reset", "documents.reset.sure"),
            ):
                confirmed(app, button, sure)
                assert "Another process is writing" in app.error[0].value
            assert sources(samples) == before
        uploaded(app, [("one.md", GOOD)])
        assert sources(samples) - before == {"one.md"}

    @pytest.mark.usefixtures("dialogs")
    def test_a_disk_that_became_read_only(self, samples: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """What is there can be read; a change says why it cannot be made."""
        with mounted(tmp_path / "disk", "size=20m") as disk:
            folder = disk / "workspace"
            monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(folder))
            app = opened("documents")
            remount(disk, "ro")
            uploaded(app, [("one.md", GOOD)])
            assert "read-only disk" in said(app)
            confirmed(app, "documents.delete", "documents.delete.sure")
            assert "read-only disk" in said(app)
            assert len(app.dataframe[0].value) == 4

    @pytest.mark.parametrize("page", ["documents", "chunks", "index"])
    def test_a_workspace_that_cannot_be_made(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
        """One sentence on each page."""
        (tmp_path / "file").write_text("not a folder")
        monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(tmp_path / "file"))
        (error,) = opened(page).error
        assert "a file stands in its place" in error.value

    def test_two_sessions_upload_at_once(self, samples: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """The one waits for the other; paths that would give the same id give two documents."""
        monkeypatch.setattr("components.workspace.PATIENCE", 20.0)
        batches = [("a b.md", "c.md", "d.md"), ("a_b.md", "e.md", "f.md")]
        outcomes: list[uploads.Outcome] = []
        threads = [
            threading.Thread(target=lambda names=names: outcomes.extend(uploads.add(workspace(), dropped(names)))) for names in batches
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {"a b.md", "a_b.md", "c.md", "d.md", "e.md", "f.md"} < sources(samples)
        assert len({outcome.doc_id for outcome in outcomes} - {None}) == 6


def dropped(names: Sequence[str]) -> list[UploadedFile]:
    """Files as the file uploader hands them out."""
    return [UploadedFile(UploadedFileRec(name, name, "text/markdown", GOOD), FileURLs()) for name in names]
