"""Languages that the packaged model does not read: hybrid search finds what full text finds, and says why."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import pytest

from chunking import Config, add_files, build_index, search
from chunking.config import ENGLISH_MODEL, SearchConfig
from chunking.store import Workspace
from tests.support.facts import tells
from tests.support.shared_data import shared_data

pytestmark = pytest.mark.model

Rules = Mapping[str, str]
"""A query, and the rule that answers it."""

LANGUAGES: Mapping[str, Rules] = {
    "Korean": {
        "휴가": "직원의 휴가 는 해마다 십오일이다.",
        "출장비": "출장비 정산은 다음 달 십일까지 한다.",
        "건강검진": "건강검진 은 매년 가을에 실시한다.",
        "보안교육": "보안교육 은 분기마다 온라인으로 한다.",
    },
    "Russian": {
        "отпуск сотрудников": "Ежегодный отпуск сотрудников длится двадцать восемь дней.",
        "оплата командировки": "Оплата командировки производится до десятого числа.",
        "медицинский осмотр": "Медицинский осмотр проводится каждую осень.",
        "сверхурочная работа": "Сверхурочная работа оплачивается в полуторном размере.",
    },
    "Arabic": {
        "إجازة الموظف": "مدة إجازة الموظف خمسة عشر يوما في السنة.",
        "نفقات السفر": "تصرف نفقات السفر حتى العاشر من الشهر.",
        "الفحص الطبي": "يجرى الفحص الطبي كل خريف.",
        "العمل الإضافي": "يحسب العمل الإضافي بمرة ونصف.",
    },
    "Hebrew": {
        "חופשת העובד": "חופשת העובד נמשכת חמישה עשר ימים בשנה.",
        "הוצאות נסיעה": "הוצאות נסיעה משולמות עד העשירי בחודש.",
        "בדיקה רפואית": "בדיקה רפואית נערכת בכל סתיו.",
        "שעות נוספות": "שעות נוספות משולמות פעם וחצי.",
    },
    "Greek": {
        "άδεια υπαλλήλων": "Η άδεια υπαλλήλων διαρκεί δεκαπέντε ημέρες.",
        "έξοδα ταξιδιού": "Τα έξοδα ταξιδιού καταβάλλονται έως τη δεκάτη.",
        "ιατρική εξέταση": "Η ιατρική εξέταση γίνεται κάθε φθινόπωρο.",
        "υπερωριακή εργασία": "Η υπερωριακή εργασία αμείβεται μιάμιση φορά.",
    },
    "Hindi": {
        "वार्षिक अवकाश": "कर्मचारी का वार्षिक अवकाश पंद्रह दिन का है।",
        "यात्रा व्यय": "यात्रा व्यय दस तारीख तक चुकाया जाता है।",
        "स्वास्थ्य जाँच": "स्वास्थ्य जाँच हर शरद ऋतु में होती है।",
        "अतिरिक्त समय": "अतिरिक्त समय का वेतन डेढ़ गुना है।",
    },
    "Japanese": {
        "年次有給休暇": "従業員の年次有給休暇は十五日です。",
        "出張旅費": "出張旅費は翌月十日までに精算します。",
        "健康診断": "健康診断は毎年秋に行います。",
        "じかんがいろうどう": "じかんがいろうどうは一・五倍で計算します。",
    },
    "Thai": {
        "วันลาพักร้อน": "พนักงานมีวันลาพักร้อนปีละสิบห้าวัน",
        "ค่าเดินทาง": "เบิกค่าเดินทางภายในวันที่สิบ",
        "ตรวจสุขภาพ": "ตรวจสุขภาพทุกฤดูใบไม้ร่วง",
        "ค่าล่วงเวลา": "ค่าล่วงเวลาคิดเป็นหนึ่งเท่าครึ่ง",
    },
}


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Every rule in a document of its own, indexed with the model that reads English only; eight languages."""
    folder = tmp_path_factory.mktemp("rules")
    for language, some in LANGUAGES.items():
        for number, rule in enumerate(some.values()):
            (folder / f"{language}{number}.md").write_text(f"# Rule {number}\n\n{rule}\n", encoding="utf-8")
    workspace: Workspace = Workspace.open(folder / "workspace")
    add_files(workspace, sorted(folder.glob("*.md")))
    build_index(workspace, Config.from_settings({"embedding.model": ENGLISH_MODEL}))
    return workspace


def sources_of(workspace: Workspace, query: str, **settings: object) -> list[str]:
    return [hit.chunk.doc_id for hit in search(workspace, query, SearchConfig.model_validate(settings)).results]


@pytest.mark.parametrize("language", LANGUAGES)
def test_hybrid_is_full_text_where_the_model_does_not_read(rules: Workspace, language: str) -> None:
    """The same hits in the same order: near random vectors neither add nor reorder any."""
    for number, query in enumerate(LANGUAGES[language]):
        hits = sources_of(rules, query)
        assert hits == sources_of(rules, query, mode="text")
        assert hits[0] == f"{language}{number}", query


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_reason_is_reported(rules: Workspace, language: str) -> None:
    """With the share that the model cannot read; a search by vectors alone obeys, and warns."""
    query = next(iter(LANGUAGES[language]))
    message = search(rules, query, SearchConfig())
    assert message.weights == {"text": 1.0}
    assert tells(message.notes, "all-MiniLM-L6-v2 100% query off multilingual")
    assert tells(search(rules, query, SearchConfig(mode="vector")).notes, "all-MiniLM-L6-v2 unreliable")


def test_the_korean_file_that_failed(tmp_path: Path) -> None:
    """Rules that a person looked up by their names: hybrid finds at least as many of them as full text."""
    folder = shared_data("wild/hybrid_korean")
    workspace: Workspace = Workspace.open(tmp_path / "workspace")
    add_files(workspace, [folder / "ko_NFC"])
    build_index(workspace, Config.from_settings({"embedding.model": ENGLISH_MODEL}))
    with (folder / "ko.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    right = {
        mode: sum(
            row["doc"].removesuffix(".md") in sources_of(workspace, row["question"], mode=mode, k=1)[0] for row in rows
        )
        for mode in ("hybrid", "text")
    }
    assert right["hybrid"] >= right["text"]
    assert right["hybrid"] >= len(rows) // 2


@pytest.mark.parametrize("query", ["RS-485", "Modbus RTU: настройка", "E42", "How do I set up Modbus?"])
def test_signs_and_names_over_unread_texts_are_searched_by_words(rules: Workspace, query: str) -> None:
    """Codes and names are read, the texts around them are not: there is nothing that their vectors could be near to."""
    assert search(rules, query, SearchConfig()).weights == {"text": 1.0}
