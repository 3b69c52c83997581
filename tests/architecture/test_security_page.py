"""docs/security.md names every entry and every test that is named after one, and nothing else."""

import ast
import re

import pytest

ENTRIES = {
    *(f"H{number}" for number in range(1, 54) if number != 12),
    *("H12a", "H12b", "H39b", "H47b", "D22b"),
    *("H60", "H61", "H62", "H63"),
    *(f"H{number}" for number in range(71, 77)),
    *("H80", "H81", "H82", "H84"),
    *("H90", "H91", "H92", "H93", "H94"),
    *(f"H{number}" for number in range(100, 124)),
    *(f"H{number}" for number in range(130, 137)),
    *(f"H{number}" for number in range(140, 148)),
    *(f"H{number}" for number in range(150, 156)),
    *(f"H{number}" for number in range(160, 243)),
    *(f"D{number}" for number in range(1, 40)),
}
PLACE = re.compile(r"^- \[[\w/.]+\]\(\.\./(tests/[\w/.]+)\): (.+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def page(root):
    """Entry -> its part of the page."""
    text = (root / "docs/security.md").read_text(encoding="utf-8")
    parts = re.split(r"^\*\*([HD][0-9]+[a-z]?)\*\* ", text, flags=re.MULTILINE)
    assert len(parts[1::2]) == len(set(parts[1::2]))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.fixture(scope="module")
def named_after(root):
    """(file, test) of every test that is named after an entry -> the entries."""
    found = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(node, "name", "") if isinstance(node, ast.FunctionDef) else ""
            start = re.match(r"test_((?:[hd][0-9]+[a-z]?_)+)", name)
            if start:
                entries = {entry[0].upper() + entry[1:] for entry in start[1].strip("_").split("_")}
                found[path.relative_to(root).as_posix(), name] = entries
    return found


def places(part):
    return {(file, name) for file, names in PLACE.findall(part) for name in re.findall(r"`(\w+)`", names)}


def test_every_entry_is_on_the_page(page):
    assert page.keys() == ENTRIES


def test_every_entry_says_what_happened_and_what_is_held(page):
    for entry, part in page.items():
        happened, line_break, held = part.split("\n- ")[0].partition("<br>")
        assert line_break, entry
        assert len(happened) > 15, entry
        assert len(held) > 5, entry


def test_every_entry_has_its_tests(page, named_after):
    for entry, part in page.items():
        wanted = {place for place, entries in named_after.items() if entry in entries}
        assert wanted, entry
        assert places(part) == wanted, entry


def test_no_test_is_named_after_what_is_no_entry(named_after):
    assert {entry for entries in named_after.values() for entry in entries} == ENTRIES


def test_a_test_of_another_name_would_be_noticed(page):
    part = page["H5"].replace("test_h5_reentrant_app_cannot_receive_twice", "test_h5_gone", 1)
    assert places(part) != places(page["H5"])
