"""Checkpoints in the format of Spark."""

import json

import pytest

from pyibc.indexer.errors import DamagedLog
from pyibc.indexer.pipeline.places import RETAINED, Checkpoint, stream_id


def test_a_checkpoint_is_what_spark_writes(tmp_path):
    url = f"file://{tmp_path}/c"
    checkpoint = Checkpoint(url)
    assert (checkpoint.planned, checkpoint.done, checkpoint.end(-1)) == (-1, -1, None)
    checkpoint.plan(0, {"entry": 3})
    again = Checkpoint(url)
    assert (again.planned, again.done, again.end(0)) == (0, -1, {"entry": 3})
    again.finish(0)
    for batch in range(1, 12):
        checkpoint.plan(batch, {"entry": batch + 3})
    assert (Checkpoint(url).planned, Checkpoint(url).done) == (11, 0)  # numbers, not texts
    assert stream_id(url) == json.loads((tmp_path / "c" / "metadata").read_text())["id"]
    version, settings, offset = (tmp_path / "c" / "offsets" / "0").read_text().split("\n")
    assert (version, offset) == ("v1", '{"entry":3}')
    assert json.loads(settings)["batchWatermarkMs"] == 0
    assert (tmp_path / "c" / "commits" / "0").read_text() == 'v1\n{"nextBatchWatermarkMs":0}'


@pytest.mark.parametrize(
    "content", [b"", b"v1\n{}", b"v2\n{}\n{}", b"v1\n{}\n[]", b"v1\n{}\n{", b"v1\n{}\n\xff", b"[" * 99_999]
)
def test_an_offset_that_cannot_be_read_is_named(tmp_path, content):
    checkpoint = Checkpoint(f"file://{tmp_path}")
    checkpoint.plan(0, {"entry": 1})
    (tmp_path / "offsets" / "0").write_bytes(content)
    with pytest.raises(DamagedLog) as caught:
        checkpoint.end(0)
    assert (caught.value.place, caught.value.reason) == (f"file://{tmp_path}/offsets/0", "is malformed")
    with pytest.raises(DamagedLog) as caught:
        checkpoint.end(1)
    assert caught.value.reason == "is missing"


@pytest.mark.parametrize("content", [b"", b'{"id": "5ab', b"[]", b"{}", bytes(44)])
def test_an_id_that_cannot_be_read_is_named(tmp_path, content):
    Checkpoint(f"file://{tmp_path}")
    (tmp_path / "metadata").write_bytes(content)
    with pytest.raises(DamagedLog) as caught:
        stream_id(f"file://{tmp_path}")
    assert (caught.value.place, caught.value.reason) == (f"file://{tmp_path}/metadata", "is malformed")


def test_the_last_hundred_batches_are_kept(tmp_path):
    checkpoint = Checkpoint(f"file://{tmp_path}")
    for batch in range(3):
        checkpoint.plan(batch, {"entry": batch})
        checkpoint.finish(batch)
    (tmp_path / "offsets" / "notes").write_text("of somebody else")
    for batch in (RETAINED + 1, RETAINED + 2):
        checkpoint.plan(batch, {"entry": batch})
    checkpoint.finish(RETAINED + 1)
    kept = {"2", str(RETAINED + 1)}
    assert {path.name for path in (tmp_path / "commits").iterdir()} == kept
    assert {path.name for path in (tmp_path / "offsets").iterdir()} == {*kept, str(RETAINED + 2), "notes"}
    assert (checkpoint.planned, checkpoint.done) == (RETAINED + 2, RETAINED + 1)
