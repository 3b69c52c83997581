"""Recordings of live chains: the counts of their README, and each oddity in the right row."""

import json
import random
from collections import Counter, namedtuple

import pytest

from pyibc.indexer.blocks.coverage import Heights, described
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
    assert len(live.summary["chains"]) == 12


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


def test_only_the_readme_is_skipped(live):
    (entry,) = live.summary["skipped"]
    assert entry["file"].endswith("realdata/README.md")
    unnamed, *apart, differing = live.notes
    assert unnamed.file.endswith("cosmoshub-4_block_results_4555980_b64.json")
    assert "'unknown'" in unnamed.reason
    assert [note.reason.partition(": nothing in the inputs shows")[0] for note in apart] == [
        "devnet-1 and devnet-2 are listed as separate chains",
        "testnet-croeseid-4 and testnet-croeseid-5 are listed as separate chains",
    ]
    assert differing.reason == (  # recordings of two chains that were called so
        "devnet-1: conflicting facts about the counterparty of transfer/channel-0: "
        "the counterparty is transfer/channel-1, packets have transfer/channel-0"
    )


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


def test_base64_attributes_of_a_packet_sent_by_the_block_itself(rows_of):
    (row,) = rows_of("unknown")
    assert (row["src_port"], row["src_channel"], row["dst_channel"], row["sequence"]) == (
        "oracle",
        "channel-3",
        "channel-7",
        2831,
    )
    assert (row["send_height"], row["send_time"]) == (4_555_980, None)


def test_a_packet_followed_over_two_chains(rows_of):
    (row,) = rows_of("devnet-1")
    assert (row["dst_chain"], row["state"], row["ack"]) == ("devnet-2", "succeeded", "success")
    assert [row[f"{step}_height"] for step in ("send", "recv", "write_ack", "ack")] == [24, 26, 26, 28]
    assert (row["denom"], row["amount"], row["expires_height"]) == ("basecro", "1234", "2-1023")
    assert (round(row["recv_latency_s"], 6), round(row["ack_latency_s"], 6)) == (10.02321, 20.555325)


def test_a_sequence_that_two_transactions_acknowledge_is_one_row_of_the_first(rows_of):
    (row,) = rows_of("cronosmainnet_25-1")
    assert (row["sequence"], row["state"], row["ack"]) == (933, "succeeded", "success")
    assert row["relayer_back"] == "crc1yzl6cnq3f66ew24d7u97vmp45nkckhwg4ak8hl"
    assert (row["denom"], row["amount"]) == ("transfer/channel-0/basecro", "99793967500")


def test_an_error_acknowledgement_at_the_sender(rows_of):
    (row,) = rows_of("testnet-croeseid-4", acknowledged=True)
    assert (row["sequence"], row["ack"], row["error_returned"], row["error_written"]) == (
        10,
        "error",
        True,
        False,
    )
    assert "decoding bech32 failed" in row["ack_error"]
    assert (row["denom"], row["amount"]) == ("basetcro", "100000000")


def test_an_error_acknowledgement_at_the_receiver(rows_of):
    (row,) = rows_of("testnet-croeseid-4", side="dst_chain", sequence=15)
    assert (row["state"], row["ack"], row["error_written"]) == ("received", "error", True)
    assert row["ack_error"].startswith("unable to unescrow tokens")
    assert row["amount"] == "200000002700066912"


def test_a_packet_received_without_an_acknowledgement(rows_of):
    (row,) = rows_of("testnet-croeseid-4", side="dst_chain", sequence=45)
    assert (row["state"], row["ack"], row["write_ack_height"]) == ("received", None, None)


def test_a_solo_machine_whose_amount_is_a_number(rows_of):
    (row,) = rows_of("testnet-croeseid-4", side="dst_chain", sequence=1)
    assert (row["src_chain"], row["src_channel"], row["denom"], row["amount"]) == (
        None,
        "channel-VSAv",
        "solotoken",
        "20",
    )


def test_timeouts_that_an_evm_chain_emits_twice(rows_of):
    rows = rows_of("cronostestnet_338-3", state="timed_out")
    assert sorted(row["sequence"] for row in rows) == [1035, 1036, 1037, 1038]
    assert {(row["denom"], row["amount"], row["timeout_height"]) for row in rows} == {
        ("stake", "1", 17_932_006)
    }


def test_timeouts_with_and_without_a_refund(rows_of):
    (paid,) = rows_of("crypto-org-chain-mainnet-1")
    assert (paid["sequence"], paid["denom"], paid["amount"]) == (5, "basecro", "1")
    (unpaid,) = rows_of("testnet-croeseid-4", state="timed_out")
    assert (unpaid["sequence"], unpaid["denom"]) == (6, None)


def test_a_failed_transfer_is_no_packet(rows_of):
    assert rows_of("cronostestnet_338-3", send_height=140_108) == []


def test_interchain_accounts_are_packets_without_a_transfer(rows_of):
    (row,) = rows_of("testnet-croeseid-5")
    assert row["src_port"].startswith("icacontroller-")
    assert row["denom"] is None
    rows = rows_of("celestia", side="dst_chain")
    assert {row["sequence"] for row in rows} == {8, 475, 476, 477, 478, 479, 480}
    assert {row["ack"] for row in rows} == {"success"}


def test_the_report_says_the_same(live):
    page = (live.out / "report.html").read_text()
    assert f"{len(live.rows):,} packets on " in page
    assert json.loads((live.out / "summary.json").read_text()) == live.summary
    assert live.answers.totals.packets == len(live.rows) == (259_302 if EXHAUSTIVE else 24)


def test_single_files_give_their_own_counts(run, realdata, tmp_path):
    folder = realdata / "crypto_com_chain_indexing"
    one = folder / "TX_MSG_RECV_PACKET_PACKET_ACK_ERROR_TXS_RESP.json"
    outcome, (row,) = run(tmp_path / "out", one)
    found = row["recv_height"]  # a single transaction: of its block no more is known
    assert outcome.summary["chains"] == {
        "unknown": {
            "blocks": 1,
            "sent": 0,
            "received": 1,
            "acknowledged": 0,
            "timed_out": 0,
            "in_flight": 0,
            "unknown": 0,
            "succeeded": 0,
            "failed": 0,
            "refused": 1,
            "ranges": described(Heights()),
            "gaps": described(Heights.of([found])),
        }
    }
    assert (outcome.summary["events"]["recv_packet"], outcome.summary["events"]["write_acknowledgement"]) == (
        1,
        1,
    )
    assert row["relayer_recv"] == "tcro18mcwp6vtlvpgxy62eledk3chhjguw636x8n7h6"


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
