import re
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
        "acknowledged": "13",
        "received": "13",
        "timed-out": "1",
        "in-flight": "1",
        "unknown": "0",
        "stuck": "1",
        "error-acks": "1",
        "median": "3.00 s",
    }
    assert page.cells["chains-table"][0][0] == "a-1"
    assert page.cells["chains-table"][0][4:] == ["15", "0", "13", "1", "1", "0", "1", "0"]
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
    assert all(address.startswith("data:image/svg+xml;base64,") for address in page.addresses)
    assert not re.search(r"url\(|@import", text)
    assert '<html lang="en">' in text
    assert "width=device-width" in text


def test_the_same_packets_give_the_same_page(reported):
    from ibc_indexer.report import write_report

    outcome, path = reported
    assert write_report(outcome.summary, outcome.answers, outcome.notes, outcome.tips) == path.read_text()


@pytest.mark.browser
def test_a_browser_shows_the_numbers(reported, dump_dom):
    dom = dump_dom(reported[1])
    check_numbers(Page(dom))
    assert dom.count("<section") == 14
