"""unstructured without a network, and what it reads beside what our readers read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.shared_data import shared_data

ROOT = Path(__file__).parents[1]

CODE = """
import io, socket, sys
from pathlib import Path

def refuse(*_, **__):
    print("a connection was asked for")
    raise OSError("no network")

socket.socket.connect = socket.socket.connect_ex = socket.create_connection = socket.getaddrinfo = refuse
from benchmarks.offline import prepare_unstructured
prepare_unstructured()
prepare_unstructured()
from unstructured.partition.csv import partition_csv
from unstructured.partition.email import partition_email
from unstructured.partition.html import partition_html
from unstructured.partition.msg import partition_msg
from unstructured.partition.pptx import partition_pptx
from unstructured.partition.text import partition_text
from unstructured.partition.xlsx import partition_xlsx
from chunking.parsing import parse
from tests.parsing.deck_files import one_of_each
from tests.parsing.pptx.test_slides import lost

readers = {".csv": partition_csv, ".eml": partition_email, ".html": partition_html, ".msg": partition_msg,
           ".pptx": partition_pptx, ".txt": partition_text, ".xlsx": partition_xlsx}
names = ("xlsx/semicolon-delimited.csv", "email/fake-email.eml", "html/ideas-page.html", "email/fake-email-attachment.msg",
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
print("deck", lost(deck, theirs) > 0.4, lost(deck, parse(deck, "deck.pptx")) == 0)
"""


def test_no_reader_of_unstructured_needs_the_network() -> None:
    """In a process of its own, in which every connection fails: all of them read, nothing is asked for, nothing is printed.

    Our readers have the words that they have, and more: a deck with one of each thing loses 43 % there and nothing here.
    """
    done = subprocess.run([sys.executable, "-c", CODE, str(shared_data("."))], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stderr == ""
    assert done.stdout.split("\n")[:-1] == [
        *(f"{ending} True True" for ending in (".csv", ".eml", ".html", ".msg", ".pptx", ".txt", ".xlsx")),
        "deck True True",
    ]


def test_it_has_to_come_first() -> None:
    """Once unstructured is imported its message is sent: that is a fault of the program, and said."""
    code = "import os, sys, types; os.environ.pop('DO_NOT_TRACK', None); sys.modules['unstructured'] = types.ModuleType('unstructured')\n"
    code += "from benchmarks.offline import prepare_unstructured; prepare_unstructured()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert "RuntimeError: unstructured was imported before prepare_unstructured() was called" in done.stderr
