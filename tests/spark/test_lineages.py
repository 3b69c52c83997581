"""Revisions of a chain, through the whole job: one row a packet, whichever revision a step happened on."""

import json

import pytest

from tests.index_results import table
from tests.revised_chains import LATER, back, claimed, osmosis, out, received
from tests.sampling import sample


def gaps_in(folder, query):
    from pyibc.indexer import open_results

    return open_results(folder).sql(query).fetchall()


def by_sequence(packets, src):
    return {row["sequence"]: row for row in packets if row["src_chain"] == src}


@pytest.mark.parametrize("start", [1, 51], ids=["heights-restart", "heights-go-on"])
def test_packets_over_a_revision_upgrade_have_one_row_each(run, chains, tmp_path, start):
    outcome, packets = run(tmp_path / "out", osmosis(chains, start).write())
    assert len(packets) == 7
    sent, returned = by_sequence(packets, "osmo-2"), by_sequence(packets, "hub-4")
    assert {n: row["state"] for n, row in sent.items()} == {
        1: "succeeded",
        2: "succeeded",
        3: "timed_out",
        4: "succeeded",
        9: "succeeded",
    }
    assert {n: row["received"] for n, row in sent.items()} == {1: True, 2: True, 3: False, 4: True, 9: True}
    assert [row["state"] for row in returned.values()] == ["succeeded"] * 2
    assert {(row["src_chain"], row["dst_chain"]) for row in packets} == {
        ("osmo-2", "hub-4"),
        ("hub-4", "osmo-2"),
    }
    assert (sent[2]["send_height"], sent[2]["ack_height"]) == (20, start - 1 + 5)
    assert sent[4]["ack_latency_s"] == LATER + 30 - 45
    assert not any(row["in_flight"] for row in packets)
    (note,) = [note.reason for note in outcome.notes]
    assert note == "osmo-1 and osmo-2 are one chain (known by packets), whose packets are listed under osmo-2"
    assert outcome.summary["chains"]["osmo-1"]["continued_as"] == "osmo-2"
    assert outcome.summary["chains"]["osmo-2"]["sent"] == 5
    assert outcome.summary["chains"]["osmo-2"]["gaps"]["heights"] == 0


def test_the_table_of_chains_says_which_continue_each_other(run, chains, tmp_path):
    run(tmp_path / "out", osmosis(chains).write())
    found = {row["chain"]: row for row in table(tmp_path / "out", "chains")}
    shown = ("lineage", "chain_id", "revision", "first_height", "last_height", "known_by", "since_height")
    assert {name: tuple(row[key] for key in shown) for name, row in found.items()} == {
        "hub-4": ("hub-4", "hub-4", 4, 1, 1060, None, None),
        "osmo-1": ("osmo-2", "osmo-1", 1, 1, 50, None, None),
        "osmo-2": ("osmo-2", "osmo-2", 2, 1, 60, "packets", 1),
    }
    assert [found["osmo-2"][f"{end}_time"].timestamp() for end in ("first", "last")] == [1001, 1060]
    assert len(found["osmo-2"]["incarnation"]) == 16


@pytest.mark.exhaustive
def test_both_engines_join_the_same_chains(spark, chains, tmp_path):
    from pyibc.indexer.job import index
    from pyibc.indexer.local.run import LocalEngine
    from pyibc.indexer.spark.run import SparkEngine
    from tests.index_results import rows_of

    osmosis(chains)
    out(chains, 6, ("osmo-1", 48, "send_packet"), until=10**18)
    out(chains, 2, ("osmo-2", 50, "acknowledge_packet"), ("hub-4", 1030, "recv_packet"))  # redundant
    chains.event("osmo-2", 3, "update_client", 1, client_id="07-tendermint-1", consensus_height="4-900")
    chains.event("osmo-1", 40, "update_client", 1, client_id="07-tendermint-1", consensus_height="4-39")
    folder, found = chains.write(), []
    for name, engine in (("spark", SparkEngine(spark)), ("local", LocalEngine())):
        outcome = index(engine, [folder], tmp_path / name)
        found.append((rows_of(tmp_path / name), outcome.summary, outcome.notes))
    assert found[0] == found[1]
    (client,) = table(tmp_path / "local", "clients")
    assert (client["chain"], client["updates"], client["last_update_height"]) == ("osmo-2", 2, 3)
    assert client["consensus_height"] == "4-900"


def test_a_packet_of_the_older_revision_is_judged_by_the_newer(run, chains, tmp_path):
    osmosis(chains)
    heights = {"until": 10**18}
    out(chains, 6, ("osmo-1", 48, "send_packet"), packet_timeout_height="4-1050", **heights)
    out(chains, 7, ("osmo-1", 48, "send_packet"), packet_timeout_height="4-1070", **heights)
    back(chains, 3, ("hub-4", 48, "send_packet"), packet_timeout_height="1-900", **heights)
    back(chains, 4, ("hub-4", 48, "send_packet"), packet_timeout_height="2-60", **heights)
    back(chains, 5, ("hub-4", 48, "send_packet"), packet_timeout_height="2-61", **heights)
    _, packets = run(tmp_path / "out", chains.write())
    sent, returned = by_sequence(packets, "osmo-2"), by_sequence(packets, "hub-4")
    assert (sent[6]["state"], sent[7]["state"]) == ("stuck", "sent")
    assert [returned[n]["state"] for n in (3, 4, 5)] == ["stuck", "stuck", "sent"]
    # hub-4 may have begun with state of hub-3: sent within a minute of its first block
    assert (sent[6]["received"], returned[3]["received"]) == (None, False)


@pytest.mark.parametrize(
    ("start", "lost"),
    sample(
        [
            *((1, lost) for lost in (("osmo-1", 49), ("osmo-2", 1), ("osmo-2", 2))),
            *((51, lost) for lost in (("osmo-2", 51), ("osmo-1", 50))),
        ],
        2,
        "holes of revisions",
    ),
)
def test_a_hole_in_either_revision_or_between_them_makes_older_packets_unknown(
    run, chains, tmp_path, start, lost
):
    osmosis(chains, start)
    out(chains, 6, ("osmo-1", 48, "send_packet"), until=100 * 10**9)
    out(chains, 10, ("osmo-2", start + 54, "send_packet"), until=100 * 10**9)
    for chain in ("osmo-1", "osmo-2", "hub-4"):
        chains.fill(chain)
    del chains.blocks[lost]
    outcome, packets = run(tmp_path / "out", chains.write(gaps=True))
    sent = by_sequence(packets, "osmo-2")
    assert (sent[6]["state"], sent[10]["state"]) == ("unknown", "stuck")
    assert sent[2]["state"] == "succeeded"
    chain, height = lost if lost != ("osmo-1", 50) else ("osmo-2", 50)  # the last of osmo-1 is not known
    gaps = {name: numbers["gaps"]["longest"] for name, numbers in outcome.summary["chains"].items()}
    assert gaps == {"hub-4": [], "osmo-1": [], "osmo-2": []} | {chain: [[height, height]]}
    assert gaps_in(tmp_path / "out", outcome.summary["gaps_query"]) == [(chain, height, height)]
    assert outcome.tips["osmo-2"].lacks == (height if chain == "osmo-1" or start > 1 else 50 + height)


def test_networks_of_one_name_that_send_the_same_sequences_stay_apart(run, chains, tmp_path):
    chains.halt("test-5", 1, LATER)
    for chain, at in (("test-4", 10), ("test-5", 10)):
        out(chains, 1, (chain, at, "send_packet"), (chain, at + 9, "acknowledge_packet"))
        out(chains, 2, (chain, at + 1, "send_packet"))
    outcome, packets = run(tmp_path / "out", chains.write())
    assert sorted((row["src_chain"], row["sequence"], row["state"]) for row in packets) == [
        ("test-4", 1, "acknowledged"),
        ("test-4", 2, "sent"),
        ("test-5", 1, "acknowledged"),
        ("test-5", 2, "sent"),
    ]
    (note,) = [note.reason for note in outcome.notes]
    assert note.startswith("test-4 and test-5 are listed as separate chains: nothing in the inputs shows")
    stated = chains.folder / "lineages.json"
    stated.write_text(json.dumps({"chain_lineages": [["test-4", "test-5"]]}))
    outcome, again = run(tmp_path / "stated", chains.folder)
    assert len(again) == 4
    assert [note.reason for note in outcome.notes] == [
        (
            "test-4 and test-5 are listed as separate chains: test-5 does not continue test-4,"
            " because it sent sequence 1 after 2 on transfer/channel-5"
        )
    ]


def test_the_user_may_state_a_lineage(run, chains, tmp_path):
    chains.halt("test-5", 1, LATER)
    out(chains, 1, ("test-4", 10, "send_packet"), until=10**18)
    out(chains, 2, ("test-5", 10, "send_packet"), until=10**18)
    folder = chains.write()
    outcome, packets = run(tmp_path / "alone", folder)
    assert {row["src_chain"] for row in packets} == {"test-4", "test-5"}
    (folder / "names.json").write_text(
        json.dumps(
            {
                "chain_lineages": [["test-4", "test-5"]],
                "chain_registry": {"test-4": {"channel-5": "far-1"}},
            }
        )
    )
    outcome, packets = run(tmp_path / "alone", folder)
    assert {(row["src_chain"], row["dst_chain"]) for row in packets} == {("test-5", "far-1")}
    assert [note.reason for note in outcome.notes] == [
        "test-4 and test-5 are one chain (known by registry), whose packets are listed under test-5"
    ]


@pytest.mark.parametrize(
    "stated",
    [
        [["osmo-1", "osmo-1"]],
        [["osmo-2", "osmo-1"]],
        [["osmo-1", "osmo-2"], ["osmo-2", "osmo-1"]],
        [["osmo-1", "osmo-9", "osmo-2", "osmo-1"]],
    ],
    ids=["itself", "newest-first", "both-ways", "one-that-lacks-and-one-twice"],
)
def test_what_the_user_states_in_another_order_splits_nothing(run, chains, tmp_path, stated):
    folder = osmosis(chains).write()
    (folder / "lineages.json").write_text(json.dumps({"chain_lineages": stated}))
    outcome, packets = run(tmp_path / "out", folder)
    assert len(packets) == 7
    by = "packets" if stated == [["osmo-1", "osmo-1"]] else "registry"
    assert [note.reason for note in outcome.notes] == [
        f"osmo-1 and osmo-2 are one chain (known by {by}), whose packets are listed under osmo-2"
    ]


def test_all_chains_of_a_stated_lineage_are_compared_with_each_other(run, chains, tmp_path):
    for number, chain in enumerate(("one-1", "two-1", "three-1")):
        chains.halt(chain, 1, number * LATER)
        chains.empty(chain, 1)
        chains.empty(chain, 20)
    for chain in ("one-1", "three-1"):  # nothing on the channel in between
        out(chains, 1, (chain, 10, "send_packet"), until=10**18)
    folder = chains.write()
    (folder / "lineages.json").write_text(json.dumps({"chain_lineages": [["one-1", "two-1", "three-1"]]}))
    outcome, packets = run(tmp_path / "out", folder)
    assert {row["src_chain"] for row in packets} == {"one-1", "three-1"}
    (note,) = [note.reason for note in outcome.notes]
    assert note.endswith(
        "three-1 does not continue one-1, because it sent sequence 1 after 1 on transfer/channel-5"
    )


def test_what_is_known_of_an_upgrade_later_joins_what_was_apart(run, chains, tmp_path):
    from tests.index_results import rows_of

    folder = osmosis(chains).write()
    files = sorted(folder.rglob("*.jsonl"))
    for order in sample([files[::-1], files[1::2] + files[::2]], 1, "late upgrades"):
        out_folder, inputs = tmp_path / f"out-{len(list(tmp_path.iterdir()))}", tmp_path / "some"
        inputs.mkdir(exist_ok=True)
        for path in inputs.iterdir():
            path.unlink()
        for number, path in enumerate(order):
            (inputs / f"{path.parent.name}-{path.name}").write_bytes(path.read_bytes())
            if number % 60 == 59 or path == order[-1]:
                outcome, _ = run(out_folder, inputs)
        fresh, _ = run(tmp_path / f"{out_folder.name}-fresh", inputs)
        assert rows_of(out_folder) == rows_of(tmp_path / f"{out_folder.name}-fresh")
        assert (outcome.summary, outcome.notes) == (fresh.summary, fresh.notes)
        assert len(table(out_folder, "packets")) == 7


def test_both_ends_may_be_upgraded(run, chains, tmp_path):
    chains.halt("osmo-2", 1, LATER)
    chains.halt("hub-5", 1, 500)
    out(chains, 1, ("osmo-1", 10, "send_packet"), *received("hub-4", 12), ("osmo-2", 5, "acknowledge_packet"))
    out(chains, 2, ("osmo-1", 20, "send_packet"), *received("hub-5", 9), ("osmo-2", 6, "acknowledge_packet"))
    back(chains, 1, ("hub-4", 30, "send_packet"), ("hub-5", 7, "timeout_packet"), until=400 * 10**9)
    back(chains, 2, ("hub-4", 31, "send_packet"), ("osmo-1", 40, "recv_packet"), until=10**18)
    back(
        chains, 2, ("osmo-2", 8, "write_acknowledgement"), ("hub-5", 600, "acknowledge_packet"), until=10**18
    )
    outcome, packets = run(tmp_path / "out", chains.write())
    assert sorted((row["src_chain"], row["dst_chain"], row["sequence"], row["state"]) for row in packets) == [
        ("hub-5", "osmo-2", 1, "timed_out"),
        ("hub-5", "osmo-2", 2, "succeeded"),
        ("osmo-2", "hub-5", 1, "succeeded"),
        ("osmo-2", "hub-5", 2, "succeeded"),
    ]
    assert len(outcome.notes) == 2


@pytest.mark.parametrize("answered", [False, True], ids=["redundant", "received-anew"])
def test_a_redundant_receive_on_the_newer_revision_contradicts_nothing(run, chains, tmp_path, answered):
    osmosis(chains)
    again = received("osmo-2", 9) if answered else (("osmo-2", 9, "recv_packet"),)
    back(chains, 1, *again)  # osmo-1 received it and wrote its acknowledgement
    outcome, packets = run(tmp_path / "out", chains.write())
    joined = {row["src_chain"] for row in packets} == {"osmo-2", "hub-4"} and len(packets) == 7
    assert joined is not answered
    notes = [note.reason for note in outcome.notes if "osmo-1 and osmo-2" in note.reason]
    assert ("1 of 1 packets of both contradict each other on transfer/channel-5" in notes[0]) is answered


def test_heights_at_the_end_of_64_bits_are_counted_on(run, chains, tmp_path):
    chains.pace = 0
    chains.halt("osmo-2", 1, 5)
    chains.halt("hub-4", 13, 9)
    out(chains, 1, ("osmo-1", 2**63 - 1, "send_packet"), *received("hub-4", 12))
    out(chains, 1, ("osmo-2", 1, "acknowledge_packet"))
    out(chains, 2, ("osmo-2", 5, "send_packet"))
    chains.empty("hub-4", 13)
    outcome, packets = run(tmp_path / "out", chains.write(gaps=True))
    assert {row["sequence"]: row["state"] for row in packets} == {1: "succeeded", 2: "sent"}
    assert outcome.summary["chains"]["osmo-2"]["gaps"]["longest"] == [[2, 4]]


@pytest.mark.parametrize("verifies", [True, False], ids=["of-the-channel", "of-nothing"])
def test_a_client_that_claims_both_joins_them_if_it_verified_packets_of_one(run, chains, tmp_path, verifies):
    claimed(chains, "07-tendermint-2" if verifies else "07-tendermint-9")
    outcome, packets = run(tmp_path / "out", chains.write())
    found = {row["sequence"]: (row["src_chain"], row["state"]) for row in packets}
    notes = [note.reason for note in outcome.notes]
    if verifies:
        assert found == {1: ("osmo-2", "succeeded"), 2: ("osmo-2", "sent")}
        assert notes == [
            "osmo-1 and osmo-2 are one chain (known by client), whose packets are listed under osmo-2"
        ]
    else:
        assert found == {1: ("osmo-1", "succeeded"), 2: ("osmo-1", "sent")}
        assert notes[0].startswith("osmo-1 and osmo-2 are listed as separate chains: nothing in the inputs")
