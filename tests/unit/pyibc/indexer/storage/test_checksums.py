from zlib import crc32

import pytest

from pyibc.indexer.storage import checksums
from pyibc.indexer.storage.checksums import checksum_of, is_intact, recorded_checksum
from pyibc.indexer.storage.locations import location_of


def test_a_part_of_a_file_has_its_own_checksum(tmp_path, monkeypatch):
    monkeypatch.setattr(checksums, "_PIECE", 3)
    (tmp_path / "a").write_bytes(b"0123456789")
    assert checksum_of(tmp_path / "a") == crc32(b"0123456789")
    assert checksum_of(tmp_path / "a", 2, 5) == crc32(b"23456")
    assert checksum_of(tmp_path / "a", 8, 5) == crc32(b"89")


def test_a_file_is_read_again_only_after_a_change(tmp_path, monkeypatch):
    read, path = [], tmp_path / "a"
    monkeypatch.setattr(checksums, "checksum_of", lambda path: read.append(path) or checksum_of(path))
    path.write_bytes(b"good")
    recorded = recorded_checksum(path)
    read.clear()
    assert is_intact(path, recorded)
    assert is_intact(path, recorded)
    assert read == [path]
    path.write_bytes(b"evil")
    path.touch()
    assert not is_intact(path, recorded)
    path.unlink()
    assert not is_intact(path, recorded)


@pytest.mark.parametrize("recorded", [None, 5])
def test_objects_in_a_bucket_are_not_read(recorded):
    place = location_of("s3://bucket/table/1.parquet")
    assert recorded_checksum(place) is None
    assert is_intact(place, recorded)
