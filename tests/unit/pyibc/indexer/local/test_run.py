"""Runs of the pipeline in this process: one at a time, batch by batch, on tables that it can read."""

import json
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

pytest.importorskip("duckdb")

from pyibc.indexer import open_results, run_pipeline, write_results
from pyibc.indexer.blocks.lines import encode_line
from pyibc.indexer.checksums import checksum_file
from pyibc.indexer.errors import (
    DamagedLog,
    DamagedTable,
    DecodingFailed,
    EngineFailed,
    FolderUnwritable,
    IndexBusy,
    MalformedRegistry,
    NoResults,
)
from pyibc.indexer.local import run
from pyibc.indexer.local.lake import LocalLake, paths_of
from pyibc.indexer.locations import locked
from pyibc.indexer.pipeline.lake import rows_in
from pyibc.indexer.pipeline.tables import BLOCKS, PACKET_EVENTS, PACKETS, ROUTES, TABLES
from pyibc.indexer.sql import arrow_type
from tests.sampling import sample


def delta_table(path):
    from deltalake import DeltaTable

    return DeltaTable(str(path))


@pytest.fixture
def write(block, packet_event, tmp_path):
    """Write a file of one block with the send of a packet."""

    def go(sequence):
        (tmp_path / "in").mkdir(exist_ok=True)
        told = block(packet_event("send_packet", sequence), height=sequence)
        (tmp_path / "in" / f"{sequence}.jsonl").write_bytes(encode_line(told))

    return go


def test_a_decoding_process_that_ends_is_named_and_the_next_run_goes_on(write, tmp_path, monkeypatch):
    write(1)
    real = run.decoded

    def failing(partitions):
        yield from real(partitions)
        raise DecodingFailed("1.jsonl", "the process ended with status -9")

    monkeypatch.setattr(run, "decoded", failing)
    with pytest.raises(DecodingFailed) as caught:
        run_pipeline(tmp_path / "in", tmp_path / "out")
    assert (caught.value.file, caught.value.reason) == ("1.jsonl", "the process ended with status -9")
    assert rows_in(LocalLake(tmp_path / "out"), BLOCKS) == []
    monkeypatch.undo()
    assert run_pipeline(tmp_path / "in", tmp_path / "out") == 1
    assert len(rows_in(LocalLake(tmp_path / "out"), BLOCKS)) == 1


def test_h113_a_second_run_on_the_same_results_is_refused_and_changes_nothing(write, tmp_path):
    write(1)
    (tmp_path / "out").mkdir()
    with locked(tmp_path / "out"), pytest.raises(IndexBusy) as caught:
        run_pipeline(tmp_path / "in", tmp_path / "out")
    assert caught.value.folder == str(tmp_path / "out")
    assert str(caught.value).endswith("/out: wait until it ends, or choose another folder")
    assert [*(tmp_path / "out").iterdir()] == []


def test_h113_a_file_system_without_locks_for_folders_will_do(write, tmp_path, monkeypatch):
    from pyibc.indexer import locations

    def refuse(*_):
        raise OSError(locations.errno.EBADF, "Bad file descriptor")

    monkeypatch.setattr(locations.fcntl, "flock", refuse)
    write(1)
    assert run_pipeline(tmp_path / "in", tmp_path / "out") == 1


@pytest.mark.parametrize(
    "table", sample(["silver/blocks", "silver/packet_events", "gold/packets"], 1, "damaged tables")
)
def test_h111_a_damaged_file_of_a_table_is_named_and_nothing_is_written(write, tmp_path, table):
    for sequence in (1, 2):
        write(sequence)
        run_pipeline(tmp_path / "in", tmp_path / "out")
    damaged = max((tmp_path / "out" / table).rglob("*.parquet"))
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:-8] + bytes(8))
    checksum_file(damaged).unlink()  # as in results of earlier releases
    before = versions(tmp_path / "out")
    (tmp_path / "in" / "2.jsonl").touch()  # the block is known, so the tables are read
    write(3)
    with pytest.raises(EngineFailed):
        write_results(tmp_path / "out") if run_pipeline(tmp_path / "in", tmp_path / "out") else None
    if table != "silver/blocks":
        assert versions(tmp_path / "out")["gold/packets"] == before["gold/packets"]
    damaged.write_bytes(whole)
    checksum_file(damaged).unlink()
    run_pipeline(tmp_path / "in", tmp_path / "out")
    found = open_results(tmp_path / "out").sql("SELECT sequence FROM packets ORDER BY sequence")
    assert found.fetchall() == [(1,), (2,), (3,)]


@pytest.mark.parametrize("with_checksum", [False, True])
def test_a_file_of_a_table_that_is_gone_is_named(write, tmp_path, with_checksum):
    write(1)
    run_pipeline(tmp_path / "in", tmp_path / "out")
    [gone] = (tmp_path / "out" / "gold" / "packets").rglob("*.parquet")
    gone.unlink()
    if not with_checksum:
        checksum_file(gone).unlink()
    write(2)
    before = versions(tmp_path / "out")
    with pytest.raises(DamagedLog) as caught:
        run_pipeline(tmp_path / "in", tmp_path / "out")
    assert (caught.value.place, caught.value.reason) == (str(gone), "is missing")
    assert versions(tmp_path / "out") == before


def versions(out):
    return {name: delta_table(out / name).version() for name in ("silver/packet_events", "gold/packets")}


def test_h112_a_damaged_log_is_named_and_left_as_it_is(write, tmp_path):
    write(1)
    run_pipeline(tmp_path / "in", tmp_path / "out")
    log = tmp_path / "out" / "gold" / "packets" / "_delta_log"
    last = max(log.glob("*.json"))
    last.write_bytes(b"{" + last.read_bytes())
    before = {path.name: path.read_bytes() for path in log.iterdir()}
    write(2)
    with pytest.raises(EngineFailed) as caught:
        run_pipeline(tmp_path / "in", tmp_path / "out")
    assert caught.value.engine == "delta-rs"
    assert caught.value.reason.startswith("gold/packets: ")
    assert {path.name: path.read_bytes() for path in log.iterdir()} == before


@pytest.mark.parametrize(
    "table", [table for table in TABLES if not table.is_rebuilt], ids=lambda table: table.name
)
def test_a_table_that_is_gone_is_named(table, write, tmp_path):
    write(1)
    run_pipeline(tmp_path / "in", tmp_path / "out")
    shutil.rmtree(tmp_path / "out" / table.name)
    with pytest.raises(DamagedLog, match=f"{table.name}/_delta_log is missing"):
        run_pipeline(tmp_path / "in", tmp_path / "out")
    assert not (tmp_path / "out" / table.name).exists()


@pytest.mark.parametrize("with_checksum", [False, True])
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_log_without_its_end_is_named(table, write, tmp_path, with_checksum):
    for sequence in (1, 2):
        write(sequence)
        run_pipeline(tmp_path / "in", tmp_path / "out")
    last = max((tmp_path / "out" / table.name / "_delta_log").glob("*.json"))
    last.unlink()
    if not with_checksum:
        checksum_file(last).unlink()
    write(3)
    if table.is_rebuilt:
        assert run_pipeline(tmp_path / "in", tmp_path / "out") == 1
        lake = LocalLake(tmp_path / "out")
        assert lake.rows(f"SELECT sum(n) AS n FROM {lake.at(table)} WHERE events IS NOT NULL") == [(3,)]
        return
    with pytest.raises(DamagedLog) as caught:
        run_pipeline(tmp_path / "in", tmp_path / "out")
    place, reason = last.parent, "is missing"
    if any(last.parent.glob("*.json")):
        place, reason = last, "is missing, which the last batch has left"
    assert (caught.value.place, caught.value.reason) == (place.as_uri(), reason)
    assert not last.exists()


@pytest.mark.parametrize("checkpoint", [False, True])
def test_a_log_with_a_gap_is_named_by_runs_and_readers(write, tmp_path, checkpoint):
    log = tmp_path / "out" / "gold" / "packets" / "_delta_log"
    for sequence in (1, 2, 3):
        write(sequence)
        run_pipeline(tmp_path / "in", tmp_path / "out")
        if sequence == 1 and checkpoint:
            delta_table(log.parent).create_checkpoint()
            (log / f"{0:020d}.json").unlink()  # before the checkpoint, so it is not needed
            assert run_pipeline(tmp_path / "in", tmp_path / "out") == 0
    write(4)
    gone = sorted(log.glob("*.json"))[-2]
    gone.unlink()
    for use in (run_pipeline, lambda _, out: open_results(out)):
        with pytest.raises(DamagedLog) as caught:
            use(tmp_path / "in", tmp_path / "out")
        assert caught.value.place == gone.as_uri()
        assert caught.value.reason == "is missing, but the log of the table has later entries"
    assert not gone.exists()


def test_a_line_that_is_not_finished_is_told_until_a_later_run_reads_it(write, tmp_path):
    from pyibc.indexer import read
    from pyibc.indexer.bronze.ranges import UNFINISHED

    def skipped():
        run_pipeline(tmp_path / "in", tmp_path / "out")
        events = read(tmp_path / "in")
        assert sum(batch.num_rows for batch in events) > 0
        told = {reason for _, reason in events.skipped}
        summary = write_results(tmp_path / "out").summary
        assert {entry["reason"] for entry in summary["skipped"]} == told
        return told

    for sequence in (1, 2, 3):
        write(sequence)
    path = tmp_path / "in" / "1.jsonl"
    first, second = path.read_bytes(), (tmp_path / "in" / "2.jsonl").read_bytes()
    (tmp_path / "in" / "2.jsonl").unlink()
    damaged = second.replace(b"send_packet", b"lost_packet")
    path.write_bytes(damaged + first[:-30])
    at_first = f"line at byte {len(second)}: {UNFINISHED}"
    wrong = "line at byte 0: the checksum does not match"
    assert skipped() == {at_first, wrong}
    path.write_bytes(damaged + first[:-20])
    assert skipped() == {at_first, wrong}
    path.write_bytes(damaged + first + second[:9])
    assert skipped() == {f"line at byte {len(damaged + first)}: {UNFINISHED}", wrong}
    path.write_bytes(damaged + first + second)
    assert skipped() == {wrong}
    rows = open_results(tmp_path / "out").sql("SELECT sequence FROM packets ORDER BY sequence").fetchall()
    assert rows == [(1,), (2,), (3,)]


def test_chains_that_a_file_names_and_no_input_has_are_a_note(write, tmp_path):
    write(1)
    lines = [["a-1", "aa-2"], *([f"x-{number}", f"y-{number}"] for number in range(9))]
    names = {"chain_registry": {"a-1": {"channel-5": "far-1"}, "a-l": {"channel-1": "b-1"}}}
    (tmp_path / "names.json").write_text(json.dumps(names | {"chain_lineages": lines}))
    run_pipeline(tmp_path / "in", tmp_path / "out", registry=tmp_path / "names.json")
    reasons = [
        note.reason for note in write_results(tmp_path / "out", registry=tmp_path / "names.json").notes
    ]
    ((note,),) = [[reason for reason in reasons if "not in the inputs" in reason]]
    assert note == (
        "your file names chains that are not in the inputs: a-l, aa-2, x-0, x-1, x-2, x-3, x-4, x-5, x-6, x-7"
        " and 10 others; check the spelling"
    )
    assert not any("not in the inputs" in note.reason for note in write_results(tmp_path / "out").notes)


def test_names_that_are_no_longer_among_the_inputs_do_not_count(write, tmp_path):
    write(1)
    names, lake = tmp_path / "in" / "names.json", LocalLake(tmp_path / "out")
    run_pipeline(tmp_path / "in", tmp_path / "out")
    ((sender, channel),) = lake.rows(f"SELECT src_chain, src_channel FROM {lake.at(PACKETS)}")
    names.write_text(json.dumps({"chain_registry": {sender: {channel: "far-1"}}}))
    assert run_pipeline(tmp_path / "in", tmp_path / "out") == 1
    lake = LocalLake(tmp_path / "out")
    assert lake.rows(f"SELECT dst_chain FROM {lake.at(PACKETS)}") == [("far-1",)]
    names.unlink()
    assert run_pipeline(tmp_path / "in", tmp_path / "out") == 1
    lake = LocalLake(tmp_path / "out")
    assert lake.rows(f"SELECT dst_chain FROM {lake.at(PACKETS)}") == [(None,)]
    assert run_pipeline(tmp_path / "in", tmp_path / "out") == 0


def test_a_folder_without_results_is_named(tmp_path):
    for use in (open_results, write_results):
        with pytest.raises(NoResults) as caught:
            use(tmp_path / "a b")
        assert caught.value.folder == str(tmp_path / "a b")
    assert not (tmp_path / "a b").exists()


def test_a_folder_that_cannot_be_written_to_is_named(write, tmp_path, monkeypatch):
    from pyibc.indexer import locations

    write(1)
    (tmp_path / "out").mkdir()
    with monkeypatch.context() as patch:  # permissions do not hold for root
        patch.setattr(locations.os, "access", lambda folder, _: folder != tmp_path / "out")
        with pytest.raises(FolderUnwritable, match="permission denied: change its permissions") as caught:
            run_pipeline(tmp_path / "in", tmp_path / "out")
    assert caught.value.folder == str(tmp_path / "out")
    assert [*(tmp_path / "out").iterdir()] == []


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc")
def test_a_folder_that_cannot_be_created_is_named(write, tmp_path):
    write(1)
    with pytest.raises(
        FolderUnwritable, match=r"^cannot write to /proc/none: no folder can be created there"
    ):
        run_pipeline(tmp_path / "in", "/proc/none")


def flip(path):
    """Change one bit of a file, and nothing that a listing shows."""
    content, told = bytearray(path.read_bytes()), path.stat()
    content[len(content) // 2] ^= 4
    path.write_bytes(content)
    os.utime(path, ns=(told.st_atime_ns, told.st_mtime_ns))


def test_h111_a_flipped_bit_in_any_file_of_the_tables_is_named(write, tmp_path):
    write(1)
    run_pipeline(tmp_path / "in", tmp_path / "out")
    write(2)
    run_pipeline(tmp_path / "in", tmp_path / "out")
    tables = [tmp_path / "out" / table.name for table in TABLES]
    logs = [path for table in tables for path in (table / "_delta_log").glob("*.json")]
    files = [Path(path) for table in tables for path in paths_of(delta_table(table).file_uris())]
    assert {path.parts[-2] for path in files} >= {"blocks", "packet_events", "in_flight=true", "observations"}
    for path in (*logs, *files):
        kept = path.read_bytes()
        flip(path)
        # A log may be no JSON any more, or name files that there are not.
        with pytest.raises((DamagedTable, EngineFailed, DamagedLog)) as caught:
            run_pipeline(tmp_path / "in", tmp_path / "out")
        if isinstance(caught.value, DamagedTable):
            assert (caught.value.file, caught.value.checksums) == (str(path), f".{path.name}.crc")
        else:
            assert path in logs
        path.write_bytes(kept)
    assert run_pipeline(tmp_path / "in", tmp_path / "out") == 0


def test_a_table_that_a_killed_run_began_is_completed(write, tmp_path):
    write(1)
    run_pipeline(tmp_path / "in", tmp_path / "out")
    (tmp_path / "out" / "silver" / "incarnations" / "_delta_log").mkdir(parents=True)
    write(2)
    assert run_pipeline(tmp_path / "in", tmp_path / "out") == 1


def test_only_the_entries_since_the_last_checkpoint_are_verified(write, tmp_path):
    write(1)
    run_pipeline(tmp_path / "in", tmp_path / "out")
    table = delta_table(tmp_path / "out" / "gold" / "packets")
    table.create_checkpoint()
    log = tmp_path / "out" / "gold" / "packets" / "_delta_log"
    write(2)
    run_pipeline(tmp_path / "in", tmp_path / "out")
    first, *_ = sorted(log.glob("*.json"))
    flip(first)
    run_pipeline(tmp_path / "in", tmp_path / "out")
    first.unlink()  # as delta-rs does after some time
    assert checksum_file(first).exists()
    write(3)
    run_pipeline(tmp_path / "in", tmp_path / "out")
    assert not checksum_file(first).exists()
    [checkpoint] = log.glob("*.checkpoint.parquet")
    flip(checkpoint)
    with pytest.raises(DamagedTable):
        run_pipeline(tmp_path / "in", tmp_path / "out")


def test_a_log_with_an_empty_end_is_named(write, tmp_path):
    write(1)
    run_pipeline(tmp_path / "in", tmp_path / "out")
    last = max((tmp_path / "out" / "gold" / "packets" / "_delta_log").glob("*.json"))
    last.write_bytes(b"")
    (last.parent / f"{9:020d}.checkpoint.json").write_text("{}")  # no entry
    with pytest.raises(DamagedLog, match=f"{last.name} is empty"):
        run_pipeline(tmp_path / "in", tmp_path / "out")


def test_a_wrong_registry_changes_nothing(write, tmp_path):
    write(1)
    (tmp_path / "names.json").write_text("[]")
    with pytest.raises(MalformedRegistry):
        run_pipeline(tmp_path / "in", tmp_path / "out", registry=tmp_path / "names.json")
    assert not (tmp_path / "out").exists()


def test_columns_of_others_are_kept_and_new_ones_are_added(write, tmp_path):
    lake = LocalLake(tmp_path / "out")
    older = PACKETS._replace(columns=tuple(c for c in PACKETS.columns if c.name != "ack_overdue"))
    lake.prepare([older])
    table = delta_table(tmp_path / "out" / "gold" / "packets")
    table.alter.add_columns(arrow_fields(mine="string"))
    write(1)
    run_pipeline(tmp_path / "in", tmp_path / "out")
    (row,) = rows_in(LocalLake(tmp_path / "out"), PACKETS)
    assert (row.sequence, row.ack_overdue) == (1, False)
    assert "mine" in {field.name for field in delta_table(table.table_uri).schema().fields}


def test_columns_that_somebody_added_to_tables_are_kept(write, tmp_path):
    write(1)
    run_pipeline(tmp_path / "in", tmp_path / "out")
    for table in TABLES:
        delta_table(tmp_path / "out" / table.name).alter.add_columns(arrow_fields(mine="string"))
    write(2)
    run_pipeline(tmp_path / "in", tmp_path / "out")
    lake = LocalLake(tmp_path / "out")
    assert sorted(row.sequence for row in rows_in(lake, PACKETS)) == [1, 2]
    for table in TABLES:
        kept = delta_table(tmp_path / "out" / table.name)
        assert "mine" in {field.name for field in kept.schema().fields}


def arrow_fields(**columns):
    from deltalake import Schema

    return Schema.from_arrow(
        pa.schema([(name, pa.type_for_alias(kind)) for name, kind in columns.items()])
    ).fields


def test_tables_with_deletion_vectors_are_left_to_spark(write, tmp_path):
    write(1)
    run_pipeline(tmp_path / "in", tmp_path / "out")
    log = tmp_path / "out" / "silver" / "packet_events" / "_delta_log"
    version = delta_table(log.parent).version() + 1
    protocol = {"minReaderVersion": 3, "minWriterVersion": 7}
    protocol |= {"readerFeatures": ["deletionVectors"], "writerFeatures": ["deletionVectors"]}
    (log / f"{version:020d}.json").write_text(json.dumps({"protocol": protocol}))
    with pytest.raises(EngineFailed) as caught:
        LocalLake(tmp_path / "out").at(PACKET_EVENTS)
    assert caught.value.reason == "the table silver/packet_events needs deletionVectors, use Spark"


def test_tables_whose_files_have_other_column_names_are_left_to_spark(write, tmp_path):
    write(1)
    run_pipeline(tmp_path / "in", tmp_path / "out")
    log = tmp_path / "out" / "silver" / "packet_events" / "_delta_log"
    first = (log / f"{0:020d}.json").read_text().splitlines()
    changed = [json.loads(line) for line in first if line.startswith(('{"protocol"', '{"metaData"'))]
    for action in changed:
        if "protocol" in action:
            action["protocol"] = {"minReaderVersion": 2, "minWriterVersion": 5}
            continue
        action["metaData"]["configuration"]["delta.columnMapping.mode"] = "name"
        schema = json.loads(action["metaData"]["schemaString"])
        for number, field in enumerate(schema["fields"]):
            field["metadata"] |= {
                "delta.columnMapping.id": number,
                "delta.columnMapping.physicalName": f"c{number}",
            }
        action["metaData"]["schemaString"] = json.dumps(schema)
    version = delta_table(log.parent).version() + 1
    (log / f"{version:020d}.json").write_text("\n".join(map(json.dumps, changed)))
    with pytest.raises(EngineFailed) as caught:
        LocalLake(tmp_path / "out").at(PACKET_EVENTS)
    assert caught.value.reason == "the table silver/packet_events needs columnMapping, use Spark"


def test_texts_and_structs_are_kept_as_they_are(tmp_path):
    lake = LocalLake(tmp_path)
    assert lake.rows(f"SELECT {lake.text(chr(39) + 'a' + chr(92))} AS it")[0].it == "'a\\"
    lake.prepare([ROUTES])
    row = ("r", "a-1", "b-1", 1, "p", "c", "q", "d", None, None, None, [7, 8])
    lake.replace(ROUTES, [row])
    assert [tuple(found) for found in rows_in(lake, ROUTES)] == [row]
    kind = "array<struct<a:bigint,b:struct<c:decimal(38,0),d:array<string>>>>"
    inner = pa.struct([("c", pa.decimal128(38, 0)), ("d", pa.list_(pa.string()))])
    assert arrow_type(kind) == pa.list_(pa.struct([("a", pa.int64()), ("b", inner)]))
