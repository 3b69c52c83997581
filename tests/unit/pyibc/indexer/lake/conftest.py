import shutil

import pytest

from pyibc.indexer.lines import encode_line


def shrink(patch):
    """Make file groups, chunks and segments small enough for merges, and skip the plots."""
    from pyibc.indexer import job
    from pyibc.indexer.lake import chunks, parts
    from pyibc.indexer.segments import merging

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
        patch.setattr(module, name, value)
    patch.setattr(job, "write_report", lambda *_, **__: "page")


@pytest.fixture
def small(monkeypatch):
    """Small file groups, chunks and segments."""
    shrink(monkeypatch)


def write_exports(folder, block, packet_event):
    """Send packets 1000, 2000, ..., each in its own bucket, in blocks 1 to 20; acknowledge all but one."""
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
def exports(tmp_path, block, packet_event):
    """Inputs that a test may change."""
    return write_exports(tmp_path / "in", block, packet_event)


@pytest.fixture(scope="module")
def first_run(tmp_path_factory, index, block, packet_event):
    """Inputs, the results of a run on them, and its outcome."""
    folder = tmp_path_factory.mktemp("first")
    inputs = write_exports(folder / "in", block, packet_event)
    with pytest.MonkeyPatch.context() as patch:
        shrink(patch)
        return inputs, folder / "out", index(inputs, folder / "out")


@pytest.fixture
def indexed(first_run, small, tmp_path):
    """Inputs, and a copy of the results of a run on them, which a test may change."""
    inputs, made, _ = first_run
    return inputs, shutil.copytree(made, tmp_path / "out")


@pytest.fixture
def append(exports, block, packet_event):
    def go(height, *events):
        line = encode_line(block(*events, height=height)._replace(time_ns=height * 10**9))
        with (exports / "a.jsonl").open("ab") as file:
            file.write(line)

    return go
