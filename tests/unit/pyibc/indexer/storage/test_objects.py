import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pyibc.indexer.block_files import files_in, read_lines
from pyibc.indexer.errors import UnreadableInput
from pyibc.indexer.storage import objects as module
from pyibc.indexer.storage.locations import location_of, sizes_in
from pyibc.indexer.storage.objects import ObjectPath
from tests.object_server import Stored
from tests.sampling import rounds


def test_an_address_is_read_with_either_scheme_and_written_with_one():
    assert str(location_of("s3a://chains//a/b/")) == str(ObjectPath("chains", "a/b")) == "s3://chains/a/b"
    assert ObjectPath("chains", "a/b").spark == "s3a://chains/a/b"
    assert (ObjectPath("chains", "a") / "b.c").parents == (
        ObjectPath("chains", "a"),
        ObjectPath("chains", ""),
    )
    assert ObjectPath("chains", "a/b.c").suffix == ".c"


@pytest.mark.parametrize(
    "text", ["hdfs://x/y", "dbfs:/x", "s3://", "s3:///x", "s3://chains/../x", "http://x/y", "s3://../x"]
)
def test_h218_another_address_is_refused(text):
    with pytest.raises(UnreadableInput, match="neither a path, nor of the form file:/path or s3://"):
        location_of(text)


@pytest.mark.parametrize(
    ("text", "path"),
    [("file:/a/b", "/a/b"), ("file:///a%20b", "/a b"), ("file://localhost/a", "/a"), ("C:/a", "C:/a")],
)
def test_the_url_of_a_file_is_its_path(text, path):
    assert location_of(text) == Path(path)


def test_a_file_of_another_machine_is_refused():
    with pytest.raises(UnreadableInput, match="file://elsewhere/a is a file of another machine"):
        location_of("file://elsewhere/a")


def test_folders_files_and_marks_of_folders(objects):
    for key in ("in/a.jsonl", "in/b/c.jsonl", "in/b/d/e.jsonl", "inside"):
        objects[key] = Stored(b"x")
    objects["in/"] = objects["in/b/"] = Stored(b"")
    folder = ObjectPath("chains", "in")
    assert [path.key for path in files_in([folder])] == ["in/a.jsonl", "in/b/c.jsonl", "in/b/d/e.jsonl"]
    assert [(path.key, path.is_dir()) for path in folder.iterdir()] == [("in/a.jsonl", False), ("in/b", True)]
    assert sizes_in(folder) == {"a.jsonl": 1}
    assert folder.is_dir()
    assert not ObjectPath("chains", "no").exists()
    assert (folder / "a.jsonl").is_file()
    assert [path.name for path in folder.glob("*.jsonl")] == ["a.jsonl"]


def test_another_content_of_the_same_size_looks_other(objects):
    objects["a"] = Stored(b"one")
    before = ObjectPath("chains", "a").stat()
    objects["a"] = Stored(b"two")
    now = ObjectPath("chains", "a").stat()
    assert (now.st_size, now.st_mtime_ns != before.st_mtime_ns) == (before.st_size, True)


def test_what_changes_while_it_is_read_is_told_as_a_line_that_cannot_be_read(objects, monkeypatch):
    monkeypatch.setattr(module, "_FIRST", 64)
    monkeypatch.setattr(module, "_MOST", 64)
    objects["a"] = Stored(b"line one\n" * 200)
    found = []
    for line in read_lines(ObjectPath("chains", "a")):
        found.append(line)
        objects["a"] = Stored(b"line two\n" * 200)
    assert b"two" not in b"".join(line.data for line in found)
    assert found[-1].problem == "the rest of the file cannot be read: the object changed during reading"


def test_packed_lines_are_unpacked(objects):
    objects["a"] = Stored(gzip.compress(b"one\ntwo\n"))
    assert [line.data for line in read_lines(ObjectPath("chains", "a"))] == [b"one\n", b"two\n"]


@given(data=st.data())
@settings(
    max_examples=rounds(10, 40), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
def test_a_reader_reads_as_a_file_does(data, objects, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_FIRST", 16)
    monkeypatch.setattr(module, "_MOST", 64)
    content = bytes(number % 251 for number in range(data.draw(st.integers(1, 900))))
    (tmp_path / "a").write_bytes(content)
    objects["a"] = Stored(content)
    steps = st.lists(st.tuples(st.sampled_from("rs"), st.integers(0, 300)), max_size=8)
    with (tmp_path / "a").open("rb") as file, ObjectPath("chains", "a").open() as ours:
        for step, number in data.draw(steps):
            if step == "r":
                assert ours.read(number) == file.read(number)
            else:
                assert ours.seek(number) == file.seek(number)
        assert ours.tell() == file.tell()
        assert ours.read() == file.read()
