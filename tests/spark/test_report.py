import json
import re
from base64 import b64decode
from collections import namedtuple
from html.parser import HTMLParser

import pytest


class Page(HTMLParser):
    """What a page refers to and shows."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.addresses, self.alts, self.cells = [], [], [], {}
        self._table, self._row, self._cell, self._card = "", [], None, ""
        self.cards = {}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append(tag)
        self.addresses += [found[name] for name in ("src", "href") if name in found]
        if tag == "img":
            self.alts.append(found.get("alt", ""))
        if tag == "table":
            self._table = found["id"]
            self.cells[self._table] = []
        if tag == "tr":
            self._row = []
        if tag == "td":
            self._cell = ""
        if found.get("id", "").startswith("card-"):
            self._card = found["id"].removeprefix("card-")
        if tag == "b" and self._card:
            self._cell = ""

    def handle_endtag(self, tag):
        if tag == "td":
            self._row.append(" ".join(self._cell.split()))
            self._cell = None
        if tag == "tr" and self._row:
            self.cells[self._table].append(self._row)
        if tag == "b" and self._card:
            self.cards[self._card] = self._cell
            self._cell, self._card = None, ""

    def handle_data(self, data):
        if self._cell is not None:
            self._cell += data


@pytest.fixture(scope="module")
def reported(run, new_chains, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    chains = new_chains(folder / "in")
    for sequence in range(1, 13):
        chains.relay(sequence, sequence * 7)
    chains.relay(13, 5, ack=b'{"error":"<script>alert(1)</script>"}')
    chains.event("a-1", 9, "timeout_packet", 14)
    chains.event("a-1", 3, "send_packet", 14)
    chains.event("a-1", 4, "send_packet", 15, until=10**9, src=("transfer", "$x^2$"), dst=("<b>", "\u96ea"))
    chains.write()
    (folder / "in" / "odd <name>.txt").write_text("no recording")
    outcome, _ = run(folder / "out", folder / "in", drawn=True)
    return outcome, folder / "out" / "report.html"


def check_numbers(page):
    assert page.cards == {
        "packets": "15",
        "succeeded": "12",
        "failed": "1",
        "acknowledged": "13",
        "received": "13",
        "timed-out": "1",
        "in-flight": "1",
        "unknown": "0",
        "stuck": "1",
        "ack-overdue": "0",
        "median": "3.00 s",
    }
    assert page.cells["chains-table"][0][0] == "a-1"
    assert page.cells["chains-table"][0][3:] == ["15", "13", "12", "1", "1", "1", "0", "1", "0", "0", "0"]
    assert page.cells["chains-table"][1][3:] == ["0", "0", "0", "0", "0", "0", "0", "0", "0", "13", "1"]
    assert page.cells["applications-table"] == [
        ["transfer", "15", "12", "1", "0", "1", "1", "85.7%", "3.00 s", "3.00 s"]
    ]
    assert page.cells["denoms-table"] == [["ua", "a-1", "15", "60", "75"]]
    assert [row[0] for row in page.cells["relayers-table"]] == ["relayer-a-1", "relayer-b-1"]
    assert len(page.cells["stuck-table"]) == 1
    assert "\u96ea" in page.cells["stuck-table"][0][0]
    assert page.cells["skipped-table"][0][0].endswith("odd <name>.txt")


def test_the_page_stands_alone_and_shows_the_numbers(reported):
    text = reported[1].read_text()
    page = Page(text)
    check_numbers(page)
    assert {"script", "link", "iframe", "object"} & set(page.tags) == set()
    assert len(page.alts) == 5
    assert all(page.alts)
    outside = [address for address in page.addresses if not address.startswith("data:image/svg+xml;base64,")]
    assert set(outside) == {"#definitions"}
    assert not re.search(r"url\(|@import", text)
    assert '<html lang="en">' in text
    assert "width=device-width" in text


def test_the_same_packets_give_the_same_page(reported):
    from pyibc.indexer.report.page import write_report

    outcome, path = reported
    assert write_report(outcome.summary, outcome.answers, outcome.notes, outcome.tips) == path.read_text()


@pytest.mark.browser
def test_a_browser_shows_the_numbers(reported, dump_dom):
    dom = dump_dom(reported[1])
    check_numbers(Page(dom))
    assert dom.count("<section") == reported[1].read_text().count("<section") > 1


Rich = namedtuple("Rich", "outcome out page")
STUCK, OVERDUE = 53, 200
ASSETS = {
    "assets": [
        {"base": "ua", "display": "a", "symbol": "AAA", "denom_units": [{"denom": "a", "exponent": 2}]},
    ]
}


@pytest.fixture(scope="module")
def rich(new_chains, tmp_path_factory):
    """Fifty hours of packets in all states over several applications; blocks of a third chain are missing."""
    from pyibc.indexer.job import index
    from pyibc.indexer.local.run import LocalEngine
    from pyibc.indexer.report.options import ReportOptions, read_assets, since

    folder = tmp_path_factory.mktemp("rich")
    chains = new_chains(folder / "in")
    chains.pace = 1200
    far = 10**18
    for sequence in range(1, 41):
        chains.relay(sequence, sequence * 2, until=far)
    for sequence, ack in ((41, b'{"result":"AQ=="}'), (42, b'{"error":"no"}'), (43, b'{"result":"AQ=="}')):
        chains.relay(sequence, sequence + 60, ack=ack, until=far)
    for sequence in range(100, 100 + STUCK):
        chains.event("a-1", 20, "send_packet", sequence, until=30 * 1200 * 10**9)
    chains.event("a-1", 50, "send_packet", OVERDUE, until=far)
    chains.event("b-1", 51, "recv_packet", OVERDUE, owner="a-1", until=far)
    ends, chains.ends = (
        chains.ends,
        {"src": ("icacontroller-x", "channel-5"), "dst": ("icahost", "channel-6")},
    )
    chains.relay(1, 60, until=far)
    chains.ends = ends
    chains.event("a-1", 4, "send_packet", 15, until=10**9, src=("transfer", "$x^2$"), dst=("<b>", "\u96ea"))
    for chain in ("a-1", "b-1", "c-1"):
        chains.empty(chain, 150)
    chains.empty("c-1", 1)
    chains.write()
    (folder / "in" / "c-1" / "blocks-000000000011.jsonl").unlink()
    (folder / "odd <name>.txt").write_text("no recording")
    (folder / "assets.json").write_text(json.dumps(ASSETS))
    options = ReportOptions(since("1d"), read_assets([folder / "assets.json"]))
    inputs = [folder / "in", folder / "odd <name>.txt"]
    outcome = index(LocalEngine(), inputs, folder / "out", options=options)
    return Rich(outcome, folder / "out", Page((folder / "out" / "report.html").read_text()))


def test_numbers_of_the_last_day_stand_beside_those_of_everything(rich):
    text = (rich.out / "report.html").read_text()
    assert "Window: the last day of the data (from 1970-01-02 02:00:00 UTC)." in text
    cards = rich.page.cards
    assert [cards[name] for name in ("packets", "succeeded", "failed", "timed-out")] == ["5", "4", "1", "0"]
    assert [cards[name] for name in ("in-flight", "stuck", "ack-overdue")] == ["55", "54", "1"]
    assert f"{43 + STUCK + 3} in all data" in text
    transfer, calls = rich.page.cells["applications-table"]
    assert transfer[:3] == ["transfer", "5 / 98", "4 / 42"]
    assert (transfer[3], transfer[-3:]) == ("1 / 1", ["80.0%", "60.0 min", "60.0 min"])
    assert calls[:3] == ["interchain-accounts", "0 / 1", "0 / 1"]
    (row,) = (row for row in rich.page.cells["channels-table"] if row[1].startswith("5 / "))
    assert row[1:4] == ["5 / 97", "4 / 42", "1 / 1"]
    (coin,) = rich.page.cells["denoms-table"]
    assert coin[2:] == ["5 / 99", "20 0.2 AAA", "215 2.15 AAA", "495 4.95 AAA"]
    (timeline,) = {(row.start, row.width) for row in rich.outcome.answers.timeline}
    assert timeline[0] == 93_600


def test_a_window_that_has_everything_is_everything(reported):
    assert reported[0].answers.since is None
    assert "Window: the last day of the data. All packets are in it." in reported[1].read_text()


def test_what_waits_is_grouped_by_channel(rich):
    many, one = rich.page.cells["stuck-channels-table"]
    assert many == [
        "a-1 channel-0 → b-1 channel-0",
        "1970-01-01 06:40:00",
        str(STUCK),
        f"{5 * STUCK} ua 2.65 AAA",
        "relayer-a-11970-01-02 11:20:00",
    ]
    assert one[2:] == ["1", "5 ua 0.05 AAA", "never"]
    ((_, since, *others),) = rich.page.cells["ack-overdue-channels-table"]
    assert (since, others[0]) == ("1970-01-01 17:00:00", "1")


def test_packets_that_nobody_knows_who_relayed_were_relayed(run, chains, tmp_path):
    chains.pace = 60
    chains.event("a-1", 5, "send_packet", 1, until=10**18)
    chains.event("b-1", 6, "recv_packet", 1, owner="a-1", until=10**18)
    chains.event("a-1", 8, "send_packet", 1, until=1, src=("transfer", "channel-8"))
    for place, (tx,) in chains.blocks.items():
        chains.blocks[place] = [tx._replace(events=tx.events[1:])]  # without the signer
    for chain in ("a-1", "b-1"):
        chains.empty(chain, 100)
    outcome, _ = run(tmp_path / "out", chains.write())
    assert outcome.answers.stuck_count == 1
    page = Page((tmp_path / "out" / "report.html").read_text())
    assert [row[-1] for row in page.cells["ack-overdue-channels-table"]] == ["\u20131970-01-01 00:06:00"]
    assert [row[-1] for row in page.cells["stuck-channels-table"]] == ["never"]


def test_latencies_of_nothing_are_latencies(run, chains, tmp_path):
    chains.pace = 0
    chains.relay(1, 5)
    outcome, _ = run(tmp_path / "out", chains.write())
    assert outcome.answers.totals.packets == 1
    text = (tmp_path / "out" / "report.html").read_text()
    assert [row[0] for row in Page(text).cells["latency-table"]] == [
        "sent to received",
        "sent to acknowledged",
    ]
    assert "there are no latencies" not in text


def test_one_leaping_clock_empties_nothing(run, chains, tmp_path):
    for sequence in (1, 2, 3):
        chains.relay(sequence, sequence * 9)
    chains.relay(1, 5, src="z-1", dst="y-1")
    chains.halt("z-1", 1, 9 * 10**9)  # in the year 2255
    outcome, _ = run(tmp_path / "out", chains.write())
    assert outcome.answers.totals.packets == 4
    page = Page((tmp_path / "out" / "report.html").read_text())
    assert page.cards["packets"] == "4"
    assert {row.chain: row.total for row in outcome.answers.timeline} == {"a-1": 3}
    assert {row.width for row in outcome.answers.timeline} == {1}
    assert "\nat 1970-01-01 00:00:30 UTC" in (tmp_path / "out" / "report.html").read_text()


def test_a_long_list_ends_with_the_query_for_the_rest(rich):
    text = (rich.out / "report.html").read_text()
    assert len(rich.page.cells["stuck-table"]) == 50
    (query,) = re.findall(r"4 more: <code>(SELECT .* OFFSET 50)</code>", text)
    rest = tables(rich.out).execute(query).fetchall()
    shown = {row[1] for row in rich.page.cells["stuck-table"]}
    assert shown.isdisjoint(str(row[7]) for row in rest)
    assert len(rest) == 4


def tables(out):
    from pyibc.indexer import open_results

    return open_results(out)


def test_every_query_of_the_page_runs(rich):
    from pyibc.indexer.report.words import QUERIES

    base = tables(rich.out)
    for query in QUERIES.values():
        base.execute(query)
    found = base.execute(rich.outcome.summary["gaps_query"]).fetchall()
    gaps = {chain: known.gaps.ranges for chain, known in rich.outcome.coverage.items()}
    assert found == [(chain, *each) for chain, ranges in gaps.items() for each in ranges] == [("c-1", 11, 20)]
    assert rich.page.cells["gaps-table"] == [["c-1", "10", "1", "11", "20", "11-20"]]


@pytest.mark.exhaustive
def test_every_query_of_the_page_runs_on_spark(rich, spark):
    from pyibc.indexer import result_views
    from pyibc.indexer.report.words import QUERIES

    views = result_views(spark, rich.out)
    for query in QUERIES.values():
        views.sql(query).collect()
    assert [tuple(row) for row in views.sql(rich.outcome.summary["gaps_query"]).collect()] == [
        ("c-1", 11, 20)
    ]


def test_the_page_ends_with_its_version_and_the_end_of_the_data(rich):
    text = (rich.out / "report.html").read_text()
    footer = text[text.index("<footer>") :]
    assert "The data ends\nat 1970-01-03 02:00:00 UTC." in footer
    assert re.search(r"Made by pyibc \d+\.\d+", footer)
    assert '<a href="#definitions">' in footer


LOOK = """<script>
const found = [], box = (e) => e.getBoundingClientRect();
const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
  && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
const apart = (every, what) => every.forEach((one, place) => every.slice(place + 1).forEach((other) => {
  if (meet(box(one), box(other)))
    found.push(what + ": " + [one, other].map((e) => e.textContent.slice(0, 30)).join(" / "));
}));
if (document.documentElement.scrollWidth > innerWidth) found.push("wider than the window");
apart([...document.querySelectorAll("main > *")], "parts");
document.querySelectorAll("section, header, .card, form").forEach(
  (e) => apart([...e.children], "in " + (e.id || e.tagName)));
document.querySelectorAll("tr").forEach((e) => apart([...e.children], "cells"));
document.querySelectorAll("svg").forEach((e) => apart([...e.querySelectorAll("text")], "labels"));
document.querySelectorAll(".wide:has(table)").forEach((e) => {
  e.scrollLeft = e.scrollWidth;
  e.querySelectorAll("td:first-child").forEach((cell) => {
    if (box(cell).left < box(e).left - 1) found.push("the first column moves: " + cell.textContent);
  });
  e.scrollLeft = 0;
});
let legends = 0;
document.querySelectorAll("svg").forEach((svg) => {
  const legend = svg.querySelector("[id^=legend_]");
  if (legend) {
    legends += 1;
    svg.querySelectorAll("g[id^=axes_]").forEach((axes) => {
      if (meet(box(legend), box(axes))) found.push("a legend covers");
    });
  }
});
const ink = getComputedStyle(document.body).color, back = getComputedStyle(document.body).backgroundColor;
const text = getComputedStyle(document.querySelector("svg text")).fill;
document.title = JSON.stringify({found, legends, ink, back, text, width: innerWidth});
</script>"""


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1400, "light")])
def test_nothing_overlaps_and_it_is_as_dark_as_its_reader_has_it(rich, dump_dom, tmp_path, width, scheme):
    inline = re.sub(
        r'<img src="data:image/svg\+xml;base64,([^"]+)"[^>]*>',
        lambda found: re.sub(r"^.*?<svg", "<svg", b64decode(found.group(1)).decode(), flags=re.DOTALL),
        (rich.out / "report.html").read_text(),
    )
    (tmp_path / "page.html").write_text(inline.replace("</body>", f"{LOOK}</body>"))
    flags = (f"--window-size={width},3000", f"--blink-settings=preferredColorScheme={scheme == 'light':d}")
    dom = dump_dom(tmp_path / "page.html", *flags)
    (title,) = re.findall("<title>(.*?)</title>", dom, re.DOTALL)[:1]
    seen = json.loads(title.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))
    assert seen["found"] == []
    assert seen["legends"] == 4
    assert abs(seen["width"] - width) <= 100
    bright = {name: sum(map(int, re.findall(r"\d+", seen[name])[:3])) for name in ("ink", "back", "text")}
    assert (bright["back"] < 200) is (bright["ink"] > 500) is (bright["text"] > 500) is (scheme == "dark")
