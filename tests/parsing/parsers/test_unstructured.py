"""unstructured without a network, and what it reads beside what our readers read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.shared_data import shared_data

ROOT = Path(__file__).parents[3]

CODE = """
import io, socket, sys
from pathlib import Path

def refuse(*_, **__):
    print("a connection was asked for")
    raise OSError("no network")

socket.socket.connect = socket.socket.connect_ex = socket.create_connection = socket.getaddrinfo = refuse
from chunking.parsing import parse
from chunking.splitting.strategies.foreign_splitters import cut_elements
from chunking.splitting.strategies.splitter_contract import Lengths

notes = parse(b"# One\\n\\n- two three\\n- four five six\\n", "notes.md")
print("chunks", [tuple(span) for span in cut_elements(notes, Lengths(20, 0, len), by_title=True)])
print("readers", sorted({"spacy", "numba", "pandas"} & set(sys.modules)))
from chunking.parsing.parsers.unstructured_reader import prepare_readers
prepare_readers()
from unstructured.partition.csv import partition_csv
from unstructured.partition.email import partition_email
from unstructured.partition.html import partition_html
from unstructured.partition.msg import partition_msg
from unstructured.partition.pptx import partition_pptx
from unstructured.partition.text import partition_text
from unstructured.partition.xlsx import partition_xlsx
from tests.parsing.formats.office.deck_files import one_of_each
from tests.parsing.formats.office.pptx.test_slides import lost

readers = {".csv": partition_csv, ".eml": partition_email, ".html": partition_html, ".msg": partition_msg,
           ".pptx": partition_pptx, ".txt": partition_text, ".xlsx": partition_xlsx}
names = ("xlsx/semicolon-delimited.csv", "email/fake-email.eml", "html/ideas-page.html",
         "email/fake-email-attachment.msg",
         "pptx/sample-presentation.pptx", "text/norwich-city.txt", "xlsx/more-than-1k-cells.xlsx")
for path in (Path(sys.argv[1]) / name for name in names):
    mail = {"process_attachments": False} if path.suffix in (".eml", ".msg") else {}
    elements = readers[path.suffix](str(path), **mail)
    words = set(" ".join(element.text for element in elements).split())
    read = path.suffix not in (".html", ".txt")
    ours = set(parse(path.read_bytes(), path.name).text.translate({124: " ", 59: " "}).split()) if read else words
    print(path.suffix, len(elements) > 0, len(words - ours) <= 0.02 * len(words))

class Read:
    def __init__(self, text):
        self.text = text

deck = one_of_each()
theirs = Read(" ".join(element.text for element in partition_pptx(file=io.BytesIO(deck), include_slide_notes=True)))
from chunking.errors import ParseError
from chunking.parsing.parsers.unstructured_reader import read_second
try:
    read_second(b"no file", "a.docx", "docx")
except ParseError as error:
    print("fails", "a.docx" in str(error), "Error" in str(error))
print("deck again", [one.category for one in read_second(deck, "deck.pptx", "pptx")].count("Title") > 0)
from unstructured.staging.base import elements_from_dicts
from chunking.export import element_rows
datasheet = Path("sample_data/datasheet/heron-g4-datasheet.pdf").read_bytes()
for name, data in (("deck.pptx", deck), ("heron.pdf", datasheet)):
    rows = element_rows(parse(data, name))
    taken = [element.to_dict() for element in elements_from_dicts(rows)]
    print("elements", all(one["text"] == row["text"] for one, row in zip(taken, rows, strict=True)))
print("deck", lost(deck, theirs) > 0.4, lost(deck, parse(deck, "deck.pptx")) == 0)
"""


def test_nothing_of_unstructured_needs_the_network() -> None:
    """In a process of its own, in which every connection fails: it cuts and reads, nothing is asked for, nothing is
    printed.

    Its chunking loads none of its readers. Our readers have the words that its readers have, and more: a deck with one
    of each thing loses 43 % there and nothing here.
    """
    unset = {name: value for name, value in os.environ.items() if name not in ("DO_NOT_TRACK", "SCARF_NO_ANALYTICS")}
    command = [sys.executable, "-c", CODE, str(shared_data("."))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=unset)
    assert done.stderr == ""
    assert done.stdout.split("\n")[:-1] == [
        "chunks [(0, 18), (19, 34)]",
        "readers []",
        *(f"{ending} True True" for ending in (".csv", ".eml", ".html", ".msg", ".pptx", ".txt", ".xlsx")),
        "fails True True",
        "deck again True",
        *["elements True"] * 2,
        "deck True True",
    ]
