"""Each story is told by chains of its own; all are indexed in one run."""

import json
import random
from collections import namedtuple

import pytest

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.blocks.coverage import Heights, described
from pyibc.indexer.pipeline.report import open_views
from pyibc.indexer.results.table_answers import OUTCOMES
from tests.index_questions import answers, in_order, questions
from tests.index_results import tables
from tests.pipeline_runs import EACH_ENGINE

STORIES = []
World = namedtuple("World", "summary rows notes answers out")


def story(tell):
    STORIES.append(tell)
    return tell


@pytest.fixture(scope="module")
def world(run, new_chains, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stories")
    for number, tell in enumerate(STORIES):
        chains = new_chains(folder / "in", f"{tell.__name__}.", f"channel-{number}")
        tell(chains)
        chains.write()
    outcome, rows = run(folder / "out", folder / "in")
    return World(outcome.summary, rows, outcome.notes, outcome.answers, folder / "out")


@pytest.fixture
def told(world):
    """The rows and counts of a story, without the prefix of its chains."""

    def pick(tell):
        prefix = f"{tell.__name__}."
        rows = []
        for row in world.rows:
            ends = {end: row[end] and row[end].removeprefix(prefix) for end in ("src_chain", "dst_chain")}
            if any(row[end] and row[end].startswith(prefix) for end in ends):
                rows.append(row | ends)
        chains = world.summary["chains"].items()
        return rows, {c.removeprefix(prefix): counts for c, counts in chains if c.startswith(prefix)}

    return pick


def by_sequence(rows):
    return {row["sequence"]: row for row in rows}


@story
def states(chains):
    chains.relay(1, 1)
    chains.event("a-1", 2, "send_packet", 2)
    chains.event("a-1", 9, "timeout_packet", 2)
    chains.event("a-1", 3, "send_packet", 3)
    chains.event("b-1", 5, "recv_packet", 3, owner="a-1")
    chains.event("a-1", 8, "send_packet", 4)
    chains.event("a-1", 4, "send_packet", 5, until=6 * 10**9)
    chains.event("b-1", 7, "recv_packet", 6, owner="a-1")
    chains.event("a-1", 8, "send_packet", 7, code=5)
    chains.empty("a-1", 10)


def test_every_state_of_a_packet(told):
    rows, counts = told(states)
    packets = by_sequence(rows)
    assert {number: row["state"] for number, row in packets.items()} == {
        1: "succeeded",
        2: "timed_out",
        3: "received",
        4: "sent",
        5: "stuck",
        6: "received",
    }
    assert {(row["src_chain"], row["dst_chain"]) for row in rows} == {("a-1", "b-1")}
    one = packets[1]
    assert [one[f"{step}_height"] for step in ("send", "recv", "write_ack", "ack")] == [1, 2, 2, 4]
    assert (one["recv_latency_s"], one["ack_latency_s"], packets[2]["timeout_latency_s"]) == (1.0, 3.0, 7.0)
    assert (one["relayer_recv"], one["relayer_back"]) == ("relayer-b-1", "relayer-a-1")
    assert (one["denom"], one["amount"], one["ack"], packets[3]["ack"]) == ("ua", "5", "success", None)
    sender = {
        "blocks": 10,
        "sent": 5,
        "received": 0,
        "acknowledged": 1,
        "timed_out": 1,
        "in_flight": 3,
        "unknown": 0,
        "succeeded": 1,
        "failed": 0,
        "refused": 0,
        "ranges": described(Heights.spanning([(1, 10)])),
        "gaps": described(Heights()),
    }
    receiver = dict.fromkeys(sender, 0) | {"blocks": 6, "received": 3, "gaps": sender["gaps"]}
    receiver["ranges"] = described(Heights.spanning([(2, 7)]))
    assert counts == {"a-1": sender, "b-1": receiver}


@story
def silence(chains):
    for height, sequence in ((1, 1), (3601, 2), (3602, 3)):
        chains.event("a-1", height, "send_packet", sequence, until=2**62)
    chains.empty("a-1", 7202)


def test_silence_makes_stuck_but_not_before_an_hour(told):
    rows, _ = told(silence)
    assert {n: row["state"] for n, row in by_sequence(rows).items()} == {1: "stuck", 2: "stuck", 3: "sent"}


WEEK = 7 * 86400 * 10**9


def halted(chains, one, other):
    chains.pace = 60
    chains.relay(1, 1, until=WEEK)
    chains.event("a-1", 10, "send_packet", 2, until=WEEK)
    chains.event("a-1", 10, "send_packet", 3, until=WEEK)
    chains.event("b-1", 11, "recv_packet", 3, owner="a-1", until=WEEK)
    chains.halt(one, 12, 7200)
    chains.empty(one, 12)
    chains.empty(other, 132)


@story
def receiver_at_its_first_block_after_a_halt(chains):
    halted(chains, "b-1", "a-1")


@story
def receiver_an_hour_after_a_halt(chains):
    halted(chains, "b-1", "a-1")
    chains.event("a-1", 150, "send_packet", 4, until=WEEK)
    chains.empty("b-1", 80)
    chains.empty("a-1", 200)


@story
def sender_at_its_first_block_after_a_halt(chains):
    halted(chains, "a-1", "b-1")


@pytest.mark.parametrize(
    ("tell", "states", "overdue"),
    [
        (receiver_at_its_first_block_after_a_halt, {2: "sent", 3: "received"}, []),
        (sender_at_its_first_block_after_a_halt, {2: "sent", 3: "received"}, []),
        (receiver_an_hour_after_a_halt, {2: "stuck", 3: "received", 4: "sent"}, [3]),
    ],
)
def test_silence_is_measured_by_the_progress_of_both_chains(told, tell, states, overdue):
    packets = by_sequence(told(tell)[0])
    assert {n: row["state"] for n, row in packets.items()} == {1: "succeeded"} | states
    assert [n for n, row in packets.items() if row["ack_overdue"]] == overdue
    assert [n for n, row in packets.items() if row["stuck"]] == [n for n in states if states[n] == "stuck"]


@story
def received_in_time(chains):
    chains.relay(1, 1)
    chains.event("a-1", 2, "send_packet", 2, until=25 * 10**9, packet_timeout_height="1-25")
    chains.event("b-1", 20, "recv_packet", 2, owner="a-1", until=25 * 10**9, packet_timeout_height="1-25")
    chains.empty("a-1", 32)
    chains.empty("b-1", 32)


def test_a_received_packet_is_not_stuck_when_its_timeout_passes(told):
    row = by_sequence(told(received_in_time)[0])[2]
    assert (row["state"], row["in_flight"]) == ("received", True)
    assert (row["stuck"], row["ack_overdue"]) == (False, False)


@story
def heights(chains):
    chains.relay(1, 1)
    for sequence, height in ((2, "1-9"), (3, "1-10"), (4, "0-999"), (5, "2-1")):
        chains.event("a-1", 5, "send_packet", sequence, until=2**62, packet_timeout_height=height)
    chains.empty("b-1", 9)


def test_timeout_by_height_is_judged_by_the_receivers_tip(told):
    found = {n: row["state"] for n, row in by_sequence(told(heights)[0]).items()}
    assert found == {1: "succeeded", 2: "stuck", 3: "sent", 4: "stuck", 5: "sent"}


@story
def a_sender_whose_end_lacks(chains):
    """Its answers may stand behind the last block of it: nothing is stuck by what is not known."""
    chains.relay(1, 1)
    chains.event("a-1", 5, "send_packet", 2, until=9 * 10**9)
    chains.event("a-1", 5, "send_packet", 3, until=2**62, packet_timeout_height="1-50")
    chains.event("a-1", 5, "send_packet", 4, until=6 * 10**9)
    chains.empty("a-1", 8)
    chains.empty("b-1", 100)


def test_what_is_overdue_behind_the_sender_s_last_block_is_not_stuck(told):
    found = {n: row["state"] for n, row in by_sequence(told(a_sender_whose_end_lacks)[0]).items()}
    assert found == {1: "succeeded", 2: "sent", 3: "sent", 4: "stuck"}


@story
def refusal(chains):
    chains.relay(1, 1, ack=b'{"error":"ABCI code: 4: error handling packet"}', amount="7")
    chains.relay(2, 1, amount="30")


def test_a_refused_packet_moves_nothing(world, told):
    rows, counts = told(refusal)
    refused = by_sequence(rows)[1]
    assert (refused["state"], refused["ack"]) == ("failed", "error")
    assert refused["ack_error"] == "ABCI code: 4: error handling packet"
    assert [counts["a-1"][name] for name in ("acknowledged", "succeeded", "failed", "refused")] == [
        2,
        1,
        1,
        0,
    ]
    assert [counts["b-1"][name] for name in ("received", "refused")] == [2, 1]
    (volume,) = [row for row in world.answers.denoms if row.chain == "refusal.a-1"]
    assert (volume.packets, int(volume.delivered), int(volume.attempted)) == (2, 30, 37)


@story
def outcomes(chains):
    refusal = b'{"error":"ABCI code: 5"}'
    chains.relay(1, 1, amount="30")
    chains.relay(2, 1, ack=refusal, amount="7")
    for sequence, amount in ((3, "4"), (4, "9"), (5, "8"), (6, "3"), (7, "2"), (8, "6")):
        chains.event("a-1", 1, "send_packet", sequence, amount=amount)
        if sequence < 7:
            chains.event("b-1", 2, "recv_packet", sequence, owner="a-1", amount=amount)
    chains.event("a-1", 4, "acknowledge_packet", 3)
    for sequence, ack in ((4, refusal), (5, b'{"result":"AQ=="}')):
        told = {"owner": "a-1", "packet_ack_hex": ack.hex()}
        chains.event("b-1", 2, "write_acknowledgement", sequence, **told)
    chains.event("a-1", 9, "timeout_packet", 7)


def test_a_transfer_whose_result_is_not_known_is_not_delivered(world):
    (flow,) = [row for row in world.answers.tables.flows if row.src_chain == "outcomes.a-1"]
    assert {name: getattr(flow, name) for name in OUTCOMES} == {
        "delivered": 2,
        "answered": 1,
        "refunded": 2,
        "refused": 1,
        "received": 1,
        "pending": 1,
    }
    (coin,) = [row for row in world.answers.tables.coins if row.src_chain == "outcomes.a-1"]
    (volume,) = [row for row in world.answers.denoms if row.chain == "outcomes.a-1"]
    assert int(coin.amount) == int(volume.delivered) == 38


@story
def undone(chains):
    """b-1 forwards a packet to c-1, refuses it after all, and so sends another one with that sequence."""
    on = {"src": ("transfer", "channel-77"), "dst": ("transfer", "channel-78")}
    chains.relay(1, 1)
    refused = {"owner": "a-1", "packet_ack_hex": b'{"error":"ABCI code: 5"}'.hex()}
    chains.event("a-1", 4, "send_packet", 2)
    chains.event("b-1", 5, "recv_packet", 2, owner="a-1")
    chains.event("b-1", 5, "send_packet", 9, amount="3", until=6 * 10**9, **on)
    chains.event("b-1", 5, "write_acknowledgement", 2, **refused)
    chains.together("b-1", 5)
    chains.event("b-1", 7, "send_packet", 9, amount="4", until=9 * 10**9, **on)
    chains.empty("b-1", 8)


def test_what_an_error_acknowledgement_undid_was_not_sent(told):
    rows, counts = told(undone)
    (sent,) = [row for row in rows if row["src_chain"] == "b-1"]
    assert (sent["send_height"], sent["amount"], sent["state"]) == (7, "4", "sent")
    assert counts["b-1"]["sent"] == 1


AMOUNTS = ["1", "0", "9" * 18, "1" + "0" * 18, "9" * 36, "1" + "0" * 36, str(2**256 - 1)]


@story
def amounts(chains):
    for sequence, amount in enumerate(AMOUNTS, 1):
        chains.event("a-1", 1, "send_packet", sequence, amount=amount)


def test_amounts_of_any_size_are_exact(told):
    packets = by_sequence(told(amounts)[0])
    assert [packets[n]["amount"] for n in range(1, len(AMOUNTS) + 1)] == AMOUNTS


@story
def repeats(chains):
    chains.relay(1, 1)
    chains.event("a-1", 6, "acknowledge_packet", 1)
    chains.event("b-1", 7, "recv_packet", 1, owner="a-1")


def test_repeated_relays_leave_one_row_of_the_first(told):
    rows, _ = told(repeats)
    assert [(row["recv_height"], row["ack_height"]) for row in rows] == [(2, 4)]


@story
def namesakes(chains):
    chains.relay(1, 1)
    chains.relay(1, 1, src="c-1", dst="d-1", until=77 * 10**17)
    chains.relay(2, 2, src="b-1", dst="a-1", until=78 * 10**17)


def test_equally_named_channels_of_two_pairs_do_not_mix(told):
    rows, _ = told(namesakes)
    ends = sorted((row["src_chain"], row["dst_chain"], row["sequence"]) for row in rows)
    assert ends == [("a-1", "b-1", 1), ("b-1", "a-1", 2), ("c-1", "d-1", 1)]
    assert {row["state"] for row in rows} == {"succeeded"}


@story
def doubles(chains):
    for number in "12":
        chains.event(f"a-{number}", 1, "send_packet", 1)
        chains.event(f"b-{number}", 2, "recv_packet", 1, owner="a")


def test_ends_that_cannot_be_told_stay_apart_and_that_is_said(world, told):
    rows, _ = told(doubles)
    ends = sorted((row["src_chain"] or "", row["dst_chain"] or "") for row in rows)
    assert ends == [("", "b-1"), ("", "b-2"), ("a-1", ""), ("a-2", "")]
    notes = [note.reason for note in world.notes]
    assert [note for note in notes if note.startswith("receiving channel ends")] == [
        "receiving channel ends without a matching sender in the inputs, so with rows of their own: 2"
    ]
    pairs = [note.partition(" are listed as separate")[0] for note in notes if "listed as separate" in note]
    assert [[name.rpartition(".")[2] for name in pair.split(" and ")] for pair in pairs] == [
        *(["a-1", "a-2"], ["b-1", "b-2"])
    ]


@story
def one_packet_in_both_recordings(chains):
    for sequence in range(1, 30):
        chains.event("a-1", 1, "send_packet", sequence)
    for sequence in range(29, 60):
        chains.event("b-1", 2, "recv_packet", sequence, owner="a-1")


def test_one_packet_in_both_recordings_pairs_the_ends(told):
    rows, _ = told(one_packet_in_both_recordings)
    assert len(rows) == 59
    assert {row["src_chain"] for row in rows} == {"a-1"}


@story
def leaping_times(chains):
    """A chain chooses its block times: they may leap to the last one that fits, and back."""
    chains.pace = 60
    chains.relay(1, 1)
    leap = MAX_I64 // 10**9 - 1_000
    chains.halt("b-1", 5, leap)
    chains.halt("b-1", 6, -leap)
    chains.event("a-1", 10, "send_packet", 2, until=MAX_I64)
    chains.empty("a-1", 90)
    chains.empty("b-1", 90)


def test_no_block_time_ends_a_run(told):
    packets = by_sequence(told(leaping_times)[0])
    assert {n: row["state"] for n, row in packets.items()} == {1: "succeeded", 2: "stuck"}


@story
def newer(chains):
    packet = "08011208636c69656e742d301a08636c69656e742d3120cda6c8ac06"
    v2 = {"packet_source_client": "client-0", "packet_dest_client": "client-1", "encoded_packet_hex": packet}
    chains.event("a-1", 1, "send_packet", 1)
    chains.event("a-1", 1, "send_packet", 1, **v2)
    chains.event("b-1", 2, "recv_packet", 1, owner="a-1", **v2)


def test_packets_of_ibc_v2_have_rows_of_their_own(told):
    rows, _ = told(newer)
    found = sorted(
        (row["protocol"], row["src_channel"], row["dst_chain"] or "", row["state"]) for row in rows
    )
    assert found == [(1, f"channel-{STORIES.index(newer)}", "", "sent"), (2, "client-0", "b-1", "received")]


TOP = 2**63 - 1


@story
def extremes(chains):
    chains.event(
        "a-1", TOP // 10**9, "send_packet", TOP, until=2**64 - 1, packet_timeout_height=f"{TOP}-{2**64 - 1}"
    )
    chains.event("a-1", TOP // 10**9, "acknowledge_packet", TOP)


def test_the_largest_heights_sequences_and_timeouts(told):
    (row,) = told(extremes)[0]
    assert (row["sequence"], row["send_height"], row["ack_height"]) == (TOP, TOP // 10**9, TOP // 10**9)
    assert row["expires_height"] == f"{TOP}-{TOP}"
    assert row["ack_latency_s"] == 0.0


@story
def malformed(chains):
    chains.event("a-1", 1, "send_packet", 1, packet_sequence="one")
    chains.event("a-1", 2, "send_packet", 2)


def test_a_malformed_event_is_reported_and_the_rest_counts(world, told):
    rows, counts = told(malformed)
    assert (len(rows), counts["a-1"]["sent"]) == (1, 1)
    (entry,) = world.summary["skipped"]
    assert "malformed.a-1" in entry["file"]
    assert (
        "height 1, transaction 0, event 1: send_packet: packet_sequence 'one' is not a 64-bit number"
        in entry["reason"]
    )


def test_the_results_are_tables_by_layer_and_the_summary_is_the_file(world):
    assert sorted(path.name for path in world.out.iterdir()) == [
        *("_checkpoint", "_source", "gold", "report.html", "silver", "summary.json")
    ]
    assert json.loads((world.out / "summary.json").read_text()) == world.summary
    assert world.summary["events"]["acknowledge_packet"] == 20
    assert set(world.summary) == {"chains", "events", "gaps_query", "skipped"}


def test_latencies_shares_and_stuck_packets_are_answered(world):
    channel = next(row for row in world.answers.channels if row.src_chain == "states.a-1")
    assert (channel.packets, channel.succeeded, channel.timed_out, channel.stuck) == (6, 1, 1, 1)
    assert (channel.ack_quantiles, channel.recv_quantiles[0]) == ([3.0] * 4, 1.0)
    shares = {row.relayer: (row.recv, row.back) for row in world.answers.relayers}
    assert shares["relayer-d-1"] == (1, 0)
    assert abs(sum(row.share for row in world.answers.relayers) - 1) < 1e-9
    assert world.answers.stuck_count == len(world.answers.stuck) == 8
    assert [(row.src_chain, row.sequence, row.recv_time) for row in world.answers.ack_overdue] == [
        ("receiver_an_hour_after_a_halt.a-1", 3, 660_000_000)
    ]
    assert world.answers.ack_overdue_count == 1


@EACH_ENGINE
def test_the_six_questions_of_the_page_have_their_answers(engine, world):
    lake = engine.lake(world.out)
    open_views(lake)
    rows = tables(world.out, "packets", "transfers", "clients")
    ends = ("refusal.a-1", "refusal.b-1")
    found = [[tuple(row) for row in lake.rows(query)] for query in questions(*ends)]
    for answer, wanted in zip(found, answers(rows, *ends), strict=True):
        assert in_order(answer) == in_order(wanted)
    # There are no clients: test_transfers asks when they expire.
    assert [bool(answer) for answer in found] == [True, True, True, True, False, True]


def test_a_log_replayed_twice_and_shuffled_gives_the_same_rows(run, chains, tmp_path):
    for sequence in range(1, 40):
        chains.relay(sequence, sequence)
    folder = chains.write()
    expected, rows = run(tmp_path / "one", folder)
    copy = tmp_path / "copy"
    copy.mkdir()
    files = sorted(folder.rglob("*.jsonl"))
    doubled = [line for path in files for line in path.read_bytes().splitlines(keepends=True)] * 2
    random.Random(7).shuffle(doubled)
    for number in range(5):
        (copy / f"{number}.jsonl").write_bytes(b"".join(doubled[number::5]))
    again, same = run(tmp_path / "two", copy)
    assert sorted(map(str, same)) == sorted(map(str, rows))
    assert again.summary == expected.summary


def test_ends_that_share_a_number_are_left_out_and_named(run, chains, tmp_path, monkeypatch):
    from pyibc.indexer.events import packet_facts

    chains.ends["src"] = ("mail", "channel-1")
    chains.ends["dst"] = ("mail", "channel-2")
    chains.relay(1, 1)
    chains.event("a-1", 1, "send_packet", 2, src=("other", "channel-3"))
    monkeypatch.setattr(packet_facts.End, "number", property(lambda end: 9 if "3" in end[4] or end[1] else 8))
    outcome, rows = run(tmp_path / "out", chains.write())
    assert [(row["sequence"], row["dst_chain"]) for row in rows] == [(1, None)]
    (entry,) = outcome.summary["skipped"]
    assert entry["reason"].startswith("ends with the same hash are left out: ")
    assert "a-1 1/other/channel-3/mail/channel-2" in entry["reason"]
