import json
import re
from base64 import b64decode
from html.parser import HTMLParser

import pytest

pytestmark = [pytest.mark.spark]


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
            self._row.append(self._cell)
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
    outcome, _ = run(folder / "out", folder / "in")
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
@pytest.mark.parametrize("scheme", ["dark", "light"])
@pytest.mark.parametrize("width", [400, 1400])
def test_nothing_overlaps_and_it_is_as_dark_as_its_reader_has_it(reported, dump_dom, tmp_path, width, scheme):
    inline = re.sub(
        r'<img src="data:image/svg\+xml;base64,([^"]+)"[^>]*>',
        lambda found: re.sub(r"^.*?<svg", "<svg", b64decode(found.group(1)).decode(), flags=re.DOTALL),
        reported[1].read_text(),
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
