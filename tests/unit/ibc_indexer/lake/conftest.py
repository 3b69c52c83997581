import pytest

from ibc_indexer import job
from ibc_indexer.lake import chunks, parts
from ibc_indexer.lines import encode_line
from ibc_indexer.local_engine import here
from ibc_indexer.segments import merging


@pytest.fixture
def small(monkeypatch):
    """Parts, chunks and segments so small that some are merged, and no pictures."""
    for module, name, value in (
        (parts, "HOT", 8),
        (parts, "COLD", 16),
        (parts, "MANY", 3),
        (chunks, "FULL", 40),
        (chunks, "MANY", 2),
        (merging, "SMALL", 60),
        (merging, "MANY", 3),
        (merging, "FULL", 200),
    ):
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(job, "write_report", lambda *_: "page")


@pytest.fixture
def index():
    """Runs the index on DuckDB."""
    return lambda folder, out: job.index(here, [folder], out)


@pytest.fixture
def exports(tmp_path, block, packet_event):
    """Packets 1000, 2000, ... each in its own band, sent in blocks 1 to 20; all but the last acknowledged."""
    folder = tmp_path / "in"
    folder.mkdir()
    lines = [
        encode_line(
            block(
                *(packet_event(kind, number * 1000) for kind in kinds),
                height=number,
            )._replace(time_ns=number * 10**9)
        )
        for number in range(1, 21)
        for kinds in [("send_packet", "acknowledge_packet") if number < 20 else ("send_packet",)]
    ]
    (folder / "a.jsonl").write_bytes(b"".join(lines))
    return folder


@pytest.fixture
def append(exports, block, packet_event):
    def go(height, *events):
        line = encode_line(block(*events, height=height)._replace(time_ns=height * 10**9))
        with (exports / "a.jsonl").open("ab") as file:
            file.write(line)

    return go
