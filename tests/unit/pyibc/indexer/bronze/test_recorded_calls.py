"""Recordings of ibc-go's chains with interchain accounts, GMP and forwarding, as tables."""

from collections import Counter, defaultdict

import pytest

from conformance.transcripts.reader import load
from tests.index_results import tables as tables_in
from tests.recorded_blocks import RECORDINGS, write_blocks

CONTROLLER, HOST = "testchain1-1", "testchain2-1"


def tables(name, folder, *names):
    from pyibc.indexer.job import index
    from pyibc.indexer.local.run import LocalEngine

    write_blocks(name, folder / "in")
    outcome = index(LocalEngine(), [folder / "in"], folder / "out")
    assert outcome.summary["skipped"] == []
    return tables_in(folder / "out", *names).values()


def answered(name, kind):
    """Count the packets that ibc-go received, by the success attribute of its event."""
    told = Counter()
    for step in load(RECORDINGS / f"{name}.json.gz")["steps"]:
        for tx in step.get("txs") or ():
            for event in tx["events"] if not tx["code"] else ():
                fields = {each.get("key"): each.get("value") for each in event["attributes"]}
                if event["type"] == kind:
                    told[fields["success"]] += 1
    return told


@pytest.mark.exhaustive  # events/test_calls.py has each kind of call, and GMP's are in the same tables
def test_interchain_accounts(tmp_path):
    calls, messages, channels = tables("ica", tmp_path, "calls", "call_messages", "channels")
    assert answered("ica", "ics27_packet")["true"] == len([c for c in calls if c["outcome"] == "executed"])
    assert {call["application"] for call in calls} == {"interchain-accounts"}
    assert Counter(call["outcome"] for call in calls) == {"executed": 42, "failed": 52, "timed_out": 6}
    assert all(call["src_port"] == f"icacontroller-{call['owner']}" for call in calls)
    hosts = {(c["chain"], c["channel"]): c["account"] for c in channels if c["port"] == "icahost"}
    assert all(call["account"] == hosts[call["dst_chain"], call["dst_channel"]] for call in calls)
    assert all(call["account"].startswith("cosmos1") for call in calls)
    assert all((call["error"] is None) == (call["outcome"] != "failed") for call in calls)
    carried = Counter((m["packet_id"], m["payload"]) for m in messages)
    assert carried == {(c["packet_id"], c["payload"]): c["messages"] for c in calls if c["messages"]}
    done = {m["type_url"] for m in messages if m["outcome"] == "executed"}
    assert done == {"/cosmos.bank.v1beta1.MsgSend", "/cosmos.staking.v1beta1.MsgDelegate"} | (
        done & {"/ibc.core.client.v1.MsgCreateClient", "/cosmos.bank.v1beta1.MsgMultiSend"}
    )


def test_h212_gmp_calls_are_no_transfers(tmp_path):
    calls, messages, transfers = tables("gmp", tmp_path, "calls", "call_messages", "transfers")
    assert answered("gmp", "ics27_gmp_recv_packet")["true"] == len(
        [call for call in calls if call["outcome"] == "executed"]
    )
    assert Counter(call["outcome"] for call in calls) == {"executed": 30, "failed": 39, "timed_out": 2}
    assert {(call["src_port"], call["protocol"]) for call in calls} == {("gmpport", 2)}
    assert {call["encoding"] for call in calls if call["outcome"] == "executed"} == {"proto3", "proto3json"}
    assert all(call["account"] is None for call in calls if not call["messages"])
    assert "/no.such.Msg" not in {m["type_url"] for m in messages if m["outcome"] == "executed"}
    assert {row["src_port"] for row in transfers} <= {"transfer"}


def test_every_forwarded_packet_and_every_refund_is_tied_to_its_transfer(tmp_path):
    (transfers,) = tables("pfm", tmp_path, "transfers")
    at = {
        (side, row[side], row["src_channel"], row["dst_channel"], row["sequence"]): row
        for row in transfers
        for side in ("src_chain", "dst_chain")
    }
    ties = list(forwards(at))
    assert len(ties) == 83
    for cause, sent, hops in ties:
        assert (sent["transfer_id"], sent["hop"]) == (cause["transfer_id"], cause["hop"] + hops)
    tied = {row["packet_id"] for _, row, _ in ties}
    assert {row["packet_id"] for row in transfers if row["hop"] > 1} == tied
    journeys = defaultdict(list)
    for row in sorted(transfers, key=lambda row: (row["hop"], row["sequence"])):
        journeys[row["transfer_id"]].append(row)
    for hops in journeys.values():
        last = {row["hop"]: row["outcome"] for row in hops}  # the last of several attempts
        assert len(set(last.values())) == 1, hops
    assert Counter(len({row["hop"] for row in hops}) for hops in journeys.values())[4] == 6


def forwards(at):
    """Return the packets sent in a transaction that received or timed out one packet, by its events."""
    for step in load(RECORDINGS / "pfm.json.gz")["steps"]:
        for tx in step.get("txs") or ():
            if tx["code"] or len(tx["msgs"]) != 1:
                continue
            told = {}
            for event in tx["events"]:
                told[event["type"]] = {each.get("key"): each.get("value") for each in event["attributes"]}
            sent = told.get("send_packet")
            for kind, hops in (("recv_packet", 1), ("timeout_packet", 0)):
                if sent and kind in told:
                    side = "dst_chain" if kind == "recv_packet" else "src_chain"
                    cause = _row(at, side, step["chain"], told[kind])
                    yield cause, _row(at, "src_chain", step["chain"], sent), hops


def _row(at, side, chain, told):
    ends = (told["packet_src_channel"], told["packet_dst_channel"])
    return at[side, chain, *ends, int(told["packet_sequence"])]
