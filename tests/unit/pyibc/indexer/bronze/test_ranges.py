import gzip
import io
import os
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from pyarrow import fs

from pyibc.indexer import stores
from pyibc.indexer.blocks import line_files
from pyibc.indexer.blocks.line_files import Line
from pyibc.indexer.blocks.lines import MAGIC
from pyibc.indexer.bronze import ranges
from pyibc.indexer.bronze.ranges import (
    UNFINISHED,
    Bounds,
    FileRange,
    Record,
    grouped,
    lines_in,
    range_of,
    records_in,
    split,
)
from pyibc.indexer.errors import NothingToIndex, StorageUnreachable, UnreadableInput
from pyibc.indexer.files import SourceFile, list_files
from pyibc.indexer.locations import existing, folder_here, local_path, results_folder

LINES = [MAGIC + b"\n", *(b"%d" % number * (number % 7) + b"\n" for number in range(59))]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "blocks.jsonl"
    path.write_bytes(b"".join(LINES) + b"torn")
    (found,) = list_files([str(path)])
    return found


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 10_000])
def test_ranges_of_any_size_have_each_line_once(file, size):
    ranges = list(split(range_of(file), size))
    assert (ranges[0].begin, ranges[-1].end) == (0, file.size)
    assert all(one.end == other.begin for one, other in pairwise(ranges))
    found = [line for part in ranges for line in lines_in(part)]
    assert [line.data for line in found] == [*LINES, b"torn"]
    assert [line.offset for line in found] == [len(b"".join(LINES[:number])) for number in range(61)]


def test_a_line_that_is_still_written_belongs_to_the_range_with_its_newline(file):
    growing = range_of(file)._replace(is_last=False)
    *whole, torn = lines_in(growing)
    assert [line.data for line in whole] == LINES
    assert torn == Line(len(b"".join(LINES)), b"", UNFINISHED, 4)
    with Path(file.url).open("ab") as out:
        out.write(b" no more\nnext\nto")
    rest = FileRange(file.url, file.size, file.size + 16, is_last=False)
    told = [line.data or line.problem for line in lines_in(rest)]
    assert told == [b"torn no more\n", b"next\n", UNFINISHED]
    assert [line.data for line in lines_in(growing)] == LINES


def test_a_compressed_file_is_one_range(tmp_path):
    path = tmp_path / "blocks.jsonl.gz"
    path.write_bytes(gzip.compress(b"".join(LINES)))
    (packed,) = list_files([str(path)])
    (part,) = split(range_of(packed), 10)
    assert [line.data for line in lines_in(part)] == LINES
    growing = part._replace(is_last=False)
    assert [line.data for line in lines_in(growing)] == LINES
    path.write_bytes(gzip.compress(b"".join(LINES) + b"torn"))  # which does not grow
    assert [line.data for line in lines_in(growing)] == [*LINES, b"torn"]
    path.write_bytes(path.read_bytes()[:-20])
    *first, last = lines_in(part)
    assert first
    assert [line.data for line in first] == LINES[: len(first)]
    assert last.problem == "the gzip file is cut off here"
    path.write_bytes(path.read_bytes()[:5])
    (line,) = lines_in(part)
    assert line.problem == "the gzip file is cut off here"


@pytest.mark.parametrize("size", [10, 1000])
def test_h90_a_compressed_file_of_any_name_is_read_once(tmp_path, size):
    path = tmp_path / "blocks.jsonl"
    path.write_bytes(gzip.compress(b"".join(LINES)))
    (file,) = list_files([str(path)])
    found = [line.data for part in split(range_of(file), size) for line in lines_in(part)]
    assert found == LINES
    grown = FileRange(str(path), 5, file.size, is_last=False)
    assert [line.data for line in lines_in(grown)] == LINES


def test_h90_what_is_no_file_of_lines_is_one_problem(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_bytes(b"no block\n" * 5000)
    found = list(records_in(FileRange(str(path), 0, 45_000), Bounds()))
    assert found == [Record(None, 0, "contains no block lines", is_file=True)]
    path.write_bytes(b"the first line is still writ")
    (torn,) = records_in(FileRange(str(path), 0, 28, is_last=False), Bounds())
    assert torn == Record(None, 0, f"line at byte 0: {UNFINISHED}")


def test_of_many_bad_lines_some_are_told_and_all_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(ranges, "MAX_LISTED", 3)
    path = tmp_path / "blocks.jsonl"
    path.write_bytes(MAGIC + b"odd\n" * 10)
    *told, last = records_in(FileRange(str(path), 0, path.stat().st_size), Bounds())
    places = [0, 11, 15]
    assert [record.offset for record in told] == places
    assert [record.problem.split(":")[0] for record in told] == [f"line at byte {place}" for place in places]
    assert last.problem == "7 more lines with problems"


def test_h90_a_line_too_long_to_be_kept_is_named_and_the_next_is_read(tmp_path, monkeypatch):
    for module in (ranges, line_files):
        monkeypatch.setattr(module, "MAX_LINE", 100)
    path = tmp_path / "blocks.jsonl"
    long = b"x" * 100_000 + b"\n"
    path.write_bytes(LINES[0] + long + LINES[0])
    (file,) = list_files([str(path)])
    for size in (50, 30_000, 1_000_000):
        found = [line for part in split(range_of(file), size) for line in lines_in(part)]
        assert [line.data for line in found] == [LINES[0], b"", LINES[0]]
        assert found[1].problem == "the line is longer than 100 bytes"


def test_a_file_without_newlines_is_not_read_once_for_each_range(tmp_path, monkeypatch):
    path = tmp_path / "blocks.jsonl"
    path.write_bytes(MAGIC + b"x" * 3_000_000)
    (file,) = list_files([str(path)])
    read = []

    class Counted(io.FileIO):
        def readinto(self, buffer):
            read.append(super().readinto(buffer))
            return read[-1]

    monkeypatch.setattr(ranges, "open_url", lambda url: io.BufferedReader(Counted(url)))
    found = [line for part in split(range_of(file), 100_000) for line in lines_in(part)]
    assert len(found) == 1
    assert len(found[0].data) == file.size
    assert sum(read) < 5 * file.size


def test_partitions_have_about_the_size_that_is_asked_for():
    ranges = [FileRange(str(number), 0, 40 << 20) for number in range(10)]
    assert [len(group) for group in grouped(ranges, 100 << 20)] == [2, 2, 2, 2, 2]
    assert [len(group) for group in grouped(ranges, 10)] == [1] * 10
    assert grouped([], 10) == []


def test_a_file_that_is_gone_is_a_problem_of_its_range(tmp_path):
    (found,) = records_in(FileRange(str(tmp_path / "gone"), 0, 10), Bounds())
    assert found == Record(None, 0, "cannot be read: No such file or directory", is_file=True)
    assert list(records_in(FileRange(str(tmp_path / "gone"), 0, 10), Bounds(first=2))) == []


def test_files_are_listed_in_order_without_hidden_and_empty_ones(tmp_path):
    for name in ("b/2", "b/1", "a", "_checkpoint/x", "b/.crc", "empty"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"" if name == "empty" else b"x")
    assert [file.url.removeprefix(f"{tmp_path}/") for file in list_files([str(tmp_path)])] == [
        "a",
        "b/1",
        "b/2",
    ]
    with pytest.raises(NothingToIndex):
        list_files([str(tmp_path / "gone")])
    assert list_files([str(tmp_path), str(tmp_path / "b"), str(tmp_path)]) == list_files([str(tmp_path)])


TREE = ("a-1/1", "a-1/2.gz", "b-1/1", "b-1/x,y", "c/b-1/1", "_a-1/1", "b-1/.1")


@pytest.mark.parametrize("in_store", [False, True], ids=["here", "store"])
@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*", ["a-1/1", "a-1/2.gz", "b-1/1", "b-1/x,y", "c/b-1/1"]),
        ("?-1/", ["a-1/1", "a-1/2.gz", "b-1/1", "b-1/x,y"]),
        ("*-1/1", ["a-1/1", "b-1/1"]),
        ("[!a]-1", ["b-1/1", "b-1/x,y"]),
        ("[a-b]*/?", ["a-1/1", "b-1/1"]),
        ("{a-1/*.gz,c}", ["a-1/2.gz", "c/b-1/1"]),
        ("b-1/?,y", ["b-1/x,y"]),
        ("b-1/[1]", ["b-1/1"]),
        ("*/*/1", ["c/b-1/1"]),
        ("d*", None),
        ("{a", None),
        ("[z-a]", None),
    ],
)
def test_wildcards_are_those_of_spark(tmp_path, monkeypatch, in_store, pattern, found):
    for name in TREE:
        path = tmp_path / "bucket" / "folder" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    root = f"{tmp_path}/bucket/folder"
    if in_store:
        root = "s3://bucket/folder"
        store = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
        monkeypatch.setattr(stores, "_opened", lambda *_: (store, "bucket"))
    if found is None:
        with pytest.raises(NothingToIndex, match="no file matches"):
            list_files([f"{root}/{pattern}"])
    else:
        listed = [unquote(file.url.removeprefix(f"{root}/")) for file in list_files([f"{root}/{pattern}"])]
        assert listed == found


def test_a_name_with_the_signs_of_wildcards_is_a_name(tmp_path):
    for name in ("1", "[1]", "*", "[q]/1"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    for pattern, found in {"[1]": "[1]", "*": "*", "[q]/*": "[q]/1"}.items():
        assert [file.url for file in list_files([f"{tmp_path}/{pattern}"])] == [f"{tmp_path}/{found}"]


def test_wildcards_look_at_matching_folders_only(tmp_path, closed):
    (tmp_path / "a-1").mkdir()
    (tmp_path / "a-1" / "1").write_bytes(b"x")
    many = "a*" * 30  # which ordinary regular expressions would try in any number of ways
    first = f"/{tmp_path.parts[1][:-1]}?"
    for pattern in (f"{tmp_path}/a-*", f"{first}/{'/'.join(tmp_path.parts[2:])}/a-1"):
        assert [file.url for file in list_files([pattern])] == [f"{tmp_path}/a-1/1"]
    with pytest.raises(NothingToIndex):
        list_files([f"{tmp_path}/{many}b"])
    with pytest.raises(StorageUnreachable):
        list_files([f"{closed}/*"])
    with pytest.raises(NothingToIndex, match="stand for more than 1000 paths"):
        list_files([f"{tmp_path}/{'{a,b}' * 20}"])


def test_links_that_lead_nowhere_and_links_to_folders_are_problems(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "in" / "folder").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "in" / "nowhere").symlink_to(tmp_path / "gone")
    (tmp_path / "elsewhere" / "blocks").write_bytes(LINES[0])
    (tmp_path / "in" / "linked").symlink_to(tmp_path / "elsewhere" / "blocks")
    os.mkfifo(tmp_path / "in" / "pipe")  # reading it would wait for a writer
    found = [
        (file.url.rpartition("/")[2], record.problem)
        for file in list_files([str(tmp_path / "in")])
        for part in split(range_of(file), 100)
        for record in records_in(part, Bounds())
    ]
    assert found == [
        ("folder", "cannot be read: Is a directory"),
        ("linked", "line at byte 0: the checksum does not match"),
        ("nowhere", "cannot be read: No such file or directory"),
    ]


def test_a_folder_that_cannot_be_listed_is_an_error(tmp_path, closed):
    with pytest.raises(StorageUnreachable) as refused:
        list_files([str(tmp_path)])
    assert (refused.value.place, refused.value.reason) == (str(closed), "Permission denied")


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("/data/x", "/data/x"),
        ("file:///data/a%20b", "/data/a b"),
        ("dbfs:/mnt/x", "/dbfs/mnt/x"),
        ("dbfs:/Volumes/a/b/c", "/Volumes/a/b/c"),
        ("s3a://bucket/x", None),
    ],
)
def test_urls_of_this_machine_are_paths(url, path):
    assert local_path(url) == path


def test_hdfs_without_the_library_of_hadoop_says_what_to_set(monkeypatch):
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    monkeypatch.setenv("HADOOP_HOME", "/nowhere")
    with pytest.raises(StorageUnreachable, match=r"^cannot reach hdfs://node:9000: .+: set JAVA_HOME, "):
        list_files(["hdfs://node:9000/exports"])


@pytest.mark.parametrize("use", [existing, folder_here, results_folder])
def test_an_empty_path_is_not_the_current_folder(use):
    with pytest.raises(UnreadableInput, match="the path is empty"):
        use("")


@pytest.mark.parametrize("use", [existing, folder_here])
def test_a_scheme_that_is_not_supported_is_named_before_anything_is_read(use):
    with pytest.raises(UnreadableInput, match=r"^ftp://h/x has the scheme ftp, which is none of abfs, .*s3"):
        use("ftp://h/x")


def test_urls_of_this_machine_must_exist(tmp_path):
    (tmp_path / "a b").mkdir()
    found = [f"file://{tmp_path}/a%20b", f"file:{tmp_path}/a%20b/*", "s3://bucket/x"]
    assert existing(found) == found
    for url in (f"file://{tmp_path}/none", "dbfs:/none-such/x"):
        with pytest.raises(FileNotFoundError) as caught:
            existing(url)
        assert caught.value.filename == url


def test_a_file_of_another_machine_is_refused():
    with pytest.raises(UnreadableInput, match="is a file of another machine"):
        local_path("file://elsewhere/x")


@pytest.mark.parametrize(
    ("name", "height"),
    [("blocks-000000001001.jsonl", 1001), ("blocks-000000001001.jsonl.gz", 1001), ("blocks-1.jsonl", None)],
)
def test_the_first_height_of_a_file_is_in_its_name(name, height):
    assert SourceFile(f"/x/{name}", 1, 1).first_height == height
