"""All given vectors together: every file was read by its family, and the page that counts them is true."""

import gzip
import os
import re
from pathlib import Path

import pytest

from conformance import dispatch
from tests.sampling import sample

pytestmark = pytest.mark.vectors

PAGE = Path(__file__).parents[2] / "docs" / "conformance.md"
TRANSCRIPTS = (
    "ibcgo-transcripts"  # they are run file by file in a module of their own, and whole here, slowly
)


def documented():
    """Family -> (files, cases) of the page's table."""
    rows = re.findall(r"^\| (\S+) \|.*\| ([0-9,]+) \| ([0-9,]+) \|$", PAGE.read_text(), re.MULTILINE)
    return {name: (int(files.replace(",", "")), int(cases.replace(",", ""))) for name, files, cases in rows}


def files_below(folder):
    """Every file that is not documentation, by a walk of its own."""
    return {
        os.path.relpath(Path(at) / name, folder)
        for at, _, names in os.walk(folder)
        for name in names
        if name not in {"ORIGIN.md", "README.md", "README.txt"}
    }


@pytest.fixture(scope="module")
def folders(vectors_dir, live_dir):
    found = {path.name: path for path in vectors_dir.iterdir() if path.is_dir()}
    return {**found, "dump": live_dir / "dump"}


def test_every_family_is_known_and_has_a_row(folders):
    assert set(folders) == set(dispatch.RUNNERS) == set(documented())


FAMILIES = sorted(dispatch.RUNNERS.keys() - {TRANSCRIPTS})


@pytest.mark.parametrize("name", FAMILIES)
def test_every_case_of_every_file_comes_out_as_the_file_says(folders, reports, name):
    report = reports(folders[name])
    assert report.failed == []
    assert {result.file for result in report.results} == files_below(folders[name])


@pytest.mark.parametrize("name", FAMILIES)
def test_the_page_counts_what_the_command_prints(folders, reports, name):
    """Of the default install: where native code is built, it is asked each case once more."""
    report, told = reports(folders[name]), documented()[name]
    native = sum(result.case.endswith(" native") for result in report.results)
    assert told == (len({result.file for result in report.results}), report.passed - native)
    assert list(dispatch.lines(report))[-1] == f"{name}: {told[1] + native} passed, 0 failed"


@pytest.mark.exhaustive
def test_the_page_counts_the_transcripts_as_well():
    committed = Path(__file__).parent / TRANSCRIPTS
    report = dispatch.run_family(committed)
    assert {result.file for result in report.results} == files_below(committed)
    assert report.failed == []
    assert documented()[TRANSCRIPTS] == (len({result.file for result in report.results}), report.passed)


def test_a_file_that_was_not_there_yet_is_noticed(folders, tmp_path):
    for name in sorted(set(folders) - {TRANSCRIPTS, "dump"}):
        (tmp_path / name).mkdir()
        (tmp_path / name / "new.bin").write_bytes(b"new")
        report = dispatch.run_family(tmp_path / name)
        assert [(result.file, result.detail) for result in report.failed] == [
            ("new.bin", "nobody understands it")
        ]


OF_NO_FORM = {TRANSCRIPTS, "dump", "JSONTestSuite", "ics23", "cometbft-literals"}
"""Families whose files are not known by what is in them."""


def test_files_of_all_families_may_lie_in_one_folder(folders, reports, tmp_path):
    """Under other names, compressed or marked: what has a form of its own is found by it."""
    expected = 0
    for name in sorted(set(folders) - OF_NO_FORM):
        paths = sorted(folders[name].rglob("*.json"))
        formed = [p for p in paths if "serialization" not in p.parts and p.read_bytes().strip() != b"{}"]
        for number, path in enumerate(sample(formed, 4, f"one folder {name}")):
            file = path.relative_to(folders[name]).as_posix()
            expected += sum(r.file == file and not r.left_out for r in reports(folders[name]).results)
            raw = path.read_bytes()
            raw = gzip.compress(raw) if number % 2 else b"\xef\xbb\xbf" + raw
            (tmp_path / f"{name}-{number}.json").write_bytes(raw)
    ((_, run),) = dispatch.reports(tmp_path)
    report = run()
    assert report.failed == []
    assert report.passed == expected > 200
