"""Revisions of a chain: one row a packet, whichever revision a step happened on.

Each story is told by chains of its own; all are indexed in one run, and once more with the user's lineages.
"""

import json
from functools import partial
from typing import NamedTuple

import pytest

from pyibc.indexer import open_results
from tests.index_results import tables
from tests.revised_chains import (
    LATER,
    alike,
    back,
    claimed,
    contradicted,
    holed,
    osmosis,
    out,
    received,
    restarted,
    stated,
)

FAR = 10**18
HOLES = [
    *((1, lost) for lost in (("osmo-1", 49), ("osmo-2", 1), ("osmo-2", 2))),
    *((51, lost) for lost in (("osmo-2", 51), ("osmo-1", 50))),
]
ORDERS = {
    "itself": [["osmo-1", "osmo-1"]],
    "newest-first": [["osmo-2", "osmo-1"]],
    "both-ways": [["osmo-1", "osmo-2"], ["osmo-2", "osmo-1"]],
    "one-that-lacks-and-one-twice": [["osmo-1", "osmo-9", "osmo-2", "osmo-1"]],
}


def expiring(chains):
    osmosis(chains)
    for sequence, height in ((6, "4-1050"), (7, "4-1070")):
        out(chains, sequence, ("osmo-1", 48, "send_packet"), packet_timeout_height=height, until=FAR)
    for sequence, height in ((3, "1-900"), (4, "2-60"), (5, "2-61")):
        back(chains, sequence, ("hub-4", 48, "send_packet"), packet_timeout_height=height, until=FAR)


def with_genesis_time(chains):
    """The first block of osmo-2 has the time of osmo-1's, which its genesis file kept."""
    osmosis(chains)
    chains.halt("osmo-2", 1, -LATER)
    chains.halt("osmo-2", 2, LATER)


def three(chains):
    for number, chain in enumerate(("one-1", "two-1", "three-1")):
        chains.halt(chain, 1, number * LATER)
        chains.empty(chain, 1)
        chains.empty(chain, 20)
    for chain in ("one-1", "three-1"):  # nothing on the channel in between
        out(chains, 1, (chain, 10, "send_packet"), until=FAR)


def both_ends(chains):
    chains.halt("osmo-2", 1, LATER)
    chains.halt("hub-5", 1, 500)
    out(chains, 1, ("osmo-1", 10, "send_packet"), *received("hub-4", 12), ("osmo-2", 5, "acknowledge_packet"))
    out(chains, 2, ("osmo-1", 20, "send_packet"), *received("hub-5", 9), ("osmo-2", 6, "acknowledge_packet"))
    back(chains, 1, ("hub-4", 30, "send_packet"), ("hub-5", 7, "timeout_packet"), until=400 * 10**9)
    steps = (("hub-4", 31, "send_packet"), ("osmo-1", 40, "recv_packet"))
    steps += (("osmo-2", 8, "write_acknowledgement"), ("hub-5", 600, "acknowledge_packet"))
    back(chains, 2, *steps, until=FAR)


def redundant(chains):
    osmosis(chains)
    back(chains, 1, ("osmo-2", 9, "recv_packet"))  # osmo-1 received it and wrote its acknowledgement


STORIES = {
    "restart": restarted,
    "on": partial(osmosis, start=51),
    "genesis": with_genesis_time,
    "expiring": expiring,
    **{f"hole{number}": partial(holed, start=start, lost=lost) for number, (start, lost) in enumerate(HOLES)},
    "alike": alike,
    "stated": stated,
    **dict.fromkeys(ORDERS, osmosis),
    "three": three,
    "both": both_ends,
    "redundant": redundant,
    "anew": contradicted,
    "claimed": claimed,
    "other": partial(claimed, client="07-tendermint-9"),
    "newer": partial(claimed, older="osmo-2"),
}
"""Prefix of the chains -> what happens on them."""
STATED = {"alike": [["test-4", "test-5"]], "stated": [["test-4", "test-5"]]}
STATED |= {"three": [["one-1", "two-1", "three-1"]], **ORDERS}


class Told(NamedTuple):
    """What a run says of a story, without the prefix of its chains."""

    packets: list
    notes: list
    chains: dict
    tips: dict


def told_of(outcome, packets, prefix):
    ends = ("src_chain", "dst_chain")
    rows = [
        row | {end: row[end] and row[end].removeprefix(prefix) for end in ends}
        for row in packets
        if any((row[end] or "").startswith(prefix) for end in ends)
    ]
    notes = [note.reason.replace(prefix, "") for note in outcome.notes if prefix in note.reason]
    chains, tips = (
        {name.removeprefix(prefix): each for name, each in found.items() if name.startswith(prefix)}
        for found in (outcome.summary["chains"], outcome.tips)
    )
    return Told(rows, notes, chains, tips)


@pytest.fixture(scope="module")
def world(run, new_chains, tmp_path_factory):
    """The stories of the run without the user's lineages, those of the run with them, and its folder."""
    folder = tmp_path_factory.mktemp("revisions")
    for name, tell in STORIES.items():
        chains = new_chains(folder / "in", f"{name}.")
        tell(chains)
        chains.write(gaps=name.startswith("hole"))
    lines = [[f"{name}.{chain}" for chain in line] for name, some in STATED.items() for line in some]
    runs = []
    for document in ({"chain_registry": {}}, {"chain_lineages": lines}):
        (folder / "in" / f"names-{len(runs)}.json").write_text(json.dumps(document))
        outcome, packets = run(folder / "out", folder / "in")
        runs.append({name: told_of(outcome, packets, f"{name}.") for name in STORIES})
    return *runs, folder / "out", outcome


@pytest.fixture(scope="module")
def told(world):
    return world[0]


def by_sequence(packets, src):
    return {row["sequence"]: row for row in packets if row["src_chain"] == src}


def joined(by):
    return [f"osmo-1 and osmo-2 are one chain (known by {by}), whose packets are listed under osmo-2"]


@pytest.mark.parametrize(("name", "start"), [("restart", 1), ("on", 51), ("genesis", 1)])
def test_packets_over_a_revision_upgrade_have_one_row_each(told, name, start):
    packets, notes, chains, _ = told[name]
    assert len(packets) == 7
    sent, returned = by_sequence(packets, "osmo-2"), by_sequence(packets, "hub-4")
    states = dict.fromkeys((1, 2, 4, 9), "succeeded") | {3: "timed_out"}
    assert {n: row["state"] for n, row in sent.items()} == states
    assert {n: row["received"] for n, row in sent.items()} == {n: n != 3 for n in states}
    assert [row["state"] for row in returned.values()] == ["succeeded"] * 2
    assert {row["dst_chain"] for row in sent.values()} == {"hub-4"}
    assert {row["dst_chain"] for row in returned.values()} == {"osmo-2"}
    assert (sent[2]["send_height"], sent[2]["ack_height"]) == (20, start - 1 + 5)
    assert (sent[1]["ack_height"], sent[4]["ack_latency_s"]) == (14, LATER + 30 - 45)
    assert not any(row["in_flight"] for row in packets)
    assert notes == joined("packets")
    assert chains["osmo-1"]["continued_as"] == f"{name}.osmo-2"
    assert (chains["osmo-2"]["sent"], chains["osmo-2"]["gaps"]["heights"]) == (5, 0)


def test_tables_say_which_chains_continue_each_other(world):
    rows = tables(world[2], "chains", "clients")
    found = {row["chain"]: row for row in rows["chains"] if row["chain"].startswith("restart.")}
    shown = ("lineage", "revision", "first_height", "last_height", "known_by", "since_height")
    assert {name: tuple(row[key] for key in shown) for name, row in found.items()} == {
        "restart.hub-4": ("restart.hub-4", 4, 1, 1060, None, None),
        "restart.osmo-1": ("restart.osmo-2", 1, 1, 50, None, None),
        "restart.osmo-2": ("restart.osmo-2", 2, 1, 60, "packets", 1),
    }
    newer = found["restart.osmo-2"]
    assert [newer[f"{end}_time"].timestamp() for end in ("first", "last")] == [1001, 1060]
    assert (newer["chain_id"], len(newer["incarnation"])) == ("restart.osmo-2", 16)
    (client,) = [row for row in rows["clients"] if row["chain"] == "restart.osmo-2"]
    assert (client["updates"], client["last_update_height"], client["consensus_height"]) == (2, 4, "4-900")


def test_a_packet_of_the_older_revision_is_judged_by_the_newer(told):
    packets = told["expiring"].packets
    sent, returned = by_sequence(packets, "osmo-2"), by_sequence(packets, "hub-4")
    assert (sent[6]["state"], sent[7]["state"]) == ("stuck", "sent")
    assert [returned[n]["state"] for n in (3, 4, 5)] == ["stuck", "stuck", "sent"]
    # hub-4 may have begun with state of hub-3: sent within a minute of its first block
    assert (sent[6]["received"], returned[3]["received"]) == (None, False)


@pytest.mark.parametrize("number", range(len(HOLES)))
def test_a_hole_in_either_revision_or_between_them_makes_older_packets_unknown(world, number):
    (packets, _, chains, tips), (start, lost) = world[0][f"hole{number}"], HOLES[number]
    sent = by_sequence(packets, "osmo-2")
    assert (sent[6]["state"], sent[10]["state"], sent[2]["state"]) == ("unknown", "stuck", "succeeded")
    chain, height = lost if lost != ("osmo-1", 50) else ("osmo-2", 50)  # the last of osmo-1 is not known
    gaps = {name: numbers["gaps"]["longest"] for name, numbers in chains.items()}
    assert gaps == {"hub-4": [], "osmo-1": [], "osmo-2": []} | {chain: [[height, height]]}
    assert tips["osmo-2"].lacks == (height if chain == "osmo-1" or start > 1 else 50 + height)
    query = f"SELECT * FROM ({world[3].summary['gaps_query']}) AS gaps WHERE chain = 'hole{number}.{chain}'"
    assert open_results(world[2]).sql(query).fetchall() == [(f"hole{number}.{chain}", height, height)]


def test_networks_of_one_name_that_send_the_same_sequences_stay_apart(world):
    for stories, reason in zip(
        world,
        (
            "nothing in the inputs shows",
            "test-5 does not continue test-4, because it sent sequence 1 after 2",
        ),
        strict=False,
    ):
        packets, (note,), *_ = stories["alike"]
        assert sorted((row["src_chain"], row["sequence"], row["state"]) for row in packets) == [
            *(("test-4", 1, "acknowledged"), ("test-4", 2, "sent")),
            *(("test-5", 1, "acknowledged"), ("test-5", 2, "sent")),
        ]
        assert note.startswith(f"test-4 and test-5 are listed as separate chains: {reason}")


def test_the_user_may_state_a_lineage(world):
    assert {row["src_chain"] for row in world[0]["stated"].packets} == {"test-4", "test-5"}
    packets, notes, *_ = world[1]["stated"]
    assert {row["src_chain"] for row in packets} == {"test-5"}
    assert notes == [
        "test-4 and test-5 are one chain (known by registry), whose packets are listed under test-5"
    ]


@pytest.mark.parametrize("name", ORDERS)
def test_what_the_user_states_in_another_order_splits_nothing(world, name):
    packets, notes, *_ = world[1][name]
    assert len(packets) == 7
    absent = ["your file names chains that are not in the inputs: osmo-9; check the spelling"]
    lacks = absent if name == "one-that-lacks-and-one-twice" else []
    assert notes == [*lacks, *joined("packets" if name == "itself" else "registry")]


def test_all_chains_of_a_stated_lineage_are_compared_with_each_other(world):
    packets, (note,), *_ = world[1]["three"]
    assert {row["src_chain"] for row in packets} == {"one-1", "three-1"}
    assert note.endswith(
        "three-1 does not continue one-1, because it sent sequence 1 after 1 on transfer/channel-5"
    )


def test_both_ends_may_be_upgraded(told):
    packets, notes, *_ = told["both"]
    assert sorted((row["src_chain"], row["dst_chain"], row["sequence"], row["state"]) for row in packets) == [
        ("hub-5", "osmo-2", 1, "timed_out"),
        ("hub-5", "osmo-2", 2, "succeeded"),
        ("osmo-2", "hub-5", 1, "succeeded"),
        ("osmo-2", "hub-5", 2, "succeeded"),
    ]
    assert len(notes) == 2


def test_a_redundant_receive_on_the_newer_revision_contradicts_nothing(told):
    packets, notes, *_ = told["redundant"]
    assert {row["src_chain"] for row in packets} == {"osmo-2", "hub-4"}
    assert (len(packets), notes) == (7, joined("packets"))
    packets, notes, *_ = told["anew"]
    assert {"osmo-1", "osmo-2"} <= {row["src_chain"] for row in packets}
    assert "1 of 1 packets of both contradict each other on transfer/channel-5" in notes[0]


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
    query = outcome.summary["gaps_query"]
    assert open_results(tmp_path / "out").sql(query).fetchall() == [("osmo-2", 2, 4)]


def test_a_client_that_claims_both_joins_them_if_it_verified_packets_of_one(told):
    packets, notes, *_ = told["claimed"]
    found = {row["sequence"]: (row["src_chain"], row["state"]) for row in packets}
    assert found == {1: ("osmo-2", "succeeded"), 2: ("osmo-2", "sent")}
    assert notes == joined("client")
    for story in ("other", "newer"):
        packets, notes, *_ = told[story]
        assert {row["src_chain"] for row in packets} == {"osmo-1"}, story
        assert notes[0].startswith("osmo-1 and osmo-2 are listed as separate chains: nothing in the inputs")
