"""Mail: headers, bodies in several forms, quotes, mails inside mails, attachments; and everything that breaks it."""

from __future__ import annotations

import re
from email.message import EmailMessage
from email.policy import SMTP

import pytest

from chunking.errors import ParseError, TooLargeError
from chunking.model import Document
from chunking.parsing import parse_all, parse_file
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.formats.email.letters import MAX_HEADER
from chunking.parsing.formats.email.reader import read_outlook
from tests.parsing.safe_input.archive_files import zipped
from tests.parsing.samples import SAMPLES
from tests.support.facts import tells
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data, shared_files


def read_all(data: bytes | str | EmailMessage, name: str = "a.eml") -> tuple[Document, ...]:
    """The mail, and what is in it."""
    if isinstance(data, EmailMessage):
        data = data.as_bytes(policy=SMTP)
    documents = parse_all(data.encode() if isinstance(data, str) else data, name)
    for document in documents:
        check(document)
    assert [document.parent_id for document in documents] == ["", *[documents[0].doc_id] * (len(documents) - 1)]
    assert (
        len({document.doc_id for document in documents})
        == len({document.source for document in documents})
        == len(documents)
    )
    return documents


def read(data: bytes | str | EmailMessage, name: str = "a.eml") -> Document:
    return read_all(data, name)[0]


def block_texts(document: Document) -> list[tuple[str, str]]:
    return [(block.type.value, document.text[block.start : block.end]) for block in document.blocks]


def mail(text: str = "Hello.", subject: str = "Birds") -> EmailMessage:
    """A mail of today."""
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = subject, "Ann <ann@example.org>", "Bob <bob@example.org>"
    message.set_content(text)
    return message


def test_real_files_by_hand() -> None:
    """Subject, header lines, body and the names of what is attached, for mail of both kinds."""
    documents = {path.name: parse_file(shared_data(path)) for path in shared_files("email/*.[em][ms][lg]")}
    for document in documents.values():
        check(document)
    assert {name: document.title for name, document in documents.items()} == {
        "email-with-image.eml": "email-with-image",
        "fake-email-attachment.msg": "Fake email with attachment",
        "fake-email.eml": "Test Email",
        "mime-attach-mp3.eml": "Email with MP3 Attachment",
    }
    assert block_texts(documents["fake-email.eml"]) == [
        ("heading", "Test Email"),
        (
            "metadata",
            "From: Matthew Robinson <mrobinson@unstructured.io>\nTo: NotMatthew <NotMatthew@notunstructured.com>\n"
            "Date: Fri, 16 Dec 2022 17:04:16 -0500",
        ),
        ("paragraph", "This is a test email to use for unit tests."),
        ("paragraph", "Important points:"),
        ("list", "- Roses are red\n- Violets are blue"),
    ]
    outlook = documents["fake-email-attachment.msg"]
    assert block_texts(outlook)[1][1].startswith('From: "Mallori Harrell" <mallori@unstructured.io>\nTo: ')
    assert ("list", "- Lots of whitespace\n- Little to no content\n- and is a quick read") in block_texts(outlook)
    assert block_texts(outlook)[-1] == ("metadata", "Attachment: fake-attachment.txt")
    inner = read_all(shared_data("email/fake-email-attachment.msg").read_bytes(), "x.msg")[1]
    assert (inner.source, inner.text.split()[:3]) == ("x.msg/fake-attachment.txt", ["Hey", "this", "is"])
    assert not outlook.warnings
    assert block_texts(documents["email-with-image.eml"])[-1] == (
        "paragraph",
        "-- \nMallori Harrell\nUnstructured Technologies\nData Scientist",
    )
    assert documents["mime-attach-mp3.eml"].warnings == ("1 attachment was not read: sample-3s.mp3.",)


def test_hebrew_in_base64() -> None:
    """The charset that Python does not know by its name in mail, as the one that it is."""
    head = b"Subject: x\nContent-Type: text/plain; charset=iso-8859-8-i\nContent-Transfer-Encoding: base64\n\n"
    document = read(head + shared_data("text/hebrew-text-base64-iso88598i.txt").read_bytes())
    assert "\u05e9" in document.text
    assert document.language == "he"


def test_headers_are_decoded() -> None:
    """Encoded words in any charset, also where a character is parted between two, and bare UTF-8 or GB 18030 bytes."""
    subject = "=?utf-8?B?5L2g5aW9?= =?utf-8?Q?=2C_?= =?gb2312?B?xOO6ww==?="
    document = read(f"Subject: {subject}\nFrom: =?utf-8?b?5byg5Lyf?= <z@example.org>\n\nText.")
    assert block_texts(document)[:2] == [("heading", "你好, 你好"), ("metadata", "From: 张伟 <z@example.org>")]
    assert read("Subject: 问候\n\nText.").title == "问候"
    assert read("Subject: 关于合同的问题我们需要谈谈\n\n你好".encode("gb18030")).title == "关于合同的问题我们需要谈谈"
    assert read("Subject: =?utf-8?B?broken?=\n\nText.").title


def test_the_form_with_a_structure_is_read() -> None:
    """Of HTML and plain text the one that says more: HTML with a list, else the plain lines."""
    both = mail("One\n\nTwo")
    both.add_alternative("<div>One</div><div>Two</div>", subtype="html")
    assert block_texts(read(both))[2:] == [("paragraph", "One"), ("paragraph", "Two")]
    listed = mail("* One\n* Two")
    listed.add_alternative("<p>Items</p><ul><li>One</li><li>Two</li></ul>", subtype="html")
    assert block_texts(read(listed))[2:] == [("paragraph", "Items"), ("list", "- One\n- Two")]
    only = mail()
    only.set_content("<h1>News</h1><p>Words</p><blockquote>Quoted</blockquote>", subtype="html")
    document = read(only)
    assert [section.title for section in document.sections] == ["Birds", "News"]
    assert [section.level for section in document.sections] == [1, 2]
    assert block_texts(document)[-1][0] == "quote"


def test_quotes_and_questions_in_plain_text() -> None:
    """Lines that begin with `>` are a quote; the rest has the blocks of a text file, its offsets shifted."""
    document = read(mail("I agree.\n\n> Shall we\n> go?\n\nQ: When?\nA: At noon.\n\n-- \nAnn"))
    assert [kind for kind, _ in block_texts(document)[2:]] == ["paragraph", "quote", "qa", "paragraph"]
    assert block_texts(document)[3][1] == "> Shall we\n> go?"
    pair = document.blocks[4]
    assert document.text[pair.start : pair.meta["question_end"]] == "Q: When?"


def test_flowed_text_is_put_together() -> None:
    """`format=flowed`: a paragraph in one piece, its quotes and signature apart."""
    body = "This line \ngoes on \nand ends.\n> quoted \nnot so\n-- \nAnn"
    document = read(f"Subject: x\nContent-Type: text/plain; format=flowed\n\n{body}")
    assert [text for _, text in block_texts(document)[1:]] == [
        "This line goes on and ends.",
        "> quoted",
        "not so\n-- \nAnn",
    ]


def test_a_mail_in_a_mail_is_a_document() -> None:
    """Named after its subject, with its own header lines, and what is attached to it; the mail around it names it in
    its place.
    """
    inner = mail("The old text.", "Before / after")
    inner.add_attachment("notes", filename="notes.txt")
    outer = mail("See below.", "Now")
    outer.add_attachment(inner)
    nameless = mail("Nobody named this one.")
    del nameless["Subject"]
    outer.add_attachment(nameless)
    now, before, notes, unnamed = read_all(outer, "box/a.eml")
    assert block_texts(now)[2:] == [
        ("paragraph", "See below."),
        ("metadata", "Attachment: Before - after.eml"),
        ("metadata", "Attachment: mail.eml"),
    ]
    assert (before.source, before.title, before.format) == ("box/a.eml/Before - after.eml", "Before / after", "email")
    assert block_texts(before)[-2:] == [("paragraph", "The old text."), ("metadata", "Attachment: notes.txt")]
    assert (notes.source, notes.text.strip(), notes.parent_id) == (
        "box/a.eml/Before - after.eml/notes.txt",
        "notes",
        now.doc_id,
    )
    assert (unnamed.source, unnamed.title) == ("box/a.eml/mail.eml", "mail")
    assert not any(document.warnings for document in (now, before, notes, unnamed))
    assert before.hash != unnamed.hash


def test_mails_deep_in_mails_are_read() -> None:
    """A mail that was forwarded again and again; the limit of files in files is not one of mails."""
    message = mail("Innermost.", "0")
    for number in range(1, 12):
        outer = mail("See below.", str(number))
        outer.add_attachment(message)
        message = outer
    documents = read_all(message)
    assert len(documents) == 12
    assert "Innermost." in documents[-1].text


def test_an_empty_mail_around_another() -> None:
    """Nothing but the line that names what is in it: it is neither refused nor called a letter without text."""
    outer = EmailMessage()
    inner = EmailMessage()
    inner.add_attachment("notes", filename="notes.txt")
    outer.add_attachment(inner)
    documents = read_all(outer)
    assert [document.source for document in documents] == ["a.eml", "a.eml/mail.eml", "a.eml/mail.eml/notes.txt"]
    assert not any(document.warnings for document in documents)


def test_attached_texts_are_documents() -> None:
    """Each under its name, in its own format and charset; those that cannot be read are told with the reason."""
    message = mail()
    message.add_attachment("# Sizes\n\nSmall.", subtype="markdown", filename="sizes.md")
    message.add_attachment(
        "Größe;3\nHöhe;4\n".encode("cp1252"),
        maintype="text",
        subtype="csv",
        params={"charset": "cp1252"},
        filename="a.csv",
    )
    message.add_attachment("again", filename="../sizes.md")
    message.add_attachment(bytes(range(256)), maintype="application", subtype="octet-stream", filename="not really.txt")
    letter, sizes, table, again = read_all(message)
    assert [document.source for document in (sizes, table, again)] == [
        "a.eml/sizes.md",
        "a.eml/a.csv",
        "a.eml/sizes (2).md",
    ]
    assert [document.format for document in (sizes, table, again)] == ["markdown", "csv", "markdown"]
    assert (sizes.title, sizes.doc_id, sizes.path_hierarchy) == ("Sizes", "a_eml_sizes", ("a.eml",))
    assert [table.text[place] for place in table.blocks[-1].meta["row_starts"]][-1] == "H"
    assert tells(letter.warnings, "a.eml/not really.txt")
    assert "Attachment: not really.txt" in letter.text


def test_no_more_attachments_than_a_mail_can_be_meant_to_have() -> None:
    """The others are named, some of them one by one."""
    crowd = mail()
    for number in range(250):
        crowd.add_attachment(f"text {number}", filename=f"{number}.txt")
    letter, *inner = read_all(crowd)
    assert len(inner) == 200
    assert tells(letter.warnings, "50 files 200.txt 40 more")
    blank = mail()
    for number in range(30):
        blank.add_attachment(" ", filename=f"{number}.txt")
    letter, *inner = read_all(blank)
    assert (inner, len(letter.warnings)) == ([], 11)
    assert tells(letter.warnings[-1:], "20 more files not read")


def test_attachments_are_named() -> None:
    """Sounds and calendar entries; attached texts are read, and pictures inside the text are no attachments."""
    message = mail()
    message.add_attachment(b"ID3", maintype="audio", subtype="mpeg", filename="Rufe der Vögel.mp3")
    message.add_attachment("notes", filename="notes.txt")
    document, notes = read_all(message)
    assert document.warnings == ("1 attachment was not read: Rufe der Vögel.mp3.",)
    assert (block_texts(document)[-1], notes.text.strip()) == (("metadata", "Attachment: notes.txt"), "notes")
    related = mail()
    related.set_content("<p>Look: <img src='cid:1'></p>", subtype="html")
    related.add_related(b"GIF8", maintype="image", subtype="gif", cid="1")
    assert read(related).warnings == ()


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_attached_documents_of_every_format(name: str) -> None:
    """Are documents of their own, related to the mail, read as they would be by themselves."""
    source, make = SAMPLES[name]
    message = mail()
    message.add_attachment(make(), maintype="application", subtype="octet-stream", filename=source)
    letter, inner = read_all(message)
    assert (letter.warnings, inner.format, inner.source) == ((), name, f"a.eml/{source}")
    assert "The finch sings in the morning." in inner.text
    assert f"Attachment: {source}" in letter.text


def test_attachments_of_every_form_of_a_text() -> None:
    """Where a program put them beside the HTML, and where it said no name or hung them to the text as related."""
    message = mail()
    html = EmailMessage()
    html.set_content("<p>Hello.</p>", subtype="html")
    html.make_mixed()
    html.add_attachment(SAMPLES["docx"][1](), maintype="application", subtype="octet-stream", filename="birds.docx")
    message.make_alternative()
    message.attach(html)
    letter, inner = read_all(message)
    assert (letter.text.count("Hello."), inner.format) == (1, "docx")
    nameless = mail()
    nameless.add_attachment(SAMPLES["pdf"][1](), maintype="application", subtype="pdf")
    assert read_all(nameless)[1].source == "a.eml/attachment.pdf"
    related = mail()
    related.set_content("<p>See the table.</p>", subtype="html")
    related.add_related(
        SAMPLES["xlsx"][1](), maintype="application", subtype="octet-stream", cid="<1>", filename="birds.xlsx"
    )
    assert [document.format for document in read_all(related)] == ["email", "xlsx"]


def test_an_unreadable_attachment_is_one_sentence() -> None:
    """Archives, damaged files and sounds have a sentence that names them; logos and signatures are not worth one."""
    message = mail()
    message.add_attachment(zipped({"a.txt": "x"}), maintype="application", subtype="zip", filename="all.zip")
    message.add_attachment(
        SAMPLES["docx"][1]()[:-40], maintype="application", subtype="octet-stream", filename="torn.docx"
    )
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="scan.png")
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="logo.png", disposition="inline")
    message.add_attachment(b"0", maintype="application", subtype="pkcs7-signature", filename="smime.p7s")
    letter, *inner = read_all(message)
    assert inner == []
    assert tells(letter.warnings, "1 attachment scan.png", "a.eml/all.zip archive", "a.eml/torn.docx damaged")


def test_documents_in_mails_in_mails() -> None:
    """As deep as files are read inside one another; what is deeper is named."""
    message = mail("Innermost.")
    message.add_attachment(SAMPLES["docx"][1](), maintype="application", subtype="octet-stream", filename="birds.docx")
    for number in range(8):
        outer = mail(f"Mail {number}.")
        outer.add_attachment(
            message.as_bytes(policy=SMTP), maintype="application", subtype="octet-stream", filename=f"m{number}.eml"
        )
        message = outer
    documents = read_all(message)
    assert 5 <= len(documents) <= 6
    assert any("not read" in warning for document in documents for warning in document.warnings)


def test_encrypted_mail_says_so() -> None:
    """There is nothing to read but its header."""
    part = "--x\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--x--\n"
    document = read(f"Subject: Secret\nContent-Type: multipart/encrypted; boundary=x\n\n{part}")
    assert any(tells(warning, "encrypted") for warning in document.warnings)


def test_broken_mail_is_read_as_far_as_it_goes() -> None:
    """No closing boundary, no boundary at all, bad base64, an unknown charset, no subject."""
    head = "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n"
    assert "Words." in read(head + "--b\nContent-Type: text/plain\n\nWords.").text
    assert "Words." in read("Subject: x\nContent-Type: multipart/mixed\n\nWords.").text
    assert "Words." in read("Subject: x\nContent-Type: text/plain; charset=nonsense\n\nWords.").text
    assert read("Subject: x\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\nV29yZHM=!\n").text.endswith(
        "Words"
    )
    assert read("From: a@example.org\n\nOnly words here.").sections[0].title == "Only words here."
    binary = read(b"Subject: x\nMIME-Version: 1.0\n\n" + bytes(range(32)) * 20)
    assert tells(binary.warnings[:1], "part text not read")


def test_headers_without_end_are_cut() -> None:
    """A list of ten thousand recipients is shortened, with a warning, in time that does not grow with it."""
    crowd = ", ".join(f"user{n}@example.org" for n in range(20_000))
    document = read(f"Subject: x\nTo: {crowd}\n\nText.")
    assert len(block_texts(document)[1][1]) <= MAX_HEADER + len("To: ")
    assert tells(document.warnings, f"header {MAX_HEADER:,} characters")
    words = "=?utf-8?Q?a?= " * 100_000
    assert len(read(f"Subject: {words}\n\nText.").title) <= 200


def test_parts_without_end_are_refused() -> None:
    """Thousands of parts inside one another: one sentence."""
    openings = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(3000))
    with pytest.raises(TooLargeError, match="a\\.eml nests its parts"):
        read("Subject: x\n" + openings + "\nText.")
    with pytest.raises(TooLargeError, match=r"a\.eml .* header"):
        read("Subject: x\nContent-Type: multipart/mixed; " + ";a" * 500_000 + "\n\nText.")
    mails = "".join("Content-Type: message/rfc822\n\n" for _ in range(200))
    with pytest.raises(TooLargeError, match="nests its parts"):
        read("Subject: x\n" + mails + "Subject: y\n\nText.")


@pytest.mark.parametrize(
    "header", ["", "Content-Type: text/plain; charset=gb2312\n", "Content-Type: text/plain; charset=idna\n"]
)
def test_bare_bytes_in_headers(header: str) -> None:
    """A name of two characters is read as the text under it, whether that says what it is or not."""
    text = "春天来了，鸟儿在树上唱歌。人们在公园里散步，孩子们在草地上奔跑。"
    document = read(f"From: 王五 <w@example.cn>\nTo: b@example.cn\nSubject: 会议\n{header}\n{text}".encode("gb18030"))
    assert document.title == "会议"
    assert block_texts(document)[1] == ("metadata", "From: 王五 <w@example.cn>\nTo: b@example.cn")
    for codec in ("rot13", "undefined", "base64", "punycode"):  # Python has them, mail has not
        assert read(
            f"Subject: =?{codec}?Q?abc?=\nFrom: a@b.cn\nContent-Type: text/plain; charset={codec}\n\nOne é.".encode()
        ).text
    assert read(b"Subject: \xff\x01\x02\nFrom: a@b.cn\n\nText.").text.endswith("Text.")


def test_outlook_files_that_are_none() -> None:
    """Damage anywhere in the file is one sentence, never another error."""
    data = shared_data("email/fake-email-attachment.msg").read_bytes()
    with pytest.raises(ParseError, match=r"a\.msg .* Outlook"):
        read_outlook(RawFile(data[:600], "a.msg"))
    outcomes = [outcome(data[:place] + b"\xff\xfe\x00\x41" + data[place + 4 :]) for place in range(0, len(data), 97)]
    assert all(sentence.startswith("a.msg ") for sentence in outcomes if sentence)
    assert {bool(sentence) for sentence in outcomes} == {True, False}


@pytest.mark.parametrize("page", [20127, 28592, 50220, 77777, 2**32 - 1])
def test_outlook_code_pages(page: int) -> None:
    """Those of Windows that Python calls otherwise, and those that nobody knows, are no reason to refuse a mail; nor is
    its date.
    """
    data = shared_data("email/fake-email-attachment.msg").read_bytes()
    utf_8 = (65_001).to_bytes(4, "little")
    code_page = re.compile(rb"\x03\x00\xde\x3f....(%b)" % re.escape(utf_8), re.DOTALL).search(data)
    sent = re.compile(rb"\x40\x00\x39\x00....(.{8})", re.DOTALL).search(data)
    assert code_page
    assert sent
    changed = bytearray(data)
    changed[slice(*code_page.span(1))] = page.to_bytes(4, "little")
    changed[slice(*sent.span(1))] = b"\xff" * 8
    assert "- and is a quick read" in read(bytes(changed), "a.msg").text


def outcome(data: bytes) -> str:
    """The sentence with which an Outlook file is refused; empty where it is read."""
    try:
        read_outlook(RawFile(data, "a.msg"))
    except ParseError as error:
        return str(error)
    return ""


def test_a_long_name_is_told_short() -> None:
    """A warning stays a sentence, whatever an attachment is called."""
    message = EmailMessage()
    message["Subject"] = "Names"
    message.set_content("Hello.")
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="x" * 5_000 + ".png")
    (warning,) = parse_all(message.as_bytes(), "names.eml")[0].warnings
    assert len(warning) < 200
