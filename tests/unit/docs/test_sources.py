"""Every reference to an early text names a key of docs/sources.md, and a section that the text has."""

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
KEY_ROW = re.compile(r"^\| `([\w-]+)` \| (00[0-4]) \| ", re.MULTILINE)
REFERENCE = re.compile(r"\[((?:IBC|ICS\d*)-[\w-]+)(?: ([^\]]+))?\](?!\()")
BARE = re.compile(r"(?<![\w,.\"'-])00[0-4](?:'s\b| \d\.\d| Timeouts\b)")
"""The row ids' numbers as references, which say nothing outside docs/spec-coverage.md."""
OF_ROWS = {
    "docs/spec-coverage.md",
    "docs/sources.md",
    "tests/architecture/test_spec_coverage.py",
    "tests/unit/docs/test_sources.py",
}
KEPT = re.compile(r"ICS-\d+(?: .*)?")
"""`[ICS-20 packet data]` and the like: a standard of today in brackets for another reason."""


@cache
def keys() -> dict[str, str]:
    """Key -> the number that its rows in docs/spec-coverage.md begin with."""
    return dict(KEY_ROW.findall((ROOT / "docs/sources.md").read_text(encoding="utf-8")))


@cache
def sections() -> dict[str, list[str]]:
    page = (ROOT / "docs/spec-coverage.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (?=00\d )", page, flags=re.MULTILINE)[1:]
    return {part[:3]: re.findall(r"^### (.+)$", part, re.MULTILINE) for part in parts}


def has(titles: list[str], section: str) -> bool:
    """Whether a title is the section's, or of a part of it: 3.2 is there if 3.2.1 is."""
    return any(title == section or title.startswith((f"{section} ", f"{section}.")) for title in titles)


def wrong_references(text: str) -> list[str]:
    found = []
    for key, named in REFERENCE.findall(text):
        if key not in keys():
            found += [] if KEPT.fullmatch(key) else [f"[{key}]"]
            continue
        titles = sections()[keys()[key]]
        found += [f"[{key} {each}]" for each in named.split(", ") if named and not has(titles, each)]
    return found


def tracked() -> dict[str, str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    wanted = [name for name in listed.stdout.split() if name.endswith((".py", ".md", ".proto", ".toml"))]
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in wanted if (ROOT / name).is_file()}


def test_the_five_early_texts_are_cited() -> None:
    assert sorted(keys().values()) == ["000", "001", "002", "003", "004"]
    assert all(sections()[number] for number in keys().values())


def test_every_reference_is_of_a_text_and_a_section_that_are_there() -> None:
    wrong = {name: wrong_references(text) for name, text in tracked().items() if name not in OF_ROWS}
    assert {name: found for name, found in wrong.items() if found} == {}


def test_no_reference_is_a_bare_number() -> None:
    bare = {name: BARE.findall(text) for name, text in tracked().items() if name not in OF_ROWS}
    assert {name: found for name, found in bare.items() if found} == {}


def test_the_references_are_found() -> None:
    assert sum(len(REFERENCE.findall(text)) for text in tracked().values()) > 40


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("a receipt [IBC-channels 3.5]", []),
        ("queues [IBC-channels 3.2, 3.3] of [ICS5-2019 Timeouts]", []),
        ("queues [IBC-draft 3.5]", ["[IBC-draft]"]),
        ("queues [IBC-channels 3.9]", ["[IBC-channels 3.9]"]),
        ("queues [ICS5-2020 Timeouts]", ["[ICS5-2020]"]),
        ("data [ICS-20]", []),
    ],
)
def test_a_wrong_reference_would_be_noticed(text, wrong) -> None:
    assert wrong_references(text) == wrong


@pytest.mark.parametrize("text", ["(000 3.5)", "002's `expired`", "002 Timeouts: `queue/14`"])
def test_a_bare_number_would_be_noticed(text) -> None:
    assert BARE.search(text)
