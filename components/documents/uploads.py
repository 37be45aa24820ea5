"""Files on their way into the workspace, as the Documents page shows them: drop, watch, look at what was found, add."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from chunking.allowed import allowed
from chunking.model import Document
from chunking.parsing import FORMATS, MAX_BYTES
from chunking.parsing.formats.office.file_comments import COMMENT
from chunking.parsing.formats.pdf.pages.page_images import NOT_INSTALLED, is_installed
from chunking.store import Workspace
from components.documents.adding import News, UploadOutcome, add, article_samples, check_files, facts_of, news_of
from components.documents.incoming import Incoming, State, UploadQueue, readers
from components.kit.button import button
from components.kit.wording import format_word, plain, quantity
from components.session import share
from components.session.current_workspace import editing
from components.session.host import host
from components.session.page.page_frame import arrival, fragment, sentences

__all__ = ["ADDED", "ENCODINGS", "articles_entry", "upload_queue", "uploads"]

ENCODINGS: dict[str, str] = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-be": "UTF-16, big-endian",
    "gb18030": "GB18030 (Chinese)",
    "big5": "Big5 (Chinese)",
    "shift_jis": "Shift JIS (Japanese)",
    "euc_jp": "EUC-JP (Japanese)",
    "euc_kr": "EUC-KR (Korean)",
    "cp1252": "Windows-1252 (Western)",
    "cp1250": "Windows-1250 (Central European)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8_r": "KOI8-R (Cyrillic)",
    "cp866": "CP866 (Cyrillic, DOS)",
    "iso8859_5": "ISO 8859-5 (Cyrillic)",
    "cp437": "CP437 (Western, DOS)",
    "cp850": "CP850 (Western, DOS)",
    "iso8859_2": "ISO 8859-2 (Central European)",
    "cp1253": "Windows-1253 (Greek)",
    "iso8859_7": "ISO 8859-7 (Greek)",
    "cp1254": "Windows-1254 (Turkish)",
    "cp1255": "Windows-1255 (Hebrew)",
    "cp1256": "Windows-1256 (Arabic)",
    "cp500": "EBCDIC 500 (mainframe, international)",
    "cp037": "EBCDIC 037 (mainframe, US)",
}
"""What a reader may know a file to be in, where the guess is wrong."""

ADDED = "uploads.added"
"""Session key: how many times files were added; whatever shows the documents begins anew then."""

_POLL = 0.5
"""Seconds between two looks at files that are being read."""
_LINES = 12
"""Most files that are named one by one."""
_HIGH = 460
"""Pixels; more rows than fit stand in a box of this height."""
_GOOD_ENCODINGS = ("utf-8", "ascii", "")
_QUEUE, _TOLD = "uploads.desk", "uploads.told"


def upload_queue() -> UploadQueue:
    """The files of this session."""
    if _QUEUE not in st.session_state:
        st.session_state[_QUEUE] = queue = UploadQueue(readers())
        host().watch_uploads(queue)
    kept: UploadQueue = st.session_state[_QUEUE]
    return kept


def uploads(target: Workspace) -> None:
    """The drop zone; under it, what lies on the desk, or what became of it until the page is left."""
    _drop_zone(target)
    present = upload_queue()
    if present.active:
        _watch()
    elif present.files:
        _review(target)
    arrived, outcomes = st.session_state.get(_TOLD, (0, ()))
    if arrived == arrival():
        _tell(outcomes)


def articles_entry(target: Workspace) -> None:
    """The button that loads the statute and the contract, where there is one; what became of them is said under the
    drop zone.
    """
    if loaded := article_samples(target):
        _look_at(loaded)
        st.rerun()


def _drop_zone(target: Workspace) -> None:
    files = st.file_uploader(
        f"Add documents: {', '.join(format_word(row.name) for row in FORMATS)}",
        accept_multiple_files=True,
        key=f"uploads.{upload_queue().batches}",  # once the files lie on the desk, the field lets go of them
        **editing(
            help=(
                f"Up to {MAX_BYTES >> 20} MB each. A file with the name of a document becomes its new version. "
                f"Nothing leaves this machine."
            ),
        ),
    )
    comments = st.checkbox(
        "Read comments",
        key="uploads.comments",
        help="Reviewers' comments in Word, PowerPoint, Excel, OpenDocument and RTF files become paragraphs of "
        "their own, with the author's "
        "name. Otherwise comments are left out of the chunks, and each file says how many it has.",
    )
    if files:
        st.session_state.pop(_TOLD, None)
        with sentences():
            check_files(len(target.documents()), [file.size for file in files])
            upload_queue().take([(file.name, file.getvalue()) for file in files], comments=comments)
            _let_go(files)
            st.rerun()


def _let_go(files: Sequence[UploadedFile]) -> None:
    """The server keeps them no longer: Streamlit (1.67) would, until the session ends."""
    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        for file in files:
            context.uploaded_file_mgr.remove_file(session_id=context.session_id, file_id=file.file_id)


# -- while they are read


@fragment(run_every=_POLL)
def _watch() -> None:
    """A line a file, looked at twice a second; the rest of the page is not drawn anew."""
    present = upload_queue()
    files = present.files
    if not present.active:
        st.rerun()
    done = sum(file.state not in (State.WAITING, State.READING) for file in files)
    with st.container(border=True, key="uploads.reading"):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
            st.progress(done / len(files), text=f"Reading: {done:,} of {quantity(len(files), 'file')}")
            st.button("Cancel", key="uploads.cancel", on_click=present.cancel, help="Files already read are kept.")
        with _room(len(files) * 25):
            st.markdown("  \n".join(_progress_line(file) for file in files))


def _progress_line(file: Incoming) -> str:
    name = f"**{plain(file.source)}**"
    match file.state:
        case State.FAILED:
            return f":red[:material/error:] {_said_of(file)}"
        case State.FOUND:
            return f":green[:material/check_circle:] {name} · found"
        case State.STOPPED:
            return f":material/cancel: {name} · not read"
        case State.READING:
            return (
                f":material/autorenew: {name} · "
                f"{'stopping' if file.stop else 'reading by OCR' if file.ocr else 'reading'} …"
            )
        case _:
            return f":material/schedule: {name} · waiting"


def _room(needed: int) -> st.delta_generator.DeltaGenerator:
    """Room for rows that need so many pixels, about."""
    return st.container(height=_HIGH if needed > _HIGH else "content", border=False, gap="small")


# -- before they are added


@fragment()
def _review(target: Workspace) -> None:
    """What was found in each file, and the choice to add it. A fragment: a ticked box draws nothing else."""
    if upload_queue().active:  # one of them is read again
        st.rerun()
    with sentences(), st.container(border=True, key="uploads.review"):
        files = upload_queue().files
        news = news_of((file for file in files if file.state is State.FOUND), target)
        if any(one.adds for one in news.values()):
            st.markdown("**Before adding**", help="The contents of each file. Nothing is in the workspace yet.")
        with _room(len(files) * 66):
            for file in files:
                _row(file, news.get(file.number))
        selected = [
            file
            for file in files
            if file.number in news and news[file.number].adds and st.session_state.get(_key(file), True)
        ]
        _buttons(target, selected, any(one.adds for one in news.values()))


def _buttons(target: Workspace, selected: Sequence[Incoming], any_adds: bool) -> None:
    with st.container(horizontal=True):
        if any_adds:
            number = sum(len(file.documents) for file in selected)
            if button(
                f"Add {quantity(number, 'document')}",
                type="primary",
                key="uploads.add",
                **editing(disabled=not selected),
            ):
                _add_and_tell(target, selected)
            if button("Discard", key="uploads.discard", help="Discard these files; the workspace stays as it is."):
                _clear()
        elif button("Close", key="uploads.discard"):
            _clear()


def _clear() -> None:
    upload_queue().forget([file.number for file in upload_queue().files])
    st.rerun()


def _add_and_tell(target: Workspace, selected: Sequence[Incoming]) -> None:
    _look_at(add(target, selected))
    _clear()


def _look_at(outcomes: Sequence[UploadOutcome]) -> None:
    """With the next run: say what was added, and show the first of it."""
    st.session_state[_TOLD] = (arrival(), outcomes)
    st.session_state[ADDED] = st.session_state.get(ADDED, 0) + 1
    share.look_at(outcomes[0].doc_id)


def _key(file: Incoming) -> str:
    return f"uploads.take.{file.number}"


def _row(file: Incoming, news: News | None) -> None:
    """One file: what was found, or what is wrong, and another way to read it where that may help."""
    name = plain(file.source)
    with st.container(gap="xsmall", key=f"uploads.row.{file.number}"):
        if news is None:
            st.markdown(
                f":red[:material/error:] {_said_of(file)}" if file.state is State.FAILED else _progress_line(file)
            )
        else:
            # A box that cannot be ticked has a key of its own: read otherwise, the same file begins with a tick again.
            st.checkbox(
                f"**{name}** {news.badge}",
                value=news.adds,
                disabled=not news.adds,
                key=_key(file) + ("" if news.adds else ".not"),
            )
        if news and file.document:
            st.caption(" · ".join([*facts_of(file.document), *([plain(news.sentence)] if news.sentence else [])]))
            warnings = [*file.document.warnings, *([file.sentence] if file.sentence else [])]
            if inner := file.documents[1:]:
                st.caption(_inner_line(file.source, inner))
                warnings += [f"{_below(file.source, one)}: {warning}" for one in inner for warning in one.warnings]
            for warning in warnings[:_LINES]:
                st.caption(f"⚠ {plain(warning)}")
            if len(warnings) > _LINES:
                st.caption(
                    f"⚠ … and {quantity(len(warnings) - _LINES, 'more note')}; each is shown with its "
                    f"document after adding."
                )
        _another_way(file)


def _inner_line(source: str, inner: Sequence[Document]) -> str:
    """How many documents are in a file, and which."""
    names = ", ".join(plain(_below(source, one)) for one in inner[:_LINES]) + (" …" if len(inner) > _LINES else "")
    return f":material/subdirectory_arrow_right: and {quantity(len(inner), 'document')} in it: {names}"


def _below(source: str, inner: Document) -> str:
    """The path of a file in a file, from there on."""
    return inner.source.removeprefix(f"{source}/")


def _said_of(file: Incoming) -> str:
    """What is wrong with a file; its name is said once."""
    return plain(file.sentence if file.source in file.sentence else f"{file.source}: {file.sentence}")


def _another_way(file: Incoming) -> None:
    """OCR where pages are scanned, with comments where there are some, another encoding where it was guessed."""
    said = " ".join([file.sentence, *(file.document.warnings if file.document else ())])
    if "OCR" in said and not file.ocr:
        here = allowed()
        if here.engine("ocr") and is_installed():
            st.button(
                "Read them with OCR",
                key=f"uploads.ocr.{file.number}",
                on_click=_read_again,
                args=(file, None, True, file.comments),
                help="Optical character recognition by tesseract, on this machine; a page takes a few seconds.",
            )
        else:
            st.caption(NOT_INSTALLED if here.everything else plain(str(here.no_engine("ocr"))))
    if file.document and not file.comments and any(span.reason == COMMENT for span in file.document.left_out):
        st.button(
            "Read its comments",
            key=f"uploads.comments.{file.number}",
            on_click=_read_again,
            args=(file, file.encoding, file.ocr, True),
            help="They become paragraphs of their own, with the author's name.",
        )
    if _encoding_matters(file):
        with st.expander("Do characters look wrong?"):
            st.selectbox(
                "Read it as",
                list(ENCODINGS),
                index=None,
                format_func=lambda name: ENCODINGS[name],
                placeholder=f"Now: {file.document.encoding}" if file.document else "Choose an encoding",
                key=f"uploads.encoding.{file.number}",
                on_change=_choose_encoding,
                args=(file,),
                help="How the file stores characters as bytes.",
                width=320,
            )


def _encoding_matters(file: Incoming) -> bool:
    if file.document:
        return file.encoding is not None or file.document.encoding.lower().removesuffix("-sig") not in _GOOD_ENCODINGS
    texts = [ending for row in FORMATS if row.any_encoding for ending in row.extensions]
    return file.state is State.FAILED and file.source.lower().endswith(tuple(texts)) and bool(file.data.strip())


def _choose_encoding(file: Incoming) -> None:
    _read_again(file, st.session_state[f"uploads.encoding.{file.number}"], file.ocr, file.comments)


def _read_again(file: Incoming, encoding: str | None, ocr: bool, comments: bool) -> None:
    upload_queue().read_again(file, encoding=encoding, ocr=ocr, comments=comments)


def _tell(outcomes: Sequence[UploadOutcome]) -> None:
    """A line a file."""
    shown = [plain(outcome.sentence) for outcome in outcomes[:_LINES]]
    left = len(outcomes) - len(shown)
    if shown:
        more = [f"… and {quantity(left, 'more file')}"] if left else []
        st.success("  \n".join([*shown, *more]), icon=":material/check_circle:")
