"""Decoding in several processes: the batches of one process, in any order."""

import os
import signal
import subprocess
import sys

import pytest

pytest.importorskip("pyarrow")

from pyibc.indexer.blocks.lines import encode_line
from pyibc.indexer.bronze import workers
from pyibc.indexer.bronze.ranges import range_of, split
from pyibc.indexer.errors import DecodingFailed, StorageUnreachable
from pyibc.indexer.files import list_files
from tests.s3_server import BUCKET, REFUSED, s3_server


@pytest.fixture
def partitions(block, tmp_path, monkeypatch):
    """Six partitions of a file, of a block each."""
    monkeypatch.setattr(workers, "SMALL", 0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2})
    lines = [encode_line(block(height=height, chain="b-1")) for height in range(100, 106)]
    (tmp_path / "blocks.jsonl").write_bytes(b"".join(lines))
    (file,) = list_files([str(tmp_path)])
    return [(part,) for part in split(range_of(file), len(lines[0]))]


def heights(batches):
    return sorted(height for batch in batches for height in batch["height"].to_pylist())


def test_several_processes_decode_what_one_does(partitions, monkeypatch):
    started = []
    start = workers._start
    monkeypatch.setattr(workers, "_start", lambda pipe: started.append(start(pipe)) or started[-1])
    assert len(partitions) == 6
    assert heights(workers.decoded(partitions)) == [*range(100, 106)]
    assert len(started) == 3
    assert all(process.returncode is not None for process in started)


def test_few_bytes_are_decoded_without_processes(partitions, monkeypatch):
    monkeypatch.setattr(workers, "SMALL", 1 << 20)
    monkeypatch.setattr(workers, "_start", None)
    assert heights(workers.decoded(partitions)) == [*range(100, 106)]


def test_a_process_that_is_killed_ends_the_run_with_the_file(partitions, monkeypatch):
    start = workers._start

    def killed(pipe):
        process = start(pipe)
        process.send_signal(signal.SIGKILL)
        process.wait()
        return process

    monkeypatch.setattr(workers, "_start", killed)
    with pytest.raises(DecodingFailed) as caught:
        list(workers.decoded(partitions))
    assert caught.value.file == partitions[0][0].url
    assert caught.value.reason == "the process ended with status -9"


KILLED = """
import os
from pyibc.indexer.bronze import workers

def killed(ranges, bounds, decode=workers.batches_of):
    yield from decode(ranges, bounds)
    os.kill(os.getpid(), 9)

workers.batches_of = killed
workers.main()
"""


def test_a_process_that_is_killed_between_two_batches_is_noticed(partitions, monkeypatch):
    """All that it wrote can be read, and nothing shows that there would have been more."""
    monkeypatch.setattr(
        workers, "_start", lambda pipe: subprocess.Popen([sys.executable, "-c", KILLED], stdin=pipe)
    )
    with pytest.raises(DecodingFailed) as caught:
        list(workers.decoded(partitions))
    assert caught.value.reason == "the process ended with status -9"


def test_a_reader_that_gives_up_leaves_no_process(partitions, monkeypatch):
    started = []
    start = workers._start
    monkeypatch.setattr(workers, "_start", lambda pipe: started.append(start(pipe)) or started[-1])
    batches = workers.decoded(partitions)
    next(batches)
    batches.close()
    assert all(process.returncode is not None for process in started)


def test_a_process_tells_a_store_that_it_cannot_read(partitions, tmp_path, monkeypatch):
    for name in ("SESSION_TOKEN", "PROFILE"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)
    with s3_server(tmp_path, "mine") as (address, _):
        given = {"ACCESS_KEY_ID": "mine", "SECRET_ACCESS_KEY": "secret", "ENDPOINT_URL": f"http://{address}"}
        for name, value in {**given, "REGION": "us-east-1"}.items():
            monkeypatch.setenv(f"AWS_{name}", value)
        url = f"s3://{BUCKET}/blocks.jsonl"
        stored = [(part._replace(url=url),) for (part,) in partitions]
        assert heights(workers.decoded(stored)) == [*range(100, 106)]
        REFUSED.add(tmp_path / "blocks.jsonl")
        try:
            with pytest.raises(StorageUnreachable, match=f"cannot reach {url}: .*ACCESS_DENIED"):
                list(workers.decoded(stored))
        finally:
            REFUSED.clear()
