"""Uploads on the Documents page: good files and bad ones, files in files, encodings, names, versions."""

from __future__ import annotations

import codecs
import threading
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

import components.documents.incoming
import components.session.workspace
from chunking.errors import Cancelled
from chunking.model import Document
from chunking.parsing import parse
from chunking.parsing.detection.encoding import NAMED
from chunking.store import Workspace
from components.documents.incoming import ReadState
from components.documents.uploads import ENCODINGS
from tests.pages.app_session import go_to, open_page, page_text, run_app, state, wait_until
from tests.pages.uploading import (
    GOOD,
    confirm,
    drop_files,
    file_of,
    press_add,
    queue_of,
    sources,
    upload,
    wait_for_reading,
)
from tests.support.facts import tells
from tests.support.mails import mail_with

BINARY = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8
CHINESE = (
    "# 产品手册\n\n设备的保修期是两年。请在购买后的三十天内完成注册,否则保修期从出厂日期起算。"
    "如有问题,请联系我们的客户服务部门。\n" * 4
)

HOSTILE_TITLES = (
    "![x](http://127.0.0.1:9/x.png)",
    "[click](http://127.0.0.1:9/)",
    "<img src=x onerror=alert(1)>",
    "$x^2$ :red[y] :material/home:",
    "https://evil.example/login",
)


def _text(app: AppTest) -> str:
    """All that Streamlit reads as Markdown."""
    return "".join(
        str(part.value)
        for kind in (app.markdown, app.caption, app.header, app.success, app.info, app.error)
        for part in kind
    )


class TestUploads:
    def test_what_was_found_is_said_before_it_is_added(
        self, samples: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Empty, white space, binary, over-large: each its sentence; the good ones with their facts; nothing is in the
        workspace yet.
        """
        monkeypatch.setattr("chunking.parsing.document.MAX_BYTES", 10_000)
        before = sources(samples)
        bad = [("empty.md", b""), ("space.txt", b" \n\t\r\n "), ("picture.md", BINARY), ("large.md", b"word " * 4_000)]
        app = drop_files(open_page("documents"), [bad[0], ("good.md", GOOD), *bad[1:], ("also.txt", b"Plain words.")])
        assert sources(samples) == before
        shown = page_text(app).split("\n")
        assert "Markdown · 2 sections · 46 characters · English" in shown
        for (name, _), words in zip(bad, ("is empty", "is empty", "", "the limit is"), strict=True):
            (line,) = [line for line in shown if name in line]
            assert words in line
            assert line.count(name) == 1
        assert app.button(key="uploads.add").label == "Add 2 documents"
        press_add(app)
        assert sources(samples) - before == {"good.md", "also.txt"}
        assert "good.md: added, 2 sections, 46 characters, English." in page_text(app)
        assert queue_of(app).files == []
        assert state(app, "share.view")["doc"] == "good"
        assert "Pumps" in [heading.value for heading in app.header]
        go_to(app, "chunks")
        assert not go_to(app, "documents").success

    def test_files_in_a_file_are_documents_of_their_own(self, samples: Workspace) -> None:
        """Named beneath it with what is to be known of them, counted, added and replaced together; one that was deleted
        may come back.
        """
        attachments = {"sparrow.txt": "The sparrow eats seeds.", "heron.txt": "The heron eats fish.", "blank.txt": " "}
        data = mail_with(attachments)
        app = drop_files(open_page("documents"), [("mail.eml", data), ("good.md", GOOD)])
        (line,) = [line for line in page_text(app).split("\n") if "sparrow.txt" in line]
        assert tells(line, "2 documents sparrow.txt heron.txt")
        assert "blank.txt" in page_text(app)
        assert app.button(key="uploads.add").label == "Add 4 documents"
        before = sources(samples)
        press_add(app)
        assert sources(samples) - before == {"good.md", "mail.eml", "mail.eml/sparrow.txt", "mail.eml/heron.txt"}
        assert any(tells(line, "mail.eml added 2 documents") for line in page_text(app).split("\n"))
        assert "mail.eml/heron.txt" in list(app.dataframe[0].value["File"])
        drop_files(app, [("mail.eml", data)])
        assert "Unchanged, nothing to add" in page_text(app)
        samples.delete_documents(["mail_eml_heron"])
        app.button(key="uploads.discard").click()
        upload(run_app(app), [("mail.eml", data)])
        assert "mail.eml/heron.txt" in sources(samples)

    @pytest.mark.usefixtures("dialogs")
    def test_the_files_in_a_file_are_deleted_with_it(self, samples: Workspace) -> None:
        """And counted before."""
        upload(open_page("documents"), [("mail.eml", mail_with({"sparrow.txt": "The sparrow eats seeds."}))])
        app = open_page("documents", doc="mail")
        app.button(key="documents.delete").click()
        assert any(tells(line, "1 document mail.eml") for line in page_text(run_app(app)).split("\n"))
        confirm(app, "documents.delete", "documents.delete.sure")
        assert not [source for source in sources(samples) if source.startswith("mail.eml")]

    def test_a_file_can_be_left_out_and_all_be_discarded(self, samples: Workspace) -> None:
        """By its box; and by one button, after which nothing of them is held."""
        before = sources(samples)
        app = drop_files(open_page("documents"), [("one.md", GOOD), ("two.md", GOOD)])
        app.checkbox(key=f"uploads.take.{file_of(app, 'one.md').number}").uncheck()
        assert run_app(app).button(key="uploads.add").label == "Add 1 document"
        press_add(app)
        assert sources(samples) - before == {"two.md"}
        drop_files(app, [("three.md", GOOD)])
        app.button(key="uploads.discard").click()
        run_app(app)
        assert queue_of(app).files == []
        assert "three.md" not in page_text(app)
        assert sources(samples) - before == {"two.md"}

    def test_what_was_added_is_one_line(self, samples: Workspace) -> None:
        """However many files there were; the sentence of each is one click away."""
        names = [f"pump-{number}.md" for number in range(6)]
        app = upload(open_page("documents"), [(name, GOOD) for name in names])
        (line,) = app.success
        assert tells(line.value.replace("\\", ""), f"6 {names[0]}")
        assert "\n" not in line.value
        assert names[-1] not in line.value.replace("\\", "")
        assert page_text(app).replace("\\", "").count(f"{names[-1]}: added") == 1

    def test_reading_goes_on_while_the_page_is_left(self, samples: Workspace) -> None:
        """What was dropped is found when the user comes back, in this session only."""
        app = open_page("documents")
        app.file_uploader[0].set_value([("pumps.md", GOOD, "text/markdown")])
        run_app(app)
        go_to(app, "chunks")
        wait_until(lambda: not queue_of(app).active)
        assert "Before adding" in page_text(go_to(app, "documents"))
        assert "Before adding" not in page_text(open_page("documents"))

    def test_a_batch_can_be_cancelled(self, samples: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """What was found until then can be added; the rest is named as not read."""
        gate = threading.Event()
        parse_all_guarded = components.documents.incoming.parse_all_guarded

        def slow(data: bytes, source: str, *, cancelled: Callable[[], bool], **options: object) -> tuple[Document, ...]:
            if source == "good.md":
                return parse_all_guarded(data, source, cancelled=cancelled)
            while not cancelled():
                gate.wait(0.01)
            raise Cancelled("Reading was cancelled.")

        monkeypatch.setattr("components.documents.incoming.parse_all_guarded", slow)
        app = open_page("documents")
        app.file_uploader[0].set_value([(name, GOOD, "") for name in ("good.md", "a.md", "b.md", "c.md", "d.md")])
        run_app(app)
        wait_until(
            lambda: file_of(app, "good.md").state is ReadState.FOUND and file_of(app, "b.md").state is ReadState.READING
        )
        assert "c.md · waiting" in page_text(run_app(app)).replace("*", "")
        assert "b.md · reading" in page_text(app).replace("*", "")
        app.button(key="uploads.cancel").click()
        shown = page_text(wait_for_reading(run_app(app))).replace("*", "")
        assert all(f"{name}.md · not read" in shown for name in "abcd")
        assert app.button(key="uploads.add").label == "Add 1 document"

    def test_a_guessed_encoding_is_shown(self, samples: Workspace) -> None:
        """GB18030, UTF-16 and invalid bytes say how they were read; plain UTF-8 has nothing to say."""
        files = [
            ("gb.md", CHINESE.encode("gb18030")),
            ("wide.md", CHINESE.encode("utf-16")),
            ("utf8.md", CHINESE.encode()),
            ("broken.md", b"# Broken\n\nGood words, then \xff\xfe\x80 bad bytes, then good words.\n"),
        ]
        app = drop_files(open_page("documents"), files)
        shown = page_text(app)
        press_add(app)
        stored = {row.source: row for row in samples.documents()}
        assert stored["gb.md"].encoding.lower().replace("_", "") in ("gb18030", "gbk", "gb2312")
        assert stored["wide.md"].encoding.startswith("utf-16")
        assert (
            samples.document(stored["gb.md"].doc_id).text == samples.document(stored["wide.md"].doc_id).text == CHINESE
        )
        assert stored["utf8.md"].warnings == ()
        assert stored["gb.md"].warnings[0] in shown
        assert stored["broken.md"].warnings[0] in shown
        assert f"read as Markdown, {stored['gb.md'].encoding}" in page_text(app)

    def test_a_wrong_guess_can_be_put_right(self, samples: Workspace) -> None:
        """Before it is added; and later, by adding the file again: the same bytes are unchanged until they are read
        otherwise.
        """
        short = "réglé à côté".encode("cp1250", "replace")
        app = drop_files(open_page("documents"), [("short.txt", short), ("fine.txt", b"Plain words.")])
        (choice,) = [box for box in app.selectbox if str(box.key).startswith("uploads.encoding")]
        assert "Now: " in choice.proto.placeholder
        press_add(app)
        guessed = next(row for row in samples.documents() if row.source == "short.txt")
        drop_files(app, [("short.txt", short)])
        assert "Unchanged, nothing to add" in page_text(app)
        app.selectbox(key=f"uploads.encoding.{file_of(app, 'short.txt').number}").select("cp1252")
        wait_for_reading(run_app(app))
        assert "The same file as" in page_text(app)
        press_add(app)
        row = next(row for row in samples.documents() if row.source == "short.txt")
        assert (guessed.encoding, row.encoding, row.warnings, len(row.versions)) == (guessed.encoding, "cp1252", (), 0)
        assert samples.document("short").text.startswith("réglé")
        assert "read as text, cp1252" in page_text(app)

    @pytest.mark.parametrize("encoding", ENCODINGS)
    def test_each_encoding_that_is_offered_can_be_read(self, encoding: str) -> None:
        """What the box offers, Python knows."""
        assert parse("Words.".encode(encoding), "words.txt", encoding=encoding).text == "Words."

    def test_each_encoding_that_a_guess_names_is_offered(self) -> None:
        """Those of mainframes and of DOS too."""
        assert {codecs.lookup(name).name for name in NAMED} <= {codecs.lookup(name).name for name in ENCODINGS}

    def test_comments_are_read_where_the_box_is_ticked(self, samples: Workspace) -> None:
        """Or once the button beside the file is pressed, which is there only for a file that has some."""
        rtf = rb"{\rtf1\ansi Finches sing.{\*\atnauthor Mara}{\*\annotation Really?}\par}"
        app = drop_files(open_page("documents"), [("one.rtf", rtf), ("good.md", GOOD)])
        (button,) = [button for button in app.button if str(button.key).startswith("uploads.comments")]
        assert "1 comment" in page_text(app)
        button.click()
        wait_for_reading(run_app(app))
        assert [block.meta.get("comment") for block in file_of(app, "one.rtf").document.blocks] == [None, True]
        assert not [button for button in app.button if str(button.key).startswith("uploads.comments")]
        app.checkbox(key="uploads.comments").check()
        drop_files(app, [("two.rtf", rtf)])
        assert file_of(app, "two.rtf").document.text.endswith("Mara: Really?")

    def test_two_files_of_one_name_are_two_documents(self, samples: Workspace) -> None:
        """And both stay what they are when both come again."""
        app = open_page("documents")
        for turn in ("first", "second"):
            upload(
                app, [("notes.md", f"# One {turn}\n\nText.".encode()), ("notes.md", f"# Two {turn}\n\nText.".encode())]
            )
        titles = {
            row.source: (row.title, len(row.versions)) for row in samples.documents() if row.source.startswith("notes")
        }
        assert titles == {"notes.md": ("One second", 1), "notes (2).md": ("Two second", 1)}

    def test_any_name_is_made_safe(self, samples: Workspace) -> None:
        """No way out of the workspace, nothing unseen, and not too long; it is shown as text."""
        names = (
            "../../etc/passwd.md",
            "x" * 296 + ".md",
            "a\x07b\u202egnp.md",
            "![x](y) $z$.md",
            "C:\\notes\\a.md",
            "产品 手册.md",
            "..md",
        )
        before = sources(samples)
        app = upload(open_page("documents"), [(name, GOOD) for name in names])
        new_sources = sources(samples) - before
        assert len(new_sources) == len(names)
        for source in new_sources:
            assert ".." not in source.split("/")
            assert len(source) <= 300
            assert source.isprintable()
            assert not source.startswith("/")
        assert page_text(app).count("added, 2 sections") == len(names)
        assert "](" not in "".join(str(part.value) for part in app.success)

    def test_the_same_name_again_is_a_new_version(self, indexed: Workspace) -> None:
        """The document stays the same one, the page shows its new text, and its index is out of date."""
        app = open_page("documents")
        upload(app, [("pumps.md", GOOD)])
        drop_files(app, [("pumps.md", GOOD.replace(b"quieter", b"louder"))])
        assert "New version of “Pumps”" in page_text(app)
        press_add(app)
        assert "new version of “Pumps”" in page_text(app)
        assert "2 versions" in page_text(app)
        assert "louder" in indexed.document("pumps").text
        assert "1 document added" in page_text(go_to(app, "index"))

    def test_the_same_bytes_add_nothing(self, samples: Workspace) -> None:
        """A box that cannot be ticked, and no button that would add it."""
        app = upload(open_page("documents"), [("pumps.md", GOOD)])
        version = samples.version()
        drop_files(app, [("pumps.md", GOOD)])
        assert "Unchanged, nothing to add" in page_text(app)
        (box,) = (one for one in app.checkbox if "pumps.md" in one.label)
        assert (box.disabled, box.value) == (True, False)
        assert app.button(key="uploads.discard").label == "Close"
        assert samples.version() == version

    def test_what_lies_there_is_replaced_by_a_later_drop_of_its_name(self, samples: Workspace) -> None:
        """One document of that name, the later one."""
        app = drop_files(open_page("documents"), [("pumps.md", GOOD)])
        drop_files(app, [("pumps.md", GOOD.replace(b"quieter", b"louder"))])
        press_add(app)
        assert "louder" in samples.document("pumps").text
        assert sum(row.source.startswith("pumps") for row in samples.documents()) == 1

    def test_too_much_at_once_is_refused_in_a_sentence(
        self, samples: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What does not fit is not held; the rest is read."""
        monkeypatch.setattr("components.documents.incoming.MOST_BYTES", len(GOOD) + 20)
        app = drop_files(open_page("documents"), [("one.md", GOOD), ("two.md", GOOD)])
        assert "two.md was not accepted" in page_text(app)
        assert file_of(app, "two.md").data == b""
        assert app.button(key="uploads.add").label == "Add 1 document"

    def test_a_hostile_title_is_text(self, samples: Workspace) -> None:
        """Escaped wherever Streamlit would read Markdown, on all pages."""
        files = [
            (f"hostile{number}.md", f"# `{title}`\n\nWords.\n".encode()) for number, title in enumerate(HOSTILE_TITLES)
        ]
        app = upload(open_page("documents"), [("hostile.txt", b"Words."), *files])
        titles = {
            row.title: row.doc_id
            for row in samples.documents()
            if row.source.startswith("hostile") and row.source.endswith(".md")
        }
        assert titles.keys() == {*HOSTILE_TITLES}
        texts = [_text(app)]
        for doc_id in titles.values():
            app.session_state["share.view"] = {"doc": doc_id}
            app.session_state["chunks.viewer.at"] = 0
            texts.append(_text(go_to(app, "chunks")))
        texts += [_text(go_to(app, page)) for page in ("documents", "index")]
        assert [title for title in titles if any(title in text for text in texts)] == []
