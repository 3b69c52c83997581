"""Which runner gets which file, and that no file is passed over in silence."""

import gzip
import json

import pytest

from conformance import dispatch
from conformance.case import CaseResult

DENOM = {"denom": [{"path": "uatom", "ibc": "uatom"}]}


def said(folder):
    return [line for _, run in dispatch.reports(folder) for line in dispatch.lines(run())]


def test_folders_are_taken_by_their_names(tmp_path):
    for name in ("zip215", "ics23", ".git", "odd"):
        (tmp_path / name).mkdir()
    (tmp_path / "README.md").write_text("x")
    assert [name for name, _ in dispatch.reports(tmp_path)] == ["ics23", "odd", "zip215"]
    assert [name for name, _ in dispatch.reports(tmp_path / "ics23")] == ["ics23"]


def test_elsewhere_each_file_is_taken_by_its_form(tmp_path):
    (tmp_path / "odd" / "deeper").mkdir(parents=True)
    (tmp_path / "odd" / "deeper" / "a.json").write_text(json.dumps(DENOM))
    (tmp_path / "odd" / "pairs.json.gz").write_bytes(
        gzip.compress(json.dumps({"VALID_BECH32": ["A12UEL5L"]}).encode())
    )
    (tmp_path / "y_list.json").write_text("[]")
    assert said(tmp_path) == [".: 1 passed, 0 failed", "odd: 2 passed, 0 failed"]


@pytest.mark.parametrize("raw", [b"", b"{}", b"[]", b"\xff", b"[" * 100_000, b"\x1f\x8b\x08", b'{"a":1}'])
def test_a_file_that_nobody_understands_is_a_failure(tmp_path, raw):
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "x.json").write_bytes(raw)
    assert said(tmp_path)[0] == "odd x.json: nobody understands it"


USELESS = [b"", b"{}", b"[]", b"\xff", b"[" * 100_000, b"\x1f\x8b\x08", b'{"a":{}}', b'{"steps":[]}', b"[5]"]


@pytest.mark.parametrize("name", sorted(dispatch.RUNNERS))
def test_a_file_of_no_use_fails_alone_in_every_family(tmp_path, name):
    for number, raw in enumerate(USELESS):
        folder = tmp_path / str(number) / name
        (folder / "below").mkdir(parents=True)
        for place in ("x.json", "below/chain-x.json.gz", "notes.txt"):
            (folder / place).write_bytes(raw)
        report = dispatch.run_family(folder)
        assert [(r.file, r.passed) for r in report.results] == [
            ("below/chain-x.json.gz", False),
            ("notes.txt", False),
            ("x.json", False),
        ], raw[:20]
        assert all(r.detail for r in report.results), raw[:20]


def test_a_file_of_another_family_is_not_understood(tmp_path):
    (tmp_path / "bech32").mkdir()
    (tmp_path / "bech32" / "x.json").write_text(json.dumps(DENOM))
    assert said(tmp_path)[0] == "bech32 x.json: nobody understands it"


def test_a_name_twice_in_one_object_is_no_vector(tmp_path):
    (tmp_path / "ibc-literals").mkdir()
    row = json.dumps(DENOM["denom"])
    (tmp_path / "ibc-literals" / "x.json").write_text(f'{{"denom": {row}, "denom": {row}}}')
    assert "the name 'denom' occurs twice" in said(tmp_path)[0]


def test_a_byte_order_mark_is_passed_over(tmp_path):
    (tmp_path / "ibc-literals").mkdir()
    (tmp_path / "ibc-literals" / "x.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(DENOM).encode())
    assert said(tmp_path) == ["ibc-literals: 1 passed, 0 failed"]


@pytest.mark.parametrize(
    ("family", "table"),
    [
        ("bech32", "VALID_BECH32"),
        ("go-semantics", "base64_std"),
        ("ibc-literals", "denom"),
        ("cometbft-literals", "merkle_root"),
        ("chain-registry", "pairs"),
        ("iavl", "cases"),
    ],
)
def test_a_table_without_rows_is_a_failure(tmp_path, family, table):
    (tmp_path / family).mkdir()
    (tmp_path / family / "x.json").write_text(json.dumps({table: []}))
    assert "no case in it" in said(tmp_path)[0]


def test_failures_and_what_is_left_out_are_named(family):
    cases = {"x/path.rs": {"test_failure_parsing": ["1"], "test_new": ["1"]}}
    folder = family("ibc-rs", cases=cases)
    first, *rest = dispatch.lines(dispatch.run_family(folder))
    assert first.startswith("ibc-rs cases.json path.rs test_new: Mismatch: ")
    assert rest == [
        "ibc-rs leaves out cases.json (test_failure_parsing): paths are built here, never parsed",
        "ibc-rs: 0 passed, 1 failed",
    ]


def test_what_is_left_out_is_named_in_short():
    results = [CaseResult("x", "f", f"c{n}", passed=True, detail="why", left_out=True) for n in range(5)]
    results.append(CaseResult("x", "g", "", passed=True, detail="why", left_out=True))
    report = dispatch.FamilyReport("x", results)
    assert list(dispatch.lines(report)) == [
        "x leaves out f (c0, c1, c2 and 2 more), g: why",
        "x: 0 passed, 0 failed",
    ]


def test_a_runner_that_stops_is_a_failure(tmp_path, monkeypatch):
    def stop(folder, _cases_of):
        raise KeyError(folder.name)

    monkeypatch.setattr(dispatch, "run_files", stop)
    (tmp_path / "ibc-literals").mkdir()
    report = dispatch.run_family(tmp_path / "ibc-literals")
    assert report.results == [
        CaseResult(
            "ibc-literals", "", "", passed=False, detail="the runner stopped: KeyError('ibc-literals')"
        )
    ]


@pytest.mark.parametrize("detail", ["a\nb", "a  b"])
def test_a_failure_is_one_line(detail):
    result = CaseResult("x", "f", "c", passed=False, detail=detail)
    report = dispatch.FamilyReport("x", [result])
    assert list(dispatch.lines(report)) == ["x f c: a b", "x: 0 passed, 1 failed"]
