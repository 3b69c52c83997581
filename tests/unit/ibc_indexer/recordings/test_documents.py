import gzip

import pytest

from ibc_indexer.errors import UnreadableInput
from ibc_indexer.recordings import documents as module
from ibc_indexer.recordings.documents import documents, read_bytes


def test_plain_and_packed_files_are_read_alike(tmp_path):
    (tmp_path / "plain.json").write_bytes(b'{"a":1}')
    (tmp_path / "packed.bin").write_bytes(gzip.compress(b'{"a":1}'))
    for path in tmp_path.iterdir():
        assert [d.value for d in documents(read_bytes(path))] == [{"a": 1}]


def test_a_cut_gzip_file_is_a_typed_error(tmp_path):
    whole = gzip.compress(bytes(range(256)) * 50)
    for end in (3, 12, len(whole) - 1):
        path = tmp_path / "cut.gz"
        path.write_bytes(whole[:end])
        with pytest.raises(UnreadableInput, match="cannot be read"):
            read_bytes(path)


def test_a_file_that_unpacks_too_large_is_a_typed_error(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MAX_FILE", 1000)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b" " * 1001))
    with pytest.raises(UnreadableInput, match="larger than 1000 bytes"):
        read_bytes(tmp_path / "bomb.gz")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b" \n ", "is empty"),
        (b"{", "is no JSON"),
        (b'{"a":NaN}', "is no JSON"),
        (b'{"a":1}garbage', "is no JSON"),
        (b"\xff\xfe{\x00}\x00", "is no JSON"),
        (b'{"a":"\xff"}', "is no JSON"),
        (b"[" * 200_000, "nested too deeply"),
        (b"hello\nworld\n", "is no JSON"),
    ],
)
def test_what_is_no_json_is_a_typed_error(data, reason):
    with pytest.raises(UnreadableInput, match=reason):
        list(documents(data))


def test_lines_are_read_one_by_one_and_bad_ones_named():
    found = list(documents(b'{"a":1}\n\n{"a":\n{"a":3}\n'))
    assert [(d.where, d.value) for d in found] == [
        ("line 1: ", {"a": 1}),
        ("line 3: ", None),
        ("line 4: ", {"a": 3}),
    ]
    assert "is no JSON" in found[1].reason
