"""`pyibc.indexer.read`: the events that the index has, as Arrow batches, without PySpark."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq

from pyibc.indexer import read
from pyibc.indexer.blocks.lines import encode_line
from pyibc.indexer.bronze import records
from pyibc.indexer.errors import Skipped
from tests.exported_chains import Chains
from tests.recorded_answers import header, results

ROOT = Path(__file__).parents[5]
TABLE = {
    "chain_id": ["c-1", "c-1"],
    "channel_id": ["channel-3", None],
    "sequence": [7, 8],
    "send_height": [20, 21],
    "send_time": [1_700_000_000_000_000, None],
    "ack_height": [25, None],
    "ack_time": [1_700_000_060_000_000, None],
}


@pytest.fixture
def inputs(tmp_path):
    """An export of two chains, a recording and a packet table, each with what cannot be read."""
    chains = Chains(tmp_path / "in")
    for sequence in (1, 2, 3):
        chains.relay(sequence, 5 * sequence)
    chains.event("a-1", 30, "send_packet", 4, code=5)  # a failed transaction
    chains.event("a-1", 31, "send_packet", 5, packet_sequence="many")
    folder = chains.write()
    damaged = folder / "b-1" / "blocks-000000000011.jsonl"
    damaged.write_bytes(damaged.read_bytes() + b"pyibc1 00000000 b-1 19 rest\n")
    (folder / "recorded.json").write_text(json.dumps([header(4, "d-1"), results(4, 1)]))
    (folder / "broken.json").write_text("{")
    types = {"send_time": pa.timestamp("us"), "ack_time": pa.timestamp("us")}
    columns = {name: pa.array(values, types.get(name)) for name, values in TABLE.items()}
    pq.write_table(pa.table(columns), folder / "packets.parquet")
    return folder


def rows_of(events):
    return sorted(pa.table(events).to_pylist(), key=repr)


def test_the_events_are_those_of_the_index(inputs, tmp_path):
    pytest.importorskip("duckdb")
    from pyibc.indexer.local.lake import LocalLake
    from pyibc.indexer.local.run import run_pipeline
    from pyibc.indexer.pipeline.tables import PACKET_EVENTS, type_of

    run_pipeline(inputs, tmp_path / "out")
    lake = LocalLake(tmp_path / "out")
    names = [name for name in PACKET_EVENTS.names if name != "batch"]
    silver = lake.connection.sql(f"SELECT {', '.join(names)} FROM {lake.at(PACKET_EVENTS)}").to_arrow_table()
    events = read(inputs)
    assert rows_of(events) == sorted(silver.to_pylist(), key=repr)
    assert {row["chain"] for row in rows_of(events)} == {"a-1", "b-1", "c-1", "d-1"}
    assert {field.name: type_of(field.type) for field in events.schema} == {
        column.name: column.type for column in PACKET_EVENTS.columns if column.name != "batch"
    }


def test_what_cannot_be_read_is_named_as_by_the_index(inputs, index, tmp_path):
    events = read(inputs)
    assert events.skipped == []
    list(events)
    found = [Skipped(**each) for each in index(inputs, tmp_path / "out").summary["skipped"]]
    assert events.skipped == found
    assert [entry.file.rpartition("/")[2] for entry in found] == [
        *("blocks-000000000031.jsonl", "blocks-000000000011.jsonl", "broken.json", "packets.parquet")
    ]
    list(events)
    assert events.skipped == found, "a second pass names them once"


def test_chains_and_heights_are_chosen_and_damaged_lines_are_named_all_the_same(inputs):
    events = read(inputs, chains="b-1", first_height=11, last_height=16)
    assert {(row["chain"], row["height"]) for row in rows_of(events)} == {("b-1", 11), ("b-1", 16)}
    assert "b-1/blocks-000000000011.jsonl" in str(events.skipped)
    assert {row["chain"] for row in rows_of(read(inputs, chains=("c-1", "d-1")))} == {"c-1", "d-1"}
    assert rows_of(read(inputs, chains=())) == []


def test_files_that_the_filters_leave_out_are_not_opened(inputs, monkeypatch):
    whole, opened = rows_of(read(inputs, chains="a-1")), list[str]()
    real = records.records_in

    def noting(part, bounds):
        opened.append(part.url.rpartition("/")[2])
        return real(part, bounds)

    monkeypatch.setattr(records, "records_in", noting)
    found = rows_of(read([inputs / "a-1", inputs / "b-1"], chains="a-1", first_height=11))
    assert found == [row for row in whole if row["height"] > 10]
    assert opened == [f"blocks-{height:012d}.jsonl" for height in (11, 21, 31)]


def test_batches_have_a_bounded_number_of_rows(tmp_path, block, packet_event, monkeypatch):
    monkeypatch.setattr(records, "BATCH_ROWS", 3)
    line = encode_line(block(*(packet_event("send_packet", sequence) for sequence in range(1, 9))))
    (tmp_path / "packed").write_bytes(gzip.compress(line))
    events = read(tmp_path / "packed")
    assert [len(batch) for batch in events] == [3, 3, 2]
    assert events.reader().read_all()["sequence"].to_pylist() == list(range(1, 9))


def test_polars_and_duckdb_take_the_events(inputs):
    pl, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    events = read(inputs, chains="a-1")
    assert pl.DataFrame(events).height == len(rows_of(events)) > 0
    counted = duckdb.from_arrow(events.reader()).aggregate("count(*)")
    assert counted.fetchall() == [(len(rows_of(events)),)]


def test_the_example_of_the_page_runs(inputs, monkeypatch, capsys):
    page = (ROOT / "docs" / "indexer.md").read_text(encoding="utf-8")
    example = page.partition("### Packet events only")[2].partition("```python")[2].partition("```")[0]
    inputs.rename(inputs.with_name("exports"))
    monkeypatch.chdir(inputs.parent)
    names = {}
    exec(example.replace("alpha-1", "a-1"), names)
    count, *skipped = capsys.readouterr().out.splitlines()
    assert names["table"].num_rows == int(count) > 0
    assert len(skipped) == len(names["events"].skipped) == 3


def test_an_input_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="gone"):
        read(tmp_path / "gone")


WITHOUT = """
import importlib.util, sys
names = {"pyspark", "py4j", "pandas", "numpy", "duckdb", "deltalake", "matplotlib", "jinja2"}
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in names else find(name, *more)

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name in names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
from pyibc.indexer import read
print(sum(len(batch) for batch in read(sys.argv[1])))
"""


def test_nothing_but_pyarrow_is_needed(inputs):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, str(inputs)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == (f"{len(rows_of(read(inputs)))}\n", "")


def test_a_table_whose_checksums_do_not_match_is_named(tmp_path):
    columns = TABLE | {"sequence": [7_000_001, 8_000_002]}
    path = tmp_path / "packets.parquet"
    settings = {"compression": "none", "use_dictionary": False, "write_page_checksum": True}
    pq.write_table(pa.table(columns), path, write_statistics=False, **settings)
    content = path.read_bytes()
    path.write_bytes(content.replace((7_000_001).to_bytes(8, "little"), (7_000_003).to_bytes(8, "little")))
    events = read(path)
    assert list(events) == []
    ((_, reason),) = events.skipped
    assert reason.startswith("is not a readable Parquet file: could not verify page integrity")
