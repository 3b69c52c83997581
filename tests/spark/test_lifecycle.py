import json
import random
import shutil

import pytest

pytestmark = pytest.mark.spark

IGNORED = ("send_time", "recv_time")


def by_sequence(rows, chain="a-1"):
    return {row["sequence"]: row for row in rows if row["src_chain"] == chain}


def relay(chains, sequence, at, *, ack=b'{"result":"AQ=="}', src="a-1", dst="b-1", **ends):
    """A packet sent, received, answered and acknowledged."""
    chains.event(src, at, "send_packet", sequence, **ends)
    chains.event(dst, at + 1, "recv_packet", sequence, denom_of=src, **ends)
    chains.event(
        dst, at + 1, "write_acknowledgement", sequence, denom_of=src, packet_ack_hex=ack.hex(), **ends
    )
    chains.event(src, at + 3, "acknowledge_packet", sequence, **ends)


def test_every_state_of_a_packet(run, chains, tmp_path):
    relay(chains, 1, 1)
    chains.event("a-1", 2, "send_packet", 2)
    chains.event("a-1", 9, "timeout_packet", 2)
    chains.event("a-1", 3, "send_packet", 3)
    chains.event("b-1", 5, "recv_packet", 3, denom_of="a-1")
    chains.event("a-1", 8, "send_packet", 4)
    chains.event("a-1", 4, "send_packet", 5, until=6 * 10**9)
    chains.event("b-1", 7, "recv_packet", 6, denom_of="a-1")
    chains.empty("a-1", 10)
    outcome, rows = run(tmp_path / "out", chains.write())
    packets = by_sequence(rows)
    assert {n: row["state"] for n, row in packets.items()} == {
        1: "acknowledged",
        2: "timed_out",
        3: "received",
        4: "sent",
        5: "stuck",
        6: "received",
    }
    assert {row["dst_chain"] for row in rows} == {"b-1"}
    one = packets[1]
    assert [one[f"{step}_height"] for step in ("send", "recv", "write_ack", "ack")] == [1, 2, 2, 4]
    assert (one["recv_latency_s"], one["ack_latency_s"], packets[2]["timeout_latency_s"]) == (1.0, 3.0, 7.0)
    assert (one["relayer_recv"], one["relayer_back"]) == ("relayer-b-1", "relayer-a-1")
    assert (one["denom"], one["amount"], one["ack"]) == ("ua", "5", "success")
    assert outcome.summary["chains"] == {
        "a-1": {
            "blocks": 7,
            "sent": 5,
            "received": 0,
            "acknowledged": 1,
            "timed_out": 1,
            "in_flight": 3,
            "error_acks": 0,
        },
        "b-1": {
            "blocks": 3,
            "sent": 0,
            "received": 3,
            "acknowledged": 0,
            "timed_out": 0,
            "in_flight": 0,
            "error_acks": 0,
        },
    }
    assert outcome.summary["events"]["send_packet"] == 5
    assert outcome.summary["skipped"] == []
    assert json.loads((tmp_path / "out" / "summary.json").read_text()) == outcome.summary
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["packets", "report.html", "summary.json"]


def test_silence_makes_stuck_but_not_before_an_hour(run, chains, tmp_path):
    for height, sequence in ((1, 1), (3601, 2), (3602, 3)):
        chains.event("a-1", height, "send_packet", sequence, until=2**62)
    chains.empty("a-1", 7202)
    _, rows = run(tmp_path / "out", chains.write())
    assert {n: row["state"] for n, row in by_sequence(rows).items()} == {1: "stuck", 2: "stuck", 3: "sent"}


def test_timeout_by_height_is_judged_by_the_receivers_tip(run, chains, tmp_path):
    relay(chains, 1, 1)
    for sequence, height in ((2, "1-9"), (3, "1-10"), (4, "0-999"), (5, "2-1")):
        chains.event("a-1", 5, "send_packet", sequence, until=2**62, packet_timeout_height=height)
    chains.empty("b-1", 9)
    _, rows = run(tmp_path / "out", chains.write())
    states = {n: row["state"] for n, row in by_sequence(rows).items()}
    assert states == {1: "acknowledged", 2: "stuck", 3: "sent", 4: "stuck", 5: "sent"}


def test_a_refused_packet_moves_nothing(run, chains, tmp_path):
    relay(chains, 1, 1, ack=b'{"error":"ABCI code: 4: error handling packet"}', amount="7")
    relay(chains, 2, 1, amount="30")
    outcome, rows = run(tmp_path / "out", chains.write())
    refused = by_sequence(rows)[1]
    assert (refused["state"], refused["ack"]) == ("acknowledged", "error")
    assert refused["ack_error"] == "ABCI code: 4: error handling packet"
    counts = outcome.summary["chains"]
    assert (counts["a-1"]["error_acks"], counts["b-1"]["error_acks"]) == (0, 1)
    (volume,) = outcome.answers.denoms
    assert (int(volume.delivered), int(volume.attempted)) == (30, 37)


def test_amounts_of_any_size_are_exact(run, chains, tmp_path):
    amounts = ["1", "0", "9" * 18, "1" + "0" * 18, "9" * 36, "1" + "0" * 36, str(2**256 - 1)]
    for sequence, amount in enumerate(amounts, 1):
        chains.event("a-1", 1, "send_packet", sequence, amount=amount)
    _, rows = run(tmp_path / "out", chains.write())
    assert [by_sequence(rows)[n]["amount"] for n in range(1, 8)] == amounts


def test_repeated_relays_leave_one_row_of_the_first(run, chains, tmp_path):
    relay(chains, 1, 1)
    chains.event("a-1", 6, "acknowledge_packet", 1)
    chains.event("b-1", 7, "recv_packet", 1, denom_of="a-1")
    outcome, rows = run(tmp_path / "out", chains.write())
    assert [(row["recv_height"], row["ack_height"]) for row in rows] == [(2, 4)]
    assert outcome.summary["events"]["acknowledge_packet"] == 2


def test_equally_named_channels_of_two_pairs_do_not_mix(run, chains, tmp_path):
    relay(chains, 1, 1)
    relay(chains, 1, 1, src="c-1", dst="d-1", until=77 * 10**17)
    relay(chains, 2, 2, src="b-1", dst="a-1", until=78 * 10**17)
    outcome, rows = run(tmp_path / "out", chains.write())
    ends = sorted((row["src_chain"], row["dst_chain"], row["sequence"]) for row in rows)
    assert ends == [("a-1", "b-1", 1), ("b-1", "a-1", 2), ("c-1", "d-1", 1)]
    assert {row["state"] for row in rows} == {"acknowledged"}
    assert outcome.notes == []


def test_ends_that_cannot_be_told_stay_apart_and_that_is_said(run, chains, tmp_path):
    for src, dst in (("a-1", "b-1"), ("a-2", "b-2")):
        chains.event(src, 1, "send_packet", 1, denom="u")
        chains.event(dst, 2, "recv_packet", 1, denom_of="a")
    outcome, rows = run(tmp_path / "out", chains.write())
    assert sorted((row["src_chain"] or "", row["dst_chain"] or "") for row in rows) == [
        ("", "b-1"),
        ("", "b-2"),
        ("a-1", ""),
        ("a-2", ""),
    ]
    assert "2 receiving ends could not be tied" in outcome.notes[0].reason


def test_packets_of_ibc_v2_have_rows_of_their_own(run, chains, tmp_path):
    packet = "0801120863 6c69656e742d301a08636c69656e742d3120cda6c8ac06".replace(" ", "")
    v2 = {"packet_source_client": "client-0", "packet_dest_client": "client-1", "encoded_packet_hex": packet}
    ends = {"src": ("transfer", "client-0"), "dst": ("transfer", "client-1")}
    chains.event("a-1", 1, "send_packet", 1, **ends)
    chains.event("a-1", 1, "send_packet", 1, **ends, **v2)
    chains.event("b-1", 2, "recv_packet", 1, denom_of="a-1", **ends, **v2)
    _, rows = run(tmp_path / "out", chains.write())
    assert sorted(
        (row["protocol"], row["state"], row["src_channel"], row["dst_chain"] or "") for row in rows
    ) == [
        (1, "sent", "client-0", ""),
        (2, "stuck", "client-0", "b-1"),
    ] or sorted((row["protocol"], row["src_channel"], row["dst_chain"] or "") for row in rows) == [
        (1, "client-0", ""),
        (2, "client-0", "b-1"),
    ]


def test_a_log_replayed_twice_and_shuffled_gives_the_same_rows(run, chains, tmp_path):
    for sequence in range(1, 40):
        relay(chains, sequence, sequence)
    folder = chains.write()
    expected, rows = run(tmp_path / "one", folder)
    copy = tmp_path / "copy"
    copy.mkdir()
    lines = [
        line
        for path in sorted(folder.rglob("*.jsonl"))
        for line in path.read_bytes().splitlines(keepends=True)
    ]
    doubled = lines * 2
    random.Random(7).shuffle(doubled)
    for number in range(5):
        (copy / f"{number}.jsonl").write_bytes(b"".join(doubled[number::5]))
    again, same = run(tmp_path / "two", copy)
    assert sorted(map(str, same)) == sorted(map(str, rows))
    assert again.summary == expected.summary


def test_a_cut_and_a_conflicting_file_are_reported_and_the_rest_counts(run, chains, tmp_path):
    for sequence in (1, 2, 3):
        relay(chains, sequence, sequence)
    folder = chains.write()
    (path,) = (folder / "a-1").glob("*.jsonl")
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    shutil.copy(path, folder / "a-1" / "copy.jsonl")
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][:60])
    outcome, rows = run(tmp_path / "out", folder)
    assert len(rows) == 3
    (entry,) = outcome.summary["skipped"]
    assert entry["file"] == str(path)
    assert "cut or half written" in entry["reason"]
    assert outcome.summary["chains"]["a-1"]["acknowledged"] == 3


def test_many_packets_on_a_path_are_paired_from_a_sample(run, spark, chains, tmp_path, monkeypatch):
    from ibc_module.indexer import ends

    monkeypatch.setattr(ends, "SAMPLE", 2)
    for sequence in range(1, 30):
        chains.event("a-1", 1, "send_packet", sequence)
    for sequence in range(29, 60):  # one packet is in both recordings
        chains.event("b-1", 2, "recv_packet", sequence, denom_of="a-1")
    _, rows = run(tmp_path / "out", chains.write())
    assert len(rows) == 59
    assert {row["src_chain"] for row in rows} == {"a-1"}


def test_keys_that_collide_are_told_apart(spark, run, chains, tmp_path, monkeypatch):
    from pyspark.sql import functions as F  # noqa: N812

    from ibc_module.indexer import lifecycle

    real = lifecycle._keyed
    monkeypatch.setattr(lifecycle, "_keyed", lambda *a: real(*a).withColumn("key", F.lit(7).cast("bigint")))
    for sequence in (1, 2, 3):
        relay(chains, sequence, sequence)
    _, rows = run(tmp_path / "out", chains.write())
    assert sorted(row["sequence"] for row in rows) == [1, 2, 3]
