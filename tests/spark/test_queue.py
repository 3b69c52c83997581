"""Packets of queues through the whole job, beside what their chains say of themselves."""

import json

import pytest
from rich.console import Console

from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.indexer.blocks.export import BlockExporter
from pyibc.queues import packet as queue_events
from pyibc.queues.packet import TIMED_OUT, QueuePacket, Receipt
from pyibc.queues.types import End

ALPHA, BETA, GAMMA = End("alpha-1"), End("beta-1"), End("gamma-1")
OVER = (End("alpha-1", "connection-0", "channel-0"), End("beta-1", "connection-0", "channel-0"))
DONE = Receipt(b"")


def packet(ends, sequence, height=ZERO_HEIGHT, time_ns=0, data=b"same"):
    return QueuePacket(*ends, sequence, "mail", data, height, time_ns)


class Exports:
    """Blocks of events by hand; a height is a second."""

    def __init__(self) -> None:
        self._blocks = {}

    def __call__(self, chain, height, *events):
        self._blocks.setdefault(chain, {})[height] = events

    def write(self, folder):
        for chain, blocks in self._blocks.items():
            with BlockExporter(folder / chain) as exporter:
                for height in range(min(blocks), max(blocks) + 1):
                    events = blocks.get(height, ())
                    txs = (TxOutcome(b"x", 0, "", (("tx", (("acc_seq", f"r-{chain}/1"),)), *events), 1, 1),)
                    exporter.write(CommittedBlock(chain, height, height * 10**9, b"", txs, ()))
        return folder


@pytest.fixture(scope="module")
def indexed(run, tmp_path_factory):
    folder, at = tmp_path_factory.mktemp("queues"), Exports()
    there, back, elsewhere = (ALPHA, BETA), (BETA, ALPHA), (ALPHA, GAMMA)
    late = packet(there, 1, Height(1, 1))
    at(
        "alpha-1",
        1,
        queue_events.send(packet(there, 0), "c"),
        queue_events.send(late, "c"),
        queue_events.send(packet(there, 2), "c"),
        queue_events.send(packet(OVER, 0), "c"),
        queue_events.send(packet(elsewhere, 0), "c"),
        queue_events.send(packet(elsewhere, 1, Height(1, 4)), "c"),
        queue_events.send(packet(elsewhere, 2, Height(1, 3)), "c"),
        queue_events.send(packet(elsewhere, 3, time_ns=4 * 10**9), "c"),
        queue_events.send(packet(elsewhere, 4, time_ns=4 * 10**9 - 1), "c"),
    )
    at(
        "beta-1",
        2,
        queue_events.receive(packet(there, 0), DONE, "c"),
        queue_events.receive(late, TIMED_OUT, "c"),
        queue_events.receive(packet(there, 2), Receipt(b"", "mail", 7), "c"),
        queue_events.receive(packet(OVER, 0), DONE, "c"),
        queue_events.send(packet(back, 0), "c"),
    )
    at(
        "alpha-1",
        5,
        queue_events.handle_receipt(packet(there, 0), DONE, "c"),
        queue_events.handle_receipt(late, TIMED_OUT, "c"),
        queue_events.handle_receipt(packet(there, 2), Receipt(b"", "mail", 7), "c"),
        queue_events.receive(packet(back, 0), DONE, "c"),
    )
    at("gamma-1", 4)
    outcome, rows = run(folder / "out", at.write(folder / "in"))
    return outcome, {(row["src_channel"], row["dst_channel"], row["sequence"]): row for row in rows}


def test_every_end_of_a_packet(indexed) -> None:
    _, rows = indexed
    first, late, refused = (rows["alpha-1", "beta-1", n] for n in range(3))
    assert [(row["state"], row["ack"], row["ack_error"]) for row in (first, late, refused)] == [
        ("succeeded", "success", None),
        ("timed_out", None, None),
        ("failed", "error", "mail/7"),
    ]
    assert (late["received"], late["timeout_height"], late["recv_height"]) == (False, 5, None)
    assert (first["relayer_recv"], first["relayer_back"]) == ("r-beta-1", "r-alpha-1")
    assert (first["src_port"], first["protocol"]) == ("mail", 0)


def test_equal_packets_over_other_ends_do_not_mix(indexed) -> None:
    outcome, rows = indexed
    chains = {
        key: (row["src_chain"], row["dst_chain"], row["state"]) for key, row in rows.items() if key[2] == 0
    }
    assert chains == {
        ("alpha-1", "beta-1", 0): ("alpha-1", "beta-1", "succeeded"),
        (OVER[0].text, OVER[1].text, 0): ("alpha-1", "beta-1", "received"),
        ("beta-1", "alpha-1", 0): ("beta-1", "alpha-1", "received"),
        ("alpha-1", "gamma-1", 0): ("alpha-1", "gamma-1", "sent"),
    }
    assert outcome.notes == []


def test_the_timeout_of_a_queue_is_its_last_moment(indexed) -> None:
    _, rows = indexed
    states = {key[2]: row["state"] for key, row in rows.items() if key[1] == "gamma-1"}
    assert states == {0: "sent", 1: "sent", 2: "stuck", 3: "sent", 4: "stuck"}


def test_counts_by_chain(indexed) -> None:
    chains = indexed[0].summary["chains"]
    names = ("sent", "received", "acknowledged", "timed_out", "in_flight", "failed", "refused")
    assert [chains["alpha-1"][name] for name in names] == [9, 1, 2, 1, 6, 1, 0]
    assert [chains["beta-1"][name] for name in names] == [1, 3, 0, 0, 1, 0, 1]


def test_the_demo_and_its_chains_agree(run, tmp_path) -> None:
    from localnet.demo.queue import run as tell
    from localnet.demo.scenario import QueueResult
    from pyibc.cli.demo import compare_chains, compare_queues

    said = []
    story = tell(tmp_path, 60, said.append, lambda _: None)
    outcome, rows = run(tmp_path, *story.exports, drawn=True)
    console, summary = Console(quiet=True), json.loads((tmp_path / "summary.json").read_text())
    assert all(chain.audit.balanced for chain in story.chains)
    assert compare_chains(console, story.chains, summary)
    assert compare_queues(console, story.queues, tmp_path)
    assert (outcome.summary["skipped"], outcome.notes) == ([], [])
    assert {row["protocol"] for row in rows} == {0}
    assert sum(row["state"] == "timed_out" for row in rows) == 13
    assert sum(row["received"] for row in rows) == len(rows) - 13 - 1
    first, *others = story.queues
    for wrong in (first._replace(tail=first.tail + 1), first._replace(head=first.head - 1)):
        assert not compare_queues(console, [wrong, *others], tmp_path)
    assert not compare_queues(console, others, tmp_path)
    assert not compare_queues(console, [*story.queues, QueueResult("a", "b", 0, 0)], tmp_path)
