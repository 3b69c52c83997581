"""Which engine is asked for: by what a run has to do, not by how long the history is."""

from types import SimpleNamespace

import pytest

from ibc_indexer import job
from ibc_indexer.lake import before, chunks, parts
from ibc_indexer.lake.before import LastRun, weighed
from ibc_indexer.lake.state import read_state
from ibc_indexer.lines import encode_line
from ibc_indexer.local_engine import here
from ibc_indexer.segments import merging
from ibc_indexer.segments.numbers import BAND_BITS
from tests.index_histories import rows_in_delta, rows_of

pytestmark = pytest.mark.usefixtures("small")


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Indexes a folder; gives how much work an engine was asked for, each time that one was opened."""
    monkeypatch.setattr(before, "LOOKED_AT", 10)

    def go(folder, out):
        asked = []

        def opened(rows, scratch):
            asked.append(rows)
            return here(rows, scratch)

        outcome = job.index(opened, [folder], out)
        job.index(here, [folder], fresh := tmp_path / f"whole-{len(list(tmp_path.iterdir()))}")
        assert rows_of(out) == rows_of(fresh) == rows_in_delta(out, outcome.versions)
        return asked

    return go


@pytest.mark.parametrize(
    ("made", "every", "work"), [(0, 100, 10), (100, 100, 100), (120, 100, 100), (30, 100, 37), (0, 0, 0)]
)
def test_what_is_looked_at_weighs_a_tenth_of_what_is_made(made, every, work):
    assert weighed(made, every) == work


def test_without_a_last_run_all_is_made():
    manifests = [SimpleNamespace(rows=30), SimpleNamespace(rows=12)]
    assert LastRun(None, None).work(manifests) == 42


def names(out, table):
    return {path.name for path in (out / table).glob("*.parquet")}


def part_of(out, sequence):
    """The weight of the part that a packet is in."""
    (found,) = (
        part.weight
        for part in read_state(out).parts
        for ranges in part.bands.values()
        if any(first <= sequence >> BAND_BITS <= last for first, last in ranges)
    )
    return found


def test_an_increment_is_as_much_work_as_the_parts_that_it_is_in(
    run, exports, append, block, packet_event, tmp_path, monkeypatch
):
    for module, name, value in (
        (parts, "COLD", 4),
        (parts, "HOT", 4),
        (parts, "MANY", 99),
        (merging, "MANY", 99),
    ):
        monkeypatch.setattr(module, name, value)
    out = tmp_path / "out"
    assert run(exports, out) == [39]
    append(21, packet_event("acknowledge_packet", 20_000))
    hot = part_of(out, 20_000)
    assert run(exports, out) == [weighed(1 + hot, 40)]
    assert run(exports, out) == [weighed(0, 40)]
    other = block(packet_event("acknowledge_packet", 1000), height=30)
    (exports / "b.jsonl").write_bytes(encode_line(other))  # of a part that nobody asks for any more
    cold = part_of(out, 1000)
    assert run(exports, out) == [weighed(1 + cold, 41)]
    (exports / "b.jsonl").unlink()
    assert run(exports, out) == [weighed(part_of(out, 1000), 40)]
    assert max(hot, cold) < 8


def test_small_ranges_that_become_one_have_nothing_made_again(
    run, exports, append, packet_event, tmp_path, monkeypatch
):
    for module, name, value in (
        (parts, "HOT", 4),
        (parts, "COLD", 4),
        (parts, "MANY", 99),
        (chunks, "MANY", 99),
    ):
        monkeypatch.setattr(module, name, value)
    out = tmp_path / "out"
    run(exports, out)
    ranges = []
    for height in range(21, 29):
        append(height, packet_event("acknowledge_packet", 20_000))
        hot, copied = part_of(out, 20_000), names(out, "events")
        assert run(exports, out) == [weighed(1 + hot, 19 + height)]
        assert len(names(out, "events") - copied) == 1
        assert copied < names(out, "events")
        ranges.append(len(list((out / ".segments").glob("*.manifest"))))
    assert ranges != sorted(ranges)


def test_where_an_engine_finds_much_more_to_do_than_manifests_tell_one_is_asked_for_again(
    run, block, packet_event, tmp_path, monkeypatch
):
    folder, out = tmp_path / "received", tmp_path / "out"
    folder.mkdir()
    received = (
        block(packet_event("recv_packet", number * 1000), chain="b-1", height=number)
        for number in range(1, 21)
    )
    (folder / "b.jsonl").write_bytes(b"".join(map(encode_line, received)))
    run(folder, out)
    monkeypatch.setattr(job, "LOCAL_ROWS", 6)
    sent = block(packet_event("send_packet", 7000), height=7)
    (folder / "a.jsonl").write_bytes(encode_line(sent))  # ties every packet of b-1 to its sender
    told, found = run(folder, out)
    assert told == weighed(1, 21)
    assert found >= 20


def test_a_little_more_than_manifests_tell_is_done_by_the_engine_that_is_open(
    run, block, packet_event, tmp_path
):
    folder, out = tmp_path / "received", tmp_path / "out"
    folder.mkdir()
    (folder / "b.jsonl").write_bytes(encode_line(block(packet_event("recv_packet", 7000), chain="b-1")))
    run(folder, out)
    (folder / "a.jsonl").write_bytes(encode_line(block(packet_event("send_packet", 7000))))
    assert len(run(folder, out)) == 1
