import gzip
from io import BytesIO

import pytest

from pyibc.indexer.errors import UnreadableInput
from pyibc.indexer.recordings import reading
from pyibc.indexer.recordings.reading import documents, read_content


def test_plain_and_packed_files_are_read_alike(tmp_path):
    (tmp_path / "plain.json").write_bytes(b'{"a":1}')
    (tmp_path / "packed.bin").write_bytes(gzip.compress(b'{"a":1}'))
    for path in tmp_path.iterdir():
        assert [d.value for d in documents(read_content(BytesIO(path.read_bytes())))] == [{"a": 1}]


def test_a_cut_gzip_file_is_a_typed_error(tmp_path):
    whole = gzip.compress(bytes(range(256)) * 50)
    for end in (3, 12, len(whole) - 1):
        path = tmp_path / "cut.gz"
        path.write_bytes(whole[:end])
        with pytest.raises(UnreadableInput, match="is a gzip file that is cut off"):
            read_content(BytesIO(path.read_bytes()))


def test_a_file_that_unpacks_too_large_is_a_typed_error(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MAX_FILE", 1000)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b" " * 1001))
    with pytest.raises(UnreadableInput, match="larger than 1000 bytes"):
        read_content(BytesIO((tmp_path / "bomb.gz").read_bytes()))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b" \n ", "is empty"),
        (b"{", "is not JSON"),
        (b'{"a":NaN}', "is not JSON"),
        (b'{"a":1', "is not JSON"),
        (b"\xff\xfe{\x00}\x00", "is not JSON"),
        (b'{"a":"\xff"}', "is not JSON"),
        (b"[" * 200_000, "nested too deeply"),
        (b"hello\nworld\n", "is not JSON"),
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
    assert "is not JSON" in found[1].reason


@pytest.mark.parametrize("between", [b"", b"\n", b" \n\n ", b"\r\n"])
def test_documents_that_follow_each_other_are_read_one_by_one(between):
    parts = [b'{\n"a": "}{"}', b"[[], {}]", b'{"b":{"c":[1]}}']
    found = list(documents(between.join(parts)))
    places = [sum(map(len, parts[:number])) + number * len(between) for number in range(3)]
    assert [(d.where, d.value) for d in found] == [
        (f"byte {places[0]}: ", {"a": "}{"}),
        (f"byte {places[1]}: ", [[], {}]),
        (f"byte {places[2]}: ", {"b": {"c": [1]}}),
    ]


def test_documents_before_a_damaged_one_are_read_and_it_is_named():
    found = list(documents(b'{"a":1} {"b":"\xff"}{"c":3}{"d":\x00{"e":5}'))
    assert [(d.where, d.value) for d in found] == [
        ("byte 0: ", {"a": 1}),
        ("byte 8: ", None),
        ("byte 17: ", {"c": 3}),
        ("byte 24: ", None),
    ]
    assert [d.reason.partition(":")[0] for d in found] == ["", "is not JSON", "", "is not JSON"]


def test_a_line_may_have_several_documents():
    found = list(documents(b'{"a":1}{"b":2}\n{"c":3}{"d"\n{"e":5}\n'))
    assert [(d.where, d.value) for d in found] == [
        ("line 1: byte 0: ", {"a": 1}),
        ("line 1: byte 7: ", {"b": 2}),
        ("line 2: byte 0: ", {"c": 3}),
        ("line 2: byte 7: ", None),
        ("line 3: ", {"e": 5}),
    ]
