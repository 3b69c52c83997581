import sys

import pytest

from ibc_module.conformance import dispatch, ibc_literals
from ibc_module.conformance.case import CaseResult


def test_every_runner_is_there():
    for name, module in dispatch.RUNNERS.items():
        __import__(f"ibc_module.conformance.{module}")
        assert callable(sys.modules[f"ibc_module.conformance.{module}"].run), name


def test_families(tmp_path):
    for name in ("zip215", "ics23", ".git", "odd"):
        (tmp_path / name).mkdir()
    (tmp_path / "README.md").write_text("x")
    assert [path.name for path in dispatch.families(tmp_path)] == ["ics23", "odd", "zip215"]
    assert dispatch.families(tmp_path / "ics23") == [tmp_path / "ics23"]


def test_an_unknown_family_is_named_and_not_a_failure(tmp_path):
    (tmp_path / "odd").mkdir()
    report = dispatch.run_family(tmp_path / "odd")
    assert list(dispatch.lines(report)) == ["odd: not understood, no runner has this name"]
    assert report.failed == []


def test_failures_and_what_is_left_out_are_named(family):
    cases = {"x/path.rs": {"test_failure_parsing": ["1"], "test_new": ["1"]}}
    folder = family("ibc-rs", cases=cases)
    first, *rest = dispatch.lines(dispatch.run_family(folder))
    assert first.startswith("ibc-rs cases.json path.rs test_new(1): Mismatch: ")
    assert rest == [
        "ibc-rs leaves out test_failure_parsing: paths are built here, never parsed",
        "ibc-rs: 0 passed, 1 failed",
    ]


def test_a_runner_that_stops_is_a_failure(tmp_path, monkeypatch):
    def stop(folder):
        raise KeyError(folder.name)

    monkeypatch.setattr(ibc_literals, "run", stop)
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
    report = dispatch.FamilyReport("x", [result], {}, understood=True)
    assert list(dispatch.lines(report)) == ["x f c: a b", "x: 0 passed, 1 failed"]


@pytest.mark.parametrize("name", ["ibc-rs", "ibc-literals"])
def test_files_of_no_use_are_failures_in_families_with_parts_left_out(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    for stem, content in {
        "a": b"",
        "b": b"\xff",
        "c": b"[]",
        "d": b'{"x.rs": 5}',
        "e": b"[" * 5000,
    }.items():
        (folder / f"{stem}.json").write_bytes(content)
    report = dispatch.run_family(folder)
    assert {result.file[0] for result in report.failed} == set("abcde")
    assert report.left_out == {}
