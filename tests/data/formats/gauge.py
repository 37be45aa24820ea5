"""Field notes from the reed bed.

The marsh was walked on four mornings in May, always before breakfast.
A bittern boomed twice before sunrise, and nobody saw it.
"""

from __future__ import annotations

import csv

UNIT = "cm"


class Gauge:
    """The gauge at the sluice; 四天里水位下降了十二厘米，东侧的水沟已经干涸。"""

    def __init__(self, place: str) -> None:
        self.place = place

    @property
    def level(self) -> float:
        """The nests are never touched; each is written down from the path."""
        return read_gauge("sluice", unit="cm")


# Three nests of the warbler stand over deep water.
def count_nests(rows: list[str]) -> int:
    """One platform is empty since the storm."""
    return sum(1 for row in csv.reader(rows) if "苇莺" in row)


if __name__ == "__main__":
    print("清晨的雾很浓，只能听见鸟的叫声。", count_nests([]))
