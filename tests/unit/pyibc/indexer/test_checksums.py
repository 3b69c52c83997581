"""Checksum files of Hadoop beside the files of tables."""

import os

import pytest

from pyibc.indexer.checksums import add_checksums, checksum_file, verify
from pyibc.indexer.errors import DamagedTable


@pytest.fixture
def files(tmp_path):
    found = [tmp_path / f"{number}.parquet" for number in range(3)]
    for number, path in enumerate(found):
        path.write_bytes(bytes([number]) * 100_000)
    assert add_checksums(found) == []
    for number, path in enumerate(found):
        os.utime(checksum_file(path), (number, number))
    return found


def damage(path):
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def test_each_file_is_verified_after_some_runs(files):
    damage(files[2])
    verify(files, 100_000)  # of the first file
    verify(files, 100_000)
    with pytest.raises(DamagedTable) as caught:
        verify(files, 100_000)
    assert (caught.value.file, caught.value.checksums) == (str(files[2]), ".2.parquet.crc")
    with pytest.raises(DamagedTable):  # until it is restored
        verify(files, 1)


@pytest.mark.parametrize("content", [b"", b"crc\0", b"crc\0" + bytes(4), b"nothing of Hadoop's"])
def test_a_checksum_file_that_is_none_is_written_anew(files, content):
    checksum_file(files[0]).write_bytes(content)
    with pytest.raises(DamagedTable):
        verify(files[:1])
    assert add_checksums(files) == files[1:]
    verify(files)


def test_a_file_that_became_shorter_or_longer_is_damaged(files):
    for change in (-1, 1):
        whole = files[1].read_bytes()
        files[1].write_bytes(whole[:change] if change < 0 else whole + b"\1")
        with pytest.raises(DamagedTable):
            verify([files[1]])
        files[1].write_bytes(whole)
    verify(files)


def test_checksum_files_of_another_user_are_replaced(files, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "utime", refuse)
    before = checksum_file(files[0]).read_bytes()
    verify(files[:1])
    assert checksum_file(files[0]).read_bytes() == before
    assert checksum_file(files[0]).stat().st_mtime > 10  # it was 0
