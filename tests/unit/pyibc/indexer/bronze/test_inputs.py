"""Input files of a stream: what they are, and the block lines that recordings become."""

import errno
import gzip
import json
import os

import pytest

from pyibc.indexer.blocks.lines import encode_line, parse_head
from pyibc.indexer.bronze import inputs as input_files
from pyibc.indexer.bronze.inputs import InputFiles
from pyibc.indexer.bronze.ranges import FileRange, lines_in
from pyibc.indexer.errors import DamagedLog, StorageUnreachable, UnreadableInput
from tests.recorded_answers import header, results


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


@pytest.fixture
def listed(folder, tmp_path):
    """List the inputs as a new process does."""
    return lambda: InputFiles([str(folder)], str(tmp_path / "state")).listed()


def written(tmp_path):
    """Chain and height of the lines in each file that was written for recordings."""
    files = sorted((tmp_path / "state" / "recorded").iterdir())
    return [[parse_head(line)[:2] for line in path.read_bytes().splitlines(keepends=True)] for path in files]


def test_only_lines_that_were_not_written_before_are_appended(folder, listed, tmp_path, monkeypatch):
    (folder / "a.json").write_text(json.dumps([header(1), header(2), header(2, "b-1")]))
    assert [file.url for file in listed()] == [
        str(tmp_path / "state" / "recorded" / f"lines-{number:06d}.jsonl") for number in (1,)
    ]
    (folder / "b.json").write_text(json.dumps([header(1), header(3)]))
    before = listed()
    assert written(tmp_path) == [[("a-1", 1), ("a-1", 2), ("b-1", 2)], [("a-1", 3)]]
    monkeypatch.setattr(input_files, "open_url", None)  # nothing is read
    assert listed() == before


def test_blocks_that_recordings_no_longer_have_are_told(folder, listed, tmp_path):
    (folder / "results.json").write_text(json.dumps(results(7, 1)))
    listed()
    (folder / "header.json").write_text(json.dumps(header(7)))
    listed()
    assert written(tmp_path) == [[("unknown", 7)], [("a-1", 7)]]
    (note,) = json.loads((tmp_path / "state" / "inputs.json").read_bytes())["notes"]
    assert "index into a new folder" in note[1]


def test_what_a_file_is_is_told_by_its_content(folder, listed, block):
    line = encode_line(block())
    (folder / "export.json").write_bytes(line)
    (folder / "packed").write_bytes(gzip.compress(line))
    (folder / "blocks-000000000001.jsonl").write_bytes(b"{}")
    (folder / "table").write_bytes(b"PAR1")
    (folder / "names.json").write_text('{"chain_lineages": [["a-1", "a-2"]]}')
    assert [file.url.rpartition("/")[2] for file in listed()] == [
        *("blocks-000000000001.jsonl", "export.json", "packed", "table", "names.json", "inputs.json")
    ]


def test_files_that_cannot_be_used_are_told_with_the_reason(folder, listed, tmp_path):
    contents = {
        "answer": b"[]",
        "cut.gz": b"\x1f\x8b\x08\x00",
        "error.json": b'{"jsonrpc":"2.0","error":{"message":"gone"}}',
        "names.json": b'{"chain_registry": []}',
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (folder / "empty.json").touch()
    (folder / "blocks-000000000001.jsonl").touch()
    (folder / "lost").symlink_to(tmp_path / "gone")
    (folder / "odd\udcff.json").write_bytes(b"{}")
    assert listed() == []
    told = json.loads((tmp_path / "state" / "inputs.json").read_bytes())["skipped"]
    found = {file.rpartition("/")[2]: reason.partition(":")[0] for file, reason in told}
    assert found == {
        "answer": "contains no responses of a node",
        "cut.gz": "is a gzip file that is cut off",
        "error.json": "is a JSON-RPC error",
        "names.json": "chain_registry must be an object",
        "empty.json": "is empty",
        "blocks-000000000001.jsonl": "is empty",
        "lost": "cannot be read",
        "odd\\xff.json": "cannot be read",
    }
    (folder / "lost").unlink()
    (folder / "empty.json").unlink()
    (folder / "blocks-000000000001.jsonl").unlink()
    listed()
    told = json.loads((tmp_path / "state" / "inputs.json").read_bytes())["skipped"]
    assert len(told) == len(contents) + 1


def test_of_files_that_put_a_chain_in_two_lineages_the_first_counts(folder, listed, tmp_path):
    for name, line in (("one", ["a-1", "a-2"]), ("same", ["a-1", "a-2"]), ("two", ["a-2", "b-1"])):
        (folder / f"{name}.json").write_text(json.dumps({"chain_lineages": [line]}))
    listed()
    told = json.loads((tmp_path / "state" / "inputs.json").read_bytes())
    assert set(map(tuple, told["lineages"])) == {("a-1", "a-2")}
    ((file, reason),) = told["skipped"]
    assert (file.rpartition("/")[2], reason.partition(" of ")[0]) == ("two.json", "'a-2' is in two lineages")


def test_a_damaged_state_of_recordings_is_named(folder, listed, tmp_path):
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "inputs.json").write_bytes(b'{"notes": 1}')
    with pytest.raises(DamagedLog) as caught:
        listed()
    assert caught.value.place == str(tmp_path / "state" / "inputs.json")


@pytest.mark.parametrize("through", ["in", "link"])
def test_results_below_an_input_are_no_inputs(folder, tmp_path, block, through):
    (tmp_path / "link").symlink_to(folder)
    (folder / "out" / "gold").mkdir(parents=True)
    for name in ("kept.jsonl", "out/kept.jsonl", "out/gold/part", "out/summary.json"):
        (folder / name).write_bytes(encode_line(block()))
    without = [f"file://{folder}/out/{name}" for name in ("gold", "summary.json")]
    found = InputFiles([f"{tmp_path}/{through}"], str(tmp_path / "state"), without).listed()
    names = [file.url.removeprefix(f"{tmp_path}/{through}/") for file in found]
    assert names == ["kept.jsonl", "out/kept.jsonl"]
    assert InputFiles([f"{folder}/out/gold"], str(tmp_path / "state"), without).listed() == []


def test_an_export_that_may_not_be_read_is_listed_when_it_may(folder, tmp_path, monkeypatch):
    name = "blocks-000000000001.jsonl"
    (folder / name).write_bytes(b"x")
    (folder / "blocks-000000000002.jsonl").symlink_to("nowhere")  # reading it tells why
    inputs = InputFiles([str(folder)], str(tmp_path / "state"))
    with monkeypatch.context() as refused:
        refused.setattr(os, "access", lambda _path, _mode: False)
        assert [file.url for file in inputs.listed()] == [str(folder / "blocks-000000000002.jsonl")]
        assert [(each.file, each.reason) for each in inputs.told.skipped] == [
            (str(folder / name), "cannot be read: Permission denied")
        ]
    assert next(iter(inputs.listed())).url == str(folder / name)


def test_a_busy_machine_is_no_property_of_a_file(folder, monkeypatch):
    numbers = [errno.EMFILE, errno.ESTALE, errno.EIO]

    def busy(_path, _mode):
        number = numbers.pop(0)
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("builtins.open", busy)
    for _ in range(2):
        with pytest.raises(StorageUnreachable, match=f"cannot reach {folder}/x: "):
            next(lines_in(FileRange(f"{folder}/x", 0, 10)))
    with pytest.raises(UnreadableInput, match="cannot be read: Input/output error"):
        next(lines_in(FileRange(f"{folder}/x", 0, 10)))
