"""Uploads on the Documents page: drop files, watch the parse, review, add."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from chunking.allowed import allowed
from chunking.indexing import ParserChoices
from chunking.model import Document
from chunking.parsing import FORMATS, MAX_BYTES
from chunking.parsing.formats.office.file_comments import COMMENT
from chunking.parsing.formats.pdf.pages.page_images import NOT_INSTALLED, is_installed
from chunking.store import Workspace
from components.documents.adding import (
    FileChange,
    UploadOutcome,
    add_files,
    article_samples,
    check_files,
    document_facts,
    file_changes,
)
from components.documents.incoming import Incoming, ReadState, UploadQueue, readers
from components.kit.button import button
from components.kit.wording import format_word, plain, quantity
from components.session import share
from components.session.current_workspace import editing
from components.session.host import host
from components.session.page.page_frame import arrival, fragment, sentences

__all__ = ["ADDED", "ENCODINGS", "announce", "articles_entry", "upload_queue", "uploads"]

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
"""Encodings offered if detection failed."""

ADDED = "uploads.added"
"""Session key: number of times files were added; the table of documents restarts with it."""

_POLL = 0.5
"""Seconds between updates while files are parsed."""
_LINES = 12
"""Most files listed."""
_FEW = 3
"""Most files named in the line about added ones."""
_HIGH = 460
"""Most pixels of the list before it scrolls."""
_NAMED = 6
"""Formats named over the drop zone; its help names all."""
_GOOD_ENCODINGS = ("utf-8", "ascii", "")
_QUEUE, _OUTCOMES = "uploads.desk", "uploads.told"


def upload_queue() -> UploadQueue:
    """Return this session's upload queue, made and announced to the host on first use."""
    if _QUEUE not in st.session_state:
        st.session_state[_QUEUE] = queue = UploadQueue(readers())
        host().watch_uploads(queue)
    kept: UploadQueue = st.session_state[_QUEUE]
    return kept


def uploads(target: Workspace, *, first: bool = False) -> None:
    """Draw the drop zone, and under it the parse, the review or the outcome of dropped files.

    Args:
        first: True if there are no documents: the drop zone is then what the page is about.
    """
    present = upload_queue()
    _drop_zone(target, first=first and not present.files)
    if present.active:
        _watch()
    elif present.files:
        _review(target)
    arrived, outcomes = st.session_state.get(_OUTCOMES, (0, ()))
    if arrived == arrival():
        _tell(outcomes)


def articles_entry(target: Workspace) -> None:
    """Draw the button that loads the sample articles or their patterns; a click reruns the page.

    In the next run `uploads` shows the outcomes, and the page the first of the documents.
    """
    if loaded := article_samples(target):
        announce(loaded)
        st.rerun()


def _drop_zone(target: Workspace, *, first: bool) -> None:
    named = [format_word(row.name) for row in FORMATS]
    short = f"{', '.join(named[:_NAMED])} and {quantity(len(named) - _NAMED, 'more format')}"
    with st.container(key="uploads-first" if first else "uploads-zone", gap="small"):
        files = st.file_uploader(
            f"Drop your first documents here: {short}" if first else f"Add documents: {short}",
            accept_multiple_files=True,
            key=f"uploads.{upload_queue().batches}",  # once the files lie on the desk, the field lets go of them
            **editing(
                help=(
                    f"{', '.join(named)}. Up to {MAX_BYTES >> 20} MB each. A file with the name of a document becomes "
                    f"its new version. Nothing leaves this machine."
                ),
            ),
        )
        if first:
            st.caption(
                "There are no documents yet. For a first look, press **Load the samples**: a handbook, an API "
                "reference, a FAQ and a Chinese manual."
            )
    comments = st.checkbox(
        "Read comments",
        key="uploads.comments",
        help="Reviewers' comments in Word, PowerPoint, Excel, OpenDocument and RTF files become paragraphs of "
        "their own, with the author's "
        "name. Otherwise comments are left out of the chunks, and each file says how many it has.",
    )
    if files:
        st.session_state.pop(_OUTCOMES, None)
        with sentences():
            check_files(len(target.documents()), [file.size for file in files])
            batch = [(file.name, file.getvalue()) for file in files]
            upload_queue().take(batch, comments=comments, parser_of=ParserChoices.of(target))
            _let_go(files)
            st.rerun()


def _let_go(files: Sequence[UploadedFile]) -> None:
    """Drop uploads from Streamlit's memory (1.67 keeps them until the session ends)."""
    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        for file in files:
            context.uploaded_file_mgr.remove_file(session_id=context.session_id, file_id=file.file_id)


# -- while they are read


@fragment(run_every=_POLL)
def _watch() -> None:
    """Draw the progress of each file, as a fragment."""
    present = upload_queue()
    files = present.files
    if not present.active:
        st.rerun()
    done = sum(file.state not in (ReadState.WAITING, ReadState.READING) for file in files)
    with st.container(border=True, key="uploads.reading"):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
            st.progress(done / len(files), text=f"Reading: {done:,} of {quantity(len(files), 'file')}")
            st.button("Cancel", key="uploads.cancel", on_click=present.cancel, help="Files already read are kept.")
        with _room(len(files) * 25):
            st.markdown("  \n".join(_progress_line(file) for file in files))


def _progress_line(file: Incoming) -> str:
    name = f"**{plain(file.source)}**"
    match file.state:
        case ReadState.FAILED:
            return f":red[:material/error:] {_error_of(file)}"
        case ReadState.FOUND:
            return f":green[:material/check_circle:] {name} · found"
        case ReadState.STOPPED:
            return f":material/cancel: {name} · not read"
        case ReadState.READING:
            return (
                f":material/autorenew: {name} · "
                f"{'stopping' if file.stop else 'reading by OCR' if file.ocr else 'reading'} …"
            )
        case _:
            return f":material/schedule: {name} · waiting"


def _room(needed: int) -> st.delta_generator.DeltaGenerator:
    """Return a container that scrolls if the rows need more height."""
    return st.container(height=_HIGH if needed > _HIGH else "content", border=False, gap="small")


# -- before they are added


@fragment()
def _review(target: Workspace) -> None:
    """Draw the contents of each file and the choice to add it, as a fragment."""
    if upload_queue().active:  # one of them is read again
        st.rerun()
    with sentences(), st.container(border=True, key="uploads.review"):
        files = upload_queue().files
        news = file_changes((file for file in files if file.state is ReadState.FOUND), target)
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
    announce(add_files(target, selected))
    _clear()


def announce(outcomes: Sequence[UploadOutcome]) -> None:
    """Show outcomes in the next run, and the first added document."""
    st.session_state[_OUTCOMES] = (arrival(), outcomes)
    st.session_state[ADDED] = st.session_state.get(ADDED, 0) + 1
    if outcomes[0].doc_id:
        share.look_at(outcomes[0].doc_id)


def _key(file: Incoming) -> str:
    return f"uploads.take.{file.number}"


def _row(file: Incoming, news: FileChange | None) -> None:
    """Draw a file: its contents or error, and other ways to parse it."""
    name = plain(file.source)
    with st.container(gap="xsmall", key=f"uploads.row.{file.number}"):
        if news is None:
            st.markdown(
                f":red[:material/error:] {_error_of(file)}" if file.state is ReadState.FAILED else _progress_line(file)
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
            st.caption(" · ".join([*document_facts(file.document), *([plain(news.sentence)] if news.sentence else [])]))
            warnings = [*file.losses, *file.document.warnings, *([file.sentence] if file.sentence else [])]
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
        if file.stored is None:
            _another_way(file)


def _inner_line(source: str, inner: Sequence[Document]) -> str:
    """Return the number and names of the documents inside a file."""
    names = ", ".join(plain(_below(source, one)) for one in inner[:_LINES]) + (" …" if len(inner) > _LINES else "")
    return f":material/subdirectory_arrow_right: and {quantity(len(inner), 'document')} in it: {names}"


def _below(source: str, inner: Document) -> str:
    """Return the path of an inner document relative to its file."""
    return inner.source.removeprefix(f"{source}/")


def _error_of(file: Incoming) -> str:
    """Return the file's error, which begins with its name."""
    return plain(file.sentence if file.source in file.sentence else f"{file.source}: {file.sentence}")


def _another_way(file: Incoming) -> None:
    """Draw other ways to parse a file: OCR for scans, comments, or another encoding."""
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
    return file.state is ReadState.FAILED and file.source.lower().endswith(tuple(texts)) and bool(file.data.strip())


def _choose_encoding(file: Incoming) -> None:
    _read_again(file, st.session_state[f"uploads.encoding.{file.number}"], file.ocr, file.comments)


def _read_again(file: Incoming, encoding: str | None, ocr: bool, comments: bool) -> None:
    upload_queue().read_again(file, encoding=encoding, ocr=ocr, comments=comments)


def _tell(outcomes: Sequence[UploadOutcome]) -> None:
    """Draw the outcome in a line: the only one, or the number of files, with each of them one click away."""
    if len(outcomes) <= 1:
        for outcome in outcomes:
            st.success(plain(outcome.sentence), icon=":material/check_circle:")
        return
    added = [outcome.sentence.partition(":")[0] for outcome in outcomes if outcome.doc_id]
    others = [outcome.sentence for outcome in outcomes if not outcome.doc_id]
    names = f"{', '.join(added[:_FEW])}{' …' if len(added) > _FEW else '.'}"
    line = [f"{quantity(len(added), 'file')} added: {names}", *others[:_FEW]]
    with st.container(horizontal=True, vertical_alignment="center", key="uploads.outcome"):
        # no wider than its words: at the right edge, the table's own buttons lie over what is above it
        with st.container(width="content"):
            st.success(plain(" ".join(line)), icon=":material/check_circle:")
        with st.popover("Show all"), _room(len(outcomes) * 25):
            st.markdown("  \n".join(plain(outcome.sentence) for outcome in outcomes))
