"""Packets of IBC v2 that our relayer carried, through the whole job."""

from collections import Counter

import pytest

from pyibc.indexer.blocks.export import BlockExporter
from pyibc.indexer.pipeline.report import open_views
from pyibc.testing.pair import SECOND, SHIFTED
from pyibc.testing.transfers import transfer_v2
from tests.index_questions import expiring, questions
from tests.index_results import table
from tests.pipeline_runs import in_utc


@pytest.fixture(scope="module")
def rows(run, tmp_path_factory):
    """Of packets that were taken, refused, late, answered with several payloads, and not answered yet."""
    from conformance.kit.v2_chains import V2Chains, scripted

    folder, net = tmp_path_factory.mktemp("clients"), V2Chains()
    now_s = net.clock.now_ns // SECOND
    net.transfer(7)
    net.transfer(8, receiver="nobody")
    net.transfer(9, until_s=now_s + 30)
    net.clock.advance(60 * SECOND)
    net.b.chain.make_block([])
    net.send(scripted(b"x"), net.coins(10))
    net.send(scripted(b"later"))
    home = transfer_v2(net.b, "bob", net.path.b, "uatom", 11, net.a.address("alice"))
    assert net.b.execute("bob", home).code == 0
    net.relay()
    for party in (net.a, net.b):
        with BlockExporter(folder / "in" / party.chain.chain_id) as exporter:
            for height in range(1, party.chain.height + 1):
                exporter.write(party.chain.block(height))
    net.close()
    outcome, found = run(folder / "out", folder / "in")
    return outcome, found, folder


def test_every_packet_is_one_row_with_its_end(rows) -> None:
    _, found, _ = rows
    told = {(row["src_chain"], row["sequence"]): (row["state"], row["ack"]) for row in found}
    assert told == {
        ("chain-a-1", 1): ("succeeded", "success"),
        ("chain-a-1", 2): ("failed", "error"),
        ("chain-a-1", 3): ("timed_out", None),
        ("chain-a-1", 4): ("succeeded", "success"),  # by ICS-20's own event
        ("chain-a-1", 5): ("received", None),
        ("chain-b-1", 1): ("succeeded", "success"),
    }
    assert len(found) == 6


def test_clients_stand_in_the_place_of_channels(rows) -> None:
    _, found, _ = rows
    ends = Counter(
        (row["protocol"], row["src_channel"], row["dst_channel"], row["dst_chain"]) for row in found
    )
    on_a, on_b = "07-tendermint-0", f"07-tendermint-{SHIFTED.client}"
    assert ends == {(2, on_a, on_b, "chain-b-1"): 5, (2, on_b, on_a, "chain-a-1"): 1}


def test_nothing_contradicts_anything(rows) -> None:
    outcome, found, _ = rows
    assert outcome.notes == []
    assert all(row["relayer_recv"] for row in found if row["received"])


def test_the_page_s_question_which_clients_expire_next_has_its_answer(rows, here) -> None:
    folder = rows[2]
    lake = here.lake(folder / "out")
    open_views(lake)
    found = [tuple(map(in_utc, row)) for row in lake.rows(questions("chain-a-1", "chain-b-1")[4])]
    clients = expiring(table(folder / "out", "clients"))
    assert found == [tuple(map(in_utc, row)) for row in clients]
    assert {row[0]: row[2] for row in found} == {"chain-a-1": "chain-b-1", "chain-b-1": "chain-a-1"}
