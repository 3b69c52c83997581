"""Reuse and rebuilding of tables, and robustness against damaged result folders."""

import gzip
import json
import os
import shutil
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyibc.indexer.errors import IndexBusy, MalformedState
from pyibc.indexer.lake import before as before_run
from pyibc.indexer.lake import making, parts
from pyibc.indexer.lake.state import NAME, read_state, table_files
from pyibc.indexer.lake.tables import CONTRACTS
from pyibc.indexer.lines import encode_line
from tests.exported_chains import Chains
from tests.index_histories import TABLES, rows_in_delta, rows_of


def names(out, table="packets"):
    return {path.name for path in (out / table).glob("*.parquet")}


def same_as_whole(index, folder, out, outcome):
    index(folder, out.parent / "whole")
    assert rows_of(out) == rows_of(out.parent / "whole") == rows_in_delta(out, outcome.versions)


def test_an_acknowledgement_changes_its_part_and_no_other(
    small, index, exports, append, packet_event, tmp_path, monkeypatch
):
    out, made = tmp_path / "out", []
    monkeypatch.setattr(parts, "COLD", 4)
    monkeypatch.setattr(parts, "HOT", 4)
    monkeypatch.setattr(parts, "MANY", 99)
    index(exports, out)
    before, told = names(out), making.register_bands
    assert len(before) == 6
    monkeypatch.setattr(
        making,
        "register_bands",
        lambda engine, bands: told(engine, made.extend(bands := list(bands)) or bands),
    )
    append(21, packet_event("acknowledge_packet", 20_000))
    outcome = index(exports, out)
    assert len(names(out) & before) == 5
    assert [band for _, band, _ in made] == [20_000 >> 10, 19_000 >> 10]
    assert len(names(out, "events")) == 2
    same_as_whole(index, exports, out, outcome)


def test_without_anything_new_no_table_has_a_new_version(first_run, indexed, index):
    inputs, out = indexed
    before = {name: names(out, name) for name in TABLES}
    assert index(inputs, out).versions == first_run[2].versions
    assert {name: names(out, name) for name in TABLES} == before


def test_superseded_files_stay_as_long_as_readers_of_delta_may_want_them(
    small, exports, append, tmp_path, packet_event
):
    from pyibc.indexer import job
    from pyibc.indexer.local_engine import here

    out = tmp_path / "out"
    first = job.index(here, [exports], out)
    old = rows_in_delta(out, first.versions)
    append(21, packet_event("acknowledge_packet", 20_000))
    second = job.index(here, [exports], out, keep=timedelta(hours=1))
    assert rows_in_delta(out, first.versions) == old != rows_in_delta(out, second.versions)
    append(22, packet_event("send_packet", 21_000))
    third = job.index(here, [exports], out, keep=timedelta(hours=1))
    assert rows_in_delta(out, first.versions) == old
    now = rows_in_delta(out, third.versions)
    files = {table: {path.name for path in table_files(out, table)} for table in TABLES}
    assert names(out) > files["packets"]
    job.index(here, [exports], out)
    assert rows_of(out) == now
    assert {table: names(out, table) for table in TABLES} == files


@pytest.mark.parametrize("harm", ["cut", "edited", "empty", "outside", "link", "gone", "shorter"])
def test_h111_results_that_are_not_as_they_were_left_are_made_anew(harm, index, indexed, tmp_path):
    (inputs, out), outside = indexed, tmp_path / "outside.parquet"
    expected, state = rows_of(out), out / NAME
    outside.write_bytes(b"mine")
    file = out / "packets" / min(names(out))
    if harm == "cut":
        state.write_bytes(state.read_bytes()[:-9])
    elif harm == "edited":
        state.write_bytes(state.read_bytes().replace(b'"hot":true', b'"hot":false'))
    elif harm == "empty":
        state.write_bytes(b"")
    elif harm == "outside":
        body = state.read_bytes()[len('{"crc32":"00000000","state":') : -2]
        body = body.replace(file.name.encode(), b"../../outside.parquet")
        from zlib import crc32

        state.write_bytes(b'{"crc32":"%08x","state":%s}\n' % (crc32(body), body))
    elif harm == "link":
        os.link(file, tmp_path / "copy")
        file.unlink()
        file.symlink_to(tmp_path / "copy")
    elif harm == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(MalformedState):
        read_state(out)
    outcome = index(inputs, out)
    assert rows_of(out) == rows_in_delta(out, outcome.versions) == expected
    assert outside.read_bytes() == b"mine"
    assert read_state(out).tables == outcome.versions


def forwarded(packet_event):
    """Build the events of a packet that was received and sent on in one message."""

    def data(denom, receiver, memo=""):
        fields = {"denom": denom, "amount": "7", "sender": "s", "receiver": receiver, "memo": memo}
        return {"packet_data_hex": json.dumps(fields).encode().hex(), "msg_index": "0"}

    memo = json.dumps({"forward": {"receiver": "carol", "port": "transfer", "channel": "channel-5"}})
    onward = {"packet_src_channel": "channel-5", "packet_dst_channel": "channel-6"}
    return (
        packet_event("recv_packet", 1, **data("uatom", "hop", memo)),
        packet_event("send_packet", 4, **onward, **data("transfer/channel-7/uatom", "carol")),
    )


@pytest.fixture(scope="module")
def forwarding_run(tmp_path_factory, first_run, index, block, packet_event):
    """Inputs with a forwarded packet, and the results of a run on them."""
    folder = tmp_path_factory.mktemp("forwarding")
    inputs = shutil.copytree(first_run[0], folder / "in")
    (inputs / "b.jsonl").write_bytes(encode_line(block(*forwarded(packet_event), chain="b-1")))
    index(inputs, folder / "out")
    return inputs, folder / "out"


@pytest.mark.parametrize(
    "pattern",
    [
        "packets/*",
        "transfers/*",
        "blocks/*",
        "channels/*",
        ".segments/*.events.*",
        ".segments/*.blocks.*",
        ".segments/*.names.*",
        ".segments/*.origins.*",
    ],
)
def test_h111_a_file_damaged_without_a_change_of_its_size_is_named_and_made_anew(
    pattern, index, forwarding_run, tmp_path
):
    inputs, made = forwarding_run
    out = shutil.copytree(made, tmp_path / "out")
    expected, file = rows_of(out), min(out.glob(f"{pattern}parquet"))
    data, before = bytearray(file.read_bytes()), file.stat()
    data[len(data) // 3] ^= 0x10
    file.write_bytes(data)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    outcome = index(inputs, out)
    assert [tuple(note) for note in outcome.notes if note.file] == [
        (str(file), "was damaged since an earlier run: made anew from the inputs")
    ]
    assert rows_of(out) == rows_in_delta(out, outcome.versions) == expected
    assert not file.exists()
    again = index(inputs, out)
    assert [note for note in again.notes if note.file] == []
    assert again.versions == outcome.versions


@pytest.mark.parametrize("harm", ["cut", "gone", "file", "link", "columns", "rows"])
def test_h112_a_log_that_is_damaged_or_anothers_is_taken_back(harm, index, indexed, tmp_path):
    from deltalake import DeltaTable, write_deltalake

    (inputs, out), other = indexed, tmp_path / "other"
    expected, log = rows_of(out), out / "packets" / "_delta_log"
    other.mkdir()
    (other / "mine").write_bytes(b"mine")
    if harm == "cut":
        for path in log.iterdir():
            path.write_bytes(path.read_bytes()[:40])
    elif harm == "rows":
        table = DeltaTable(str(out / "packets"))
        write_deltalake(table, table.to_pyarrow_table().slice(0, 2), mode="overwrite")
        assert len(DeltaTable(str(out / "packets")).to_pyarrow_table()) == 2
    elif harm == "columns":
        write_deltalake(str(out / "packets"), pa.table({"x": [1]}), mode="overwrite", schema_mode="overwrite")
    else:
        log.rename(tmp_path / "log")
        if harm == "file":
            log.write_bytes(b"no folder")
        elif harm == "link":
            log.symlink_to(other)
    outcome = index(inputs, out)
    assert {Path(uri).name for uri in DeltaTable(str(out / "packets")).file_uris()} == names(out)
    assert rows_of(out) == rows_in_delta(out, outcome.versions) == expected
    assert DeltaTable(str(out / "packets")).version() == outcome.versions["packets"]
    assert [path.name for path in other.iterdir()] == ["mine"]


def test_h113_a_second_run_on_the_same_results_is_refused_and_changes_nothing(index, indexed):
    from pyibc.indexer import job

    inputs, out = indexed
    state = (out / NAME).read_bytes()
    with job._alone(out), pytest.raises(IndexBusy) as refused:
        index(inputs, out)
    assert (refused.value.folder, refused.value.code) == (str(out), 24)
    assert (out / NAME).read_bytes() == state
    index(inputs, out)


def test_h113_a_file_system_without_locks_for_folders_will_do(small, index, exports, tmp_path, monkeypatch):
    from pyibc.indexer import locking

    def refuse(*_):
        raise OSError(locking.errno.EBADF, "Bad file descriptor")

    monkeypatch.setattr(locking.fcntl, "flock", refuse)
    assert index(exports, tmp_path / "out").versions["packets"] == 1


def test_the_tables_have_the_columns_and_keys_of_their_contract(first_run):
    _, out, outcome = first_run
    assert set(CONTRACTS) == set(TABLES) == set(outcome.versions)
    for name, contract in CONTRACTS.items():
        rows = pq.read_table(out / name)
        assert rows.schema.names == [column for column, _ in contract.columns]
        keys = list(zip(*(rows[column].to_pylist() for column in contract.key), strict=True))
        assert len(set(keys)) == len(keys), name
    assert len(pq.read_table(out / "blocks")) == 20


def test_other_definitions_make_everything_anew(index, indexed, monkeypatch):
    inputs, out = indexed
    before = names(out)
    for module in (before_run, making):
        monkeypatch.setattr(module, "definitions", lambda: "others")
    index(inputs, out)
    assert before.isdisjoint(names(out))
    assert json.loads((out / NAME).read_text())["state"]["queries"] == "others"


def test_a_file_that_was_packed_since_is_the_same_blocks(small, index, tmp_path):
    """The rows stay; neither the exporter nor the next run considers a block new or missing."""
    chains, out = Chains(tmp_path / "in"), tmp_path / "out"
    for sequence in range(1, 9):
        chains.relay(sequence, sequence * 3)
    chains.write()
    first = index(chains.folder, out)
    before = rows_of(out)
    plain = chains.folder / "a-1" / "blocks-000000000001.jsonl"
    (plain.parent / f"{plain.name}.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    outcome = index(chains.folder, out)
    assert (rows_of(out), outcome.summary, outcome.notes) == (before, first.summary, first.notes)
    chains.blocks.clear()
    chains.relay(9, 40)
    chains.write(gaps=True)
    assert not plain.exists()
    outcome = index(chains.folder, out)
    assert [row for row in rows_of(out)["packets"] if row not in before["packets"]] != []
    same_as_whole(index, chains.folder, out, outcome)
