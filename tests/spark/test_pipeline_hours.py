"""Aggregates by hour: kept batch by batch they are those of all blocks, and the report counts with them."""

import json
import random
import re
import shutil
from collections import Counter, defaultdict
from decimal import Decimal

import pytest

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.blocks.block import Block, Tx
from pyibc.indexer.blocks.lines import decode_line, encode_line
from pyibc.indexer.pipeline import hours
from pyibc.indexer.pipeline.lake import MOST_SPANS, Column, rows_in
from pyibc.indexer.pipeline.report import open_views, write_report_of
from pyibc.indexer.pipeline.tables import HOURS, PACKETS, TABLES
from pyibc.indexer.report.options import ReportOptions, since
from pyibc.indexer.report.page import waiting_groups
from pyibc.indexer.report.words import QUERIES
from pyibc.indexer.results.hours import BOUNDS_S, bucket, rounded_up
from pyibc.indexer.results.packets import ENDS
from tests.index_questions import PAGE
from tests.index_results import without_pictures
from tests.pipeline_runs import EACH_ENGINE, check_hours, dicts, in_utc
from tests.sampling import SEED, sample
from tests.transfer_stories import AB, CD, event, packet, told, whole_story

HOUR = 3600 * 10**9


@pytest.fixture(scope="module")
def lines(new_chains, tmp_path_factory):
    """Blocks of two days: packets of every state, transfers over several hops, a block without a time."""
    story = whole_story(pace=13_000)
    late = packet("send_packet", 500, *AB, told("ulate", "r", amount="9" * 40))
    story.tx("a-1", late)
    chains = new_chains(tmp_path_factory.mktemp("history"))
    chains.ends = {"src": ("transfer", "channel-31"), "dst": ("wasm.x", "channel-70")}
    chains.pace = 14_000
    for sequence in range(1, 9):
        chains.relay(sequence, sequence * 7, src="e-1", dst="f-1")
    chains.relay(9, 11, src="e-1", dst="f-1", ack=b'{"error":"no"}')
    chains.event("e-1", 3, "send_packet", 14)
    chains.event("e-1", 60, "timeout_packet", 14)
    chains.event("e-1", 5, "send_packet", 15, until=10**9)
    chains.event("e-1", 40, "send_packet", 16)
    chains.event("f-1", 41, "recv_packet", 16, owner="e-1")
    exported = [
        line
        for path in sorted(chains.write().rglob("*.jsonl"))
        for line in path.read_bytes().splitlines(keepends=True)
    ]
    found = [encode_line(block) for blocks in story.blocks.values() for block in blocks]
    some = [block for block in map(decode_line, (*found, *exported)) if block.txs]
    # Some come twice, and what is known of one may be replaced. The last chain has no times.
    parts = [block._replace(partial=True, txs=block.txs[:1], time_ns=None) for block in some[::4]]
    more = [*parts, Block("g-1", 3, None, some[-1].txs)]
    return [*found, *exported, *map(encode_line, more)]


def pieces(lines, number, of):
    """Lists of lines in a random order."""
    shuffled = random.Random(f"{SEED} {number}").sample(lines, len(lines))
    return [shuffled[begin::of] for begin in range(of)]


def run_pieces(engine, lines, folder, number, of):
    (folder / "in").mkdir()
    for place, some in enumerate(pieces(lines, number, of)):
        (folder / "in" / f"{place}.jsonl").write_bytes(b"".join(some))
        engine.ran(folder / "in", folder / "out")
        yield engine.lake(folder / "out")


@pytest.fixture(scope="module")
def in_pieces(engine, lines, tmp_path_factory):
    """The tables after three batches."""
    *_, lake = run_pieces(engine, lines, tmp_path_factory.mktemp("pieces"), "all", 3)
    return lake


@EACH_ENGINE
@pytest.mark.parametrize("most_spans", sample([1, MOST_SPANS], 1, "spans of hours"))
def test_hours_that_batches_touch_are_those_of_all_blocks(engine, lines, tmp_path, monkeypatch, most_spans):
    monkeypatch.setattr(hours, "MOST_SPANS", most_spans)
    for lake in run_pieces(engine, lines, tmp_path, most_spans, 4):
        check_hours(lake)
    found = {row.hour_ns for row in rows_in(lake, HOURS)}
    assert len(found) > 25
    assert {-1} == {hour for hour in found if hour % HOUR}
    query = "SELECT week, min(hour_ns) AS hour_ns FROM {} GROUP BY week ORDER BY week"
    weeks = [(row.week, row.hour_ns // HOUR) for row in lake.rows(query.format(lake.at(HOURS)))]
    assert weeks == [(-1, -1), (0, 3), (1, 175)]


@EACH_ENGINE
def test_a_part_of_a_block_may_change_the_numbers_of_others(engine, tmp_path):
    (tmp_path / "in").mkdir()
    arriving = {"B": 9 * HOUR, "A": None}  # A comes first in the block
    for number, (name, time_ns) in enumerate(arriving.items()):
        fact = event("create_client", client_id=f"07-tendermint-{name}", client_type="07-tendermint")
        block = Block("h-1", 5, time_ns, (Tx(name * 64, 0, (fact,)),), partial=True)
        (tmp_path / "in" / f"{number}.jsonl").write_bytes(encode_line(block))
        engine.ran(tmp_path / "in", tmp_path / "out")
    lake = engine.lake(tmp_path / "out")
    check_hours(lake)
    query = "SELECT hour_ns, place % 524288 AS place FROM facts_by_hour ORDER BY hour_ns"
    found = [(row.hour_ns, row.place) for row in lake.rows(query)]
    assert found == [(-1, found[0][1]), (9 * HOUR, found[0][1] + 256)]


def one_event(chain, height, hour, *about):
    """A block with one transaction."""
    return Block(chain, height, hour * HOUR, (Tx(f"{height:064X}", 0, (packet(*about),)),))


DATA = told("uatom", "r")
RECEIVED = [one_event("b-1", height, 3 * height, "recv_packet", height, *AB, DATA) for height in range(1, 6)]
OTHERS = {
    "unpaired": (RECEIVED, one_event("a-1", 40, 11, "send_packet", 4, *AB, DATA), (3, 6, 9, 11, 15)),
    # Only the receiving chain tells the transfer, hours after the send.
    "told-later": (
        [
            one_event("a-1", 1, 2, "send_packet", 9, *AB),
            one_event("b-1", 10, 7, "recv_packet", 9, *AB, DATA),
        ],
        one_event("c-1", 1, 2, "send_packet", 1, *CD, DATA),
        (2,),
    ),
    # A second send, hours later, tells what the first one does not.
    "told-again": (
        [one_event("a-1", 1, 2, "send_packet", 9, *AB)],
        one_event("a-1", 900, 50, "send_packet", 9, *AB, DATA),
        (2,),
    ),
    "told-before": (
        [
            one_event("a-1", 1, 2, "send_packet", 9, *AB),
            one_event("a-1", 900, 50, "send_packet", 9, *AB, DATA),
        ],
        one_event("c-1", 1, 2, "send_packet", 1, *CD, DATA),
        (2,),
    ),
    "end-of-time": (
        [one_event("a-1", 1, 2, "send_packet", 9, *AB, DATA)],
        Block("a-1", 2, MAX_I64, ()),
        (2,),
    ),
}


@EACH_ENGINE
@pytest.mark.parametrize("name", OTHERS)
def test_hours_of_packets_without_new_events_are_computed_too(engine, tmp_path, name):
    first, last, of_sender = OTHERS[name]
    (tmp_path / "in").mkdir()
    for number, blocks in enumerate((first, [last])):
        (tmp_path / "in" / f"{number}.jsonl").write_bytes(b"".join(map(encode_line, blocks)))
        engine.ran(tmp_path / "in", tmp_path / "out")
    lake = engine.lake(tmp_path / "out")
    check_hours(lake)
    rows = lake.rows("SELECT hour_ns, n FROM transfers_by_hour WHERE src_chain = 'a-1' ORDER BY hour_ns")
    assert [(row.hour_ns // HOUR, row.n) for row in rows] == [(hour, 1) for hour in of_sender]


REPLACED = Block("a-1", 5, 7 * HOUR, one_event("a-1", 5, 7, "send_packet", 1, *AB, DATA).txs)
BATCHES = {  # the second one is added by an older release
    "events": [[RECEIVED[0]], [RECEIVED[1]], [RECEIVED[2]]],
    "better record": [[REPLACED._replace(time_ns=None, partial=True)], [REPLACED], [RECEIVED[0]]],
    "empty": [[RECEIVED[0]], [Block("b-1", 9, 20 * HOUR, ())], [Block("b-1", 10, 20 * HOUR + 1, ())]],
}


@EACH_ENGINE
@pytest.mark.parametrize("name", BATCHES)
def test_batches_of_an_older_release_are_added(engine, tmp_path, name, monkeypatch):
    (tmp_path / "in").mkdir()
    computed, touched = [], hours._touched
    monkeypatch.setattr(hours, "_touched", lambda *args, **more: computed.append(1) or touched(*args, **more))
    for number, blocks in enumerate(BATCHES[name]):
        (tmp_path / "in" / f"{number}.jsonl").write_bytes(b"".join(map(encode_line, blocks)))
        engine.ran(tmp_path / "in", tmp_path / "out")
        if number == 0:
            shutil.copytree(tmp_path / "out" / HOURS.name, tmp_path / "older")
        if number == 1:
            assert len(computed) == 1  # hours, not all of them
            shutil.rmtree(tmp_path / "out" / HOURS.name)
            shutil.copytree(tmp_path / "older", tmp_path / "out" / HOURS.name)
    check_hours(engine.lake(tmp_path / "out"))
    assert len(computed) == 1
    (tmp_path / "in" / "3.jsonl").write_bytes(encode_line(Block("b-1", 77, 70 * HOUR, ())))
    engine.ran(tmp_path / "in", tmp_path / "out")
    assert len(computed) == 2


@EACH_ENGINE
def test_latencies_are_rounded_up_to_three_digits_and_stay_in_their_bucket(engine, tmp_path):
    lake = engine.lake(tmp_path)
    rounded = {
        -5: -5,
        0: 0,
        999: 999,
        1000: 1000,
        1001: 1010,
        59_990_000: 60_000_000,
        10**12 + 1: 101 * 10**10,
    }
    lake.table("waits", (("wait_us", "bigint"),), [(wait,) for wait in rounded])
    rows = lake.rows(f"SELECT wait_us, {rounded_up('wait_us')} AS up FROM waits")
    assert {row.wait_us: row.up for row in rows} == rounded
    near = [bound * 10**6 + more for bound in BOUNDS_S for more in (-1, 0, 1)]
    lake.table("near", (("wait_us", "bigint"),), [(wait,) for wait in near])
    up = rounded_up("wait_us")
    same = f"{bucket('wait_us / 1e6')} = {bucket(f'({up}) / 1e6')}"
    assert [row.wait_us for row in lake.rows(f"SELECT wait_us FROM near WHERE NOT ({same})")] == []


@EACH_ENGINE
def test_the_queries_of_the_page_count_by_channel_and_relayer(engine, in_pieces):
    lake = in_pieces
    open_views(lake)
    section = PAGE.read_text().partition("## Numbers by hour")[2].partition("\n## ")[0]
    by_channel, by_relayer = (
        lake.rows(query) for query in re.findall(r"```sql\n(.+?)```", section, re.DOTALL)
    )
    channels, relayers = defaultdict(Counter), Counter()
    for row in dicts(rows_in(lake, PACKETS)):
        hour = None if first(row) is None else first(row) // 10**6 // 3600
        channels[hour, row["src_chain"], row["src_channel"]] += Counter(
            packets=1, succeeded=int(row["state"] == "succeeded")
        )
        relayers[hour, row["relayer_recv"], "recv_packet"] += row["relayer_recv"] is not None
        back = "acknowledge_packet" if row["acknowledged"] else "timeout_packet"
        relayers[hour, row["relayer_back"], back] += row["relayer_back"] is not None
    found = {
        (hours_of(row.hour), row.src_chain, row.src_channel): (row.packets, row.succeeded)
        for row in by_channel
    }
    assert found == {key: (some["packets"], some["succeeded"]) for key, some in channels.items()}
    assert {(hours_of(row.hour), row.relayer, row.event): row.packets for row in by_relayer} == +relayers


@EACH_ENGINE
def test_aggregates_have_both_ends_of_the_channels(engine, in_pieces):
    lake = in_pieces
    open_views(lake)
    ends = [name for name, _ in ENDS]
    packets, relayed = Counter(), Counter()
    for row in dicts(rows_in(lake, PACKETS)):
        channel = tuple(row[name] for name in ends)
        packets[channel] += 1
        relayed[channel] += (row["relayer_recv"] is not None) + (row["relayer_back"] is not None)
    for view, expected, condition in (
        ("packets", packets, "TRUE"),
        ("relayed", +relayed, "relayer IS NOT NULL"),
    ):
        listed = ", ".join(ends)
        query = f"SELECT {listed}, sum(n) AS n FROM {view}_by_hour WHERE {condition} GROUP BY {listed}"
        assert {row[:-1]: row[-1] for row in map(tuple, lake.rows(query))} == expected


@EACH_ENGINE
def test_costs_of_relayers_are_those_of_their_transactions(engine, in_pieces):
    with without_pictures():
        costs = write_report_of(in_pieces).answers.tables.costs
    total = in_pieces.dialect.total
    query = f"""SELECT signer, chain, fee_denom, count(*) AS number, {total("fee_amount")} AS fees,
      {total("fee_amount", "code <> 0")} AS failed_fees, count_if(code <> 0) AS failed
    FROM transactions WHERE relays > 0 AND signer IS NOT NULL GROUP BY signer, chain, fee_denom"""
    expected = {tuple(row) for row in in_pieces.rows(query)}
    found = {
        (row.relayer, row.chain, row.fee_denom, row.transactions, row.fees, row.failed_fees, row.failed)
        for row in costs
    }
    assert found == expected
    assert {row[2] for row in found} == {"uatom", None}


def hours_of(time):
    return None if time is None else in_utc(time).timestamp() // 3600


@EACH_ENGINE
@pytest.mark.parametrize("moment", ["2262-04-11T23:00:00", "9999-12-31"])
def test_a_window_after_all_times_has_nothing(engine, in_pieces, moment):
    with without_pictures():
        answers = write_report_of(in_pieces, options=ReportOptions(since(moment))).answers
    assert answers.totals.recent_packets == 0 < answers.totals.packets
    assert {row.recent_transfers for row in answers.tables.flows} == {0}


WINDOWS = {"all": None, "1970-01-03T05:50:11": (53 * 3600 + 3011) * 10**6, "1969-12-31": -24 * 3600 * 10**6}


@EACH_ENGINE
@pytest.mark.parametrize("window", WINDOWS)
def test_the_report_counts_the_packets_of_the_window(engine, in_pieces, window):
    lake = in_pieces
    with without_pictures():
        answers = write_report_of(lake, options=ReportOptions(since(window))).answers
    begin = WINDOWS[window]
    is_part = begin is not None and begin > 0
    rows = dicts(rows_in(lake, PACKETS))
    recent = [row for row in rows if not is_part or (first(row) is not None and first(row) >= begin)]
    name = "recent_{}" if is_part else "{}"
    totals = answers.totals
    for state in ("succeeded", "failed", "timed_out"):
        number = sum(row["state"] == state for row in rows)
        assert getattr(totals, state) == number
        assert getattr(totals, name.format(state)) == sum(row["state"] == state for row in recent)
    assert totals.packets == len(rows)
    assert 3 < getattr(totals, name.format("packets")) == len(recent)
    assert not is_part or len(recent) < len(rows)
    assert counted(answers.channels, name.format("packets"), "src_channel") == Counter(
        row["src_channel"] for row in recent
    )
    assert counted(answers.relayers, name.format("recv"), "relayer") == Counter(
        row["relayer_recv"] for row in recent if row["relayer_recv"]
    )
    open_views(lake)
    transfers = dicts(lake.rows("SELECT * FROM transfers"))
    some = [row for row in transfers if not is_part or (first(row) is not None and first(row) >= begin)]
    flows = counted(answers.tables.flows, name.format("transfers"), "src_chain")
    assert flows == Counter(row["src_chain"] for row in some)
    hops = {row.hop: row.transfers for row in answers.tables.hops}
    assert hops == Counter(row["hop"] for row in transfers)
    assert set(hops) == {1, 2, 3}
    delivered = Counter()
    for row in answers.tables.coins:
        delivered[row.src_chain, row.src_coin] += getattr(row, "recent_amount" if is_part else "amount") or 0
    assert delivered == sums(row for row in some if row["outcome"] == "delivered")


def sums(transfers):
    found = Counter()
    for row in transfers:
        found[row["src_chain"], row["src_coin"]] += Decimal(row["amount"])
    return +found


def first(row):
    """The first moment of a packet, in unix microseconds."""
    times = [row.get(f"{step}_time") for step in ("send", "recv", "write_ack", "ack", "timeout", "end")]
    found = next(filter(None, times), None)
    return None if found is None else round(found.timestamp() * 10**6)


def counted(rows, number, key):
    found = Counter()
    for row in rows:
        found[getattr(row, key)] += getattr(row, number)
    return +found


@EACH_ENGINE
def test_queries_for_the_rest_of_a_table_have_its_order(engine, in_pieces):
    """So they find the rows that the page does not show."""
    lake = in_pieces
    with without_pictures():
        answers = write_report_of(lake).answers
    channel = tuple(name for name, _ in ENDS)
    lists = {
        "stuck": (answers.stuck, ("packet_id",)),
        "ack_overdue": (answers.ack_overdue, ("packet_id",)),
        "stuck_channels": ([group.row for group in waiting_groups(answers, "stuck")], channel),
        "ack_overdue_channels": ([group.row for group in waiting_groups(answers, "ack_overdue")], channel),
        "applications": (answers.applications, ("application", "packets")),
        "channels": (answers.channels, (*channel, "packets")),
        "denoms": (answers.denoms, ("chain", "denom", "packets")),
        "relayers": (answers.relayers, ("relayer", "packets")),
        "flows": (answers.tables.flows, ("src_chain", "dst_chain", "transfers")),
        "coins": (answers.tables.coins, ("src_chain", "dst_chain", "src_coin", "base_denom", "transfers")),
        "clients": (answers.tables.clients, ("chain", "client")),
        "ends": (answers.tables.ends, ("chain", "port", "channel")),
        "costs": (answers.tables.costs, ("relayer", "chain", "fee_denom", "transactions")),
    }
    assert lists.keys() == QUERIES.keys()
    for name, (rows, keys) in lists.items():
        query = QUERIES[name].removesuffix(" OFFSET 50")
        found = [tuple(row) for row in lake.rows(f"SELECT {', '.join(keys)} FROM ({query}) AS every")]
        expected = [tuple(getattr(row, key) for key in keys) for row in rows]
        if name == "clients":  # all of them, in another order
            assert query == QUERIES[name]
            expected.sort()
        assert found == expected, name
    assert sum(len(rows) > 1 for rows, _ in lists.values()) > 8


@EACH_ENGINE
def test_a_table_of_hours_that_is_gone_is_made_anew(engine, lines, tmp_path):
    ran = run_pieces(engine, lines, tmp_path, 3, 2)
    lake = next(ran)
    with without_pictures():
        before = write_report_of(lake).answers
        shutil.rmtree(tmp_path / "out" / HOURS.name)  # as in results of older releases
        assert write_report_of(engine.lake(tmp_path / "out")).answers == before
    (lake,) = ran
    check_hours(lake)


@EACH_ENGINE
def test_a_table_of_hours_with_other_types_is_made_anew(engine, lines, tmp_path):
    ran = run_pieces(engine, lines, tmp_path, 4, 2)
    next(ran)
    url = tmp_path / "out" / HOURS.name
    shutil.rmtree(url)
    columns = [
        column._replace(type="struct<chain:bigint,other:string>") if column.name == "coins" else column
        for column in (*HOURS.columns, Column("own", "bigint"))
        if column.name != "hops"
    ]
    lake = engine.lake(tmp_path / "out")
    lake.prepare([older := HOURS._replace(columns=tuple(columns), is_rebuilt=False)])
    nulls = ", ".join(f"NULL AS {name}" for name in older.names if name not in {"week", "coins"})
    coins = lake.dialect.struct({"chain": "CAST(7 AS bigint)", "other": "'o'"})
    lake.overwrite(older, f"SELECT 1 AS week, {coins} AS coins, {nulls}", None)
    (lake,) = ran
    check_hours(lake)
    log = url / "_delta_log"
    entries = sorted(log.glob("*.json"))
    lake.prepare(TABLES)
    assert sorted(log.glob("*.json")) == entries
    told = [json.loads(line) for entry in entries for line in entry.read_text().splitlines()]
    *_, last = (action["metaData"] for action in told if "metaData" in action)
    fields = json.loads(last["schemaString"])["fields"]
    comments = {field["name"]: field["metadata"].get("comment") for field in fields}
    assert comments == {name: comment for name, _, comment in HOURS.columns} | {"own": ""}
