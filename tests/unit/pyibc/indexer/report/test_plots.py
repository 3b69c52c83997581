"""Pictures of the report, as SVG with text."""

import re
from base64 import b64decode
from types import SimpleNamespace

from pyibc.indexer.report.plots import timeline_plot

START = 1_767_225_600  # 2026-01-01 00:00:00 UTC


def texts(picture):
    return re.findall(r"<text[^>]*>([^<]+)</text>", b64decode(picture.partition("base64,")[2]).decode())


def test_a_timeline_of_seconds_shows_hours_and_minutes_and_the_day():
    rows = [SimpleNamespace(chain="a-1", state="succeeded", slot=3, n=2, start=START + 22, width=1)]
    shown = texts(timeline_plot(rows))
    ticks = [each for each in shown if re.fullmatch(r"[\d:]+", each) and ":" in each]
    assert {"00:00:30", "00:00:40", "00:01:00"} <= {*ticks}
    assert all(re.fullmatch(r"\d\d:\d\d:\d\d", each) for each in ticks)
    assert "2026-01-01 00:00:22 to 2026-01-01 00:01:10 UTC" in shown


def test_a_timeline_over_midnight_tells_both_days():
    noon = START + 12 * 3600
    rows = [SimpleNamespace(chain="a-1", state="sent", slot=3, n=2, start=noon, width=1800)]
    shown = texts(timeline_plot(rows))
    assert {"16:00", "Jan-02", "08:00"} <= {*shown}
    assert "2026-01-01 12:00 to 2026-01-02 12:00 UTC" in shown
    assert "2026-Jan-02" not in shown
