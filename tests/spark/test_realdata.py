"""Recordings of live chains: the counts of their README, and each oddity in the right row."""

import random
from collections import Counter, namedtuple

import pytest

from tests.sampling import EXHAUSTIVE, SEED

pytestmark = pytest.mark.vectors

World = namedtuple("World", "summary rows notes answers out")
PACKET_EVENTS = (
    "send_packet",
    "recv_packet",
    "write_acknowledgement",
    "acknowledge_packet",
    "timeout_packet",
)


TABLE = "yanagihalab/packets_send_ack_real.parquet"  # a quarter of a million packets of two chains


@pytest.fixture(scope="module")
def live(run, realdata, tmp_path_factory):
    """All recordings; the large table only in an exhaustive run."""
    out = tmp_path_factory.mktemp("realdata")
    small = [path for path in sorted(realdata.iterdir()) if path.name not in TABLE]
    outcome, rows = run(out, *([realdata] if EXHAUSTIVE else small))
    return World(outcome.summary, rows, outcome.notes, outcome.answers, out)


@pytest.fixture
def rows_of(live):
    def pick(chain, *, side="src_chain", **wanted):
        rows = (row for row in live.rows if row[side] == chain)
        return [row for row in rows if all(row[key] == value for key, value in wanted.items())]

    return pick


def counts(live, chain):
    found = live.summary["chains"][chain]
    return tuple(
        found[k] for k in ("sent", "received", "acknowledged", "timed_out", "in_flight", "failed", "refused")
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("chain", "expected"),
    [
        ("cosmoshub-4", (161_350, 0, 160_709, 0, 641, 0, 0)),
        ("osmosis-1", (97_891, 0, 97_444, 0, 447, 0, 0)),
        ("neutron-1", (37, 0, 37, 0, 0, 0, 0)),
    ],
)
def test_counts_of_the_chains_of_the_table(live, chain, expected):
    assert counts(live, chain) == expected
    assert len(live.summary["chains"]) == 12 + len(RESTARTED)


def test_a_part_of_the_table_gives_its_counts(run, realdata, tmp_path):
    import pyarrow.parquet as pq

    whole = pq.read_table(realdata / TABLE)
    part = whole.slice(random.Random(SEED).randrange(len(whole) - 2_000), 2_000)
    pq.write_table(part, tmp_path / "part.parquet")
    outcome, rows = run(tmp_path / "out", tmp_path / "part.parquet")
    packets = part.to_pylist()
    answered = Counter(row["chain_id"] for row in packets if row["ack_height"])
    chains = outcome.summary["chains"]
    assert {chain: found["sent"] for chain, found in chains.items()} == Counter(part["chain_id"].to_pylist())
    assert {chain: found["acknowledged"] for chain, found in chains.items()} == answered
    assert len(rows) == len(packets)


@pytest.mark.parametrize(
    ("chain", "expected"),
    [
        ("celestia", (1, 7, 0, 0, 1, 0, 0)),
        ("unknown", (1, 0, 0, 0, 1, 0, 0)),  # the Cosmos Hub block: its recording names no chain
        ("cronosmainnet_25-1", (0, 0, 1, 0, 0, 0, 0)),
        ("cronostestnet_338-3", (1, 0, 1, 4, 1, 0, 0)),
        ("crypto-org-chain-mainnet-1", (0, 0, 0, 1, 0, 0, 0)),
        ("devnet-1", (1, 0, 1, 0, 0, 0, 0)),
        ("devnet-2", (0, 1, 0, 0, 0, 0, 0)),
        ("testnet-croeseid-4", (0, 3, 1, 1, 0, 1, 1)),
        ("testnet-croeseid-5", (1, 0, 0, 0, 1, 0, 0)),
    ],
)
def test_counts_of_every_chain(live, chain, expected):
    assert counts(live, chain) == expected


@pytest.mark.exhaustive
def test_heights_without_an_event_are_named(live):
    hub, osmosis = (live.summary["chains"][chain] for chain in ("cosmoshub-4", "osmosis-1"))
    assert [23_054_501, 23_144_449] in hub["gaps"]["longest"]  # 89,949 heights in a row
    assert [hub[key]["heights"] for key in ("ranges", "gaps")] == [236_339, 488_103]
    assert (hub["ranges"]["first"], hub["ranges"]["last"]) == (22_500_001, 23_224_442)
    assert osmosis["gaps"]["heights"] == 423_884
    assert len((live.out / "summary.json").read_text()) < 100_000
    assert 0 < hub["unknown"] <= hub["in_flight"]
    assert ">488,103</td>" in (live.out / "report.html").read_text()


def test_every_event_is_counted_once_although_recorded_up_to_six_times(live):
    events = live.summary["events"]
    in_table = {"send_packet": 259_278, "acknowledge_packet": 258_190} if EXHAUSTIVE else {}
    in_blocks = Counter({kind: events[kind] for kind in PACKET_EVENTS}) - Counter(in_table)
    assert in_blocks == {
        "send_packet": 5,  # Celestia, the Hub, devnet-1, Cronos testnet, Croeseid 5
        "recv_packet": 7 + 4,
        "write_acknowledgement": 7 + 3,
        "acknowledge_packet": 5,
        "timeout_packet": 8 + 2,  # those on Cronos twice each, by the chain itself
    }


RESTARTED = {"devnet-1": "devnet-1@t776ad33", "devnet-2": "devnet-2@t3528f59"}


def test_only_the_readme_is_skipped(live):
    (entry,) = live.summary["skipped"]
    assert entry["file"].endswith("realdata/README.md")
    unnamed, *restarted, networks, testnets = live.notes
    assert unnamed.file.endswith("cosmoshub-4_block_results_4555980_b64.json")
    assert "'unknown'" in unnamed.reason
    # Their height 27 is three months after height 28.
    assert [note.reason for note in restarted] == [
        f"{chain} was restarted from genesis: its incarnations are listed as {chain}, {again}"
        for chain, again in RESTARTED.items()
    ]
    assert [note.reason.partition(": nothing in the inputs shows")[0] for note in (networks, testnets)] == [
        "devnet-1, devnet-1@t776ad33, devnet-2 and devnet-2@t3528f59 are listed as separate chains",
        "testnet-croeseid-4 and testnet-croeseid-5 are listed as separate chains",
    ]


@pytest.mark.parametrize(
    ("chain", "side", "other"),
    [
        ("celestia", "dst_chain", {"stride-1": 7}),
        ("cronosmainnet_25-1", "src_chain", {"crypto-org-chain-mainnet-1": 1}),
        ("crypto-org-chain-mainnet-1", "src_chain", {"cosmoshub-4": 1}),
        ("testnet-croeseid-4", "src_chain", {"cronostestnet_338-1": 2}),
    ],
)
def test_client_messages_of_one_side_name_the_other(live, chain, side, other):
    far = {"src_chain": "dst_chain", "dst_chain": "src_chain"}[side]
    rows = [row for row in live.rows if row[side] == chain and row[f"{side[:3]}_known_by"] == "packets"]
    assert Counter(row[far] for row in rows if row[f"{far[:3]}_known_by"] == "proof") == other


ODDITIES = {
    "base64 attributes, sent by the block itself": (
        {
            "src_chain": "unknown",
            "src_port": "oracle",
            "src_channel": "channel-3",
            "dst_channel": "channel-7",
        },
        {"sequence": 2831, "send_height": 4_555_980, "send_time": None},
    ),
    "followed over two chains": (
        {"src_chain": "devnet-1", "dst_chain": "devnet-2", "state": "succeeded", "ack": "success"},
        {"send_height": 24, "recv_height": 26, "write_ack_height": 26, "ack_height": 28}
        | {"denom": "basecro", "amount": "1234", "expires_height": "2-1023"}
        | {"recv_latency_s": pytest.approx(10.02321), "ack_latency_s": pytest.approx(20.555325)},
    ),
    "acknowledged by two transactions": (
        {"src_chain": "cronosmainnet_25-1", "sequence": 933, "state": "succeeded", "ack": "success"},
        {"relayer_back": "crc1yzl6cnq3f66ew24d7u97vmp45nkckhwg4ak8hl"}
        | {"denom": "transfer/channel-0/basecro", "amount": "99793967500"},
    ),
    "an error acknowledgement at the sender": (
        {"src_chain": "testnet-croeseid-4", "acknowledged": True, "sequence": 10, "ack": "error"},
        {"error_returned": True, "error_written": False, "denom": "basetcro", "amount": "100000000"},
    ),
    "an error acknowledgement at the receiver": (
        {"dst_chain": "testnet-croeseid-4", "sequence": 15, "state": "received", "ack": "error"},
        {"error_written": True, "amount": "200000002700066912"},
    ),
    "received without an acknowledgement": (
        {"dst_chain": "testnet-croeseid-4", "sequence": 45, "state": "received"},
        {"ack": None, "write_ack_height": None},
    ),
    "of a solo machine, whose amount is a number": (
        {"dst_chain": "testnet-croeseid-4", "sequence": 1, "src_chain": None},
        {"src_channel": "channel-VSAv", "denom": "solotoken", "amount": "20"},
    ),
    **{
        f"timed out twice on an EVM chain, {sequence}": (
            {"src_chain": "cronostestnet_338-3", "state": "timed_out", "sequence": sequence},
            {"denom": "stake", "amount": "1", "timeout_height": 17_932_006},
        )
        for sequence in range(1035, 1039)
    },
    "timed out with a refund": (
        {"src_chain": "crypto-org-chain-mainnet-1"},
        {"sequence": 5, "denom": "basecro", "amount": "1"},
    ),
    "timed out without a refund": (
        {"src_chain": "testnet-croeseid-4", "state": "timed_out"},
        {"sequence": 6, "denom": None},
    ),
}
"""Packet -> what finds its row, and what else is in it."""


@pytest.mark.parametrize("oddity", ODDITIES)
def test_each_oddity_is_in_the_right_row(live, oddity):
    wanted, rest = ODDITIES[oddity]
    (row,) = [row for row in live.rows if wanted.items() <= row.items()]
    assert {name: row[name] for name in rest} == rest


def test_errors_are_in_the_words_of_their_chain(rows_of):
    (returned,) = rows_of("testnet-croeseid-4", acknowledged=True)
    assert "decoding bech32 failed" in returned["ack_error"]
    (written,) = rows_of("testnet-croeseid-4", side="dst_chain", sequence=15)
    assert written["ack_error"].startswith("unable to unescrow tokens")


def test_a_failed_transfer_is_no_packet(rows_of):
    assert rows_of("cronostestnet_338-3", send_height=140_108) == []
    assert len(rows_of("cronostestnet_338-3", state="timed_out")) == 4


def test_interchain_accounts_are_packets_without_a_transfer(rows_of):
    (row,) = rows_of("testnet-croeseid-5")
    assert row["src_port"].startswith("icacontroller-")
    assert row["denom"] is None
    rows = rows_of("celestia", side="dst_chain")
    assert {row["sequence"] for row in rows} == {8, 475, 476, 477, 478, 479, 480}
    assert {row["ack"] for row in rows} == {"success"}


@pytest.fixture(scope="module")
def two_chains(run, live_dump, tmp_path_factory):
    out = tmp_path_factory.mktemp("dump")
    outcome, rows = run(out, live_dump)
    return World(outcome.summary, rows, outcome.notes, outcome.answers, out)


def test_two_live_ibc_go_chains(two_chains):
    chains = two_chains.summary["chains"]
    assert {chain: found["blocks"] for chain, found in chains.items()} == {"ibc-0": 225, "ibc-1": 224}
    assert [chains[chain]["ranges"]["longest"] for chain in ("ibc-0", "ibc-1")] == [[[1, 225]], [[1, 224]]]
    assert [chains[chain]["gaps"]["heights"] for chain in ("ibc-0", "ibc-1")] == [0, 0]
    assert counts(two_chains, "ibc-0") == (70, 0, 60, 10, 0, 0, 0)
    assert counts(two_chains, "ibc-1") == (0, 60, 0, 0, 0, 0, 0)
    found = {kind: two_chains.summary["events"][kind] for kind in PACKET_EVENTS}
    assert found == dict(zip(PACKET_EVENTS, (70, 60, 60, 60, 10), strict=True))


def test_their_packets_are_followed_to_the_end(two_chains):
    assert len(two_chains.rows) == 70
    assert {(row["src_chain"], row["dst_chain"]) for row in two_chains.rows} == {("ibc-0", "ibc-1")}
    for row in two_chains.rows:
        finished = row["sequence"] <= 60
        assert row["state"] == ("succeeded" if finished else "timed_out")
        assert row["received"] is finished
        assert (row["denom"], row["amount"]) == ("samoleans", "1")
        assert row["ack"] == ("success" if finished else None)
        assert (row["recv_latency_s"] is not None and row["recv_latency_s"] > 0) is finished
