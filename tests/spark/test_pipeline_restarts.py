"""A chain that began anew under its id, in files that do not say so, is another chain of the pipeline."""

import itertools
import json
import shutil
from base64 import b64encode
from datetime import UTC, datetime

import pytest

from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.indexer.blocks.block import from_committed
from pyibc.indexer.blocks.lines import encode_line, incarnation_of
from pyibc.indexer.chains.restarts import BY_TIMES
from pyibc.indexer.pipeline.lake import rows_in
from pyibc.indexer.pipeline.report import open_views, write_report_of
from pyibc.indexer.pipeline.steps import Pipeline
from pyibc.indexer.pipeline.tables import BLOCKS, INCARNATIONS, PACKET_EVENTS, PACKETS, PROBLEMS, TABLES
from tests.packet_attributes import attributes
from tests.pipeline_runs import EACH_ENGINE, as_text, check_hours, killed_at
from tests.sampling import sample

YEAR = 365 * 86_400
TRANSFER = b'{"denom":"ua","amount":"5","sender":"s","receiver":"r"}'.hex()


def block(height, started, *events):
    """A block of a chain that was started at a time."""
    found = tuple((kind, tuple(told.items())) for kind, told in events)
    txs = (TxOutcome(b"tx%d" % height, 0, "", found, 1, 1),) if found else ()
    return from_committed(CommittedBlock("a-1", height, (started + height) * 10**9, b"", txs, ()))


def told(sequence, started):
    until = (started + 10**7) * 10**9
    return attributes(sequence, "channel-3", "channel-8", until=until, packet_data_hex=TRANSFER)


def history(started, last, *, acked):
    """Blocks with packets 1 to 9, sent at these heights; after 20 blocks those in `acked` are answered."""
    events = {
        **{n: ("send_packet", told(n, started)) for n in range(1, 10)},
        **{n + 20: ("acknowledge_packet", told(n, started)) for n in acked},
    }
    return [block(h, started, *([events[h]] if h in events else ())) for h in range(1, last + 1)]


OLD = history(0, 40, acked=range(1, 8))
NEW = history(YEAR, 60, acked=(1, 2))
TOLD = incarnation_of(NEW[0])


def named(blocks, incarnation=TOLD):
    return [one._replace(incarnation=incarnation) for one in blocks]


def write(path, blocks):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(map(encode_line, blocks)))


def states(lake):
    found = {}
    for row in rows_in(lake, PACKETS):
        found.setdefault(row.src_chain, []).append(row.state)
    return {chain: sorted(some) for chain, some in found.items()}


def chains_in(lake):
    """Incarnations of the blocks in the tables, by the year in which their chain began."""
    found, heights = {}, {}
    for row in rows_in(lake, BLOCKS):
        year = (row.time_ns // 10**9 - row.height) // YEAR
        found.setdefault(year, set()).add(row.incarnation)
        heights.setdefault(year, []).append(row.height)
    assert sorted(heights[0]) == [*range(1, 41)]
    assert sorted(heights[1]) == [*range(1, 61)]
    assert all(len(names) == 1 for names in found.values()), found
    return {year: names.pop() for year, names in found.items()}


def check(lake, *, plain=0):
    """Both chains are there, whole; return the incarnations of the older and of the newer one."""
    known = chains_in(lake)
    other = known[1 - plain]
    assert known[plain] is None
    assert other
    name = f"a-1@{other[:8]}"
    check_hours(lake)
    opened = open_views(lake)
    assert states(lake) == {
        ("a-1" if plain == 0 else name): ["acknowledged"] * 7 + ["sent"] * 2,
        ("a-1" if plain == 1 else name): ["acknowledged"] * 2 + ["sent"] * 7,
    }
    transfers = lake.rows("SELECT src_chain, count(*) AS number FROM transfers GROUP BY src_chain")
    assert {row.src_chain: row.number for row in transfers} == {"a-1": 9, name: 9}
    assert sorted(opened.chains.joined.known.chains.values()) == ["a-1", name]
    return known[0], known[1]


@EACH_ENGINE
def test_h93_two_files_that_contradict_each_other_are_two_chains(engine, tmp_path):
    write(tmp_path / "in" / "1.jsonl", NEW)
    write(tmp_path / "in" / "2.jsonl", OLD)
    engine.ran(tmp_path / "in", tmp_path / "out")
    lake = engine.lake(tmp_path / "out")
    _, newer = check(lake)
    assert newer.startswith(BY_TIMES)
    results = write_report_of(lake)
    assert [note.reason for note in results.notes] == [
        f"a-1 was restarted from genesis: its incarnations are listed as a-1, a-1@{newer[:8]}"
    ]
    assert results.summary["skipped"] == []


def mixed(*chains):
    """Blocks of several chains by height."""
    return sorted(itertools.chain(*chains), key=lambda one: (one.height, -one.time_ns))


@EACH_ENGINE
def test_one_file_with_two_chains_is_told_apart(engine, tmp_path):
    check_file(engine, tmp_path, OLD + NEW)


@pytest.mark.parametrize(
    "blocks",
    [NEW + OLD, mixed(OLD, NEW), OLD[:1] + NEW + OLD[1:]],
    ids=["newer-first", "mixed", "older-on-both-sides"],
)
def test_the_order_in_a_file_says_nothing_about_its_chains(here, tmp_path, blocks):
    check_file(here, tmp_path, blocks)


def check_file(engine, tmp_path, blocks):
    write(tmp_path / "in" / "1.jsonl", blocks)
    engine.ran(tmp_path / "in", tmp_path / "out")
    _, newer = check(engine.lake(tmp_path / "out"))
    assert newer.startswith(BY_TIMES)


@pytest.mark.parametrize("older", [OLD, named(OLD, "aa" * 8)], ids=["unnamed", "named"])
def test_one_file_with_two_chains_may_name_one_of_them(here, tmp_path, older):
    newer = NEW if older[0].incarnation else named(NEW)
    write(tmp_path / "in" / "1.jsonl", older + newer)
    here.ran(tmp_path / "in", tmp_path / "out")
    known = chains_in(here.lake(tmp_path / "out"))
    if older[0].incarnation:
        assert known[0] == "aa" * 8
        assert known[1].startswith(BY_TIMES)
    else:
        assert known == {0: None, 1: TOLD}


def test_blocks_without_times_are_of_the_chain_that_they_name(here, tmp_path):
    untimed = named([one._replace(time_ns=None) for one in NEW[:3]])
    write(tmp_path / "in" / "1.jsonl", [*OLD, *untimed, *named(NEW[3:])])
    here.ran(tmp_path / "in", tmp_path / "out")
    found = names_in(here.lake(tmp_path / "out"))
    assert found.pop(TOLD) == [*range(1, 61)]
    assert [*found.values()] == [[*range(1, 41)]]


UNTIMED = [one._replace(time_ns=None) for one in OLD]


@pytest.mark.parametrize(
    "files",
    [
        [[*OLD[:10], UNTIMED[35]], OLD[15:30]],  # a node tells transactions of blocks without their times
        [OLD[15:30], [*OLD[:10], UNTIMED[35]]],
        [OLD[15:30], [*OLD[36:], UNTIMED[3]]],
        [[UNTIMED[35]], OLD[15:30], OLD[:10]],
    ],
    ids=["in-the-tables", "in-the-batch", "below", "alone"],
)
def test_heights_of_blocks_without_times_are_no_other_chain(batches, files):
    for blocks in files:
        lake = batches(a=blocks)
    heights = sorted(one.height for blocks in files for one in blocks)
    assert names_in(lake) == {None: heights}


@pytest.mark.parametrize("cut", [39, 40, 41, 60])
def test_a_file_in_which_a_chain_begins_anew_may_grow(here, tmp_path, cut):
    blocks = OLD + NEW
    for last in (cut, len(blocks)):
        write(tmp_path / "in" / "1.jsonl", blocks[:last])
        here.ran(tmp_path / "in", tmp_path / "out")
    check(here.lake(tmp_path / "out"))


@pytest.mark.parametrize("heights", [[30], [30, 31], [20, 30], [30, 31, 32]], ids=str)
@pytest.mark.parametrize("time", [0, 12, YEAR], ids=["early", "between", "late"])
def test_damaged_times_are_no_other_chain(here, tmp_path, time, heights):
    at = {height: (time * 10**9) + height for height in heights}
    write(tmp_path / "in" / "1.jsonl", [one._replace(time_ns=at.get(one.height, one.time_ns)) for one in OLD])
    here.ran(tmp_path / "in", tmp_path / "out")
    assert names_in(here.lake(tmp_path / "out")) == {None: [*range(1, 41)]}


def test_chains_that_made_blocks_at_the_same_time_are_not_told_apart_in_one_file(here, tmp_path):
    other = [one._replace(time_ns=one.time_ns + 500, app_hash=b"x") for one in OLD]
    blocks = [one for pair in zip(OLD, other, strict=True) for one in pair]
    write(tmp_path / "in" / "1.jsonl", blocks)
    here.ran(tmp_path / "in", tmp_path / "out")
    lake = here.lake(tmp_path / "out")
    assert names_in(lake) == {None: [*range(1, 41)]}
    assert len(rows_in(lake, PROBLEMS)) == 40  # each names the block that is left out


def recorded(one):
    """Answers of a node about a block."""
    moment = datetime.fromtimestamp(one.time_ns // 10**9, UTC).isoformat().replace("+00:00", "Z")
    header = {"chain_id": one.chain_id, "height": str(one.height), "time": moment}
    results = [
        {
            "events": [
                {"type": kind, "attributes": [{"key": key, "value": value} for key, value in told]}
                for kind, told in tx.events
            ]
        }
        for tx in one.txs
    ]
    return [
        {"block": {"header": header, "data": {"txs": [b64encode(tx.raw).decode() for tx in one.txs]}}},
        {"height": str(one.height), "txs_results": results, "finalize_block_events": []},
    ]


@pytest.mark.parametrize(
    ("exported", "recordings"),
    [([], [OLD + NEW]), (named(NEW), [OLD[:22], OLD[20:], NEW[10:20]])],
    ids=["one-over-the-restart", "beside-an-export"],
)
def test_recordings_of_both_are_two_chains(here, tmp_path, exported, recordings):
    (tmp_path / "in").mkdir()
    if exported:
        write(tmp_path / "in" / "export.jsonl", exported)
    for number, blocks in enumerate(recordings):
        answers = [answer for one in blocks for answer in recorded(one)]
        (tmp_path / "in" / f"{number}.json").write_text("\n".join(map(json.dumps, answers)))
    here.ran(tmp_path / "in", tmp_path / "out")
    lake = here.lake(tmp_path / "out")
    known = chains_in(lake)
    assert known[0] != known[1]
    assert not exported or known[1] == TOLD
    assert sorted(states(lake).values()) == [
        ["acknowledged"] * 7 + ["sent"] * 2,
        ["acknowledged"] * 2 + ["sent"] * 7,
    ]
    assert write_report_of(lake).summary["skipped"] == []


@pytest.fixture
def batches(here, tmp_path):
    """Process files, by their names, as the next batch; return the tables."""
    lake, pipeline, numbers = here.lake(tmp_path / "out"), Pipeline("w"), itertools.count()
    lake.prepare(TABLES)

    def go(**files):
        number = next(numbers)
        for name, blocks in files.items():
            write(tmp_path / str(number) / f"{name}.jsonl", blocks)
        here.process(pipeline, lake, tmp_path / str(number), number)
        return lake

    return go


def names_in(lake, where="TRUE"):
    """Incarnations of the blocks, with their heights."""
    found = {}
    for row in rows_in(lake, BLOCKS, where):
        found.setdefault(row.incarnation, []).append(row.height)
    return {name: sorted(heights) for name, heights in found.items()}


PIECES = {
    "e": OLD[:25],
    "b": OLD[20:],
    "c": NEW[:15],
    "a": NEW[15:35],
    "d": NEW[30:],  # its last heights are of no other piece
    "f": OLD[5:10],
}


@pytest.mark.parametrize("order", sample(["ebcadf", "fcadbe", "acdfeb", "bdface", "dbaecf"], 1, "orders"))
def test_pieces_that_come_in_any_order_are_of_their_chains(batches, order):
    names = set()
    for first in range(0, len(order), 2):
        lake = batches(**{name: PIECES[name] for name in order[first : first + 2]})
        names |= names_in(lake).keys() - {None}
    older, newer = check(lake, plain=min(0 if name in "ebf" else 1 for name in order[:2]))
    assert names == {older or newer}  # the name of the first batch


def test_a_file_that_grows_stays_with_its_chain(here, tmp_path):
    write(tmp_path / "in" / "1.jsonl", OLD[:20])
    write(tmp_path / "in" / "2.jsonl", NEW[:10])
    here.ran(tmp_path / "in", tmp_path / "out")
    # Blocks without times, and of heights that the other chain has not, say nothing about their chain.
    write(tmp_path / "in" / "1.jsonl", OLD[:20] + [one._replace(time_ns=None) for one in OLD[20:22]])
    write(tmp_path / "in" / "2.jsonl", NEW[:10] + [one._replace(time_ns=None) for one in NEW[30:40]])
    here.ran(tmp_path / "in", tmp_path / "out")
    lake = here.lake(tmp_path / "out")
    assert names_in(lake, "file LIKE '%1.jsonl'") == {None: [*range(1, 23)]}
    ((newer, heights),) = names_in(lake, "file LIKE '%2.jsonl'").items()
    assert (newer[0], heights) == (BY_TIMES, [*range(1, 11), *range(31, 41)])


def test_a_file_that_is_replaced_by_one_of_a_new_chain_is_of_that(here, tmp_path):
    write(tmp_path / "in" / "1.jsonl", OLD)
    write(tmp_path / "in" / "2.jsonl", NEW[:45])
    here.ran(tmp_path / "in", tmp_path / "out")
    write(tmp_path / "in" / "1.jsonl", NEW[45:])  # heights that the chain of the file has not
    here.ran(tmp_path / "in", tmp_path / "out")
    check(here.lake(tmp_path / "out"))


@pytest.mark.parametrize("digits", [10**3, 10**6, 10**9])
@pytest.mark.parametrize("at_once", [True, False])
def test_times_with_fewer_digits_are_of_the_same_chain(batches, digits, at_once):
    exact = [one._replace(time_ns=one.time_ns + 284_250_817) for one in OLD]
    short = [one._replace(time_ns=one.time_ns // digits * digits) for one in exact]
    if at_once:
        lake = batches(a=exact, b=short)
    else:
        batches(a=short)
        lake = batches(b=exact, c=NEW)
    assert [*names_in(lake, f"time_ns < {YEAR}000000000")] == [None]


def test_a_file_that_grows_over_a_restart_has_two_chains_if_another_file_names_one(here, tmp_path):
    for last in (40, 100):
        write(tmp_path / "in" / "1.jsonl", named(OLD, "0123456789abcdef"))
        write(tmp_path / "in" / "2.jsonl", (OLD + NEW[:30])[:last])
        here.ran(tmp_path / "in", tmp_path / "out")
    older, newer = sorted(names_in(here.lake(tmp_path / "out")).items())
    assert older == ("0123456789abcdef", [*range(1, 41)])
    assert (newer[0][0], newer[1]) == (BY_TIMES, [*range(1, 31)])


def test_lower_heights_with_later_times_are_of_another_chain(batches):
    batches(a=OLD[20:])
    lake = batches(b=NEW[:20])
    assert [*names_in(lake)[None]] == [*range(21, 41)]
    check(batches(c=NEW[20:], d=OLD[:20]))


def test_blocks_that_name_no_incarnation_join_those_that_do(batches):
    batches(a=named(NEW), b=NEW[10:20])
    lake = batches(c=NEW[30:40], d=OLD)
    known = chains_in(lake)
    assert known[1] == TOLD
    assert known[0].startswith(BY_TIMES)
    assert states(lake) == {
        f"a-1@{known[0][:8]}": ["acknowledged"] * 7 + ["sent"] * 2,
        f"a-1@{TOLD[:8]}": ["acknowledged"] * 2 + ["sent"] * 7,
    }


def test_blocks_that_name_an_incarnation_join_those_that_came_without_before(batches):
    batches(a=OLD, b=NEW[:30])
    lake = batches(c=named(NEW[20:40]))
    ((newer, _),) = names_in(lake, f"time_ns > {YEAR}000000000").items()
    # Who names what is known from then on: these blocks have no times.
    lake = batches(d=named([one._replace(time_ns=None) for one in NEW[40:]]))
    assert names_in(lake) == {None: [*range(1, 41)], newer: [*range(1, 61)]}


def test_a_batch_without_a_second_chain_decides_nothing(batches, monkeypatch):
    from pyibc.indexer.pipeline import restarts

    monkeypatch.setattr(restarts, "_names", None)
    batches(a=OLD[:20], b=[one._replace(chain_id="b-1") for one in named(NEW[:20])])
    assert len(rows_in(batches(c=OLD[20:]), BLOCKS)) == 60


@pytest.fixture(scope="module")
def begun(here, tmp_path_factory):
    """Tables with both chains, and a batch with better records of all heights that it shares with them.

    A damaged time of the newer chain is of the time of the older one, whose heights end below it.
    """
    place = tmp_path_factory.mktemp("begun")
    for name, blocks in {"old": OLD[:10], "new": NEW[:20]}.items():
        write(place / "first" / f"{name}.jsonl", [one._replace(partial=True) for one in blocks])
    here.ran(place / "first", place / "out")
    damaged = [one._replace(time_ns=5 * 10**9) if one.height == 45 else one for one in NEW[19:]]
    write(place / "batch" / "new.jsonl", damaged)
    write(place / "batch" / "old.jsonl", OLD[8:10])
    shutil.copytree(place / "out", place / "whole")
    lake = here.lake(place / "whole")
    here.process(Pipeline("w"), lake, place / "batch", 0)
    ((newer, _),) = names_in(lake, "height > 10").items()
    assert names_in(lake) == {None: [*range(1, 11)], newer: [*range(1, 61)]}
    return place


STEPS, DELETED = 12, 5
"""Writes of the batch, and how many of them are before that of its blocks."""


@pytest.mark.parametrize("step", sorted({DELETED, *sample(range(STEPS), 1, "killed restarts")}))
def test_a_batch_with_two_chains_that_is_killed_and_repeated_gives_the_same_tables(
    here, begun, tmp_path, monkeypatch, step
):
    shutil.copytree(begun / "out", tmp_path / "out")
    lake = here.lake(tmp_path / "out")
    killed_at(step, monkeypatch, lake, lambda: here.process(Pipeline("w"), lake, begun / "batch", 0))
    lake = here.lake(tmp_path / "out")
    here.process(Pipeline("w"), lake, begun / "batch", 0)
    whole = here.lake(begun / "whole")
    for table in (BLOCKS, PACKET_EVENTS, PACKETS, INCARNATIONS):
        assert as_text(lake, table, table.names) == as_text(whole, table, table.names), table.name
