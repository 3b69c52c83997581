"""The choice of the engine depends on the work of a run, not on the length of the history."""

import pytest

from pyibc.indexer.lake import before
from pyibc.indexer.lake.before import weighed
from pyibc.indexer.lines import encode_line
from tests.index_histories import rows_in_delta, rows_of

pytestmark = pytest.mark.usefixtures("small")


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Index a folder; return the amount of work for which each engine was opened."""
    from pyibc.indexer import job
    from pyibc.indexer.local_engine import here

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


def test_where_an_engine_finds_much_more_to_do_than_manifests_tell_one_is_asked_for_again(
    run, block, packet_event, tmp_path, monkeypatch
):
    from pyibc.indexer import job

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
    (folder / "a.jsonl").write_bytes(encode_line(sent))  # pairs every packet of b-1 with its sender
    told, found = run(folder, out)
    assert told == weighed(1, 21)
    assert found >= 20
