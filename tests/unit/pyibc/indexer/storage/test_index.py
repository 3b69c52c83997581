"""Runs with inputs and results in a bucket give the same tables as local runs, despite failures."""

import json
import os
import re
import signal
import subprocess
import sys
from datetime import timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from pyibc.cli.index import command
from pyibc.indexer.errors import StorageFault, StorageUnreachable
from pyibc.indexer.lake.delta import commit
from pyibc.indexer.lake.state import DataFile, read_state
from pyibc.indexer.storage import logs as logs_module
from pyibc.indexer.storage.locations import location_of
from pyibc.installation import ROOT
from tests.index_histories import TABLES, History, rows_of
from tests.object_server import KEY, SECRET, Stored, drop
from tests.sampling import rounds, sample

EXPORTS, OUT = location_of("s3://chains/exports"), location_of("s3a://chains/index")
PROGRAM = """
import sys
from pyibc.indexer import job
from pyibc.indexer.local_engine import here
from pyibc.indexer.segments import merging
from pyibc.indexer.storage import lease
from pyibc.indexer.storage.locations import location_of
merging.SMALL, merging.MANY = 60, 3
lease.BEAT_S = 60
job.write_report = lambda *_, **__: "page"
job.index(here, [location_of("s3://chains/exports")], location_of("s3://chains/index"))
"""


@pytest.fixture(autouse=True)
def small(monkeypatch):
    from pyibc.indexer import job
    from pyibc.indexer.lake import chunks, parts
    from pyibc.indexer.segments import merging

    for owner, name, value in (
        (parts, "HOT", 8),
        (parts, "COLD", 16),
        (parts, "MANY", 3),
        (chunks, "FULL", 40),
        (merging, "SMALL", 60),
        (merging, "MANY", 3),
        (merging, "FULL", 200),
    ):
        monkeypatch.setattr(owner, name, value)
    monkeypatch.setattr(job, "write_report", lambda *_, **__: "page")


@pytest.fixture
def history(tmp_path):
    return History(5, tmp_path / "in")


def upload(history, objects):
    for key in [key for key in objects if key.startswith("exports/")]:
        del objects[key]
    for path in history.folder.iterdir():
        objects[f"exports/{path.name}"] = Stored(path.read_bytes())


def rows_in_bucket(objects):
    """Return the rows of every table for readers of plain Parquet."""
    return {
        table: sorted(
            str(row)
            for key, stored in objects.items()
            if re.fullmatch(rf"index/{table}/[^/]+\.parquet", key)
            for row in pq.read_table(pa.BufferReader(stored.data)).to_pylist()
        )
        for table in TABLES
    }


def rows_in_delta(server, versions):
    """Return the rows that delta-rs reads from the bucket."""
    from deltalake import DeltaTable

    told = {**server.environment, "AWS_ALLOW_HTTP": "true"}
    return {
        table: sorted(
            str(row)
            for row in DeltaTable(f"s3://chains/index/{table}", version=versions[table], storage_options=told)
            .to_pyarrow_table()
            .to_pylist()
        )
        for table in TABLES
    }


def expected(history, index, tmp_path):
    """Return the summary and rows of a local run from scratch."""
    out = tmp_path / f"whole{len(list(tmp_path.iterdir()))}"
    outcome = index(history.folder, out)
    return outcome.summary, rows_of(out)


@pytest.mark.exhaustive
def test_increments_in_a_bucket_are_a_whole_run_on_this_machine_and_nothing_new_writes_nothing(
    history, index, objects, server, tmp_path
):
    said = []
    for _ in range(rounds(2, 4)):
        history.append()
        said.append(history.step())
        upload(history, objects)
        outcome = index(EXPORTS, OUT)
        summary, rows = expected(history, index, tmp_path)
        named = json.dumps(outcome.summary).replace("s3://chains/exports", str(history.folder))
        assert json.loads(named) == summary, said
        assert rows_in_bucket(objects) == rows == rows_in_delta(server, outcome.versions), said
        assert not [key for key in objects if "/.work/" in key or key.endswith(".lock")]
    outcome = index(EXPORTS, OUT)  # small segments may have been merged
    before = {key: stored.tag for key, stored in objects.items()}
    server.asked.clear()
    assert index(EXPORTS, OUT).versions == outcome.versions
    assert {key: stored.tag for key, stored in objects.items()} == before
    read = [key for how, key in server.asked if how == "GET" and key.endswith(".jsonl")]
    assert len(read) <= len(list(history.folder.iterdir()))  # to detect their formats


@pytest.mark.exhaustive
def test_a_log_in_a_bucket_is_read_from_its_last_checkpoint_and_what_is_before_goes_after_a_day(
    objects, server, monkeypatch
):
    from deltalake import DeltaTable

    data = pa.BufferOutputStream()
    pq.write_table(pa.table({"x": [7]}), data)
    content = data.getvalue().to_pybytes()
    for number in range(24):
        objects[f"table/{number}.parquet"] = Stored(content)
        server.asked.clear()
        files = [DataFile(f"{number}.parquet", len(content), 1)]
        assert commit(location_of("s3://chains/table"), (("x", "bigint"),), files) == number + 1
    assert "table/_delta_log/_last_checkpoint" in objects
    read = [key for how, key in server.asked if how == "GET" and re.search(r"_delta_log/0\d+\.json", key)]
    assert len(read) < 10
    told = {**server.environment, "AWS_ALLOW_HTTP": "true"}
    table = DeltaTable("s3://chains/table", storage_options=told)
    assert (table.version(), [uri.rpartition("/")[2] for uri in table.file_uris()]) == (24, ["23.parquet"])
    logs = [key for key in objects if key.startswith("table/_delta_log/0")]
    monkeypatch.setattr(logs_module, "KEPT", timedelta(seconds=-1))
    commit(location_of("s3://chains/table"), (("x", "bigint"),), [DataFile("last.parquet", 9, 1)])
    left = [key for key in objects if key.startswith("table/_delta_log/0")]
    assert len(logs) > 20
    assert 2 < len(left) < 10
    commit(location_of("s3://chains/table"), (("x", "bigint"),), [DataFile("more.parquet", 9, 1)])


@pytest.mark.parametrize("harm", sample(["cut", "gone", "mine"], 1, "log in a bucket"))
def test_h112_a_log_in_a_bucket_that_is_damaged_is_begun_anew(harm, history, index, objects, server):
    history.append()
    upload(history, objects)
    index(EXPORTS, OUT)
    rows = rows_in_bucket(objects)
    for key in [key for key in objects if "packets/_delta_log/" in key]:
        if harm == "gone":
            del objects[key]
        else:
            objects[key] = Stored(objects[key].data[:40] if harm == "cut" else b"mine")
    outcome = index(EXPORTS, OUT)
    assert rows_in_bucket(objects) == rows == rows_in_delta(server, outcome.versions)


def run_killed(server, at):
    """Run the index and kill it at its `at`th change; return the number of changes it requested."""
    seen = []

    def kill(request):
        if request.command in {"PUT", "DELETE", "POST"}:
            seen.append(request.key)
            if len(seen) == at:
                os.kill(process.pid, signal.SIGKILL)
                return drop(request)
        return False

    server.fault = kill
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], cwd=ROOT, env=environment)
    code = process.wait(120)
    server.fault = lambda _: False
    assert code == (-9 if at else 0)
    return len(seen)


@pytest.mark.exhaustive
@pytest.mark.timeout(0)
def test_h110_a_run_killed_at_any_request_leaves_what_was_and_the_next_one_repairs(
    history, index, objects, server, tmp_path
):
    """Kill runs at their changes, check the remains, and repair them."""
    for _ in range(rounds(3, 6)):
        history.append()
    upload(history, objects)
    index(EXPORTS, OUT)
    before, old = dict(objects), rows_in_bucket(objects)
    history.append()
    history.add()
    upload(history, objects)
    changed = {key: stored for key, stored in objects.items() if key.startswith("exports/")}
    rows = expected(history, index, tmp_path)[1]
    count = run_killed(server, 0)
    for at in sample(range(1, count + 1), 1, "killed requests"):
        objects.clear()
        objects.update(before | changed)
        run_killed(server, at)
        assert rows_in_delta(server, read_state(OUT).tables) in (old, rows), at
        outcome = index(EXPORTS, OUT)
        assert rows_in_bucket(objects) == rows == rows_in_delta(server, outcome.versions), at


@pytest.mark.exhaustive
def test_h217_a_fault_anywhere_ends_the_run_by_its_name_and_leaves_the_tables(
    history, index, objects, server, tmp_path
):
    """An unreachable store is never mistaken for missing inputs."""
    history.append()
    upload(history, objects)
    index(EXPORTS, OUT)
    before, old = dict(objects), rows_in_bucket(objects)
    history.append()
    history.add()
    upload(history, objects)
    changed = {key: stored for key, stored in objects.items() if key.startswith("exports/")}
    rows = expected(history, index, tmp_path)[1]
    for number in sample((1, 12, 40), 1, "faults of a store"):
        objects.clear()
        objects.update(before | changed)
        server.asked.clear()
        server.fault = lambda request, number=number: len(server.asked) >= number and drop(request)
        with pytest.raises(StorageUnreachable) as refused:
            index(EXPORTS, OUT)
        assert str(refused.value).startswith("cannot reach s3://chains/"), number
        server.fault = lambda _: False
        assert rows_in_delta(server, read_state(OUT).tables) in (old, rows), number
    outcome = index(EXPORTS, OUT)
    assert rows_in_bucket(objects) == rows == rows_in_delta(server, outcome.versions)


def test_h217_a_fault_while_an_input_is_looked_at_ends_the_run(history, index, objects, server):
    history.append()
    upload(history, objects)
    server.fault = lambda request: request.key.endswith(".jsonl") and drop(request)
    with pytest.raises(StorageUnreachable) as refused:
        index(EXPORTS, OUT)
    assert refused.value.place.startswith("s3://chains/exports/")
    assert "index/tables.json" not in objects


@pytest.mark.exhaustive
def test_h217_a_fault_in_a_process_that_seals_ends_the_run_by_its_name(
    history, index, objects, server, monkeypatch
):
    from pyibc.indexer.segments import worker

    monkeypatch.setattr(worker, "SMALL", 0)
    monkeypatch.setenv("PYIBC_STORAGE_DEADLINE", "2")
    monkeypatch.setattr(worker.os, "sched_getaffinity", lambda _: {0, 1})
    for _ in range(3):
        history.append()
        history.add()
    upload(history, objects)

    def sealing(request):
        return request.command == "PUT" and "/.segments/" in request.key and drop(request)

    server.fault = sealing
    with pytest.raises(StorageUnreachable) as refused:
        index(EXPORTS, OUT)
    assert refused.value.place.startswith("s3://chains/index/.segments/")
    server.fault = lambda _: False
    index(EXPORTS, OUT)
    assert "index/tables.json" in objects


def test_h215_no_secret_is_in_what_a_run_writes_or_says(history, objects):
    history.append()
    upload(history, objects)
    done = CliRunner().invoke(
        command, ["s3://chains/exports", "--out", "s3a://chains/index", "--engine", "local"]
    )
    assert done.exit_code == 0, done.output
    assert "wrote s3://chains/index/packets" in done.output
    written = b"".join(stored.data for stored in objects.values()) + done.output.encode()
    assert KEY.encode() not in written
    assert SECRET.encode() not in written


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["s3://other/x"], "bucket s3://other does not exist"),
        (["s3://chains/exports", "--out", "s3://other/index"], "bucket s3://other does not exist"),
    ],
)
def test_the_command_names_what_failed(arguments, told, objects):
    objects["exports/a.jsonl"] = Stored(b"x")
    out = [] if "--out" in arguments else ["--out", "s3://chains/index"]
    done = CliRunner().invoke(command, [*arguments, *out, "--engine", "local"])
    assert done.exit_code == 1
    assert told in done.output
    assert "Traceback" not in done.output
    assert not isinstance(done.exception, StorageFault)
