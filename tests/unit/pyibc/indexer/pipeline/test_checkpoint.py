"""Checkpoints in the format of Spark."""

import json

import pytest

pytest.importorskip("pyspark")

from pyibc.indexer.errors import DamagedLog
from pyibc.indexer.pipeline.checkpoint import Checkpoint
from pyibc.indexer.pipeline.steps import stream_id


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
