"""Live page: up to date with the last round, filtered, with links to the packets."""

import re

from pyibc.indexer.report.page import style


def page(live, query=""):
    return live.pages.page(query).body.decode()


def test_it_waits_for_the_first_round_and_then_shows_it(live):
    assert "The first run is in progress." in page(live)
    assert live.pages.health().status == 503
    live.look()
    text = page(live)
    assert '<meta http-equiv="refresh" content="5">' in text
    assert "13 packets on 2 chains" in text
    assert "Run 1 ended at" in text
    assert live.pages.health().status == 200


def test_a_failure_is_on_it_and_the_last_answers_stay(looked):
    looked.board.failed("DuckDB: <b>no</b>")
    assert "it has failed since: DuckDB: &lt;b&gt;no&lt;/b&gt;" in page(looked)
    assert "13 packets on 2 chains" in page(looked)
    assert looked.pages.health().status == 503


def test_it_has_the_window_of_the_follower(live):
    from pyibc.indexer.report.options import ReportOptions, since

    live.follower.options = ReportOptions(since("5s"))
    live.look()
    assert "Window: the last 5 seconds of the data (" in page(live)


def test_filters_by_chain_and_channel(live):
    live.chains.event("a-1", 41, "send_packet", 1, src=("transfer", "channel-7"))
    live.chains.event("b-1", 41, "send_packet", 1, src=("transfer", "channel-8"))
    live.put(("a-1", 41), ("b-1", 41))
    live.look()
    whole, one = page(live), page(live, "chain=b-1")
    assert {"channel-7", "channel-8"} <= set(re.findall(r"channel-[78]", whole))
    assert set(re.findall(r"channel-[78]", one)) == {"channel-8"}
    assert '<option value="b-1" selected>' in one
    assert "<img" in whole
    assert "<img" not in one
    assert set(re.findall(r"channel-\d", page(live, "channel=channel-7"))) == {"channel-7", "channel-0"}
    assert "channel-8" not in page(live, "chain=a-1&channel=channel-7")
    sections = ("clients", "flows", "denoms", "relayers", "transactions")  # have no rows by channel
    for query, are_shown in {"chain=b-1": True, "channel=channel-7": False}.items():
        assert [f'id="{name}"' in page(live, query) for name in sections] == [are_shown] * 5


def test_numbers_lead_to_their_rows(served):
    links = re.findall(r'href="(/packets\?[^"]+)"', page(served))
    states = [link.rpartition("=")[2] for link in links]
    assert states == ["succeeded", "failed"]
    query = links[0].replace("&amp;", "&").partition("?")[2]
    assert len(served.pages.packets(query).body) > 1000
    assert b'"sequence": 12' in served.pages.packets(query).body


def test_its_style_is_the_one_its_policy_allows(served):
    from base64 import b64encode
    from hashlib import sha256

    from pyibc.indexer.live.service import POLICY

    (shown,) = re.findall(r"<style>(.*?)</style>", page(served), re.DOTALL)
    assert shown == style()
    assert b64encode(sha256(shown.encode()).digest()).decode() in POLICY
    assert not re.search(r' style="| on[a-z]+=|<script|javascript:', page(served))


def test_a_query_of_too_many_fields_is_refused(served):
    assert served.pages.page("a=1&" * 9).status == 400
