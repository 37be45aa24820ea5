"""The sample data sheet as a PDF: `python -m docs.sample_pdf` writes it, always with the same bytes.

It needs reportlab (requirements-dev.txt). What it says agrees with the other samples.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from reportlab.lib import colors
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    FrameBreak,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

__all__ = ["PATH", "datasheet"]

PATH = Path(__file__).parent.parent / "sample_data" / "datasheet" / "heron-g4-datasheet.pdf"
TITLE = "Heron G4 gateway and Finch sensors"
NUMBER = "TW-DS-G4-2025-10"

_INK, _ACCENT, _PALE = colors.HexColor("#1d2733"), colors.HexColor("#17624f"), colors.HexColor("#e7f0ed")
_SIDE, _TOP, _FOOT, _GUTTER = 20 * mm, 24 * mm, 20 * mm, 8 * mm
_BOLD, _SONG = "Helvetica-Bold", "STSong-Light"

_TEXT = ParagraphStyle(
    "text", fontName="Helvetica", fontSize=9.5, leading=13.2, alignment=TA_JUSTIFY, spaceAfter=6, textColor=_INK
)
_STYLES = {
    "title": ParagraphStyle("title", _TEXT, fontName=_BOLD, fontSize=22, leading=27, alignment=0, textColor=_ACCENT),
    "lead": ParagraphStyle("lead", _TEXT, fontSize=10.5, leading=15),
    "h1": ParagraphStyle(
        "h1", _TEXT, fontName=_BOLD, fontSize=14, leading=18, spaceBefore=8, alignment=0, textColor=_ACCENT
    ),
    "h2": ParagraphStyle(
        "h2", _TEXT, fontName=_BOLD, fontSize=11, leading=15, spaceBefore=5, spaceAfter=3, alignment=0
    ),
    "text": _TEXT,
    "item": ParagraphStyle("item", _TEXT, leftIndent=12, spaceAfter=3),
    "caption": ParagraphStyle("caption", _TEXT, fontSize=8.5, leading=12, spaceBefore=4, spaceAfter=4, keepWithNext=1),
    "zh": ParagraphStyle(
        "zh", _TEXT, fontName=_SONG, fontSize=10.5, leading=17, firstLineIndent=21, alignment=0, wordWrap="CJK"
    ),
    "zh1": ParagraphStyle(
        "zh1", _TEXT, fontName=_SONG, fontSize=15, leading=22, spaceBefore=8, wordWrap="CJK", textColor=_ACCENT
    ),
    "zh2": ParagraphStyle("zh2", _TEXT, fontName=_SONG, fontSize=12, leading=18, spaceBefore=6, wordWrap="CJK"),
    "zhitem": ParagraphStyle(
        "zhitem", _TEXT, fontName=_SONG, fontSize=10.5, leading=17, leftIndent=14, alignment=0, wordWrap="CJK"
    ),
}  # fmt: skip
_ROOM = 22 * mm
"""Minimum space between a heading and the foot of the page."""
_LEVELS = {"h1": 0, "h2": 1, "zh1": 0, "zh2": 1}

_Story = Sequence[tuple[str, str]]

LEAD = (
    "The Heron G4 is the part of a Ternwick system that stays awake. It listens to as many as 64 Finch sensors, keeps "
    "what they measure for 30 days, and passes every reading on to Roost, where it is drawn, compared with the alarm "
    "rules and kept. This sheet is for people who plan an installation; the operating manual comes with the device."
)

OVERVIEW: _Story = (
    ("h1", "1 How the system works"),
    ("text", "A Finch sensor sleeps, wakes every ten minutes, takes a reading and sends it by radio, all in well "
        "under a second. "
             "A Heron gateway checks the key of the sensor, adds the time and stores the reading before it "
                 "sends it on. From its "
             "arrival at Roost to a visible point on the chart a reading takes 1.8 seconds in the median."),
    ("h2", "1.1 Radio"),
    ("text", "Sensors and gateway speak below one gigahertz, where leaves and glass do little harm. Reckon with 1,200 "
        "metres in "
             "open country, 300 metres in a glasshouse, and 80 to 150 metres where plants stand on metal "
                 "benches. Each cold store "
             "door halves the distance. Every sensor has its own AES-128 key, written at the factory."),
    ("text", "Where two gateways hear the same sensor, Roost keeps the stronger of the two readings. An overlap of "
        "one third is "
             "good practice in large glasshouses: when one gateway loses power, its neighbour takes over at once."),
    ("h2", "1.2 Storage"),
    ("text", "The gateway holds 30 days of readings on 4 GB of industrial flash memory. When the connection returns "
        "it sends the "
             "newest readings first and then fills the gap. Readings that arrive late never raise an alarm. "
                 "Between sensor and "
             "gateway nothing is lost either: a sensor remembers its last 500 readings, three and a half "
                 "days at the normal "
             "interval."),
    ("h2", "1.3 Connection to Roost"),
    ("text", "Readings travel over MQTT with TLS on port 8883. Where a site blocks that port, the gateway falls back "
        "to a web "
             "socket on port 443. It only ever opens connections outwards, needs no public address, and "
                 "keeps its clock by NTP."),
    ("text", "<b>Order of connections.</b> Cable comes first, then Wi-Fi, then the mobile network. The gateway "
        "changes to the "
             "next one after 90 seconds of silence and returns when the better one has been steady for ten minutes."),
    ("text", "<b>Open mode.</b> The gateway can also send its readings to a broker of your own, as JSON or CSV, alone "
        "or beside "
             "Roost. Alarms are then yours to raise."),
    ("h2", "1.4 Power"),
    ("text", "Any supply from 12 to 24 volts direct current will do, whichever way round it is connected, or power "
        "over Ethernet "
             "through up to 90 metres of cable. The mean draw is 4.2 watts; plan for 9 watts at start. A "
                 "solar panel of 60 watts "
             "with a battery of 60 Ah carries it through six days without sun. There is no battery inside."),
    ("h1", "2 Sensors"),
    ("text", "All Finch sensors share one housing in six colours. Two lithium cells of size AA last about five years "
        "at the "
             "normal interval of ten minutes; the carbon dioxide sensor needs new ones after nine months, "
                 "because it has to heat "
             "its cell."),
    ("text", "<b>Never</b> put rechargeable lithium-ion cells of 3.6 volts into a Finch. They have the same size and "
        "destroy the "
             "electronics."),
    ("h2", "2.1 Choosing sensors"),
    ("item", "• Frost: two T1 at the lowest point of the orchard, one at the top for comparison."),
    ("item", "• Glasshouse: one T1 for 500 square metres, one C4 for each climate zone, one L3 above the screens."),
    ("item", "• Field and orchard: one S2 for each soil type and irrigation valve."),
    ("item", "• Cold store: a D6 at the door, and a T1 in each corner."),
)  # fmt: skip

SPECIFICATION = (
    ("Property", "Value", "Remarks"),
    ("Processor", "dual core Cortex-A7, 800 MHz", ""),
    ("Memory for readings", "4 GB eMMC", "30 days with 64 sensors"),
    ("Sensors", "up to 64", "more gateways share the load by themselves"),
    ("Radio band, HG4-EU", "863–870 MHz", "at most 25 mW"),
    ("Radio band, HG4-US", "902–928 MHz", "at most 100 mW"),
    ("Radio band, HG4-CN", "470–510 MHz", "at most 50 mW"),
    ("Antenna", "glass fibre, 42 cm", "with water seal; never run without it"),
    ("Mobile network", "LTE Cat. 1", "nano SIM, about 150 MB a month"),
    ("Wi-Fi", "802.11 b/g/n, 2.4 GHz", "no captive portals"),
    ("Ethernet", "10/100 Mbit/s", "802.3af, at most 90 m"),
    ("Supply", "12–24 V DC", "polarity does not matter"),
    ("Power", "4.2 W mean, 9 W at start", ""),
    ("Relays", "2, each 30 V and 2 A", "60 s between switchings, 200 a day"),
    ("Serial port", "RS-485, isolated", "Modbus RTU, 9600 baud, station 17"),
    ("Service port", "USB-C", "for service staff only"),
    ("Protocols", "MQTT over TLS, HTTPS, NTP", "ports 8883, 443, 123"),
    ("Encryption by radio", "AES-128", "one key for each sensor"),
    ("Clock", "within 0.1 s when connected", "2 s a day without connection"),
    ("Operating temperature", "-25 to 60 °C", "alarm E61 above 75 °C inside"),
    ("Storage temperature", "-30 to 70 °C", "without condensation"),
    ("Protection", "IP67", "with the lower lid screwed tight"),
    ("Housing", "UV-resistant ASA", "35 % recycled"),
    ("Size", "196 × 128 × 62 mm", "without antenna"),
    ("Weight", "840 g", ""),
    ("Warranty", "3 years", "5 when registered within a month"),
)

SENSORS = (
    ("Type", "Measures", "Range", "Accuracy", "Colour"),
    ("T1", "air temperature and humidity", "-40–85 °C, 0–100 %", "±0.2 °C, ±2 %", "white"),
    ("S2", "soil moisture, temperature, conductivity", "0–60 % by volume", "±3 %", "brown"),
    ("L3", "light, photosynthetic radiation", "0–200,000 lx", "±5 %", "yellow"),
    ("C4", "carbon dioxide", "400–5,000 ppm", "±40 ppm", "grey"),
    ("P5", "pulses of water and power meters", "20 pulses a second", "no pulse lost", "blue"),
    ("D6", "doors and windows", "open or closed", "gap of 15 mm", "black"),
)

PLANNING: _Story = (
    ("h1", "4 Planning an installation"),
    ("text", "Ten minutes spent on the gateway's place save hours later. Put it near the middle of what it is to "
        "listen to, half "
             "a metre above the crop or the highest shelf, three metres from large frequency converters and "
                 "welding sets, and "
             "never inside a metal cabinet. If it must go into one, lead the antenna out. Think of the "
                 "person who will have to "
             "read its three lights in the rain, and of the ladder that he or she will need. A pole at the "
                 "edge of the path, with "
             "a socket that nobody will pull for the coffee machine, is worth more than a perfect place on a "
                 "roof. Where "
             "lightning is frequent, fit a surge protector to any cable that leaves the building; damage by "
                 "lightning without one "
             "is not covered by the warranty."),
    ("h2", "4.1 How many gateways"),
    ("text", "One Heron covers some 20 hectares of open orchard, 4 hectares of linked glasshouses or 1.2 hectares of "
        "a nursery "
             "with metal benches. Cold stores need one each, and another beyond the fourth door; museums and "
                 "archives one for "
             "every two floors. These are figures for a first plan. Take a gateway on loan and try it for "
                 "two weeks where you are "
             "not sure: you can return hardware within 60 days for a full refund, as long as you have not "
                 "drilled holes in it."),
    ("h2", "4.2 Reading the signal"),
    ("text", "The app shows the signal of each sensor in dBm; the nearer to zero, the better. Down to -95 it is very "
        "good, down "
             "to -110 good, and down to -118 it works most of the time. Below that readings get lost. Raise "
                 "the gateway's antenna "
             "before you move a sensor, because a metre of height at the gateway often does more than ten "
                 "metres of distance at "
             "the sensor. A signal that was good in winter and is poor in July is no fault: leaves hold "
                 "water, and water swallows "
             "radio waves. Plan with the leaves on, and leave ten dBm in hand for a wet summer, for new "
                 "shelves, and for the van "
             "that somebody will park in front of the antenna one day."),
    ("h2", "4.3 Accepting the work"),
    ("text", "Before the ladder goes back on the van, walk through this list. Most second visits are made because "
        "somebody left "
             "it out."),
    ("item", "1. Look at the signal of every sensor; move those below -110 dBm."),
    ("item", ("2. Hold a T1 in your hand for two minutes and see whether its own curve rises: names and places get "
        "mixed up.")),
    (
        "item",
        "3. Pull the network cable for ten minutes and see whether the hollow points of the late readings appear.",
    ),
    ("item", "4. Make an alarm rule that must fire, and see whether everyone's telephone rings."),
    ("item", "5. Photograph the gateway and each sensor with what is around it."),
    ("h1", "5 Ordering and service"),
    ("text", "Order numbers are made of the type and the region: HG4-EU, HG4-US, HG4-CN. The starter box holds a "
        "gateway and "
             "three climate sensors. Sites in a region keep their data there; moving a customer to another "
                 "region is an export "
             "and an import."),
    ("h2", "5.1 Calibration"),
    ("text", "Climate sensors want calibration every three years, carbon dioxide sensors once a year; soil and light "
        "sensors need "
             "none. In Ghent it costs 35 euros and takes ten working days, in Suzhou 180 yuan and the same time."),
    ("h2", "5.2 Returns and disposal"),
    ("text", "Start a return in the app and print the label. Take the batteries out first: lithium cells must not "
        "travel by air. "
             "Old devices come back free of charge. About 80 percent of a gateway's weight finds a new use."),
)  # fmt: skip

CHINESE: _Story = (
    ("zh1", "6 中文摘要"),
    ("zh", "鹭 G4 网关是燕鸥仪器环境监测系统的现场主机，最多可接入 64 只雀系列传感器。传感器每十分钟测量一次，"
           "网关收到以"
           "后先存入本机，再上传到栖云平台；断网时本机最多保存 30 天的数据，恢复联网后自动补传。"),
    ("zh2", "6.1 供电与安装"),
    ("zh", "网关使用 12–24 V 直流电源或以太网供电，平均功耗 4.2 W，启动瞬间可达 9 W。请装在监测区域的中间，高"
           "出作物或货架顶部半米以上，不要装进金属配电箱。开阔地通信距离约 1.2 公里，带金属苗床的连栋温室只有 80–150"
           " 米。"),
    ("zh2", "6.2 主要参数"),
    ("zhitem", "• 无线频段：470–510 MHz，发射功率不大于 50 mW；"),
    ("zhitem", "• 移动网络：LTE Cat.1，每月流量约 150 MB；"),
    ("zhitem", "• 工作温度：-25–60 °C，防护等级 IP67（下盖拧紧时）；"),
    ("zhitem", "• 尺寸：196 × 128 × 62 毫米，重量 840 克；"),
    ("zhitem", "• 继电器：两路，每路最大 30 V、2 A，两次动作之间至少间隔 60 秒。"),
    ("zh2", "6.3 保修"),
    ("zh", "整机保修三年；网关在购买后一个月内完成注册的，延长至五年。电池、密封圈和滤膜是易耗品，"
           "保修期为六个月。人为损坏的传感"
           "器可以按标价的四成换购新品，每只限一次。"),
)  # fmt: skip


def datasheet() -> bytes:
    """Return the PDF."""
    pdfmetrics.registerFont(UnicodeCIDFont(_SONG))
    stream = io.BytesIO()
    template = _Sheet(stream)
    template.build(
        [
            Paragraph(TITLE, _STYLES["title"]),
            Paragraph(f"Data sheet {NUMBER} · for firmware 4.6 and later", _STYLES["caption"]),
            Paragraph(LEAD, _STYLES["lead"]),
            FrameBreak(),
            *_written(OVERVIEW),
            NextPageTemplate("one"),
            PageBreak(),
            *_written(
                [
                    ("h1", "3 Specifications"),
                    ("h2", "3.1 Heron G4"),
                    ("caption", "Table 1. Heron G4 in all its versions."),
                ]
            ),
            _table(SPECIFICATION, (46 * mm, 54 * mm, 70 * mm)),
            Spacer(1, 4 * mm),
            *_written([("h2", "3.2 Finch sensors"), ("caption", "Table 2. What the six sensors measure.")]),
            _table(SENSORS, (13 * mm, 60 * mm, 42 * mm, 33 * mm, 22 * mm)),
            Spacer(1, 4 * mm),
            *_written(PLANNING),
            PageBreak(),
            *_written(CHINESE),
        ]
    )
    return stream.getvalue()


def _written(story: _Story) -> list[Flowable]:
    flowables: list[Flowable] = []
    for style, text in story:
        if style in _LEVELS:
            flowables.append(CondPageBreak(_ROOM))
        flowables.append(Paragraph(text, _STYLES[style]))
    return flowables


def _table(rows: Sequence[Sequence[str]], widths: Sequence[float]) -> Table:
    cell = ParagraphStyle("cell", _TEXT, fontSize=8.5, leading=11, spaceAfter=0, alignment=0)
    head = ParagraphStyle("head", cell, fontName=_BOLD)
    cells = [[Paragraph(text, head if n == 0 else cell) for text in row] for n, row in enumerate(rows)]
    rules = [
        ("GRID", (0, 0), (-1, -1), 0.5, _ACCENT),
        ("BACKGROUND", (0, 0), (-1, 0), _PALE),
        ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
    ]
    tight = [("TOPPADDING", (0, 0), (-1, -1), 2.5), ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5)]
    return Table(cells, colWidths=widths, repeatRows=1, style=TableStyle([*rules, *tight]))


class _Sheet(BaseDocTemplate):
    """Page layout: two columns first, then one; running head, page numbers, bookmarks."""

    def __init__(self, stream: io.BytesIO) -> None:
        super().__init__(stream, pagesize=A4, invariant=1, title=TITLE, author="Ternwick Instruments", lang="en")
        width, height = A4[0] - 2 * _SIDE, A4[1] - _TOP - _FOOT
        lead = 52 * mm
        column = (width - _GUTTER) / 2
        plain = {"leftPadding": 0, "rightPadding": 0, "topPadding": 0, "bottomPadding": 0}
        right = _SIDE + column + _GUTTER
        columns = [(_SIDE, column), (right, column)]
        first = [
            Frame(_SIDE, _FOOT + height - lead, width, lead, **plain),
            *(Frame(x, _FOOT, w, height - lead, **plain) for x, w in columns),
        ]
        self.addPageTemplates(
            [
                PageTemplate("first", first, onPage=_furniture, autoNextPageTemplate="two"),
                PageTemplate("two", [Frame(x, _FOOT, w, height, **plain) for x, w in columns], onPage=_furniture),
                PageTemplate("one", [Frame(_SIDE, _FOOT, width, height, **plain)], onPage=_furniture),
            ]
        )

    def afterFlowable(self, flowable: Flowable) -> None:
        level = _LEVELS.get(flowable.style.name) if isinstance(flowable, Paragraph) else None
        if level is None:
            return
        text = flowable.getPlainText()
        self.canv.bookmarkHorizontal(text, 0, flowable.height + 4)
        self.canv.addOutlineEntry(text, text, level)


def _furniture(canvas: Canvas, template: BaseDocTemplate) -> None:
    """Draw the running head and the foot of a page."""
    canvas.saveState()
    canvas.setFillColor(_INK)
    canvas.setFont("Helvetica", 8)
    canvas.drawString(_SIDE, A4[1] - 13 * mm, "Ternwick Instruments")
    canvas.drawRightString(A4[0] - _SIDE, A4[1] - 13 * mm, f"{TITLE} · {NUMBER}")
    canvas.setStrokeColor(_ACCENT)
    canvas.line(_SIDE, A4[1] - 15 * mm, A4[0] - _SIDE, A4[1] - 15 * mm)
    canvas.drawCentredString(A4[0] / 2, 10 * mm, f"Page {template.page}")
    canvas.restoreState()


if __name__ == "__main__":
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_bytes(datasheet())
