import pytest

from ibc_indexer.errors import MalformedManifest
from ibc_indexer.scan import Skipped
from ibc_indexer.segments.manifest import (
    VERSION,
    ChainPart,
    Manifest,
    SealedEnd,
    SealedFile,
    Source,
    read_manifest,
    write_manifest,
)
from ibc_indexer.segments.numbers import End


@pytest.fixture
def manifest(tmp_path):
    (tmp_path / "x.events.parquet").write_bytes(b"12345")
    end = End("a-1", True, 1, None, "c-0", None, None)
    return Manifest(
        version=VERSION,
        sources=[Source("in/blocks", 3, 7, 8, 9, "x")],
        blocks=True,
        chains={"a-1": ChainPart(((1, 4), (6, 6)), ((5, 5),), (), 10)},
        counts={"send_packet": 3},
        ends=[SealedEnd(end, end.number, 3, ((0, 2),))],
        told=[],
        names=2,
        rows=3,
        problems=[Skipped("in/blocks", "line at byte 0: it is odd")],
        files={"events": SealedFile("x.events.parquet", 5)},
    )


def test_what_was_written_is_read(tmp_path, manifest):
    write_manifest(tmp_path / "x.manifest", manifest)
    assert read_manifest(tmp_path / "x.manifest") == manifest
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.events.parquet", "x.manifest"]


@pytest.mark.parametrize("change", ["cut", "edit", "grow", "empty"])
def test_a_manifest_that_is_not_whole_is_refused(tmp_path, manifest, change):
    path = tmp_path / "x.manifest"
    write_manifest(path, manifest)
    data = path.read_bytes()
    changed = {"cut": data[:-9], "edit": data.replace(b"a-1", b"a-2"), "grow": data + b"\n", "empty": b""}
    path.write_bytes(changed[change])
    with pytest.raises(MalformedManifest, match="checksum"):
        read_manifest(path)


def test_another_version_is_refused(tmp_path, manifest):
    from msgspec.structs import replace

    write_manifest(tmp_path / "x.manifest", replace(manifest, version=VERSION + 1))
    with pytest.raises(MalformedManifest, match=f"is of version {VERSION + 1}"):
        read_manifest(tmp_path / "x.manifest")


@pytest.mark.parametrize("change", ["gone", "other size", "elsewhere"])
def test_a_manifest_whose_files_are_not_as_it_says_is_refused(tmp_path, manifest, change):
    from msgspec.structs import replace

    beside = tmp_path / "x.events.parquet"
    if change == "gone":
        beside.unlink()
    if change == "other size":
        beside.write_bytes(b"123456")
    if change == "elsewhere":
        (tmp_path / "sub").mkdir()
        beside.rename(tmp_path / "sub" / beside.name)
        manifest = replace(manifest, files={"events": SealedFile(f"sub/{beside.name}", 5)})
    write_manifest(tmp_path / "x.manifest", manifest)
    with pytest.raises(MalformedManifest, match="not there as it was"):
        read_manifest(tmp_path / "x.manifest")


def test_a_manifest_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(MalformedManifest, match="No such file"):
        read_manifest(tmp_path / "x.manifest")
